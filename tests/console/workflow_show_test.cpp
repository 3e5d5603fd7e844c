// What a person sees of a workflow.

#include "tests/support/processes/node_process.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::tests;
using Catch::Matchers::Contains;

namespace {

constexpr const char* of_all_kinds = R"(name = "parcels"
[limit]
key = "payload:/customer"
at_a_time = 2
[[step]]
name = "paid"
wait = { event = "paid", key = "payload:/order", limit = "1h" }
[[step]]
name = "ask"
agent = "person"
role = "sales"
question = "May it go?"
limit = "1h"
when = { all = [
  { step = "payload", pointer = "/sum", above = 500 },
  { any = [
    { step = "payload", pointer = "/new", present = true },
    { not = { step = "payload", pointer = "/land", equals = "PT" } } ] } ] }
[[step]]
name = "ship"
for_each = "payload:/items"
at_a_time = 4
may_fail = "10%"
agent = "quick"
[[step]]
name = "arrived"
agent = "quick"
repeat = { until = { pointer = "/state", equals = "done" }, every = "10m", at_most = 9 }
expect = { pointer = "/ok", differs = false }
)";

} // namespace

TEST_CASE("a workflow is shown with all that its steps wait for, go over, repeat and depend on") {
  node_process node{STEADFAST_BINARY};
  node.folder().write("workflows/parcels.toml", of_all_kinds);
  node.start();
  const auto shown = node.command({"workflow", "show", "parcels"});
  CHECK(shown.code == 0);
  CHECK_THAT(shown.out, Contains("2 at a time with the same payload:/customer"));
  CHECK_THAT(shown.out, Contains("event paid") && Contains("person sales"));
  CHECK_THAT(shown.out, Contains("payload:/sum > 500 and (payload:/new is present or not payload:/land = \"PT\")"));
  CHECK_THAT(shown.out, Contains("quick for each of payload:/items, 4 at a time, 10% may fail"));
  CHECK_THAT(shown.out, Contains("quick every 10m until /state = \"done\", 9 calls at most, expects /ok "));
}
