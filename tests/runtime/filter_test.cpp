#include "apps/failure.hpp"
#include "apps/filter.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using namespace steadfast::apps;
using nlohmann::json;
using std::chrono::milliseconds;

namespace {

const workflow::instant now{milliseconds{1'767'268'800'000}}; // 2026-01-01T12:00:00Z

std::string complaint(const std::string& text) {
  try {
    parse_where(text, now);
    return "";
  } catch (const failure& e) {
    CHECK(e.code() == wrong_usage);
    return e.what();
  }
}

} // namespace

TEST_CASE("a filter becomes parameters of task.list") {
  CHECK(parse_where("", now) == json::object());
  CHECK(parse_where("state=error|suspended,workflow=w,locked_by=n,agent=a,text=x=y", now)
        == json{
          {"states", {"error", "suspended"}}, {"workflow", "w"}, {"locked_by", "n"}, {"agent", "a"}, {"text", "x=y"}});
  CHECK(parse_where("after=2h", now) == json{{"submitted_after_ms", 1'767'268'800'000 - 7'200'000}});
  CHECK(parse_where("before=2026-01-01T11:00:00Z", now)
        == json{{"submitted_before_ms", 1'767'268'800'000 - 3'600'000}});
}

TEST_CASE("a filter names what it does not know") {
  CHECK(complaint("stat=error") == "--where: there is no key `stat`; did you mean `state`?");
  CHECK(complaint("colour=red")
        == "--where: there is no key `colour`; there are state, workflow, locked_by, agent, text, before, after");
  CHECK(complaint("state=procesed") == "--where: there is no state `procesed`; did you mean `processed`?");
  CHECK(complaint("error") == "--where: `error` is not KEY=VALUE");
  CHECK(complaint("state=error,") == "--where: `` is not KEY=VALUE");
  CHECK(complaint("after=yesterday").find("neither a moment") != std::string::npos);
}

TEST_CASE("a filter of alerts becomes parameters of alerts.list") {
  CHECK(parse_alert_where("", now) == json::object());
  CHECK(parse_alert_where("incident=7,kind=error,step=pay,task=a,text=x", now)
        == json{{"incident", 7}, {"kind", "error"}, {"step", "pay"}, {"task", "a"}, {"text", "x"}});
  CHECK(parse_alert_where("after=2h", now) == json{{"after_ms", 1'767'268'800'000 - 7'200'000}});
  CHECK_THROWS_WITH(parse_alert_where("incident=-1", now), "--where incident: `-1` is not the number of an incident");
  CHECK_THROWS_WITH(parse_alert_where("stepp=x", now), Catch::Matchers::Contains("did you mean `step`?"));
}

TEST_CASE("the number of an alert is digits") {
  CHECK(why_no_number("7").empty());
  for (const auto* wrong : {"-1", "", "7x", "+7", "99999999999999999999"})
    CHECK_FALSE(why_no_number(wrong).empty());
}

TEST_CASE("a moment is a date or a span from now") {
  CHECK(parse_moment("5s", now, false, "--not-before") == now + milliseconds{5000});
  CHECK(parse_moment("2026-01-01T12:00:01Z", now, false, "--not-before") == now + milliseconds{1000});
}
