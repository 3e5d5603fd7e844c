#include "simulation/lying_disk/parts.hpp"

namespace steadfast::simulation {

using namespace kernel;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t descriptors_max = 4096;

} // namespace

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

/// A call during which the process ends is not made, but see write().
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

} // namespace steadfast::simulation
