#include "actors/scheduling/step_orders.hpp"

#include "tests/actors/workflows.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using workflow::attempt_action;

namespace {

/// Its `flight` has an open attempt.
workflow::task task_at_flight(attempt_action doing) {
  workflow::task t;
  t.number = 7;
  t.id = "trip-7";
  t.workflow = "trip";
  t.lock_epoch = 5;
  t.steps.resize(2);
  t.steps.change(1).doing = doing;
  t.steps.change(1).attempt = 3;
  t.steps.change(1).complete_by = workflow::instant{workflow::span{9000}};
  return t;
}

actors::attempt_report report_of(actors::report_kind kind) {
  actors::attempt_report m;
  m.task_number = 7;
  m.step = 1;
  m.attempt = 3;
  m.epoch = 5;
  m.kind = kind;
  m.maybe_done = false;
  m.retry_after = workflow::span{250};
  m.why = "no seat";
  return m;
}

template <class Event>
Event heard(const actors::attempt_report& m) {
  const auto e = actors::event_of(m, tests::trip());
  REQUIRE(std::holds_alternative<Event>(e));
  return std::get<Event>(e);
}

const workflow::attempt_ref open_attempt{1, 3, 5};
const workflow::instant set_at{workflow::span{1}};

} // namespace

TEST_CASE("an order names the task, the step, the attempt and the epoch") {
  const auto o = actors::order_for(task_at_flight(attempt_action::perform), tests::trip(), 1, "{}", set_at);
  CHECK(o.task_number == 7);
  CHECK(o.task_id == "trip-7");
  CHECK(o.step == 1);
  CHECK(o.step_name == "flight");
  CHECK(o.attempt == 3);
  CHECK(o.epoch == 5);
  CHECK(o.complete_by == workflow::instant{workflow::span{9000}});
  CHECK(o.clock == set_at);
  CHECK(o.input == "{}");
  CHECK(o.reverses.empty());
}

TEST_CASE("an undo has a key of its own and names the key that it reverses") {
  const auto forward = actors::order_for(task_at_flight(attempt_action::perform), tests::trip(), 1, "{}", set_at);
  const auto undo = actors::order_for(task_at_flight(attempt_action::compensate), tests::trip(), 1, "{}", set_at);
  CHECK(undo.key != forward.key);
  CHECK(undo.reverses == forward.key);
}

TEST_CASE("a report means the event of its kind, for the attempt that it names") {
  using actors::report_kind;
  CHECK(heard<workflow::attempt_succeeded>(report_of(report_kind::succeeded)).ref == open_attempt);
  CHECK(heard<workflow::probe_denied>(report_of(report_kind::denied)).ref == open_attempt);
  CHECK_FALSE(heard<workflow::attempt_stopped>(report_of(report_kind::stopped)).maybe_done);

  const auto passing = heard<workflow::attempt_failed>(report_of(report_kind::failed_transient));
  CHECK(passing.ref == open_attempt);
  CHECK_FALSE(passing.permanent);
  CHECK_FALSE(passing.maybe_done);
  CHECK(passing.retry_after == workflow::span{250});
  CHECK(passing.why == "no seat");

  CHECK(heard<workflow::attempt_failed>(report_of(report_kind::failed_permanent)).permanent);

  const auto declined = heard<workflow::attempt_declined>(report_of(report_kind::declined));
  CHECK(declined.retry_after == workflow::span{250});
  CHECK(declined.why == "no seat");
}

TEST_CASE("a success for a step that the workflow does not have carries no facts") {
  auto m = report_of(actors::report_kind::succeeded);
  m.step = 9;
  CHECK(heard<workflow::attempt_succeeded>(m).facts.empty());
}
