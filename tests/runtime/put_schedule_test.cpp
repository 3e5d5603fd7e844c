// Schedules put from C++: they are those of a file.

#include "client/client_calls.hpp"
#include "steadfast/node.hpp"
#include "tests/support/fast_place.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>

using namespace steadfast;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

schedule nightly() {
  return {.name = "nightly",
          .workflow = "nightly_settlement",
          .cron = "30 2 * * *",
          .zone = "Europe/Berlin",
          .overlap = on_overlap::queue,
          .catch_up = 6h,
          .payload = R"({"region":"south"})",
          .moment_as = "night"};
}

struct settling_node {
  settling_node() {
    workflow_builder w{"nightly_settlement"};
    w.add(step{"settle", "ledger"}).result(input_value::of_result("settle"));
    running.add_workflow(w);
    running.add_agent("ledger", quick_function{[](const agent_call& c) { return succeeded(c.input); }});
    running.start();
  }

  /// The schedules of the file that were not so before.
  json changed_by_file(const std::string& text) {
    return running.call("schedule.put", {{"text", text}, {"who", "ann"}}).at("changed");
  }

  std::string refusal(const schedule& s) {
    try {
      running.put_schedule(s);
      return "none";
    } catch (const client_error& e) {
      CHECK(e.why() == client_error::kind::refused);
      return e.what();
    }
  }

  tests::temp_folder folder{tests::fast_place()};
  node running{{.name = "mine",
                .store = folder.path() / "store",
                .socket = folder.path() / "socket",
                .log_file = folder.path() / "log"}};
};

std::string text_of_nightly_file() {
  std::stringstream text;
  text << std::ifstream{STEADFAST_SOURCE_DIR "/config/schedules/nightly.toml"}.rdbuf();
  return text.str();
}

} // namespace

TEST_CASE("a schedule put from C++ is that of a file, and makes tasks") {
  settling_node n;
  CHECK(n.running.put_schedule(nightly(), "ann", "the books"));
  CHECK_FALSE(n.running.put_schedule(nightly()));
  CHECK(n.changed_by_file(text_of_nightly_file()).empty());

  const auto made = n.running.call("schedule.act", {{"name", "nightly"}, {"act", "run"}, {"who", "ann"}}).at("task");
  CHECK(n.running.wait(made, 45s) == "processed");
  CHECK(n.running.result(made).at("region") == "south");
  CHECK(n.running.result(made).at("night").is_string());
}

TEST_CASE("what is not said of a schedule in C++ is what is not said in a file, and every field arrives") {
  settling_node n;
  CHECK(n.running.put_schedule({.name = "s", .workflow = "nightly_settlement", .every = 1h}));
  const std::string head = "[[schedule]]\nname = 's'\nworkflow = 'nightly_settlement'\n";
  CHECK(n.changed_by_file(head + "every = '1h'\n").empty());

  client other_process{(n.folder.path() / "socket").string()};
  for (const auto& [overlap, word] : {std::pair{on_overlap::skip, "skip"},
                                      {on_overlap::queue, "queue"},
                                      {on_overlap::allow, "allow"},
                                      {on_overlap::cancel, "cancel"}}) {
    INFO(word);
    CHECK(other_process.put_schedule({.name = "s",
                                      .workflow = "nightly_settlement",
                                      .version = 1,
                                      .every = 2h,
                                      .jitter = 3s,
                                      .overlap = overlap,
                                      .catch_up = 4min,
                                      .catch_up_max = 5,
                                      .payload = R"({"a":null})",
                                      .moment_as = "at",
                                      .priority = 7}));
    const auto keys = "version = 1\nevery = '2h'\njitter = '3s'\ncatch_up = '4m'\ncatch_up_max = 5\nmoment_as = 'at'\n"
                      "priority = 7\noverlap = '"
                      + std::string{word} + "'\n";
    CHECK(n.changed_by_file(head + keys) == json{"s"}); // no file can say null
    CHECK(other_process.put_schedule({.name = "s",
                                      .workflow = "nightly_settlement",
                                      .version = 1,
                                      .every = 2h,
                                      .jitter = 3s,
                                      .overlap = overlap,
                                      .catch_up = 4min,
                                      .catch_up_max = 5,
                                      .moment_as = "at",
                                      .priority = 7})
          == false);
  }
}

TEST_CASE("a schedule that cannot be is refused from C++ by the field") {
  settling_node n;
  auto s = nightly();
  s.cron = "61 2 * * *";
  CHECK_THAT(n.refusal(s), Contains("cron `61 2 * * *`: the minute"));
  s = nightly();
  s.every = 1h;
  CHECK_THAT(n.refusal(s), Contains("it must have either `cron` or `every`"));
  s = nightly();
  s.jitter = -1ms;
  CHECK_THAT(n.refusal(s), Contains("`jitter_ms` must be a whole number from 0"));
  s = nightly();
  s.workflow = "nobodys";
  CHECK_THAT(n.refusal(s), Contains("there is no workflow `nobodys`"));
  s = nightly();
  s.payload = "{";
  CHECK_THAT(n.refusal(s), Contains("payload is not a JSON text"));
  s = nightly();
  s.catch_up_max = 0;
  CHECK_THAT(n.refusal(s), Contains("catch_up_max must lie between 1 and 100"));
  const auto put = [&](const json& params) { return n.running.call("schedule.put", params); };
  CHECK_THROWS_WITH(put({{"who", "ann"}}), Contains("give either `text` or `schedule`"));
  CHECK_THROWS_WITH(put({{"who", "ann"}, {"text", text_of_nightly_file()}, {"schedule", json::object()}}),
                    Contains("give either `text` or `schedule`"));
  CHECK_THROWS_WITH(put({{"who", "ann"}, {"schedule", 5}}), Contains("must be an object"));
  CHECK_THROWS_WITH(put({{"who", "ann"}, {"schedule", {{"name", "s"}, {"workflow", "w"}, {"crn", "@daily"}}}}),
                    Contains("did you mean `cron`?"));
  CHECK(n.running.call("schedule.list", json::object()).at("schedules").empty());
}
