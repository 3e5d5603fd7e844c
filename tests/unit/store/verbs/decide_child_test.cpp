#include "store/verbs/decide_child.hpp"
#include "tests/unit/store/support.hpp"

#include <catch2/catch.hpp>

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
