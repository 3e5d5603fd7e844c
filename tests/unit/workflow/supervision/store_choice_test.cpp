#include "workflow/supervision/store_choice.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;

TEST_CASE("a node uses the store of who offers it, and of several that of who began last") {
  CHECK(store_to_follow({}, "a").empty());
  CHECK(store_to_follow({{"a"}, {"b"}}, "") == "a"); // to wait for
  CHECK(store_to_follow({{"a"}, {"b"}}, "b") == "b");
  CHECK(store_to_follow({{"a"}, {"b", true}}, "a") == "b");
  CHECK(store_to_follow({{"a", true}, {"b", true}}, "b") == "b"); // who is connected again has not begun
  CHECK(store_to_follow({{"a", true, true}, {"b", true}}, "b") == "a");
  CHECK(store_to_follow({{"a", true}}, "b") == "a"); // b is no candidate any more
}
