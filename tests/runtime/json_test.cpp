#include "runtime/text/json.hpp"

#include "client/exact_json.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using nlohmann::json;
using std::chrono::milliseconds;

namespace {

const workflow::instant noon{milliseconds{1'767'268'800'000}};

workflow::definition two_steps() {
  workflow::definition d;
  d.name = "w";
  d.steps.resize(2);
  d.steps[0].name = "first";
  d.steps[0].agent = "one";
  d.steps[0].compensation = workflow::compensation{};
  d.steps[1].name = "second";
  d.steps[1].agent = "two";
  return d;
}

workflow::task task_of(const workflow::definition& d) {
  workflow::submission s;
  s.id = "t-1";
  s.workflow = "w";
  s.payload = workflow::blob{R"({"a":1})"};
  s.reply_to = "me";
  auto t = workflow::make_task(s, d, noon);
  t.number = 7;
  return t;
}

} // namespace

TEST_CASE("a line of JSON cannot steer the terminal, and says the same") {
  const json j{{"text", "a\u202eb\u0085\x7f\u2069 \u00e9 \u4e2d"}};
  const auto line = json_line(j);
  CHECK(line == "{\"text\":\"a\\u202eb\\u0085\\u007f\\u2069 \u00e9 \u4e2d\"}");
  CHECK(json::parse(line) == j);
}

TEST_CASE("a task is shown with the fields that checkers read") {
  const auto d = two_steps();
  auto t = task_of(d);
  t.state = workflow::process_state::processing;
  t.locked_by = "node";
  t.lock_epoch = 3;
  t.acts.push_back({noon, "kim", "retry", "because"});
  auto& s = t.steps.change(0);
  s.state = workflow::step_state::completed;
  s.attempt = 2;
  s.completed_at = noon + milliseconds{250};
  s.completed_order = 1;
  s.result = workflow::blob{R"({"id":5})"};
  s.log.change().push_back({2, workflow::attempt_action::perform, workflow::attempt_outcome::succeeded, 3, noon,
                            noon + milliseconds{250}, "one", ""});
  const auto j = task_json(t, d);
  CHECK(j["id"] == "t-1");
  CHECK(j["number"] == 7);
  CHECK(j["workflow"] == "w");
  CHECK(j["version"] == 1);
  CHECK(j["process_state"] == "processing");
  CHECK(j["locked_by"] == "node");
  CHECK(j["lock_epoch"] == 3);
  CHECK(j["submitted_at"] == "2026-01-01T12:00:00.000Z");
  CHECK(j["complete_by"] == "2026-01-02T12:00:00.000Z");
  CHECK(j["ended_at"].is_null());
  CHECK(j["reply_to"] == "me");
  CHECK(j["generation"] == 1);
  CHECK(j["failure_count"] == 0);
  CHECK(j["payload"] == json{{"a", 1}});
  CHECK(j["acts"]
        == json::array({{{"at", "2026-01-01T12:00:00.000Z"}, {"who", "kim"}, {"what", "retry"}, {"why", "because"}}}));
  REQUIRE(j["steps"].size() == 2);
  const auto& first = j["steps"][0];
  CHECK(first["name"] == "first");
  CHECK(first["agent"] == "one");
  CHECK(first["state"] == "completed");
  CHECK(first["after"] == json::array());
  CHECK(first["compensation"] == true);
  CHECK(first["attempt"] == 2);
  CHECK(first["attempts_limit"] == workflow::attempts_limit(d.steps[0]));
  CHECK(first["completed_at"] == "2026-01-01T12:00:00.250Z");
  CHECK(first["completed_order"] == 1);
  CHECK(first["result"] == json{{"id", 5}});
  CHECK(first["not_before"].is_null());
  CHECK(first["log"]
        == json::array({{{"attempt", 2},
                         {"action", "do"},
                         {"agent", "one"},
                         {"started_at", "2026-01-01T12:00:00.000Z"},
                         {"ended_at", "2026-01-01T12:00:00.250Z"},
                         {"outcome", "succeeded"},
                         {"epoch", 3},
                         {"note", ""}}}));
  CHECK(j["steps"][1]["after"] == json{"first"});
  CHECK(j["steps"][1]["compensation"] == false);
  CHECK(j["steps"][1]["result"].is_null());
}

TEST_CASE("of a task with a limit it is told under which key it counts and, if it has a rate, when it began") {
  const auto d = two_steps();
  auto t = task_of(d);
  CHECK_FALSE(task_json(t, d).contains("limit_key"));
  t.limit.change().key = "c-7";
  CHECK(task_json(t, d)["limit_key"] == "c-7");
  CHECK_FALSE(task_json(t, d).contains("began_at"));
  t.limit.change().begun_at = noon;
  CHECK(task_json(t, d)["began_at"] == "2026-01-01T12:00:00.000Z");
}

TEST_CASE("bytes that are no JSON are shown as a string") {
  CHECK(document_json("") == nullptr);
  CHECK(document_json("12") == 12);
  CHECK(document_json("{not json") == "{not json");
  CHECK(document_json(std::string(100'000, '[')).is_string());
  CHECK_NOTHROW(json_line(document_json("\xff\xfe")));
  CHECK(json_line(document_json("\xff")) == "\"\xEF\xBF\xBD\"");
}

TEST_CASE("an instant that is not set, or never comes, is null") {
  CHECK(instant_json(workflow::unset).is_null());
  CHECK(instant_json(workflow::never).is_null());
  CHECK(instant_json(noon) == "2026-01-01T12:00:00.000Z");
}

TEST_CASE("a line of JSON has no line end in it") {
  CHECK(json_line(json("a\nb")) == "\"a\\nb\"");
}

TEST_CASE("lists show tasks without steps and payload") {
  const auto d = two_steps();
  auto t = task_of(d);
  t.steps.change(0).state = workflow::step_state::completed;
  const auto j = task_summary_json(t);
  CHECK(j["steps_done"] == 1);
  CHECK(j["steps_total"] == 2);
  CHECK_FALSE(j.contains("steps"));
  CHECK_FALSE(j.contains("payload"));
}

TEST_CASE("leases, alerts, late replies and figures are shown") {
  CHECK(lease_json({"supervisor", "node:1", "node node", 4, noon})["expires_at"] == "2026-01-01T12:00:00.000Z");
  store::alert_entry a;
  a.number = 2;
  a.task_id = "t-1";
  a.what = {"error", "what happened", "first", noon};
  const auto alert = alert_json(a);
  CHECK(alert["kind"] == "error");
  CHECK(alert["acknowledged_at"].is_null());
  store::late_reply_entry r;
  r.task_id = "t-1";
  r.what = {"first", 2, 3, "succeeded", "its attempt is over", noon};
  CHECK(late_reply_json(r)["attempt"] == 2);
  store::store_stats s;
  s.tasks[workflow::process_state::processed] = 5;
  s.tasks_purged = 7;
  CHECK(stats_json(s)["tasks"] == json{{"processed", 5}});
  CHECK(stats_json(s)["tasks_purged"] == 7);
  CHECK(check_json({10, 2, {"bad"}})["faults"] == json{"bad"});
}

TEST_CASE("a document is shown with the digits that it has") {
  const std::string odd =
    R"({"big":123456789012345678901234567890,"half":0.5,"huge":[1e400,{"n":-0.0}],"one":1,"price":1.10})";
  CHECK(json_line(document_json(odd)) == odd);
  CHECK(json_line(document_json(R"( { "price" : 1.10 , "big" : 1E2 } )")) == R"({"big":1E2,"price":1.10})");
  const auto j = document_json(odd);
  CHECK(j.at("one").get<int>() == 1);
  CHECK(j.at("half").get<double>() == 0.5);

  const auto reckoned = with_doubles(j);
  CHECK(reckoned.at("price").get<double>() == 1.1);
  CHECK(reckoned.at("big").get<double>() == 123456789012345678901234567890.0);
  CHECK(reckoned.at("huge").at(0) == "1e400");
  CHECK(exact_json("{").is_discarded());
  CHECK(exact_json(std::string(100'000, '[')).is_discarded());
}
