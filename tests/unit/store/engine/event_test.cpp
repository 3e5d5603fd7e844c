// Events that come before, after and while steps wait for them.

#include "tests/unit/store/samples.hpp"
#include "tests/unit/store/support.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

/// `times` steps that wait for an event `paid` with the key at /order, and then one of an agent.
register_definition payment(std::size_t times = 1) {
  workflow::definition d;
  d.name = "payment";
  for (std::size_t i = 0; i < times; ++i) {
    auto& s = d.steps.emplace_back();
    s.name = "pay" + std::to_string(i);
    s.wait.emplace();
    s.wait->what = workflow::wait_rule::kind::event;
    s.wait->name = "paid";
    s.wait->length = std::chrono::hours{1};
    s.wait->at.pointer = "/order";
  }
  auto& last = d.steps.emplace_back();
  last.name = "ship";
  last.agent = "carrier";
  return {d};
}

submit_task order_of(const std::string& id, const std::string& key) {
  workflow::submission s;
  s.id = id;
  s.workflow = "payment";
  s.payload = workflow::blob{"{\"order\":\"" + key + "\"}"};
  return {s, at(0)};
}

send_event paid(const std::string& key, std::int64_t seconds = 2) {
  send_event w;
  w.name = "paid";
  w.key = key;
  w.data = "{\"euros\":20}";
  w.who = "bank";
  w.now = at(seconds);
  return w;
}

claim_tasks claim(std::int64_t seconds = 1, std::size_t max = 10) {
  return {"s1", max, at(seconds)};
}

std::string state_of(opened_store& store, const std::string& id, std::size_t step = 0) {
  return std::string{workflow::to_string(store->find(id)->steps[step].state)};
}

void expect_whole(opened_store& store) {
  CHECK(store->check().faults == std::vector<std::string>{});
}

} // namespace

TEST_CASE("row 113: an event is taken by the tasks that wait for its key, and by no others") {
  opened_store store;
  REQUIRE(store.one(payment()).result == write_status::applied);
  for (const std::string id : {"a", "b", "c"})
    store.one(order_of(id, id == "c" ? "o-2" : "o-1"));
  CHECK(store.one(claim()).tasks.empty()); // they only wait
  REQUIRE(state_of(store, "a") == "waiting");
  expect_whole(store);
  const auto o = store.one(paid("o-1"));
  REQUIRE(o.result == write_status::applied);
  CHECK(o.number == 1);
  CHECK(o.taken == 2);
  CHECK(state_of(store, "a") == "completed");
  CHECK(store->find("a")->steps[0].result.view() == "{\"euros\":20}");
  CHECK(state_of(store, "c") == "waiting");
  expect_whole(store);
  CHECK(store.one(claim(3)).tasks.size() == 2);
}

TEST_CASE("row 113: an event that came before the step began is taken as soon as it begins, once by each task") {
  opened_store store;
  REQUIRE(store.one(payment(2)).result == write_status::applied);
  CHECK(store.one(paid("o-1", 0)).taken == 0);
  store.one(order_of("a", "o-1"));
  store.one(order_of("b", "o-1"));
  store.one(claim());
  for (const std::string id : {"a", "b"}) {
    CHECK(state_of(store, id, 0) == "completed");
    CHECK(store->find(id)->steps[0].wait->event == 1);
  }
  store.one(claim(2));
  CHECK(state_of(store, "a", 1) == "waiting");
  CHECK(store.one(paid("o-1", 3)).taken == 2);
  CHECK(store->find("a")->steps[1].wait->event == 2);
  expect_whole(store);
}

TEST_CASE("row 113: events are taken in the order in which they came") {
  opened_store store;
  REQUIRE(store.one(payment(2)).result == write_status::applied);
  store.one(paid("o-1", 0));
  store.one(paid("o-1", 0));
  store.one(order_of("a", "o-1"));
  store.one(claim());
  store.one(claim(2));
  CHECK(store->find("a")->steps[0].wait->event == 1);
  CHECK(store->find("a")->steps[1].wait->event == 2);
}

TEST_CASE("row 113: an event whose time is over is not taken, and leaves") {
  opened_store store;
  REQUIRE(store.one(payment()).result == write_status::applied);
  auto brief = paid("o-1", 0);
  brief.keep_for = std::chrono::seconds{5};
  REQUIRE(store.one(brief).result == write_status::applied);
  auto late = order_of("late", "o-1");
  late.now = at(5);
  store.one(late);
  store.one(claim(5));
  CHECK(state_of(store, "late") == "waiting");
  REQUIRE(store.one(paid("o-9", 6)).result == write_status::applied);
  expect_whole(store);
}

TEST_CASE("row 113: an event is refused when nobody could ever take it") {
  opened_store store;
  REQUIRE(store.one(payment()).result == write_status::applied);
  auto other = paid("o-1");
  other.name = "sent";
  CHECK(store.one(other).why == "no workflow has a step that waits for an event `sent` with a key");
  CHECK(store.one(paid("")).why == "no workflow has a step that waits for an event `paid` without a key");
  auto to_task = paid("");
  to_task.task_id = "a";
  CHECK(store.one(to_task).result == write_status::absent);
  store.one(order_of("a", "o-1"));
  store.one(claim());
  CHECK(store.one(to_task).taken == 1);
  CHECK(store.one(to_task).why == "the task does not wait for another event of that name");
  auto both = to_task;
  both.key = "o-1";
  CHECK(store.one(both).why == "an event is for a key or for a task, not for both");
  auto bad = paid("o-1");
  bad.data = "{";
  CHECK(store.one(bad).why == "data is not a JSON text");
}

TEST_CASE("row 113: an event that was refused is kept once a workflow is there that waits for it") {
  opened_store store;
  REQUIRE(store.one(paid("o-1")).result == write_status::refused);
  if (GENERATE(false, true))
    store.reopen();
  REQUIRE(store.one(payment()).result == write_status::applied);
  CHECK(store.one(paid("")).result == write_status::refused);
  CHECK(store.one(paid("o-1")).result == write_status::applied);
  store.reopen();
  CHECK(store.one(paid("")).result == write_status::refused);
  CHECK(store.one(paid("o-1")).result == write_status::applied);
}

TEST_CASE("row 113: of an event that very many wait for, claims hand out the rest, also after a restart") {
  opened_store store;
  REQUIRE(store.one(payment()).result == write_status::applied);
  constexpr std::size_t count = 1200;
  for (std::size_t i = 0; i < count; ++i)
    store.one(order_of("t" + std::to_string(i), "o-1"));
  store.one(claim(1, count));
  const auto first = store.one(paid("o-1"));
  CHECK(first.taken == 500);
  CHECK(first.more);
  store.reopen();
  expect_whole(store);
  std::size_t taken = 0;
  for (std::size_t i = 0; i < 10 && taken < count; ++i)
    taken += store.one(claim(3, 1000)).tasks.size();
  CHECK(taken == count);
  expect_whole(store);
}

TEST_CASE("row 113: a task whose time is over takes an event that was sent before, and not yet handed to it") {
  opened_store store;
  REQUIRE(store.one(payment()).result == write_status::applied);
  for (std::size_t i = 0; i < 1200; ++i)
    store.one(order_of("t" + std::to_string(i), "o-1"));
  store.one(claim(1, 1200));
  store.one(paid("o-1"));
  store.one(claim(3601, 1200));
  CHECK(state_of(store, "t1199") == "completed");
}

TEST_CASE("row 113: an event that comes when the time of a step is over is not taken, though its task is suspended") {
  opened_store store;
  REQUIRE(store.one(payment()).result == write_status::applied);
  store.one(order_of("a", "o-1"));
  store.one(claim(1));
  const workflow::by person{"ann", "because"};
  REQUIRE(store.one(update_by(*store->find("a"), payment().what, workflow::suspended{person}, at(10))).result
          == write_status::applied);
  auto to_task = paid("", 3601);
  to_task.task_id = "a";
  SECTION("too late") {
    CHECK(store.one(paid("o-1", 3601)).taken == 0);
    CHECK(store.one(to_task).why == "the task does not wait for another event of that name");
    CHECK(state_of(store, "a") == "waiting");
  }
  SECTION("in time") {
    to_task.now = at(3600);
    CHECK(store.one(to_task).taken == 1);
    CHECK(state_of(store, "a") == "completed");
  }
  expect_whole(store);
}

namespace {

send_event with_id(const std::string& id, const std::string& key, std::int64_t seconds = 2) {
  auto w = paid(key, seconds);
  w.id = id;
  return w;
}

} // namespace

TEST_CASE("row 136: an event that is sent again with its id changes nothing, whoever waits by then") {
  opened_store store;
  REQUIRE(store.one(payment()).result == write_status::applied);
  store.one(order_of("a", "o-1"));
  store.one(claim());
  const auto first = store.one(with_id("evt-1", "o-1"));
  CHECK(first.taken == 1);
  CHECK_FALSE(first.again);
  store.one(order_of("b", "o-1")); // waits for the next one: it began after the first came, and takes that
  store.one(claim(3));
  CHECK(state_of(store, "b") == "completed");
  store.reopen();
  const auto again = store.one(with_id("evt-1", "o-1", 4));
  CHECK(again.result == write_status::applied);
  CHECK(again.again);
  CHECK(again.number == first.number);
  CHECK(again.taken == 0);
  CHECK(store.one(with_id("evt-2", "o-1", 5)).number == first.number + 1); // another one
  expect_whole(store);
}

TEST_CASE("row 136: a second step of the same key does not take an event that was sent twice with one id") {
  opened_store store;
  REQUIRE(store.one(payment(2)).result == write_status::applied);
  store.one(order_of("a", "o-1"));
  store.one(claim());
  store.one(with_id("evt-1", "o-1"));
  store.one(claim(3));
  REQUIRE(state_of(store, "a", 1) == "waiting");
  CHECK(store.one(with_id("evt-1", "o-1", 4)).again);
  CHECK(state_of(store, "a", 1) == "waiting");
  CHECK(store.one(with_id("evt-2", "o-1", 4)).taken == 1);
}

TEST_CASE("row 136: an id that came with another event is refused, and is free once that has left") {
  opened_store store;
  REQUIRE(store.one(payment()).result == write_status::applied);
  auto brief = with_id("evt-1", "o-1", 0);
  brief.keep_for = std::chrono::seconds{5};
  REQUIRE(store.one(brief).result == write_status::applied);
  CHECK(store.one(with_id("evt-1", "o-2", 1)).why
        == "the id `evt-1` was already sent with an event `paid` for another key or task, or with other data");
  auto other_data = with_id("evt-1", "o-1", 1);
  other_data.data = "{\"euros\":21}";
  CHECK(store.one(other_data).result == write_status::refused);
  other_data.data = "{ \"euros\": 2e1 }"; // the same in other words
  CHECK(store.one(other_data).again);
  const auto after = store.one(with_id("evt-1", "o-2", 5));
  CHECK_FALSE(after.again);
  CHECK(after.number == 2);
  expect_whole(store);
  store.one(with_id("evt-3", "o-3", 500'000));
  store.one(with_id("evt-4", "o-3", 1'200'000)); // those before have left, with their ids
  expect_whole(store);
}

TEST_CASE("row 147: whether an event would be taken is answered as if it came, and it is neither kept nor taken") {
  opened_store store;
  REQUIRE(store.one(payment()).result == write_status::applied);
  store.one(order_of("a", "o-1"));
  store.one(claim());
  auto asked = with_id("evt-1", "o-1");
  asked.is_question = true;
  for (int i = 0; i < 2; ++i) {
    const auto o = store.one(asked);
    CHECK(o.result == write_status::applied);
    CHECK_FALSE(o.again);
    CHECK(o.taken == 0);
  }
  CHECK(store->events({}, at(3), {}, 10).events.empty());
  CHECK(state_of(store, "a") == "waiting");
  CHECK(store.one(with_id("evt-1", "o-1")).number == 1);
  CHECK(store.one(asked).again);
  asked.data = "7";
  CHECK(store.one(asked).result == write_status::refused);
  asked.name = "heard";
  CHECK(store.one(asked).result == write_status::refused);
  expect_whole(store);
}

TEST_CASE("row 136: an event to a task is recognised too when that waits no more, and an id belongs to its name") {
  opened_store store;
  REQUIRE(store.one(payment()).result == write_status::applied);
  store.one(order_of("a", "o-1"));
  store.one(claim());
  auto to_task = with_id("evt-1", "");
  to_task.task_id = "a";
  CHECK(store.one(to_task).taken == 1);
  CHECK(store.one(to_task).again);
  CHECK(store.one(with_id("evt-1", "o-1")).result == write_status::refused);
  auto too_long = with_id(std::string(257, 'x'), "o-1");
  CHECK(store.one(too_long).why == "id must have at most 256 bytes and no control characters");
}

TEST_CASE("kept events are listed by name, key and number, page by page, without those that have expired") {
  opened_store store;
  REQUIRE(store.one(payment()).result == write_status::applied);
  store.one(order_of("a", "o-1"));
  auto brief = paid("o-2", 0);
  brief.keep_for = std::chrono::seconds{5};
  store.one(brief);
  store.one(with_id("evt-1", "o-1", 1));
  store.one(paid("o-1", 2));
  auto to_task = paid("", 3);
  to_task.task_id = "a";
  store.one(to_task);
  const auto numbers = [&](const event_filter& filter, std::int64_t seconds, std::size_t max) {
    std::vector<std::uint64_t> found;
    event_page page;
    do {
      page = store->events(filter, at(seconds), page.next, max);
      CHECK(page.events.size() <= max);
      for (const auto& e : page.events)
        found.push_back(e.number);
    } while (!page.next.empty());
    return found;
  };
  using list = std::vector<std::uint64_t>;
  const auto max = GENERATE(std::size_t{1}, std::size_t{2}, std::size_t{100});
  CHECK(numbers({}, 4, max) == list{4, 2, 3, 1});
  CHECK(numbers({}, 5, max) == list{4, 2, 3});
  CHECK(numbers({"paid", {}, {}}, 5, max) == list{4, 2, 3});
  CHECK(numbers({"paid", "o-1", {}}, 5, max) == list{2, 3});
  CHECK(numbers({"paid", {}, "a"}, 5, max) == list{4});
  CHECK(numbers({"pai", {}, {}}, 5, max).empty());
  const auto first = store->events({"paid", "o-1", {}}, at(5), {}, 1).events.at(0);
  CHECK(first.id == "evt-1");
  CHECK(first.key == "o-1");
  CHECK(first.who == "bank");
  CHECK(first.data_size == std::string{"{\"euros\":20}"}.size());
  CHECK(first.expires_at > first.at);
  const auto of_task = store->events({"paid", {}, "a"}, at(5), {}, 1).events.at(0);
  CHECK(of_task.task == "a");
  CHECK(of_task.key.empty());
}

TEST_CASE("row 113: a task that is taken in from another store takes an event that is kept here") {
  opened_store there;
  REQUIRE(there.one(payment()).result == write_status::applied);
  there.one(order_of("a", "o-1"));
  there.one(claim());
  REQUIRE(state_of(there, "a") == "waiting");
  opened_store here;
  REQUIRE(here.one(payment()).result == write_status::applied);
  REQUIRE(here.one(with_id("evt-1", "o-1", 2)).taken == 0);
  REQUIRE(here.one(import_task{*there->export_task("a"), "eve", "a test", at(3)}).result == write_status::applied);
  CHECK(state_of(here, "a") == "completed");
  CHECK(here.one(with_id("evt-1", "o-1", 4)).again);
  expect_whole(here);
}
