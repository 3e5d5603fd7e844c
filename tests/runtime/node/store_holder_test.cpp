#include "runtime/node/store_holder.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;

TEST_CASE("who holds a store on a server is read as it was written, and other texts name nobody") {
  for (const auto& h : {store_holder{"n1", "[::1]:7801", 4711, ~0ULL}, store_holder{"n1", "", 1, 2},
                        store_holder{"n-1.a", "db/x@y:1", 1, 2}})
    CHECK(parse_store_holder(to_string(h)) == h);
  CHECK(to_string(store_holder{"n1", "10.0.0.1:7801", 4711, 93}) == "n1@10.0.0.1:7801/4711/93");
  for (const auto* text : {"", "n1", "n1/2", "n1/2/x", "n1/x/2", "/1/2", "@a:1/1/2", "n1:4711:93"})
    CHECK_FALSE(parse_store_holder(text));
}
