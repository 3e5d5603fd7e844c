// Steps that go over items: what is stored with what, however many there are.

#include "tests/unit/store/samples.hpp"
#include "tests/unit/store/support.hpp"
#include "workflow/definition/item_workflow.hpp"
#include "workflow/transition/transition.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

/// `order` has a step that ships each of its items, and then sends the bill.
workflow::definition order(std::uint32_t at_a_time, std::uint32_t may_fail) {
  workflow::definition d;
  d.name = "order";
  d.takeovers_max = 1;
  auto ship = step_named("ship");
  ship.wait.emplace();
  ship.wait->what = workflow::wait_rule::kind::items;
  ship.wait->at.pointer = "/items";
  ship.wait->at_a_time = at_a_time;
  ship.wait->may_fail = may_fail;
  d.steps = {ship, step_named("bill")};
  return d;
}

std::string payload_of(std::size_t items) {
  std::string text = R"({"items":[)";
  for (std::size_t i = 0; i < items; ++i)
    text += (i == 0 ? "" : ",") + std::to_string(i * 10);
  return text + "]}";
}

struct warehouse {
  opened_store store;
  std::int64_t seconds = 1;

  warehouse(std::size_t items, std::uint32_t at_a_time, std::uint32_t may_fail = 0) {
    REQUIRE(store.one(register_definition{order(at_a_time, may_fail)}).result == write_status::applied);
    workflow::submission s;
    s.id = "o";
    s.workflow = "order";
    s.payload = workflow::blob{payload_of(items)};
    store.one(submit_task{s, at(0)});
    claim();
  }

  answer<claim_tasks> claim(std::size_t max = 1000) { return store.one(claim_tasks{"s1", max, at(seconds++)}); }
  static std::string item(std::size_t i) { return "o/ship/" + std::to_string(i); }

  void raise(const std::string& id, const workflow::event& e) {
    const auto t = *store->find(id);
    const auto d = *store->find_definition(t.workflow, t.version);
    auto w = update_by(t, d, e, at(seconds++));
    const auto o = store.one(std::move(w));
    INFO(id << ": " << o.why);
    REQUIRE(o.result == write_status::applied);
  }
  workflow::attempt_ref ref(const std::string& id, std::size_t step = 0) {
    const auto t = *store->find(id);
    return {step, t.steps[step].attempt, t.lock_epoch};
  }
  void succeed(const std::string& id, const std::string& result = "1", std::size_t step = 0) {
    raise(id, workflow::attempt_succeeded{ref(id, step), workflow::blob{result}, {}});
  }
  void refuse(const std::string& id, std::size_t step = 0) {
    raise(id, workflow::attempt_failed{ref(id, step), true, false, {}, "no room"});
  }
  /// Until it is set aside.
  void lose_schedulers_of(const std::string& id) {
    for (auto limit = order(1, 0).takeovers_max + 1; limit > 0; --limit) {
      raise(id, workflow::lock_lapsed{});
      claim();
    }
    REQUIRE(state(id) == "error");
  }
  std::string state(const std::string& id) { return std::string{workflow::to_string(store->find(id)->state)}; }
  const workflow::step ship() { return store->find("o")->steps[0]; }
  std::string ship_state() { return std::string{workflow::to_string(ship().state)}; }
  std::size_t made() { return store->counts().last_number - 1; }
  void expect_whole() { CHECK(store->check().faults == std::vector<std::string>{}); }
};

/// What a step with a condition goes over is looked at when it begins, not at the submission.
const workflow::condition there_are_items{std::string{workflow::payload_word}, "/items",
                                          workflow::condition::test::present, ""};

const workflow::by clerk{"clerk", "a test"};

} // namespace

TEST_CASE("row 128: each item is a task, so many at a time, and their results are gathered in order") {
  warehouse x{5, 2};
  CHECK(x.ship_state() == "waiting");
  CHECK(x.made() == 2);
  CHECK(x.store->find(x.item(0))->payload.view() == "0");
  CHECK(x.store->find(x.item(1))->workflow == "order--ship");
  x.expect_whole();
  x.claim();
  x.succeed(x.item(1), "\"b\"");
  CHECK(x.made() == 3); // in the same commit
  x.expect_whole();
  x.claim();
  x.succeed(x.item(0), "\"a\"");
  x.claim();
  for (const auto i : {3U, 2U}) {
    x.succeed(x.item(i), std::to_string(i));
    x.claim();
  }
  CHECK(x.ship().wait->progress == "4 of 5 done");
  CHECK(x.made() == 5);
  x.store.reopen();
  x.succeed(x.item(4), "4");
  CHECK(x.ship_state() == "completed");
  CHECK(x.ship().result.view() == R"(["a","b",2,3,4])");
  CHECK(x.ship().wait->progress == "5 of 5 done");
  x.expect_whole();
  x.claim();
  x.succeed("o", "{}", 1);
  CHECK(x.state("o") == "processed");
  x.expect_whole();
}

TEST_CASE("row 128: a step over no items is done at once, and one over what is no array fails for good") {
  warehouse x{0, 2};
  CHECK(x.ship_state() == "completed");
  CHECK(x.ship().result.view() == "[]");
  workflow::submission s;
  s.id = "p";
  s.workflow = "order";
  s.payload = workflow::blob{R"({"items":{"a":1}})"};
  const auto refused = x.store.one(submit_task{s, at(0)});
  CHECK(refused.result == write_status::refused);
  CHECK_THAT(refused.why, Catch::Contains(R"("/items", which step `ship` goes over, is {"a":1}, and not an array)"));
  auto may_skip = order(2, 0);
  may_skip.version = 2;
  may_skip.steps[0].when = there_are_items;
  REQUIRE(x.store.one(register_definition{may_skip}).result == write_status::applied);
  x.store.one(submit_task{s, at(0)});
  x.claim();
  CHECK(x.state("p") == "undone");
  CHECK_THAT(x.store->find("p")->cause, Catch::Contains("what it goes over is no array"));
  x.expect_whole();
}

TEST_CASE("row 129: items that may fail leave null, and one more undoes those that ended well") {
  SECTION("as many as may") {
    warehouse x{3, 3, 1};
    x.claim();
    x.succeed(x.item(0), "7");
    x.refuse(x.item(1));
    CHECK(x.ship_state() == "waiting");
    x.succeed(x.item(2), "9");
    CHECK(x.ship_state() == "completed");
    CHECK(x.ship().result.view() == "[7,null,9]");
    CHECK(x.ship().wait->progress == "2 of 3 done, 1 failed");
    x.expect_whole();
  }
  SECTION("one more") {
    warehouse x{5, 3, 1};
    x.claim();
    x.refuse(x.item(0));
    x.claim();
    x.succeed(x.item(1), "7");
    x.claim();
    CHECK(x.made() == 5);
    x.refuse(x.item(2));
    CHECK(x.ship_state() == "waiting"); // until all is undone
    CHECK(x.state(x.item(1)) == "undoing");
    CHECK(x.state(x.item(3)) == "undoing");
    x.expect_whole();
    x.claim();
    for (const auto i : {3U, 4U})
      x.raise(x.item(i), workflow::attempt_stopped{x.ref(x.item(i)), false});
    x.store.reopen();
    x.claim();
    CHECK(x.ship_state() == "waiting");
    x.succeed(x.item(1)); // its undo
    CHECK(x.ship_state() == "failed");
    CHECK(x.state("o") == "undone");
    CHECK_THAT(x.store->find("o")->cause,
               Catch::Contains("2 items failed, the first item 0: ") && Catch::Contains("no room"));
    x.expect_whole();
  }
}

TEST_CASE("row 129: items that were not started never are once one has failed") {
  warehouse x{4, 1};
  x.claim();
  x.refuse(x.item(0));
  CHECK(x.state("o") == "undone");
  CHECK(x.made() == 1);
  x.claim();
  CHECK(x.made() == 1);
  x.expect_whole();
}

TEST_CASE("row 130: undo of a task undoes the items that ended well, also long after, and cancel those under way") {
  SECTION("after it was gathered") {
    warehouse x{3, 3, 1};
    x.claim();
    x.succeed(x.item(0));
    x.refuse(x.item(1));
    x.succeed(x.item(2));
    x.claim();
    const auto left = [&] { return x.store->find_items_undo(x.store->find("o")->number, 0).value(); };
    CHECK(left().tasks == 2);
    CHECK(left().first == std::vector<std::uint32_t>{3, 1}); // nothing of the second is in place
    CHECK(left().first_under_way == 0);
    x.refuse("o", 1); // the bill
    CHECK(left().tasks == 2);
    CHECK(left().first_under_way == 3);
    CHECK(x.ship_state() == "compensating");
    CHECK(x.state(x.item(0)) == "undoing");
    CHECK(x.state(x.item(1)) == "undone");
    x.expect_whole();
    x.store.reopen();
    x.claim();
    x.succeed(x.item(2));
    CHECK(x.ship_state() == "compensating");
    CHECK(left().tasks == 1);
    CHECK(left().first_under_way == 1);
    x.succeed(x.item(0));
    CHECK(x.ship_state() == "compensated");
    CHECK(left().tasks == 0);
    CHECK(x.state("o") == "undone");
    x.expect_whole();
  }
  SECTION("cancel") {
    warehouse x{4, 2};
    x.claim();
    x.succeed(x.item(0));
    x.claim();
    x.raise("o", workflow::cancelled{clerk});
    x.claim();
    CHECK(x.ship_state() == "compensating");
    CHECK(x.made() == 3);
    CHECK(x.state(x.item(0)) == "processed"); // two at a time
    x.expect_whole();
    for (const auto i : {1U, 2U})
      x.raise(x.item(i), workflow::attempt_stopped{x.ref(x.item(i)), false});
    CHECK(x.state(x.item(0)) == "undoing");
    x.claim();
    x.succeed(x.item(0));
    CHECK(x.state("o") == "undone");
    x.expect_whole();
  }
}

TEST_CASE(
  "row 130: an item in error names itself on its parent, one incident has both, and whoever helps it helps both") {
  warehouse x{3, 3};
  x.claim();
  for (const auto i : {2U, 1U}) {
    x.raise(x.item(i), workflow::undo_requested{clerk});
    x.raise(x.item(i), workflow::attempt_succeeded{x.ref(x.item(i)), workflow::blob{"1"}, {}});
    x.claim();
    x.refuse(x.item(i)); // its undo
    REQUIRE(x.state(x.item(i)) == "error");
    CHECK_THAT(x.ship().waiting_for, Catch::Contains("task `" + x.item(i) + "` is in error"));
    x.expect_whole();
  }
  const auto incidents = x.store->incidents(false, std::nullopt, 10).incidents;
  REQUIRE(incidents.size() == 1);
  CHECK(incidents[0].tasks == 3);
  x.raise(x.item(1), workflow::step_retried{0, false, clerk});
  CHECK_THAT(x.ship().waiting_for, Catch::Contains("task `" + x.item(2) + "` is in error"));
  x.raise(x.item(2), workflow::step_retried{0, false, clerk});
  CHECK_FALSE(x.ship().wait_alerted);
  x.expect_whole();
  x.claim();
  x.succeed(x.item(2));
  x.claim();
  x.succeed(x.item(1));
  x.raise(x.item(0), workflow::attempt_stopped{x.ref(x.item(0)), false});
  CHECK(x.state("o") == "undone");
  x.expect_whole();
}

TEST_CASE("row 130: an item whose undo fails puts its task into error once the others are undone") {
  warehouse x{3, 3};
  x.claim();
  for (const auto i : {0U, 1U, 2U})
    x.succeed(x.item(i));
  x.claim();
  x.refuse("o", 1);
  x.claim();
  x.refuse(x.item(1));
  CHECK(x.ship_state() == "compensating");
  const auto left = x.store->find_items_undo(x.store->find("o")->number, 0).value();
  CHECK(left.first == std::vector<std::uint32_t>{3, 2, 1});
  CHECK(left.first_in_error == 2);
  CHECK(left.first_under_way == 3);
  CHECK_FALSE(x.store->find_items_undo(x.store->find("o")->number, 1)); // it goes over no items
  x.succeed(x.item(0));
  x.succeed(x.item(2));
  CHECK(x.ship_state() == "compensation_failed");
  CHECK_THAT(x.ship().error, Catch::Contains(x.item(1)));
  CHECK(x.state("o") == "error");
  x.expect_whole();
  x.raise(x.item(1), workflow::step_retried{0, false, clerk});
  x.claim();
  x.succeed(x.item(1));
  CHECK(x.ship_state() == "compensated");
  CHECK(x.state("o") == "undone");
  x.expect_whole();
}

TEST_CASE("row 130: an undo that a person asks for again tells the items again that refused") {
  warehouse x{2, 2};
  x.claim();
  x.succeed(x.item(0));
  x.succeed(x.item(1));
  x.claim();
  x.refuse("o", 1);
  x.claim();
  x.refuse(x.item(0));
  x.succeed(x.item(1));
  REQUIRE(x.state("o") == "error");
  x.raise("o", workflow::undo_requested{clerk});
  x.claim();
  CHECK(x.ship_state() == "compensating");
  CHECK(x.state(x.item(0)) == "undoing");
  x.claim();
  x.succeed(x.item(0));
  CHECK(x.state("o") == "undone");
  x.expect_whole();
}

TEST_CASE("row 130: an item that is let go on in place of its undo holds no undo up, and is told again") {
  warehouse x{1, 1};
  x.claim();
  x.raise("o", workflow::undo_requested{clerk});
  x.lose_schedulers_of(x.item(0));
  REQUIRE(x.state("o") == "error"); // before anything was undone
  x.raise(x.item(0), workflow::step_retried{0, false, clerk});
  x.raise("o", workflow::step_retried{0, false, clerk}); // while the item is on its way
  x.claim();
  x.succeed(x.item(0));
  CHECK(x.state(x.item(0)) == "undoing");
  x.expect_whole();
  x.seconds += 100; // the call before may have acted until then
  x.claim();
  x.succeed(x.item(0));
  CHECK(x.state("o") == "undone");
  x.expect_whole();
}

TEST_CASE("row 130: an item that went on although it was to be undone is told of as still in place") {
  warehouse x{2, 2};
  x.claim();
  x.raise("o", workflow::undo_requested{clerk});
  x.lose_schedulers_of(x.item(1));
  x.raise(x.item(1), workflow::step_retried{0, false, clerk});
  x.claim();
  x.succeed(x.item(1));
  CHECK(x.state("o") == "undoing"); // the other is on its way
  x.succeed(x.item(0));
  x.claim();
  x.succeed(x.item(0));
  CHECK(x.state("o") == "error");
  CHECK_THAT(x.ship().error, Catch::Contains("`o/ship/1` could not be undone: a person let it go on, and it was"));
  x.expect_whole();
  x.raise("o", workflow::step_retried{0, false, clerk});
  x.claim();
  CHECK(x.state(x.item(1)) == "undoing");
  x.expect_whole();
}

TEST_CASE("row 130: items are undone the last one first, so many at a time, and one whose undo fails holds none up") {
  warehouse x{4, 1};
  for (const auto i : {0U, 1U, 2U, 3U}) {
    x.claim();
    x.succeed(x.item(i));
  }
  x.claim();
  x.refuse("o", 1); // the bill
  for (const auto i : {3U, 2U, 1U}) {
    CHECK(x.state(x.item(i)) == "undoing");
    CHECK(x.state(x.item(i - 1)) == "processed");
    x.expect_whole();
    x.claim();
    if (i == 2)
      x.refuse(x.item(i));
    else
      x.succeed(x.item(i));
    x.store.reopen();
  }
  x.claim();
  x.succeed(x.item(0));
  CHECK(x.ship_state() == "compensation_failed");
  CHECK(x.store->find(x.item(2))->state == workflow::process_state::error);
  x.expect_whole();
}

TEST_CASE("row 130: while their task is suspended no item is started or undone, and then they go on") {
  warehouse x{4, 1};
  x.raise("o", workflow::suspended{clerk});
  x.claim();
  x.succeed(x.item(0)); // which had been started
  CHECK(x.made() == 1);
  x.expect_whole();
  x.store.reopen();
  x.claim();
  CHECK(x.made() == 1);
  x.raise("o", workflow::resumed{clerk});
  CHECK(x.made() == 2);
  x.expect_whole();
  x.claim();
  x.succeed(x.item(1));
  CHECK(x.made() == 3);
  x.claim();
  x.raise("o", workflow::undo_requested{clerk});
  x.claim();
  REQUIRE(x.state(x.item(2)) == "undoing");
  x.raise("o", workflow::suspended{clerk});
  x.succeed(x.item(2));
  x.claim();
  x.succeed(x.item(2)); // its undo
  REQUIRE(x.state(x.item(2)) == "undone");
  CHECK(x.state(x.item(1)) == "processed");
  x.expect_whole();
  x.raise("o", workflow::resumed{clerk});
  for (const auto i : {1U, 0U}) {
    CHECK(x.state(x.item(i)) == "undoing");
    x.claim();
    x.succeed(x.item(i));
    x.expect_whole();
  }
  CHECK(x.state("o") == "undone");
}

TEST_CASE("row 130: items that fail while their task is suspended are undone when it is resumed") {
  warehouse x{3, 3};
  x.claim();
  x.succeed(x.item(0));
  x.raise("o", workflow::suspended{clerk});
  x.refuse(x.item(1));
  CHECK(x.state(x.item(0)) == "processed");
  CHECK(x.state("o") == "suspended");
  x.expect_whole();
  x.raise("o", workflow::resumed{clerk});
  CHECK(x.state(x.item(2)) == "undoing");
  CHECK(x.state(x.item(0)) == "undoing");
  x.expect_whole();
}

TEST_CASE("row 130: an item whose undo failed is not told again when its task is suspended and resumed") {
  warehouse x{2, 2};
  x.claim();
  x.succeed(x.item(0));
  x.succeed(x.item(1));
  x.claim();
  x.refuse("o", 1); // the bill
  x.claim();
  x.refuse(x.item(1)); // its undo
  REQUIRE(x.state(x.item(1)) == "error");
  x.raise("o", workflow::suspended{clerk});
  x.raise("o", workflow::resumed{clerk});
  CHECK(x.state(x.item(1)) == "error");
  CHECK(x.state(x.item(0)) == "undoing");
  x.expect_whole();
  x.succeed(x.item(0));
  CHECK(x.state("o") == "error");
}

TEST_CASE("row 130: an item in error holds no other up") {
  warehouse x{3, 1};
  x.claim();
  x.raise(x.item(0), workflow::undo_requested{clerk});
  x.raise(x.item(0), workflow::attempt_succeeded{x.ref(x.item(0)), workflow::blob{"1"}, {}});
  x.claim();
  x.refuse(x.item(0)); // its undo
  REQUIRE(x.state(x.item(0)) == "error");
  CHECK(x.made() == 2);
  x.expect_whole();
  x.claim();
  x.succeed(x.item(1));
  CHECK(x.made() == 3);
  x.claim();
  x.succeed(x.item(2));
  CHECK(x.ship_state() == "waiting");
  x.expect_whole();
  x.raise(x.item(0), workflow::step_retried{0, false, clerk});
  x.claim();
  x.succeed(x.item(0));
  CHECK(x.state(x.item(2)) == "undoing"); // one more has failed than may
  x.expect_whole();
}

TEST_CASE("row 130: what ended well of a step that was passed over stays, whatever becomes of the rest") {
  warehouse x{3, 3};
  x.claim();
  x.succeed(x.item(0), "7");
  x.raise("o", workflow::step_skipped{0, workflow::blob{"{}"}, {}, clerk});
  x.refuse(x.item(1));
  x.refuse(x.item(2));
  x.claim();
  CHECK(x.state(x.item(0)) == "processed");
  x.expect_whole();
  x.succeed("o", "{}", 1);
  CHECK(x.state("o") == "processed");
  CHECK(x.state(x.item(0)) == "processed");
  x.expect_whole();
  x.raise("o", workflow::undo_requested{clerk}); // and is undone with its task
  x.claim();
  x.succeed("o", "{}", 1); // the undo of the bill
  x.claim();
  CHECK(x.state(x.item(0)) == "undoing");
}

TEST_CASE(
  "row 128: thousands of items are made in bounded commits, which go on after a crash, and their task hardly changes") {
  constexpr std::size_t many = 1000;
  warehouse x{many, 1000};
  CHECK(x.made() == 200);
  x.expect_whole();
  x.store.reopen();
  while (x.made() < many) {
    const auto before = x.made();
    x.claim(1);
    REQUIRE(x.made() > before);
    REQUIRE(x.made() <= before + 200);
  }
  x.expect_whole();
  const auto revision = x.store->find("o")->revision;
  for (std::size_t i = 0; i < many; ++i) {
    if (x.state(x.item(i)) == "pending")
      x.claim(20);
    x.succeed(x.item(i));
  }
  CHECK(x.ship_state() == "completed");
  CHECK(x.store->find("o")->revision < revision + 25);
  x.claim();
  x.refuse("o", 1);
  x.expect_whole();
  x.store.reopen();
  for (int k = 0; k < 6; ++k)
    x.claim(1);
  CHECK(x.state(x.item(0)) == "undoing");
  x.expect_whole();
}

TEST_CASE("row 128: results that are too large together undo the items and fail the step") {
  opened_store store;
  warehouse x{3, 1};
  const std::string large = '"' + std::string(600'000, 'x') + '"';
  x.claim();
  x.succeed(x.item(0), large);
  x.claim();
  x.succeed(x.item(1), large);
  CHECK(x.made() == 2);
  for (const auto i : {1U, 0U}) {
    x.claim();
    x.succeed(x.item(i)); // its undo
  }
  CHECK(x.state("o") == "undone");
  CHECK_THAT(x.store->find("o")->cause, Catch::Contains("are more than 1048576 bytes together"));
  x.expect_whole();
}

TEST_CASE("row 130: items leave the store with their task and not before") {
  warehouse x{3, 3};
  x.claim();
  for (const auto i : {0U, 1U, 2U})
    x.succeed(x.item(i));
  purge_ended purge;
  purge.workflow = "order--ship";
  purge.keep.keep_for = std::chrono::seconds{1};
  purge.max = 10;
  purge.now = at(1000);
  CHECK(x.store.one(purge).purged == 0);
  x.claim();
  x.succeed("o", "{}", 1);
  CHECK(x.store.one(purge).purged == 0);
  purge.workflow = "order";
  CHECK(x.store.one(purge).purged == 1);
  CHECK_FALSE(x.store->find(x.item(2)));
  x.expect_whole();
}

TEST_CASE("row 128: the workflow of a step's items is stored with that of the step, and takes no other's name") {
  opened_store store;
  const auto d = order(1, 0);
  auto other = workflow::item_workflow(d, 0);
  other.deadline = std::chrono::hours{1};
  REQUIRE(store.one(register_definition{other}).result == write_status::applied);
  const auto refused = store.one(register_definition{d});
  CHECK(refused.result == write_status::refused);
  CHECK_THAT(refused.why, Catch::Contains("step `ship` makes a workflow order--ship version 1"));
  CHECK_FALSE(store->find_definition("order", 1));
}

TEST_CASE(
  "row 128: a file of a workflow over items that was changed is told as any other, and once it is mended no more") {
  opened_store store;
  const auto d = order(1, 0);
  REQUIRE(store.one(register_definition{d, "order.toml", at(0)}).result == write_status::applied);
  auto changed = d;
  changed.deadline += workflow::span{1}; // that of the items' workflow too
  const auto refused = store.one(register_definition{changed, "order.toml", at(1)});
  CHECK_THAT(refused.why, Catch::Contains("workflow order version 1 is already registered with different content"));
  const auto open = store->incidents(true, std::nullopt, 10).incidents;
  REQUIRE(open.size() == 1);
  CHECK(open[0].what.kind == changed_workflow);
  REQUIRE(store.one(register_definition{d, "order.toml", at(2)}).result == write_status::applied);
  CHECK(store->incidents(true, std::nullopt, 10).incidents.empty());
}

TEST_CASE(
  "row 124: a child that was to be started by the write in which another step failed never was, and is undone") {
  opened_store store;
  auto d = order(1, 0);
  d.steps.resize(1);
  auto child = d.steps[0];
  child.name = "then";
  child.agent.clear();
  child.compensation.reset();
  child.wait->what = workflow::wait_rule::kind::child;
  child.wait->name = "delivery";
  child.wait->at.pointer.clear();
  child.after.emplace();
  d.steps[0].when = there_are_items;
  auto items = d.steps[0];
  items.name = "last";
  items.after.emplace();
  d.steps.push_back(child);
  d.steps.push_back(items);
  REQUIRE(store.one(register_definition{d}).result == write_status::applied);
  workflow::submission s;
  s.id = "o";
  s.workflow = "order";
  s.payload = workflow::blob{R"({"items":7})"};
  store.one(submit_task{s, at(0)});
  for (int i = 1; i < 4; ++i)
    store.one(claim_tasks{"s1", 10, at(i)});
  CHECK(store->find("o")->state == workflow::process_state::undone);
  CHECK_FALSE(store->find("o/then"));
  CHECK(store->check().faults == std::vector<std::string>{});
}

TEST_CASE("row 128: a task that is taken in from another store begins its items here, unless it had begun them there") {
  for (const bool had_begun : {false, true}) {
    INFO(had_begun);
    opened_store there;
    REQUIRE(there.one(register_definition{order(2, 0)}).result == write_status::applied);
    workflow::submission s;
    s.id = "o";
    s.workflow = "order";
    s.payload = workflow::blob{payload_of(3)};
    there.one(submit_task{s, at(0)});
    if (had_begun)
      there.one(claim_tasks{"s1", 10, at(1)});
    opened_store here;
    REQUIRE(here.one(import_task{*there->export_task("o"), "eve", "a test", at(2)}).result == write_status::applied);
    const auto raise = [&](const workflow::event& e, std::int64_t seconds) {
      const auto t = *here->find("o");
      REQUIRE(here.one(update_by(t, *here->find_definition(t.workflow, t.version), e, at(seconds))).result
              == write_status::applied);
    };
    raise(workflow::resumed{clerk}, 3);
    for (const std::int64_t seconds : {4, 5})
      here.one(claim_tasks{"s1", 10, at(seconds)});
    CHECK(here->find("o/ship/0").has_value() != had_begun);
    CHECK(here->check().faults == std::vector<std::string>{});
    if (!had_begun)
      continue;
    raise(workflow::cancelled{clerk}, 6);
    here.one(claim_tasks{"s1", 10, at(7)});
    CHECK(here->find("o")->state == workflow::process_state::error);
    CHECK(here->find("o")->steps[0].error == "its items could not be undone: its items are not in this store");
  }
}
