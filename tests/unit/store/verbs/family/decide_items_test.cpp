// Which item of a step is next, and what its step is told, without a disk.

#include "store/verbs/family/decide_items.hpp"
#include "tests/unit/store/support.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;
using workflow::child_duty;
using workflow::child_end;
using workflow::child_state;
using workflow::fan_out;
using workflow::item_state;

namespace {

constexpr std::size_t results_max = 1000;

/// Step 0 ships each item, and step 1 sends the bill unless the first result is 1.
workflow::definition shipping() {
  auto d = delivery();
  auto& ship = d.steps[0];
  ship = {};
  ship.name = "ship";
  ship.wait.emplace();
  ship.wait->what = workflow::wait_rule::kind::items;
  ship.wait->at.pointer = "/items";
  ship.wait->at_a_time = 2;
  d.steps[1].when = workflow::condition{"ship", "/0", workflow::condition::test::differs, "1"};
  return d;
}

workflow::task shipping_task() {
  auto t = workflow::make_task(order("o", R"({"items":[1,2,3]})"), shipping(), at(0));
  t.number = 7;
  return workflow::apply(t, shipping(), workflow::taken{"s1"}, at(1)).next;
}

/// Its items are to be undone.
workflow::task unshipping_task() {
  const auto d = shipping();
  const auto t = workflow::apply(shipping_task(), d, workflow::cancelled{{"eve", "a test"}}, at(2)).next;
  return workflow::apply(t, d, workflow::taken{"s1"}, at(3)).next;
}

child_note note_of_items(child_duty what, std::uint32_t item = 0) {
  return {7, 0, what, at(1), item};
}

fan_out three_items() {
  fan_out f;
  f.size = 3;
  f.at_a_time = 2;
  return f;
}

/// So many were started and ended well, and the step is to be undone.
fan_out turned_after(std::uint32_t done) {
  auto f = three_items();
  f.next = f.done = done;
  workflow::turn(f, "cancelled");
  return f;
}

std::function<std::optional<item_record>(std::uint32_t)> row_in(std::map<std::uint32_t, item_state> rows) {
  return [rows = std::move(rows)](std::uint32_t item) {
    const auto there = rows.find(item);
    return there == rows.end() ? std::nullopt : std::optional{item_record{there->second, {}}};
  };
}

std::optional<workflow::task> no_child(std::uint32_t) {
  return std::nullopt;
}

child_end ends(child_state how, const std::string& result = {}) {
  return {how, "so", workflow::blob{result}, {}};
}

} // namespace

TEST_CASE("items are begun once for each attempt of their step, and not after the task was turned round") {
  const auto d = shipping();
  const auto t = shipping_task();
  const auto start = note_of_items(child_duty::start);
  REQUIRE(waits_for_items(start, t));
  auto f = three_items();
  f.generation = t.steps[0].key_generation;
  CHECK(act_of(start, t, d, nullptr) == items_act::begin);
  CHECK(act_of(start, t, d, &f) == items_act::go_on);
  ++f.generation;
  CHECK(act_of(start, t, d, &f) == items_act::begin);
  const auto turned = unshipping_task();
  REQUIRE_FALSE(waits_for_items(start, turned));
  CHECK(act_of(start, turned, d, nullptr) == items_act::end_undone);
  CHECK(act_of(start, turned, d, &f) == items_act::none);
}

TEST_CASE("items are undone when it is the turn of their step, one after the other, and never for an earlier attempt") {
  const auto d = shipping();
  const auto f = three_items();
  const auto turned = turned_after(2);
  const auto undo = note_of_items(child_duty::undo);
  const auto next = note_of_items(child_duty::undo, 2);
  CHECK(act_of(undo, unshipping_task(), d, nullptr) == items_act::take_back_start);
  CHECK(act_of(undo, unshipping_task(), d, &f) == items_act::undo);
  CHECK(act_of(undo, shipping_task(), d, &f) == items_act::none);
  CHECK(act_of(next, unshipping_task(), d, &f) == items_act::none);
  CHECK(act_of(next, unshipping_task(), d, &turned) == items_act::undo);
  CHECK(lost_items().how == child_state::undo_failed);
}

TEST_CASE("the end of an item counts as long as its fan-out is known") {
  const auto d = shipping();
  const auto t = shipping_task();
  const auto f = three_items();
  CHECK(act_of(note_of_items(child_duty::tell_parent, 2), t, d, &f) == items_act::note_end);
  CHECK(act_of(note_of_items(child_duty::tell_parent, 2), t, d, nullptr) == items_act::none);
  CHECK(act_of(note_of_items(child_duty::tell_parent), t, d, &f) == items_act::none); // of no item
}

TEST_CASE("items are started in their order, so many at a time, until too many have failed") {
  auto f = three_items();
  const auto t = shipping_task();
  CHECK(next_to_start(f, t, results_max) == 1);
  CHECK(next_to_start(f, t, results_max) == 2);
  CHECK(f.at_work == 2);
  CHECK(next_to_start(f, t, results_max) == 0);
  CHECK(started(f, 1, std::nullopt).state == item_state::at_work);
  CHECK(started(f, 2, "there is no workflow").state == item_state::failed);
  CHECK(f.failed == 1);
  CHECK(f.at_work == 1);
  CHECK(next_to_start(f, t, results_max) == 0);
  CHECK(f.is_turned);
}

TEST_CASE("no item is started and of none the undo is begun while their task is suspended") {
  const auto d = shipping();
  const auto rests = [&d](const workflow::task& t) {
    return workflow::apply(t, d, workflow::suspended{{"eve", "a test"}}, at(4)).next;
  };
  CHECK_FALSE(do_items_rest(shipping_task()));
  REQUIRE(do_items_rest(rests(shipping_task())));
  auto f = three_items();
  CHECK(next_to_start(f, rests(shipping_task()), results_max) == 0);
  CHECK(f == three_items());
  CHECK_FALSE(news_of(f, f, true, true).is_next_started);
  f = turned_after(2);
  CHECK(next_to_undo(f, note_of_items(child_duty::undo, 2), rests(unshipping_task())) == 0);
  CHECK(f == turned_after(2));
  CHECK_FALSE(news_of(f, f, false, true).is_next_undone);
  CHECK(news_of(f, f, false, false).is_next_undone);
}

TEST_CASE("the row of an item keeps its result, and leaves when the item is undone") {
  auto f = three_items();
  f.next = f.at_work = 2;
  CHECK_FALSE(noted_end(f, 1, item_state::at_work, ends(child_state::at_work)));
  const auto done = noted_end(f, 1, item_state::at_work, ends(child_state::processed, "\"a\""));
  REQUIRE(done);
  CHECK_FALSE(done->is_erased);
  CHECK(done->put.state == item_state::done);
  CHECK(done->put.bytes.view() == "\"a\"");
  const auto failed = noted_end(f, 2, item_state::at_work, ends(child_state::undone, "\"b\""));
  REQUIRE(failed);
  CHECK(failed->put.state == item_state::failed);
  CHECK(failed->put.bytes.empty());
  f = turned_after(1);
  const auto told = told_to_undo(f, 1, nullptr);
  CHECK(noted_end(f, 1, told, ends(child_state::undone)).value().is_erased);
}

TEST_CASE("items are undone from the last one on, and those that failed are passed over") {
  auto f = turned_after(0);
  f.is_turned = false;
  f.next = f.done = 3;
  auto t = unshipping_task();
  CHECK(next_to_undo(f, note_of_items(child_duty::undo), t) == 3);
  CHECK(f.is_turned);
  CHECK(f.why == t.cause);
  CHECK(next_to_undo(f, note_of_items(child_duty::undo, 2), t) == 2);
  CHECK(f.undo_next == 1);
  const item_record failed{item_state::failed, {}};
  const item_record done{item_state::done, {}};
  CHECK_FALSE(may_need_undo(f, &failed));
  CHECK(may_need_undo(f, &done));
  CHECK_FALSE(may_need_undo(f, nullptr)); // it has not begun
  f.is_gathered = true;
  CHECK(may_need_undo(f, nullptr)); // it ended well, and its row is gone
  CHECK(undo_asked_by(t, f).person.who == "its parent `o`");
}

TEST_CASE("an item is told once to undo what it did, and its row says how that goes") {
  auto f = turned_after(2);
  const item_record done{item_state::done, {}};
  const auto told = told_to_undo(f, 2, &done);
  CHECK(told == item_state::undoing);
  CHECK(f.undo_left == 1);
  const item_record undoing{told, {}};
  CHECK(told_to_undo(f, 2, &undoing) == item_state::undoing);
  CHECK(f.undo_left == 1);
  const auto helped = noted_undo(f, 2, told, ends(child_state::in_error));
  CHECK_FALSE(helped.is_erased);
  CHECK(helped.put.state == item_state::undo_in_error);
  CHECK(f.in_error == 1);
  CHECK(noted_undo(f, 2, helped.put.state, ends(child_state::undone)).is_erased);
  CHECK(f.undo_left == 0);
}

TEST_CASE("the task of an item is asked to undo unless there is none, or it is undone") {
  workflow::task child;
  CHECK_FALSE(needs_undo(nullptr));
  child.state = workflow::process_state::undone;
  CHECK_FALSE(needs_undo(&child));
  child.state = workflow::process_state::processed;
  CHECK(needs_undo(&child));
}

TEST_CASE("a fan-out turns for its failures only while its step waits") {
  auto f = three_items();
  f.next = f.failed = 1;
  turn_if_due(f, false, results_max);
  CHECK_FALSE(f.is_turned);
  turn_if_due(f, true, results_max);
  CHECK(f.is_turned);
}

TEST_CASE("a step is told the counts from time to time, and nothing while it does not wait") {
  auto before = three_items();
  before.size = 40;
  before.at_work = before.next = 2;
  auto f = before;
  f.done = 1;
  CHECK_FALSE(news_of(before, f, true, false).counted);
  f.done = 2;
  CHECK_FALSE(news_of(before, f, false, false).counted);
  const auto n = news_of(before, f, true, false);
  CHECK(n.counted.value().how == child_state::counted);
  CHECK(n.counted->progress == "2 of 40 done");
  CHECK(f.told == 2);
  CHECK(n.is_put);
}

TEST_CASE("the next item is started as soon as there is a place, but not of a step that does not wait") {
  const auto before = three_items();
  auto f = before;
  const auto n = news_of(before, f, true, false);
  CHECK(n.is_next_started);
  CHECK_FALSE(n.is_put); // nothing was counted
  CHECK_FALSE(news_of(before, f, false, false).is_next_started);
}

TEST_CASE("when all items have ended their results are gathered, once, and nothing else is said") {
  auto before = three_items();
  before.next = 3;
  before.done = 2;
  auto f = before;
  f.done = 3;
  CHECK_FALSE(news_of(before, f, false, false).are_gathered);
  const auto n = news_of(before, f, true, false);
  CHECK(n.are_gathered);
  CHECK_FALSE(n.counted);
  const auto end = end_with_results(f, shipping(), 0, "[1,2,3]");
  CHECK(end.how == child_state::processed);
  CHECK(end.result.view() == "[1,2,3]");
  CHECK(end.progress == "3 of 3 done");
  REQUIRE(end.facts.size() == 1); // the condition asks for it
  CHECK(end.facts[0].json == "1");
  CHECK_FALSE(news_of(before, f, true, false).are_gathered);
}

TEST_CASE("a fan-out that is undone goes on with its next item, and ends its step after the last") {
  auto before = turned_after(2);
  auto f = before;
  f.undo_next = 1;
  CHECK(news_of(before, f, false, false).is_next_undone);
  f.undo_next = 0;
  f.undo_left = 1;
  auto n = news_of(before, f, false, false);
  CHECK_FALSE(n.is_next_undone);
  CHECK_FALSE(n.ended);
  f.undo_left = 0;
  n = news_of(before, f, false, false);
  CHECK(n.ended.value().how == child_state::undone);
  CHECK(n.ended->why == "cancelled");
}

TEST_CASE("a step in error is told of the first item in error, and of none any more") {
  auto before = three_items();
  before.next = before.at_work = 2;
  auto f = before;
  f.in_error = 1;
  CHECK(is_first_in_error_unknown(f));
  f.first_in_error = 2;
  CHECK_FALSE(is_first_in_error_unknown(f));
  CHECK(news_of(before, f, true, false).is_in_trouble);
  CHECK_FALSE(news_of(f, f, true, false).is_in_trouble); // it knows
  REQUIRE(is_trouble_told(f, true));
  const auto end = trouble_of(f, true, ends(child_state::undo_failed));
  CHECK(end.how == child_state::in_error); // the others may go on
  CHECK(end.why == "so");
  CHECK(end.item == 2);
  CHECK(trouble_of(f, true, std::nullopt).why == "there is no task of it");
  CHECK(trouble_of(before, true, std::nullopt).how == child_state::at_work);
}

TEST_CASE("an undo has failed once all items that are left of it are in error, and not before") {
  auto f = turned_after(3);
  f.undo_left = 1;
  f.in_error = f.first_in_error = 1;
  CHECK_FALSE(is_trouble_told(f, false)); // two have yet to be told
  f.undo_next = 0;
  CHECK(is_trouble_told(f, false));
  CHECK(news_of(f, f, false, false).is_in_trouble);
  CHECK(trouble_of(f, false, ends(child_state::in_error)).how == child_state::undo_failed);
  f.undo_left = 2;
  CHECK_FALSE(is_trouble_told(f, false)); // one is on its way
}

TEST_CASE("what an undo has to do with items is counted, and told from the last one on, without those that failed") {
  std::map<std::uint32_t, item_state> rows;
  const auto told = [&](const fan_out& f) { return undo_of_items(f, {row_in(rows), no_child}); };
  using items = std::vector<std::uint32_t>;
  CHECK(told(three_items()).tasks == 0); // none has begun
  auto f = three_items();
  f.size = f.next = 20;
  f.failed = f.done = 1;
  f.at_work = 18;
  for (std::uint32_t i = 1; i <= 20; ++i)
    rows[i] = i == 19 ? item_state::failed : i == 1 ? item_state::done : item_state::at_work;
  CHECK(told(f).tasks == 19);
  CHECK(told(f).first == items{20, 18, 17, 16, 15, 14, 13, 12, 11, 10});
  CHECK(told(f).first_under_way == 2);
  f.is_gathered = true;
  f.done = 19;
  f.at_work = 0;
  CHECK(told(f).first_under_way == 0);
  f.done = 17;
  CHECK(told(f).tasks == 17);
}

TEST_CASE("of an undo of items that is under way the first that is told, not done and not in error is named") {
  auto f = turned_after(3);
  f.size = f.next = 30;
  f.undo_next = 2;
  f.undo_left = 2;
  f.in_error = 1;
  f.first_in_error = 4;
  std::map<std::uint32_t, item_state> rows{{1, item_state::done}, {2, item_state::done}};
  for (std::uint32_t i = 3; i <= 30; ++i)
    rows[i] = item_state::undo_in_error;
  rows[3] = item_state::undoing;
  const auto u = undo_of_items(f, {row_in(rows), no_child});
  CHECK(u.tasks == 4);
  CHECK(u.first_under_way == 3); // however many more were told before it
  CHECK(u.first_in_error == 4);
  CHECK(u.first.size() == items_undo_shown);
  f.is_turned = false;
  CHECK(undo_of_items(f, {row_in(rows), no_child}).first_in_error == 0);
}

TEST_CASE("of items without rows the tasks are asked, but not of those that an undo has ended") {
  auto f = turned_after(3);
  f.is_gathered = true;
  f.size = f.next = 3;
  f.undo_next = 2;
  f.undo_left = 0;
  std::vector<std::uint32_t> asked;
  const auto u = undo_of_items(f, {row_in({}), [&](std::uint32_t item) {
                                     asked.push_back(item);
                                     workflow::task child;
                                     child.state =
                                       item == 2 ? workflow::process_state::undone : workflow::process_state::processed;
                                     return std::optional{child};
                                   }});
  CHECK(u.first == std::vector<std::uint32_t>{1});
  CHECK(asked == std::vector<std::uint32_t>{2, 1});
}
