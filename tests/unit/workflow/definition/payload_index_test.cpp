#include "workflow/definition/payload_index.hpp"

#include "tests/support/workflow/scenario.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using namespace steadfast::tests;
using texts = std::vector<std::string>;
using values = std::vector<payload_value>;

namespace {

definition indexed_by(texts places) {
  auto d = pipeline({step_named("a")});
  d.index = std::move(places);
  return d;
}

} // namespace

TEST_CASE("a task is found by texts, numbers and truth values at the places of the index") {
  const auto d = indexed_by({"/customer", "/order/lines/1", "/paid", "/a~1b"});
  CHECK(indexed_values(d, R"({"customer":"c-77","order":{"lines":[1,2.50]},"paid":true,"a/b":"\u00e5"})")
        == values{{"/customer", "c-77"}, {"/order/lines/1", "2.50"}, {"/paid", "true"}, {"/a~1b", "\u00e5"}});
}

TEST_CASE("what has no plain value is in no index, and so is a text that is too long") {
  const auto d = indexed_by({"/customer"});
  for (const char* payload :
       {"", "no JSON", "{}", "[]", R"({"customer":null})", R"({"customer":{}})", R"({"customer":[1]})"})
    CHECK(indexed_values(d, payload).empty());
  const auto of_size = [&](std::size_t size) {
    return indexed_values(d, R"({"customer":")" + std::string(size, 'x') + "\"}").size();
  };
  CHECK(of_size(index_value_size_max) == 1);
  CHECK(of_size(index_value_size_max + 1) == 0);
  CHECK(indexed_values(indexed_by({}), R"({"customer":"c-77"})").empty());
}

TEST_CASE("mistakes in an index are named") {
  CHECK(problems(indexed_by({"/a", "/b/0", "/c~1", "/d"})).empty());
  CHECK(problems(indexed_by({"customer", ""}))
        == texts{"index place `customer` is not a JSON Pointer such as /customer",
                 "index place `` is not a JSON Pointer such as /customer"});
  CHECK(problems(indexed_by({"/a", "/a"})) == texts{"index names `/a` twice"});
  CHECK(problems(indexed_by({"/a", "/b", "/c", "/d", "/e"})) == texts{"index must have at most 4 places"});
  CHECK(problems(indexed_by({"/" + std::string(index_place_size_max, 'x')})).size() == 1);
}
