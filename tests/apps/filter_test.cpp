#include "apps/command_line/filter.hpp"
#include "apps/terminal/failure.hpp"
#include "runtime/text/time_text.hpp"

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

TEST_CASE("a filter can be of ends, of a step, and of places of the payload") {
  CHECK(parse_where("ended_after=2h,ended_before=2026-01-01T11:00:00Z,step=pay", now)
        == json{{"ended_after_ms", 1'767'268'800'000 - 7'200'000},
                {"ended_before_ms", 1'767'268'800'000 - 3'600'000},
                {"step", "pay"}});
  CHECK(parse_where("payload:/customer=c-77,payload:/order/no=a=b", now)
        == json{{"payload", {{"/customer", "c-77"}, {"/order/no", "a=b"}}}});
}

TEST_CASE("a value with commas stands in quotes") {
  CHECK(parse_where(R"(cause="used up: a, b",state=error)", now)
        == json{{"cause", "used up: a, b"}, {"states", {"error"}}});
  CHECK(parse_where(R"(text=say "x")", now) == json{{"text", R"(say "x")"}});
  CHECK(complaint(R"(cause="used up)") == "--where: a quote is left open");
}

TEST_CASE("a filter names what it does not know") {
  CHECK(complaint("stat=error") == "--where: there is no key `stat`; did you mean `state`?");
  CHECK(complaint("colour=red")
        == "--where: there is no key `colour`; there are state, workflow, locked_by, agent, step, cause, text, before, "
           "after, "
           "ended_before, ended_after, payload:/PLACE");
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
  CHECK(parse_moment("2026-01-01T13:00:01+01:00", now, false, "--at") == now + milliseconds{1000});
}

TEST_CASE("a moment can be written as tables and stories print it") {
  const auto then = now - milliseconds{12'345'000};
  const auto read = [&](const std::string& text, bool past = true) { return parse_moment(text, now, past, "--x"); };
  CHECK(read(local_text(then)) == then);
  CHECK(read(local_text(then) + " (3 h 25 min ago)") == then);
  CHECK(read(local_text(then).substr(11)) == then);
  CHECK(read(local_text(then + milliseconds{179}, true)) == then + milliseconds{179});
  CHECK(read(utc_text(then)) == then);
  CHECK(read("2026-01-01 08:34:15Z") == then);
  CHECK(read("2026-01-01T08:34:15.250Z") == then + milliseconds{250});
  CHECK(read("08:34:15Z") == then);
  CHECK(read("11:59Z") == now - milliseconds{60'000});
  CHECK(read("12:01Z") == now - milliseconds{86'400'000 - 60'000});
  CHECK(read("12:01Z", false) == now + milliseconds{60'000});
  CHECK(read("11:59Z", false) == now + milliseconds{86'400'000 - 60'000});
  CHECK(read("2026-01-01Z") == now - milliseconds{43'200'000});
}

TEST_CASE("what looks like a moment and is none is refused with what there is") {
  for (const char* text : {"", "8:34", "25:00", "08:61", "2026-02-30 08:34:15", "2026-13-01 08:34:15", "2026-01-01 8",
                           "08:34:15 tomorrow", "2026-00-10", "08:34:", "08:34:1"}) {
    INFO(text);
    CHECK_THROWS_WITH(parse_moment(text, now, true, "--x"), Catch::Matchers::Contains("neither a moment such as"));
  }
}
