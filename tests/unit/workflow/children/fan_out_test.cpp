// What is counted of the items of a step, and what becomes of it.

#include "tests/support/workflow/scenario.hpp"
#include "workflow/children/fan_out.hpp"
#include "workflow/definition/item_workflow.hpp"
#include "workflow/definition/payload_needs.hpp"
#include "workflow/task/explain.hpp"
#include "workflow/task/waiting.hpp"
#include "workflow/text/name.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace steadfast::workflow;
using namespace steadfast::tests;

namespace {

step_definition over_items(const std::string& pointer = "/items") {
  auto s = step_named("ship");
  s.wait.emplace();
  s.wait->what = wait_rule::kind::items;
  s.wait->at.pointer = pointer;
  s.wait->at_a_time = 2;
  return s;
}

input_member member(std::string name, source::kind from, std::string pointer, bool optional = false) {
  return {std::move(name), {from, from == source::kind::result ? "a" : "", std::move(pointer), {}}, optional};
}

scenario with_items(const std::string& payload = R"({"items":[{"n":1},{"n":2}],"to":"Lisbon"})") {
  scenario s{pipeline({step_named("a"), over_items(), step_named("b")})};
  s.t.id = "o-1";
  s.t.payload = blob{payload};
  s.take();
  s.succeed("a");
  return s;
}

fan_out fan_out_of(std::uint32_t size, std::uint32_t may_fail = 0) {
  fan_out f;
  f.size = size;
  f.at_a_time = 100;
  f.may_fail = may_fail;
  return f;
}

item_state start_and(fan_out& f, child_state how, const std::string& result = {}, std::size_t max = 1000) {
  ++f.at_work;
  const auto item = ++f.next;
  const auto is = note_item(f, item, item_state::at_work, {how, "so", blob{result}, {}});
  turn_if_failed(f, max);
  return is;
}

child_ended told_of(child_state how, const std::string& progress, std::uint32_t item = 0) {
  return {1, {how, "so", blob{"[1,2]"}, {}, item, progress}};
}

} // namespace

TEST_CASE("what the task of an item is given is the item, or what the input says of it and of its task") {
  auto s = with_items();
  auto x = items_of(s.t, s.d, 1);
  CHECK(x.problem.empty());
  CHECK(x.payloads == std::vector<std::string>{R"({"n":1})", R"({"n":2})"});
  CHECK(x.counts.size == 2);
  CHECK(x.counts.at_a_time == 2);
  s.d.steps[1].input = {member("n", source::kind::item, "/n"), member("to", source::kind::payload, "/to"),
                        member("door", source::kind::item, "/door", true)};
  x = items_of(s.t, s.d, 1);
  CHECK(x.payloads == std::vector<std::string>{R"({"n":1,"to":"Lisbon"})", R"({"n":2,"to":"Lisbon"})"});
  s.d.steps[1].input[2].optional = false;
  CHECK(items_of(s.t, s.d, 1).problem == "item 0: input member `door`: it has no value at \"/door\"");
  s.t.steps.change(0).result = blob{R"({"parts":[7]})"};
  s.d.steps[1].input.clear();
  s.d.steps[1].wait->at = {source::kind::result, "a", "/parts", {}};
  CHECK(items_of(s.t, s.d, 1).payloads == std::vector<std::string>{"7"});
  CHECK(pointers_asked(s.d, 0).empty()); // the array is not kept beside the result
  s.d.steps[1].has_empty_input = true;
  CHECK(items_of(s.t, s.d, 1).payloads == std::vector<std::string>{"{}"});
}

TEST_CASE("a task of an item has its place in its id and in its link") {
  auto s = with_items();
  s.t.number = 9;
  const auto x = items_of(s.t, s.d, 1);
  const auto child = child_for(s.t, s.d, 1, x.counts, 2, x.payloads[1]);
  CHECK(child.what.id == "o-1/ship/1");
  CHECK(child.what.workflow == s.d.name + "--ship");
  CHECK(child.what.version == s.d.version);
  CHECK(child.parent == parent_link{"o-1", 9, 1, 1, (family_max - 2) / 2, 2});
  task t;
  t.parent.change() = child.parent;
  CHECK(is_child_of(t, s.t, 1, 2));
  CHECK_FALSE(is_child_of(t, s.t, 1, 1));
  CHECK_FALSE(is_child_of(t, s.t, 1));
}

TEST_CASE("items are bounded in number, in size and as a part of their family") {
  auto s = with_items("{\"items\":[" + std::string(2 * items_max - 1, ',') + "]}");
  std::string many = "[0";
  for (std::size_t i = 1; i < items_max; ++i)
    many += ",0";
  s.t.payload = blob{"{\"items\":" + many + "]}"};
  CHECK(items_of(s.t, s.d, 1).problem.empty());
  s.t.payload = blob{"{\"items\":" + many + ",0]}"};
  CHECK_THAT(items_of(s.t, s.d, 1).problem, Catch::Contains("10001 items, and at most 10000"));
  s.t.parent.change() = {"p", 1, 0, 1, 1};
  s.t.payload = blob{R"({"items":[1,2]})"};
  CHECK_THAT(items_of(s.t, s.d, 1).problem, Catch::Contains("100000"));
  s.t.parent.change() = {"p", 1, 0, depth_max, 100};
  CHECK_THAT(items_of(s.t, s.d, 1).problem, Catch::Contains("8 deep"));
  s.t.parent.clear();
  s.t.payload = blob{"{\"items\":[\"" + std::string(items_size_max, 'x') + "\"]}"};
  CHECK_THAT(items_of(s.t, s.d, 1).problem, Catch::Contains("16777216 bytes together"));
}

TEST_CASE("a share of the items that may fail is rounded down") {
  auto s = with_items(R"({"items":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19]})");
  s.d.steps[1].wait->may_fail = 10;
  s.d.steps[1].wait->may_fail_is_percentage = true;
  CHECK(items_of(s.t, s.d, 1).counts.may_fail == 1);
  s.d.steps[1].wait->may_fail_is_percentage = false;
  CHECK(items_of(s.t, s.d, 1).counts.may_fail == 10);
}

TEST_CASE("a fan-out ends when all its items have, and is turned by one failure more than may be") {
  auto f = fan_out_of(3, 1);
  CHECK(start_and(f, child_state::processed, "1") == item_state::done);
  CHECK(start_and(f, child_state::undone) == item_state::failed);
  CHECK_FALSE(have_ended(f));
  CHECK(to_string(f) == "1 of 3 done, 1 failed");
  auto well = f;
  CHECK(start_and(well, child_state::processed, "1") == item_state::done);
  CHECK(have_ended(well));
  CHECK(start_and(f, child_state::refused) == item_state::failed);
  CHECK(f.is_turned);
  CHECK_FALSE(have_ended(f));
  CHECK_FALSE(may_start_next(f));
  CHECK(f.undo_next == 3);
  CHECK_FALSE(are_undone(f));
  CHECK(f.why == "2 items failed, the first item 1: so");
}

TEST_CASE("an end of an item counts once, however often it is told") {
  auto f = fan_out_of(2);
  CHECK(start_and(f, child_state::processed, "1") == item_state::done);
  const auto once = f;
  CHECK(note_item(f, 1, item_state::done, {child_state::processed, {}, blob{"1"}, {}}) == item_state::done);
  CHECK(f == once);
}

TEST_CASE("of items in error the first is named, and the undo of one ends when its task says so") {
  auto f = fan_out_of(3);
  CHECK(start_and(f, child_state::in_error) == item_state::in_error);
  CHECK(start_and(f, child_state::in_error) == item_state::in_error);
  CHECK(f.in_error == 2);
  CHECK(f.first_in_error == 1);
  CHECK(note_item(f, 1, item_state::in_error, {child_state::at_work, {}, {}, {}}) == item_state::at_work);
  CHECK(f.in_error == 1);
  CHECK(f.first_in_error == 0); // the store finds it
  turn(f, "so");
  CHECK(note_undo(f, 2, item_state::in_error) == item_state::undoing);
  CHECK(note_undo(f, 1, item_state::at_work) == item_state::undoing);
  f.undo_next = 0;
  CHECK(f.in_error == 0);
  CHECK(f.at_work == 0);
  CHECK(note_item(f, 1, item_state::undoing, {child_state::undo_failed, {}, {}, {}}) == item_state::undo_in_error);
  CHECK(note_item(f, 1, item_state::undo_in_error, {child_state::at_work, {}, {}, {}}) == item_state::undoing);
  CHECK(note_item(f, 1, item_state::undoing, {child_state::processed, {}, {}, {}}) == item_state::undo_in_error);
  CHECK(f.first_in_error == 1); // a person let it go on
  CHECK(note_item(f, 2, item_state::undoing, {child_state::undone, {}, {}, {}}) == item_state::undone);
  CHECK_FALSE(are_undone(f));
  CHECK(note_item(f, 1, item_state::undo_in_error, {child_state::undone, {}, {}, {}}) == item_state::undone);
  CHECK(are_undone(f));
}

TEST_CASE("results larger than a step may have turn a fan-out, and at most twenty or so counts are told") {
  auto f = fan_out_of(3, 3);
  CHECK(start_and(f, child_state::processed, std::string(10, '1'), 30) == item_state::done);
  CHECK_FALSE(f.is_turned);
  start_and(f, child_state::undone, {}, 30);
  CHECK_FALSE(f.is_turned);
  start_and(f, child_state::processed, std::string(12, '1'), 30);
  CHECK(f.is_turned);
  auto many = fan_out_of(1000);
  int told = 0;
  for (int i = 0; i < 1000; ++i) {
    start_and(many, child_state::processed, "1", 100'000);
    if (is_telling_due(many)) {
      many.told = many.done;
      ++told;
    }
  }
  CHECK(told == 20);
}

TEST_CASE("a step over items waits for them, tells their counts, and has their results") {
  auto s = with_items();
  CHECK(s.state("ship") == "waiting");
  CHECK(s.state() == "pending");
  CHECK(wait_of(s.t, s.d, s.now)->detail == "step `ship`: waits for its items");
  s.must(told_of(child_state::counted, "1 of 2 done"));
  CHECK(s.raise(told_of(child_state::counted, "1 of 2 done")) == event_status::ignored);
  const auto told = explain(s.t, s.d, s.now);
  CHECK(std::any_of(told.begin(), told.end(), [](const explanation& e) {
    return e.text.find("for the ends of its items' tasks of workflow") != std::string::npos
           && e.text.find("1 of 2 done") != std::string::npos;
  }));
  s.must(told_of(child_state::in_error, {}, 2));
  CHECK_THAT(s.at("ship").waiting_for, Catch::Contains("task `o-1/ship/1` is in error: so"));
  REQUIRE(s.alerts.size() == 1);
  s.must(told_of(child_state::in_error, {}, 1));
  CHECK_THAT(s.at("ship").waiting_for, Catch::Contains("task `o-1/ship/0` is in error: so"));
  CHECK(s.alerts.size() == 1);
  s.must(told_of(child_state::at_work, {}));
  CHECK_FALSE(s.at("ship").wait_alerted);
  s.must(told_of(child_state::processed, "2 of 2 done"));
  CHECK(s.state("ship") == "completed");
  CHECK(s.at("ship").result.view() == "[1,2]");
  CHECK(s.at("ship").wait->progress == "2 of 2 done");
  CHECK(s.at("ship").log.back().note == "2 of 2 done");
}

TEST_CASE("a task that was taken in from another store tells that it does not go on with its items") {
  auto s = with_items();
  const auto tells = [&s] {
    const auto told = explain(s.t, s.d, s.now);
    return std::any_of(told.begin(), told.end(), [](const explanation& e) {
      return e.text.find("imported from another store, and does not continue them here") != std::string::npos;
    });
  };
  CHECK_FALSE(tells());
  s.t.acts.push_back({s.now - span{1}, "eve", "suspend", "imported: before they were begun"});
  CHECK_FALSE(tells());
  s.t.acts.push_back({s.now, "eve", "suspend", "imported"});
  CHECK(tells());
}

TEST_CASE("items that were undone, or cannot be begun, fail their step for good") {
  auto s = with_items();
  s.must(told_of(child_state::undone, "1 of 2 done, 1 failed"));
  CHECK(s.state("ship") == "failed");
  CHECK_THAT(s.t.cause, Catch::Contains("its items were undone: so"));
  auto t = with_items();
  t.must(told_of(child_state::refused, {}));
  CHECK_THAT(t.t.cause, Catch::Contains("its items could not be started: so"));
}

TEST_CASE("the workflow of items is the step's, and says what is wrong with it") {
  auto d = pipeline({step_named("a"), over_items()});
  CHECK(problems(d).empty());
  const auto made = item_workflow(d, 1);
  CHECK(problems(made).empty());
  CHECK(made.name == d.name + "--ship");
  CHECK(made.steps[0].agent == d.steps[1].agent);
  CHECK(made.steps[0].compensation == d.steps[1].compensation);
  CHECK(needed_for(d) == knowledge::for_each);
  CHECK(needed_for(made) == knowledge::none);
  CHECK_THAT(payload_needs{d}.problems("{}").front(), Catch::Contains("step `ship` goes over"));
  d.steps[1].retry.attempts = 0;
  CHECK_THAT(problems(d).front(), Catch::Contains("step `ship`: retry.attempts"));
  d.steps[1].retry.attempts = 1;
  d.steps[1].wait->at_a_time = 0;
  CHECK_THAT(problems(d).front(), Catch::Contains("at_a_time must lie between 1 and 1000"));
  d.steps[1].wait->at_a_time = 1;
  d.steps[1].wait->may_fail = 101;
  CHECK(problems(d).empty());
  d.steps[1].wait->may_fail_is_percentage = true;
  CHECK_THAT(problems(d).front(), Catch::Contains("may_fail must be at most 100 percent"));
  d.steps[1].wait->may_fail = 5;
  d.steps[1].wait->name = "other";
  CHECK_THAT(problems(d).front(), Catch::Contains("agent is not allowed in a step that starts a task"));
  d.name = std::string(name_size_max, 'x');
  d.steps[1].wait->name.clear();
  CHECK(problems(d).empty());
  CHECK(workflow_of_items(d, 1).size() == name_size_max);
}
