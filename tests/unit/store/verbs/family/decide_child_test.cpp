#include "store/verbs/family/decide_child.hpp"
#include "tests/unit/store/support.hpp"
#include "workflow/on_call/incident.hpp"

#include <catch2/catch.hpp>

#include <memory>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;
using workflow::child_duty;

namespace {

/// Step 0 starts a task.
workflow::definition starts_one() {
  auto d = delivery();
  d.steps[0] = {};
  d.steps[0].name = "inside";
  d.steps[0].wait.emplace();
  d.steps[0].wait->what = workflow::wait_rule::kind::child;
  d.steps[0].wait->name = "delivery";
  return d;
}

workflow::task taken_task(const workflow::definition& d) {
  auto t = workflow::make_task(order("t"), d, at(0));
  t.number = 7;
  return workflow::apply(t, d, workflow::taken{"s1"}, at(1)).next;
}

} // namespace

TEST_CASE("a note is read back from its key, and of one step what the child is told comes first") {
  const child_note undo{7, 3, child_duty::undo, at(1)};
  const child_note tell{7, 3, child_duty::tell_parent, at(1)};
  CHECK(note_of(key_of(undo), at(1)) == undo);
  CHECK(key_of(undo).view() < key_of(tell).view());
  CHECK_FALSE(note_of("x", at(1)));
  CHECK_FALSE(note_of(key_of({7, 3, child_duty::none, {}}), at(1)));
}

TEST_CASE("a step that begins to wait for its task asks for it once, and one that is undone for that") {
  const auto d = starts_one();
  auto t = taken_task(d);
  std::deque<child_note> notes;
  add_notes_to_children(t, d, {}, {}, notes);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0] == child_note{7, 0, child_duty::start, at(1)});
  notes.clear();
  add_notes_to_children(t, d, {}, waiting_steps(t), notes);
  CHECK(notes.empty());
  t = workflow::apply(t, d, workflow::cancelled{{"eve", "a test"}}, at(2)).next;
  t = workflow::apply(t, d, workflow::taken{"s1"}, at(3)).next;
  add_notes_to_children(t, d, {}, {}, notes);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0] == child_note{7, 0, child_duty::undo, at(3)});
}

TEST_CASE("a task that was taken in asks for nothing anew") {
  const auto d = starts_one();
  const auto t = taken_task(d);
  std::deque<child_note> notes;
  add_notes_of_import(t, d, notes);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].what == child_duty::tell_parent);
}

TEST_CASE("a parent is told when its child ends, needs a person, or needs none any more") {
  using state = workflow::process_state;
  workflow::task child;
  child.state = state::processed;
  CHECK_FALSE(is_news_for_parent(child, state::processing)); // it has no parent
  child.parent.change().id = "p";
  CHECK(is_news_for_parent(child, state::processing));
  CHECK_FALSE(is_news_for_parent(child, state::processed));
  child.state = state::undoing;
  CHECK_FALSE(is_news_for_parent(child, state::processing));
  CHECK(is_news_for_parent(child, state::error));
}

namespace {

const child_note note_to_start{7, 0, child_duty::start, at(1)};
const child_note note_to_undo{7, 0, child_duty::undo, at(3)};

/// Its step 0 is to be undone.
workflow::task undoing_task(const workflow::definition& d) {
  const auto t = workflow::apply(taken_task(d), d, workflow::cancelled{{"eve", "a test"}}, at(2)).next;
  return workflow::apply(t, d, workflow::taken{"s1"}, at(3)).next;
}

/// The task of step 0 of task "t".
known_task child_in(workflow::process_state state, const std::string& parent = "t") {
  known_task k;
  k.definition = std::make_shared<const workflow::definition>(delivery());
  k.state.task.state = state;
  k.state.task.cause = "so it is";
  k.state.task.parent.change() = {parent, 7, 0, 1, 0, 0};
  return k;
}

} // namespace

TEST_CASE("a note to start makes a task, tells of the one that is there, or comes too late") {
  const auto d = starts_one();
  const auto waits = taken_task(d);
  CHECK(act_of_start(note_to_start, waits, false) == child_act::make);
  CHECK(act_of_start(note_to_start, waits, true) == child_act::tell);
  const auto turned = undoing_task(d);
  CHECK(act_of_start(note_to_start, turned, false) == child_act::end_undone);
  CHECK(act_of_start(note_to_start, turned, true) == child_act::none);
}

TEST_CASE("a step starts a task that is well formed, of an id of its own, and in a full store too") {
  submit_task w;
  w.what = order("c");
  w.now = at(2);
  const store_options limits;
  CHECK_FALSE(problem_of_child(w, false, limits));
  CHECK(problem_of_child(w, true, limits) == "another task has the id `c`");
  auto wrong = w;
  wrong.what.id = std::string(10'000, 'c');
  CHECK(problem_of_child(wrong, false, limits));

  const auto d = std::make_shared<workflow::definition>(delivery());
  const workflow::payload_needs needs{*d};
  const auto made = decide_child(w, {d, &needs}, 9, {"t", 7, 0, 1, 0, 0});
  REQUIRE(made.put);
  CHECK(made.put->task->number == 9);
  CHECK(made.put->task->parent->id == "t");
}

TEST_CASE("a note to undo asks the child, takes back what was not begun, and finds a stranger in its place") {
  const auto d = starts_one();
  CHECK_FALSE(is_undo_due(note_to_undo, taken_task(d), d));
  const auto t = undoing_task(d);
  REQUIRE(is_undo_due(note_to_undo, t, d));
  const auto own = child_in(workflow::process_state::processed).state.task;
  CHECK(act_of_undo(note_to_undo, t, &own) == child_act::ask_undo);
  auto held = own;
  held.state = workflow::process_state::suspended;
  CHECK(act_of_undo(note_to_undo, t, &held) == child_act::ask_undo);
  held.acts.push_back({note_to_undo.at, undo_asked_by(t).person.who, "undo", ""});
  CHECK(act_of_undo(note_to_undo, t, &held) == child_act::none); // the note has come twice, a person in between
  auto later = note_to_undo;
  later.at += std::chrono::seconds{1};
  CHECK(act_of_undo(later, t, &held) == child_act::ask_undo);
  CHECK(act_of_undo(note_to_undo, t, nullptr) == child_act::take_back_start);
  const auto stranger = child_in(workflow::process_state::processed, "other").state.task;
  CHECK(act_of_undo(note_to_undo, t, &stranger) == child_act::end_lost);
  CHECK_FALSE(tells_after_undo(own));
  CHECK(tells_after_undo(child_in(workflow::process_state::undone).state.task));
}

TEST_CASE("a step is told how its child ended, and only one that is to start that its id is taken") {
  const auto d = starts_one();
  const auto t = taken_task(d);
  const child_note news{7, 0, child_duty::tell_parent, at(2)};
  const auto own = child_in(workflow::process_state::undone);
  const auto end = told_of(news, t, d, &own);
  REQUIRE(end);
  CHECK(end->how == workflow::child_state::undone);
  CHECK(end->why == "so it is");
  const auto stranger = child_in(workflow::process_state::undone, "other");
  CHECK_FALSE(told_of(news, t, d, &stranger));
  CHECK_FALSE(told_of(news, t, d, nullptr));
  const auto refused = told_of(note_to_start, t, d, &stranger);
  REQUIRE(refused);
  CHECK(refused->how == workflow::child_state::refused);
  CHECK(refused->why == "another task has the id `t/inside`");
}

TEST_CASE("a step whose child is damaged goes on to wait, but its undo has failed") {
  CHECK_FALSE(told_of_damage(note_to_start));
  CHECK(told_of_damage(note_to_undo).value().how == workflow::child_state::undo_failed);
}

TEST_CASE("a note is about a step that starts tasks, or it is none") {
  const auto d = starts_one();
  CHECK(is_about_children(note_to_start, d));
  CHECK_FALSE(is_about_children({7, 1, child_duty::start, at(1)}, d));
  CHECK_FALSE(is_about_children({7, 2, child_duty::start, at(1)}, d));
}

TEST_CASE("a parent is told by a note that names the step and the item") {
  workflow::task child;
  child.parent.change() = {"p", 5, 3, 1, 0, 9};
  child.ended_at = at(4);
  const auto x = note_for_parent(child, 6);
  CHECK(x == child_note{6, 3, child_duty::tell_parent, workflow::last_changed_at(child), 9});
}
