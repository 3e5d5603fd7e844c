#include "runtime/configuration/schedule_file.hpp"
#include "runtime/configuration/workflow_file.hpp"
#include "runtime/toml/config_error.hpp"
#include "tests/support/temp_folder.hpp"
#include "workflow/schedule/schedule.hpp"
#include "workflow/time/time_text.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <string>

using namespace steadfast;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

std::string mistakes_in_schedules(const std::string& text) {
  try {
    parse_schedules(text, "s.toml");
  } catch (const runtime::config_error& e) {
    return e.what();
  }
  return {};
}

const std::string head = "[[schedule]]\nname = \"nightly\"\nworkflow = \"w\"\n";

} // namespace

TEST_CASE("a schedule is read from its file with all that it may have") {
  const auto all = parse_schedules(head
                                     + "version = 3\ncron = \"30 2 * * *\"\nzone = \"Europe/Berlin\"\njitter = \"5m\"\n"
                                       "overlap = \"queue\"\ncatch_up = \"6h\"\ncatch_up_max = 4\npriority = 7\n"
                                       "payload = { region = \"south\", ids = [1, 2] }\nmoment_as = \"night\"\n",
                                   "s.toml");
  REQUIRE(all.size() == 1);
  workflow::schedule s;
  s.name = "nightly";
  s.workflow = "w";
  s.version = 3;
  s.cron = "30 2 * * *";
  s.zone = "Europe/Berlin";
  s.jitter = 5min;
  s.rule = workflow::overlap::queue;
  s.catch_up = 6h;
  s.catch_up_max = 4;
  s.priority = std::uint8_t{7};
  s.payload = all.front().payload;
  s.moment_as = "night";
  CHECK(all.front() == s);
  CHECK(s.payload.view() == R"({"ids":[1,2],"region":"south"})");
}

TEST_CASE("mistakes of a schedule are told with their lines") {
  CHECK_THAT(mistakes_in_schedules(head + "cron = \"61 2 * * *\"\n"),
             Contains("s.toml:4: schedule `nightly`: cron `61 2 * * *`: the minute of a cron expression"));
  CHECK_THAT(mistakes_in_schedules(head + "every = \"1h\"\nzone = \"Mars/Base\"\n"), Contains("s.toml:5: "));
  CHECK_THAT(mistakes_in_schedules(head + "evry = \"1h\"\n"), Contains("s.toml:4: schedule.evry: unknown key"));
  CHECK_THAT(mistakes_in_schedules(head + "every = \"1h\"\noverlap = \"maybe\"\n"), Contains("s.toml:5: "));
  CHECK_THAT(mistakes_in_schedules(head + "every = \"1h\"\npayload = 2026-11-26\n"), Contains("JSON cannot express"));
  CHECK_THAT(mistakes_in_schedules(head + "every = \"1h\"\n" + head + "every = \"1h\"\n"),
             Contains("s.toml:5: ") && Contains("twice"));
}

TEST_CASE("schedules stand beside a workflow, whose tasks they make, or in files of their own") {
  const tests::temp_folder folder;
  std::filesystem::create_directory(folder.path() / "w");
  folder.write("w/work.toml", "name = \"work\"\n[[schedule]]\nname = \"a\"\nevery = \"1h\"\n[[step]]\nname = \"do\"\n"
                              "agent = \"x\"\n");
  folder.write("w/more.toml", "[[schedule]]\nname = \"b\"\nworkflow = \"work\"\nevery = \"1h\"\n");
  CHECK(load_workflows({folder.path() / "w"}).size() == 1);
  const auto all = load_schedules({folder.path() / "w"});
  REQUIRE(all.size() == 2);
  CHECK(all[0].what.name == "b");
  CHECK(all[1].what.workflow == "work");
  CHECK(all[1].file == folder.path() / "w/work.toml");
  folder.write("w/third.toml", "[[schedule]]\nname = \"a\"\nworkflow = \"work\"\nevery = \"1h\"\n");
  CHECK_THROWS_WITH(load_schedules({folder.path() / "w"}), Contains("is in ") && Contains("already"));
}

TEST_CASE("the schedules that are shipped are right, and their workflows are there") {
  const std::filesystem::path root{STEADFAST_SOURCE_DIR};
  const auto workflows = load_workflows({root / "config/workflows"});
  const auto all = load_schedules({root / "config/schedules"});
  CHECK_FALSE(all.empty());
  for (const auto& s : all)
    CHECK(std::any_of(workflows.begin(), workflows.end(), [&](const auto& d) { return d.name == s.what.workflow; }));
  const auto night_after = [&](std::string_view evening) {
    return workflow::utc_text(workflow::next_moment(all.front().what, workflow::parse_moment(evening).value()).value());
  };
  CHECK(night_after("2026-03-27T20:00Z") == "2026-03-28T01:30:00.000Z");
  CHECK(night_after("2026-03-28T20:00Z")
        == "2026-03-29T01:00:00.000Z"); // no half past two: when the clocks are changed
  CHECK(night_after("2026-10-24T20:00Z") == "2026-10-25T00:30:00.000Z"); // the first of two
  CHECK(night_after("2026-10-25T00:31Z") == "2026-10-26T01:30:00.000Z");
}
