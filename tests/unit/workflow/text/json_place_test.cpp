#include "workflow/text/json_place.hpp"

#include "workflow/text/json_text.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace steadfast::workflow;

namespace {

std::string at(std::string_view text, std::string_view pointer) {
  REQUIRE(is_json(text));
  const auto found = json_value_at(text, pointer);
  return found ? std::string{*found} : "nothing";
}

} // namespace

TEST_CASE("a place of a JSON text is found by RFC 6901, and its value is as it is written") {
  const std::string_view text = R"( {"foo": ["bar", 1.10 ], "": 0, "a/b": -0.0, "m~n" : 1e400, "\u00e9\"": {"x" : [ ] },
    "twice": 1, "twice": 2} )";
  CHECK(at(text, "/foo") == R"(["bar", 1.10 ])");
  CHECK(at(text, "/foo/0") == R"("bar")");
  CHECK(at(text, "/foo/1") == "1.10");
  CHECK(at(text, "/") == "0");
  CHECK(at(text, "/a~1b") == "-0.0");
  CHECK(at(text, "/m~0n") == "1e400");
  CHECK(at(text, "/\xC3\xA9\"/x") == "[ ]");
  CHECK(at(text, "/twice") == "2");
  for (const auto* none : {"/foo/2", "/foo/-", "/foo/01", "/foo/bar", "/foo/0/0", "/bar", "/foo/", "//"})
    CHECK(at(text, none) == "nothing");
  CHECK(at(" 123456789012345678901234567890 ", "") == "123456789012345678901234567890");
}

TEST_CASE("space between tokens is taken away, and none inside of a string") {
  CHECK(compact_json(" { \"a b\\\" c\\\\\" :\t[ 1 , 2.0 ]\r\n, \"\" : \" \" } ")
        == "{\"a b\\\" c\\\\\":[1,2.0],\"\":\" \"}");
}

TEST_CASE("conditions compare what a text says, not how it is written") {
  for (const auto* same : {"100", "1e2", "100.0", "1.00E+2", "1000e-1"})
    CHECK(is_same_json("100", same));
  CHECK(is_same_json("-0.0", "0"));
  CHECK(is_same_json(R"({"a":1,"b":"\u00e9"})", "{\"b\":\"\xC3\xA9\",\"a\":1.0}"));
  CHECK_FALSE(is_same_json("123456789012345678901234567890", "123456789012345678901234567891"));
  CHECK_FALSE(is_same_json("1e400", "1e401"));
  CHECK_FALSE(is_same_json("1", "\"1\""));
  CHECK_FALSE(is_same_json("[1,2]", "[2,1]"));
}

TEST_CASE("UTF-8 is told from what is not") {
  for (const auto* good : {"", "a", "\xC3\xA9", "\xE2\x82\xAC", "\xED\x9F\xBF", "\xF0\x9F\x98\x80", "\xF4\x8F\xBF\xBF"})
    CHECK(is_utf8(good));
  for (const auto* bad : {"\x80", "\xC3", "\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
                          "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "a\xFF", "\xE2\x82"})
    CHECK_FALSE(is_utf8(bad));
}
