#include "store/journal/recovery.hpp"

#include "store/journal/directory.hpp"
#include "store/lmdb/lmdb.hpp"
#include "store/lmdb/lmdb_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

namespace steadfast::store {

namespace {

constexpr std::uint64_t map_least = 1 << 20; ///< LMDB maps what there is at least

/// A file in memory, to be read only.
class mapped_file {
public:
  explicit mapped_file(const std::filesystem::path& path) {
    const file_handle file{open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)};
    struct stat s {};
    if (file.get() < 0 || fstat(file.get(), &s) != 0 || s.st_size == 0)
      return; // which is no data file
    size_ = static_cast<std::size_t>(s.st_size);
    at_ = mmap(nullptr, size_, PROT_READ, MAP_SHARED, file.get(), 0);
    if (at_ == MAP_FAILED)
      throw store_error{"cannot map " + path.string() + ": " + std::strerror(errno), false};
  }
  ~mapped_file() {
    if (size_ > 0)
      munmap(at_, size_);
  }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;

  std::string_view bytes() const { return {static_cast<const char*>(at_), size_}; }

private:
  void* at_ = nullptr;
  std::size_t size_ = 0;
};

[[noreturn]] void damaged(const std::string& what) {
  throw store_error{what, false};
}

/// Enough to meet a page that is not there.
void touch(std::string_view bytes) {
  if (bytes.empty())
    return;
  [[maybe_unused]] const volatile char first = bytes.front();
  [[maybe_unused]] const volatile char last = bytes.back();
}

void walk_table(const lmdb::transaction& txn, lmdb::table t, const std::string& name) {
  const auto expected = txn.entries(t);
  std::uint64_t found = 0;
  std::string before;
  lmdb::cursor c{txn, t};
  for (bool more = c.first(); more; more = c.next()) {
    if (++found > expected || (found > 1 && c.key() <= before))
      damaged("table " + name + " is out of order");
    touch(c.value());
    before = c.key();
  }
  if (found != expected)
    damaged("table " + name + " has " + std::to_string(found) + " entries where there should be "
            + std::to_string(expected));
}

std::vector<std::string> table_names(const lmdb::transaction& txn, lmdb::table all) {
  std::vector<std::string> names;
  lmdb::cursor c{txn, all};
  for (bool more = c.first(); more; more = c.next())
    names.emplace_back(c.key());
  return names;
}

/// What the child does; its answer is what it wrote to the pipe, and how it ended.
[[noreturn]] void be_the_child(int answer, const std::function<void()>& work) {
  for (const int s : {SIGBUS, SIGSEGV, SIGABRT, SIGILL, SIGFPE})
    std::signal(s, SIG_DFL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO); // a failed assertion of LMDB speaks there
  std::string said;
  try {
    work();
  } catch (const std::exception& e) {
    said = e.what();
  }
  const auto written = ::write(answer, said.data(), said.size());
  _exit(said.empty() && written == 0 ? 0 : 1);
}

std::string read_to_end(int fd) {
  std::string text;
  std::array<char, 512> buffer{};
  for (;;) {
    const auto size = ::read(fd, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR)
      continue;
    if (size <= 0)
      return text;
    text.append(buffer.data(), static_cast<std::size_t>(size));
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return -1;
  return status;
}

std::string signal_words(int signal) {
  return signal == SIGBUS ? "it ends too early" : std::string{"reading it ends in "} + strsignal(signal);
}

} // namespace

store_error damaged_file(const std::filesystem::path& directory, const std::string& what) {
  return {"the data file of the store at " + directory.string() + " is damaged (" + what
            + "): restore a copy of the store with `steadfast store restore COPY --to FOLDER`; `steadfast store check"
              " --store COPY` looks at it",
          false};
}

void check_pages(const std::filesystem::path& directory) {
  lmdb::check_structure(mapped_file{directory / "data.mdb"}.bytes());
}

void walk_through(const std::filesystem::path& directory, bool locked) {
  check_pages(directory);
  const lmdb::environment env{{directory, map_least, true, locked}};
  const auto txn = lmdb::transaction::reading(env);
  const auto all = txn.open_table("");
  if (!all)
    damaged("it has no main table");
  walk_table(txn, *all, "of tables");
  for (const auto& name : table_names(txn, *all)) {
    const auto t = txn.open_table(name);
    if (!t)
      damaged("table " + name + " cannot be opened");
    walk_table(txn, *t, name);
  }
  txn.free_pages();
}

void look_in_child(const std::filesystem::path& directory, bool locked, look how) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw store_error{std::string{"cannot make a pipe: "} + std::strerror(errno), false};
  const file_handle answer{ends[0]};
  file_handle to_child{ends[1]};
  const pid_t child = fork();
  if (child < 0)
    throw store_error{std::string{"cannot start a process: "} + std::strerror(errno), false};
  if (child == 0)
    be_the_child(ends[1], [&] {
      if (how == look::all)
        walk_through(directory, locked);
      else
        check_pages(directory);
    });
  to_child = file_handle{};
  const std::string said = read_to_end(answer.get());
  const int status = wait_for(child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return;
  const std::string what = WIFSIGNALED(status) ? signal_words(WTERMSIG(status))
                           : said.empty()      ? "its pages do not hang together"
                                               : said;
  throw damaged_file(directory, what);
}

} // namespace steadfast::store
