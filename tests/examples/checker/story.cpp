#include "tests/examples/checker/story.hpp"

#include "examples/checker/reading/readers.hpp"
#include "examples/checker/rules/rules.hpp"
#include "tests/support/temp_folder.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace tests {

namespace {

void write_lines(const std::filesystem::path& file, const std::vector<json>& lines) {
  std::ofstream out{file};
  for (const auto& line : lines)
    out << line.dump() << '\n';
}

json moment(int second) {
  return "2026-01-31T12:00:" + std::string(second < 10 ? "0" : "") + std::to_string(second) + ".000Z";
}

json attempt_json(int number, const std::string& action, const std::string& outcome, int begin, int end) {
  return {{"attempt", number},           {"action", action},        {"agent", "service"}, {"outcome", outcome},
          {"started_at", moment(begin)}, {"ended_at", moment(end)}, {"epoch", 3}};
}

json step_json(const std::string& name, const std::string& state, const std::vector<std::string>& after,
               bool compensation, const std::vector<json>& log) {
  json s{{"name", name},        {"agent", "service"},           {"state", state},
         {"after", after},      {"compensation", compensation}, {"attempt", log.size()},
         {"attempts_limit", 3}, {"completed_at", nullptr},      {"log", log}};
  for (const auto& a : log)
    if (a["action"] == "do" && a["outcome"] == "succeeded")
      s["completed_at"] = a["ended_at"];
  return s;
}

json task_json(const std::string& id, const std::string& state, const std::vector<json>& steps) {
  return {{"id", id},    {"workflow", "w"},       {"process_state", state},
          {"cause", ""}, {"acts", json::array()}, {"steps", steps}};
}

/// a, then b on its second attempt; c is skipped; d comes after all.
void add_good(story& s) {
  s.effects.push_back(effect_line("good", "a", "do", "created", 1));
  s.effects.push_back(effect_line("good", "b", "do", "failed", 1));
  s.effects.push_back(effect_line("good", "b", "do", "created", 2));
  s.effects.push_back(effect_line("good", "b", "do", "repeated", 2));
  s.effects.push_back(effect_line("good", "d", "do", "created", 1));
  s.tasks.push_back(
    task_json("good", "processed",
              {step_json("a", "completed", {}, true, {attempt_json(1, "do", "succeeded", 1, 2)}),
               step_json("b", "completed", {"a"}, true,
                         {attempt_json(1, "do", "failed_transient", 2, 3), attempt_json(2, "do", "succeeded", 4, 5)}),
               step_json("c", "skipped", {"b"}, true, {}),
               step_json("d", "completed", {"c"}, false, {attempt_json(1, "do", "succeeded", 6, 7)})}));
}

/// a and d were done, b was refused; its first attempt is not known and was asked about. Then a was undone.
void add_bad(story& s) {
  s.effects.push_back(effect_line("bad", "a", "do", "created", 1));
  s.effects.push_back(effect_line("bad", "d", "do", "created", 1));
  s.effects.push_back(effect_line("bad", "b", "do", "created", 1));
  s.effects.push_back(effect_line("bad", "b", "probe", "probe_yes", 2));
  s.effects.push_back(effect_line("bad", "c", "do", "refused", 1));
  s.effects.push_back(effect_line("bad", "b", "undo", "undone", 3));
  s.effects.push_back(effect_line("bad", "a", "undo", "failed", 2));
  s.effects.push_back(effect_line("bad", "a", "undo", "undone", 2));
  s.tasks.push_back(
    task_json("bad", "undone",
              {step_json("a", "compensated", {}, true,
                         {attempt_json(1, "do", "succeeded", 1, 2), attempt_json(2, "undo", "succeeded", 9, 10)}),
               step_json("b", "compensated", {"a"}, true,
                         {attempt_json(1, "do", "expired", 2, 5), attempt_json(2, "probe", "succeeded", 5, 6),
                          attempt_json(3, "undo", "succeeded", 7, 8)}),
               step_json("c", "failed", {"b"}, true, {attempt_json(1, "do", "failed_permanent", 6, 7)}),
               step_json("d", "completed", {"a"}, false, {attempt_json(1, "do", "succeeded", 2, 3)})}));
  s.tasks.back()["steps"][1]["completed_at"] = moment(6);
}

void add_stuck(story& s) {
  s.effects.push_back(effect_line("stuck", "a", "do", "created", 1));
  s.effects.push_back(effect_line("stuck", "a", "undo", "failed", 2));
  s.tasks.push_back(task_json(
    "stuck", "error",
    {step_json("a", "compensation_failed", {}, true,
               {attempt_json(1, "do", "succeeded", 1, 2), attempt_json(2, "undo", "failed_permanent", 3, 4)})}));
  s.alerts.push_back({{"task", "stuck"}});
}

void add_client(story& s, const std::string& task, const std::string& outcome) {
  s.clients.push_back({{"op", "invoke"}, {"task", task}, {"workflow", "w"}});
  s.clients.push_back({{"op", "ok"}, {"task", task}, {"outcome", nullptr}});
  s.clients.push_back({{"op", "ok"}, {"task", task}, {"outcome", outcome}});
}

template <class Lines, class Test>
auto& first(Lines& lines, Test test) {
  const auto found = std::find_if(lines.begin(), lines.end(), test);
  if (found == lines.end())
    throw std::runtime_error{"no such line in the story"};
  return *found;
}

bool has_key(const json& line, const std::string& key) {
  return line["key"] == key;
}

} // namespace

json effect_line(const std::string& task, const std::string& step, const std::string& action, const std::string& result,
                 int attempt) {
  const auto key = task + "/" + step;
  const bool is_do = action == "do";
  return {{"service", "service"},
          {"key", is_do ? key : key + "/" + action},
          {"action", action},
          {"reverses", is_do ? "" : key},
          {"task", task},
          {"step", step},
          {"epoch", 3},
          {"attempt", attempt},
          {"try", 1},
          {"args", "00"},
          {"result", result}};
}

json& story::task(const std::string& id) {
  return first(tasks, [&](const json& t) { return t["id"] == id; });
}

json& story::step(const std::string& task_id, const std::string& name) {
  return first(task(task_id)["steps"], [&](const json& s) { return s["name"] == name; });
}

json& story::line(const std::string& key, const std::string& result) {
  return first(effects, [&](const json& e) { return has_key(e, key) && e["result"] == result; });
}

json& story::repeat(const std::string& key, const std::string& result) {
  const auto position = &line(key, result) - effects.data();
  return *effects.insert(effects.begin() + position + 1, line(key, result));
}

void story::move_to_front(const std::string& key) {
  std::stable_partition(effects.begin(), effects.end(), [&](const json& e) { return has_key(e, key); });
}

void story::move_to_back(const std::string& key) {
  std::stable_partition(effects.begin(), effects.end(), [&](const json& e) { return !has_key(e, key); });
}

void story::remove(const std::string& key) {
  std::erase_if(effects, [&](const json& e) { return has_key(e, key); });
}

story clean_story() {
  story s;
  add_good(s);
  add_bad(s);
  add_stuck(s);
  s.clients.push_back({{"op", "look"}, {"task", "bad"}, {"call", 1}});
  s.clients.push_back({{"op", "saw"}, {"task", "bad"}, {"call", 1}, {"told", "absent"}});
  add_client(s, "good", "processed");
  add_client(s, "bad", "undone");
  add_client(s, "stuck", "error");
  return s;
}

std::vector<std::string> write_files(const story& s, const std::filesystem::path& folder) {
  auto effects = s.effects;
  int seq = 0;
  for (auto& e : effects) {
    ++seq;
    e["seq"] = seq;
    e["steady_ns"] = 1000 * seq;
  }
  write_lines(folder / "effects", effects);
  write_lines(folder / "clients", s.clients);
  write_lines(folder / "tasks", s.tasks);
  write_lines(folder / "alerts", s.alerts);
  return {"--effects", folder / "effects", "--clients", folder / "clients",
          "--tasks",   folder / "tasks",   "--alerts",  folder / "alerts"};
}

checker::findings check(const story& s) {
  const steadfast::tests::temp_folder files;
  write_files(s, files.path());
  checker::history h;
  checker::read_effects(h, files.path() / "effects");
  checker::read_tasks(h, files.path() / "tasks");
  if (s.with_clients)
    checker::read_clients(h, files.path() / "clients");
  if (s.with_alerts)
    checker::read_alerts(h, files.path() / "alerts");
  return checker::check(h, s.settings);
}

std::set<std::string> broken_rules(const story& s) {
  std::set<std::string> broken;
  for (const auto& f : check(s))
    if (f.violations > 0)
      broken.emplace(f.name);
  return broken;
}

} // namespace tests
