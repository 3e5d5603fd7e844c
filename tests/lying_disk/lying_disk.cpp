#include "tests/lying_disk/lying_disk.hpp"

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <set>
#include <stdexcept>

namespace steadfast::tests {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t descriptors_max = 4096;
constexpr std::uint64_t page_size = 4096; ///< that the kernel writes as one

// The kernel is asked directly: the functions of these names are those of calls.cpp.

long read_at(int fd, char* to, std::uint64_t size, std::uint64_t at) {
  return syscall(SYS_pread64, fd, to, size, at);
}

long write_at(int fd, const char* from, std::uint64_t size, std::uint64_t at) {
  return syscall(SYS_pwrite64, fd, from, size, at);
}

int open_at(const std::string& path, int flags, unsigned mode = 0) {
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path.c_str(), flags, mode));
}

void must(bool done, const char* what) {
  if (!done)
    throw std::runtime_error{std::string{"lying_disk: cannot "} + what + ": " + std::strerror(errno)};
}

/// For the time of a repair.
class opened {
public:
  explicit opened(const std::string& path) : fd_{open_at(path, O_RDWR | O_CLOEXEC)} { must(fd_ >= 0, "open a file"); }
  ~opened() { syscall(SYS_close, fd_); }
  opened(const opened&) = delete;
  opened& operator=(const opened&) = delete;

  int get() const { return fd_; }

private:
  int fd_;
};

std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

/// These tell nobody anything after a restart.
bool is_of_no_account(const std::string& path) {
  return path.ends_with("/lock.mdb") || path.ends_with("/store.lock");
}

std::uint64_t rounded_down(std::uint64_t x, std::uint64_t to) {
  return x / to * to;
}

} // namespace

/// A file, under whatever names.
struct lying_disk::file {
  /// What was there before it was written over.
  struct piece {
    number at = 0;
    number size = 0;
    std::size_t bytes_at = 0; ///< in `bytes`
  };

  explicit file(int file_descriptor) : fd{file_descriptor} {}
  ~file() { syscall(SYS_close, fd); }
  file(const file&) = delete;
  file& operator=(const file&) = delete;

  bool is_durable() const { return old.empty() && sizes.empty(); }
  void make_durable() {
    old.clear();
    bytes.clear();
    sizes.clear();
  }
  void keep(number at, number count);
  void resize(number to);
  void make_durable(number at, number end);
  void put_back(const piece& p, number from, number to) const;
  std::string durable_page(number at) const;

  int fd; ///< of our own
  number size = 0;
  number allocated = 0;
  std::vector<number> sizes; ///< that it had since the last sync, in order, but for the present one
  std::vector<piece> old;    ///< likewise
  std::string bytes;
  std::map<number, std::string> lost; ///< pages of which the disk has this, though the kernel takes them for written
};

struct lying_disk::descriptor {
  std::shared_ptr<file> what; ///< null: a directory
  std::string path;           ///< under which it was opened
  bool syncs_each_write = false;
};

struct lying_disk::name_change {
  enum class kind { made, removed, renamed, made_directory, removed_directory };
  kind what = kind::made;
  std::string path;
  std::string to;             ///< renamed
  std::shared_ptr<file> gone; ///< removed, or replaced
  std::string grave;          ///< where that is

  std::vector<std::string> folders() const {
    return to.empty() ? std::vector{folder_of(path)} : std::vector{folder_of(path), folder_of(to)};
  }
};

std::atomic<lying_disk*> lying_disk::present_ = nullptr;

lying_disk::lying_disk(fs::path folder, std::uint64_t seed)
    : root_{fs::absolute(folder).lexically_normal().string() + "/"},
      graves_{fs::absolute(folder).lexically_normal().string() + ".graves"},
      draw_{seed ^ 0xd15c'0f'11e5ULL} {
  sector_size_ = below(2) == 0 ? 512 : page_size;
  names_in_order_ = below(2) == 0;
  descriptors_.resize(descriptors_max);
  fs::create_directories(folder);
  fs::create_directories(graves_);
  must(present_.exchange(this) == nullptr, "be the second one");
}

lying_disk::~lying_disk() {
  present_ = nullptr;
  std::error_code ignored;
  fs::remove_all(graves_, ignored);
}

bool lying_disk::has(int fd) const {
  return fd >= 0 && static_cast<std::size_t>(fd) < descriptors_.size() && descriptors_[static_cast<std::size_t>(fd)];
}

bool lying_disk::has_file(int fd) const {
  return has(fd) && descriptors_[static_cast<std::size_t>(fd)]->what;
}

bool lying_disk::has(const char* path) const {
  const auto size = root_.size() - 1; // without the slash
  return std::strncmp(path, root_.c_str(), size) == 0 && (path[size] == '/' || path[size] == '\0');
}

std::string lying_disk::path_of(int directory) const {
  const std::lock_guard lock{mutex_};
  return has(directory) ? descriptors_[static_cast<std::size_t>(directory)]->path : std::string{};
}

// ---- ends and beginnings ----

void lying_disk::stop() {
  is_stopped_ = true;
  calls_left_.reset();
}

void lying_disk::go_on() {
  is_stopped_ = false;
  calls_left_.reset();
  syncs_left_.reset();
  failures_.clear();
}

void lying_disk::start_again() {
  present_ = nullptr; // what follows is real
  const auto stays = surviving();
  for (auto i = changes_.size(); i-- > 0;)
    if (!stays[i])
      take_back(changes_[i]);
  for (std::size_t i = 0; i < changes_.size(); ++i)
    if (stays[i])
      forget(changes_[i]);
  changes_.clear();
  for (auto& [path, f] : files_)
    cut(*f);
  present_ = this;
  go_on();
}

std::uint64_t lying_disk::failures(const fs::path& path) const {
  const auto found = failures_.find(path.string());
  return found == failures_.end() ? 0 : found->second;
}

std::uint64_t lying_disk::failures() const {
  std::uint64_t all = 0;
  for (const auto& [name, count] : failures_)
    all += count;
  return all;
}

/// A call in whose middle the process ends is not made, but see write().
bool lying_disk::may_change() {
  if (!is_stopped_) {
    ++calls_;
    if (!calls_left_ || --*calls_left_ > 0)
      return true;
    stop();
  }
  errno = EIO;
  return false;
}

bool lying_disk::sync_fails() {
  if (syncs_left_ && --*syncs_left_ == 0) {
    syncs_left_.reset();
    return true;
  }
  return happens(faults_.sync_permille);
}

int lying_disk::fail(const std::string& path, int code) {
  if (code == EIO)
    ++failures_[path];
  errno = code;
  return -1;
}

// ---- contents ----

/// What is there now may be there again after a power cut. Behind the end there are zeros.
void lying_disk::file::keep(number at, number count) {
  old.push_back({at, count, bytes.size()});
  bytes.resize(bytes.size() + count);
  must(read_at(fd, bytes.data() + old.back().bytes_at, count, at) >= 0, "read what was there");
}

void lying_disk::file::resize(number to) {
  if (to == size)
    return;
  sizes.push_back(size);
  size = to;
}

/// No piece speaks of these bytes any more.
void lying_disk::file::make_durable(number at, number end) {
  std::vector<piece> left;
  for (const auto& p : old) {
    if (p.at < at)
      left.push_back({p.at, std::min(p.size, at - p.at), p.bytes_at});
    if (p.at + p.size > end) {
      const auto from = std::max(p.at, end);
      left.push_back({from, p.at + p.size - from, p.bytes_at + (from - p.at)});
    }
  }
  old = std::move(left);
  if (end >= size)
    sizes.clear();
}

/// That part of it.
void lying_disk::file::put_back(const piece& p, number from, number to) const {
  const auto begin = std::max(p.at, from);
  const auto end = std::min(p.at + p.size, to);
  if (begin < end)
    must(write_at(fd, bytes.data() + p.bytes_at + (begin - p.at), end - begin, begin) >= 0, "put back what was there");
}

/// As the disk has it, if nothing was written since the last sync.
std::string lying_disk::file::durable_page(number at) const {
  std::string page(page_size, '\0');
  must(read_at(fd, page.data(), page_size, at) >= 0, "read a page");
  for (auto p = old.rbegin(); p != old.rend(); ++p) {
    const auto begin = std::max(p->at, at);
    const auto end = std::min(p->at + p->size, at + page_size);
    if (begin < end)
      page.replace(begin - at, end - begin, bytes, p->bytes_at + (begin - p->at), end - begin);
  }
  return page;
}

/// Pages that are written again are written as a whole by the next sync.
void lying_disk::take_up_lost(file& f, number at, number size) {
  const auto end = at + size;
  for (auto p = f.lost.lower_bound(rounded_down(at, page_size)); p != f.lost.end() && p->first < end;
       p = f.lost.erase(p)) {
    f.old.push_back({p->first, page_size, f.bytes.size()});
    f.bytes += p->second;
  }
}

/// The kernel takes a page over as a whole, then looks whether to go on.
std::string_view lying_disk::some_pages(number at, std::string_view bytes) {
  const auto to_next = page_size - at % page_size;
  const auto pages = bytes.size() <= to_next ? 1 : 1 + (bytes.size() - to_next + page_size - 1) / page_size;
  const auto taken = below(pages + 1);
  return bytes.substr(0, taken == 0 ? 0 : to_next + (taken - 1) * page_size);
}

void lying_disk::write_some(file& f, std::string_view bytes, number at) {
  if (bytes.empty())
    return;
  take_up_lost(f, at, bytes.size());
  f.keep(at, bytes.size());
  const auto written = write_at(f.fd, bytes.data(), bytes.size(), at);
  must(written == static_cast<long>(bytes.size()), "write");
  f.resize(std::max(f.size, at + bytes.size()));
  f.allocated = std::max(f.allocated, f.size);
}

/// A sync has failed: some of what it should have written is written, and the rest counts as written.
void lying_disk::lose(file& f, number at, number end) {
  std::vector<number> pages;
  for (const auto& p : f.old)
    for (auto page = rounded_down(p.at, page_size); page < p.at + p.size; page += page_size)
      if (page + page_size > at && page < end)
        pages.push_back(page);
  std::sort(pages.begin(), pages.end());
  pages.erase(std::unique(pages.begin(), pages.end()), pages.end());
  for (const auto page : pages)
    if (below(2) == 0)
      f.lost[page] = f.durable_page(page);
  for (const auto page : pages)
    f.make_durable(page, page + page_size);
}

/// Of each sector, one of the states that it was in since the last sync.
void lying_disk::cut(file& f) {
  for (const auto& [at, page] : f.lost)
    must(write_at(f.fd, page.data(), page.size(), at) >= 0, "lose a page");
  f.lost.clear();
  std::map<number, number> left; ///< of its states, to go through
  const auto each_sector = [&](const file::piece& p, auto what) {
    for (auto s = rounded_down(p.at, sector_size_); s < p.at + p.size; s += sector_size_)
      what(s);
  };
  for (const auto& p : f.old)
    each_sector(p, [&](number s) { ++left[s]; });
  for (auto& [sector, states] : left)
    states = below(states + 1);
  for (auto p = f.old.rbegin(); p != f.old.rend(); ++p)
    each_sector(*p, [&](number s) {
      if (left[s] == 0)
        return;
      --left[s];
      f.put_back(*p, s, s + sector_size_);
    });
  f.sizes.push_back(f.size);
  f.size = f.allocated = f.sizes[below(f.sizes.size())];
  must(syscall(SYS_ftruncate, f.fd, f.size) == 0, "cut a file");
  f.make_durable();
}

long lying_disk::write(int fd, std::string_view bytes, number at) {
  const std::lock_guard lock{mutex_};
  const auto& d = *descriptors_[static_cast<std::size_t>(fd)];
  auto& f = *d.what;
  const bool was_stopped = is_stopped_;
  if (!may_change()) {
    if (!was_stopped)
      write_some(f, some_pages(at, bytes), at);
    errno = EIO;
    return -1;
  }
  if (happens(faults_.write_permille))
    return fail(d.path, EIO);
  if (faults_.is_full && at + bytes.size() > f.allocated) {
    if (at >= f.allocated)
      return fail(d.path, ENOSPC);
    bytes = bytes.substr(0, f.allocated - at);
  }
  if (happens(faults_.short_permille))
    if (const auto some = some_pages(at, bytes); !some.empty())
      bytes = some;
  write_some(f, bytes, at);
  if (d.syncs_each_write) {
    const auto begin = rounded_down(at, page_size);
    const auto end = rounded_down(at + bytes.size() + page_size - 1, page_size);
    if (sync_fails()) {
      lose(f, begin, end);
      return fail(d.path, EIO);
    }
    f.make_durable(begin, end);
  }
  return static_cast<long>(bytes.size());
}

int lying_disk::sync(int fd, bool data_only) {
  const std::lock_guard lock{mutex_};
  const auto& d = *descriptors_[static_cast<std::size_t>(fd)];
  if (!may_change())
    return -1;
  const bool fails = sync_fails();
  if (!d.what) {
    if (fails)
      return fail(d.path, EIO);
    sync_names(d.path);
    return 0;
  }
  auto& f = *d.what;
  if (fails) {
    lose(f, 0, f.size);
    return fail(d.path, EIO);
  }
  if (names_in_order_ && (!data_only || !f.sizes.empty()))
    sync_names({});
  f.make_durable();
  return 0;
}

int lying_disk::truncate(int fd, number size) {
  const std::lock_guard lock{mutex_};
  auto& f = *descriptors_[static_cast<std::size_t>(fd)]->what;
  if (!may_change())
    return -1;
  if (size < f.size) {
    take_up_lost(f, size, f.size - size);
    f.keep(size, f.size - size);
  }
  f.resize(size);
  f.allocated = size;
  return static_cast<int>(syscall(SYS_ftruncate, f.fd, size));
}

/// Room is only counted: in memory it would have to be cleared.
int lying_disk::allocate(int fd, int mode, number at, number size) {
  const std::lock_guard lock{mutex_};
  const auto& d = *descriptors_[static_cast<std::size_t>(fd)];
  if (mode != FALLOC_FL_KEEP_SIZE) {
    errno = EOPNOTSUPP;
    return -1;
  }
  if (!may_change())
    return -1;
  if (faults_.is_full && at + size > d.what->allocated)
    return fail(d.path, ENOSPC);
  d.what->allocated = std::max(d.what->allocated, at + size);
  return 0;
}

// ---- names ----

std::shared_ptr<lying_disk::file> lying_disk::file_at(const std::string& path) {
  auto& f = files_[path];
  if (!f) {
    f = std::make_shared<file>(open_at(path, O_RDWR | O_CLOEXEC));
    struct stat s {};
    must(fstat(f->fd, &s) == 0, "look at a file");
    f->size = f->allocated = static_cast<number>(s.st_size);
  }
  return f;
}

int lying_disk::open(const std::string& path, int flags, unsigned mode) {
  const std::lock_guard lock{mutex_};
  if (is_of_no_account(path))
    return open_at(path, flags, mode);
  struct stat s {};
  const bool is_new = (flags & O_CREAT) != 0 && lstat(path.c_str(), &s) != 0;
  if (is_new && !may_change())
    return -1;
  if (is_new && faults_.is_full)
    return fail(path, ENOSPC);
  const int fd = open_at(path, flags & ~O_TRUNC, mode);
  if (fd < 0)
    return fd;
  auto d = std::make_unique<descriptor>();
  d->path = path;
  d->syncs_each_write = (flags & O_DSYNC) != 0;
  if (is_new || (lstat(path.c_str(), &s) == 0 && S_ISREG(s.st_mode)))
    d->what = file_at(path);
  if (is_new)
    changes_.push_back({name_change::kind::made, path, {}, {}, {}});
  must(static_cast<std::size_t>(fd) < descriptors_.size(), "know so many files");
  descriptors_[static_cast<std::size_t>(fd)] = std::move(d);
  if ((flags & O_TRUNC) != 0)
    truncate(fd, 0);
  return fd;
}

int lying_disk::close(int fd) {
  const std::lock_guard lock{mutex_};
  descriptors_[static_cast<std::size_t>(fd)].reset();
  return static_cast<int>(syscall(SYS_close, fd));
}

/// It is taken out of its folder, but can come back.
std::string lying_disk::bury(const std::string& path) {
  auto grave = graves_ + "/" + std::to_string(++buried_);
  must(syscall(SYS_rename, path.c_str(), grave.c_str()) == 0, "bury a file");
  return grave;
}

int lying_disk::rename(const std::string& from, const std::string& to) {
  const std::lock_guard lock{mutex_};
  struct stat s {};
  if (lstat(from.c_str(), &s) != 0)
    return -1;
  must(S_ISREG(s.st_mode), "rename a folder");
  if (!may_change())
    return -1;
  name_change c{name_change::kind::renamed, from, to, {}, {}};
  if (lstat(to.c_str(), &s) == 0) {
    c.gone = file_at(to);
    c.grave = bury(to);
  }
  files_[to] = file_at(from);
  files_.erase(from);
  must(syscall(SYS_rename, from.c_str(), to.c_str()) == 0, "rename a file");
  changes_.push_back(std::move(c));
  return 0;
}

int lying_disk::remove(const std::string& path, bool directory) {
  const std::lock_guard lock{mutex_};
  struct stat s {};
  if (lstat(path.c_str(), &s) != 0)
    return -1;
  if (S_ISDIR(s.st_mode) != directory) {
    errno = directory ? ENOTDIR : EISDIR;
    return -1;
  }
  if (is_of_no_account(path))
    return static_cast<int>(syscall(SYS_unlink, path.c_str()));
  if (!may_change())
    return -1;
  if (directory) {
    if (syscall(SYS_rmdir, path.c_str()) != 0)
      return -1;
    changes_.push_back({name_change::kind::removed_directory, path, {}, {}, {}});
    return 0;
  }
  auto gone = file_at(path);
  files_.erase(path);
  changes_.push_back({name_change::kind::removed, path, {}, std::move(gone), bury(path)});
  return 0;
}

int lying_disk::make_directory(const std::string& path, unsigned mode) {
  const std::lock_guard lock{mutex_};
  struct stat s {};
  if (lstat(path.c_str(), &s) == 0) {
    errno = EEXIST;
    return -1;
  }
  if (!may_change())
    return -1;
  if (faults_.is_full)
    return fail(path, ENOSPC);
  if (syscall(SYS_mkdir, path.c_str(), mode) != 0)
    return -1;
  changes_.push_back({name_change::kind::made_directory, path, {}, {}, {}});
  return 0;
}

/// Where they are in order, all of them are durable with the last one; so are all that a rename between two folders hangs on.
void lying_disk::sync_names(const std::string& directory) {
  std::set<std::string> durable{directory};
  std::vector<name_change> left;
  for (auto c = changes_.rbegin(); c != changes_.rend(); ++c) {
    const auto folders = c->folders();
    const bool is_durable =
      std::any_of(folders.begin(), folders.end(), [&](const auto& x) { return durable.contains(x); });
    if (is_durable || names_in_order_) {
      durable.insert(folders.begin(), folders.end());
      forget(*c);
    } else {
      left.push_back(std::move(*c));
    }
  }
  changes_.assign(std::make_move_iterator(left.rbegin()), std::make_move_iterator(left.rend()));
}

/// In each folder, or of all, those up to some moment.
std::vector<bool> lying_disk::surviving() {
  std::map<std::string, number> left; ///< of a folder, that survive
  const auto folders_of = [&](const name_change& c) {
    return names_in_order_ ? std::vector<std::string>{""} : c.folders();
  };
  for (const auto& c : changes_)
    for (const auto& x : folders_of(c))
      ++left[x];
  for (auto& [folder, count] : left)
    count = below(count + 1);
  std::vector<bool> all;
  for (const auto& c : changes_) {
    const auto folders = folders_of(c);
    const bool stays = std::all_of(folders.begin(), folders.end(), [&](const auto& x) { return left[x] > 0; });
    for (const auto& x : folders)
      left[x] = stays ? left[x] - 1 : 0;
    all.push_back(stays);
  }
  return all;
}

void lying_disk::take_back(name_change& c) {
  using kind = name_change::kind;
  const bool has_folder = fs::exists(folder_of(c.path));
  std::error_code failed;
  switch (c.what) {
    case kind::made:
      files_.erase(c.path);
      fs::remove(c.path, failed);
      return;
    case kind::removed:
      if (!has_folder)
        return forget(c);
      fs::rename(c.grave, c.path);
      files_[c.path] = c.gone;
      return;
    case kind::renamed:
      if (has_folder) {
        fs::rename(c.to, c.path);
        files_[c.path] = files_[c.to];
      } else {
        fs::remove(c.to);
      }
      files_.erase(c.to);
      if (c.gone) {
        fs::rename(c.grave, c.to);
        files_[c.to] = c.gone;
      }
      return;
    case kind::made_directory:
      std::erase_if(files_, [&](const auto& x) { return x.first.starts_with(c.path + "/"); });
      fs::remove_all(c.path);
      return;
    case kind::removed_directory:
      if (has_folder)
        must(syscall(SYS_mkdir, c.path.c_str(), 0700) == 0, "make a folder again");
  }
}

void lying_disk::forget(name_change& c) {
  if (!c.grave.empty())
    syscall(SYS_unlink, c.grave.c_str());
}

// ---- damage ----

void lying_disk::flip_bit(const fs::path& path) {
  const auto& f = *file_at(path.string());
  const auto at = below(f.size);
  char byte = 0;
  must(read_at(f.fd, &byte, 1, at) == 1, "read a byte");
  byte = static_cast<char>(byte ^ (1 << below(8)));
  must(write_at(f.fd, &byte, 1, at) == 1, "flip a bit");
}

void lying_disk::clear_page(const fs::path& path) {
  const auto& f = *file_at(path.string());
  const std::string zeros(page_size, '\0');
  must(write_at(f.fd, zeros.data(), zeros.size(), rounded_down(below(f.size), page_size)) > 0, "clear a page");
}

} // namespace steadfast::tests
