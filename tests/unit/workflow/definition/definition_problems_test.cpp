#include "tests/support/workflow/scenario.hpp"

#include "workflow/task/task.hpp"

#include <catch2/catch.hpp>

#include <functional>

using namespace steadfast::workflow;
using namespace steadfast::tests;
using namespace std::chrono_literals;
using texts = std::vector<std::string>;

namespace {

texts of(const std::function<void(definition&)>& change) {
  auto d = pipeline({step_named("a"), step_named("b"), step_named("c")});
  change(d);
  return problems(d);
}

texts of_b(const std::function<void(step_definition&)>& change) {
  return of([&](definition& d) { change(d.steps[1]); });
}

const std::string rule = "must be 1 to 64 of the characters A-Z a-z 0-9 _ -";

} // namespace

TEST_CASE("a sound definition has no problems") {
  CHECK(of([](auto& d) {
          d.steps[0].probe = probe{"asker", 1ms};
          d.steps[1].after = texts{};
          d.steps[1].input = {{"p", {source::kind::payload, "", "/x", ""}},
                              {"l", {source::kind::literal, "", "", " [1] "}}};
          d.steps[2].after = texts{"b", "a"};
          d.steps[2].input = {{"r", {source::kind::result, "a", "", ""}}};
          d.steps[2].when = condition{"a", "/x", condition::test::equals, "[1]"};
          d.steps[2].compensation->input = {{"r", {source::kind::result, "c", "/id", ""}}};
          d.undo_reserve = d.grace = 0ms;
        }).empty());
}

TEST_CASE("names are checked") {
  CHECK(of([](auto& d) { d.name.clear(); }) == texts{"name is missing"});
  CHECK(of([](auto& d) { d.name = "a b"; }) == texts{"name `a b` " + rule});
  CHECK(of([](auto& d) { d.steps[0].name.clear(); }) == texts{"step number 1: name is missing"});
  CHECK(of([](auto& d) { d.steps[2].name = "x/y"; }) == texts{"step number 3: name `x/y` " + rule});
  CHECK(of([](auto& d) { d.steps[2].name = "a"; }) == texts{"step number 3: name `a` is taken by an earlier step"});
  CHECK(of([](auto& d) { d.steps[2].name = "undo"; })
        == texts{"step `undo`: name `undo` is reserved, because idempotency keys end with it"});
  CHECK(of([](auto& d) { d.steps[2].name = "probe"; }).size() == 1);
  CHECK(of_b([](auto& s) { s.agent.clear(); }) == texts{"step `b`: agent is missing"});
  CHECK(of_b([](auto& s) { s.compensation->agent.clear(); }) == texts{"step `b`: compensation.agent is missing"});
  CHECK(of_b([](auto& s) { s.probe = probe{}; }) == texts{"step `b`: probe.agent is missing"});
  CHECK(of_b([](auto& s) { s.agent = std::string(65, 'x'); })
        == texts{"step `b`: agent `" + std::string(64, 'x') + "...` " + rule});
}

TEST_CASE("numbers of the whole definition are checked") {
  CHECK(of([](auto& d) { d.version = 0; }) == texts{"version must be at least 1"});
  CHECK(of([](auto& d) { d.steps.clear(); }) == texts{"steps: there must be at least one"});
  CHECK(of([](auto& d) { d.steps.resize(10'001); }) == texts{"steps: there must be at most 10000"});
  CHECK(of([](auto& d) { d.takeovers_max = 0; }) == texts{"takeovers_max must be at least 1"});
  CHECK(of([](auto& d) { d.priority = 10; }) == texts{"priority must be at most 9"});
  CHECK(of([](auto& d) { d.deadline = 0ms; })
        == texts{"deadline must be above zero", "undo_reserve must be below the deadline"});
  CHECK(of([](auto& d) { d.undo_reserve = d.deadline; }) == texts{"undo_reserve must be below the deadline"});
  CHECK(of([](auto& d) { d.undo_reserve = -1ms; }) == texts{"undo_reserve must not be negative"});
  CHECK(of([](auto& d) { d.grace = -1ms; }) == texts{"grace must not be negative"});
  CHECK(of([](auto& d) { d.alert_after = 0ms; }) == texts{"alert_after must be above zero"});
  CHECK(of([](auto& d) { d.deadline = span_max + 1ms; }) == texts{"deadline must be at most ten years"});
}

TEST_CASE("the result of the whole task is checked") {
  const source of_c{source::kind::result, "c", "/id", ""};
  const source of_nobody{source::kind::result, "x", "/id", ""};
  CHECK(of([&](auto& d) { d.result.value = of_c; }).empty());
  CHECK(of([&](auto& d) { d.result.members = {{"id", of_c, true}}; }).empty());
  CHECK(of([&](auto& d) { d.result.value = of_nobody; }) == texts{"result names the unknown step `x`"});
  CHECK(of([&](auto& d) {
          d.result.value = source{source::kind::payload, "", "x", ""};
        })
        == texts{"result pointer `x` is not a JSON Pointer (\"\" or \"/name/0\")"});
  CHECK(of([&](auto& d) {
          d.result.members = {{"id", of_c}, {"id", of_nobody}};
        })
        == texts{"result has the member `id` twice", "result member `id` names the unknown step `x`"});
  CHECK(of([&](auto& d) {
          d.result = {of_c, {{"id", of_c}}};
        })
        == texts{"result must be one value or members, not both"});
}

TEST_CASE("a literal cannot be optional") {
  CHECK(of_b([](auto& s) {
          s.input = {{"l", {source::kind::literal, "", "", "1"}, true}};
        })
        == texts{"step `b`: input member `l` is optional, but a literal is always present"});
}

TEST_CASE("the most steps that are allowed are checked in no time") {
  definition d = pipeline({});
  for (std::size_t i = 0; i < steps_max; ++i)
    d.steps.push_back(step_named("s" + std::to_string(i)));
  CHECK(problems(d).empty());
}

TEST_CASE("what a step comes after is checked") {
  CHECK(of_b([](auto& s) { s.after = texts{"x"}; }) == texts{"step `b`: after names the unknown step `x`"});
  CHECK(of_b([](auto& s) { s.after = texts{"b"}; }) == texts{"step `b`: after names the step itself"});
  CHECK(of_b([](auto& s) { s.after = texts{"a", "a"}; }) == texts{"step `b`: after names step `a` twice"});
}

TEST_CASE("a cycle is told once, with all its steps") {
  CHECK(of([](auto& d) { d.steps[0].after = texts{"c"}; }) == texts{"steps `a`, `b`, `c`: after makes them a cycle"});
  CHECK(of([](auto& d) {
          d.steps[1].after = texts{"c"};
          d.steps[2].after = texts{"b", "a"};
        })
        == texts{"steps `b`, `c`: after makes them a cycle"});
}

TEST_CASE("inputs are checked") {
  const auto with = [](const source& s) { return of_b([&s](auto& b) { b.input = {{"m", s}}; }); };
  const std::string at = "step `b`: input member `m` ";
  CHECK(with({source::kind::payload, "", "x", ""})
        == texts{at + "pointer `x` is not a JSON Pointer (\"\" or \"/name/0\")"});
  CHECK(with({source::kind::payload, "", "/" + std::string(4096, 'x'), ""})
        == texts{at + "pointer must be at most 4096 bytes"});
  CHECK(with({source::kind::result, "", "", ""}) == texts{at + "names no step"});
  CHECK(with({source::kind::result, "x", "", ""}) == texts{at + "names the unknown step `x`"});
  CHECK(with({source::kind::result, "b", "", ""}) == texts{at + "names step `b`, which does not come before it"});
  CHECK(with({source::kind::result, "c", "~", ""})
        == texts{at + "names step `c`, which does not come before it",
                 at + "pointer `~` is not a JSON Pointer (\"\" or \"/name/0\")"});
  CHECK(with({source::kind::literal, "", "", ""}) == texts{at + "literal `` is not a JSON text"});
  CHECK(with({source::kind::literal, "", "", "\"" + std::string(4095, 'x') + "\""})
        == texts{at + "literal must be at most 4096 bytes"});
  CHECK(with({source::kind::item, "", "", ""})
        == texts{at + "is a place in an item, which only the input of a step with for_each can use"});
  CHECK(with({static_cast<source::kind>(9), "", "", ""}) == texts{at + "has an unknown kind of source"});
}

TEST_CASE("what a step gives to its task, and what it goes over, are places") {
  const auto with = [](wait_rule::kind what) {
    return of_b([what](auto& b) {
      b = {.name = "b"};
      b.wait = wait_rule{.what = what, .at = {source::kind::literal, "", "", "[]"}, .name = "w", .at_a_time = 1};
    });
  };
  const std::string place = "must be a place in the payload or in the result of an earlier step";
  CHECK(with(wait_rule::kind::child) == texts{"step `b`: payload " + place});
  CHECK(with(wait_rule::kind::items) == texts{"step `b`: for_each " + place});
}

TEST_CASE("a step that only waits has no input, not even an empty one") {
  const auto found = of_b([](auto& s) {
    s = {};
    s.name = "b";
    s.wait = wait_rule{};
    s.wait->length = span{1000};
    s.has_empty_input = true;
  });
  CHECK(found == texts{"step `b`: input is not allowed in a step that only waits"});
}

TEST_CASE("a node of a release that would send something else than an empty input cannot read it") {
  definition d;
  d.steps.resize(2);
  CHECK(needed_for(d) == knowledge::none);
  d.steps[0].has_empty_input = true;
  CHECK(needed_for(d) == knowledge::empty_inputs);
  d.steps[0].has_empty_input = false;
  d.steps[1].compensation.emplace().has_empty_input = true;
  CHECK(needed_for(d) == knowledge::empty_inputs);
}

TEST_CASE("members of an input are named, once each, and bounded") {
  const source whole;
  CHECK(of_b([&](auto& s) {
          s.input = {{"m", whole}, {"n", whole}, {"m", whole}};
        })
        == texts{"step `b`: input has the member `m` twice"});
  CHECK(of_b([&](auto& s) { s.input = {{"", whole}}; }) == texts{"step `b`: input has a member without a name"});
  CHECK(of_b([&](auto& s) {
          for (int i = 0; i < 257; ++i)
            s.input.push_back({std::to_string(i), whole});
        })
        == texts{"step `b`: input has more than 256 members"});
}

TEST_CASE("the input of a compensation may read its own step and what came before it") {
  const auto with = [](const std::string& step) {
    return of_b([&step](auto& s) { s.compensation->input = {{"m", {source::kind::result, step, "", ""}}}; });
  };
  CHECK(with("a").empty());
  CHECK(with("b").empty());
  CHECK(with("c") == texts{"step `b`: compensation.input member `m` names step `c`, which does not come before it"});
}

TEST_CASE("conditions are checked") {
  const auto with = [](const condition& c) { return of_b([&c](auto& s) { s.when = c; }); };
  using enum condition::test;
  CHECK(with({"a", "/x", present, ""}).empty());
  CHECK(with({"a", "/x", absent, ""}).empty());
  CHECK(with({"c", "/x", present, ""}) == texts{"step `b`: when names step `c`, which does not come before it"});
  CHECK(with({"a", "x", absent, ""})
        == texts{"step `b`: when pointer `x` is not a JSON Pointer (\"\" or \"/name/0\")"});
  CHECK(with({"a", "", differs, "x"}) == texts{"step `b`: when literal `x` is not a JSON text"});
  CHECK(with({"a", "", equals, "[1, 2]"})
        == texts{"step `b`: when literal `[1, 2]` must be compact, without space between its tokens"});
  CHECK(with({"a", "", static_cast<condition::test>(0), ""}) == texts{"step `b`: when has an unknown kind of test"});
  CHECK(with({"a", "/x", above, "1.5"}).empty());
  CHECK(with({"a", "/x", at_most, "true"}) == texts{"step `b`: when must compare with a number, not `true`"});
  CHECK(with({"payload", "/x", equals, "1"}).empty());
}

TEST_CASE("conditions that are made of conditions are checked") {
  const auto with = [](const condition& c) { return of_b([&c](auto& s) { s.when = c; }); };
  using enum condition::test;
  const condition one{"a", "/x", present, ""};
  const auto made = [](condition::test is, std::vector<condition> parts) { return condition{{}, {}, is, {}, parts}; };
  CHECK(with(made(all, {one, made(any, {one, made(negated, {one})})})).empty());
  CHECK(with(made(any, {})) == texts{"step `b`: when must have at least one condition in `all` or `any`"});
  CHECK(with(made(negated, {one, one})) == texts{"step `b`: when must have exactly one condition in `not`"});
  CHECK(with(made(all, {one, {"c", "/x", present, ""}}))
        == texts{"step `b`: when names step `c`, which does not come before it"});
  auto deep = one;
  for (std::size_t i = 1; i < condition_depth_max; ++i)
    deep = made(negated, {deep});
  CHECK(with(deep).empty());
  CHECK(with(made(negated, {deep})) == texts{"step `b`: when is nested more than 8 conditions deep"});
  CHECK(with(made(all, std::vector<condition>(condition_parts_max, one))).empty());
  CHECK(with(made(all, std::vector<condition>(condition_parts_max + 1, one)))
        == texts{"step `b`: when has more than 64 comparisons"});
  const condition own{"", "/x", present, ""};
  const auto too_many = made(all, std::vector<condition>(condition_parts_max + 1, own));
  CHECK(of_b([&](auto& s) { s.expect = expect_rule{too_many}; })
        == texts{"step `b`: expect has more than 64 comparisons"});
  CHECK(of_b([&](auto& s) {
          s.repeat = repeat_rule{too_many, 1s, 3};
        })
        == texts{"step `b`: repeat.until has more than 64 comparisons"});
  CHECK(of_b([&](auto& s) {
          s.repeat = repeat_rule{own, 1s, 0};
        })
        == texts{"step `b`: repeat.at_most must lie between 2 and 10000"});
}

TEST_CASE("spans and retries are checked, of the step and of its compensation") {
  CHECK(of_b([](auto& s) { s.complete_by = 0ms; }) == texts{"step `b`: complete_by must be above zero"});
  CHECK(of_b([](auto& s) {
          s.probe = probe{"asker", -1ms};
        })
        == texts{"step `b`: probe.complete_by must be above zero"});
  CHECK(of_b([](auto& s) { s.compensation->complete_by = span_max + 1ms; })
        == texts{"step `b`: compensation.complete_by must be at most ten years"});
  CHECK(of_b([](auto& s) { s.compensation->retry.attempts = 0; })
        == texts{"step `b`: compensation.retry.attempts must be at least 1"});
  CHECK(of_b([](auto& s) { s.retry.attempts = 0; }) == texts{"step `b`: retry.attempts must be at least 1"});
  CHECK(of_b([](auto& s) { s.retry.attempts = 1001; }) == texts{"step `b`: retry.attempts must be at most 1000"});
  CHECK(of_b([](auto& s) { s.retry.initial = 0ms; }) == texts{"step `b`: retry.initial must be above zero"});
  CHECK(of_b([](auto& s) { s.retry.cap = 999ms; }) == texts{"step `b`: retry.cap must not be below retry.initial"});
  CHECK(of_b([](auto& s) { s.retry.factor_percent = 99; }) == texts{"step `b`: retry.factor must be at least 1"});
  CHECK(of_b([](auto& s) { s.retry.factor_percent = 10'001; }) == texts{"step `b`: retry.factor must be at most 100"});
  CHECK(of_b([](auto& s) { s.retry.jitter_percent = 101; })
        == texts{"step `b`: retry.jitter must be at most 100 percent"});
}

TEST_CASE("what the supervisor goes by is checked") {
  CHECK(of_b([](auto& s) { s.threshold = 0; }) == texts{"step `b`: threshold must be at least 1"});
  CHECK(of_b([](auto& s) { s.cool_off.wait = 0ms; }) == texts{"step `b`: cool_off.wait must be above zero"});
  CHECK(of_b([](auto& s) { s.cool_off = {0ms, 0}; }).empty());
  CHECK(of_b([](auto& s) { s.threshold = 4'000'000'000; })
        == texts{"step `b`: retry.attempts x threshold x (cool_off.count + 1) must be at most 1000000"});
  CHECK(of_b([](auto& s) { s.exhausted = static_cast<on_exhausted>(0); })
        == texts{"step `b`: on_exhausted must be undo or error"});
}

TEST_CASE("every mistake is told, not only the first") {
  const auto found = of([](auto& d) {
    d.name = "!";
    d.steps[0].agent.clear();
    d.steps[1].after = texts{"x"};
    d.steps[2].retry.attempts = 0;
  });
  CHECK(found.size() == 4);
}
