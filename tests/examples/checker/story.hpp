#pragma once

#include "examples/checker/history/history.hpp"
#include "examples/checker/rules/findings.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace tests {

using json = nlohmann::json;

/// The inputs of the checker, made by hand and broken by hand.
struct story {
  std::vector<json> effects; ///< of one service; seq and steady_ns are set when they are written
  std::vector<json> clients;
  std::vector<json> tasks;
  std::vector<json> alerts;
  std::vector<json> wakes; ///< requests and answers; steady_ns counts from the reservation of "k/1", 1000 a line
  checker::settings settings;
  bool with_clients = true;
  bool with_alerts = true;
  bool with_wakes = true;

  json& task(const std::string& id);
  json& step(const std::string& task_id, const std::string& name);
  /// The first effect line of that key and result.
  json& line(const std::string& key, const std::string& result);
  /// A copy of that line, put behind it.
  json& repeat(const std::string& key, const std::string& result);
  void move_to_front(const std::string& key);
  void move_to_back(const std::string& key);
  void remove(const std::string& key);
  /// The request of that wake, and its answer.
  json& wake(int call);
  json& answer(int call);
};

/// Nothing is wrong with it: "good" is processed (c was skipped), "bad" is undone after b failed for good, its d is
/// read-only, and "stuck" is in error with an alert. "k/1" is processed after an event (wake 1), an answer (2), a step
/// that ended later (3 and 4) and two items; "k/2", which had to wait for it, took the same event and is undone with
/// its child. The schedule "tick" has made two tasks, every two seconds one. "draft" was replaced (calls 11 and 12),
/// and its step called twice.
story clean_story();

json effect_line(const std::string& task, const std::string& step, const std::string& action, const std::string& result,
                 int attempt);

checker::findings check(const story& s);

/// The names of the rules that were broken.
std::set<std::string> broken_rules(const story& s);

/// Writes the story's files into a folder; the answer is the command line for the program.
std::vector<std::string> write_files(const story& s, const std::filesystem::path& folder);

} // namespace tests
