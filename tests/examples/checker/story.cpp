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

/// A step that calls no agent.
json wait_json(const std::string& name, const std::string& after, const json& result) {
  auto s = step_json(name, "completed", {after}, false, {attempt_json(1, "do", "succeeded", 2, 3)});
  s["agent"] = "";
  s["result"] = result;
  return s;
}

json event_json(const std::string& after) {
  auto s = wait_json("pay", after, {{"paid", 1}});
  s["event"] = 7;
  return s;
}

json child_json(const std::string& id, const std::string& parent, const std::string& state) {
  const bool is_undone = state == "undone";
  std::vector<json> log{attempt_json(1, "do", "succeeded", 7, 8)};
  if (is_undone)
    log.push_back(attempt_json(2, "undo", "succeeded", 8, 9));
  auto t = task_json(id, state, {step_json("x", is_undone ? "compensated" : "completed", {}, true, log)});
  t["parent"] = parent;
  if (is_undone)
    t["acts"] = {{{"at", moment(8)}, {"who", "its parent `" + parent + "`"}, {"what", "undo"}, {"why", ""}}};
  return t;
}

void add_wake(story& s, int call, int steady, json asked) {
  asked.update({{"op", "invoke"}, {"call", call}, {"steady_ns", steady}});
  s.wakes.push_back(asked);
  s.wakes.push_back({{"op", "ok"}, {"call", call}, {"steady_ns", steady}});
}

void add_orders(story& s) {
  s.effects.push_back(effect_line("k/1", "reserve", "do", "created", 1));
  s.effects.push_back(effect_line("k/1", "pack", "do", "created", 1));
  s.effects.back()["later"] = true;
  s.effects.push_back(effect_line("k/1/items/0", "x", "do", "created", 1));
  s.effects.push_back(effect_line("k/1/items/1", "x", "do", "created", 1));
  s.effects.push_back(effect_line("k/2", "reserve", "do", "created", 1));
  s.effects.push_back(effect_line("k/2/bill", "x", "do", "created", 1));
  s.effects.push_back(effect_line("k/2/bill", "x", "undo", "undone", 2));
  s.effects.push_back(effect_line("k/2", "reserve", "undo", "undone", 2));

  const auto done = attempt_json(1, "do", "succeeded", 1, 2);
  auto ask = wait_json("ask", "pay", {{"choice", "yes"}, {"who", "ann"}, {"why", ""}});
  auto pack = step_json("pack", "completed", {"ask"}, true, {attempt_json(1, "do", "succeeded", 4, 5)});
  pack["result"] = {{"box", 4}};
  s.tasks.push_back(task_json("k/1", "processed",
                              {step_json("reserve", "completed", {}, true, {done}), event_json("reserve"), ask, pack,
                               wait_json("items", "pack", json::array({1, 2})), wait_json("rest", "items", nullptr)}));
  s.tasks.back()["acts"] = {{{"at", moment(3)}, {"who", "ann"}, {"what", "answer step `ask`: yes"}, {"why", ""}}};
  s.tasks.back()["began_at"] = moment(1);
  s.tasks.push_back(child_json("k/1/items/0", "k/1", "processed"));
  s.tasks.push_back(child_json("k/1/items/1", "k/1", "processed"));

  auto bill = wait_json("bill", "pay", nullptr);
  bill.update({{"compensation", true}, {"state", "compensated"}});
  s.tasks.push_back(
    task_json("k/2", "undone",
              {step_json("reserve", "compensated", {}, true, {done, attempt_json(2, "undo", "succeeded", 9, 10)}),
               event_json("reserve"), bill}));
  for (auto& step : s.tasks.back()["steps"])
    step["log"][0].update({{"started_at", moment(5)}, {"ended_at", moment(6)}});
  s.tasks.back()["began_at"] = moment(5);
  s.tasks.push_back(child_json("k/2/bill", "k/2", "undone"));

  add_wake(s, 1, -500, {{"wake", "event"}, {"tasks", {"k/1", "k/2"}}, {"steps", {"pay"}}, {"says", {{"paid", 1}}}});
  add_wake(s, 2, 500, {{"wake", "answer"}, {"tasks", {"k/1"}}, {"steps", {"ask"}}, {"choice", "yes"}, {"who", "ann"}});
  const json by_token{{"tasks", {"k/1"}}, {"steps", {"pack"}}, {"attempt", 1}};
  auto extend = by_token;
  extend["wake"] = "extend";
  add_wake(s, 3, 1200, extend);
  auto complete = by_token;
  complete.update({{"wake", "complete"}, {"says", {{"box", 4}}}});
  add_wake(s, 4, 1500, complete);

  for (const auto* id : {"k/1", "k/2"})
    s.clients.push_back({{"op", "invoke"}, {"task", id}, {"limit_key", "k"}, {"limit", 1}, {"limit_per_ms", 4000}});
  auto& first_client = s.clients[s.clients.size() - 2];
  first_client["items"] = {{"items", 2}};
  first_client["sleeps"] = {{"rest", 1000}};
}

json round_json(int second) {
  const auto moment_text = "2026-01-31T12:00:0" + std::to_string(second) + "Z";
  auto t = task_json("tick@" + moment_text, "processed",
                     {step_json("a", "completed", {}, true, {attempt_json(1, "do", "succeeded", second, second + 1)})});
  t["payload"] = {{"moment", moment_text}};
  t["submitted_at"] = moment(second);
  return t;
}

void add_rounds(story& s) {
  s.clients.push_back(
    {{"op", "schedule"}, {"schedule", "tick"}, {"workflow", "w"}, {"every_ms", 2000}, {"overlap", "skip"}});
  for (const auto second : {2, 4}) {
    s.tasks.push_back(round_json(second));
    s.effects.push_back(effect_line(s.tasks.back()["id"], "a", "do", "created", 1));
  }
}

void add_call(story& s, int call, json asked, json answered) {
  asked.update({{"op", "invoke"}, {"task", "draft"}, {"call", call}});
  answered.update({{"task", "draft"}, {"call", call}});
  s.clients.push_back(std::move(asked));
  s.clients.push_back(std::move(answered));
}

/// The second submission replaces the first; its step is called twice, until it has finished.
void add_draft(story& s) {
  const json wish{{"on_conflict", "replace"}, {"calls", {{"ask", 2}}}};
  auto first_wish = wish;
  first_wish.update({{"body", "1"}, {"mark", "one"}});
  add_call(s, 11, first_wish, {{"op", "ok"}, {"told", "created"}});
  auto second_wish = wish;
  second_wish.update({{"body", "2"}, {"mark", "two"}});
  add_call(s, 12, second_wish, {{"op", "ok"}, {"told", "replaced"}});
  s.effects.push_back(effect_line("draft", "ask", "do", "created", 1));
  s.effects.back().update({{"finished", false}, {"mark", "two"}});
  s.effects.push_back(effect_line("draft", "ask", "do", "repeated", 2));
  s.effects.back().update({{"finished", true}, {"mark", "two"}});
  auto ask = step_json("ask", "completed", {}, true,
                       {attempt_json(1, "do", "succeeded", 1, 2), attempt_json(2, "do", "succeeded", 3, 4)});
  ask["calls_max"] = 2;
  s.tasks.push_back(task_json("draft", "processed", {ask}));
  s.tasks.back()["payload"] = {{"mark", "two"}};
  s.tasks.back()["acts"] = {{{"at", moment(0)}, {"who", "(a submission)"}, {"what", "replace"}, {"why", ""}}};
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

json& story::wake(int call) {
  return first(wakes, [&](const json& w) { return w["call"] == call && w["op"] == "invoke"; });
}

json& story::answer(int call) {
  return first(wakes, [&](const json& w) { return w["call"] == call && w["op"] != "invoke"; });
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
  add_orders(s);
  add_rounds(s);
  add_draft(s);
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
  int reservation_ns = 0;
  for (auto& e : effects) {
    ++seq;
    e["seq"] = seq;
    e["steady_ns"] = 1000 * seq;
    if (has_key(e, "k/1/reserve"))
      reservation_ns = 1000 * seq;
  }
  auto wakes = s.wakes;
  for (auto& w : wakes)
    w["steady_ns"] = w["steady_ns"].get<int>() + reservation_ns;
  write_lines(folder / "effects", effects);
  write_lines(folder / "clients", s.clients);
  write_lines(folder / "tasks", s.tasks);
  write_lines(folder / "alerts", s.alerts);
  write_lines(folder / "wakes", wakes);
  return {"--effects",      folder / "effects", "--clients",       folder / "clients", "--tasks",
          folder / "tasks", "--alerts",         folder / "alerts", "--wakes",          folder / "wakes"};
}

checker::findings check(const story& s) {
  const steadfast::tests::temp_folder files;
  write_files(s, files.path());
  checker::history h;
  checker::read_effects(h, files.path() / "effects");
  if (s.with_wakes)
    checker::read_wakes(h, files.path() / "wakes");
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
