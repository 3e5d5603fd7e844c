#include "apps/views/progress.hpp"
#include "apps/views/story.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <ctime>

using namespace steadfast;
using namespace steadfast::apps;
using Catch::Matchers::Contains;
using nlohmann::json;
using std::chrono::milliseconds;

namespace {

const workflow::instant told_at{milliseconds{1'767'268'800'000}}; // 2026-01-01T12:00:00Z

void in_utc() {
  setenv("TZ", "UTC", 1);
  tzset();
}

json record(int attempt, const char* action, const char* start, const char* end, const char* outcome,
            const char* note = "") {
  return {{"attempt", attempt},
          {"action", action},
          {"agent", "payment"},
          {"started_at", start},
          {"ended_at", end == nullptr ? json{} : json(end)},
          {"outcome", outcome},
          {"epoch", 1},
          {"note", note}};
}

json shown() {
  json task{
    {"id", "order-1"},
    {"number", 1},
    {"workflow", "orders"},
    {"version", 2},
    {"process_state", "undoing"},
    {"cause", "step `ship` was refused"},
    {"priority", 5},
    {"locked_by", "node"},
    {"lock_epoch", 3},
    {"submitted_at", "2026-01-01T11:59:00.000Z"},
    {"complete_by", "2026-01-01T13:00:00.000Z"},
    {"ended_at", nullptr},
    {"not_before", nullptr},
    {"failure_count", 1},
    {"generation", 1},
    {"reply_to", ""},
    {"acts",
     json::array({{{"at", "2026-01-01T11:59:30.000Z"}, {"who", "kim"}, {"what", "cancel"}, {"why", "a mistake"}}})}};
  json charge{{"name", "charge"}, {"agent", "payment"}, {"state", "compensating"}, {"log_dropped", 0}};
  charge["log"] = json::array({record(1, "do", "2026-01-01T11:59:00.100Z", "2026-01-01T11:59:05.100Z", "expired"),
                               record(2, "do", "2026-01-01T11:59:06.000Z", "2026-01-01T11:59:06.012Z", "succeeded"),
                               record(3, "undo", "2026-01-01T11:59:59.000Z", nullptr, "open")});
  json ship{{"name", "ship"},
            {"agent", "carrier"},
            {"state", "failed"},
            {"log_dropped", 0},
            {"log", json::array({record(1, "do", "2026-01-01T11:59:07.000Z", "2026-01-01T11:59:07.050Z",
                                        "failed_permanent", "409: no such\x1b[2J address")})}};
  json never{
    {"name", "notify"}, {"agent", "mail"}, {"state", "not_started"}, {"log_dropped", 0}, {"log", json::array()}};
  task["steps"] = json::array({charge, ship, never});
  return {{"task", task},
          {"explanation", json::array({{{"text", "undoing: step `charge`, attempt 3 must answer by"},
                                        {"at", "2026-01-01T12:00:29.000Z"}}})},
          {"late_replies", json::array({{{"step", "charge"},
                                         {"attempt", 1},
                                         {"outcome", "succeeded"},
                                         {"why", "its attempt is over"},
                                         {"at", "2026-01-01T11:59:20.000Z"}}})}};
}

json task_in(const std::string& state) {
  auto task = shown().at("task");
  task["process_state"] = state;
  task["cause"] = "";
  return task;
}

} // namespace

TEST_CASE("the story of a task tells each step, each attempt, what was undone and who did what") {
  in_utc();
  CHECK(story_text(shown(), told_at, {}) == R"(order-1  orders v2  undoing
  submitted     2026-01-01 11:59:00 (1 min ago)
  complete by   2026-01-01 13:00:00 (in 1 h)
  priority      5
  locked by     node, epoch 3
  failures      1 counted by the supervisor
  cause         step `ship` was refused

  step    state         attempt  agent    started       took   how it ended
  charge  compensating  1 do     payment  11:59:00.100  5.0 s  expired
                        2 do     payment  11:59:06.000  12 ms  succeeded
                        3 undo   payment  11:59:59.000         under way
  ship    failed        1 do     payment  11:59:07.000  50 ms  failed permanent: 409: no such\x1b[2J address
  notify  not_started            mail

  when                            who  did     why
  2026-01-01 11:59:30 (30 s ago)  kim  cancel  a mistake

  late reply                      step    attempt  said       did not count because
  2026-01-01 11:59:20 (40 s ago)  charge  1        succeeded  its attempt is over
)");
}

TEST_CASE("the story of a task with a limit tells its key and, if its limit has a rate, when it began") {
  in_utc();
  auto s = shown();
  s["task"]["limit_key"] = "c-7";
  CHECK_THAT(story_text(s, told_at, {}), Catch::Contains("  limit key     c-7\n"));
  s["task"]["began_at"] = "2026-01-01T11:59:00.000Z";
  CHECK_THAT(story_text(s, told_at, {}),
             Catch::Contains("  limit key     c-7, began 2026-01-01 11:59:00 (1 min ago)\n"));
}

TEST_CASE(
  "attempts that a story does not keep are counted, with the reason if it is that they were declined in a row") {
  in_utc();
  auto one = shown();
  auto& step = one["task"]["steps"][0];
  step["log_dropped"] = 1;
  CHECK_THAT(story_text(one, told_at, {}), Contains("1 older attempt is not kept\n"));
  step["log_dropped"] = 7;
  step["log"][1]["outcome"] = "declined";
  CHECK_THAT(story_text(one, told_at, {}),
             Contains("7 older attempts are not kept: attempts that were declined in a row count as one\n"));
}

TEST_CASE("attempts that ended alike in a row are one line of a story, and a line each in full") {
  in_utc();
  auto one = shown();
  auto& log = one["task"]["steps"][1]["log"];
  log =
    json::array({record(1, "do", "2026-01-01T11:50:00.000Z", "2026-01-01T11:50:01.000Z", "failed_transient", "no")});
  for (int i = 0; i < 4; ++i) {
    const auto at = "2026-01-01T11:5" + std::to_string(2 + i) + ":00.000Z";
    log.push_back(record(2 + i, "do", at.c_str(), at.c_str(), "failed_transient",
                         ("HTTP 503: request " + std::to_string(4711 + i)).c_str()));
  }
  log.push_back(
    record(6, "undo", "2026-01-01T11:56:00.000Z", "2026-01-01T11:56:00.000Z", "failed_transient", "HTTP 503"));
  log.push_back(record(7, "undo", "2026-01-01T11:56:30.000Z", nullptr, "open"));
  const auto brief = story_text(one, told_at, {});
  CHECK_THAT(brief, Contains("2 to 5 do"));
  CHECK_THAT(brief, Contains("4 times, every 1 min; failed transient: HTTP 503: request 4714\n"));
  CHECK_THAT(brief, !Contains("4711") && Contains("1 do") && Contains("6 undo") && Contains("7 undo"));
  const auto full = story_text(one, told_at, {}, story_detail::full);
  CHECK_THAT(full, Contains("2 do") && Contains("request 4711") && Contains("request 4712") && !Contains("times"));
  log[3]["started_at"] = "2026-01-01T11:53:30.000Z";
  CHECK_THAT(story_text(one, told_at, {}), Contains("4 times, every 30 s to 1 min 30 s; "));
  log[3]["note"] = "HTTP 502";
  CHECK_THAT(story_text(one, told_at, {}), !Contains("times") && Contains("3 do"));
}

TEST_CASE("a story shows a payload and results, long ones cut with their size, and all of them in full") {
  in_utc();
  auto one = shown();
  one["task"]["payload"] = {{"customer", "c-77"}, {"note", "a\x1b[2J"}};
  one["task"]["steps"][0]["result"] = {{"id", std::string(20'000, 'x')}};
  one["task"]["steps"][1]["result"] = json::array({1, json::object()});
  const auto brief = story_text(one, told_at, {});
  CHECK_THAT(brief, Contains("  payload       {\"customer\":\"c-77\",\"note\":\"a\\u001b[2J\"}\n"));
  CHECK_THAT(brief, Contains("  charge  {\"id\":\"" + std::string(152, 'x') + "… (19 KiB: --step charge shows all)\n"));
  CHECK_THAT(brief, Contains("  ship    [1,{}]\n"));
  const auto full = story_text(one, told_at, {}, story_detail::full);
  CHECK_THAT(full, Contains("\n  payload\n    {\n      \"customer\": \"c-77\",\n"));
  CHECK_THAT(full, Contains("result of charge\n    {\n      \"id\": \"" + std::string(20'000, 'x') + "\"\n    }\n"));
  const auto& task = one.at("task");
  const auto step = step_story_text(task, task.at("steps")[1], told_at, {});
  CHECK_THAT(step, Contains("409: no such") && Contains("  result\n    [\n      1,\n      {}\n    ]\n")
                     && !Contains("charge") && !Contains("payload"));
  CHECK_THAT(story_text(one, told_at, {}, story_detail::events), !Contains("c-77") && !Contains("[1,{}]"));
}

TEST_CASE("explanations end in a local time and how far away it is") {
  in_utc();
  CHECK(explanation_text(shown(), told_at, {})
        == "order-1  orders v2  undoing\n"
           "  undoing: step `charge`, attempt 3 must answer by 12:00:29 (in 29 s)\n");
}

TEST_CASE("a story fits a narrow terminal") {
  in_utc();
  terminal narrow;
  narrow.width = 80;
  const auto text = story_text(shown(), told_at, narrow);
  std::size_t begin = 0;
  for (auto end = text.find('\n'); end != std::string::npos; begin = end + 1, end = text.find('\n', begin)) {
    INFO(text.substr(begin, end - begin));
    CHECK(columns_of(text.substr(begin, end - begin)) <= 100);
  }
}

TEST_CASE("progress is told once, beginnings and ends of attempts in order") {
  in_utc();
  progress_teller teller;
  auto task = shown().at("task");
  const auto all = task.at("steps")[0].at("log");
  task["steps"] = json::array({task["steps"][0]});
  task["process_state"] = "processing";
  task["cause"] = "";
  task["steps"][0]["log"] = json::array({record(1, "do", "2026-01-01T11:59:00.100Z", nullptr, "open")});
  CHECK(teller.news(task, told_at, {})
        == std::vector<std::string>{"11:59:00.100  running charge, attempt 1", "12:00:00.000  processing"});
  CHECK(teller.news(task, told_at, {}).empty());
  task["steps"][0]["log"] = all;
  task["process_state"] = "undoing";
  task["cause"] = "refused";
  CHECK(teller.news(task, told_at, {})
        == std::vector<std::string>{"11:59:05.100  charge, attempt 1: expired",
                                    "11:59:06.000  running charge, attempt 2",
                                    "11:59:06.012  charge, attempt 2: succeeded",
                                    "11:59:59.000  undoing charge, attempt 3", "12:00:00.000  undoing: refused"});
}

TEST_CASE("progress of several steps is told in the order of time") {
  in_utc();
  progress_teller teller;
  auto task = shown().at("task");
  auto back = task.at("steps")[0];
  auto forth = back;
  back["log"] = json::array({record(2, "undo", "2026-01-01T11:59:03.000Z", "2026-01-01T11:59:04.000Z", "succeeded")});
  forth["name"] = "ship";
  forth["log"] = json::array({record(1, "do", "2026-01-01T11:59:01.000Z", "2026-01-01T11:59:02.000Z", "expired")});
  task["steps"] = json::array({back, forth});
  task["process_state"] = "undone";
  task["ended_at"] = "2026-01-01T11:59:04.001Z";
  task["cause"] = "";
  CHECK(teller.news(task, told_at, {})
        == std::vector<std::string>{"11:59:01.000  running ship, attempt 1", "11:59:02.000  ship, attempt 1: expired",
                                    "11:59:03.000  undoing charge, attempt 2",
                                    "11:59:04.000  charge, attempt 2: succeeded", "11:59:04.001  undone"});
}

TEST_CASE("how many items of a step have ended is told when it has changed") {
  in_utc();
  progress_teller teller;
  auto task = task_in("processing");
  json step{{"name", "ship"}, {"state", "waiting"}, {"items_workflow", "order--ship"}, {"log", json::array()}};
  const auto told_with = [&](const std::string& progress) {
    step["progress"] = progress;
    task["steps"] = json::array({step});
    return teller.news(task, told_at, {});
  };
  CHECK(told_with("5 of 100 done")
        == std::vector<std::string>{"              ship: 5 of 100 done", "12:00:00.000  processing"});
  CHECK(told_with("5 of 100 done").empty());
  CHECK(told_with("9 of 100 done, 1 failed")
        == std::vector<std::string>{"              ship: 9 of 100 done, 1 failed"});
}

TEST_CASE("a task that waits again is told to be pending from when it began to wait, and for what") {
  in_utc();
  progress_teller teller;
  auto task = task_in("pending");
  task["changed_at"] = "2026-01-01T11:59:00.000Z";
  task["steps"] = json::array();
  CHECK(teller.news(task, told_at, {}) == std::vector<std::string>{"11:59:00.000  pending"});
  task["process_state"] = "processing";
  CHECK(teller.news(task, instant_of("2026-01-01T11:59:01.000Z"), {})
        == std::vector<std::string>{"11:59:01.000  processing"});
  auto wait = record(1, "do", "2026-01-01T11:59:02.000Z", nullptr, "open");
  wait["agent"] = "";
  const json step{{"name", "decision"},
                  {"state", "waiting"},
                  {"log", json::array({wait})},
                  {"not_before", "2026-01-01T12:30:00.000Z"}};
  const auto told_with = [&](const json& more) {
    auto other = teller;
    task["process_state"] = "pending";
    task["changed_at"] = "2026-01-01T11:59:02.000Z";
    task["steps"] = json::array({step});
    task["steps"][0].update(more);
    const auto lines = other.news(task, told_at, {});
    REQUIRE(lines.size() == 2);
    CHECK(lines[1] == "11:59:02.000  pending");
    return lines[0];
  };
  CHECK(told_with(json::object()) == "11:59:02.000  waiting at decision until 2026-01-01 12:30:00");
  CHECK(told_with({{"waits_for_role", "sales"}, {"question", "May it go?"}, {"limit_at", "2026-01-02T12:00:00.000Z"}})
        == "11:59:02.000  waiting at decision: asks a person with the role `sales`: May it go?; until "
           "2026-01-02 12:00:00");
  CHECK(told_with({{"waits_for_event", "paid"}, {"event_key", "o-1"}, {"limit_at", "2026-01-02T12:00:00.000Z"}})
        == "11:59:02.000  waiting at decision: for an event `paid` with the key `o-1`; until 2026-01-02 12:00:00");
  CHECK(told_with({{"child", "order-1/decision"}})
        == "11:59:02.000  waiting at decision: for the end of task `order-1/decision`; until 2026-01-01 12:30:00");
}

TEST_CASE("lines of progress are in the order of time, whatever the clocks say") {
  in_utc();
  progress_teller teller;
  auto task = task_in("processing");
  task["steps"] = json::array();
  CHECK(teller.news(task, told_at, {}) == std::vector<std::string>{"12:00:00.000  processing"});
  task["process_state"] = "pending";
  task["changed_at"] = "2026-01-01T11:59:59.990Z"; // it had gone on to wait before it was looked at
  CHECK(teller.news(task, told_at, {}) == std::vector<std::string>{"12:00:00.000  pending"});
}

TEST_CASE("a call that is repeated has not succeeded until its result is as wanted") {
  in_utc();
  auto task = task_in("processing");
  const auto first = record(1, "do", "2026-01-01T11:59:00.000Z", "2026-01-01T11:59:01.000Z", "succeeded");
  const auto second = record(2, "do", "2026-01-01T11:59:31.000Z", "2026-01-01T11:59:32.000Z", "succeeded");
  const auto ends_of = [&](const json& log, const json& more) {
    json step{{"name", "ask"}, {"state", "unknown"}, {"calls", 1}, {"calls_max", 9}, {"log", log}};
    step["completed_at"] = nullptr;
    step.update(more);
    task["steps"] = json::array({step});
    std::vector<std::string> ends;
    for (const auto& line : progress_teller{}.news(task, told_at, {}))
      if (line.find("ask, attempt") != std::string::npos && line.find("running") == std::string::npos)
        ends.push_back(line.substr(14));
    return ends;
  };
  CHECK(ends_of(json::array({first}), {{"not_before", "2026-01-01T11:59:31.000Z"}})
        == std::vector<std::string>{"ask, attempt 1: its result is not as wanted; it is asked again at 11:59:31"});
  CHECK(ends_of(json::array({first, second}), {{"completed_at", "2026-01-01T11:59:32.000Z"}})
        == std::vector<std::string>{"ask, attempt 1: its result is not as wanted; it is asked again",
                                    "ask, attempt 2: succeeded"});
  CHECK(ends_of(json::array({second}), {{"calls", 9}, {"state", "failed"}})
        == std::vector<std::string>{"ask, attempt 2: its result is not as wanted"});
}
