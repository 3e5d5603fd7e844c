// How a node starts, stops and refuses to start, as a process.

#include "tests/support/comes_true.hpp"
#include "tests/support/processes/node_process.hpp"

#include <catch2/catch.hpp>

#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace steadfast::tests;
using Catch::Matchers::Contains;

namespace {

void submit_many(const node_process& node, const std::string& workflow, int count) {
  for (int i = 0; i < count; ++i)
    REQUIRE(node.command({"submit", workflow, "--id", "t-" + std::to_string(i), "--data", "{}"}).code == 0);
}

/// Waits for the end of every task; each is asked for, so no time is guessed.
void wait_for_all(const node_process& node, int count) {
  for (int i = 0; i < count; ++i) {
    // Submitting again is the same task.
    const auto end =
      node.command({"submit", "three", "--id", "t-" + std::to_string(i), "--data", "{}", "--wait", "--limit", "60s"});
    INFO(end.out << end.err);
    REQUIRE(end.code == 0);
  }
}

unsigned mode_of(const std::filesystem::path& path) {
  struct stat s {};
  REQUIRE(lstat(path.c_str(), &s) == 0);
  return s.st_mode & 07777U;
}

/// Threads of a process that a signal could end, by its default action.
std::vector<std::string> threads_open_to(int signal, pid_t pid) {
  std::vector<std::string> found;
  for (const auto& task : std::filesystem::directory_iterator{"/proc/" + std::to_string(pid) + "/task"}) {
    std::ifstream status{task.path() / "status"};
    std::string name;
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("Name:"))
        name = line.substr(6);
      else if (line.starts_with("SigBlk:") && (std::stoull(line.substr(8), nullptr, 16) >> (signal - 1) & 1U) == 0)
        found.push_back(task.path().filename().string() + " " + name);
  }
  return found;
}

} // namespace

TEST_CASE("row 20: no thread but the one that waits for it gets the signal to stop") {
  node_process node{STEADFAST_BINARY};
  node.start();
  submit_many(node, "three", 3);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    const auto open = threads_open_to(signal, node.process().pid());
    INFO("signal " << signal);
    REQUIRE(open.size() <= 1); // none while it is not yet waiting
    for (const auto& thread : open)
      CHECK_THAT(thread, Catch::Matchers::StartsWith(std::to_string(node.process().pid()) + " "));
  }
}

TEST_CASE("row 20: a graceful stop under load loses nothing, starts nothing new and exits with 0") {
  constexpr int count = 40;
  node_process node{STEADFAST_BINARY};
  node.start();
  submit_many(node, "three", count);
  node.process().signal(SIGTERM);
  const auto code = node.process().wait(hang_limit);
  INFO(node.process().err());
  REQUIRE(code.value_or(-1) == 0);
  CHECK_THAT(node.process().err(), Contains("SIGTERM: stopping") && Contains("has stopped"));

  // What the store says now that nobody writes to it.
  const auto left = node.json_of({"store", "dump"});
  CHECK(left.size() == count);
  std::size_t open = 0; // but for first attempts: a task taken just when the stop came was not ordered from anybody
  for (const auto& t : left) {
    INFO(t.dump());
    CHECK(t.at("locked_by") == "");
    for (const auto& s : t.at("steps"))
      for (const auto& attempt : s.at("log"))
        open += attempt.at("outcome") == "open" && attempt.at("attempt") != 1 ? 1 : 0;
  }
  CHECK(open == 0);

  // What was not done goes on.
  node.start();
  wait_for_all(node, count);
  const auto all = node.json_of({"task", "list", "--json", "--limit", "100"});
  CHECK(all.size() == count);
  for (const auto& t : all)
    CHECK(t.at("process_state") == "processed");
}

TEST_CASE(
  "row 20: a graceful stop gives the supervisor's lease back, so that the next node need not wait for its end") {
  node_process node{STEADFAST_BINARY, "[supervisor.lease]\nttl = \"1h\"\nrenew_every = \"10m\"\nmargin = \"1m\"\n"};
  const auto holder = [&node] {
    std::string who;
    comes_true([&] { // the supervisor campaigns on its own time
      for (const auto& l : node.json_of({"lease", "list", "--json"}))
        if (l.at("name") == "supervisor" && !l.at("expires_at").is_null())
          who = l.at("holder").get<std::string>();
      return !who.empty();
    });
    return who;
  };
  node.start();
  const auto first = holder();
  CHECK_FALSE(first.empty());
  node.process().signal(SIGINT);
  REQUIRE(node.process().wait(hang_limit) == 0);
  node.start();
  const auto second = holder();
  CHECK_FALSE(second.empty());
  CHECK(second != first);
}

TEST_CASE("a second signal ends the process at once") {
  node_process node{STEADFAST_BINARY, "[shutdown]\ndrain_limit = \"1h\"\n[[agent]]\nname = \"very_slow\"\n"
                                      "program = \"/bin/sleep\"\narguments = [\"1000\"]\nallow_root = true\n"};
  node.folder().write("workflows/stuck.toml",
                      "name = \"stuck\"\n[[step]]\nname = \"a\"\nagent = \"very_slow\"\ncomplete_by = \"1h\"\n");
  node.start();
  REQUIRE(node.command({"submit", "stuck", "--id", "t-1"}).code == 0);
  const auto is_running = [&node] {
    return node.json_of({"task", "show", "t-1", "--json"}).at(0).at("steps").at(0).at("state") == "running";
  };
  REQUIRE(comes_true(is_running));
  node.process().signal(SIGTERM);
  REQUIRE(node.process().says("stopping", hang_limit));
  node.process().signal(SIGTERM);
  CHECK(node.process().wait(hang_limit) == 128 + SIGTERM);
}

TEST_CASE("row 80: a node refuses a socket and a store that another one uses, and says so") {
  node_process node{STEADFAST_BINARY};
  node.start();
  const auto same = run_program(STEADFAST_BINARY, {"serve", "-c", node.config()});
  CHECK(same.code == 73);
  CHECK_FALSE(same.err.empty());

  node.folder().write("second.toml", "[store]\npath = \"second\"\n[control]\nsocket = \"store/control.sock\"\n");
  const auto second = run_program(STEADFAST_BINARY, {"serve", "-c", (node.folder().path() / "second.toml").string()});
  CHECK(second.code == 73);
  CHECK_THAT(second.err, Contains("in use"));

  // The first one was not disturbed.
  CHECK(node.command({"submit", "one", "--wait", "--limit", "30s"}).code == 0);
}

TEST_CASE("a killed node starts again over its stale socket and goes on") {
  node_process node{STEADFAST_BINARY};
  node.start();
  submit_many(node, "three", 5);
  node.kill();
  CHECK(std::filesystem::exists(node.folder().path() / "store/control.sock"));
  node.start();
  wait_for_all(node, 5);
}

TEST_CASE("the log file is for its owner alone, and its links are not followed") {
  node_process node{STEADFAST_BINARY, "[log]\nfile = \"logs/node.log\"\n"};
  const auto log = node.folder().path() / "logs/node.log";
  {
    running_program running{STEADFAST_BINARY, {"serve", "-c", node.config()}};
    REQUIRE(comes_true([&] { return std::filesystem::exists(log) || running.wait(std::chrono::seconds{0}); }));
    CHECK(mode_of(log) == 0600);
  }

  const auto victim = node.folder().path() / "victim";
  node.folder().write("victim", "");
  std::filesystem::remove(log);
  std::filesystem::create_symlink(victim, log);
  const auto end = run_program(STEADFAST_BINARY, {"serve", "-c", node.config()});
  CHECK(end.code != 0);
  CHECK_THAT(end.err, Contains("log.file") && Contains("symbolic link"));
  CHECK(std::filesystem::file_size(victim) == 0);
}

TEST_CASE("only the owner can enter the store and the socket") {
  node_process node{STEADFAST_BINARY};
  node.start();
  CHECK(mode_of(node.folder().path() / "store") == 0700);
  CHECK(mode_of(node.folder().path() / "store/control.sock") == 0600);
  for (const auto& entry : std::filesystem::directory_iterator{node.folder().path() / "store"})
    CHECK((mode_of(entry.path()) & 077U) == 0);
}

TEST_CASE("a stopped node removes its socket") {
  node_process node{STEADFAST_BINARY};
  node.start();
  node.process().signal(SIGTERM);
  REQUIRE(node.process().wait(hang_limit) == 0);
  CHECK_FALSE(std::filesystem::exists(node.folder().path() / "store/control.sock"));
}
