// Where files are, and which names a power cut leaves.

#include "simulation/lying_disk/parts.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace steadfast::simulation {

using namespace kernel;
namespace fs = std::filesystem;

namespace {

/// These mean nothing after a restart.
bool is_of_no_account(const std::string& path) {
  return path.ends_with("/lock.mdb") || path.ends_with("/store.lock");
}

} // namespace

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

/// If they are ordered, all of them are durable with the last one; so are all that a rename between two folders depends
/// on.
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

} // namespace steadfast::simulation
