// Tasks that steps could not start with what they would give them of the payload.

#include "workflow/children/child_payload.hpp"

#include "tests/support/workflow/scenario.hpp"
#include "workflow/children/child.hpp"

#include <catch2/catch.hpp>

#include <map>

using namespace steadfast::workflow;
using namespace steadfast::tests;
using texts = std::vector<std::string>;

namespace {

/// The workflows that there are.
class known_workflows {
public:
  void add(definition d, const std::string& name) {
    d.name = name;
    const auto& kept = all_[name] = std::move(d);
    needs_.erase(name);
    needs_.emplace(name, payload_needs{kept});
  }
  texts problems(const std::string& of, const std::string& payload) const {
    return problems_of_children(all_.at(of), payload, [this](const std::string& name) {
      return all_.contains(name) ? workflow_of_child{&all_.at(name), &needs_.at(name)} : workflow_of_child{};
    });
  }

private:
  std::map<std::string, definition> all_;
  std::map<std::string, payload_needs> needs_;
};

step_definition starting_task(const std::string& name, const std::string& workflow, const std::string& pointer) {
  auto s = step_named(name);
  s.agent.clear();
  s.compensation.reset();
  s.wait.emplace();
  s.wait->what = wait_rule::kind::child;
  s.wait->name = workflow;
  s.wait->at.pointer = pointer;
  return s;
}

step_definition going_over(const std::string& name, const std::string& workflow, const std::string& pointer) {
  auto s = starting_task(name, workflow, pointer);
  s.wait->what = wait_rule::kind::items;
  s.wait->at_a_time = 2;
  return s;
}

input_member from_payload(const std::string& name, const std::string& pointer) {
  return {name, {source::kind::payload, {}, pointer, {}}};
}

/// `box` needs a size, and `order` has that one step.
known_workflows with_box(step_definition step) {
  known_workflows k;
  auto box = pipeline({step_named("pack")});
  box.steps[0].input = {from_payload("size", "/size")};
  k.add(box, "box");
  k.add(pipeline({std::move(step)}), "order");
  return k;
}

const std::string pack_needs = "payload has no value at \"/size\", which step `pack` needs for its input member `size`";

} // namespace

TEST_CASE("a part of the payload that a step's task cannot begin with is named with the step and the place") {
  const auto part = with_box(starting_task("gift", "box", "/gift"));
  CHECK(part.problems("order", R"({"gift":{"size":1}})").empty());
  CHECK(part.problems("order", R"({"size":1,"gift":{}})")
        == texts{"the task of workflow `box` that step `gift` starts could not begin: " + pack_needs});
  const auto whole = with_box(starting_task("gift", "box", ""));
  CHECK(whole.problems("order", R"({"size":1})").empty());
  CHECK(whole.problems("order", R"({"gift":{"size":1}})").size() == 1);
}

TEST_CASE("of a step over items the first item that is no payload for its task is named") {
  const auto k = with_box(going_over("boxes", "box", "/items"));
  CHECK(k.problems("order", R"({"items":[]})").empty());
  CHECK(k.problems("order", R"({"items":[{"size":1},{"size":2}]})").empty());
  CHECK(k.problems("order", R"({"items":[{"size":1},{},{}]})")
        == texts{"the task of workflow `box` that item 1 of step `boxes` starts could not begin: " + pack_needs});
}

TEST_CASE("a task that may never be started, may fail, or is given something else is not looked at") {
  const auto lacks = [](step_definition s) {
    return !with_box(std::move(s)).problems("order", R"({"x":{},"y":[{}]})").empty();
  };
  const auto child = starting_task("a", "box", "/x");
  const auto items = going_over("a", "box", "/y");
  REQUIRE(lacks(child));
  REQUIRE(lacks(items));
  for (auto s : {child, items}) {
    s.when = condition{std::string{payload_word}, "/z", condition::test::present, ""};
    CHECK_FALSE(lacks(s));
    s.when.reset();
    s.wait->name = "unknown";
    CHECK_FALSE(lacks(s));
  }
  auto of_result = child;
  of_result.wait->at = {source::kind::result, "b", "/x", {}};
  CHECK_FALSE(lacks(of_result));
  auto may_fail = items;
  may_fail.wait->may_fail = 1;
  CHECK_FALSE(lacks(may_fail));
  auto has_input = items;
  has_input.input = {{"size", {source::kind::literal, {}, {}, "1"}}};
  CHECK_FALSE(lacks(has_input));
  auto by_agent = items;
  by_agent.wait->name.clear();
  by_agent.agent = "packer";
  CHECK_FALSE(lacks(by_agent));
}

TEST_CASE("the key of the limit of a task's workflow is asked for too") {
  auto k = with_box(starting_task("gift", "box", ""));
  auto box = pipeline({step_named("pack")});
  box.limit = limit_rule{"/who", 1};
  k.add(box, "box");
  CHECK(k.problems("order", R"({"who":"ada"})").empty());
  CHECK_THAT(k.problems("order", R"({"who":[1]})").front(),
             Catch::Contains("step `gift`") && Catch::Contains("the key of the workflow's limit, payload:/who, "));
}

TEST_CASE("what tasks start in their turn is looked at, as deep as they may lie, and each of them once") {
  auto k = with_box(starting_task("gift", "box", "/gift"));
  k.add(pipeline({starting_task("outer", "order", "/order")}), "fair");
  CHECK(k.problems("fair", R"({"order":{"gift":{"size":1}}})").empty());
  CHECK(k.problems("fair", R"({"order":{"gift":{}}})")
        == texts{"the task of workflow `box` that step `gift` of that of step `outer` starts could not begin: "
                 + pack_needs});
  known_workflows deep; // each level has two steps with all of the payload
  for (std::uint32_t i = 0; i <= depth_max; ++i) {
    const auto next = "w" + std::to_string(i + 1);
    deep.add(pipeline({starting_task("a", next, ""), starting_task("b", next, "")}), "w" + std::to_string(i));
  }
  auto last = pipeline({step_named("pack")});
  last.steps[0].input = {from_payload("size", "/size")};
  deep.add(last, "w" + std::to_string(depth_max + 1));
  CHECK(deep.problems("w0", "{}").empty()); // it lies too deep to be started at all
  CHECK(deep.problems("w1", "{}").size() == 1);
  known_workflows round;
  round.add(pipeline({starting_task("again", "round", "")}), "round");
  CHECK(round.problems("round", "{}").empty());
}
