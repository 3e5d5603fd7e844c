// The agent's decisions, without an actor: orders and the ends of calls go in, calls and reports come out.

#include "actors/agents/agent_core.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace steadfast;
using namespace steadfast::actors;
using namespace std::chrono_literals;
using workflow::instant;

namespace {

constexpr instant noon{1'767'268'800'000ms};

struct started_call {
  call_ticket ticket = 0;
  call what;
};

/// A core whose calls the test ends.
class scripted_core final : private agent_effects {
public:
  explicit scripted_core(agent_options o) : core{std::move(o), *this} {}

  agent_core core;
  instant now = noon;
  std::vector<started_call> calls;
  std::vector<call_ticket> asked_to_end;
  std::vector<call_ticket> stopped;
  std::vector<call_ticket> abandoned;
  std::vector<attempt_report> reports;

  void order(const step_order& o) { core.on_order(o, {}, now); }
  void stop(const step_order& o, std::uint64_t epoch) {
    core.on_stop({o.task_number, o.step, o.attempt, epoch}, {}, now);
  }
  void end_call(std::size_t i, answer a) { core.on_call_over(calls.at(i).ticket, std::move(a), now); }

  /// Lets time pass as the agent's timer does.
  void pass(workflow::span by) {
    const auto until = now + by;
    while (core.next_due() <= until) {
      now = std::max(now, core.next_due());
      core.on_tick(now);
    }
    now = until;
  }
  agent_view view() const { return core.view(now); }

private:
  void start(call_ticket t, call what) override { calls.push_back({t, std::move(what)}); }
  void ask_to_end(call_ticket t) override { asked_to_end.push_back(t); }
  void stop(call_ticket t) override { stopped.push_back(t); }
  void abandon(call_ticket t) override { abandoned.push_back(t); }
  void report(const report_sink&, attempt_report r) override { reports.push_back(std::move(r)); }
};

agent_options plain() {
  agent_options o;
  o.name = "drone";
  o.retry = {3, 100ms, 200, 2000ms, 0};
  o.concurrency = 2;
  o.queue = 4;
  o.circuit.failures = 5;
  return o;
}

step_order order_of(std::uint64_t task, std::uint64_t epoch = 1, std::uint32_t attempt = 1) {
  step_order o;
  o.task_number = task;
  o.task_id = "t" + std::to_string(task);
  o.step_name = "schedule_drone";
  o.attempt = attempt;
  o.epoch = epoch;
  o.key = o.task_id + "/schedule_drone";
  o.input = "{}";
  o.complete_by = noon + 30s;
  return o;
}

void open_the_circuit(scripted_core& d) {
  for (std::uint64_t i = 0; i < 5; ++i) {
    d.order(order_of(1000 + i));
    d.end_call(d.calls.size() - 1, failed_for_now("HTTP 500"));
    if (d.view().circuit == "closed")
      d.stop(order_of(1000 + i), 1);
  }
  REQUIRE(d.view().circuit == "open");
  d.reports.clear();
  d.calls.clear();
}

} // namespace

TEST_CASE("an order is called once and reported as its call ended") {
  scripted_core d{plain()};
  d.order(order_of(1));
  REQUIRE(d.calls.size() == 1);
  CHECK(d.calls[0].what.key == "t1/schedule_drone");
  d.end_call(0, succeeded("{\"drone\":7}"));
  REQUIRE(d.reports.size() == 1);
  CHECK(d.reports[0].kind == report_kind::succeeded);
  CHECK(d.reports[0].result == "{\"drone\":7}");
  CHECK(d.core.next_due() == workflow::never);
}

TEST_CASE("P40: all calls of an attempt that may end later have one token, whose digest alone is reported") {
  auto o = plain();
  int issued = 0;
  o.tokens = [&issued](const std::string& prefix) {
    return issued_token{prefix + "secret" + std::to_string(++issued), "digest" + std::to_string(issued)};
  };
  scripted_core d{o};
  auto first = order_of(7);
  first.step = 2;
  first.may_end_later = true;
  d.order(first);
  CHECK(d.calls.at(0).what.token == "7.2.1.secret1");
  d.end_call(0, failed_for_now("busy"));
  d.pass(1s);
  CHECK(d.calls.at(1).what.token == "7.2.1.secret1");
  d.end_call(1, ends_later());
  REQUIRE(d.reports.size() == 1);
  CHECK(d.reports[0].kind == report_kind::taken_on);
  CHECK(d.reports[0].result == "digest1");
  d.order(order_of(8));
  CHECK(d.calls.at(2).what.token.empty());
  d.end_call(2, ends_later()); // of a step that may not
  CHECK(d.reports.at(1).kind == report_kind::failed_permanent);
  CHECK(d.reports.at(1).maybe_done);
}

TEST_CASE("the figures of an agent tell how attempts ended, what waited and what was repeated") {
  scripted_core d{plain()};
  const auto& f = d.core.figures();
  const auto reported = [&](report_kind k) { return f.reported.at(static_cast<std::size_t>(k)).value(); };
  for (std::uint64_t i = 1; i <= 3; ++i) // the third waits for a place
    d.order(order_of(i, 1, i == 2 ? 4 : 1));
  auto undo = order_of(4);
  undo.action = workflow::attempt_action::compensate;
  undo.attempt = 2; // do, probe and undo share the count
  d.order(undo);
  CHECK(f.taken.at(static_cast<std::size_t>(workflow::attempt_action::perform)).value() == 3);
  CHECK(f.taken.at(static_cast<std::size_t>(workflow::attempt_action::compensate)).value() == 1);
  CHECK(f.repeated.value() == 1);
  d.pass(20ms);
  d.end_call(0, succeeded());
  d.end_call(1, failed_for_good("no"));
  REQUIRE(d.calls.size() == 4);
  CHECK(reported(report_kind::succeeded) == 1);
  CHECK(reported(report_kind::failed_permanent) == 1);
  CHECK(f.waits.read().sum == 40'000);
  CHECK(f.calls.read().sum == 40'000);
  CHECK(f.attempts.read().sum == 40'000);
  d.end_call(2, failed_for_now("busy"));
  d.pass(1s);
  REQUIRE(d.calls.size() == 5);
  CHECK(f.retries.value() == 1);
  CHECK(reported(report_kind::failed_transient) == 0);
  d.pass(60s);
  CHECK(f.silenced.value() == 2);
  auto late = order_of(5);
  d.order(late);
  CHECK(f.silenced.value() == 3);
  late.complete_by = d.now + 10s;
  late.task_number = 6;
  d.core.drain();
  d.order(late);
  CHECK(reported(report_kind::declined) == 1);
}

TEST_CASE("a passing fault is tried again inside the attempt, with the wait that the service asks for") {
  scripted_core d{plain()};
  d.order(order_of(1));
  d.end_call(0, failed_for_now("HTTP 503"));
  CHECK(d.reports.empty());
  d.pass(99ms);
  CHECK(d.calls.size() == 1);
  d.pass(1ms);
  REQUIRE(d.calls.size() == 2);
  CHECK(d.calls[1].what.try_number == 2);
  CHECK(d.calls[1].what.attempt == 1);
  auto slow_down = failed_for_now("HTTP 429", false);
  slow_down.retry_after = 5s;
  d.end_call(1, slow_down);
  d.pass(4999ms);
  CHECK(d.calls.size() == 2);
  d.pass(1ms);
  REQUIRE(d.calls.size() == 3);
  d.end_call(2, failed_for_now("HTTP 429", false));
  REQUIRE(d.reports.size() == 1);
  CHECK(d.reports[0].kind == report_kind::failed_transient);
  CHECK(d.reports[0].maybe_done); // the first try may have acted
}

TEST_CASE("a retry that would not fit before complete-by is not made: the failure is reported at once") {
  scripted_core d{plain()};
  auto o = order_of(1);
  o.complete_by = noon + 90ms;
  d.order(o);
  d.end_call(0, failed_for_now("connection refused", false));
  REQUIRE(d.reports.size() == 1);
  CHECK(d.reports[0].kind == report_kind::failed_transient);
  CHECK_FALSE(d.reports[0].maybe_done);
}

TEST_CASE("how long a service asks to be left alone is believed up to a day, and never below zero") {
  auto o = plain();
  o.retry.attempts = 1;
  scripted_core d{o};
  auto busy = failed_for_now("HTTP 503", false);
  busy.retry_after = 24h * 365;
  d.order(order_of(1));
  d.end_call(0, busy);
  busy.retry_after = -5s;
  d.order(order_of(2));
  d.end_call(1, busy);
  REQUIRE(d.reports.size() == 2);
  CHECK(d.reports[0].retry_after == 24h);
  CHECK(d.reports[1].retry_after == 0ms);
}

TEST_CASE("row 31: a permanent failure is reported at once and not tried again") {
  scripted_core d{plain()};
  d.order(order_of(1));
  d.end_call(0, failed_for_good("HTTP 422"));
  d.pass(1h);
  REQUIRE(d.reports.size() == 1);
  CHECK(d.reports[0].kind == report_kind::failed_permanent);
  CHECK_FALSE(d.reports[0].maybe_done);
  CHECK(d.calls.size() == 1);
}

TEST_CASE("row 34: after complete-by the call is abandoned and nothing is said, not even an error") {
  scripted_core d{plain()};
  d.order(order_of(1));
  d.pass(29'999ms);
  CHECK(d.abandoned.empty());
  d.pass(1ms);
  REQUIRE(d.abandoned.size() == 1);
  CHECK(d.view().silenced == 1);
  SECTION("when the call ends late") {
    d.end_call(0, succeeded());
  }
  SECTION("when it fails late") {
    d.end_call(0, failed_for_now("reset"));
  }
  SECTION("when it is told to stop late") {
    d.stop(order_of(1), 1);
  }
  d.pass(1h);
  CHECK(d.reports.empty());
  CHECK(d.calls.size() == 1);
}

TEST_CASE("row 34: an answer that comes exactly at complete-by is kept back") {
  scripted_core d{plain()};
  d.order(order_of(1));
  d.now = noon + 30s;
  d.end_call(0, succeeded());
  CHECK(d.reports.empty());
  CHECK(d.view().silenced == 1);
}

TEST_CASE("row 52: what waits while the process stands still for longer than its complete-by is not called any more") {
  scripted_core d{plain()};
  for (std::uint64_t task = 1; task <= 3; ++task)
    d.order(order_of(task));
  REQUIRE(d.calls.size() == 2);
  d.now += 31s; // the end of a call is heard before the timer
  d.end_call(0, succeeded());
  CHECK(d.calls.size() == 2);
  CHECK(d.view().queued == 0);
  CHECK(d.reports.empty());
}

TEST_CASE("an order that is already over its complete-by is dropped without a word") {
  scripted_core d{plain()};
  d.now = noon + 30s;
  d.order(order_of(1));
  CHECK(d.calls.empty());
  CHECK(d.reports.empty());
  CHECK(d.view().silenced == 1);
}

TEST_CASE("row 23: a call that hangs for ever keeps its place until it is over, and no other") {
  scripted_core d{plain()};
  d.order(order_of(1));
  d.pass(30s);
  CHECK(d.view().in_flight == 1);
  CHECK(d.view().abandoned == 1);
  for (std::uint64_t task = 2; task < 10; ++task) {
    auto o = order_of(task);
    o.complete_by = d.now + 30s;
    d.order(o);
    d.end_call(d.calls.size() - 1, succeeded());
  }
  CHECK(d.reports.size() == 8);
  d.end_call(0, {report_kind::stopped, {}, {}, true, 0ms});
  CHECK(d.view().in_flight == 0);
  CHECK(d.view().abandoned == 0);
}

TEST_CASE("row 35: an order under an old epoch is refused, and one under a new epoch joins the open attempt") {
  scripted_core d{plain()};
  d.order(order_of(1, 5));
  d.order(order_of(1, 4));
  d.order(order_of(1, 4, 2));
  CHECK(d.view().refused == 2);
  d.order(order_of(1, 6));
  CHECK(d.calls.size() == 1);
  d.stop(order_of(1), 5);
  CHECK(d.stopped.empty());
  CHECK(d.view().refused == 3);
  d.end_call(0, succeeded());
  REQUIRE(d.reports.size() == 1);
  CHECK(d.reports[0].epoch == 6);
  d.order(order_of(1, 5, 3));
  CHECK(d.calls.size() == 1);
}

TEST_CASE("row 15: what a scheduler orders after it lost the task in a pause is refused") {
  scripted_core d{plain()};
  d.order(order_of(1, 6)); // by the scheduler that has it now
  d.end_call(0, succeeded());
  d.order(order_of(1, 5));
  d.order(order_of(1, 5, 2)); // nothing of this attempt was heard here
  CHECK(d.calls.size() == 1);
  CHECK(d.reports.size() == 1);
  CHECK(d.view().refused == 2);
}

TEST_CASE("row 54: an order that comes twice is called once and reported once") {
  scripted_core d{plain()};
  d.order(order_of(1));
  d.order(order_of(1));
  CHECK(d.calls.size() == 1);
  d.end_call(0, succeeded());
  CHECK(d.reports.size() == 1);
}

TEST_CASE("row 54: an order that comes again after its attempt ended, or was declined, is called by nobody") {
  scripted_core d{plain()};
  d.order(order_of(1));
  d.end_call(0, succeeded("{}"));
  d.order(order_of(1));
  CHECK(d.calls.size() == 1);
  CHECK(d.reports.size() == 1);
  d.core.on_order(order_of(2), {}, d.now, "no clock");
  REQUIRE(d.reports.size() == 2);
  CHECK(d.reports[1].kind == report_kind::declined);
  d.order(order_of(2)); // the same, come twice: now there would be room
  CHECK(d.calls.size() == 1);
  CHECK(d.reports.size() == 2);
  d.order(order_of(1, 2)); // by another scheduler, which has not heard how it ended
  d.order(order_of(2, 1, 2));
  CHECK(d.calls.size() == 3);
}

TEST_CASE("row 37: the queue of a slow agent is bounded, and what is above is pushed back") {
  scripted_core d{plain()};
  for (std::uint64_t task = 1; task <= 6; ++task)
    d.order(order_of(task));
  CHECK(d.calls.size() == 2);
  CHECK(d.reports.empty());
  d.order(order_of(7));
  REQUIRE(d.reports.size() == 1);
  CHECK(d.reports[0].kind == report_kind::declined);
  CHECK(d.reports[0].why == "agent `drone` has 4 orders waiting");
  CHECK(d.reports[0].retry_after > 0ms);
  CHECK_FALSE(d.reports[0].maybe_done);
  d.end_call(0, succeeded());
  REQUIRE(d.calls.size() == 3);
  CHECK(d.calls[2].what.task_id == "t3");
}

TEST_CASE("row 37: what is still queued when too little of its time is left is declined, not lost in silence") {
  scripted_core d{plain()};
  for (std::uint64_t task = 1; task <= 5; ++task)
    d.order(order_of(task));
  REQUIRE(d.calls.size() == 2);
  d.pass(26s);
  CHECK(d.reports.empty());
  d.pass(2s); // a tenth of its time is left for the word to come back
  REQUIRE(d.reports.size() == 3);
  for (const auto& r : d.reports) {
    CHECK(r.kind == report_kind::declined);
    CHECK_FALSE(r.maybe_done);
    CHECK(r.retry_after > 0ms);
    CHECK(r.why.starts_with("agent `drone` had no place for it in time"));
  }
  CHECK(d.view().queued == 0);
  d.pass(10s);
  CHECK(d.calls.size() == 2);
  CHECK(d.view().silenced == 2); // those that were called
}

TEST_CASE(
  "row 37: an order whose turn would come too late is declined at once, and comes back later than those before it") {
  auto o = plain();
  o.queue = 1000;
  scripted_core d{o};
  std::uint64_t task = 0;
  const auto order = [&] {
    auto next = order_of(++task);
    next.complete_by = d.now + 10s;
    d.order(next);
  };
  for (int i = 0; i < 20; ++i) { // calls take two seconds each, two at a time
    order();
    d.now += 2s;
    d.end_call(d.calls.size() - 1, succeeded());
  }
  d.reports.clear();
  for (int i = 0; i < 100; ++i)
    order();
  CHECK(d.view().in_flight == 2);
  CHECK(d.view().queued == 8); // begun within ten seconds, less the two of the call itself
  REQUIRE(d.reports.size() == 90);
  CHECK(d.reports[0].why
        == "agent `drone` has 2 calls under way and 8 orders waiting, too many for one more to begin in time for its "
           "complete-by");
  CHECK(d.reports.back().retry_after >= 2500ms);
  CHECK(d.reports.back().retry_after <= 7500ms);
}

TEST_CASE("row 37: calls that hang until complete-by count for how long an order waits for its turn") {
  scripted_core d{plain()};
  for (std::uint64_t task = 1; task <= 16; ++task) {
    auto o = order_of(task);
    o.complete_by = d.now + 30s;
    d.order(o);
    REQUIRE(d.calls.size() == task);
    if (task % 2 == 0) {
      d.pass(30s);
      d.end_call(task - 2, {report_kind::stopped, {}, {}, true, 0ms});
      d.end_call(task - 1, {report_kind::stopped, {}, {}, true, 0ms});
      d.core.on_circuit({false, "ann", ""}, d.now);
    }
  }
  for (std::uint64_t task = 17; task <= 19; ++task) {
    auto o = order_of(task);
    o.complete_by = d.now + 10s;
    d.order(o);
  }
  CHECK(d.view().in_flight == 2);
  CHECK(d.view().queued == 0);
  REQUIRE(d.reports.size() == 1);
  CHECK(d.reports[0].kind == report_kind::declined);
}

TEST_CASE("row 37: who was told to come back later counts for how long others are to stay away, until then") {
  scripted_core d{plain()};
  const auto declined_for = [&d](std::uint64_t first) {
    workflow::span all{0};
    for (std::uint64_t task = first; task < first + 20; ++task)
      d.order(order_of(task));
    for (const auto& r : std::exchange(d.reports, {}))
      all += r.retry_after;
    return all;
  };
  d.order(order_of(1));
  d.now += 1s;
  d.end_call(0, succeeded());
  d.reports.clear();
  for (std::uint64_t task = 2; task <= 7; ++task)
    d.order(order_of(task)); // two are called, four wait
  REQUIRE(d.reports.empty());
  const auto once = declined_for(100);
  CHECK(declined_for(200) > once);
  d.now += 10s; // all of them could have come back
  CHECK(declined_for(100 + 200) < once * 3 / 2);
}

TEST_CASE(
  "row 37: an agent whose calls take too long by now still calls when it has a place, and so hears that they do not") {
  auto o = plain();
  o.concurrency = 1;
  scripted_core d{o};
  for (std::uint64_t task = 1; task <= 10; ++task) {
    auto slow = order_of(task);
    slow.complete_by = d.now + 60s;
    d.order(slow);
    d.now += 20s;
    d.end_call(d.calls.size() - 1, succeeded());
  }
  auto quick = order_of(11);
  quick.complete_by = d.now + 1s;
  d.order(quick);
  CHECK(d.calls.size() == 11);
}

TEST_CASE("row 37: an attempt that was called and waits for its next try too long is told as the failure that it was") {
  auto o = plain();
  o.concurrency = 1;
  scripted_core d{o};
  d.order(order_of(1));
  d.end_call(0, failed_for_now("HTTP 503"));
  d.order(order_of(2)); // takes the place, and keeps it
  d.pass(28s);
  REQUIRE(d.reports.size() == 1);
  CHECK(d.reports[0].kind == report_kind::failed_transient);
  CHECK(d.reports[0].why.starts_with("HTTP 503; agent `drone` had no place for it in time"));
}

TEST_CASE("row 37: the inputs that an agent holds are bounded together") {
  auto o = plain();
  o.inputs_size_max = 100;
  scripted_core d{o};
  auto large = order_of(1);
  large.input.assign(90, ' ');
  d.order(large);
  large.task_number = 2;
  d.order(large);
  REQUIRE(d.reports.size() == 1);
  CHECK(d.reports[0].kind == report_kind::declined);
  d.end_call(0, succeeded());
  large.attempt = 2;
  d.order(large);
  CHECK(d.calls.size() == 2);
}

TEST_CASE("row 37: what an agent held of inputs makes room again when the attempt is over") {
  auto o = plain();
  o.inputs_size_max = 100;
  scripted_core d{o};
  d.order(order_of(1)); // stays open: an agent that holds nothing takes an input of any size
  for (std::uint64_t task = 2; task < 10; ++task) {
    auto large = order_of(task);
    large.input.assign(90, ' ');
    d.order(large);
    REQUIRE(d.calls.size() == task);
    d.end_call(d.calls.size() - 1, succeeded());
  }
}

TEST_CASE("an open circuit declines with the time at which it is worth coming back") {
  scripted_core d{plain()};
  open_the_circuit(d);
  d.order(order_of(1));
  REQUIRE(d.reports.size() == 1);
  CHECK(d.reports[0].kind == report_kind::declined);
  CHECK(d.reports[0].why
        == "circuit for `drone` open until 2026-01-01T12:00:05Z; "
           "last failure at 2026-01-01T12:00:00Z: HTTP 500");
  CHECK(d.reports[0].retry_after == 5s);
}

TEST_CASE("the core tells what became of the calls of the last minutes, how long they took, and the last error") {
  auto o = plain();
  o.retry.attempts = 1;
  scripted_core d{o};
  const auto call = [&d](std::uint64_t task, workflow::span takes, const answer& a) {
    d.order(order_of(task));
    d.pass(takes);
    d.end_call(d.calls.size() - 1, a);
  };
  for (std::uint64_t i = 0; i < 8; ++i)
    call(i, 20ms, succeeded());
  call(100, 400ms, failed_for_good("HTTP 402: no money\n"));
  auto v = d.view();
  CHECK(v.last_failure_at == workflow::unset);
  CHECK(v.last_refusal == "HTTP 402: no money ");
  CHECK(v.last_refusal_at == d.now);
  call(101, 400ms, failed_for_now("HTTP 503"));
  d.order(order_of(102));
  d.pass(31s); // past its complete-by
  v = d.view();
  CHECK(v.lately_succeeded == 8);
  CHECK(v.lately_refused == 1);
  CHECK(v.lately_failed == 2);
  CHECK(v.p50 >= 20ms);
  CHECK(v.p50 <= 25ms);
  CHECK(v.p99 >= 30s);
  CHECK(v.last_failure == "no answer by complete-by");
  d.pass(6min);
  CHECK(d.view().lately_succeeded == 0);
  CHECK(d.view().last_failure == "no answer by complete-by"); // however long ago
}

TEST_CASE("a call that was withdrawn is no error and does not count") {
  scripted_core d{plain()};
  d.order(order_of(1));
  d.stop(order_of(1), 1);
  d.end_call(0, failed_for_now("the connection was closed"));
  CHECK(d.view().lately_failed == 0);
  CHECK(d.view().last_failure.empty());
}

TEST_CASE("a circuit whose time is up lets one call through, and the others when it is answered") {
  scripted_core d{plain()};
  open_the_circuit(d);
  d.pass(5s);
  d.order(order_of(1));
  d.order(order_of(2));
  REQUIRE(d.calls.size() == 1);
  SECTION("answered") {
    d.end_call(0, succeeded());
    CHECK(d.view().circuit == "closed");
    CHECK(d.calls.size() == 2);
  }
  SECTION("failed: what waits is sent back, what was tried may have acted") {
    d.end_call(0, failed_for_now("HTTP 500"));
    REQUIRE(d.reports.size() == 2);
    CHECK(d.reports[0].kind == report_kind::failed_transient);
    CHECK(d.reports[0].maybe_done);
    CHECK(d.reports[1].kind == report_kind::declined);
    CHECK(d.reports[0].retry_after == d.reports[1].retry_after); // both when the circuit lets one through again
    CHECK(d.view().queued == 0);
  }
}

TEST_CASE("a service that only hangs opens the circuit as well") {
  auto o = plain();
  o.circuit.failures = 2;
  scripted_core d{o};
  d.order(order_of(1));
  d.order(order_of(2));
  d.pass(30s);
  CHECK(d.view().circuit == "open");
}

TEST_CASE("an order that was never sent is stopped at once and did nothing") {
  auto o = plain();
  o.concurrency = 1;
  scripted_core d{o};
  d.order(order_of(1));
  d.order(order_of(2));
  d.stop(order_of(2), 1);
  REQUIRE(d.reports.size() == 1);
  CHECK(d.reports[0].kind == report_kind::stopped);
  CHECK_FALSE(d.reports[0].maybe_done);
}

TEST_CASE("row 74: a call that is not wanted any more is heard out, and its service's own word is reported") {
  auto o = plain();
  o.call_limit = 1s;
  scripted_core d{o};
  d.order(order_of(1));
  d.stop(order_of(1), 1);
  CHECK(d.asked_to_end.size() == 1);
  d.pass(20s);
  CHECK(d.stopped.empty()); // only complete-by ends the listening
  CHECK(d.reports.empty());
  SECTION("it happened") {
    d.end_call(0, succeeded());
    REQUIRE(d.reports.size() == 1);
    CHECK(d.reports[0].kind == report_kind::succeeded);
    CHECK_FALSE(d.reports[0].unsettled);
  }
  SECTION("it was refused") {
    d.end_call(0, failed_for_good("no"));
    REQUIRE(d.reports.size() == 1);
    CHECK(d.reports[0].kind == report_kind::failed_permanent);
    CHECK_FALSE(d.reports[0].unsettled);
  }
  SECTION("its connection was lost: it is not called again") {
    d.end_call(0, failed_for_now("lost"));
    REQUIRE(d.reports.size() == 1);
    CHECK(d.reports[0].kind == report_kind::stopped);
    CHECK(d.reports[0].maybe_done);
    CHECK(d.reports[0].unsettled);
    CHECK(d.calls.size() == 1);
  }
  SECTION("it goes on until complete-by: silence") {
    d.pass(10s);
    CHECK(d.reports.empty());
    CHECK(d.abandoned.size() == 1);
  }
}

TEST_CASE("an attempt that is wanted again under a new epoch may be called again") {
  scripted_core d{plain()};
  d.order(order_of(1));
  d.stop(order_of(1), 1);
  d.order(order_of(1, 2));
  d.end_call(0, failed_for_now("lost"));
  CHECK(d.reports.empty());
  d.pass(100ms);
  CHECK(d.calls.size() == 2);
}

TEST_CASE("row 75: a call that was lost leaves its attempt unsettled, whatever a later one says") {
  scripted_core d{plain()};
  d.order(order_of(1));
  d.end_call(0, failed_for_now("lost"));
  d.pass(100ms);
  REQUIRE(d.calls.size() == 2);
  SECTION("it succeeded") {
    d.end_call(1, succeeded());
  }
  SECTION("it was refused") {
    d.end_call(1, failed_for_good("no"));
  }
  REQUIRE(d.reports.size() == 1);
  CHECK(d.reports[0].unsettled);
}

TEST_CASE("row 75: what surely did nothing, or has ended, leaves nothing unsettled") {
  auto o = plain();
  o.retry.attempts = 1;
  scripted_core d{o};
  d.order(order_of(1));
  d.end_call(0, failed_for_now("busy", false));
  d.order(order_of(2));
  d.end_call(1, failed_for_good("no", true));
  REQUIRE(d.reports.size() == 2);
  CHECK_FALSE(d.reports[0].unsettled);
  CHECK_FALSE(d.reports[1].unsettled);
}

TEST_CASE("a call over its limit is ended and tried again") {
  auto o = plain();
  o.call_limit = 1s;
  scripted_core d{o};
  d.order(order_of(1));
  d.pass(1s);
  REQUIRE(d.stopped.size() == 1);
  d.end_call(0, {report_kind::stopped, {}, {}, true, 0ms});
  CHECK(d.reports.empty());
  d.pass(100ms);
  CHECK(d.calls.size() == 2);
}

TEST_CASE("P12: a call that does not end at its limit is abandoned at complete-by, and nothing is said of it") {
  auto o = plain();
  o.call_limit = 1s;
  scripted_core d{o};
  d.order(order_of(1));
  d.pass(29'999ms);
  CHECK(d.stopped.size() == 1);
  CHECK(d.abandoned.empty());
  d.pass(1ms);
  CHECK(d.abandoned.size() == 1);
  CHECK(d.view().silenced == 1);
  CHECK(d.reports.empty());
  CHECK(d.core.next_due() == workflow::never);
}

TEST_CASE("a probe's denial is reported as such, anything else must not deny") {
  scripted_core d{plain()};
  auto probe = order_of(1);
  probe.action = workflow::attempt_action::probe;
  d.order(probe);
  d.end_call(0, did_not_happen());
  d.order(order_of(2));
  d.end_call(1, did_not_happen());
  REQUIRE(d.reports.size() == 2);
  CHECK(d.reports[0].kind == report_kind::denied);
  CHECK_FALSE(d.reports[0].maybe_done);
  CHECK(d.reports[1].kind == report_kind::failed_permanent);
}

TEST_CASE("row 29: a result above the limit is a permanent failure that may have acted") {
  auto o = plain();
  o.result_size_max = 10;
  scripted_core d{o};
  d.order(order_of(1));
  d.end_call(0, succeeded("12345678901"));
  REQUIRE(d.reports.size() == 1);
  CHECK(d.reports[0].kind == report_kind::failed_permanent);
  CHECK(d.reports[0].maybe_done);
  CHECK(d.reports[0].result.empty());
  CHECK(d.reports[0].why.find("result_size_max of agent `drone` is 10") != std::string::npos);
}

TEST_CASE("what a service says is cut and made printable before it goes into the story") {
  scripted_core d{plain()};
  d.order(order_of(1));
  d.end_call(0, failed_for_good("no\nroom \xc3\xa9\x1b[2J" + std::string(5000, 'x')));
  REQUIRE(d.reports.size() == 1);
  CHECK(d.reports[0].why.substr(0, 14) == "no room ???[2J");
  CHECK(d.reports[0].why.size() == agent_core::why_size_max);
}

TEST_CASE("calls begin no faster than the rate") {
  auto o = plain();
  o.concurrency = 100;
  o.queue = 100;
  o.rate_per_second = 10;
  o.burst = 2;
  scripted_core d{o};
  for (std::uint64_t task = 1; task <= 12; ++task)
    d.order(order_of(task));
  CHECK(d.calls.size() == 2);
  d.pass(1s);
  CHECK(d.calls.size() == 12);
}

TEST_CASE("a circuit that a person holds open sends orders back with who and why, until it is closed") {
  scripted_core d{plain()};
  d.order(order_of(1)); // called
  d.order(order_of(2)); // called
  d.order(order_of(3)); // waits
  d.core.on_circuit({true, "ann", "they deploy"}, d.now);
  REQUIRE(d.reports.size() == 1);
  CHECK(d.reports[0].task_number == 3);
  CHECK(d.reports[0].kind == report_kind::declined);
  CHECK(d.reports[0].why == "circuit for `drone` held open by ann (they deploy)");
  CHECK(d.reports[0].retry_after > 0ms);
  CHECK(d.reports[0].retry_after <= 10s);
  d.end_call(0, succeeded("{}")); // what is under way counts for its task, not for the circuit
  CHECK(d.reports.back().kind == report_kind::succeeded);
  d.pass(1h);
  d.order(order_of(4, 1));
  CHECK(d.view().circuit == "open");
  CHECK(d.view().held_open_by == "ann (they deploy)");
  const auto calls = d.calls.size();
  d.core.on_circuit({false, "ann", ""}, d.now);
  auto o = order_of(5);
  o.complete_by = d.now + 30s;
  d.order(o);
  CHECK(d.calls.size() == calls + 1);
  CHECK(d.view().circuit == "closed");
  CHECK(d.view().held_open_by.empty());
}

TEST_CASE("a drained core declines what is new, and is idle when what it had is over") {
  scripted_core d{plain()};
  CHECK(d.core.is_idle());
  d.order(order_of(1));
  d.core.drain();
  d.order(order_of(2));
  REQUIRE(d.reports.size() == 1);
  CHECK(d.reports[0].kind == report_kind::declined);
  CHECK_FALSE(d.core.is_idle());
  d.order(order_of(1, 2)); // the same attempt, ordered again
  CHECK(d.reports.size() == 1);
  d.end_call(0, succeeded("{}"));
  CHECK(d.core.is_idle());
  CHECK(d.view().draining);
}
