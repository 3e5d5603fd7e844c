#include "workflow/text/canonical_json.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace steadfast::workflow;

namespace {

void check_all_same(const std::vector<std::string>& texts) {
  for (const auto& text : texts) {
    INFO(texts.front() << " and " << text);
    REQUIRE(canonical_json(text));
    CHECK(canonical_json(text) == canonical_json(texts.front()));
  }
}

void check_all_differ(const std::vector<std::string>& texts) {
  for (std::size_t i = 0; i < texts.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      INFO(texts[i] << " and " << texts[j]);
      CHECK(canonical_json(texts[i]) != canonical_json(texts[j]));
    }
}

} // namespace

TEST_CASE("JSON texts that say the same have one canonical text") {
  check_all_same({R"({"a":1,"b":[true,null]})", " {\n\t\"b\" : [ true , null ] , \"a\" : 1 }\r\n"});
  check_all_same({R"({"b":{"d":1,"c":2},"a":3})", R"({"a":3,"b":{"c":2,"d":1}})"});
  check_all_same({R"("A/\"é😀")", "\"\\u0041\\/\\u0022\\u00e9\\ud83d\\ude00\"", "\"A\\/\\\"\\u00E9\\uD83D\\uDE00\""});
  check_all_same({R"({"é":1})", R"({"\u00e9":1})"});
  check_all_same({"[]", "[ ]"});
  check_all_same({"{}", "{ }"});
}

TEST_CASE("numbers are ordered by their value, of which no digit is lost") {
  const std::vector<std::string> ascending{"-2E+99999999999999999999",
                                           "-1e999999999999999",
                                           "-10.01",
                                           "-10",
                                           "-9.99e0",
                                           "-0.001",
                                           "-7.5e-9223372036854775808",
                                           "0",
                                           "1e-999999999999999999999",
                                           "1e-20",
                                           "0.0999",
                                           "0.1",
                                           "1",
                                           "1.0000000000000000001",
                                           "9007199254740992",
                                           "9007199254740993",
                                           "1e16",
                                           "12e15",
                                           "1e999999999999999",
                                           "1e9223372036854775807"};
  for (std::size_t i = 0; i < ascending.size(); ++i)
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      INFO(ascending[i] << " and " << ascending[j]);
      const auto order = compare_json_numbers(ascending[i], ascending[j]);
      REQUIRE(order);
      CHECK((*order < 0) == (i < j));
      CHECK((*order > 0) == (i > j));
    }
  CHECK(compare_json_numbers("-0.0", "0") == 0);
  CHECK(compare_json_numbers("1.50", "15e-1") == 0);
  CHECK(compare_json_numbers("0.00e99999999999999999999", "0") == 0);
  for (const std::string other : {"\"1\"", "true", "null", "[1]", "{}", "", "1x", "e5", "."})
    CHECK_FALSE(compare_json_numbers(other, "1"));
}

TEST_CASE("JSON texts that differ in anything else have different canonical texts") {
  check_all_differ({"null",
                    "true",
                    "false",
                    "0",
                    "\"0\"",
                    "\"\"",
                    "[]",
                    "{}",
                    "[0]",
                    "[[0]]",
                    "[0,0]",
                    R"({"0":0})",
                    "\"null\"",
                    R"({"a":[]})",
                    R"({"a":{}})",
                    R"({"a":1,"a":2})",
                    R"({"a":2,"a":1})",
                    R"({"a":2})",
                    "[1,2]",
                    "[2,1]",
                    R"("a")",
                    R"("A")",
                    R"("\u0001")",
                    R"("u0001")",
                    R"("\\u0001")",
                    R"("\ud800")",
                    R"("\udc00")"});
}

TEST_CASE("numbers are compared by their decimal value, of which no digit is lost") {
  check_all_same({"1", "1.0", "1e0", "1E+0", "10e-1", "0.1e1", "1.000e-0"});
  check_all_same({"0", "-0", "0.00", "0e99", "-0.0E-7"});
  check_all_same({"-150", "-1.5e2", "-15e1", "-150.0"});
  check_all_same({"123456789012345678901234567890", "1.23456789012345678901234567890e29"});
  check_all_same({"1e400", "10e399"});
  check_all_differ({"1", "-1", "10", "0.1", "1e400", "1e401", "123456789012345678901234567890",
                    "123456789012345678901234567891", "0.1000000000000000055511151231257827", "1e999999999999999999999",
                    "1e999999999999999999998"});
}

TEST_CASE("a canonical text is its own, and what is no JSON has none") {
  for (const auto* text : {R"({"z":[1.50,{"y":"\n","x":-0}],"a":"é"})", "[1e400,100]", "\"\\u001f\""}) {
    const auto canonical = canonical_json(text);
    REQUIRE(canonical);
    CHECK(canonical_json(*canonical) == canonical);
  }
  CHECK(canonical_json(R"({"z":[1.50,{"y":"\n"}],"a":100})") == "{\"a\":1e2,\"z\":[15e-1,{\"y\":\"\\u000a\"}]}");
  CHECK_FALSE(canonical_json("{"));
  CHECK_FALSE(canonical_json(""));
  CHECK_FALSE(canonical_json(std::string(66, '[') + std::string(66, ']')));
}

TEST_CASE("content types of JSON are told from others") {
  for (const auto* type : {"application/json", "Application/JSON", "application/json; charset=utf-8", "text/json",
                           "application/json ;x=1", "application/vnd.api+json"})
    CHECK(is_json_type(type));
  for (const auto* type : {"", "text/plain", "application/jsonp", "json", "application/xml;x=application/json"})
    CHECK_FALSE(is_json_type(type));
}
