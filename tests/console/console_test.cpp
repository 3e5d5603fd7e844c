// A person at the console of a real node.

#include "tests/support/comes_true.hpp"
#include "tests/support/processes/node_process.hpp"
#include "tests/support/processes/pseudo_terminal.hpp"

#include <catch2/catch.hpp>

#include <sched.h>

using namespace steadfast::tests;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

struct session {
  node_process node;
  std::string home = node.folder().path().string();

  explicit session(const std::string& more_config = "") : node{STEADFAST_BINARY, more_config} { node.start(); }

  pseudo_terminal open(pseudo_terminal::size s = {}) {
    return {STEADFAST_BINARY,
            {"console", "-c", node.config()},
            {"HOME=" + home, "XDG_STATE_HOME=", "TERM=xterm", "NO_COLOR=1", "LC_ALL=C.UTF-8"},
            s};
  }
};

/// The console waits for a line.
bool at_prompt(pseudo_terminal& person) {
  return person.shows("test> ") && person.reads_keys();
}

/// While it lives, this thread and that process run on the same processor.
class on_one_processor {
public:
  explicit on_one_processor(pid_t with) {
    REQUIRE(sched_getaffinity(0, sizeof all_, &all_) == 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu)
      if (CPU_ISSET(cpu, &all_))
        CPU_SET(cpu, &one);
    for (const pid_t who : {pid_t{0}, with})
      REQUIRE(sched_setaffinity(who, sizeof one, &one) == 0);
  }
  ~on_one_processor() { sched_setaffinity(0, sizeof all_, &all_); }
  on_one_processor(const on_one_processor&) = delete;
  on_one_processor& operator=(const on_one_processor&) = delete;

private:
  cpu_set_t all_{};
};

/// The epoch of the supervisor's lease, as soon as it is held under a higher one than that; 0: it is not for a minute.
std::uint64_t supervisor_epoch_above(const node_process& node, std::uint64_t epoch) {
  const auto until = std::chrono::steady_clock::now() + 60s;
  while (std::chrono::steady_clock::now() < until)
    for (const auto& l : node.json_of({"lease", "list", "--json"}))
      if (l.at("name") == "supervisor" && !l.at("expires_at").is_null() && l.at("epoch") > epoch)
        return l.at("epoch");
  return 0;
}

} // namespace

TEST_CASE("the console greets, runs commands, and is left with Ctrl-D") {
  session s;
  s.node.command({"submit", "one", "--id", "order-1", "--wait"});
  auto person = s.open();
  REQUIRE(person.shows("node test, 1 of 1 node alive; `help` lists the commands"));
  REQUIRE(at_prompt(person));
  person.type("tasks\r");
  CHECK(person.shows("id       workflow  state"));
  CHECK(person.shows("order-1  one       processed"));
  REQUIRE(at_prompt(person));
  person.type("explain nobody\r");
  CHECK(person.shows("steadfast: there is no task `nobody`"));
  REQUIRE(at_prompt(person));
  person.type("frobnicate\r");
  CHECK(person.shows("there is no command `frobnicate`"));
  REQUIRE(at_prompt(person));
  person.type(ctrl_d);
  CHECK(person.wait() == 0);
}

TEST_CASE("Tab completes commands and ids, and earlier lines come back, in the next session too") {
  session s;
  s.node.command({"submit", "one", "--id", "order-4711", "--wait"});
  {
    auto person = s.open();
    REQUIRE(at_prompt(person));
    person.type("expl\tord\t\r");
    CHECK(person.shows("order-4711  one v1  processed")); // the line itself is drawn in pieces
    REQUIRE(at_prompt(person));
    person.type("quit\r");
    CHECK(person.wait() == 0);
  }
  auto person = s.open();
  REQUIRE(at_prompt(person));
  person.type(arrow_up);
  CHECK(person.shows("quit"));
  person.type(arrow_up);
  CHECK(person.shows("explain order-4711"));
}

TEST_CASE("Ctrl-C ends a watch, a wait and a half typed line, not the console") {
  session s;
  s.node.command({"submit", "one", "--id", "order-1", "--wait"});
  s.node.command({"submit", "three", "--id", "order-2", "--not-before", "1h"});
  auto person = s.open();
  REQUIRE(at_prompt(person));
  person.type("watch -n 200ms tasks\r");
  REQUIRE(person.shows("every 200ms: tasks"));
  CHECK(person.shows("order-1"));
  REQUIRE(person.shows("every 200ms: tasks"));
  person.type(ctrl_c);
  REQUIRE(at_prompt(person));
  person.type("follow order-2\r");
  REQUIRE(person.shows("pending"));
  person.type(ctrl_c);
  CHECK(person.shows("stopped watching; the task continues"));
  REQUIRE(at_prompt(person));
  person.type("cancel order-2");
  REQUIRE(person.shows("cancel order-2"));
  person.type(ctrl_c);
  REQUIRE(at_prompt(person));
  person.type("task order-2\r");
  CHECK(person.shows("pending"));
  REQUIRE(at_prompt(person));
  person.type("quit\r");
  CHECK(person.wait() == 0);
}

/// The program is likely to be stopped just before it reads on, when it has shown what was typed on the same processor.
TEST_CASE("Ctrl-C at the prompt is heard at whatever moment it comes") {
  session s;
  auto person = s.open();
  REQUIRE(at_prompt(person));
  const on_one_processor together{person.pid()};
  for (int i = 0; i < 500; ++i) {
    INFO("time " << i);
    person.type("x");
    REQUIRE(person.shows("x"));
    person.type(ctrl_c);
    REQUIRE(person.shows("^C"));
    REQUIRE(at_prompt(person));
  }
}

TEST_CASE("acts on several tasks ask for their number, and Ctrl-C at the question changes nothing") {
  session s;
  for (const auto* id : {"order-1", "order-2"})
    s.node.command({"submit", "one", "--id", id, "--not-before", "1h"});
  auto person = s.open();
  REQUIRE(at_prompt(person));
  person.type("suspend --where state=pending\r");
  REQUIRE(person.shows("Type 2 to continue: "));
  person.type(ctrl_c);
  CHECK(person.shows("nothing was changed"));
  REQUIRE(at_prompt(person));
  person.type("suspend --where state=pending\r");
  REQUIRE(person.shows("Type 2 to continue: "));
  person.type("2\r");
  CHECK(person.shows("suspend: 2 done, 0 refused, 0 skipped of about 2"));
  CHECK(at_prompt(person));
}

TEST_CASE("a bulk act shows how far it is, and Ctrl-C stops it and not the console") {
  session s{"[bulk]\nrate = 1\n"};
  for (int i = 0; i < 70; ++i)
    s.node.command({"submit", "one", "--id", "order-" + std::to_string(i), "--not-before", "1h"});
  auto person = s.open();
  REQUIRE(at_prompt(person));
  person.type("cancel --where state=pending\r");
  REQUIRE(person.shows("would cancel 70 tasks"));
  REQUIRE(person.shows("Type 70 to continue: "));
  person.type("70\r");
  REQUIRE(person.shows("cancel: 64 done, 0 refused, 0 skipped of about 70"));
  person.type(ctrl_c);
  CHECK(person.shows("stopped: cancel is done for 64 of about 70 tasks, the others are as they were"));
  REQUIRE(at_prompt(person));
  person.type("bulk\t");
  person.type(" 1\r");
  CHECK(person.shows("bulk act 1: cancel, stopped, 64 done"));
  REQUIRE(at_prompt(person));
  person.type("tasks --where state=pending --count\r");
  CHECK(person.shows("6"));
  CHECK(at_prompt(person));
}

TEST_CASE("tables follow the width of the terminal, when it is resized too") {
  session s;
  s.node.command({"submit", "one", "--id", std::string(60, 'x'), "--wait"});
  auto person = s.open({200, 24});
  REQUIRE(at_prompt(person));
  person.type("tasks\r");
  CHECK(person.shows(std::string(60, 'x') + "  one"));
  REQUIRE(at_prompt(person));
  person.resize({60, 24});
  person.type("tasks\r");
  CHECK(person.shows("…  one"));
}

TEST_CASE("commands are run without a terminal: by -e, by standard input, as JSON, and the first that fails ends it") {
  session s;
  s.node.command({"submit", "one", "--id", "order-1", "--wait"});
  const auto two = s.node.command({"console", "-e", "tasks --count", "-e", "task order-1"});
  CHECK(two.code == 0);
  CHECK_THAT(two.out, Catch::Matchers::StartsWith("1\n") && Contains("order-1"));
  const auto json = s.node.json_of({"console", "--json", "-e", "tasks"});
  REQUIRE(json.size() == 1);
  CHECK(json[0].at("id") == "order-1");
  const auto piped = s.node.command({"console"}, "tasks --count\nexplain nobody\ntasks --count\n");
  CHECK(piped.code == 5);
  CHECK(piped.out == "1\n");
  CHECK(s.node.command({"console", "-e", "serve"}).code == 64);
  CHECK(s.node.command({"console", "-e", "retry 'x"}).code == 64);
}

TEST_CASE("help tells the commands, and each with an example") {
  session s;
  const auto all = s.node.command({"console", "-e", "help"});
  CHECK_THAT(all.out, Contains("explain ID") && Contains("help COMMAND"));
  const auto one = s.node.command({"console", "-e", "help explain"});
  CHECK(one.code == 0);
  CHECK_THAT(one.out, Contains("Example: steadfast task explain order-4711"));
}

TEST_CASE("a console without a node says where it looked, one whose node goes away stays and says so") {
  session s;
  auto person = s.open();
  REQUIRE(at_prompt(person));
  s.node.kill();
  person.type("tasks\r");
  CHECK(person.shows("no node answers at"));
  REQUIRE(at_prompt(person));
  person.type("quit\r");
  CHECK(person.wait() == 0);
  auto other = s.open();
  CHECK(other.shows("no node answers at"));
  CHECK(other.wait() == 69);
}

TEST_CASE("actors are listed with what passes through them, and each shows what it works with") {
  session s;
  s.node.command({"submit", "three", "--id", "order-1", "--not-before", "1h"});
  s.node.command({"submit", "one", "--id", "order-2", "--wait"});
  const auto all = s.node.command({"console", "-e", "actors"});
  CHECK(all.code == 0);
  for (const auto* id : {"store@test", "reader@test", "scheduler@test", "supervisor@test", "lease:node/test@test",
                         "lease:supervisor@test", "agent:quick@test", "gateway@test", "notifier@test"})
    CHECK_THAT(all.out, Contains(id));
  const auto schedulers = s.node.json_of({"actor", "list", "--kind", "scheduler", "--json"});
  REQUIRE(schedulers.size() == 1);
  CHECK(schedulers[0].at("answers") == true);
  CHECK(schedulers[0].at("handled") > 0);
  const auto agent = s.node.command({"console", "-e", "inspect agent:quick@test"});
  CHECK(agent.code == 0);
  CHECK_THAT(agent.out, Contains("circuit") && Contains("closed") && Contains("succeeded"));
  const auto store = s.node.json_of({"actor", "show", "store@test", "--json"});
  CHECK(store.at(0).at("state").at("last_commits").size() > 1);
  CHECK(s.node.command({"actor", "show", "scheduler@nowhere"}).code == 5);
  CHECK(s.node.command({"actor", "show", "drone@test"}).code == 5);
  CHECK(s.node.command({"actor", "show", "drone"}).code == 1);
  CHECK(s.node.command({"actor", "list", "--node", "nowhere"}).code == 5);
}

TEST_CASE("an undo is shown before it is done: which compensations, in which order") {
  session s;
  s.node.command({"submit", "refused", "--id", "order-1"});
  s.node.command({"submit", "three", "--id", "order-2", "--wait"});
  const auto plan = s.node.command({"console", "-e", "undo order-2 --dry-run"});
  CHECK(plan.code == 0);
  const auto first = plan.out.find("1. undo step `step3`");
  const auto last = plan.out.find("3. undo step `step1`, which is completed, by agent `quick`");
  CHECK(first != std::string::npos);
  CHECK(last != std::string::npos);
  CHECK(first < last);
  const auto json = s.node.json_of({"task", "undo", "order-2", "--dry-run", "--json"});
  CHECK(json.at(0).at("undone").size() == 3);
  CHECK(json.at(0).at("left").empty());
  const auto twice = s.node.command({"console", "-e", "cancel order-2 --dry-run"});
  CHECK_THAT(twice.out, Contains("would not cancel order-2: it has ended; `undo` reverses it"));
}

TEST_CASE("the plan of an act says no where the node would, and ends as the act would") {
  session s;
  s.node.command({"submit", "three", "--id", "done", "--wait"});
  s.node.command({"submit", "one", "--id", "waits", "--not-before", "1h"});
  const auto plan = [&](std::vector<std::string> act) {
    act.insert(act.begin(), "task");
    act.emplace_back("--dry-run");
    const auto end = s.node.command(act);
    return std::to_string(end.code) + " " + end.out;
  };
  CHECK(plan({"retry", "nope"}) == "5 would not retry nope: there is no task `nope`\n0 of 1 task would accept it\n");
  CHECK_THAT(plan({"undo", "nope"}), StartsWith("5 would not undo nope: there is no task `nope`"));
  CHECK_THAT(plan({"retry", "done"}), StartsWith("1 would not retry done: "));
  CHECK_THAT(plan({"cancel", "done"}), StartsWith("1 would not cancel done: "));
  CHECK_THAT(plan({"skip", "waits", "--step", "nope"}), StartsWith("1 would not skip waits: it has no step `nope`"));
  CHECK(plan({"suspend", "waits"}) == "0 would suspend waits, then suspended\n1 task\n");
  CHECK_THAT(plan({"undo", "done"}), StartsWith("0 would undo done, then undoing\n"));
  CHECK_THAT(plan({"suspend", "waits", "nope"}),
             StartsWith("1 would suspend waits, then suspended\nwould not suspend nope: ")
               && Contains("1 of 2 tasks would accept it"));
  CHECK(s.node.json_of({"task", "suspend", "waits", "--dry-run", "--json"}).at(0)
        == nlohmann::json{
          {"id", "waits"}, {"act", "suspend"}, {"dry_run", true}, {"refused", ""}, {"process_state", "suspended"}});
  const auto told = s.node.json_of({"task", "retry", "done", "--dry-run", "--json"}).at(0);
  CHECK(told.at("dry_run") == true);
  CHECK_FALSE(told.at("refused").get<std::string>().empty());
  CHECK(s.node.json_of({"task", "show", "waits", "--json"}).at(0).at("process_state") == "pending");
}

TEST_CASE("a circuit that a person opens holds tasks back, says why, and lets them go on when it is closed") {
  session s;
  CHECK(s.node.command({"console", "-e", "circuit open quick --why 'they deploy'"}).code == 0);
  s.node.command({"submit", "one", "--id", "order-1"});
  auto person = s.open();
  REQUIRE(at_prompt(person));
  person.type("watch -n 200ms stuck\r");
  CHECK(person.shows("no task is stuck"));
  CHECK(person.shows("held open by"));
  person.type(ctrl_c);
  REQUIRE(at_prompt(person));
  person.type("circuit close quick\r");
  CHECK(person.shows("circuit of quick is closed"));
  REQUIRE(at_prompt(person));
  person.type("follow order-1\r");
  CHECK(person.shows("processed"));
  REQUIRE(at_prompt(person));
  person.type("alerts --all\r");
  CHECK(person.shows("they deploy"));
  CHECK(s.node.command({"circuit", "open", "nobody"}).code == 5);
}

TEST_CASE("agents are listed with what they call, how that does and the last error, and an open circuit with why") {
  session s;
  s.node.command({"submit", "refused", "--id", "order-1", "--wait"});
  const auto agents = s.node.command({"console", "-e", "agents"});
  CHECK(agents.code == 0);
  CHECK_THAT(agents.out, Contains("/bin/false") && Contains("exit code 1") && Contains("last error"));
  CHECK_THAT(agents.out, Contains("0 %") && Contains("100 %"));
  CHECK(agents.out.find("broken") < agents.out.find("quick")); // the one that fails comes first
  CHECK(s.node.command({"console", "-e", "agent slow"}).out.find("quick") == std::string::npos);
  s.node.command({"circuit", "open", "slow", "--why", "they deploy"});
  const auto status = s.node.command({"status"});
  CHECK_THAT(status.out, Contains("agent slow at node test: circuit open, held open by") && Contains("they deploy"));
  const auto once = s.node.command({"top", "--times", "1"});
  CHECK_THAT(once.out, Contains("in flight") && Contains("/bin/sleep"));
}

TEST_CASE("a node is drained: it gives back what it has, and takes no more until it is restarted") {
  session s;
  s.node.command({"submit", "three", "--id", "order-1"});
  const auto drained = s.node.command({"console", "-e", "drain test --limit 20s --why 'kernel update'"});
  CHECK(drained.code == 0);
  CHECK_THAT(drained.out, Contains("node test is drained"));
  s.node.command({"submit", "one", "--id", "order-2"});
  CHECK(s.node.json_of({"task", "list", "--where", "text=order-2", "--json"}).at(0).at("process_state") == "pending");
  CHECK_THAT(s.node.command({"actor", "list", "--kind", "scheduler"}).out, Contains("drained, 0 of"));
  CHECK(s.node.json_of({"node", "list", "--json"}).at(0).at("state") == "drained");
  const auto status = s.node.command({"status"});
  CHECK(status.code == 1);
  CHECK_THAT(status.out, Contains("no node takes tasks until one is restarted; drained: node test"));
  const auto says_so = [&](const std::vector<std::string>& command) {
    return s.node.command(command).out.find("no node takes tasks until one is restarted; drained: `test`")
           != std::string::npos;
  };
  CHECK(comes_true([&] { return says_so({"task", "stuck"}); })); // its lease says so from its next renewal on
  CHECK(says_so({"task", "explain", "order-2"}));
  CHECK(s.node.command({"node", "drain", "nowhere"}).code == 5);
}

TEST_CASE("the supervisor's lease is taken away, and is won again under a higher epoch") {
  session s;
  const auto first = supervisor_epoch_above(s.node, 0);
  REQUIRE(first > 0);
  const auto released = s.node.command({"console", "-e", "lease release supervisor --why 'a test'"});
  CHECK(released.code == 0);
  CHECK_THAT(released.out, Contains("lease supervisor is taken from test:"));
  CHECK(supervisor_epoch_above(s.node, first) > first);
  CHECK(s.node.command({"lease", "release", "node/test"}).code == 1);
  CHECK(s.node.command({"lease", "release", "nothing"}).code == 5);
}

TEST_CASE("top shows the cluster full screen, follows the size of the terminal, and q leaves") {
  session s;
  s.node.command({"submit", "one", "--id", "order-1", "--not-before", "1h"});
  auto person = s.open();
  REQUIRE(at_prompt(person));
  person.type("top -n 200ms\r");
  CHECK(person.shows("\x1b[?1049h"));
  CHECK(person.shows("1 of 1 node alive, every 200ms"));
  CHECK(person.shows("tasks submitted/s"));
  CHECK(person.shows("1 pending"));
  CHECK(person.shows("order-1"));
  person.resize({60, 10});
  CHECK(person.shows("1 of 1 node alive"));
  person.type("q");
  CHECK(person.shows("\x1b[?1049l"));
  REQUIRE(at_prompt(person));
  person.type("top\r");
  CHECK(person.shows("1 of 1 node alive"));
  person.type(ctrl_c);
  CHECK(person.shows("\x1b[?1049l"));
  REQUIRE(at_prompt(person));
  const auto once = s.node.command({"top", "--times", "1"});
  CHECK(once.code == 0);
  CHECK_THAT(once.out, Contains("1 pending"));
}
