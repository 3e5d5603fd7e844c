#include "workflow/on_call/incident.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;

namespace {

definition shop() {
  step_definition pay;
  pay.name = "pay";
  pay.agent = "payment";
  pay.compensation = compensation{};
  pay.compensation->agent = "payment_undo";
  definition d;
  d.name = "orders";
  d.version = 1;
  d.steps = {pay};
  return d;
}

/// In error, because its only step used up its attempts.
task failed_task(const std::string& error) {
  task t;
  t.workflow = "orders";
  t.state = process_state::error;
  t.steps.resize(1);
  t.steps.change(0).state = step_state::unknown;
  t.steps.change(0).error = error;
  t.cause = "step `pay` used up its attempts: " + error;
  return t;
}

alert alert_of(const task& t) {
  return {"error", t.cause, {}, {}};
}

incident_signature signature(const task& t) {
  const auto d = shop();
  return signature_of(alert_of(t), &t, &d);
}

} // namespace

TEST_CASE("numbers, ids, times, addresses and quoted texts are left out of a cause") {
  CHECK(generalized("order-4711 is locked since 2026-11-21T06:00:00Z") == "# is locked since #");
  CHECK(generalized("cannot connect to 10.0.0.1:8080: refused") == "cannot connect to #: refused");
  CHECK(generalized("no customer 'bob', ask \"ann lee\"") == "no customer \"#\", ask \"#\"");
  CHECK(generalized("mail to ann@example.org: 12 ms late.") == "mail to #: # ms late.");
  CHECK(generalized("ids 1, 2, 3 are taken") == "ids # are taken");
  CHECK(generalized("it can't be done, it isn't there") == "it can't be done, it isn't there");
  CHECK(generalized("a \"left open") == "a \"left open");
  CHECK(generalized("") == "");
}

TEST_CASE("what tells one failure from another stays in a cause") {
  CHECK(generalized("HTTP 503: busy for 30 s") == "HTTP 503: busy for # s");
  CHECK(generalized("exit code 75: order 7") == "exit code 75: order #");
  CHECK(generalized("HTTP 503: busy") != generalized("HTTP 500: busy"));
  CHECK(generalized(R"(HTTP 402: {"error":"card 4711 was declined","customer":"bob"})")
        == R"(HTTP 402: {"error":"card # was declined","customer":"#"})");
  CHECK(generalized(R"({"code": "no_funds"})") != generalized(R"({"code": "no_card"})"));
  CHECK(generalized("step `pay` failed") == "step `pay` failed");
}

TEST_CASE("a cause is bounded, and cut between characters") {
  const auto cause = generalized(std::string(cause_size_max - 1, 'x') + "\u00e9\u00e9");
  CHECK(cause == std::string(cause_size_max - 1, 'x'));
}

TEST_CASE("alerts of many tasks that failed in the same way are one incident") {
  const auto one = signature(failed_task("HTTP 503: no stock for order 1"));
  CHECK(one == signature(failed_task("HTTP 503: no stock for order 2")));
  CHECK(one == incident_signature{"error", "payment", "orders", "pay", "HTTP 503: no stock for order #"});
  CHECK_FALSE(one == signature(failed_task("HTTP 500: no stock for order 1")));
  CHECK(one
        == signature(failed_task("HTTP 503: no stock for order 3 ; "
                                 "circuit for `payment` open until 2026-11-21T20:31:41Z")));
}

TEST_CASE("tasks that wait for a circuit are one incident with those that wait after the failure that opened it") {
  const auto d = shop();
  const auto waiting = [&d](const std::string& why) {
    auto t = failed_task("");
    t.steps.change(0).waiting_for = why;
    return signature_of({"waiting", "step `pay` waits: " + why, "pay", {}}, &t, &d);
  };
  const auto by_circuit = waiting("circuit for `payment` open until 2026-11-21T20:31:41Z; last failure at "
                                  "2026-11-21T20:31:11Z: HTTP 503: no stock for order 7");
  CHECK(by_circuit.cause == "HTTP 503: no stock for order #");
  CHECK(by_circuit == waiting("HTTP 503: no stock for order 8"));
  CHECK(waiting("circuit for `payment` held open by ann").cause == "circuit for `payment` held open by ann");
}

TEST_CASE("an undo that failed and the task that it left in error are one incident, of the agent that undoes") {
  const auto d = shop();
  auto t = failed_task("HTTP 409: too late");
  t.steps.change(0).state = step_state::compensation_failed;
  const auto of_step =
    signature_of({"undo_failed", "step `pay` could not be undone: HTTP 409: too late", "pay", {}}, &t, &d);
  const auto of_task = signature_of({"undo_failed", "undo failed, still in place: `pay`", {}, {}}, &t, &d);
  CHECK(of_step == of_task);
  CHECK(of_step.agent == "payment_undo");
}

TEST_CASE("an alert about no task is told by its kind and its words") {
  const auto s = signature_of({"restored", "the store was opened from a copy of 12 tasks", {}, {}}, nullptr, nullptr);
  CHECK(s == incident_signature{"restored", "", "", "", "the store was opened from a copy of # tasks"});
}

TEST_CASE("an alert holds for as long as its task stands as it says") {
  const auto d = shop();
  auto t = failed_task("HTTP 503");
  const alert error = alert_of(t);
  CHECK(is_in_trouble(t));
  CHECK(still_holds(error, t, d));
  t.state = process_state::pending;
  CHECK_FALSE(still_holds(error, t, d));
  CHECK_FALSE(is_in_trouble(t));

  const alert waiting{"waiting", "step `pay` waits", "pay", {}};
  CHECK_FALSE(still_holds(waiting, t, d));
  t.steps.change(0).wait_alerted = true;
  CHECK(still_holds(waiting, t, d));
  CHECK(is_in_trouble(t));

  const alert undo{"undo_failed", "step `pay` could not be undone", "pay", {}};
  CHECK_FALSE(still_holds(undo, t, d));
  t.steps.change(0).state = step_state::compensation_failed;
  CHECK(still_holds(undo, t, d));

  CHECK(is_about_present_state(undo));
  CHECK_FALSE(is_about_present_state({"stuck", "it was freed", {}, {}})); // which was, and a person has to see it
}

TEST_CASE("an incident goes on when the same thing comes again within the hour") {
  const instant closed{span{1'000'000}};
  CHECK(goes_on(closed, closed + incident_reopens_within));
  CHECK_FALSE(goes_on(closed, closed + incident_reopens_within + span{1}));
  CHECK_FALSE(goes_on(unset, closed));
}
