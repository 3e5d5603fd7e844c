#include "api/arguments.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using nlohmann::json;

namespace {

const api::method& example() {
  static const api::method m{
    "parcel.send",
    "For tests",
    {api::text("to", "").required().up_to_bytes(5), api::number("weight", "").between(1, 70'000).otherwise(100),
     api::text("by", "").one_of({"road", "sea"}), api::flag("fragile", ""), api::moment("after_ms", ""),
     api::value("content", ""), api::of_kind(api::kind::texts, "stamps", ""),
     api::of_kind(api::kind::places, "labels", ""), api::of_kind(api::kind::place, "before", "").otherwise(0),
     api::number("insured", "").required()},
  };
  return m;
}

/// What these parameters are refused with.
std::string refusal(const json& given) {
  try {
    const api::arguments a{example(), given};
    return "none";
  } catch (const api::error& e) {
    CHECK(e.number() == api::error::invalid_params);
    return e.what();
  }
}

/// The least that is good, and one more.
json good_with(const char* name, const json& value) {
  json given{{"to", "ann"}, {"insured", 0}};
  given[name] = value;
  return given;
}

} // namespace

TEST_CASE("what is given is read as what the table says it is, and what is not as the table says") {
  const json given{{"to", "ann"}, {"insured", 18'446'744'073'709'551'615U}, {"after_ms", -5}, {"content", {1, 2}}};
  const api::arguments a{example(), given};
  CHECK(a.text("to") == "ann");
  CHECK(a.number("insured") == 18'446'744'073'709'551'615U);
  CHECK(a.number("weight") == 100);
  CHECK_FALSE(a.flag("fragile"));
  CHECK(a.moment("after_ms", 7) == -5);
  CHECK(a.value("content") == json{1, 2});
  CHECK(a.value("labels").is_null());
  CHECK(a.has("content"));
  CHECK_FALSE(a.has("labels"));

  const json less{{"to", ""}, {"insured", 0}};
  CHECK(api::arguments{example(), less}.moment("after_ms", 7) == 7);
}

TEST_CASE("a parameter that is no such value is refused by its name") {
  for (const json& wrong : {json(0), json(70'001), json(-1), json(2.5), json("1"), json(true), json(nullptr)})
    CHECK(refusal(good_with("weight", wrong)) == "`weight` must be a whole number from 1 to 70000");
  CHECK(refusal(good_with("weight", 70'000)) == "none");
  CHECK(refusal(good_with("to", 5)) == "`to` must be a text");
  CHECK(refusal(good_with("to", "anne-marie")) == "`to` has 10 bytes and may have 5");
  CHECK(refusal(good_with("to", std::string("a\0b", 3))) == "`to` has a zero byte");
  CHECK(refusal(good_with("labels", {{"/a", std::string("a\0b", 3)}})) == "`labels` has a zero byte");
  CHECK(refusal(good_with("before", std::string("a\0b", 3))) == "`before` has a zero byte");
  CHECK(refusal(good_with("by", "air")) == "`by`: there is no `air`; there are road, sea");
  CHECK(refusal(good_with("by", "")) == "`by`: there is no ``; there are road, sea");
  CHECK(refusal(good_with("by", "sea")) == "none");
  CHECK(refusal(good_with("fragile", 1)) == "`fragile` must be true or false");
  CHECK(refusal(good_with("after_ms", 1.5))
        == "`after_ms` must be a whole number from -9223372036854775808 to 9223372036854775807");
  CHECK(refusal(good_with("stamps", "red")) == "`stamps` must be a list of stamps");
  CHECK(refusal(good_with("labels", {{"/a", 1}})) == "`labels` must be an object of places and texts");
  CHECK(refusal(good_with("labels", {{"/a", "1"}})) == "none");
  CHECK(refusal(good_with("before", "12-ab")) == "none");
  CHECK(refusal(good_with("before", -1)) == "`before` must be a whole number from 0 to 18446744073709551615");
  CHECK(refusal(json::array()) == "params must be an object");
}

TEST_CASE("what must be given and is not, and what no method knows, is refused by its name") {
  CHECK(refusal({{"insured", 0}}) == "`to` is missing");
  CHECK(refusal({{"to", "ann"}}) == "`insured` is missing");
  CHECK(refusal(good_with("fragil", true)) == "there is no parameter `fragil`; did you mean `fragile`?");
  CHECK(
    refusal(good_with("colour", "red"))
    == "there is no parameter `colour`; there are to, weight, by, fragile, after_ms, content, stamps, labels, before, "
       "insured");
}

TEST_CASE("code that reads what the table does not have, or as less than it may be, is told so") {
  const json given = good_with("weight", 70'000);
  const api::arguments a{example(), given};
  CHECK_THROWS_AS(a.text("colour"), std::logic_error);
  CHECK_THROWS_AS(a.number<std::uint16_t>("weight"), std::logic_error);
}

TEST_CASE("a place that is a text is no number") {
  const json given = good_with("before", "12-ab");
  CHECK_THROWS_AS((api::arguments{example(), given}.number("before")), api::error);
}
