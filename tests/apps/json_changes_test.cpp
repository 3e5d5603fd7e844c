#include "apps/views/json_changes.hpp"
#include "client/exact_json.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using namespace steadfast::apps;
using nlohmann::json;

namespace {

std::string changes(const char* before, const char* after) {
  return changes_text(json_changes(exact_json(before), exact_json(after)), {});
}

} // namespace

TEST_CASE("what differs between two documents is a line for each place, the old value and the new one") {
  CHECK(changes(R"({"a": {"b": 1, "c": [1, 2]}, "d": true, "e": null})",
                R"({"a": {"b": 2, "c": [1, 3]}, "d": true, "f": {}})")
        == "  /a/b: 1 -> 2\n"
           "  /a/c/1: 2 -> 3\n"
           "  /e: removed, was null\n"
           "  /f: added {}\n");
  CHECK(changes("1", R"("1")") == "  all of it: 1 -> \"1\"\n");
  CHECK(changes(R"({"a/b~": "x"})", R"({"a/b~": "\u001b[2J"})") == "  /a~1b~0: \"x\" -> \"\\u001b[2J\"\n");
  CHECK(changes("{}", "[]") == "  all of it: {} -> []\n");
}

TEST_CASE("documents that say the same do not differ, and every digit of a number counts") {
  CHECK(changes(R"({"a": 1.0, "b": [ ]})", R"({ "b": [], "a": 1 })").empty());
  CHECK(changes("123456789012345678901234567890", "123456789012345678901234567891")
        == "  all of it: 123456789012345678901234567890 -> 123456789012345678901234567891\n");
}

TEST_CASE("an element that is put into an array, or taken out, is one change") {
  CHECK(changes("[1,2,3]", "[0,1,2,3]") == "  /0: added 0\n");
  CHECK(changes("[1,2,3,4]", "[1,4]") == "  /1: removed, was 2\n  /2: removed, was 3\n");
  CHECK(changes("[]", "[1]") == "  /0: added 1\n");
  CHECK(changes("[1,1]", "[1]") == "  /1: removed, was 1\n");
}

TEST_CASE("many changes are counted, and long values cut") {
  auto many = json::object();
  for (int i = 100; i < 145; ++i)
    many[std::to_string(i)] = std::string(500, 'x');
  terminal narrow;
  narrow.width = 60;
  const auto text = changes_text(json_changes(json::object(), many), narrow);
  CHECK(text.ends_with("\n  and 5 more changes\n"));
  CHECK(text.starts_with("  /100: added \"" + std::string(22, 'x') + "…\n"));
}

TEST_CASE("a document for people has a line for each value, and reads as the same") {
  CHECK(indented_json("{}") == "{}");
  CHECK(indented_json(R"([1.10,{"a":[],"b\\\"}":"x, {y}: ["},null])")
        == "[\n  1.10,\n  {\n    \"a\": [],\n    \"b\\\\\\\"}\": \"x, {y}: [\"\n  },\n  null\n]");
}
