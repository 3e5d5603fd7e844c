#include "tests/examples/checker/story.hpp"

#include "examples/checker/reading/json_lines.hpp"
#include "examples/checker/reading/readers.hpp"
#include "examples/checker/reading/utc.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>

using namespace tests;

namespace {

constexpr auto program = STEADFAST_EXAMPLES_DIR "/checker/effect_checker";

/// A folder with the story's files, and the program run on them.
class checked_folder {
public:
  int run(const story& s, const std::string& options = {}) {
    auto command = std::string{program};
    for (const auto& argument : write_files(s, path))
      command += " " + argument;
    return run_command(command + " " + options);
  }

  int run_command(const std::string& command) {
    output.clear();
    auto* pipe = ::popen((command + " 2>&1").c_str(), "r");
    REQUIRE(pipe);
    std::array<char, 4096> bytes{};
    for (std::size_t count = 0; (count = std::fread(bytes.data(), 1, bytes.size(), pipe)) > 0;)
      output.append(bytes.data(), count);
    return WEXITSTATUS(::pclose(pipe));
  }

  void write(const std::string& name, const std::string& text) const { std::ofstream{path / name} << text; }

  const steadfast::tests::temp_folder folder;
  const std::filesystem::path path = folder.path();
  std::string output;
};

story ten_lost_tasks() {
  auto s = clean_story();
  for (int i = 0; i < 10; ++i)
    s.clients.push_back({{"op", "ok"}, {"task", "lost-" + std::to_string(i)}});
  return s;
}

const std::string good_effect =
  R"({"seq":1,"service":"s","key":"k","action":"do","reverses":"","task":"t","step":"a","epoch":1,"attempt":1,)"
  R"("try":1,"args":"0","result":"created","steady_ns":5})";

std::string complaint_about(const checked_folder& f, const std::string& text) {
  f.write("effects", text);
  checker::history h;
  try {
    checker::read_effects(h, f.path / "effects");
  } catch (const checker::unusable& e) {
    return std::string{e.what()}.substr((f.path / "effects").string().size());
  }
  return "";
}

} // namespace

TEST_CASE("the program says clean and ends with 0") {
  checked_folder f;
  CHECK(f.run(clean_story()) == 0);
  CHECK(f.output.find("verdict: clean") != std::string::npos);
  CHECK(f.output.find("E12") != std::string::npos);
}

TEST_CASE("the program shows at most five examples of a violation and ends with 1") {
  checked_folder f;
  CHECK(f.run(ten_lost_tasks()) == 1);
  CHECK(f.output.find("verdict: 10 violations") != std::string::npos);
  CHECK(f.output.find("- and 5 more") != std::string::npos);
}

TEST_CASE("the program prints JSON") {
  checked_folder f;
  CHECK(f.run(ten_lost_tasks(), "--json") == 1);
  const auto printed = json::parse(f.output);
  CHECK(printed["clean"] == false);
  CHECK(printed["violations"] == 10);
  REQUIRE(printed["rules"].size() == 24);
  CHECK(printed["rules"][0]["rule"] == "E1");
  CHECK(printed["rules"][0]["examples"].size() == 5);
  CHECK(printed["rules"][1]["violations"] == 0);
}

TEST_CASE("the program passes on what is allowed and what is not logged") {
  checked_folder f;
  auto s = clean_story();
  s.task("stuck")["process_state"] = "suspended";
  s.clients.pop_back();
  s.remove("good/d");
  s.step("good", "d")["agent"] = "elsewhere";
  CHECK(f.run(s) == 1);
  CHECK(f.run(s, "--allow-open") == 1);
  CHECK(f.run(s, "--allow-open --unlogged other elsewhere") == 0);
}

TEST_CASE("what cannot be used ends with 2 and says where") {
  checked_folder f;
  const auto effects = std::string{program} + " --effects " + (f.path / "effects").string();
  const auto tasks = " --tasks " + (f.path / "tasks").string();
  f.write("effects", "");
  CHECK(f.run_command(effects) == 2);
  CHECK(f.run_command(effects + tasks) == 2);
  f.write("tasks", "");
  CHECK(f.run_command(effects + tasks) == 0);
  f.write("tasks", R"({"id": "t", "process_state": "asleep", "steps": []})"
                   "\n");
  CHECK(f.run_command(effects + tasks) == 2);
  CHECK(f.output.find("tasks:1: field `process_state` holds an unknown word: asleep") != std::string::npos);
  CHECK(f.run_command(std::string{program} + " --nonsense") == 2);
  CHECK(f.run_command(std::string{program} + " --help") == 0);
}

TEST_CASE("a line that a crash cut off is passed over, any other is complained about") {
  checked_folder f;
  CHECK(complaint_about(f, good_effect + "\n" + good_effect.substr(0, 40)) == "");
  CHECK(complaint_about(f, good_effect.substr(0, 40) + "\n" + good_effect + "\n") == ":1: is no JSON object");
  CHECK(complaint_about(f, "[1]\n") == ":1: is no JSON object");
  CHECK(complaint_about(f, good_effect + "\n\n" + good_effect + "\n")
        == ":3: its seq 1 is not above the one before, 1");
  CHECK(complaint_about(f, R"({"seq": 1})"
                           "\n")
        == ":1: field `task` must be a text");
  CHECK(complaint_about(f, "") == "");
}

TEST_CASE("moments are read to the millisecond") {
  std::int64_t ms = 0;
  CHECK(checker::read_utc("1970-01-01T00:00:01Z", ms));
  CHECK(ms == 1000);
  CHECK(checker::read_utc("2026-01-31T12:00:00.123456Z", ms));
  CHECK(ms == 1769860800123);
  CHECK(checker::read_utc("2026-01-31T12:00:00.5Z", ms));
  CHECK(ms == 1769860800500);
  for (const auto* none : {"", "now", "2026-01-31 12:00", "2026-01-31T12:00:00", "2026-01-31T12:00:00.Z",
                           "2026-01-31T12:00:00+01:00", "2026-01-31T1x:00:00Z"})
    CHECK_FALSE(checker::read_utc(none, ms));
}

// With CHECKER_TASKS=125000 in the environment a million lines.
TEST_CASE("how long the check takes is printed") {
  const auto* asked = std::getenv("CHECKER_TASKS");
  const int tasks = asked ? std::atoi(asked) : 2500;
  const auto sample = clean_story();
  story s;
  for (int i = 0; i < tasks; ++i) {
    const auto id = "good-" + std::to_string(i);
    s.tasks.push_back(sample.tasks[0]);
    s.tasks.back()["id"] = id;
    s.clients.push_back({{"op", "ok"}, {"task", id}, {"outcome", "processed"}});
    s.clients.push_back({{"op", "invoke"}, {"task", id}});
    for (int n = 0; n < 8; ++n) {
      auto line = sample.effects[static_cast<std::size_t>(std::min(n, 4))];
      line["task"] = id;
      line["key"] = id + line["key"].get<std::string>().substr(4);
      if (n > 4)
        line["result"] = "repeated";
      s.effects.push_back(std::move(line));
    }
  }
  checked_folder f;
  auto command = std::string{program};
  for (const auto& argument : write_files(s, f.path))
    command += " " + argument;
  const auto begin = std::chrono::steady_clock::now();
  const auto code = f.run_command(command);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  INFO(f.output);
  CHECK(code == 0);
  std::cout << "effect_checker: " << s.effects.size() << " effect lines, " << s.tasks.size() << " tasks in "
            << took.count() << " s\n";
}
