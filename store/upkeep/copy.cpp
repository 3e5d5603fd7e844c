#include "store/engine/reading.hpp"
#include "store/journal/directory.hpp"
#include "store/journal/restored.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace steadfast::store {

namespace {

[[noreturn]] void fail(const std::filesystem::path& to, const std::string& why) {
  throw store_error{"cannot copy the store to " + to.string() + ": " + why, false};
}

/// Takes away what was begun, unless it was finished.
class beginnings {
public:
  explicit beginnings(std::filesystem::path directory) : directory_{std::move(directory)} {}
  ~beginnings() {
    if (is_finished_)
      return;
    unlink((directory_ / "data.mdb").c_str());
    rmdir(directory_.c_str());
  }
  beginnings(const beginnings&) = delete;
  beginnings& operator=(const beginnings&) = delete;

  void finish() { is_finished_ = true; }

private:
  std::filesystem::path directory_;
  bool is_finished_ = false;
};

} // namespace

void lmdb_engine::copy(const std::filesystem::path& to) const {
  if (mkdir(to.c_str(), 0700) != 0)
    fail(to, std::strerror(errno));
  beginnings begun{to};
  const file_handle file{open((to / "data.mdb").c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
  if (file.get() < 0)
    fail(to, std::strerror(errno));
  try {
    if (shared_->is_mine())
      save_here();
    wait_for_save();
    env_->copy_to(file.get());
    mark_as_copy(to, options_.size_max);
  } catch (const lmdb::error& e) {
    fail(to, e.what());
  }
  if (fsync(file.get()) != 0)
    fail(to, std::strerror(errno));
  sync_directory(to);
  sync_directory(parent_of(to));
  begun.finish();
}

} // namespace steadfast::store
