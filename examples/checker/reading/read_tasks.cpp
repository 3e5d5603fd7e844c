#include "examples/checker/reading/json_lines.hpp"
#include "examples/checker/reading/readers.hpp"
#include "examples/checker/reading/utc.hpp"
#include "examples/checker/reading/words.hpp"

#include <algorithm>

namespace checker {

namespace {

std::optional<std::int64_t> read_moment(const json_line& line, const char* field) {
  std::int64_t ms = 0;
  return line.moment(field, ms) ? std::optional{ms} : std::nullopt;
}

attempt read_attempt(const json_line& line) {
  attempt a;
  const auto outcome = line.text_or_empty("outcome");
  a.number = static_cast<std::uint32_t>(line.number("attempt"));
  a.action = read_word<action>(line, "action");
  a.succeeded = outcome == "succeeded" || outcome == "completed";
  a.uncounted = outcome == "declined" || outcome == "stopped";
  a.epoch = line.number_or_zero("epoch");
  a.started_ms = read_moment(line, "started_at");
  a.ended_ms = read_moment(line, "ended_at");
  return a;
}

/// As an answer of a wake log is named.
names::id read_answer(names& n, const json_line& line) {
  const auto result = line.object("result");
  const auto choice = result ? result->text_or_empty("choice") : std::string_view{};
  return choice.empty() ? 0 : n.of(text_of_answer(choice, result->text_or_empty("who")));
}

step read_step(names& n, const json_line& line, bool with_results) {
  step s;
  s.name = n.of(line.text("name"));
  s.agent = n.of(line.text_or_empty("agent"));
  s.state = read_word<step_state>(line, "state");
  s.compensation = line.flag("compensation");
  s.attempt = static_cast<std::uint32_t>(line.number_or_zero("attempt"));
  s.attempts_limit = line.number_or_zero("attempts_limit");
  s.calls_max = line.number_or_zero("calls_max");
  s.is_repeated = s.calls_max > 0;
  s.is_log_cut = line.number_or_zero("log_dropped") > 0;
  s.completed_ms = read_moment(line, "completed_at");
  s.took_event = line.number_or_zero("event") != 0;
  if (with_results) {
    s.result = n.of(line.json_or_empty("result"));
    s.answer = s.agent == 0 ? read_answer(n, line) : 0;
  }
  for (const auto entry : line.list_or_empty("log"))
    s.log.push_back(read_attempt(line.inside(entry)));
  return s;
}

/// Names of the steps before become their places.
void read_after(names& n, task& t, std::size_t i, const json_line& line) {
  for (const auto entry : line.list_or_empty("after")) {
    std::string_view name;
    if (entry.get(name) != simdjson::SUCCESS)
      line.complain("field `after` must be a list of texts");
    const auto id = n.of(name);
    const auto found = std::find_if(t.steps.begin(), t.steps.end(), [&](const step& s) { return s.name == id; });
    if (found == t.steps.end())
      line.complain("field `after` names a step that is none: " + std::string{name});
    t.steps[i].after.push_back(static_cast<std::uint32_t>(found - t.steps.begin()));
  }
}

/// An answer is what its step waited for, and what the parent, a schedule or a submission did is no act of a person.
bool is_act(const json_line& line) {
  const auto who = line.text_or_empty("who");
  return !line.text_or_empty("what").starts_with("answer step ") && !who.starts_with("its parent")
         && !who.starts_with('(');
}

std::optional<std::int64_t> moment_in(std::string_view text) {
  std::int64_t ms = 0;
  return read_utc(text, ms) ? std::optional{ms} : std::nullopt;
}

/// Perhaps of the task of a schedule.
void read_id(names& n, task& t, std::string_view id) {
  t.id = n.of(id);
  const auto at = id.find('@');
  if (at == std::string_view::npos)
    return;
  t.schedule = n.of(id.substr(0, at));
  t.moment_ms = moment_in(id.substr(at + 1));
}

/// It need not be an object, and its members may be anything.
void read_payload(names& n, task& t, const json_line& line) {
  const auto payload = line.object("payload");
  if (!payload)
    return;
  t.mark = n.of(payload->text_if_any("mark"));
  t.moment_told_ms = moment_in(payload->text_if_any("moment"));
}

task read_task(names& n, const json_line& line, bool with_results) {
  task t;
  read_id(n, t, line.text("id"));
  t.workflow = n.of(line.text_or_empty("workflow"));
  t.submitted_ms = read_moment(line, "submitted_at");
  read_payload(n, t, line);
  t.state = read_word<process_state>(line, "process_state");
  t.parent = n.of(line.text_or_empty("parent"));
  for (const auto entry : line.list_or_empty("acts"))
    t.acts += is_act(line.inside(entry)) ? 1 : 0;
  t.is_reopened = line.number_or_zero("generation") > 1;
  t.began_ms = read_moment(line, "began_at");
  const auto steps = line.list_or_empty("steps");
  for (const auto entry : steps)
    t.steps.push_back(read_step(n, line.inside(entry), with_results));
  std::size_t i = 0;
  for (const auto entry : steps)
    read_after(n, t, i++, line.inside(entry));
  return t;
}

} // namespace

void read_tasks(history& into, const std::string& path) {
  each_json_line(path, false,
                 [&](const json_line& line) { into.tasks.push_back(read_task(into.names, line, into.has_wakes)); });
}

} // namespace checker
