#include "store/journal/directory.hpp"

#include "store/contract/state_store.hpp"
#include "store/lmdb/lmdb_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

namespace steadfast::store {

namespace {

constexpr const char* lock_name = "store.lock";
constexpr const char* closed_name = "closed";
constexpr const char* data_name = "data.mdb";
constexpr const char* journal_name = "journal";
constexpr const char* clock_name =
  "clock"; ///< of the node, which writes it when the store is open (runtime/boot_clock)
constexpr mode_t private_directory = 0700;
constexpr mode_t parent_directory = 0777; ///< as the user's mask has it
constexpr mode_t private_file = 0600;

[[noreturn]] void refuse(const std::string& what) {
  throw store_error{what, false};
}

[[noreturn]] void refuse_call(const std::string& what) {
  const int code = errno;
  refuse(what + ": " + std::strerror(code));
}

std::string shown(const std::filesystem::path& path) {
  return path.string();
}

/// Absent: there is no such file. Links are not followed.
std::optional<struct stat> status_of(const std::filesystem::path& path) {
  struct stat s {};
  if (lstat(path.c_str(), &s) == 0)
    return s;
  if (errno == ENOENT)
    return std::nullopt;
  refuse_call("cannot look at " + shown(path));
}

void check_owner(const std::filesystem::path& path, const struct stat& s) {
  if (s.st_uid != geteuid())
    refuse(shown(path) + " belongs to user " + std::to_string(s.st_uid) + ", this process runs as user "
           + std::to_string(geteuid()) + ": run it as the owner");
  if ((s.st_mode & 077) != 0)
    refuse(shown(path) + " can be reached by other users: run chmod go= " + shown(path));
}

void check_directory(const std::filesystem::path& path, const struct stat& s) {
  if (S_ISLNK(s.st_mode))
    refuse(shown(path) + " is a symbolic link: name the directory itself");
  if (!S_ISDIR(s.st_mode))
    refuse(shown(path) + " is not a directory");
}

/// Absent: there is no such file.
std::optional<struct stat> status_of_file(const std::filesystem::path& path) {
  auto s = status_of(path);
  if (s && !S_ISREG(s->st_mode))
    refuse(shown(path) + " is not a regular file");
  return s;
}

void check_file(const std::filesystem::path& path) {
  if (const auto s = status_of_file(path))
    check_owner(path, *s);
}

void check_file_system(const std::filesystem::path& path) {
  struct statfs s {};
  if (statfs(path.c_str(), &s) != 0)
    refuse_call("cannot ask for the file system of " + shown(path));
  if (const auto remote = remote_file_system(s.f_type))
    refuse("the store at " + shown(path) + " lies on " + *remote
           + ", where neither its lock nor its sync can be relied on: move it to a local disk");
}

file_handle open_private(const std::filesystem::path& path, int flags) {
  file_handle f{open(path.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, private_file)};
  if (f.get() < 0)
    refuse_call("cannot open " + shown(path));
  return f;
}

std::string read_all(int fd) {
  std::array<char, 256> buffer{};
  const auto size = pread(fd, buffer.data(), buffer.size(), 0);
  return size > 0 ? std::string{buffer.data(), static_cast<std::size_t>(size)} : std::string{};
}

/// REQUIRES: nothing was read or written through `fd` yet.
void write_all(int fd, std::string_view text, const std::filesystem::path& path) {
  if (ftruncate(fd, 0) != 0 || ::write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    refuse_call("cannot write " + shown(path));
}

/// A lock of the open file, not of the process: it ends with the last descriptor, and who only asks does not disturb.
struct flock whole_file() {
  struct flock f {};
  f.l_type = F_WRLCK;
  f.l_whence = SEEK_SET;
  return f;
}

/// Held until the process ends, however it ends.
file_handle lock(const std::filesystem::path& directory) {
  const auto path = directory / lock_name;
  check_file(path);
  auto f = open_private(path, O_RDWR | O_CREAT);
  auto whole = whole_file();
  if (fcntl(f.get(), F_OFD_SETLK, &whole) != 0) {
    if (errno != EAGAIN && errno != EACCES)
      refuse_call("cannot lock " + shown(path));
    auto holder = read_all(f.get());
    holder.erase(holder.find_last_not_of(" \n") + 1);
    refuse("store at " + shown(directory) + " is in use by process " + (holder.empty() ? "unknown" : holder));
  }
  write_all(f.get(), std::to_string(getpid()) + "\n", path);
  return f;
}

bool is_locked(const std::filesystem::path& directory) {
  const file_handle f{open((directory / lock_name).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)};
  auto whole = whole_file();
  return f.get() >= 0 && fcntl(f.get(), F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
}

/// Those that it lies in, too. Not durable before sync_way_to.
void make_directory(const std::filesystem::path& path, mode_t mode) {
  const auto above = parent_of(path);
  if (!status_of(above))
    make_directory(above, parent_directory);
  if (mkdir(path.c_str(), mode) != 0 && !(errno == EEXIST && mode == parent_directory))
    refuse_call("cannot make the directory " + shown(path));
}

/// It, and those that it lies in, as far as they can have been made for it: by a process that died before it synced
/// them, too.
void sync_way_to(std::filesystem::path path) {
  for (auto s = status_of(path); s && s->st_uid == geteuid() && path.has_relative_path(); s = status_of(path)) {
    path = parent_of(path);
    if (access(path.c_str(), R_OK) == 0) // else somebody else has made what lies in it
      sync_directory(path);
  }
}

bool is_whole(std::string_view data_file) {
  try {
    lmdb::check_structure(data_file);
    return true;
  } catch (const store_error&) {
    return false;
  }
}

/// Made by LMDB, and not used: when the power went before the first commit, any part of it may be missing. Absent: it
/// is not so.
std::optional<std::string> bytes_without_commit(const std::filesystem::path& path, const struct stat& s) {
  constexpr off_t first_commit_max = 256 << 10;
  if (s.st_size > first_commit_max)
    return std::nullopt;
  const auto f = open_private(path, O_RDONLY);
  std::string bytes(static_cast<std::size_t>(s.st_size), '\0');
  if (pread(f.get(), bytes.data(), bytes.size(), 0) != s.st_size)
    refuse_call("cannot read " + shown(path));
  return lmdb::is_without_commit(bytes) ? std::optional{std::move(bytes)} : std::nullopt;
}

/// These are made when there is a data file. A node that is killed leaves no `closed`; its journal may be lost with the
/// data.
bool has_traces(const std::filesystem::path& path) {
  return status_of(path / journal_name) || status_of(path / closed_name) || status_of(path / clock_name);
}

[[noreturn]] void refuse_lost(const std::filesystem::path& path, const std::string& what) {
  refuse(
    "the data file of the store, " + shown(path / data_name) + ", is " + what
    + ", though a store was here: put it back, or restore a copy of the store with `steadfast store restore COPY --to"
      " FOLDER`. For a new, empty store name another folder");
}

} // namespace

// ---- file_handle ----

file_handle::~file_handle() {
  if (fd_ >= 0)
    close(fd_);
}

file_handle::file_handle(file_handle&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}

file_handle& file_handle::operator=(file_handle&& other) noexcept {
  file_handle gone{std::exchange(fd_, std::exchange(other.fd_, -1))};
  return *this;
}

// ---- store_directory ----

std::optional<std::string> remote_file_system(std::int64_t magic) {
  struct known {
    std::int64_t magic;
    const char* name;
  };
  static constexpr std::array<known, 11> remote{{
    {0x6969, "NFS"},
    {0x517B, "SMB"},
    {0xFF534D42, "CIFS"},
    {0xFE534D42, "SMB2"},
    {0x01021997, "9P"},
    {0x73757245, "Coda"},
    {0x5346414F, "AFS"},
    {0x00C36400, "Ceph"},
    {0x01161970, "GFS2"},
    {0x7461636F, "OCFS2"},
    {0x0BD00BD0, "Lustre"},
  }};
  for (const auto& r : remote)
    if (static_cast<std::uint32_t>(magic) == static_cast<std::uint32_t>(r.magic))
      return r.name;
  return std::nullopt;
}

store_directory store_directory::take(const std::filesystem::path& path) {
  store_directory d;
  d.path_ = path;
  auto s = status_of(path);
  if (!s) {
    make_directory(path, private_directory);
    s = status_of(path);
  }
  check_directory(path, *s);
  check_owner(path, *s);
  check_file_system(path);
  d.lock_ = lock(path);
  for (const char* name : {data_name, "lock.mdb", closed_name, journal_name})
    check_file(path / name);
  const auto data = status_of(path / data_name);
  d.is_new_ = !data || data->st_size == 0;
  d.was_used_ = has_traces(path);
  if (const auto bytes = d.is_new_ || d.was_used_ ? std::nullopt : bytes_without_commit(path / data_name, *data)) {
    d.is_new_ = true;
    if (!is_whole(*bytes) && ftruncate(open_private(path / data_name, O_RDWR).get(), 0) != 0)
      refuse_call("cannot clear " + shown(path / data_name));
  }
  if (d.is_new_ && d.was_used_)
    refuse_lost(path, data ? "empty" : "missing");
  if (d.is_new_)
    sync_way_to(path);
  return d;
}

store_directory store_directory::look_at(const std::filesystem::path& path) {
  store_directory d;
  d.path_ = path;
  const auto s = status_of(path);
  if (s && !status_of(path / data_name) && has_traces(path))
    refuse_lost(path, "missing");
  if (!s || !status_of(path / data_name))
    refuse("there is no store at " + shown(path));
  check_directory(path, *s);
  for (const char* name : {data_name, closed_name, journal_name})
    status_of_file(path / name);
  check_file_system(path);
  d.is_in_use_ = is_locked(path);
  return d;
}

std::uint64_t store_directory::file_size() const {
  const auto s = status_of(data_file());
  return s ? static_cast<std::uint64_t>(s->st_size) : 0;
}

file_handle store_directory::open_file(const std::string& name) const {
  return open_private(path_ / name, O_RDWR | O_CREAT);
}

std::optional<store_directory::closed_state> store_directory::closed() const {
  const auto path = path_ / closed_name;
  if (!status_of(path))
    return std::nullopt;
  const auto text = read_all(open_private(path, O_RDONLY).get());
  const char* const end = text.data() + text.size();
  closed_state s;
  const auto first = std::from_chars(text.data(), end, s.transaction);
  if (first.ec != std::errc{} || first.ptr == end)
    return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, s.file_size);
  return second.ec == std::errc{} ? std::optional{s} : std::nullopt;
}

void store_directory::mark_closed(const closed_state& s) const {
  const auto path = path_ / closed_name;
  const auto f = open_private(path, O_RDWR | O_CREAT);
  write_all(f.get(), std::to_string(s.transaction) + " " + std::to_string(s.file_size) + "\n", path);
}

// If this is lost in a power cut, the mark speaks of an older transaction than the file.
void store_directory::mark_open() const {
  unlink((path_ / closed_name).c_str());
}

std::filesystem::path parent_of(const std::filesystem::path& path) {
  const auto whole = std::filesystem::absolute(path).lexically_normal();
  return whole.has_filename() ? whole.parent_path() : whole.parent_path().parent_path();
}

void sync_directory(const std::filesystem::path& path) {
  const file_handle f{open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (f.get() < 0 || fsync(f.get()) != 0)
    refuse_call("cannot sync the directory " + shown(path));
}

} // namespace steadfast::store
