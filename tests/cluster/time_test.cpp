// Time that passes while a node is down again and again, or its machine sleeps.

#include "tests/support/processes/node_process.hpp"
#include "tests/support/processes/wall_clock.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

using namespace steadfast::tests;
using clock_type = std::chrono::steady_clock;
using namespace std::chrono_literals;

namespace {

/// A task whose only attempt goes on for longer than anybody waits, and is over after `complete_by`.
void submit_one_that_hangs(node_process& node, const std::string& complete_by) {
  node.folder().write("workflows/hangs.toml",
                      "name = \"hangs\"\n[[step]]\nname = \"hang\"\nagent = \"hang\"\ncomplete_by = \"" + complete_by
                        + "\"\nretry = { attempts = 1 }\nthreshold = 1\ncool_off = { count = 0 }\n");
  node.start();
  REQUIRE(node.command({"submit", "hangs", "--id", "t", "--data", "{}"}).code == 0);
}

std::string hanging_agent() {
  return "\n[[agent]]\nname = \"hang\"\nprogram = \"/bin/sleep\"\narguments = [\"300\"]\nallow_root = true\n";
}

nlohmann::json attempt_of(const node_process& node) {
  const auto shown = node.json_of({"task", "show", "t", "--json"});
  const auto& log = shown.at(0).at("steps").at(0).at("log");
  return log.empty() ? nlohmann::json{} : log.at(0);
}

/// Whether the attempt comes to its end within the limit.
bool ends(const node_process& node, std::chrono::milliseconds limit) {
  const auto until = clock_type::now() + limit;
  do {
    if (const auto attempt = attempt_of(node); !attempt.is_null() && attempt.at("outcome") != "open")
      return true;
    std::this_thread::sleep_for(50ms);
  } while (clock_type::now() < until);
  return false;
}

} // namespace

TEST_CASE("an attempt is over at its complete-by though its node never lives that long") {
  bool no_life_was_so_long = false;
  for (auto complete_by = 6s; !no_life_was_so_long && complete_by < 100s; complete_by *= 2) { // the machine may be busy
    no_life_was_so_long = true;
    node_process node{STEADFAST_BINARY, hanging_agent()};
    auto begun = clock_type::now();
    submit_one_that_hangs(node, std::to_string(complete_by.count()) + "s");
    const auto until = begun + complete_by + hang_limit;
    bool is_over = false;
    while (!is_over && clock_type::now() < until) {
      is_over = ends(node, 1s);
      no_life_was_so_long = no_life_was_so_long && clock_type::now() - begun < complete_by;
      if (is_over)
        break;
      node.kill();
      begun = clock_type::now();
      node.start();
    }
    REQUIRE(is_over);
    const auto attempt = attempt_of(node);
    INFO(attempt.dump());
    CHECK(attempt.at("outcome") == "expired");
  }
  CHECK(no_life_was_so_long); // else its end would say nothing
}

TEST_CASE("row 52: what came due while the machine slept is noticed when it wakes") {
  temp_folder folder;
  const auto slept = folder.path() / "slept";
  const auto sleep_until = [&slept](const std::string& seconds) {
    const auto next = slept.string() + ".next";
    std::ofstream{next} << seconds << '\n';
    std::filesystem::rename(next, slept);
  };
  sleep_until("0");
  node_process node{STEADFAST_BINARY,
                    hanging_agent(),
                    {std::string{"LD_PRELOAD="} + STEADFAST_SLEEPING_CLOCK, "STEADFAST_SLEPT_FILE=" + slept.string()}};
  submit_one_that_hangs(node, "1h");
  REQUIRE_FALSE(ends(node, 1s));
  sleep_until("1800");
  REQUIRE_FALSE(ends(node, 2s));
  sleep_until("3600");
  CHECK(ends(node, hang_limit));
  CHECK(attempt_of(node).at("outcome") == "expired");
}
