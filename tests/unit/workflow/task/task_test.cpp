#include "tests/support/workflow/scenario.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using namespace steadfast::tests;
using namespace std::chrono_literals;

TEST_CASE("a task is made pending from what was submitted") {
  auto d = two_steps();
  d.version = 3;
  d.priority = 4;
  d.deadline = 10min;
  auto s = submission_of(d, "order-1");
  auto t = make_task(s, d, start);
  CHECK(t.id == "order-1");
  CHECK(t.workflow == "w");
  CHECK(t.version == 3);
  CHECK(t.payload == s.payload);
  CHECK(t.content_type == "application/json");
  CHECK(t.priority == 4);
  CHECK(t.state == process_state::pending);
  CHECK(t.submitted_at == start);
  CHECK(t.complete_by == start + 10min);
  CHECK(t.not_before == unset);
  CHECK(t.notices == 1);
  CHECK(t.steps == step_list{std::vector<step>(2)});
  CHECK(forward_ends_at(t, d) == start + 9min);

  s.priority = 0;
  s.reply_to.clear();
  s.not_before = start + 1h;
  t = make_task(s, d, start);
  CHECK(t.priority == 0);
  CHECK(t.notices == 0);
  CHECK(t.not_before == start + 1h);
  CHECK(t.complete_by == start + 70min); // its time starts when it may start
  s.not_before = start;
  CHECK(make_task(s, d, start).not_before == unset);
}

TEST_CASE("states are told apart") {
  task t;
  using enum process_state;
  const auto are = [&t](auto what) {
    std::vector<process_state> found;
    for (const auto s : {pending, processing, processed, undoing, undone, error, suspended}) {
      t.state = s;
      if (what(t))
        found.push_back(s);
    }
    return found;
  };
  CHECK(are(has_ended) == std::vector{processed, undone, error});
  CHECK(are(is_forward) == std::vector{pending, processing});
  CHECK(are(is_undoing) == std::vector{undoing});
  CHECK(are(is_claimable) == std::vector{pending, undoing});
  t.resume_state = undoing;
  CHECK(are(is_undoing) == std::vector{undoing, suspended});
  t.locked_by = "s1";
  CHECK(are(is_claimable).empty());
}

TEST_CASE("keys are stable over attempts, and no two actions share one") {
  auto x = scenario{two_steps()};
  const auto key = [&x](attempt_action a) { return idempotency_key(x.t, x.d, 1, a); };
  CHECK(key(attempt_action::perform) == "t1/b");
  CHECK(key(attempt_action::compensate) == "t1/b/undo");
  CHECK(key(attempt_action::probe) == "t1/b/probe");
  x.t.steps.change(1).attempt = 7;
  x.t.lock_epoch = 9;
  x.t.generation = 3;
  CHECK(key(attempt_action::perform) == "t1/b");
  x.t.steps.change(1).key_generation = 1;
  CHECK(key(attempt_action::perform) == "t1/b#2");
  CHECK(key(attempt_action::compensate) == "t1/b#2/undo");
}

TEST_CASE("a task is due when the supervisor has to look at it") {
  auto d = two_steps();
  d.deadline = 10min;
  scenario x{d};
  const auto due = [&x] { return next_due(x.t, x.d); };
  CHECK(due() == start + 9min); // nobody takes it
  x.take();
  CHECK(due() == x.at("a").complete_by);
  x.fail("a");
  CHECK(due() == x.at("a").not_before); // its scheduler owes it a wake-up
  x.must(lock_released{});
  CHECK(due() == start + 9min);
  x.wait();
  x.decline("a"); // which gives it back
  CHECK(due() == x.at("a").waiting_since + d.alert_after);
  x.wait();
  x.expire("a");
  CHECK(due() == unset);
  x.must(suspended{{"ann", ""}});
  CHECK(due() == never);
  x.must(resumed{{"ann", ""}});
  CHECK(due() == unset);
  x.must(undo_requested{{"ann", ""}});
  CHECK(due() == never); // claimable: it waits in the queue
  x.take();
  x.wait();
  CHECK(due() == x.at("a").complete_by);
  x.must(suspended{{"ann", ""}});
  CHECK(due() == x.at("a").complete_by);
  x.must(resumed{{"ann", ""}});
  x.succeed("a");
  CHECK(x.state() == "undone");
  CHECK(due() == never);
}
