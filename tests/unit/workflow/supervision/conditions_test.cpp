// What is wrong with the whole, decided from what was seen of it.

#include "workflow/supervision/conditions.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

const instant night{std::chrono::hours{24 * 365 * 56}};
using signatures = std::vector<incident_signature>;

std::vector<system_condition> seen(const cluster_facts& s, const signatures& open = {},
                                   const std::map<std::string, incident_signature>& failures = {}) {
  return conditions(s, {}, open, failures);
}

cluster_facts of_node(const node_facts& n) {
  cluster_facts s;
  s.now = night;
  s.nodes = {n};
  return s;
}

cluster_facts of_store(const store_facts& x) {
  cluster_facts s;
  s.now = night;
  s.store = x;
  return s;
}

signatures open_after(const std::vector<system_condition>& held) {
  signatures all;
  for (const auto& c : held)
    all.push_back(c.what);
  return all;
}

constexpr std::uint64_t gib = 1ULL << 30U;

task resting_task(const std::string& id, instant at, instant complete_by) {
  task t;
  t.id = id;
  t.workflow = "order";
  t.state = process_state::suspended;
  t.submitted_at = at - 1h;
  t.complete_by = complete_by;
  t.acts = {{at, "ann", "suspend", ""}};
  return t;
}

} // namespace

TEST_CASE("a node is lost when its lease ended without having been given back, and not when it was drained") {
  CHECK(seen(of_node({"c", night + 5s, false, false})).empty());
  CHECK(seen(of_node({"c", unset, true, false})).empty());
  CHECK(seen(of_node({"c", night - 5s, true, true})).empty());
  const auto lost = seen(of_node({"c", night - 5s, true, false}));
  REQUIRE(lost.size() == 1);
  CHECK(lost[0].what == incident_signature{"node_lost", "", "", "", "node `c` is silent"});
  CHECK_THAT(lost[0].text, Catch::Matchers::StartsWith("node `c` is silent; ") && Contains("lease release node/c"));
}

TEST_CASE("a certificate is told of within 30 days of its end, of nodes that live") {
  CHECK(seen(of_node({"c", night + 5s, false, false, night + std::chrono::days{31}})).empty());
  const auto soon = seen(of_node({"c", night + 5s, false, false, night + std::chrono::days{29}}));
  REQUIRE(soon.size() == 1);
  CHECK(soon[0].what.kind == "certificate");
  CHECK_THAT(soon[0].text, Contains("the certificate of node `c` ends ") && Contains("certs renew"));
  CHECK_THAT(seen(of_node({"c", night + 5s, false, false, night - 1h}))[0].text, Contains(" ended "));
  CHECK(seen(of_node({"c", unset, true, false, night - 1h})).empty());
}

TEST_CASE("a store and its disk are told of before they are full, and until there is clearly room again") {
  CHECK(seen(of_store({})).empty());
  CHECK(seen(of_store({79 * gib, 100 * gib, 50 * gib, 500 * gib})).empty());
  const auto filling = seen(of_store({81 * gib, 100 * gib, 50 * gib, 500 * gib}));
  REQUIRE(filling.size() == 1);
  CHECK(filling[0].what.kind == "store_filling");
  CHECK_THAT(filling[0].text, Contains("(81 %)") && Contains("store.size_max"));
  CHECK(seen(of_store({79 * gib, 100 * gib, 50 * gib, 500 * gib}), open_after(filling)).size() == 1);
  CHECK(seen(of_store({75 * gib, 100 * gib, 50 * gib, 500 * gib}), open_after(filling)).empty());

  const auto disk = seen(of_store({gib, 100 * gib, gib - 1, 500 * gib}));
  REQUIRE(disk.size() == 1);
  CHECK(disk[0].what.kind == "disk_filling");
  CHECK(seen(of_store({gib, 100 * gib, gib + gib / 100, 500 * gib}), open_after(disk)).size() == 1);
  CHECK(seen(of_store({gib, 100 * gib, gib + gib / 10, 500 * gib}), open_after(disk)).empty());
  CHECK(seen(of_store({0, gib, gib / 5, gib})).empty()); // of a small disk a tenth is enough
}

TEST_CASE("a workflow that fails unusually is told of with its most common failure, and stays the same incident") {
  cluster_facts s;
  s.now = night;
  s.workflows = {{"order", {}}};
  auto& how = s.workflows[0].how;
  for (int i = 0; i < 1000; ++i)
    count_ending(how, ending::well);
  CHECK(seen(s).empty());
  CHECK(beginning_to_fail(s, {}, {}).empty());
  for (int i = 0; i < 40; ++i)
    count_ending(how, ending::failed);
  CHECK(beginning_to_fail(s, {}, {}) == std::vector<std::string>{"order"});
  const incident_signature payment{"", "payment", "order", "charge", "HTTP 402"};
  const auto failing = seen(s, {}, {{"order", payment}});
  REQUIRE(failing.size() == 1);
  CHECK(failing[0].what == incident_signature{"failing", "payment", "order", "charge", "HTTP 402"});
  CHECK_THAT(failing[0].text, Catch::Matchers::StartsWith("agent `payment`: 63 % of `order` end undone or in error "
                                                          "(40 of the last 64); ")
                                && Contains("; 40 of the last 256; usually ") && Contains("step `charge`: HTTP 402"));
  CHECK(beginning_to_fail(s, {}, open_after(failing)).empty());
  CHECK(seen(s, open_after(failing))[0].what == failing[0].what); // without looking for the failure again
  for (int i = 0; i < 64; ++i)
    count_ending(how, ending::well);
  CHECK(seen(s, open_after(failing)).empty());
}

TEST_CASE("the most common failure is what most of the failed tasks tell") {
  definition d;
  d.name = "order";
  d.steps.resize(2);
  d.steps[0].name = "stock";
  d.steps[0].agent = "stock";
  d.steps[1].name = "charge";
  d.steps[1].agent = "payment";
  const auto failed = [](const std::string& step, const std::string& why) {
    task t;
    t.workflow = "order";
    t.state = process_state::undone;
    t.cause = "step `" + step + "` was refused: " + why;
    t.steps.resize(2);
    t.steps.change(step == "stock" ? 0 : 1).error = why;
    return t;
  };
  const std::vector<task> tasks{failed("charge", "HTTP 402: card 1"), failed("stock", "HTTP 409"),
                                failed("charge", "HTTP 402: card 27")};
  const auto who = most_common_failure(tasks, {&d, &d, &d});
  CHECK(who.agent == "payment");
  CHECK(who.step == "charge");
  CHECK(who.cause == "HTTP 402: card #");
  CHECK(most_common_failure({}, {}) == incident_signature{});
}

TEST_CASE("suspended tasks are told of when their deadline passes, or when they are forgotten") {
  cluster_facts s;
  s.now = night;
  const condition_rules rules;
  count_if_suspended(s.suspended, resting_task("fresh", night - 1h, night + 1h), rules, night);
  CHECK(seen(s).empty());
  count_if_suspended(s.suspended, resting_task("late", night - 2h, night - 1min), rules, night);
  count_if_suspended(s.suspended, resting_task("later", night - 2h, night - 1h), rules, night);
  count_if_suspended(s.suspended, resting_task("forgotten", night - 25h, never), rules, night);
  auto running = resting_task("running", night - 25h, night - 1h);
  running.state = process_state::processing;
  count_if_suspended(s.suspended, running, rules, night);
  const auto told = seen(s);
  REQUIRE(told.size() == 2);
  CHECK(told[0].what.kind == "suspended_late");
  CHECK(told[0].what.workflow == "order");
  CHECK_THAT(told[0].text, Catch::Matchers::StartsWith(
                             "2 tasks of `order` have been suspended past the deadline; the first is later"));
  CHECK_THAT(told[1].text,
             Catch::Matchers::StartsWith("1 task of `order` has been suspended for long; the first is forgotten"));
}

TEST_CASE("rules that make no sense are told by name") {
  CHECK(problems(condition_rules{}).empty());
  condition_rules r;
  r.store_used_percent = 0;
  r.failing = {0, 101};
  r.suspended_max = 0s;
  CHECK(problems(r).size() == 4);
}

TEST_CASE("schedules whose last moment was missed are told of by workflow, until they make a task or are paused") {
  const auto with = [](const std::string& name, const std::string& workflow, moment_fate last, instant moment) {
    schedule_state s;
    s.what.name = name;
    s.what.workflow = workflow;
    s.notes = {{moment - 24h, moment, moment_fate::missed, {}}, {moment, moment, last, {}}};
    return s;
  };
  cluster_facts s;
  s.now = night;
  count_if_missed(s.schedules, schedule_state{});
  count_if_missed(s.schedules, with("made", "order", moment_fate::made, night));
  count_if_missed(s.schedules, with("skipped", "order", moment_fate::skipped, night));
  auto paused = with("paused", "order", moment_fate::missed, night);
  paused.paused_by = "ann";
  count_if_missed(s.schedules, paused);
  CHECK(conditions(s, {}, {}, {}).empty());
  count_if_missed(s.schedules, with("hourly", "order", moment_fate::missed, night - 1h));
  count_if_missed(s.schedules, with("weekly", "report", moment_fate::missed, night));
  auto told = conditions(s, {}, {}, {});
  REQUIRE(told.size() == 2);
  CHECK(told[0].what.kind == "schedule_missed");
  CHECK(told[0].what.workflow == "order");
  CHECK(told[1].what.workflow == "report");
  CHECK_THAT(told[0].text, Contains("1 schedule of `order` has missed its moment; the first is hourly, at 20"));
  const auto before = told[0].what;
  count_if_missed(s.schedules, with("nightly", "order", moment_fate::missed, night - 2h));
  told = conditions(s, {}, {}, {});
  CHECK(told[0].what == before);
  CHECK_THAT(told[0].text, Contains("2 schedules of `order` have missed their moments; the first is nightly"));
}
