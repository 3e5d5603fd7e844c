// A node that has not enough of something: descriptors, memory, a processor, room for its log.

#include "steadfast/client.hpp"
#include "tests/support/clusters/node_cluster.hpp"
#include "tests/support/clusters/steady_load.hpp"
#include "tests/support/processes/node_process.hpp"
#include "tests/support/processes/proc_files.hpp"
#include "tests/support/skip.hpp"

#include <catch2/catch.hpp>

#include <sys/mount.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

using namespace steadfast::tests;
using Catch::Matchers::Contains;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

/// What a node may have of something, for as long as this lives.
class limit_of {
public:
  limit_of(pid_t process, __rlimit_resource resource, rlim_t most) : process_{process}, resource_{resource} {
    REQUIRE(prlimit(process_, resource_, nullptr, &before_) == 0);
    set(most);
  }
  void set(rlim_t most) const {
    const rlimit now{most, before_.rlim_max};
    REQUIRE(prlimit(process_, resource_, &now, nullptr) == 0);
  }
  ~limit_of() { prlimit(process_, resource_, &before_, nullptr); }
  limit_of(const limit_of&) = delete;
  limit_of& operator=(const limit_of&) = delete;

private:
  pid_t process_;
  __rlimit_resource resource_;
  rlimit before_{};
};

/// The number that the next file would get.
rlim_t next_descriptor(pid_t process) {
  rlim_t next = 0;
  while (fs::is_symlink("/proc/" + std::to_string(process) + "/fd/" + std::to_string(next)))
    ++next;
  return next;
}

/// Of /proc/PID/status, in KiB.
std::uint64_t memory(pid_t process, const std::string& name) {
  std::ifstream in{"/proc/" + std::to_string(process) + "/status"};
  for (std::string word; in >> word;)
    if (std::uint64_t value = 0; word == name + ":" && in >> value)
      return value;
  return 0;
}

bool all_are(const node_process& node, const std::string& prefix, int count, const std::string& state) {
  return node_cluster::eventually(
    [&] {
      for (int i = 0; i < count; ++i)
        if (node.json_of({"task", "show", prefix + std::to_string(i), "--json"}).at(0).at("process_state") != state)
          return false;
      return true;
    },
    patience);
}

/// Nothing of the node's story or store is wrong.
void check_is_sound(node_process& node) {
  CHECK(node.json_of({"task", "list", "--where", "state=error", "--json"}).empty());
  node.process().signal(SIGTERM);
  CHECK(node.process().wait(hang_limit) == 0);
  const auto checked = node.command({"store", "check"});
  INFO(checked.out << checked.err);
  CHECK(checked.code == 0);
}

std::uint64_t lines_lost(const node_process& node) {
  return node.json_of({"node", "show", "--json"}).at(0).at("log").at("lines_lost");
}

/// With another configuration of the log than standard error the node cannot say there that it is ready.
void wait_until_ready(const node_process& node) {
  REQUIRE(node_cluster::eventually([&] { return node.command({"node", "show"}).code == 0; }, patience));
}

} // namespace

TEST_CASE("row 83: without a descriptor left a node refuses work, does not spin, and goes on when it has some again") {
  constexpr int count = 8;
  node_process node{STEADFAST_BINARY};
  node.start();
  const auto pid = node.process().pid();
  for (int i = 0; i < count; ++i)
    REQUIRE(node.command({"submit", "three", "--id", "t" + std::to_string(i), "--data", "{}"}).code == 0);
  {
    limit_of descriptors{pid, RLIMIT_NOFILE, next_descriptor(pid)};
    const auto is_refused = [&] {
      descriptors.set(next_descriptor(pid)); // what was open for a program is closed at its end
      const auto end = node.command({"submit", "one", "--id", "meanwhile", "--data", "{}"});
      return end.code == 75 && end.err.find("ulimit -n") != std::string::npos;
    };
    CHECK(node_cluster::eventually(is_refused, patience));
    const auto before = cpu_ticks(pid);
    std::this_thread::sleep_for(1s); // in which it would have used so much
    CHECK(cpu_ticks(pid) - before < 50);
    CHECK_FALSE(node.process().wait(0ms));
  }
  REQUIRE(node_cluster::eventually(
    [&] {
      return node.command({"submit", "one", "--id", "after0", "--data", "{}"}).code == 0;
    },
    patience));
  INFO(node.process().err());
  CHECK(all_are(node, "t", count, "processed"));
  CHECK(all_are(node, "after", 1, "processed"));
  check_is_sound(node);
}

TEST_CASE("row 83: a node that gets no more memory loses nothing that it acknowledged, and takes work again") {
  constexpr int count = 8;
  node_process node{STEADFAST_BINARY};
  node.start();
  for (int i = 0; i < count; ++i)
    REQUIRE(node.command({"submit", "three", "--id", "t" + std::to_string(i), "--data", "{}"}).code == 0);
  std::vector<std::string> taken;
  {
    const auto pid = node.process().pid();
    const limit_of addresses{pid, RLIMIT_AS, (memory(pid, "VmSize") + 512) << 10U};
    const auto large = '"' + std::string(900'000, 'x') + '"';
    for (int i = 0; i < 20; ++i)
      if (const auto id = "large" + std::to_string(i);
          node.command({"submit", "one", "--id", id, "--payload", "-"}, large).code == 0)
        taken.push_back(id);
  }
  INFO(taken.size() << " of 20 were taken; " << node.process().err());
  if (node.process().wait(0ms)) // whoever watches over it starts it again
    node.start();
  REQUIRE(node_cluster::eventually(
    [&] {
      return node.command({"submit", "one", "--id", "after", "--data", "{}"}).code == 0;
    },
    patience));
  CHECK(all_are(node, "t", count, "processed"));
  for (const auto& id : taken)
    CHECK(node_cluster::eventually(
      [&] {
        return node.json_of({"task", "show", id, "--json"}).at(0).at("process_state") == "processed";
      },
      patience));
  check_is_sound(node);
}

TEST_CASE(
  "row 83: a node that has a twentieth of a processor is slow or does without its lease, and is back after it") {
  node_cluster cluster{STEADFAST_BINARY};
  cluster.start();
  steady_load load{{{"a", cluster.socket("a")}, {"b", cluster.socket("b")}}, "three", 300ms};
  const auto pid = cluster.process("b").pid();
  {
    std::atomic<bool> is_over = false;
    const std::jthread starve{[&] {
      while (!is_over) { // 5 ms of each 100
        ::kill(pid, SIGCONT);
        std::this_thread::sleep_for(5ms);
        ::kill(pid, SIGSTOP);
        std::this_thread::sleep_for(95ms);
      }
      ::kill(pid, SIGCONT);
    }};
    const auto before = load.acknowledged("a");
    CHECK(node_cluster::eventually([&] { return load.acknowledged("a") >= before + 30; }, patience));
    is_over = true;
  }
  const auto before = load.acknowledged("b");
  INFO(cluster.logs());
  CHECK(node_cluster::eventually([&] { return load.acknowledged("b") >= before + 5; }, patience));
  const auto ids = load.stop();
  CHECK(cluster.all_processed("a", static_cast<int>(ids.size())));
  CHECK(node_cluster::eventually([&] { return cluster.living("b") == 3; }, patience));
  CHECK(cluster.count("a", "error") == 0);
}

TEST_CASE("row 84: a node goes on though no line of its log can be written, and counts them") {
  constexpr int count = 4;
  node_process node{STEADFAST_BINARY, "[log]\nfile = \"/dev/full\"\n"};
  running_program serve{STEADFAST_BINARY, {"serve", "-c", node.config()}};
  wait_until_ready(node);
  const auto before = lines_lost(node);
  for (int i = 0; i < count; ++i)
    REQUIRE(node.command({"submit", "three", "--id", "t" + std::to_string(i), "--data", "{}"}).code == 0);
  CHECK(all_are(node, "t", count, "processed"));
  CHECK(lines_lost(node) >= before + count);
  CHECK_THAT(node.command({"node", "show"}).out, Contains("lines were lost"));
  serve.signal(SIGTERM);
  CHECK(serve.wait(hang_limit) == 0);
}

TEST_CASE("row 84: when the disk of the log has room again the log goes on, and tells how much it has not") {
  temp_folder disk;
  if (mount("tmpfs", disk.path().c_str(), "tmpfs", 0, "size=64k") != 0) {
    skip("a file system for the test cannot be mounted here");
    return;
  }
  const auto log = disk.path() / "log";
  const auto text = [&] {
    std::ifstream in{log};
    return std::string{std::istreambuf_iterator<char>{in}, {}};
  };
  {
    node_process node{STEADFAST_BINARY, "[log]\nfile = \"" + log.string() + "\"\n"};
    running_program serve{STEADFAST_BINARY, {"serve", "-c", node.config()}};
    wait_until_ready(node);
    const auto other = disk.path() / "other";
    {
      std::ofstream file{other};
      const std::string block(512, 'x');
      while (file.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
      }
    }
    const auto submit = [&](const std::string& id) {
      REQUIRE(node.command({"submit", "refused", "--id", id, "--data", "{}"}).code == 0);
      CHECK(all_are(node, id.substr(0, id.size() - 1), 1, "undone"));
    };
    for (int i = 0; lines_lost(node) == 0 && i < 200; ++i) // the log's last page takes some more
      REQUIRE(node.command({"submit", "refused", "--id", "fills" + std::to_string(i), "--data", "{}"}).code == 0);
    CHECK(lines_lost(node) > 0);
    submit("meanwhile0");
    fs::remove(other);
    submit("after0");
    CHECK_THAT(text(),
               Contains("\n") && Contains("lines of the log were lost lines=") && Contains("No space left on device"));
    CHECK_THAT(text(), Contains("task=after0"));
    serve.signal(SIGTERM);
    CHECK(serve.wait(hang_limit) == 0);
  }
  umount2(disk.path().c_str(), MNT_DETACH);
}
