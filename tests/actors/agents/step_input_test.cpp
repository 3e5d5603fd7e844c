#include "actors/agents/step_input.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using workflow::attempt_action;
using workflow::source;

namespace {

/// Steps `find` and `book`; `book` gets the members given.
workflow::definition booking(workflow::input_mapping input) {
  workflow::definition d;
  d.name = "trip";
  d.steps.resize(2);
  d.steps[0].name = "find";
  d.steps[1].name = "book";
  d.steps[1].input = std::move(input);
  return d;
}

workflow::task task_with(std::string payload, std::string found) {
  workflow::task t;
  t.payload = workflow::blob{std::move(payload)};
  t.steps.resize(2);
  t.steps.change(0).state = workflow::step_state::completed;
  t.steps.change(0).result = workflow::blob{std::move(found)};
  return t;
}

source of_payload(std::string pointer) {
  return {source::kind::payload, {}, std::move(pointer), {}};
}
source of_result(std::string pointer) {
  return {source::kind::result, "find", std::move(pointer), {}};
}
source literally(std::string text) {
  return {source::kind::literal, {}, {}, std::move(text)};
}

} // namespace

TEST_CASE("a step without a mapping gets the payload as it is, JSON or not") {
  const auto in = actors::make_input(task_with("\x01 raw", "{}"), booking({}), 1, attempt_action::perform);
  CHECK(in.bytes == "\x01 raw");
  CHECK(in.problem.empty());
}

TEST_CASE("an input without members is an empty object, of a step and of its undo") {
  auto d = booking({});
  d.steps[1].has_empty_input = true;
  d.steps[1].compensation.emplace();
  const auto t = task_with(R"({"card":"4111"})", "{}");
  CHECK(actors::make_input(t, d, 1, attempt_action::perform).bytes == "{}");
  CHECK(actors::make_input(t, d, 1, attempt_action::compensate).bytes == R"({"card":"4111"})");
  d.steps[1].has_empty_input = false;
  d.steps[1].compensation->has_empty_input = true;
  CHECK(actors::make_input(t, d, 1, attempt_action::perform).bytes == R"({"card":"4111"})");
  CHECK(actors::make_input(t, d, 1, attempt_action::compensate).bytes == "{}");
}

TEST_CASE("members come from the payload, from earlier results and from the definition") {
  const auto d =
    booking({{"who", of_payload("/user/name")}, {"seat", of_result("/seats/1")}, {"class", literally("2")}});
  const auto t = task_with(R"({"user":{"name":"Ada"}})", R"({"seats":["1A","1B"]})");
  const auto in = actors::make_input(t, d, 1, attempt_action::perform);
  CHECK(in.problem.empty());
  CHECK(in.bytes == R"({"class":2,"seat":"1B","who":"Ada"})");
}

TEST_CASE("an empty pointer names the whole document") {
  const auto in =
    actors::make_input(task_with("[1,2]", "{}"), booking({{"all", of_payload("")}}), 1, attempt_action::perform);
  CHECK(in.bytes == R"({"all":[1,2]})");
}

TEST_CASE("a value reaches the agent, the result and the conditions with exactly the text that it had") {
  const std::string odd =
    R"({"big":123456789012345678901234567890,"price":1.10,"huge":1e400,"none":-0.0,"text":"\u00e9\/"})";
  const std::string spaced = R"( { "big" : 123456789012345678901234567890 , "price" : 1.10,
    "huge":1e400, "none" :-0.0,"text":"\u00e9\/" } )";
  auto d = booking({{"a", of_payload("")}, {"b", of_result("/x/0/price")}, {"c", literally("1.50")}});
  const auto t = task_with(spaced, R"({"x": [)" + spaced + "]}");
  const auto in = actors::make_input(t, d, 1, attempt_action::perform);
  CHECK(in.problem.empty());
  CHECK(in.bytes == R"({"a":)" + odd + R"(,"b":1.10,"c":1.50})");

  auto processed = t;
  processed.state = workflow::process_state::processed;
  d.result = {{}, {{"n", of_result("/x/0/huge")}}};
  CHECK(actors::result_of(processed, d) == R"({"n":1e400})");

  d.steps[1].when = workflow::condition{"find", "/x/0", workflow::condition::test::equals, odd};
  const auto facts = actors::facts_of(d, 0, t.steps[0].result.view());
  REQUIRE(facts.size() == 1);
  CHECK(facts[0].json == odd);
}

TEST_CASE("a value that is not there is a problem that names the member and the pointer") {
  const auto in = actors::make_input(task_with("{}", R"({"a":1})"), booking({{"seat", of_result("/seat")}}), 1,
                                     attempt_action::perform);
  CHECK(in.bytes.empty());
  CHECK(in.problem == "input `seat`: the result of step `find` has no value at \"/seat\"");
}

TEST_CASE("a payload that is no JSON is a problem for a step that looks into it") {
  const auto in =
    actors::make_input(task_with("{oops", "{}"), booking({{"who", of_payload("/who")}}), 1, attempt_action::perform);
  CHECK(in.problem == "input `who`: the payload is not JSON, or is nested too deep");
}

TEST_CASE("a document nested without end is a problem of the step, not the end of the node") {
  const auto d = booking({{"seat", of_result("")}});
  const auto t = task_with("{}", std::string(500'000, '[') + std::string(500'000, ']'));
  const auto in = actors::make_input(t, d, 1, attempt_action::perform);
  CHECK(in.problem == "input `seat`: the result of step `find` is not JSON, or is nested too deep");
}

TEST_CASE("what comes from a skipped step is null") {
  auto t = task_with("{}", "");
  t.steps.change(0).state = workflow::step_state::skipped;
  const auto in = actors::make_input(t, booking({{"seat", of_result("/seat")}}), 1, attempt_action::perform);
  CHECK(in.problem.empty());
  CHECK(in.bytes == R"({"seat":null})");
}

TEST_CASE("an optional member is left out where there is no such value") {
  auto d = booking({{"seat", of_result("/seat"), true}, {"who", of_payload("/who"), true}});
  auto t = task_with(R"({"who":"Ada"})", R"({"row":1})");
  CHECK(actors::make_input(t, d, 1, attempt_action::perform).bytes == R"({"who":"Ada"})");
  t.payload = workflow::blob{"no JSON"};
  CHECK(actors::make_input(t, d, 1, attempt_action::perform).bytes == "{}");
  t.steps.change(0).state = workflow::step_state::skipped;
  t.steps.change(0).result = {};
  CHECK(actors::make_input(t, d, 1, attempt_action::perform).bytes == "{}");
  d.steps[0].compensation.emplace();
  d.steps[0].compensation->input = {{"seat", of_result("/seat"), true}, {"row", of_result("/row")}};
  CHECK(actors::make_input(task_with("{}", ""), d, 0, attempt_action::compensate).bytes == R"({"row":null})");
}

TEST_CASE("the result of a processed task is what its workflow says, of any other there is none") {
  auto d = booking({});
  auto t = task_with(R"({"who":"Ada"})", R"({"seat":"1A"})");
  t.state = workflow::process_state::processed;
  CHECK(actors::result_of(t, d).empty());
  d.result.value = of_result("/seat");
  CHECK(actors::result_of(t, d) == R"("1A")");
  t.state = workflow::process_state::undone;
  CHECK(actors::result_of(t, d).empty());
  t.state = workflow::process_state::processed;
  d.result.value = of_result("/row");
  CHECK(actors::result_of(t, d) == "null");

  d.result = {{},
              {{"seat", of_result("/seat")},
               {"who", of_payload("/who")},
               {"row", of_result("/row")},
               {"door", of_payload("/door"), true}}};
  CHECK(actors::result_of(t, d) == R"({"row":null,"seat":"1A","who":"Ada"})");
  t.steps.change(0).state = workflow::step_state::skipped;
  t.steps.change(0).result = {};
  d.result.members[0].optional = true;
  CHECK(actors::result_of(t, d) == R"({"row":null,"who":"Ada"})");
}

TEST_CASE("an undo is carried out even when the result it would name is unknown") {
  auto d = booking({});
  d.steps[0].compensation.emplace();
  d.steps[0].compensation->input = {{"seat", of_result("/seat")}, {"who", of_payload("/who")}};
  auto t = task_with(R"({"who":"Ada"})", "");
  t.steps.change(0).state = workflow::step_state::unknown;
  const auto in = actors::make_input(t, d, 0, attempt_action::compensate);
  CHECK(in.problem.empty());
  CHECK(in.bytes == R"({"seat":null,"who":"Ada"})");
}

TEST_CASE("a pointer that no value can have finds nothing, whatever the document is") {
  for (const auto* document : {"[1]", "{}", "5", "null", "\"text\""})
    for (const auto* pointer : {"/x", "/-", "/00", "/99999999999999999999", "/0/0", "/~1"}) {
      INFO(document << " at " << pointer);
      const auto in = actors::make_input(task_with(document, "{}"), booking({{"a", of_payload(pointer)}}), 1,
                                         attempt_action::perform);
      CHECK(in.bytes.empty());
      CHECK_FALSE(in.problem.empty());
    }
}

TEST_CASE("a condition on an index that no array can have sees no value") {
  auto d = booking({});
  d.steps[1].when = workflow::condition{"find", "/99999999999999999999", workflow::condition::test::present, {}};
  CHECK(actors::facts_of(d, 0, "[1]").empty());
}

TEST_CASE("facts are the values that conditions of later steps read, as compact JSON") {
  auto d = booking({});
  d.steps[1].when = workflow::condition{"find", "/needed", workflow::condition::test::equals, "true"};
  const auto facts = actors::facts_of(d, 0, R"({ "needed" : [ true , 1 ] })");
  REQUIRE(facts.size() == 1);
  CHECK(facts[0].pointer == "/needed");
  CHECK(facts[0].json == "[true,1]");
  CHECK(actors::facts_of(d, 0, R"({"other":1})").empty());
  CHECK(actors::facts_of(d, 0, "garbage").empty());
  CHECK(actors::facts_of(d, 1, R"({"needed":1})").empty());
}
