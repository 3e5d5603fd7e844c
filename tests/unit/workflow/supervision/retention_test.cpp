#include "workflow/supervision/retention.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using namespace std::chrono_literals;

namespace {

const instant ended_at{std::chrono::hours{500'000}};

bool mentions(const std::vector<std::string>& found, const std::string& part) {
  return found.size() == 1 && found[0].find(part) != std::string::npos;
}

} // namespace

TEST_CASE("only tasks that ended well may leave") {
  using enum process_state;
  for (const auto s : {pending, processing, undoing, error, suspended})
    CHECK_FALSE(may_leave(s));
  CHECK(may_leave(processed));
  CHECK(may_leave(undone));
}

TEST_CASE("nothing leaves unless a rule says so") {
  CHECK(keeps_all(retention{}));
  CHECK(leaves_at({}, ended_at) == never);
  CHECK(surplus({}, 1'000'000) == 0);
  CHECK_FALSE(keeps_all(retention{1h, {}}));
  CHECK_FALSE(keeps_all(retention{{}, 0}));
}

TEST_CASE("a task is kept for as long as the rule says, counted from its end") {
  CHECK(leaves_at({1h, {}}, ended_at) == ended_at + 1h);
  CHECK(leaves_at({0ms, {}}, ended_at) == ended_at);
  CHECK(leaves_at({span::max(), {}}, ended_at) == never);
  CHECK(leaves_at({span::min(), {}}, ended_at) == ended_at);
  CHECK(leaves_at({{}, 5}, ended_at) == never);
}

TEST_CASE("what is above the number to keep is too many") {
  CHECK(surplus({{}, 100}, 99) == 0);
  CHECK(surplus({{}, 100}, 100) == 0);
  CHECK(surplus({{}, 100}, 103) == 3);
  CHECK(surplus({{}, 0}, 2) == 2);
  CHECK(surplus({1h, {}}, 2) == 0);
}

TEST_CASE("the rule of a workflow takes the place of the one for the others, as a whole") {
  const retention_rules rules{{1h, {}}, {{"delivery", {{}, 10}}, {"audit", {}}}};
  CHECK(retention_of(rules, "order") == retention{1h, {}});
  CHECK(retention_of(rules, "delivery") == retention{{}, 10});
  CHECK(keeps_all(retention_of(rules, "audit")));
  CHECK_FALSE(keeps_all(rules));
  CHECK(keeps_all(retention_rules{{}, {{"audit", {}}}}));
  CHECK_FALSE(keeps_all(retention_rules{{}, {{"delivery", {{}, 10}}}}));
}

TEST_CASE("rules that make no sense are told of") {
  CHECK(problems(retention_rules{}).empty());
  CHECK(problems(retention_rules{{0ms, 0}, {{"delivery", {1h, 1}}}}).empty());
  CHECK(mentions(problems(retention_rules{{-1ms, {}}, {}}), "retention.keep_for must not be negative"));
  CHECK(mentions(problems(retention_rules{{}, {{"delivery", {-1ms, {}}}}}), "`delivery`: keep_for"));
  CHECK(mentions(problems(retention_rules{{}, {{"a b", {}}}}), "`a b`: name must be"));
  CHECK(mentions(problems(retention_rules{{}, {{"a", {}}, {"a", {}}}}), "two of that name"));
}

TEST_CASE("the next look at a workflow is when a task can be too old, or soon when they are counted") {
  CHECK(next_look({{}, 5}, never, ended_at, 1s) == ended_at + 1s);
  CHECK(next_look({1h, {}}, never, ended_at, 1s) == ended_at + 1h); // what ends now is too old then
  CHECK(next_look({1h, {}}, ended_at + 10min, ended_at, 1s) == ended_at + 10min);
  CHECK(next_look({1h, {}}, ended_at + 1ms, ended_at, 1s) == ended_at + 1s);
  CHECK(next_look({1h, 5}, ended_at + 10min, ended_at, 1s) == ended_at + 1s);
}

TEST_CASE("the longer a purge took, the longer the store is left alone") {
  CHECK(pause_after(0ms, 0ms) > 0ms);
  CHECK(pause_after(10ms, 0ms) == 40ms);
  CHECK(pause_after(20ms, 0ms) > pause_after(10ms, 0ms));
  CHECK(pause_after(1h, 0ms) <= 1min);
}

TEST_CASE("who stays behind with purging makes shorter pauses") {
  CHECK(pause_after(10ms, 900ms) == 40ms);
  CHECK(pause_after(10ms, 1s) == 20ms);
  CHECK(pause_after(10ms, 2s) == 10ms);
  CHECK(pause_after(10ms, 1h) == 1ms);
  CHECK(pause_after(10ms, -1s) == 40ms);
}
