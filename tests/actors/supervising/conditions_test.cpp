// What is wrong with the whole: the supervisor sees it, the store keeps it as an incident, and it ends by itself.

#include "tests/actors/one_node.hpp"
#include "workflow/supervision/node_card.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace steadfast;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using tests::one_node;
using tests::scripted_agent;

namespace {

/// Open conditions of that kind.
std::vector<store::incident> open_of(one_node& node, const std::string& kind) {
  auto all = node.store().incidents(true, {}, 100).incidents;
  std::erase_if(all, [&](const store::incident& x) { return x.what.kind != kind; });
  return all;
}

void join(one_node& node, const std::string& name, bool drained = false,
          workflow::instant certificate_until = workflow::unset) {
  workflow::node_card card{name, "", {false, true, false, true}, {}};
  card.drained = drained;
  card.certificate_until = certificate_until;
  node.store().commit(
    {store::acquire_lease{workflow::node_lease_name(name), name, workflow::note_of(card), 10s, node.now()}});
}

store::lease lease_of(one_node& node, const std::string& name) {
  for (const auto& l : node.store().leases({workflow::never}))
    if (l.name == workflow::node_lease_name(name))
      return l;
  return {};
}

void run_some(one_node& node, const std::string& prefix, int count) {
  for (int i = 0; i < count; ++i)
    node.submit(prefix + std::to_string(i));
  node.advance(2min);
}

} // namespace

TEST_CASE("a node whose lease ends without a word is an incident, until it is back") {
  one_node node;
  node.run();
  join(node, "c");
  join(node, "drained", true);
  node.advance(8s);
  CHECK(open_of(node, "node_lost").empty());
  node.advance(10s);
  const auto lost = open_of(node, "node_lost");
  REQUIRE(lost.size() == 1);
  CHECK(lost[0].is_condition);
  CHECK_THAT(lost[0].sample_text, Contains("node `c` is silent"));
  CHECK(node.store().counts().open_alerts == 1);
  join(node, "c");
  node.advance(6s);
  CHECK(open_of(node, "node_lost").empty());
  CHECK(node.store().counts().open_alerts == 0);
  node.advance(20s);
  const auto again = open_of(node, "node_lost");
  REQUIRE(again.size() == 1);
  CHECK(again[0].number == lost[0].number); // so soon it is the same one
  const auto lease = lease_of(node, "c");
  node.store().commit({store::release_lease{lease.name, lease.holder, lease.epoch}});
  node.advance(6s);
  CHECK(open_of(node, "node_lost").empty());
}

TEST_CASE("row 92: no node is lost because the store took no writes, nor in the time that it has to renew its lease") {
  one_node node;
  node.run();
  join(node, "c");
  node.advance(8s);
  node.store().fail_always(tests::store_tap::fault::full);
  node.advance(1min);
  node.store().fail_always({});
  node.advance(8s);
  CHECK(open_of(node, "node_lost").empty());
  join(node, "c");
  node.advance(8s);
  CHECK(open_of(node, "node_lost").empty());
  node.advance(10s);
  CHECK(open_of(node, "node_lost").size() == 1);
}

TEST_CASE("a certificate that ends within 30 days is an incident of its node, until it is renewed") {
  one_node node;
  node.run();
  const auto soon = node.now() + std::chrono::days{20};
  join(node, "c", false, soon);
  node.advance(6s);
  const auto told = open_of(node, "certificate");
  REQUIRE(told.size() == 1);
  CHECK_THAT(told[0].sample_text, Contains("the certificate of node `c` ends "));
  const auto lease = lease_of(node, "c");
  workflow::node_card renewed{"c", "", {false, true, false, true}, {}};
  renewed.certificate_until = node.now() + std::chrono::days{800};
  node.store().commit({store::renew_lease{lease.name, "c", lease.epoch, 10s, node.now(), workflow::note_of(renewed)}});
  node.advance(6s);
  CHECK(open_of(node, "certificate").empty());
}

TEST_CASE("a service that refuses everything is an incident although no task is in error, and ends when it takes "
          "orders again") {
  one_node node;
  node.run();
  run_some(node, "well", 60);
  CHECK(open_of(node, "failing").empty());
  node.agent("hotel").follow(scripted_agent::fail(1'000, actors::report_kind::failed_permanent));
  run_some(node, "refused", 30);
  CHECK(open_of(node, "failing").empty()); // of ninety
  run_some(node, "more", 60);
  REQUIRE(node.state("more1") == "undone");
  const auto failing = open_of(node, "failing");
  REQUIRE(failing.size() == 1);
  CHECK(failing[0].what.agent == "agent_of_hotel");
  CHECK(failing[0].what.workflow == "trip");
  CHECK(failing[0].what.step == "hotel");
  CHECK_THAT(failing[0].sample_text, Contains("of `trip` end undone or in error"));
  CHECK(node.alerts() == std::vector<std::string>{"failing"});

  node.restart(); // the next one to supervise goes on with it
  node.advance(1min);
  REQUIRE(open_of(node, "failing").size() == 1);
  CHECK(open_of(node, "failing")[0].number == failing[0].number);
  CHECK(node.alerts().size() == 1);

  node.agent("hotel").follow(scripted_agent::succeed);
  run_some(node, "again", 64);
  CHECK(open_of(node, "failing").empty());
}

TEST_CASE("a suspended task whose deadline passes is an incident, until a person acts") {
  one_node node;
  node.agent("hotel").follow(scripted_agent::hang);
  node.submit("t1");
  node.act("t1", actors::task_act::suspend);
  node.advance(2min);
  REQUIRE(node.state("t1") == "suspended");
  CHECK(open_of(node, "suspended_late").empty());
  node.advance(25h);
  const auto late = open_of(node, "suspended_late");
  REQUIRE(late.size() == 1);
  CHECK_THAT(late[0].sample_text, Contains("1 task of `trip` has been suspended past the deadline; the first is t1"));
  node.act("t1", actors::task_act::resume);
  node.advance(2min);
  CHECK(open_of(node, "suspended_late").empty());
}

TEST_CASE("a schedule that missed its moment is an incident, until it makes a task") {
  one_node node;
  workflow::schedule nightly;
  nightly.name = "nightly";
  nightly.workflow = "trip";
  nightly.every = 24h;
  REQUIRE(node.store().commit_one(store::put_schedule{nightly, {}, node.now()}).result == store::write_status::applied);
  node.advance(25h);
  CHECK(open_of(node, "schedule_missed").empty());
  node.settings().has_supervisor = false;
  node.restart();
  node.advance(26h);
  node.settings().has_supervisor = true;
  node.restart();
  node.advance(2min);
  const auto missed = open_of(node, "schedule_missed");
  REQUIRE(missed.size() == 1);
  CHECK(missed[0].what.workflow == "trip");
  CHECK_THAT(missed[0].sample_text,
             Contains("1 schedule of `trip` has missed its moment; the first is nightly, at 20"));
  node.advance(24h);
  CHECK(open_of(node, "schedule_missed").empty());
}

TEST_CASE("only what holds the lease tells of conditions") {
  one_node node;
  node.settings().has_supervisor = false;
  node.restart();
  join(node, "c");
  node.advance(1min);
  CHECK(node.store().incidents(true, {}, 10).incidents.empty());
}
