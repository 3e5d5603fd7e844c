// One incident for all alerts that are the same thing: it begins with the first and ends when the last does not hold
// any more.

#include "tests/unit/store/support.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

/// The first step has used up its attempts, because of that.
outcome fail(opened_store& store, const workflow::task& t, const std::string& why, std::int64_t seconds = 2) {
  update_task u;
  u.next = t;
  u.lock_epoch_before = t.lock_epoch;
  auto& s = u.next.steps.change(0);
  s.doing = workflow::attempt_action::none;
  s.log.change().back().outcome = workflow::attempt_outcome::failed_permanent;
  s.log.change().back().ended_at = at(seconds);
  s.state = workflow::step_state::unknown;
  s.maybe_done = true;
  s.error = why;
  u.next.state = workflow::process_state::error;
  u.next.locked_by.clear();
  u.next.ended_at = at(seconds);
  u.next.cause = "step `package` used up its attempts: " + why;
  u.alerts = {{"error", u.next.cause, {}, at(seconds)}};
  return store.one(u);
}

void fail_all(opened_store& store, int count, const std::string& why, const std::string& prefix = "t") {
  for (int i = 0; i < count; ++i)
    store.submit(prefix + std::to_string(i));
  for (int i = 0; i < count; ++i)
    REQUIRE(fail(store, store.take(), why + " " + std::to_string(i)).result == write_status::applied);
}

void retry(opened_store& store, const std::string& id, std::int64_t seconds = 5) {
  REQUIRE(store
            .one(update_by(*store->find(id), delivery(), workflow::step_retried{0, false, {"ann", "well again"}},
                           at(seconds)))
            .result
          == write_status::applied);
}

std::vector<incident> open_incidents(opened_store& store) {
  return store->incidents(true, {}, 100).incidents;
}

act_on_incident act(std::uint64_t number, incident_act what, const std::string& why = "") {
  act_on_incident a;
  a.number = number;
  a.act = what;
  a.who = "ann";
  a.why = why;
  a.now = at(7);
  return a;
}

} // namespace

TEST_CASE("an outage that fails many tasks is one incident, which ends when the last of them has moved on") {
  const auto how = GENERATE(commits::alone, commits::shared);
  opened_store store{how};
  fail_all(store, 3, "HTTP 503: no stock for order");
  auto open = open_incidents(store);
  REQUIRE(open.size() == 1);
  CHECK(open[0].what
        == workflow::incident_signature{"error", "package", "delivery", "package", "HTTP 503: no stock for order #"});
  CHECK(open[0].tasks == 3);
  CHECK(open[0].alerts == 3);
  CHECK(open[0].sample_task == "t0");
  CHECK(open[0].sample_text == "step `package` used up its attempts: HTTP 503: no stock for order 0");
  CHECK(store->counts().open_alerts == 3);

  retry(store, "t0");
  retry(store, "t1", 6);
  open = open_incidents(store);
  REQUIRE(open.size() == 1);
  CHECK(open[0].tasks == 1);
  CHECK(open[0].tasks_ever == 3);

  retry(store, "t2", 9);
  CHECK(open_incidents(store).empty());
  const auto closed = store->find_incident(open[0].number);
  REQUIRE(closed);
  CHECK(closed->closed_at == at(9));
  CHECK(closed->tasks == 0);
  CHECK(store->counts().open_alerts == 0);
  for (const auto& a : store->alerts(false, 10))
    CHECK(a.acknowledged_by == (a.what.kind == "act" ? "ann" : moved_on));
  CHECK(store->check().faults == std::vector<std::string>{});
  store.reopen();
  CHECK(store->check().faults == std::vector<std::string>{});
}

TEST_CASE("a task with several alerts of one incident counts once, until the last of them is over") {
  opened_store store;
  store.submit("a");
  auto u = success_of(store.take(), 0);
  u.alerts = {{"stuck", "it was stuck", {}, at(2)}, {"stuck", "it was stuck", {}, at(3)}};
  REQUIRE(store.one(u).result == write_status::applied);
  const auto tasks = [&] { return open_incidents(store).at(0).tasks; };
  CHECK(open_incidents(store).at(0).alerts == 2);
  CHECK(tasks() == 1);
  CHECK(open_incidents(store).at(0).tasks_ever == 1);
  store.one(acknowledge_alert{1, "ann", at(4)});
  CHECK(tasks() == 1);
  CHECK(store->check().faults == std::vector<std::string>{});
}

TEST_CASE("P28: of what persons did to an incident the newest is kept, up to a bound") {
  opened_store store;
  fail_all(store, 1, "HTTP 503");
  for (std::size_t i = 1; i <= incident_acts_max + 3; ++i)
    REQUIRE(store.one(act(1, incident_act::note, "note " + std::to_string(i))).result == write_status::applied);
  const auto acts = store->find_incident(1)->acts;
  REQUIRE(acts.size() == incident_acts_max);
  CHECK(acts.front().why == "note 4");
  CHECK(acts.back().why == "note " + std::to_string(incident_acts_max + 3));
}

TEST_CASE("another cause is another incident, and the same within the hour goes on with the first") {
  opened_store store;
  fail_all(store, 1, "HTTP 503", "a");
  fail_all(store, 1, "HTTP 500", "b");
  CHECK(open_incidents(store).size() == 2);

  retry(store, "a0", 10);
  CHECK(open_incidents(store).size() == 1);
  const auto task = store.take("s1", 11);
  REQUIRE(fail(store, task, "HTTP 503 7", 12).result == write_status::applied);
  REQUIRE(open_incidents(store).size() == 2);
  const auto again = store->find_incident(1);
  REQUIRE(again);
  CHECK(again->times == 2);
  CHECK(again->tasks_ever == 2);
  CHECK(again->closed_at == workflow::unset);

  retry(store, "a0", 13);
  const auto later = 12 + 2 * 3600;
  REQUIRE(fail(store, store.take("s1", later), "HTTP 503 8", later).result == write_status::applied);
  CHECK(open_incidents(store)[0].number == 3);
  CHECK(store->check().faults == std::vector<std::string>{});
}

TEST_CASE(
  "acknowledging an incident acknowledges its alerts in parts, and it stays open until its tasks have moved on") {
  opened_store store;
  fail_all(store, 3, "HTTP 503");
  auto ack = act(1, incident_act::acknowledge, "the carrier knows");
  ack.max = 2;
  auto o = store.one(ack);
  CHECK(o.acknowledged == 2);
  CHECK(o.more);
  o = store.one(ack);
  CHECK(o.acknowledged == 1);
  CHECK_FALSE(o.more);
  CHECK(store->counts().open_alerts == 0);

  const auto x = store->find_incident(1);
  REQUIRE(x);
  CHECK(x->closed_at == workflow::unset);
  CHECK(x->acknowledged_by == "ann");
  REQUIRE(x->acts.size() == 1);
  CHECK(x->acts[0] == workflow::act{at(7), "ann", "acknowledge", "the carrier knows"});
  for (const auto* id : {"t0", "t1", "t2"})
    retry(store, id);
  CHECK(store->find_incident(1)->closed_at == at(5));
  CHECK(store->alerts(false, 1)[0].acknowledged_by == "ann");
  CHECK(store->check().faults == std::vector<std::string>{});
}

TEST_CASE("an incident is muted, unmuted and noted on, and who did it is kept") {
  opened_store store;
  fail_all(store, 1, "HTTP 503");
  auto mute = act(1, incident_act::mute, "until the morning");
  mute.until = at(100);
  CHECK(store.one(mute).result == write_status::applied);
  CHECK(store->find_incident(1)->muted_until == at(100));
  CHECK(store.one(act(1, incident_act::unmute)).result == write_status::applied);
  CHECK(store->find_incident(1)->muted_until == workflow::unset);
  CHECK(store.one(act(1, incident_act::note, "ticket 4711")).result == write_status::applied);
  CHECK(store->find_incident(1)->acts.back().why == "ticket 4711");
  CHECK(store->find_incident(1)->acts.size() == 3);
  CHECK(store.one(act(1, incident_act::note)).why == "a note needs a text");
  CHECK(store.one(act(2, incident_act::note, "x")).result == write_status::absent);
}

TEST_CASE("a condition is an incident for as long as it is reported") {
  opened_store store;
  const workflow::system_condition gone{{"node_gone", "", "", "", "c"}, "node c is silent"};
  const workflow::system_condition full{{"disk", "", "", "", "nearly full"}, "the disk is nearly full: 3 % left"};
  CHECK(store.one(report_conditions{{gone, full}, {}, at(1)}).raised == 2);
  CHECK(store.one(report_conditions{{gone, full}, {}, at(2)}).raised == 0);
  auto open = open_incidents(store);
  REQUIRE(open.size() == 2);
  CHECK(open[1].what == gone.what);
  CHECK(open[1].sample_text == gone.text);
  CHECK(open[1].tasks == 0);

  CHECK(store.one(report_conditions{{full}, {}, at(3)}).result == write_status::applied);
  REQUIRE(open_incidents(store).size() == 1);
  CHECK(open_incidents(store)[0].what == full.what);
  CHECK(store->find_incident(1)->closed_at == at(3));
  CHECK(store.one(report_conditions{{}, lease_guard{"supervisor", 1}, at(4)}).result == write_status::stale_epoch);
  CHECK(store->counts().open_alerts == 1);
  CHECK(store->check().faults == std::vector<std::string>{});
}

TEST_CASE("a condition is told in the words of now, and stays when a person has acknowledged its alert") {
  opened_store store;
  workflow::system_condition full{{"disk_filling", "", "", "", "nearly full"}, "the disk is nearly full; 3 % are left"};
  store.one(report_conditions{{full}, {}, at(1)});
  CHECK(store.one(acknowledge_alert{1, "ann", at(2)}).result == write_status::applied);
  REQUIRE(open_incidents(store).size() == 1);
  full.text = "the disk is nearly full; 2 % are left";
  CHECK(store.one(report_conditions{{full}, {}, at(3)}).raised == 0);
  REQUIRE(open_incidents(store).size() == 1);
  CHECK(open_incidents(store)[0].sample_text == full.text);
  store.one(report_conditions{{}, {}, at(4)});
  CHECK(open_incidents(store).empty());
  CHECK(store->alerts(false, 10).at(0).acknowledged_by == "ann");
  store.one(report_conditions{{full}, {}, at(5)});
  store.one(report_conditions{{}, {}, at(6)});
  CHECK(store->alerts(false, 10).at(0).acknowledged_by == is_over);
  CHECK(store->counts().open_alerts == 0);
  CHECK(store->check().faults == std::vector<std::string>{});
}

TEST_CASE("an acknowledged alert about what was leaves its incident") {
  opened_store store;
  store.submit("a");
  auto u = success_of(store.take(), 0);
  u.alerts = {{"stuck", "it was stuck; it was freed", {}, at(2)}};
  REQUIRE(store.one(u).result == write_status::applied);
  REQUIRE(open_incidents(store).size() == 1);
  store.one(acknowledge_alert{1, "ann", at(3)});
  CHECK(open_incidents(store).empty());
  CHECK(store->check().faults == std::vector<std::string>{});
}

TEST_CASE("alerts are found by incident, kind, task, text and time, page by page") {
  opened_store store;
  fail_all(store, 3, "HTTP 503", "a");
  fail_all(store, 2, "HTTP 500", "b");
  const auto found = [&](const alert_filter& f) { return store->find_alerts(f, {}, 100).alerts.size(); };
  alert_filter f;
  CHECK(found(f) == 5);
  f.incident = 2;
  CHECK(found(f) == 2);
  f.task = "b1";
  CHECK(found(f) == 1);
  f = {};
  f.text = "503";
  CHECK(found(f) == 3);
  f.kind = "waiting";
  CHECK(found(f) == 0);
  f = {};
  f.raised_after = at(3);
  CHECK(found(f) == 0);
  f = {};
  f.raised_before = at(2);
  CHECK(found(f) == 0);
  f.raised_before = at(3);
  CHECK(found(f) == 5);

  f = {};
  f.incident = 1;
  auto page = store->find_alerts(f, {}, 2);
  REQUIRE(page.alerts.size() == 2);
  CHECK(page.alerts[0].task_id == "a2");
  REQUIRE(page.next);
  page = store->find_alerts(f, page.next, 2);
  REQUIRE(page.alerts.size() == 1);
  CHECK(page.alerts[0].task_id == "a0");
  CHECK_FALSE(page.next);

  auto incidents = store->incidents(false, {}, 1);
  REQUIRE(incidents.next);
  CHECK(incidents.incidents[0].number == 2);
  incidents = store->incidents(false, incidents.next, 1);
  CHECK(incidents.incidents[0].number == 1);
  CHECK_FALSE(incidents.next);
}

TEST_CASE("old incidents that are closed leave, open ones stay, and no number is given twice") {
  opened_store store;
  const workflow::system_condition lasting{{"disk", "", "", "", "nearly full"}, "nearly full"};
  for (std::size_t i = 0; i < incidents_kept + 50; ++i) {
    const workflow::system_condition passing{{"node_gone", "", "", "", "node " + std::to_string(i)}, "gone"};
    store->commit({report_conditions{{lasting, passing}, {}, at(static_cast<std::int64_t>(i))}});
  }
  CHECK(store->find_incident(1));
  CHECK_FALSE(store->find_incident(2));
  CHECK(store->find_incident(incidents_kept + 51));
  CHECK(store->incidents(false, {}, 5000).incidents.size() <= incidents_kept + 1);
  CHECK(store->check().faults == std::vector<std::string>{});
}

TEST_CASE("a workflow file that was changed without a new version is one incident, until a file is taken again") {
  opened_store store;
  auto changed = delivery();
  changed.grace = workflow::span{7};
  const auto start = [&](const workflow::definition& d, std::int64_t seconds) {
    return store.one(register_definition{d, "/etc/trip.toml", at(seconds)}).result;
  };
  CHECK(start(delivery(), 1) == write_status::applied);
  CHECK(open_incidents(store).empty());
  CHECK(start(changed, 2) == write_status::refused);
  CHECK(start(changed, 3) == write_status::refused); // another start: still the same
  REQUIRE(open_incidents(store).size() == 1);
  const auto one = open_incidents(store).front();
  CHECK(one.what
        == workflow::incident_signature{"changed_workflow", "", "delivery", "",
                                        "the file of version 1 differs from what is stored"});
  CHECK(one.alerts == 1);
  CHECK(one.sample_text.starts_with("/etc/trip.toml differs from what is stored as workflow `delivery` version 1"));
  CHECK(one.sample_text.find("raise the `version`") != std::string::npos);

  CHECK(store.one(act(one.number, incident_act::acknowledge)).result == write_status::applied);
  CHECK(open_incidents(store).size() == 1); // somebody knows; it is as it was
  CHECK(store.one(register_definition{delivery()}).result == write_status::applied);
  CHECK(open_incidents(store).size() == 1); // that was no file
  CHECK(start(delivery(), 4) == write_status::applied);
  CHECK(open_incidents(store).empty());

  CHECK(start(changed, 5) == write_status::refused);
  CHECK(open_incidents(store).size() == 1);
  auto raised = changed;
  raised.version = 2;
  CHECK(start(raised, 6) == write_status::applied);
  CHECK(open_incidents(store).empty());
  CHECK(store->check().faults.empty());
}

TEST_CASE("a definition that a program made and that differs raises no alert: its program is told") {
  opened_store store;
  auto changed = delivery();
  changed.grace = workflow::span{7};
  CHECK(store.one(register_definition{delivery()}).result == write_status::applied);
  CHECK(store.one(register_definition{changed}).result == write_status::refused);
  CHECK(open_incidents(store).empty());
}
