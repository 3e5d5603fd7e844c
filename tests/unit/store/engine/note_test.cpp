// Alerts, notices and late replies.

#include "tests/unit/store/support.hpp"

#include "store/verbs/decide_note.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

store::write submission_for(const std::string& id, const std::string& observer) {
  auto s = order(id);
  s.reply_to = observer;
  return submit_task{s, at(0)};
}

/// Runs the task that is next in line to its end.
void run_to_end(opened_store& store) {
  const auto t = store.take();
  store.one(success_of(t, 0));
  store.one(success_of(*store->find(t.number), 1));
}

} // namespace

TEST_CASE("notices come by task and sequence, from any position on, and only the observer's own") {
  opened_store store;
  store->commit({submission_for("a", "shop"), submission_for("b", "shop2"), submission_for("c", "shop")});
  run_to_end(store);
  const auto all = store->notices("shop", 0, 0, 100);
  REQUIRE(all.size() > 3);
  CHECK(all.front().task_number == 1);
  CHECK(all.back().task_number == 3);
  for (std::size_t i = 1; i < all.size(); ++i)
    CHECK(std::pair{all[i - 1].task_number, all[i - 1].what.sequence}
          < std::pair{all[i].task_number, all[i].what.sequence});
  CHECK(all[all.size() - 2].what.kind == workflow::notice_kind::processed);

  const auto rest = store->notices("shop", 1, all[1].what.sequence, 100);
  CHECK(rest.size() == all.size() - 2);
  CHECK(store->notices("shop", 0, 0, 2).size() == 2);
  CHECK(store->notices("sho", 0, 0, 100).empty());
  CHECK(store->notices("", 0, 0, 100).empty());
  CHECK(store->notices("shop2", 0, 0, 100).size() == 1);
}

TEST_CASE("acknowledged notices are gone for good, later ones stay") {
  opened_store store;
  store->commit({submission_for("a", "shop"), submission_for("b", "shop")});
  run_to_end(store);
  const auto all = store->notices("shop", 0, 0, 100);
  CHECK(store.one(acknowledge_notices{"shop", 1, 2}).result == write_status::applied);
  store.reopen();
  const auto rest = store->notices("shop", 0, 0, 100);
  CHECK(rest.size() == all.size() - 2);
  CHECK(rest.front().what.sequence == 3);
  CHECK(rest.back().task_number == 2);
  CHECK(store.one(acknowledge_notices{"shop", 1, 2}).result == write_status::applied);
  CHECK(store.one(acknowledge_notices{"", 1, 2}).result == write_status::absent);
}

TEST_CASE("a task without an observer leaves no notices") {
  opened_store store;
  store.submit("a");
  run_to_end(store);
  CHECK(store->notices("shop", 0, 0, 100).empty());
}

TEST_CASE("an alert is open until somebody acknowledges it, and the first word stands") {
  opened_store store;
  store.submit("a");
  auto u = success_of(store.take(), 0);
  u.alerts = {{"waiting", "first", "drone", at(2)}, {"error", "second", "drone", at(2)}};
  store.one(u);
  auto open = store->alerts(true, 10);
  REQUIRE(open.size() == 2);
  CHECK(open[0].what.text == "second");
  CHECK(store->alerts(true, 1).size() == 1);
  CHECK(store->counts().open_alerts == 2);

  CHECK(store.one(acknowledge_alert{open[0].number, "ann", at(3)}).result == write_status::applied);
  CHECK(store.one(acknowledge_alert{open[0].number, "bob", at(4)}).result == write_status::applied);
  CHECK(store.one(acknowledge_alert{99, "ann", at(3)}).result == write_status::absent);
  store.reopen();
  CHECK(store->alerts(true, 10).size() == 1);
  const auto all = store->alerts(false, 10);
  REQUIRE(all.size() == 2);
  CHECK(all[0].acknowledged_by == "ann");
  CHECK(all[0].acknowledged_at == at(3));
}

TEST_CASE("an alert that is behind more others than one page looks at is found by going on") {
  opened_store store;
  constexpr int others = 20'000;
  std::vector<store::write> all{record_act{"ann", "drained node `one`", "", at(0)}};
  for (int i = 0; i < others; ++i)
    all.emplace_back(record_act{"bob", "looked", "", at(1)});
  store->commit(all);
  alert_filter f;
  f.open_only = false;
  f.text = "drained";
  const auto first = store->find_alerts(f, {}, 10);
  CHECK(first.alerts.empty());
  REQUIRE(first.next);
  const auto second = store->find_alerts(f, first.next, 10);
  REQUIRE(second.alerts.size() == 1);
  CHECK(second.alerts[0].number == 1);
  CHECK_FALSE(second.next);
}

TEST_CASE("late replies are kept per task, the newest ones, newest first") {
  opened_store store;
  store.submit("a");
  store.submit("b");
  for (std::uint32_t i = 1; i <= late_replies_max + 3; ++i)
    store.one(keep_late_reply{1, {"package", i, 1, "attempt_failed", "late", at(i)}});
  store.one(keep_late_reply{2, {"#1", 1, 1, "report", "the task is not in flight here", at(99)}});
  const auto of_a = store->late_replies(1, 100);
  REQUIRE(of_a.size() == late_replies_max);
  CHECK(of_a.front().what.attempt == late_replies_max + 3);
  CHECK(of_a.back().what.attempt == 4);
  CHECK(of_a.front().task_id == "a");
  const auto all = store->late_replies({}, 2);
  REQUIRE(all.size() == 2);
  CHECK(all[0].task_id == "b");
  CHECK(all[0].what.step == delivery().steps[1].name); // it came from a scheduler that did not have the task
  CHECK(store.one(keep_late_reply{99, {}}).result == write_status::absent);
  CHECK(store->export_task("a")->late_replies.size() == late_replies_max);
}

TEST_CASE("what a person did to a task is among the alerts once, is none that is open, and leaves with the task") {
  opened_store store;
  store.submit("a");
  const auto now = [&] { return *store->find("a"); };
  REQUIRE(store.one(update_by(now(), delivery(), workflow::suspended{{"ann", "it looks wrong"}}, at(1))).result
          == write_status::applied);
  REQUIRE(store.one(update_by(now(), delivery(), workflow::resumed{{"bob", ""}}, at(2))).result
          == write_status::applied);
  CHECK(store.one(success_of(store.take(), 0)).result == write_status::applied); // no person did that
  store.reopen();
  CHECK(store->alerts(true, 10).empty());
  const auto all = store->alerts(false, 10);
  REQUIRE(all.size() == 2);
  CHECK(all[0].what.text == "task `a`: resume");
  CHECK(all[1].what.text == "task `a`: suspend: it looks wrong");
  CHECK(all[1].what.kind == "act");
  CHECK(all[1].task_id == "a");
  CHECK(all[1].acknowledged_by == "ann");
  CHECK(all[1].acknowledged_at == at(1));
  CHECK(store->check().faults.empty());
}

TEST_CASE("what a person did to something that is no task is kept, and is no open alert") {
  opened_store store;
  CHECK(store.one(record_act{"ann", "drained node `one`", "kernel update", at(5)}).result == write_status::applied);
  store.reopen();
  CHECK(store->alerts(true, 10).empty());
  const auto all = store->alerts(false, 10);
  REQUIRE(all.size() == 1);
  CHECK(all[0].what.kind == "act");
  CHECK(all[0].what.text == "drained node `one`: kernel update");
  CHECK(all[0].acknowledged_by == "ann");
  CHECK(all[0].acknowledged_at == at(5));
  CHECK(all[0].task_id.empty());
  CHECK(store->check().faults.empty());
}
