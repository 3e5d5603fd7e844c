// The power is cut: an ext4 file system of its own is shut down by FS_IOC_SHUTDOWN without flushing its journal, then
// mounted again. Needs root and loop mounts.

#include "tests/support/skip.hpp"
#include "tests/unit/store/support.hpp"
#include "tests/unit/store/support_process.hpp"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <linux/types.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <random>
#include <thread>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;
namespace fs = std::filesystem;

namespace {

constexpr unsigned long shutdown_call = _IOR('X', 125, __u32);
constexpr __u32 without_flushing = 2;

bool run(const std::string& command) {
  return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
}

/// An ext4 file system in a file.
class disk_in_a_file {
public:
  disk_in_a_file() {
    fs::create_directory(mount_point());
    is_made_ = geteuid() == 0 && run("truncate -s 64M " + image()) && run("mkfs.ext4 -q -F " + image()) && plug_in();
  }
  ~disk_in_a_file() { unplug(); }
  disk_in_a_file(const disk_in_a_file&) = delete;
  disk_in_a_file& operator=(const disk_in_a_file&) = delete;

  explicit operator bool() const { return is_made_; }
  fs::path mount_point() const { return directory_.path() / "disk"; }

  bool plug_in() {
    is_mounted_ = run("mount -o loop " + image() + " " + mount_point().string());
    return is_mounted_;
  }
  void unplug() {
    if (is_mounted_ && umount2(mount_point().c_str(), 0) != 0)
      umount2(mount_point().c_str(), MNT_DETACH);
    is_mounted_ = false;
  }
  bool cut_power() const {
    const int fd = open(mount_point().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool is_cut = fd >= 0 && ioctl(fd, shutdown_call, &without_flushing) == 0;
    close(fd);
    return is_cut;
  }

private:
  std::string image() const { return (directory_.path() / "image").string(); }

  temporary_directory directory_;
  bool is_made_ = false;
  bool is_mounted_ = false;
};

/// Commits until the disk is gone, saying each id once its commit is durable. The cut may also fall into the opening.
int commit_for_ever(const store_options& options, commits how, const say& speak) {
  std::optional<lmdb_engine> store;
  try {
    store.emplace(options);
    if (how == commits::shared)
      store->share([] {});
  } catch (const store_error&) {
    return 5;
  }
  for (int i = 0;; ++i) {
    const auto name = std::to_string(store->counts().last_number) + "-" + std::to_string(i);
    try {
      if (i % 7 == 6)
        store->save();
      store->commit({submit_task{order("a" + name, std::string(3000, 'x')), at(0)},
                     submit_task{order("b" + name), at(0)}, claim_tasks{"s1", 1, at(1)}});
    } catch (const store_error& e) {
      return e.is_fatal() ? 5 : 6;
    }
    speak("a" + name);
    speak("b" + name);
  }
}

/// How long this machine takes to open a store and commit once.
std::chrono::microseconds open_and_commit(const store_options& options) {
  const auto begin = std::chrono::steady_clock::now();
  lmdb_engine{options}.commit({register_definition{delivery()}});
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
}

void cut_after(std::chrono::microseconds time, const disk_in_a_file& disk) {
  std::this_thread::sleep_for(time);
  if (!disk.cut_power())
    _exit(7);
}

} // namespace

TEST_CASE("row 62: after a power cut at any moment the store opens with every acknowledged submission") {
  disk_in_a_file disk;
  if (!disk) {
    tests::skip("needs root, mkfs.ext4 and loop mounts");
    return;
  }
  const auto how = GENERATE(commits::alone, commits::shared);
  const auto options = small_options(disk.mount_point() / "store");
  const auto longest_life = 20 * open_and_commit(options);
  const char* chosen = std::getenv("STEADFAST_SEED");
  const auto seed = chosen != nullptr ? std::strtoull(chosen, nullptr, 10) : std::random_device{}();
  INFO("replay with STEADFAST_SEED=" << seed);
  std::mt19937_64 chance{seed};
  std::vector<std::string> said;
  for (int cut = 0; cut < 6; ++cut) {
    const auto lived = longest_life * static_cast<int>(chance() % 1000) / 1000;
    INFO("cut " << cut << ", power cut after " << lived.count() << " us");
    const auto e = in_child([&](const say& speak) {
      std::thread{[&] {
        cut_after(lived, disk);
      }}.detach(); // in the child: a fork while a thread runs may inherit its locks
      return commit_for_ever(options, how, speak);
    });
    CHECK(e.signal == 0);
    CHECK(e.code == 5);
    said.insert(said.end(), e.lines.begin(), e.lines.end());

    disk.unplug();
    REQUIRE(disk.plug_in());
    lmdb_engine store{options};
    const auto report = store.check();
    CHECK(report.faults == std::vector<std::string>{});
    CHECK(report.tasks % 2 == 0);
    CHECK(report.tasks >= said.size());
    for (const auto& id : said)
      CHECK(store.find(id).has_value());
  }
  CHECK(said.size() > 6);
}
