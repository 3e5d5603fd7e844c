// Steps are shared, summed up and looked at only where something changed. What that must not change: anything.

#include "tests/support/property.hpp"
#include "tests/support/workflow/definitions.hpp"
#include "tests/support/workflow/random_workflow.hpp"
#include "workflow/task/compensation.hpp"
#include "workflow/task/invariants.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>

using namespace steadfast;
using namespace steadfast::workflow;
using namespace steadfast::tests;

namespace {

using numbers = std::vector<std::size_t>;

constexpr std::size_t three_blocks = step_list::stretch_size + 2 * step_list::block_size + 3;

step_list of_size(std::size_t count) {
  step_list steps;
  steps.resize(count);
  return steps;
}

numbers differences(const step_list& a, const step_list& b) {
  numbers found;
  each_difference(a, b, [&](std::size_t i) {
    if (!(a[i] == b[i]))
      found.push_back(i);
  });
  return found;
}

std::size_t looked_at(const step_list& a, const step_list& b) {
  std::size_t count = 0;
  each_difference(a, b, [&count](std::size_t) { ++count; });
  return count;
}

template <step_mark M>
numbers with_mark(const step_list& steps) {
  numbers found;
  steps.each<M>([&](std::size_t i) { found.push_back(i); });
  return found;
}

/// Shares nothing with any other, and knows nothing of itself.
step_list apart(const step_list& steps) {
  step_list copy;
  for (const auto& s : steps)
    copy.push_back(s);
  return copy;
}

task apart(task t) {
  t.steps = apart(t.steps);
  return t;
}

template <step_mark M>
void check_mark(const step_list& steps, const step_list& unsettled) {
  RC_ASSERT(with_mark<M>(steps) == with_mark<M>(unsettled));
  RC_ASSERT(steps.any<M>() == !with_mark<M>(steps).empty());
}

void check_marks(const step_list& steps) {
  const auto unsettled = apart(steps);
  check_mark<step_mark::open>(steps, unsettled);
  check_mark<step_mark::unfinished>(steps, unsettled);
  check_mark<step_mark::tried>(steps, unsettled);
  check_mark<step_mark::untried>(steps, unsettled);
  check_mark<step_mark::acted>(steps, unsettled);
  check_mark<step_mark::undo_failed>(steps, unsettled);
  check_mark<step_mark::burdened>(steps, unsettled);
  check_mark<step_mark::settles>(steps, unsettled);
  RC_ASSERT(steps.last_order() == unsettled.last_order());
}

std::string told(const command& c) {
  return std::to_string(c.index())
         + std::visit(
           [](const auto& x) {
             std::string text;
             if constexpr (requires { x.step; })
               text += " of " + std::to_string(x.step);
             if constexpr (requires { x.attempt; })
               text += " attempt " + std::to_string(x.attempt);
             if constexpr (requires { x.at; })
               text += " at " + std::to_string(x.at.time_since_epoch().count());
             return text;
           },
           c);
}

std::vector<std::string> told(const std::vector<command>& commands) {
  std::vector<std::string> all;
  for (const auto& c : commands)
    all.push_back(told(c));
  return all;
}

void tamper_with(step& s, chooser& choose) {
  switch (choose.below(8)) {
    default: s.state = static_cast<step_state>(1 + choose.below(9)); return;
    case 1: s.doing = static_cast<attempt_action>(choose.below(4)); return;
    case 2: s.completed_order = choose.below(5); return;
    case 3: ++s.attempt; return;
    case 4: s.needs_review = !s.needs_review; return;
    case 5: s.maybe_done = !s.maybe_done; return;
    case 6: s.completed_at = unset; return;
    case 7: s.tries += choose.below(3); return;
  }
}

} // namespace

TEST_CASE("a change of one step leaves those who share it as they were, and copies its stretch alone") {
  const auto count = GENERATE(1U, 8U, 9U, 100U, 136U, 137U, 600U);
  const auto before = of_size(count);
  for (const std::size_t i : {std::size_t{0}, std::size_t{count / 2}, std::size_t{count - 1}}) {
    auto after = before;
    after.change(i).attempt = 7;
    CHECK(before[i].attempt == 0);
    CHECK(after[i].attempt == 7);
    CHECK(after != before);
    CHECK(differences(before, after) == numbers{i});
    CHECK(looked_at(before, after) == 1);
    after.change(i).attempt = 0;
    CHECK(after == before);
  }
}

TEST_CASE("a change of one of a few steps leaves the others shared, and new ones need no room") {
  few_steps before;
  before.grow(3);
  CHECK(before[2] == step{});
  CHECK(&before[0] == &before[2]);
  before.change(1).attempt = 4;
  auto after = before;
  after.change(2).attempt = 7;
  CHECK(&after[1] == &before[1]);
  CHECK(after.is_same(before, 0));
  CHECK(after.is_same(before, 1));
  CHECK_FALSE(after.is_same(before, 2));
  CHECK(before[2].attempt == 0);
  CHECK(after != before);
  after.change(2) = step{};
  CHECK(after == before);
  const auto* const there = &after[1];
  CHECK(&after.change(1) != there);
  CHECK(&after.change(1) == &after[1]);
  CHECK(few_steps{std::vector<step>(before.begin(), before.end())} == before);
}

TEST_CASE("steps come in order, whichever way the list was made") {
  step_list grown;
  std::vector<step> plain(three_blocks);
  for (std::size_t i = 0; i < three_blocks; ++i) {
    plain[i].attempt = static_cast<std::uint32_t>(i);
    grown.push_back(plain[i]);
  }
  const step_list made{plain};
  CHECK(grown == made);
  CHECK(made.size() == three_blocks);
  CHECK(std::equal(made.begin(), made.end(), plain.begin(), plain.end()));
  CHECK(made.back().attempt == three_blocks - 1);
  CHECK(made.end() - made.begin() == static_cast<std::ptrdiff_t>(three_blocks));
  auto shorter = made;
  shorter.resize(20);
  CHECK(std::equal(shorter.begin(), shorter.end(), plain.begin(), plain.begin() + 20));
  shorter.resize(three_blocks);
  CHECK(shorter[19].attempt == 19);
  CHECK(shorter[20] == step{});
  CHECK(shorter.size() == three_blocks);
}

TEST_CASE("the steps that a rule asks for are found, before and after they are summed up") {
  auto steps = of_size(three_blocks);
  for (const std::size_t i : {std::size_t{3}, std::size_t{9}, std::size_t{200}, three_blocks - 1})
    steps.change(i).doing = attempt_action::perform;
  const numbers open{3, 9, 200, three_blocks - 1};
  CHECK(with_mark<step_mark::open>(steps) == open);
  steps.settle();
  CHECK(with_mark<step_mark::open>(steps) == open);
  CHECK(steps.any<step_mark::open>());
  CHECK_FALSE(steps.any<step_mark::acted>());
}

TEST_CASE("a graph names the steps before and after each, and who asks for its result") {
  auto d = pipeline({step_named("d"), step_named("c"), step_named("b"), step_named("a")});
  d.steps[0].after = std::vector<std::string>{"c", "b"};
  d.steps[1].after = std::vector<std::string>{"b"};
  d.steps[2].after = std::vector<std::string>{"a"};
  d.steps[3].after = std::vector<std::string>{};
  d.steps[0].when = condition{"b", "/x", condition::test::present, ""};
  const definition_graph g{d};
  const auto of = [](definition_graph::positions p) { return numbers(p.begin(), p.end()); };
  CHECK(of(g.before(0)) == numbers{1, 2});
  CHECK(of(g.after(2)) == numbers{0, 1});
  CHECK(of(g.asked_by(2)) == numbers{0});
  CHECK(of(g.in_order()) == numbers{3, 2, 1, 0});
  CHECK(g.find(d, "c") == 1U);
  CHECK_FALSE(g.find(d, "e"));
}

TEST_CASE("a copy of a definition has no graph: it may be changed") {
  auto d = pipeline({step_named("a"), step_named("b")});
  d.graph.make_for(d);
  auto copy = d;
  CHECK_FALSE(copy.graph);
  CHECK(copy == d);
  const auto moved = std::move(d);
  CHECK(moved.graph);
}

TEST_CASE("steps that were found when a wait turned the task round are not counted as started") {
  auto d = pipeline({step_named("a"), step_named("b"), step_named("c")});
  d.steps[0].compensation.reset();
  for (const std::size_t i : {1U, 2U})
    d.steps[i].after = std::vector<std::string>{"a"};
  d.steps[1].agent.clear();
  d.steps[1].compensation.reset();
  d.steps[1].wait.emplace();
  d.steps[1].wait->what = wait_rule::kind::until;
  d.steps[1].wait->at.pointer = "/n"; // in each payload of submission_of, and no moment
  REQUIRE(problems(d).empty());
  const instant now{std::chrono::hours{1}};
  const auto begun = apply(make_task(submission_of(d), d, now), d, taken{"s"}, now).next;
  REQUIRE(begun.steps.is_caught_up());
  const auto t = apply(begun, d, attempt_succeeded{{0, 1, begun.lock_epoch}, blob{"{}"}, {}}, now).next;
  CHECK(t.state == process_state::undone);
  CHECK(t.steps[2] == step{});
  CHECK_FALSE(t.steps.is_caught_up());
}

TEST_CASE("property: what is known of steps and definition beforehand changes nothing") {
  holds(300, 400, [] {
    chooser choose{some_choices()};
    auto d = large_definition(choose);
    RC_ASSERT(problems(d).empty());
    const auto by_names = d;
    d.graph.make_for(d);
    instant now{std::chrono::hours{1}};
    auto t = make_task(submission_of(d), d, now);
    while (!choose.is_used_up()) {
      now = random_moment(choose, t, d, now);
      const auto e = random_event(choose, t);
      const auto c = apply(t, d, e, now);
      const auto long_way = apply(apart(t), by_names, e, now);
      RC_ASSERT(c.result == long_way.result);
      RC_ASSERT(c.next == long_way.next);
      RC_ASSERT(c.notices == long_way.notices);
      RC_ASSERT(c.alerts == long_way.alerts);
      RC_ASSERT(told(c.commands) == told(long_way.commands));
      check_marks(c.next.steps);
      RC_ASSERT(next_due(c.next, d) == next_due(apart(c.next), by_names));
      RC_ASSERT(undo_order(c.next, d) == undo_order(c.next, by_names));
      c.next.steps.each<step_mark::untried>(
        [&](std::size_t i) { RC_ASSERT(!c.next.steps.is_caught_up() || !is_startable(c.next, d, i)); });
      t = c.next;
    }
  });
}

TEST_CASE("property: what is broken is found by looking at what changed alone") {
  holds(300, 400, [] {
    chooser choose{some_choices()};
    auto d = large_definition(choose);
    d.graph.make_for(d);
    instant now{std::chrono::hours{1}};
    auto t = make_task(submission_of(d), d, now);
    while (!choose.is_used_up()) {
      now = random_moment(choose, t, d, now);
      const auto c = apply(t, d, random_event(choose, t), now);
      RC_ASSERT(broken_invariants(c.next, d).empty());
      RC_ASSERT(broken_invariants(c.next, d, t).empty());
      auto wrong = c.next;
      tamper_with(wrong.steps.change(choose.below(static_cast<std::uint32_t>(wrong.steps.size()))), choose);
      RC_ASSERT(broken_invariants(wrong, d, t).empty() == broken_invariants(wrong, d).empty());
      t = c.next;
    }
  });
}
