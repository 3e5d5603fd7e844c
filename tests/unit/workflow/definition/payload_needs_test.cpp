#include "workflow/definition/payload_needs.hpp"

#include "tests/support/workflow/scenario.hpp"
#include "workflow/definition/item_workflow.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using namespace steadfast::tests;
using texts = std::vector<std::string>;

namespace {

source of_payload(std::string pointer) {
  return {source::kind::payload, {}, std::move(pointer), {}};
}

/// Whose step `a` takes its input from these places.
definition looking_at(const std::vector<std::string>& pointers) {
  auto d = pipeline({step_named("a")});
  for (const auto& p : pointers)
    d.steps[0].input.push_back({"m" + std::to_string(d.steps[0].input.size()), of_payload(p)});
  return d;
}

texts lacks(const definition& d, const std::string& payload) {
  return payload_needs{d}.problems(payload);
}

bool has(const std::string& payload, const std::string& pointer) {
  return lacks(looking_at({pointer}), payload).empty();
}

} // namespace

TEST_CASE("a place that the payload lacks is named with its step, member and pointer") {
  auto d = pipeline({step_named("a"), step_named("b")});
  d.steps[0].input = {{"to", of_payload("/to")}, {"seat", of_payload("/seat/0")}};
  d.steps[1].compensation->input = {{"who", of_payload("/who")}};
  CHECK(lacks(d, R"({"to":null,"seat":[1],"who":"Ada"})").empty());
  CHECK(lacks(d, R"({"to":"Oslo","seat":[],"who":1})")
        == texts{"payload has no value at \"/seat/0\", which step `a` needs for its input member `seat`"});
  CHECK(lacks(d, R"({"seat":[1]})")
        == texts{"payload has no value at \"/to\", which step `a` needs for its input member `to`",
                 "payload has no value at \"/who\", which the undo of step `b` needs for its input member `who`"});
  CHECK(
    lacks(d, "oops")
    == texts{"payload is not JSON in UTF-8, or is nested too deep, and has no value at \"/to\", which step `a` needs "
             "for its input member `to`"});
}

TEST_CASE("what is optional, literal or of an earlier step is not needed of the payload") {
  auto d = pipeline({step_named("a"), step_named("b")});
  d.steps[1].input = {{"o", of_payload("/o"), true},
                      {"l", {source::kind::literal, "", "", "1"}},
                      {"r", {source::kind::result, "a", "/r", ""}}};
  CHECK(payload_needs{d}.empty());
  CHECK(lacks(d, "no JSON at all").empty());
}

TEST_CASE("a step that may be skipped needs its places too") {
  auto d = pipeline({step_named("a"), step_named("b")});
  d.steps[1].when = condition{"a", "/x", condition::test::present, ""};
  d.steps[1].input = {{"to", of_payload("/to")}};
  CHECK(lacks(d, "{}").size() == 1);
}

TEST_CASE("the workflow's result needs its places") {
  auto d = pipeline({step_named("a")});
  d.result.members = {{"who", of_payload("/who")}, {"to", of_payload("/to"), true}};
  CHECK(lacks(d, "{}")
        == texts{"payload has no value at \"/who\", which the workflow's result needs for its member `who`"});
  d.result = {of_payload("/who"), {}};
  CHECK(lacks(d, "{}") == texts{"payload has no value at \"/who\", which is the workflow's result"});
}

TEST_CASE("places are found as RFC 6901 says") {
  CHECK(has("5", ""));
  CHECK(has(R"({"a":{"b":[0,{"c":null}]}})", "/a/b/1/c"));
  CHECK(has(R"({"":1,"a/b":2,"m~n":3,"~1":4,"0":5})", "/"));
  CHECK(has(R"({"a/b":2})", "/a~1b"));
  CHECK(has(R"({"m~n":3})", "/m~0n"));
  CHECK(has(R"({"~1":3})", "/~01"));
  CHECK(has(R"({"0":3})", "/0"));
  CHECK(has(R"({"\u00e9":3})", "/é"));
  for (const auto* document : {"[1]", "{}", "5", "null", "\"text\"", R"({"a":{"y":1},"b":{"x":1}})"})
    for (const auto* pointer : {"/x", "/-", "/00", "/99999999999999999999", "/0/0", "/~1", "/a/x"}) {
      INFO(document << " at " << pointer);
      CHECK_FALSE(has(document, pointer));
    }
}

TEST_CASE("of members with one name the last counts, as for those who read the payload") {
  CHECK_FALSE(has(R"({"a":{"b":1},"a":{}})", "/a/b"));
  CHECK(has(R"({"a":{},"a":{"b":1}})", "/a/b"));
}

TEST_CASE("a payload that lacks very much is told in few words") {
  std::vector<std::string> pointers;
  for (int i = 0; i < 200; ++i)
    pointers.push_back("/p" + std::to_string(i));
  const auto found = lacks(looking_at(pointers), "{}");
  CHECK(found.size() == 6);
  CHECK(found.back() == "and it lacks 195 more");
}

TEST_CASE("a value that a wait cannot go by is named with the step, its place and what is there") {
  auto d = pipeline({step_named("a")});
  auto& rule = d.steps[0].wait.emplace();
  rule.at = of_payload("/x");
  rule.length = std::chrono::hours{1};
  const auto told = [&](wait_rule::kind what, const std::string& value) {
    rule.what = what;
    const auto all = lacks(d, R"({"x":)" + value + "}");
    return all.empty() ? std::string{} : all.front();
  };
  const auto of_items = [&](std::size_t size) { return "[" + std::string(2 * size - 1, ',') + "]"; };
  auto full = of_items(items_max);
  for (std::size_t i = 0; i < items_max; ++i)
    full[2 * i + 1] = '1';
  using kind = wait_rule::kind;
  CHECK(told(kind::items, "[]").empty());
  CHECK(told(kind::items, full).empty());
  CHECK(told(kind::items, R"("y")") == R"(payload value at "/x", which step `a` goes over, is "y", and not an array)");
  CHECK(told(kind::items, "[1," + full.substr(1))
        == R"(payload value at "/x", which step `a` goes over, has 10001 items, and at most 10000 are allowed)");
  CHECK(told(kind::event, R"("y")").empty());
  CHECK(told(kind::event, "4711").empty());
  CHECK(told(kind::event, R"({"id":1})")
        == R"(payload value at "/x", which step `a` waits by, is {"id":1}, and not a text or a number)");
  CHECK(told(kind::event, R"("")") == R"(payload value at "/x", which step `a` waits by, is empty)");
  CHECK(told(kind::until, R"("2026-12-24T18:00:00+01:00")").empty());
  CHECK_THAT(told(kind::until, R"("soon")"),
             Catch::StartsWith(R"(payload value at "/x", which step `a` waits by, is "soon", and not a moment)"));
  CHECK(told(kind::next, R"("Europe/Lisbon")").empty());
  CHECK_THAT(
    told(kind::next, R"("Mars/Olympus")"),
    Catch::StartsWith(R"(payload value at "/x", which step `a` waits by, is "Mars/Olympus", and not a time zone)"));
  CHECK(told(kind::child, "5").empty()); // a task may be given anything
  d.steps[0].when = condition{"a", "/x", condition::test::present, ""};
  CHECK(told(kind::items, R"("y")").empty()); // it may never go over it
}
