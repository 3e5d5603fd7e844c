// What a program would do after its step's undo never happens: it does not outlive its node, and not complete-by
// either.

#include "tests/support/comes_true.hpp"
#include "tests/support/processes/node_process.hpp"
#include "tests/support/processes/proc_files.hpp"
#include "tests/support/skip.hpp"

#include <catch2/catch.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

using namespace steadfast::tests;
using namespace std::chrono_literals;

namespace {

/// A node with one step. Its program acts when there is a file `undone`, which the undo makes: so whatever can still
/// act when the undo begins does. It does that in two processes, of which one is a daemon deaf to requests to end.
class node_with_program {
public:
  node_with_program() : node_{STEADFAST_BINARY, agents()} {
    node_.folder().write("do.sh", "trap '' TERM HUP INT\n[ $# = 2 ] || setsid sh do.sh $1 daemon &\necho $2 >> begun\n"
                                  "until [ -e undone ]; do sleep 0.02; done\ntouch effect\nsleep 0.1\n");
    node_.folder().write("undo.sh", "touch undone\n");
    node_.folder().write("workflows/acts.toml",
                         "name = \"acts\"\n[[step]]\nname = \"act\"\nagent = \"doer\"\ncomplete_by = \"4s\"\n"
                         "compensation = { agent = \"undoer\" }\n");
    node_.start();
  }

  node_process& node() { return node_; }

  /// Submits a task and waits until both of its processes run.
  void begin() {
    REQUIRE(node_.command({"submit", "acts", "--id", "t-1", "--data", "{}"}).code == 0);
    REQUIRE(comes_true([this] { return lines_of("begun") >= 2; }));
    REQUIRE(is_running());
  }

  /// Whether the program or anything that it started is there, or a launcher of it.
  bool is_running() const {
    for (const auto& process : std::filesystem::directory_iterator{"/proc"})
      if (text_of(process.path() / "cmdline").find(mark_) != std::string::npos)
        return true;
    return false;
  }

  void undo_after_restart() {
    node_.start();
    const auto asked = node_.command({"task", "undo", "t-1"});
    INFO(asked.out << asked.err);
    REQUIRE(asked.code == 0);
    REQUIRE(comes_true([this] {
      return node_.json_of({"task", "show", "t-1", "--json"}).at(0).at("process_state") == "undone";
    }));
  }

  bool has(const std::string& name) const { return std::filesystem::exists(node_.folder().path() / name); }

private:
  long lines_of(const std::string& name) const {
    std::ifstream in{node_.folder().path() / name};
    return std::count(std::istreambuf_iterator<char>{in}, {}, '\n');
  }

  std::string agents() const {
    const auto agent = [this](const std::string& name, const std::string& script) {
      return "[[agent]]\nname = \"" + name + "\"\nprogram = \"/bin/sh\"\narguments = [\"" + script + "\", \"" + mark_
             + "\"]\ndirectory = \".\"\nenvironment = { PATH = \"/usr/bin:/bin\" }\nallow_root = true\n";
    };
    return agent("doer", "do.sh") + agent("undoer", "undo.sh");
  }

  const std::string mark_ = "steadfast-test-" + std::to_string(getpid());
  node_process node_;
};

} // namespace

TEST_CASE("row 10: a program dies with its node, and so does not act after its undo") {
  node_with_program p;
  p.begin();
  p.node().kill();
  CHECK(comes_true([&p] { return !p.is_running(); }));
  p.undo_after_restart();
  CHECK(p.has("undone"));
  REQUIRE(comes_true([&p] { return !p.is_running(); }));
  CHECK_FALSE(p.has("effect"));
}

TEST_CASE("row 61: a program dies with a node whose store failed") {
  node_with_program p;
  p.begin();
  const auto node = std::to_string(p.node().process().pid());
  running_program tracer{"/usr/bin/strace", {"-f", "-o", "/dev/null", "-e", "inject=fdatasync:error=EIO", "-p", node}};
  if (!tracer.says("attached", hang_limit)) {
    skip("strace is not installed, or may not attach to a process here");
    return;
  }
  p.node().command({"submit", "one", "--data", "{}"}); // which cannot be written
  const auto code = p.node().process().wait(hang_limit);
  INFO(p.node().process().err());
  CHECK(code.value_or(-1) == 74);
  CHECK(comes_true([&p] { return !p.is_running(); }));
  p.undo_after_restart();
  REQUIRE(comes_true([&p] { return !p.is_running(); }));
  CHECK_FALSE(p.has("effect"));
}

TEST_CASE("row 60: a node whose files may not grow any more refuses new work, and takes it when they may again") {
  node_process n{STEADFAST_BINARY};
  n.start();
  const auto limit_files = [&](rlim_t bytes) {
    const rlimit limit{bytes, RLIM_INFINITY};
    REQUIRE(prlimit(n.process().pid(), RLIMIT_FSIZE, &limit, nullptr) == 0);
  };
  REQUIRE(n.command({"submit", "one", "--id", "before", "--data", "{}"}).code == 0);
  limit_files(4096);
  const auto refused = n.command({"submit", "one", "--id", "meanwhile", "--data", "{}"});
  CHECK(refused.code != 0);
  CHECK(refused.err.find("ulimit -f") != std::string::npos);
  CHECK_FALSE(n.process().wait(100ms));
  limit_files(RLIM_INFINITY);
  CHECK(n.command({"submit", "one", "--id", "after", "--data", "{}"}).code == 0);
  CHECK(comes_true([&] {
    return n.json_of({"task", "show", "after", "--json"}).at(0).at("process_state") == "processed";
  }));
}

TEST_CASE("P12: a program ends at complete-by although its node stands still") {
  node_with_program p;
  p.begin();
  p.node().process().signal(SIGSTOP);
  const auto ended = comes_true([&p] { return !p.is_running(); });
  p.node().process().signal(SIGCONT);
  CHECK(ended);
  CHECK_FALSE(p.has("effect"));
}
