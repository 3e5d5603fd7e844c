// What writes decide, without a disk: what is known goes in, what is said and put comes out.

#include "tests/unit/store/support.hpp"

#include "store/verbs/decide_lease.hpp"
#include "store/verbs/decide_note.hpp"
#include "store/verbs/tasks/decide_bulk.hpp"
#include "store/verbs/tasks/decide_task.hpp"
#include "workflow/supervision/node_card.hpp"
#include "workflow/transition/transition.hpp"

#include <catch2/catch.hpp>

#include <memory>

using namespace std::chrono_literals;
using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

constexpr workflow::span lasts{10s};

lease_record held_by(const std::string& holder, std::uint64_t epoch, std::int64_t ends_at) {
  return {{"supervisor", holder, {}, epoch, at(ends_at)}, lasts};
}

acquire_lease asked_by(const std::string& holder, std::int64_t seconds) {
  return {"supervisor", holder, "a note", lasts, at(seconds)};
}

workflow::definition drone_only() {
  workflow::definition d;
  d.name = "delivery";
  d.steps.emplace_back();
  d.steps.back().name = d.steps.back().agent = "drone";
  return d;
}

submit_task submission_with(const std::string& payload) {
  submit_task w;
  w.what.id = "a";
  w.what.workflow = "delivery";
  w.what.payload = workflow::blob{payload};
  w.now = at(1);
  return w;
}

/// By the first thing that happens to it.
update_task change_by_claim(const workflow::task& t, const workflow::definition& d) {
  auto change = workflow::apply(t, d, workflow::taken{"s1"}, at(2));
  update_task w;
  w.next = std::move(change.next);
  w.lock_epoch_before = t.lock_epoch;
  w.notices = std::move(change.notices);
  return w;
}

task_outline as_it_stands(const workflow::task& t, const workflow::definition& d) {
  return outline_of(t, t.revision, t.payload.size(), {}, {}, std::make_shared<const workflow::definition>(d));
}

workflow::bulk_act bulk_numbered(std::uint64_t number, workflow::bulk_state state = workflow::bulk_state::open) {
  workflow::bulk_act b;
  b.number = number;
  b.act = workflow::task_act::suspend;
  b.who = "ann";
  b.state = state;
  b.started_at = at(1);
  b.ended_at = state == workflow::bulk_state::open ? workflow::unset : at(2);
  return b;
}

} // namespace

TEST_CASE("deciding: a lease goes to one holder at a time, under an epoch of its own") {
  const auto first = decide(asked_by("n1", 0), held_by({}, 41, 0));
  CHECK(first.said.epoch == 42);
  REQUIRE(first.put);
  CHECK(first.put->what.holder == "n1");
  CHECK(first.put->what.note == "a note");
  CHECK(first.put->what.expires_at == at(10));

  const auto refused = decide(asked_by("n2", 9), *first.put);
  CHECK(refused.said.result == write_status::refused);
  CHECK(refused.said.why == "the lease is held by n1");
  CHECK_FALSE(refused.put);
  CHECK(decide(asked_by("n2", 10), *first.put).said.epoch == 43); // it has ended
  CHECK(decide(asked_by("n1", 1), *first.put).said.epoch == 43);  // its own
  CHECK(decide(asked_by("n2", -20), *first.put).said.epoch
        == 43); // the clock was set back: it ends too late to be true
}

TEST_CASE("deciding: only its holder renews and releases a lease") {
  const auto there = held_by("n1", 7, 10);
  const auto renewed = decide(renew_lease{"supervisor", "n1", 7, 20s, at(5), {}}, there);
  CHECK(renewed.said.epoch == 7);
  CHECK(renewed.put.value().what.expires_at == at(25));
  CHECK(decide(renew_lease{"supervisor", "n1", 6, lasts, at(5), {}}, there).said.result == write_status::stale_epoch);
  CHECK(decide(renew_lease{"supervisor", "n2", 7, lasts, at(5), {}}, there).said.result == write_status::stale_epoch);
  CHECK(decide(renew_lease{"supervisor", "n1", 7, 0s, at(5), {}}, there).said.result == write_status::refused);
  CHECK(decide(renew_lease{"supervisor", "n1", 7, lasts, at(5), {}}, std::nullopt).said.result == write_status::absent);
  CHECK_FALSE(decide(release_lease{"supervisor", "n2", 7}, there).put);
  const auto released = decide(release_lease{"supervisor", "n1", 7}, there);
  CHECK(released.put.value().what.expires_at == workflow::unset);
  CHECK(decide(release_lease{"supervisor", "n1", 7}, released.put).said.result == write_status::stale_epoch);
}

TEST_CASE("deciding: a lease takes a note of 64 KiB, and no longer one") {
  const std::string longest(workflow::lease_note_max, 'a');
  auto asked = asked_by("n1", 5);
  asked.note = longest;
  CHECK_FALSE(problem_of(asked));
  asked.note += 'a';
  CHECK(problem_of(asked).value().why == "note must have at most 65536 bytes");
  const auto there = held_by("n1", 7, 10);
  CHECK(decide(renew_lease{"supervisor", "n1", 7, lasts, at(5), longest}, there).put.value().what.note == longest);
  CHECK(decide(renew_lease{"supervisor", "n1", 7, lasts, at(5), asked.note}, there).said.result
        == write_status::refused);
}

TEST_CASE("deciding: in place of a lease that is not known, or damaged, there is one of nobody") {
  const auto there = nobodys("supervisor", 41);
  CHECK(there.what.holder.empty());
  CHECK(decide(asked_by("n1", 0), there).said.epoch == 42);
  CHECK(not_held({"supervisor", 41}, there, at(0)));
  CHECK(alert_of_damaged_lease(asked_by("n1", 0), "its check is wrong").what.text
        == "the record of the lease supervisor was damaged and is replaced: its check is wrong");
}

TEST_CASE("deciding: a guard holds while its lease is at its epoch and has not ended") {
  const auto there = held_by("n1", 7, 10);
  CHECK_FALSE(not_held({"supervisor", 7}, there, at(9)));
  CHECK_FALSE(not_held({"supervisor", 7}, there, workflow::unset)); // by the epoch alone
  CHECK(not_held({"supervisor", 7}, there, at(10)).value().result == write_status::stale_epoch);
  CHECK(not_held({"supervisor", 6}, there, at(9)));
  CHECK(not_held({"supervisor", 7}, std::nullopt, at(9)));
}

TEST_CASE(
  "deciding: the locks of a scheduler that is gone are freed once its lease has ended, and under its epoch only") {
  const lease_guard gone{"supervisor", 3};
  CHECK_FALSE(still_held(gone, held_by("n1", 3, 10), at(10)));
  const auto held = still_held(gone, held_by("n1", 3, 10), at(9));
  REQUIRE(held);
  CHECK(held->result == write_status::stale_epoch);
  CHECK(held->why == "the lease supervisor is held");
  CHECK(still_held(gone, held_by("n1", 4, 10), at(10)));
  CHECK(still_held(gone, {}, at(10)));
}

TEST_CASE("deciding: of leases that ended the oldest are forgotten, their highest epoch and those with locks are not") {
  std::vector<lease_record> all;
  for (std::size_t i = 0; i < ended_leases_max + 3; ++i) {
    all.push_back(held_by("n", 100 + i, static_cast<std::int64_t>(i)));
    all.back().what.name = "node/" + std::to_string(i);
  }
  all.push_back(held_by("n", 1000, 1'000'000)); // alive
  const auto gone =
    leases_to_forget(all, held_by({}, 50, 0), at(999'995), [](const std::string& name) { return name == "node/1"; });
  CHECK(gone.names == std::vector<std::string>{"node/0", "node/2", "node/3"});
  CHECK(gone.highest.what.epoch == 103);
}

TEST_CASE("deciding: the same id with JSON that says the same is the same submission, with another body it is not") {
  const auto first = submission_with(R"({"a":1,"b":2})");
  const task_ref there{1, digest_of(first.what)};
  CHECK_FALSE(conflict_of(first, digest_of(first.what), there));
  const auto turned = submission_with(R"({ "b": 2, "a": 1 })");
  CHECK_FALSE(conflict_of(turned, digest_of(turned.what), there));
  const auto other = submission_with(R"({"a":1,"b":3})");
  const auto why = conflict_of(other, digest_of(other.what), there);
  REQUIRE(why);
  CHECK(why->why.starts_with("key_conflict"));
}

TEST_CASE("deciding: a change follows the state that is there, of the same task, within the limits") {
  const auto d = drone_only();
  auto t = workflow::make_task(submission_with("{}").what, d, at(1));
  t.number = 1;
  t.revision = 3;
  const store_options limits;
  const auto good = change_by_claim(t, d);
  const auto nothing_wrong = [] { return std::optional<decision>{}; };
  const update_questions ask{nothing_wrong, nothing_wrong};
  const auto why_not = [&](const update_task& w, const workflow::task& stored) {
    const auto there = as_it_stands(stored, d);
    return refused(w, &there, limits, ask);
  };
  CHECK_FALSE(why_not(good, t));
  CHECK(refused(good, nullptr, limits, ask).value().result == write_status::absent);

  auto later = t;
  later.revision = 4;
  CHECK(why_not(good, later).value().result == write_status::stale_lock);
  later = t;
  later.lock_epoch = 9;
  CHECK(why_not(good, later).value().result == write_status::stale_lock);

  auto wrong = good;
  wrong.next.priority = 1;
  CHECK(why_not(wrong, t).value().result == write_status::refused);
  wrong = good;
  wrong.next.steps.change(0).result = workflow::blob{std::string(limits.result_size_max + 1, 'x')};
  CHECK(why_not(wrong, t).value().why.starts_with("a result has"));
  wrong = good;
  wrong.notices.push_back({99, workflow::notice_kind::accepted, {}, {}, at(2)});
  CHECK(why_not(wrong, t).value().why.starts_with("the notices do not go on"));
  wrong = good;
  wrong.next.state = workflow::process_state::processed; // its step is not done
  CHECK(why_not(wrong, t).value().why.starts_with("the task would be broken"));
}

TEST_CASE("deciding: a change out of date asks nothing more, and only a bulk act is asked whether it met the task") {
  const auto d = drone_only();
  auto t = workflow::make_task(submission_with("{}").what, d, at(1));
  t.number = 1;
  t.revision = 3;
  auto w = change_by_claim(t, d);
  std::string asked;
  std::optional<decision> lost = turned_down(write_status::stale_epoch, "no lease");
  const update_questions ask{[&] {
                               asked += "lease ";
                               return lost;
                             },
                             [&]() -> std::optional<decision> {
                               asked += "bulk ";
                               return turned_down(write_status::absent, "met");
                             }};
  const auto why_not = [&](const workflow::task& stored) {
    asked.clear();
    const auto there = as_it_stands(stored, d);
    return refused(w, &there, store_options{}, ask);
  };
  auto later = t;
  later.revision = 4;
  CHECK(why_not(later).value().result == write_status::stale_lock);
  CHECK(asked.empty());
  CHECK(why_not(t).value().why == "no lease");
  lost.reset();
  CHECK_FALSE(why_not(t));
  CHECK(asked == "lease ");
  w.bulk = 2;
  CHECK(why_not(t).value().why == "met");
  CHECK(asked == "lease bulk ");
}

TEST_CASE("deciding: an imported task is nobody's and rests, and one that cannot be is not believed") {
  const auto d = drone_only();
  auto t = change_by_claim(workflow::make_task(submission_with("{}").what, d, at(1)), d).next;
  t.number = 77;
  const import_task w{{d, t, {}, {}}, "ann", "moved", at(5)};
  CHECK_FALSE(problem_of(w, store_options{}));
  CHECK_FALSE(conflict_of(w, false));
  CHECK(conflict_of(w, true).value().why == "there is a task a in this store already");
  const auto in = taken_in(w, 5);
  CHECK(in.task.number == 5);
  CHECK(in.task.revision == 1);
  CHECK(in.task.locked_by.empty());
  CHECK(in.task.state == workflow::process_state::suspended);
  auto broken = w;
  broken.what.task.steps = {};
  CHECK(problem_of(broken, store_options{}).value().why.starts_with("the exported task is not valid"));
}

TEST_CASE("deciding: so many bulk acts are open, the oldest that are over leave, no number is given twice") {
  const start_bulk w{bulk_numbered(0), at(10)};
  known_bulk_acts there{
    {bulk_numbered(4, workflow::bulk_state::ended), bulk_numbered(5), bulk_numbered(6, workflow::bulk_state::ended)},
    6,
    7,
    12};
  const auto begun = decide(w, there, {2, 8s});
  CHECK(begun.said.number == 7);
  CHECK(begun.put.value().number == 7);
  CHECK(begun.put->beyond == 13);
  CHECK(begun.put->position == 13);
  CHECK(begun.leave == std::vector<std::uint64_t>{4}); // 6 is as old, and is the newest
  CHECK(decide(w, there, {1, 8s}).said.result == write_status::refused);
  CHECK_FALSE(decide(w, there, {1, 8s}).put);

  advance_bulk page{5, 3, true, {}, 0, at(11)};
  for (std::uint64_t i = 0; i < 3; ++i)
    page.refused.push_back({i, "t", std::string(1000, 'y')});
  const auto advanced = decide(page, bulk_numbered(5), workflow::bulk_refusals_max - 2);
  CHECK(advanced.refusals.size() == 2);
  CHECK(advanced.refusals[0].why.size() <= workflow::note_size_max);
  CHECK(advanced.put.value().refused == 3);
  CHECK_FALSE(workflow::is_open(*advanced.put));
  CHECK(decide(page, std::nullopt, 0).said.result == write_status::absent);
  CHECK(decide(stop_bulk{5, "ann", "enough", at(12)}, bulk_numbered(5)).put.value().stopped_by == "ann");
  CHECK(decide(stop_bulk{5, "ann", "enough", at(12)}, advanced.put).said.result == write_status::refused);
}

TEST_CASE("deciding: a task takes a bulk act once, as long as that is open") {
  auto b = bulk_numbered(2);
  b.position = 10;
  b.met = {7};
  CHECK_FALSE(not_for_bulk(2, &b, 9));
  for (const std::uint64_t met : {7U, 10U}) {
    const auto not_again = not_for_bulk(2, &b, met);
    REQUIRE(not_again);
    CHECK(not_again->result == write_status::absent);
    CHECK(not_again->why == "bulk act 2 is over, or has already met the task");
  }
  CHECK(not_for_bulk(2, nullptr, 9));
}

TEST_CASE("deciding: the oldest late reply leaves for the newest when there are enough") {
  CHECK(next_place({}).at == 0);
  CHECK_FALSE(next_place({}).leaves);
  const auto last = next_place({3, 3 + late_replies_max - 1});
  CHECK(last.at == 3 + late_replies_max - 1);
  CHECK_FALSE(last.leaves);
  const auto one_more = next_place({3, 3 + late_replies_max});
  CHECK(one_more.at == 3 + late_replies_max);
  CHECK(one_more.leaves.value() == 3);
  CHECK(decide(keep_late_reply{7, {}}, false).result == write_status::absent);
  CHECK(decide(keep_late_reply{7, {}}, true).result == write_status::applied);
}

TEST_CASE("deciding: an alert is open until somebody acknowledges it, and an act is so from the beginning") {
  raised_alert x;
  x.task_number = 7;
  x.task_id = "a";
  x.what = {"error", "look at it", {}, at(1)};
  const auto open = entry_of(x, 5);
  CHECK(open.number == 5);
  CHECK(open.task_number == 7);
  CHECK(open.acknowledged_at == workflow::unset);
  const auto act = decide(record_act{"ann", "drained a node", "maintenance", at(2)}, 6).put.value();
  CHECK(act.acknowledged_by == "ann");
  CHECK(act.acknowledged_at == at(2));
  CHECK(act.what.text == "drained a node: maintenance");
}

TEST_CASE("deciding: an alert is acknowledged once, and leaves its incident unless it holds on") {
  const alert_entry raised{5, 1, "a", {"error", "look at it", {}, at(1)}, {}, workflow::unset};
  const acknowledge_alert w{5, "ann", at(9)};
  const auto seen = decide(w, known_alert{true, raised, true});
  CHECK(seen.put.value().acknowledged_by == "ann");
  CHECK(seen.put->acknowledged_at == at(9));
  CHECK(seen.is_seen);
  CHECK_FALSE(seen.leaves_incident);

  const auto again = decide(acknowledge_alert{5, "bob", at(10)}, known_alert{true, seen.put, false});
  CHECK(again.said.result == write_status::applied);
  CHECK_FALSE(again.put); // the first word stands
  CHECK(again.leaves_incident);

  const auto damaged = decide(w, known_alert{true, std::nullopt, false});
  CHECK_FALSE(damaged.put);
  CHECK(damaged.is_seen);
  CHECK(damaged.leaves_incident);
  CHECK(decide(w, known_alert{}).said.result == write_status::absent);

  CHECK(holds_on({changed_workflow, "", {}, at(1)}, false) == std::optional{true});
  CHECK(holds_on({"agents_full", "", {}, at(1)}, true) == std::optional{true});
  CHECK(holds_on({"agents_full", "", {}, at(1)}, false) == std::optional{false});
  CHECK(holds_on({"error", "", {}, at(1)}, false) == std::nullopt); // as its task says
}

TEST_CASE("deciding: an observer drops what it has seen, and no more") {
  const acknowledge_notices w{"ann", 1, 3};
  CHECK_FALSE(problem_of(w));
  CHECK(drops(w, 3));
  CHECK_FALSE(drops(w, 4));
  CHECK(problem_of(acknowledge_notices{"", 1, 3}).value().result == write_status::absent);
}
