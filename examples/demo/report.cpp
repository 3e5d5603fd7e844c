#include "examples/demo/report.hpp"

#include "examples/demo/progress.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <string_view>
#include <unordered_map>

namespace demo {

namespace {

using json = nlohmann::json;

template <class Read>
void each_line(const std::filesystem::path& file, Read read) {
  std::ifstream in{file};
  for (std::string line; std::getline(in, line);)
    read(json::parse(line));
}

void add_task(outcome& o, const json& task) {
  ++o.tasks[task.at("process_state").get<std::string>()];
  for (const auto& step : task.at("steps")) {
    std::map<std::string, std::uint64_t> attempts; // by action: do and undo of a step are two things
    for (const auto& attempt : step.at("log"))
      ++attempts[attempt.at("action").get<std::string>()];
    for (const auto& [action, count] : attempts)
      o.retries += action == "probe" ? 0 : count - 1;
    const auto state = step.at("state").get<std::string>();
    o.steps += state == "completed" ? 1 : 0;
    o.undone_steps += state == "compensated" ? 1 : 0;
  }
}

void add_row(std::string& text, std::string_view name, const std::string& value) {
  text += fmt::format("  {:<34} {:>10}\n", name, value);
}

void add_row(std::string& text, std::string_view name, std::uint64_t value) {
  add_row(text, name, std::to_string(value));
}

} // namespace

outcome read_dump(const std::filesystem::path& dump) {
  outcome o;
  each_line(dump, [&](const json& task) { add_task(o, task); });
  return o;
}

effects read_effects(const std::vector<std::filesystem::path>& logs) {
  effects e;
  for (const auto& log : logs) {
    std::unordered_map<std::string, std::uint64_t> created;
    each_line(log, [&](const json& line) {
      ++e.lines;
      const auto& result = line.at("result").get_ref<const std::string&>();
      e.repeats += result == "repeated" ? 1 : 0;
      if (result == "created")
        e.most_of_key = std::max(e.most_of_key, ++created[line.at("key").get<std::string>()]);
    });
    e.keys += created.size();
  }
  return e;
}

std::string table(const outcome& tasks, const effects& seen, double seconds) {
  const auto count = [&](const char* state) {
    const auto found = tasks.tasks.find(state);
    return found == tasks.tasks.end() ? std::uint64_t{0} : found->second;
  };
  std::string text;
  for (const auto state : {"processed", "undone", "error"})
    add_row(text, std::string{"tasks "} + state, count(state));
  std::uint64_t all = 0;
  for (const auto& [state, n] : tasks.tasks)
    all += n;
  add_row(text, "tasks not ended", all - ended(tasks.tasks));
  add_row(text, "steps completed", tasks.steps);
  add_row(text, "steps undone", tasks.undone_steps);
  add_row(text, "retries (attempts after the first)", tasks.retries);
  add_row(text, "requests seen by the services", seen.lines);
  add_row(text, "repeated requests without effect", seen.repeats);
  add_row(text, "effects", seen.keys);
  add_row(text, "effects per key, at most", seen.most_of_key);
  add_row(text, "tasks ended per second", fmt::format("{:.0f}", static_cast<double>(ended(tasks.tasks)) / seconds));
  return text;
}

} // namespace demo
