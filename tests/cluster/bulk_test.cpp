// Acts on many tasks of a real node: begun from a terminal, carried out by the node, over kills of the node and of the
// terminal.

#include "steadfast/client.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/processes/node_process.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <thread>
#include <vector>

using namespace steadfast;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using nlohmann::json;
using tests::comes_true;
using tests::node_process;
using tests::running_program;

namespace {

constexpr int tasks_in_bulk = 5000;
constexpr int submitters = 8;

std::string socket_of(const node_process& node) {
  return node.folder().path() / "store" / "control.sock";
}

/// Some of so many tasks that wait for an hour.
void submit(const node_process& node, int first, int step, int end) {
  client c{socket_of(node)};
  const auto later = std::chrono::system_clock::now() + 1h;
  const auto not_before = std::chrono::duration_cast<std::chrono::milliseconds>(later.time_since_epoch()).count();
  for (int n = first; n < end; n += step)
    c.call("submit", {{"id", "t" + std::to_string(n)}, {"workflow", "one"}, {"not_before_ms", not_before}});
}

void submit_all(const node_process& node) {
  std::vector<std::thread> threads;
  for (int i = 0; i < submitters; ++i)
    threads.emplace_back([&node, i] { submit(node, i, submitters, tasks_in_bulk); });
  for (auto& t : threads)
    t.join();
}

json bulk(const node_process& node) {
  client c{socket_of(node)};
  return c.call("bulk.show", {{"bulk", 1}}).at("bulk");
}

/// How far it is, as soon as so many tasks have taken it, or it is over.
std::uint64_t done_after(const node_process& node, std::uint64_t least) {
  std::uint64_t done = 0;
  REQUIRE(comes_true([&] {
    const auto b = bulk(node);
    done = b.at("done");
    return done >= least || b.at("state") != "open";
  }));
  return done;
}

void wait_for_begin(client& c) {
  REQUIRE(comes_true([&] { return !c.call("bulk.list", json::object()).at("bulk_acts").empty(); }));
}

} // namespace

TEST_CASE("a node that is killed amid a bulk act goes on with it when it is back, and every task has taken it once") {
  node_process node{STEADFAST_BINARY};
  node.start();
  submit_all(node);
  running_program terminal{
    STEADFAST_BINARY,
    {"task", "suspend", "--where", "workflow=one", "--why", "the carrier is down", "--yes", "-c", node.config()}};
  client c{socket_of(node)};
  wait_for_begin(c);
  const auto before = done_after(node, 300);
  REQUIRE(before < tasks_in_bulk);
  node.kill();
  CHECK(terminal.wait(tests::hang_limit) == 69);
  CHECK(terminal.says("bulk act 1 continues when it is back: `steadfast bulk follow 1`", 1s));

  node.start();
  const auto between = done_after(node, before + 300);
  CHECK(between >= before);
  CHECK(between < tasks_in_bulk);
  node.kill();

  node.start();
  const auto end = node.command({"bulk", "follow", "1"});
  INFO(end.err);
  CHECK(end.code == 0);
  CHECK(end.out == "suspend: 5000 done, 0 refused, 0 skipped of about 5000\n");
  client again{socket_of(node)};
  json params{{"max", 500}};
  std::size_t met = 0;
  for (bool more = true; more;) {
    const auto page = again.call("task.list", params);
    for (const auto& t : page.at("tasks")) {
      const auto whole = again.call("task.show", {{"id", t.at("id")}}).at("task");
      REQUIRE(whole.at("process_state") == "suspended");
      REQUIRE(whole.at("acts").size() == 1);
      CHECK(whole.at("acts")[0].at("why") == "the carrier is down");
      ++met;
    }
    more = !page.at("next").is_null();
    params["before"] = page.at("next");
  }
  CHECK(met == tasks_in_bulk);
  node.process().signal(SIGTERM);
  REQUIRE(node.process().wait(tests::hang_limit) == 0);
  CHECK(node.command({"store", "check"}).code == 0);
}

TEST_CASE("a bulk act is planned, detached, listed, shown, followed and stopped") {
  node_process node{STEADFAST_BINARY, "[bulk]\nrate = 1\nopen_max = 1\n"};
  node.start();
  for (const auto* id : {"a-1", "a-2", "a-3"})
    REQUIRE(node.command({"submit", "three", "--id", id, "--wait", "--limit", "30s"}).code == 0);
  const auto plan = node.command({"task", "undo", "--where", "workflow=three", "--dry-run"});
  CHECK(plan.code == 0);
  CHECK_THAT(plan.out, Contains("would undo 3 tasks")
                         && Contains("undo step `step2` of three by agent `quick`: 3 tasks")
                         && Contains("tasks: a-3, a-2, a-1"));
  const auto cancel = node.json_of({"task", "cancel", "--where", "workflow=three", "--dry-run", "--json"}).at(0);
  CHECK(cancel.at("would") == 0);
  CHECK(cancel.at("refusals").at(0).at("tasks") == 3);
  CHECK(cancel.at("refusals").at(0).at("why") == "it has ended; `undo` reverses it");

  const auto detached = node.command({"task", "cancel", "--where", "workflow=three", "--yes", "--detach"});
  CHECK(detached.code == 0);
  CHECK(detached.out == "bulk act 1 has begun, for about 3 tasks: `steadfast bulk follow 1` shows its progress\n");
  const auto followed = node.command({"bulk", "follow", "1"});
  CHECK(followed.code == 1);
  CHECK(followed.out == "cancel: 0 done, 3 refused, 0 skipped of about 3\n");
  CHECK_THAT(followed.err, Contains("a-2: it has ended; `undo` reverses it") && Contains("3 of 3 tasks refused it"));
  CHECK_THAT(node.command({"bulk", "list"}).out, Contains("there is no open bulk act"));
  CHECK_THAT(node.command({"bulk", "list", "--all"}).out, Contains("workflow=three") && Contains("ended"));
  CHECK_THAT(node.command({"bulk", "1"}).out,
             Contains("bulk act 1: cancel, ended") && Contains("refused by a-2: it has ended"));
  CHECK(node.json_of({"bulk", "show", "1", "--json"}).at(0).at("refusals").size() == 3);
  CHECK(node.command({"bulk", "stop", "1"}).code == 1);
  CHECK(node.command({"bulk", "stop", "7"}).code == 5);
  CHECK(node.command({"bulk", "show", "x"}).code == 64);
  CHECK(node.command({"task", "retry", "a-1", "--detach"}).code == 64);
}

TEST_CASE("a bulk act is stopped by Ctrl-C at its terminal, or by anybody, and what is done is told") {
  node_process node{STEADFAST_BINARY, "[bulk]\nrate = 1\nopen_max = 1\n"};
  node.start();
  submit(node, 0, 1, 200);
  running_program terminal{STEADFAST_BINARY,
                           {"task", "suspend", "--where", "workflow=one", "--yes", "-c", node.config()}};
  client c{socket_of(node)};
  wait_for_begin(c);
  CHECK(done_after(node, 64) == 64); // a page; the next one comes a minute later
  const auto further = node.command({"task", "suspend", "--where", "workflow=one", "--yes"});
  CHECK(further.code == 1);
  CHECK_THAT(further.err, Contains("1 bulk acts are open, and bulk.open_max allows no more"));
  terminal.signal(SIGINT);
  CHECK(terminal.wait(tests::hang_limit) == 130);
  CHECK(terminal.says("stopped: suspend is done for 64 of about 200 tasks, the others are as they were", 1s));
  CHECK(bulk(node).at("state") == "stopped");
  CHECK(node.json_of({"task", "list", "--where", "state=suspended", "--count", "--json"}).at(0).at("count") == 64);

  REQUIRE(node.command({"task", "suspend", "--where", "state=pending", "--yes", "--detach"}).code == 0);
  running_program onlooker{STEADFAST_BINARY, {"bulk", "follow", "2", "-c", node.config()}};
  const auto stop = node.command({"bulk", "stop", "2", "--why", "wrong filter"});
  CHECK(stop.code == 0);
  CHECK_THAT(stop.out, Contains("bulk act 2 is stopped: "));
  CHECK(onlooker.wait(tests::hang_limit) == 1);
  CHECK(onlooker.says("bulk act 2 was stopped by ", 1s));
  const auto acts = node.command({"alerts", "list", "--all"}).out;
  CHECK_THAT(acts, Contains("stopped bulk act 2: wrong filter") && Contains("began bulk act 2"));
}
