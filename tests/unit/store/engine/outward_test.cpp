// What webhooks are to be told is committed with the change that it tells of.

#include "tests/unit/store/support.hpp"

#include "store/verbs/decide_outward.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <set>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;
using nlohmann::json;
using workflow::outward_event;

namespace {

store_options with_webhooks(std::vector<workflow::subscription> webhooks) {
  auto o = small_options({});
  o.webhooks = std::move(webhooks);
  return o;
}

const std::vector<outward_event> everything{outward_event::processed, outward_event::undone, outward_event::error,
                                            outward_event::alert, outward_event::incident};

std::vector<notice_entry> waiting(opened_store& store, const std::string& webhook) {
  return store->notices(workflow::observer_of_webhook(webhook), 0, 0, 1000);
}

std::vector<std::string> types_of(const std::vector<notice_entry>& all) {
  std::vector<std::string> types;
  for (const auto& n : all)
    types.push_back(json::parse(n.what.text).at("type"));
  return types;
}

/// The task that is next in line ends in error, with a text that is not UTF-8.
void run_into_error(opened_store& store) {
  const auto t = store.take();
  update_task u;
  u.next = t;
  u.lock_epoch_before = t.lock_epoch;
  auto& s = u.next.steps.change(0);
  s.doing = workflow::attempt_action::none;
  s.log.change().back().outcome = workflow::attempt_outcome::failed_permanent;
  s.log.change().back().ended_at = at(2);
  s.state = workflow::step_state::unknown;
  s.maybe_done = true;
  s.error = "no drone \xFF";
  u.next.state = workflow::process_state::error;
  u.next.locked_by.clear();
  u.next.ended_at = at(2);
  u.next.cause = "step `package` used up its attempts: no drone \xFF";
  u.alerts = {{"error", u.next.cause, {}, at(2)}};
  REQUIRE(store.one(u).result == write_status::applied);
}

void run_well(opened_store& store) {
  const auto t = store.take();
  store.one(success_of(t, 0));
  store.one(success_of(*store->find(t.number), 1));
}

} // namespace

TEST_CASE("the end of a task is told to the webhooks that want it, and to no other") {
  opened_store store{with_webhooks({{"all", everything, {}},
                                    {"errors", {outward_event::error}, {}},
                                    {"of-others", everything, {"another"}},
                                    {"of-this", {outward_event::processed}, {"delivery"}}})};
  store.submit("a");
  run_well(store);
  const auto told = waiting(store, "all");
  REQUIRE(told.size() == 1);
  CHECK(told[0].task_id == "a");
  const auto body = json::parse(told[0].what.text);
  CHECK(body.at("type") == "task.processed");
  CHECK(body.at("timestamp") == "2023-11-14T22:13:22.000Z");
  CHECK(body.at("data").at("task") == "a");
  CHECK(body.at("data").at("workflow") == "delivery");
  CHECK(waiting(store, "errors").empty());
  CHECK(waiting(store, "of-others").empty());
  CHECK(waiting(store, "of-this").size() == 1);
}

TEST_CASE("alerts, the incident that they open and the end of their task wait together, the end after its alerts") {
  opened_store store{with_webhooks({{"all", everything, {}}})};
  store.submit("a");
  run_into_error(store);
  const auto told = waiting(store, "all");
  CHECK(types_of(told) == std::vector<std::string>{"alert.raised", "task.error", "incident.opened"});
  const auto alert = json::parse(told[0].what.text).at("data");
  CHECK(alert.at("incident") == 1);
  CHECK(alert.at("workflow") == "delivery");
  CHECK(json::parse(told[2].what.text).at("data").at("incident") == 1);
  std::set<std::string> ids;
  for (const auto& n : told)
    ids.insert(n.what.step);
  CHECK(ids.size() == told.size());
  CHECK(store->check().faults == std::vector<std::string>{});
}

TEST_CASE("many alerts of one cause are one incident, whose end is told when the last is over") {
  opened_store store{with_webhooks({{"page", {outward_event::incident}, {}}})};
  for (const auto* id : {"a", "b", "c"}) {
    store.submit(id);
    run_into_error(store);
  }
  REQUIRE(types_of(waiting(store, "page")) == std::vector<std::string>{"incident.opened"});
  for (const auto number : {1U, 2U, 3U}) {
    const auto t = *store->find(std::uint64_t{number});
    const workflow::step_retried retry{0, false, {"ann", "the drone is back"}};
    CHECK(store.one(update_by(t, delivery(), retry, at(9))).result == write_status::applied);
    CHECK(waiting(store, "page").size() == (number < 3 ? 1 : 2));
  }
  const auto told = waiting(store, "page");
  CHECK(types_of(told) == std::vector<std::string>{"incident.opened", "incident.over"});
  CHECK(json::parse(told[1].what.text).at("data").at("tasks") == 3);
}

TEST_CASE("what waits for a webhook outlasts the process and its task, and leaves when it was delivered") {
  opened_store store{with_webhooks({{"all", everything, {}}})};
  store.submit("a");
  run_well(store);
  store.reopen();
  const auto told = waiting(store, "all");
  REQUIRE(told.size() == 1);
  purge_ended purge;
  purge.workflow = "delivery";
  purge.keep.keep_at_most = 0;
  purge.max = 10;
  purge.now = at(100);
  CHECK(store.one(purge).purged == 1);
  CHECK(waiting(store, "all").size() == 1);
  CHECK(store->check().faults == std::vector<std::string>{});
  store.one(acknowledge_notices{workflow::observer_of_webhook("all"), told[0].task_number, told[0].what.sequence});
  CHECK(waiting(store, "all").empty());
}

TEST_CASE("the same task told twice of has another place and another id") {
  const auto first = place_of_end(7, 3);
  CHECK(first < place_of_end(7, 4));
  CHECK(place_of_alert(1, 7, 3, 0) < first);
  CHECK(place_of_alert(1, 7, 3, alerts_in_lane - 1) < first);
  CHECK(place_of_alert(9, 7, 3, alerts_in_lane) == place_of_alert(9));
  CHECK(first < place_of_alert(1, 7, 4, 0));
}
