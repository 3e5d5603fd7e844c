#include "workflow/text/json_text.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace steadfast::workflow;

TEST_CASE("JSON texts are told from others") {
  for (const auto* text : {"null", "true", "false", "0", "-0", "12", "-1.5", "1e9", "1E+9", "2.5e-3", R"("")",
                           R"("a\n\u00e4\"\\\/\b\f\r\t")", "[]", "[1]", "[1,[2],{}]", "{}", R"({"a":1})",
                           R"({"a":{"b":[null]},"c":""})", "\"\xc3\xa4\""}) {
    CAPTURE(text);
    CHECK(is_json(text));
    CHECK(is_compact_json(text));
  }
  for (const auto* text : {"",         " ",         "nul",         "nulll",     "tru",        "True", "01",
                           "-",        "1.",        ".5",          "1e",        "1e+",        "+1",   "\"",
                           "\"a",      R"("\x")",   R"("\u12g4")", R"("\u12)",  "\"\n\"",     "\"\\", "[",
                           "[1",       "[1,",       "[1,]",        "[,1]",      "[1 2]",      "{",    "{1:2}",
                           R"({"a"})", R"({"a":})", R"({"a":1,})", R"({"a":1)", R"({"a" 1})", "1 2",  "{}x",
                           "'a'",      "NaN"}) {
    CAPTURE(text);
    CHECK_FALSE(is_json(text));
    CHECK_FALSE(is_compact_json(text));
  }
  CHECK_FALSE(is_json(std::string_view{"1\0", 2}));
}

TEST_CASE("space is JSON but not compact") {
  for (const auto* text : {" 1", "1 ", "[ ]", "[1, 2]", "{ }", "{\"a\" :1}", "{\"a\":\t1}", "{\n\"a\":1}", "[1\r]"}) {
    CAPTURE(text);
    CHECK(is_json(text));
    CHECK_FALSE(is_compact_json(text));
  }
  CHECK(is_compact_json(R"("a b")"));
}

TEST_CASE("nesting is bounded, so that a hostile text cannot use up the stack") {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK(is_json(nested(65)));
  CHECK_FALSE(is_json(nested(66)));
  CHECK_FALSE(is_json(nested(1'000'000)));
  CHECK_FALSE(is_json(std::string(1'000'000, '[')));
}

TEST_CASE("JSON Pointers are told from others") {
  for (const auto* text : {"", "/", "/a", "/a/0", "//", "/~0~1", "/a b", "/%"})
    CHECK(is_json_pointer(text));
  for (const auto* text : {"a", "a/b", "#/a", "/~", "/~2", "/a~", "~0"})
    CHECK_FALSE(is_json_pointer(text));
}
