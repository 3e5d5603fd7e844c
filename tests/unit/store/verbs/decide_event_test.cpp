// What becomes of an event, and which step takes it, without a disk.

#include "store/verbs/decide_event.hpp"
#include "tests/unit/store/support.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <string>

using namespace std::chrono_literals;
using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

workflow::step_definition waits_for_payment(const std::string& name) {
  workflow::step_definition s;
  s.name = name;
  s.wait.emplace();
  s.wait->what = workflow::wait_rule::kind::event;
  s.wait->name = "paid";
  s.wait->length = 1h;
  s.wait->at.pointer = "/order";
  return s;
}

/// Two steps that wait for `paid`; the second only if the first was paid in euros.
workflow::definition paid_twice() {
  auto d = delivery();
  d.steps = {waits_for_payment("pay"), waits_for_payment("pay-rest")};
  d.steps[1].when = workflow::condition{"pay", "/euros", workflow::condition::test::present, ""};
  return d;
}

/// Its first step waits.
known_task payer() {
  known_task k;
  k.definition = std::make_shared<const workflow::definition>(paid_twice());
  auto t = workflow::make_task(order("t", R"({"order":"o-1"})"), paid_twice(), at(0));
  t.number = 7;
  k.state.task = workflow::apply(t, paid_twice(), workflow::taken{"s1"}, at(1)).next;
  return k;
}

send_event payment_of(const std::string& key) {
  send_event w;
  w.name = "paid";
  w.key = key;
  w.data = R"({"euros":20})";
  w.who = "bank";
  w.keep_for = 10s;
  w.now = at(2);
  return w;
}

send_event payment_for_task() {
  auto w = payment_of({});
  w.task_id = "t";
  return w;
}

event_record kept_as(std::uint64_t number) {
  event_record x;
  x.number = number;
  x.name = "paid";
  x.key = "o-1";
  x.data = R"({"euros":20})";
  x.who = "bank";
  x.expires_at = at(12);
  x.id = "e-1";
  return x;
}

bool room_for_all(std::uint64_t) {
  return true;
}

std::string why_not(const send_event& w, const known_event& known) {
  const auto d = decide(w, known, room_for_all);
  return d.put ? "it is kept" : d.said.why;
}

} // namespace

TEST_CASE("deciding: an event is kept as long as its sender says, or as the store does") {
  store_options limits;
  limits.events_keep_for = 99s;
  CHECK(with_defaults(payment_of("o-1"), limits).keep_for == 10s);
  auto w = payment_of("o-1");
  w.keep_for = 0s;
  w = with_defaults(w, limits);
  CHECK(w.keep_for == 99s);
  CHECK_FALSE(problem_of(w, limits));
  w.keep_for = -1s;
  CHECK(problem_of(w, limits).value().why == "an event must be kept for more than zero and at most ten years");
  w = payment_of("o-1");
  w.data = '"' + std::string(limits.result_size_max, 'x') + '"';
  CHECK(problem_of(w, limits).value().result == write_status::refused);
}

TEST_CASE("deciding: an event with a wrong field is refused by the name of the field") {
  const auto field_of = [](auto change) {
    auto w = payment_of("o-1");
    change(w);
    const auto wrong = wrong_field_of(w);
    return std::string{wrong ? wrong->name : "none"};
  };
  CHECK(field_of([](auto&) {}) == "none");
  CHECK(field_of([](auto& w) { w.name = "no name"; }) == "event");
  CHECK(field_of([](auto& w) { w.key = std::string(workflow::event_key_size_max + 1, 'k'); }) == "key");
  CHECK(field_of([](auto& w) { w.key = "\n"; }) == "key");
  CHECK(field_of([](auto& w) { w.id = "\n"; }) == "id");
  CHECK(field_of([](auto& w) { w.task_id = "t"; }) == "task");
  CHECK(field_of([](auto& w) { w.data = "{"; }) == "data");
}

TEST_CASE("deciding: an event that no workflow waits for is refused") {
  awaited_events all;
  CHECK_FALSE(all.has(payment_of("o-1")));
  all.learn(paid_twice());
  CHECK(all.has(payment_of("o-1")));
  CHECK(all.has(payment_for_task()));
  CHECK_FALSE(all.has(payment_of({})));
  CHECK(why_not(payment_of({}), {}) == "no workflow has a step that waits for an event `paid` without a key");
  auto keyless = paid_twice();
  keyless.steps[0].wait->at = {workflow::source::kind::literal, "", "", R"("")"};
  all.learn(keyless);
  CHECK(all.has(payment_of({})));
}

TEST_CASE("deciding: an event gets the next number, and is told that there is no room for it") {
  const known_event known{nullptr, true, nullptr, 5};
  const auto d = decide(payment_of("o-1"), known, room_for_all);
  CHECK(d.said.result == write_status::applied);
  CHECK(d.said.number == 5);
  REQUIRE(d.put);
  CHECK(d.put->number == 5);
  CHECK(d.put->key == "o-1");
  CHECK(d.put->expires_at == at(12));
  CHECK(is_in_time(*d.put, at(11)));
  CHECK_FALSE(is_in_time(*d.put, at(12)));
  const auto full = decide(payment_of("o-1"), known, [](std::uint64_t) { return false; });
  CHECK(full.lacks_room);
  CHECK_FALSE(full.put);
}

TEST_CASE("deciding: the same event again is the one that is there, and another under its id is refused") {
  const auto there = kept_as(3);
  const known_event known{&there, true, nullptr, 5};
  auto w = payment_of("o-1");
  w.id = "e-1";
  w.data = R"({ "euros" : 20 })";
  const auto again = decide(w, known, room_for_all);
  CHECK(again.said.again);
  CHECK(again.said.number == 3);
  CHECK_FALSE(again.put);
  for (const auto* part : {"key", "data"}) {
    auto other = w;
    (part == std::string{"key"} ? other.key : other.data) = "7";
    CHECK_THAT(why_not(other, known), Catch::Contains("was already sent with an event"));
  }
  CHECK_FALSE(needs_task(payment_for_task(), known));
}

TEST_CASE("deciding: of an event whose task is elsewhere only its id counts, and nothing is kept") {
  auto w = payment_for_task();
  w.id = "e-1";
  w.is_elsewhere = true;
  CHECK(why_not(w, {nullptr, false, nullptr, 5}).empty());
  CHECK(decide(w, {}, [](std::uint64_t) { return false; }).said.result == write_status::applied);
  const auto there = kept_as(3);
  CHECK_THAT(why_not(w, {&there, true, nullptr, 5}), Catch::Contains("was already sent with an event"));
}

TEST_CASE("deciding: an event for one task is kept as long as a step of it may take it") {
  auto k = payer();
  known_event known{nullptr, true, &k, 1};
  REQUIRE(needs_task(payment_for_task(), known));
  CHECK_FALSE(needs_task(payment_of("o-1"), known));
  CHECK_FALSE(needs_task(payment_for_task(), {}));
  const auto d = decide(payment_for_task(), known, room_for_all);
  CHECK(d.put.value().key == key_of_task("t"));
  CHECK(shown(*d.put).task == "t");
  CHECK(shown(kept_as(1)).key == "o-1");

  for (const auto i : {0U, 1U})
    k.state.task.steps.change(i).state = workflow::step_state::completed;
  CHECK(why_not(payment_for_task(), known) == "the task does not wait for another event of that name");
  k.state.task.steps.change(1).state = workflow::step_state::not_started;
  CHECK(why_not(payment_for_task(), known) == "it is kept");
  k.state.task.state = workflow::process_state::undoing;
  CHECK(why_not(payment_for_task(), known) == "the task is being undone");
  k.state.task.state = workflow::process_state::suspended;
  CHECK(why_not(payment_for_task(), known) == "it is kept");
  k.state.task.resume_state = workflow::process_state::undoing;
  CHECK(why_not(payment_for_task(), known) == "the task is being undone");
  k.state.task.state = workflow::process_state::undone;
  CHECK(why_not(payment_for_task(), known) == "the task is undone");
  auto w = payment_for_task();
  w.name = "shipped";
  k = payer();
  CHECK(why_not(w, known) == "no step of the task's workflow waits for an event of that name");
  known.task = nullptr;
  CHECK(decide(payment_for_task(), known, room_for_all).said.result == write_status::absent);
}

TEST_CASE("deciding: steps that begin to wait for events are told from those that wait no longer") {
  const auto d = paid_twice();
  const auto t = payer().state.task;
  auto moved = waits_moved(d, t, {});
  CHECK(moved.over.empty());
  REQUIRE(moved.begun.size() == 1);
  CHECK(moved.begun[0].event_key == "o-1");
  const auto waits = waiting_steps(t);
  moved = waits_moved(d, t, waits);
  CHECK(moved.begun.empty());
  CHECK(moved.over.empty());
  const auto came = workflow::apply(t, d, came_to(0, d, kept_as(3)), at(3)).next;
  moved = waits_moved(d, came, waits);
  CHECK(moved.over == waits);
  CHECK(moved.begun.empty());
  const auto next = workflow::apply(came, d, workflow::taken{"s1"}, at(4)).next;
  moved = waits_moved(d, next, {});
  REQUIRE(moved.begun.size() == 1);
  CHECK(moved.begun[0].step == 1);
  CHECK(waits_for_event(next, d, 1));
  CHECK_FALSE(waits_for_event(next, d, 0));
  CHECK_FALSE(waits_for_event(next, d, 2));
  auto sleeps = d;
  sleeps.steps[0].wait->what = workflow::wait_rule::kind::sleep;
  CHECK(waits_moved(sleeps, t, {}).begun.empty());
}

TEST_CASE("deciding: a step takes the first event for its key or its task alone, and none that was taken before it") {
  const auto d = paid_twice();
  const auto t = payer().state.task;
  const auto first = wanted_by(t, d, 0);
  CHECK(first.name == "paid");
  CHECK(first.keys == std::array<std::string, 2>{"o-1", key_of_task("t")});
  CHECK(first.from == 1);
  const auto came = came_to(0, d, kept_as(3));
  CHECK(came.number == 3);
  CHECK(came.who == "bank");
  REQUIRE(came.facts.size() == 1); // the condition of the second asks for it
  CHECK(came.facts[0].json == "20");
  const auto next = workflow::apply(workflow::apply(t, d, came, at(3)).next, d, workflow::taken{"s1"}, at(4)).next;
  CHECK(wanted_by(next, d, 1).from == 4);

  CHECK(taken_of(kept_as(5), kept_as(4)).value().number == 4);
  CHECK(taken_of(kept_as(4), kept_as(5)).value().number == 4);
  CHECK(taken_of(kept_as(4), std::nullopt).value().number == 4);
  CHECK(taken_of(std::nullopt, kept_as(4)).value().number == 4);
  CHECK_FALSE(taken_of(std::nullopt, std::nullopt));
}

TEST_CASE("deciding: an event for one task goes to the first of its steps that takes it") {
  auto d = paid_twice();
  CHECK(steps_for(payment_for_task(), d) == std::vector<std::size_t>{0, 1});
  d.steps[0].wait->name = "shipped";
  CHECK(steps_for(payment_for_task(), d) == std::vector<std::size_t>{1});
}
