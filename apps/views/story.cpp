#include "apps/views/story.hpp"

#include "apps/terminal/table.hpp"
#include "apps/views/json_changes.hpp"
#include "client/exact_json.hpp"
#include "runtime/text/quantity.hpp"
#include "runtime/text/time_text.hpp"
#include "workflow/on_call/incident.hpp"
#include "workflow/step/step.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <sstream>
#include <vector>

namespace steadfast::apps {
namespace {

using nlohmann::json;

constexpr std::size_t value_columns = 160; ///< of a payload or result that is cut
constexpr std::size_t folded_at_least = 3; ///< attempts

std::string text_of(const json& j, const char* name) {
  return j.value(name, std::string{});
}

/// The clock time on the day of the task's beginning, else the date too.
std::string time_of(const json& moment, workflow::instant begun) {
  const auto at = instant_of(moment);
  if (at == workflow::unset)
    return "";
  const auto text = local_text(at, true);
  return text.substr(0, 10) == local_text(begun).substr(0, 10) ? text.substr(11) : text;
}

std::string duration_of(const json& begin, const json& end) {
  return begin.is_null() || end.is_null() ? "" : rough_text(instant_of(end) - instant_of(begin));
}

void add_line(std::string& out, const std::string& name, const std::string& value, const terminal& to) {
  if (value.empty())
    return;
  const std::string before = "  " + name + std::string(name.size() < 14 ? 14 - name.size() : 1, ' ');
  const auto lines = wrapped(printable(value), to.width > before.size() + 20 ? to.width - before.size() : to.width);
  for (std::size_t i = 0; i < lines.size(); ++i)
    out += (i == 0 ? before : std::string(before.size(), ' ')) + lines[i] + "\n";
}

/// A payload or result in a line, with its size if it is cut.
std::string brief_text(const json& value, const std::string& option) {
  if (value.is_null())
    return "";
  const auto text = exact_text(value);
  if (columns_of(text) <= value_columns)
    return text;
  const auto size =
    text.size() < 10'240 ? std::to_string(text.size()) + " bytes" : std::to_string(text.size() / 1024) + " KiB";
  return cut(text, value_columns) + " (" + size + ": " + option + " shows all)";
}

/// In lines of its own, below a title.
std::string whole_text(const std::string& title, const json& value) {
  if (value.is_null())
    return "";
  std::string out = "\n  " + printable(title) + "\n";
  std::istringstream lines{indented_json(exact_text(value))};
  for (std::string line; std::getline(lines, line);)
    out += "    " + printable(line) + "\n";
  return out;
}

std::string lock_text(const json& t) {
  const auto by = text_of(t, "locked_by");
  return by.empty() ? "" : by + ", epoch " + std::to_string(t.value("lock_epoch", 0ULL));
}

std::string end_text(const json& t, workflow::instant now) {
  const auto took = duration_of(t.value("submitted_at", json{}), t.value("ended_at", json{}));
  return took.empty() ? "" : moment_text(t["ended_at"], now) + ", after " + took;
}

std::string limit_text(const json& t, workflow::instant now) {
  const auto key = text_of(t, "limit_key");
  const auto began = moment_text(t.value("began_at", json{}), now);
  return key.empty() || began.empty() ? key : key + ", began " + began;
}

std::string head(const json& t, workflow::instant now, const terminal& to, story_detail detail) {
  std::string out = headline(t, to) + "\n";
  add_line(out, "submitted", moment_text(t.value("submitted_at", json{}), now), to);
  add_line(out, "not before", moment_text(t.value("not_before", json{}), now), to);
  const bool has_ended = !t.value("ended_at", json{}).is_null();
  add_line(out, has_ended ? "ended" : "complete by",
           has_ended ? end_text(t, now) : moment_text(t.value("complete_by", json{}), now), to);
  add_line(out, "priority", std::to_string(t.value("priority", 0)), to);
  add_line(out, "locked by", lock_text(t), to);
  if (t.value("generation", 1) > 1)
    add_line(out, "generation", std::to_string(t["generation"].get<int>()), to);
  if (t.value("failure_count", 0) > 0)
    add_line(out, "failures", std::to_string(t["failure_count"].get<int>()) + " counted by the supervisor", to);
  add_line(out, "limit key", limit_text(t, now), to);
  add_line(out, "parent", text_of(t, "parent"), to);
  add_line(out, "reply to", text_of(t, "reply_to"), to);
  add_line(out, "cause", text_of(t, "cause"), to);
  if (detail == story_detail::brief)
    add_line(out, "payload", brief_text(t.value("payload", json{}), "--full"), to);
  add_line(out, "result",
           detail == story_detail::brief ? brief_text(t.value("result", json{}), "--full") : result_text(t), to);
  return out;
}

std::string outcome_text(const json& record) {
  auto text = text_of(record, "outcome");
  for (auto& c : text)
    if (c == '_')
      c = ' ';
  if (text == "open")
    text = "under way";
  const auto note = text_of(record, "note");
  return note.empty() ? text : text + ": " + note;
}

colour outcome_colour(const json& record) {
  const auto outcome = text_of(record, "outcome");
  if (outcome == "succeeded")
    return colour::good;
  if (outcome == "failed_permanent")
    return colour::bad;
  return outcome == "open" || outcome == "stopped" ? colour::plain : colour::warning;
}

std::string waiting_text(const json& step, workflow::instant now) {
  auto text = text_of(step, "waiting_for");
  const auto at = step.value("not_before", json{});
  const auto progress = text_of(step, "progress");
  if (!at.is_null() && step.value("ends_later", false))
    return "begun" + (progress.empty() ? "" : ", " + printable(progress)) + "; if nothing is heard, it fails "
           + relative_text(instant_of(at), now);
  if (step.contains("limit_at"))
    return (step.contains("question")
              ? "asks " + printable(text_of(step, "waits_for_role")) + ": " + printable(text_of(step, "question"))
              : "waits for event " + printable(text_of(step, "waits_for_event")))
           + ", until " + relative_text(instant_of(step.at("limit_at")), now);
  const auto state = text_of(step, "state");
  if (step.contains("items_workflow") && (state == "waiting" || state == "compensating"))
    return (state == "waiting" ? "waits for its items" : "waits for the undo of its items")
           + (progress.empty() ? "" : ": " + printable(progress)) + (text.empty() ? "" : "; " + printable(text));
  if (step.contains("child") && (state == "waiting" || state == "compensating"))
    return (state == "waiting" ? "waits for task " : "waits for the undo of task ") + printable(text_of(step, "child"))
           + (text.empty() ? "" : ": " + printable(text));
  if (!at.is_null() && instant_of(at) > now && state == "waiting")
    return "sleeps, wakes " + relative_text(instant_of(at), now);
  if (!at.is_null() && instant_of(at) > now)
    text += (text.empty() ? "waits; next attempt " : "; next attempt ") + relative_text(instant_of(at), now);
  return text;
}

/// Where to look for what a step did that started tasks.
std::string child_text(const json& step) {
  if (const auto items = text_of(step, "items_workflow"); !items.empty())
    return "its items: task list --where workflow=" + items;
  const auto child = text_of(step, "child");
  return child.empty() ? "" : "its task: " + printable(child);
}

bool is_step_open(const json& step) {
  const auto state = text_of(step, "state");
  return state == "not_started" || state == "failed" || state == "unknown" || state == "compensating"
         || state == "waiting";
}

/// A step keeps its last attempts, and one line for those that were declined in a row: a shorter log shows which it
/// was.
std::string dropped_text(const json& step, std::uint64_t dropped) {
  const auto& log = step.at("log");
  const bool were_declined =
    log.size() < workflow::attempts_logged_max
    && std::any_of(log.begin(), log.end(), [](const json& r) { return text_of(r, "outcome") == "declined"; });
  return runtime::counted(dropped, "older attempt") + (dropped == 1 ? " is" : " are") + " not kept"
         + (were_declined ? ": attempts that were declined in a row count as one" : "");
}

/// They ended alike: what differs in their notes are numbers, times and ids.
bool is_alike(const json& a, const json& b) {
  return text_of(a, "action") == text_of(b, "action") && text_of(a, "agent") == text_of(b, "agent")
         && text_of(a, "outcome") == text_of(b, "outcome") && !a.value("ended_at", json{}).is_null()
         && !b.value("ended_at", json{}).is_null()
         && workflow::generalized(text_of(a, "note")) == workflow::generalized(text_of(b, "note"));
}

/// How many attempts from the i-th on are one line.
std::size_t alike_from(const json& log, std::size_t i, story_detail detail) {
  std::size_t n = 1;
  while (detail != story_detail::full && i + n < log.size() && is_alike(log[i], log[i + n]))
    ++n;
  return n < folded_at_least ? 1 : n;
}

/// "37 times, every 30 s": from the beginning of one to that of the next.
std::string times_text(const json& log, std::size_t i, std::size_t n) {
  auto least = workflow::span::max();
  auto most = workflow::span::zero();
  for (auto k = i + 1; k < i + n; ++k) {
    const auto gap =
      instant_of(log[k].value("started_at", json{})) - instant_of(log[k - 1].value("started_at", json{}));
    least = std::min(least, gap);
    most = std::max(most, gap);
  }
  return std::to_string(n) + " times, every " + rough_text(least)
         + (rough_text(least) == rough_text(most) ? "" : " to " + rough_text(most));
}

void add_step(table& rows, const json& step, workflow::instant begun, workflow::instant now, story_detail detail) {
  const auto name = text_of(step, "name");
  const auto state = text_of(step, "state");
  bool first = true;
  const auto add = [&](std::string attempt, std::string agent, std::string when, std::string took, cell how) {
    rows.add({first ? name : "",
              {first ? state : "", colour_of_state(state)},
              std::move(attempt),
              std::move(agent),
              std::move(when),
              std::move(took),
              std::move(how)});
    first = false;
  };
  if (const auto dropped = step.value("log_dropped", std::uint64_t{0}); dropped > 0)
    add("", "", "", "", {dropped_text(step, dropped), colour::faint});
  const auto log = step.value("log", json::array());
  for (std::size_t i = 0; i < log.size();) {
    const auto n = alike_from(log, i, detail);
    const auto& r = log[i];
    const auto& last = log[i + n - 1];
    add(std::to_string(r.value("attempt", 0)) + (n == 1 ? " " : " to " + std::to_string(last.value("attempt", 0)) + " ")
          + text_of(r, "action"),
        text_of(r, "agent"), time_of(r.value("started_at", json{}), begun),
        duration_of(r.value("started_at", json{}), last.value("ended_at", json{})),
        {(n == 1 ? "" : times_text(log, i, n) + "; ") + outcome_text(last), outcome_colour(last)});
    i += n;
  }
  const auto rest = is_step_open(step) ? waiting_text(step, now) : child_text(step);
  if (first || !rest.empty())
    add("", first ? text_of(step, "agent") : "", "", "", {rest, colour::faint});
}

table step_table() {
  return table{{"step", "state", "attempt", "agent", "started", "took", "how it ended"}};
}

std::string steps(const json& t, workflow::instant now, const terminal& to, story_detail detail) {
  auto rows = step_table();
  const auto begun = instant_of(t.value("submitted_at", json{}));
  for (const auto& s : t.value("steps", json::array()))
    add_step(rows, s, begun, now, detail);
  return rows.empty() ? "" : "\n" + rows.text(to, 2);
}

std::string values(const json& t, const terminal& to, story_detail detail) {
  if (detail == story_detail::events)
    return "";
  std::string whole = detail == story_detail::full ? whole_text("payload", t.value("payload", json{})) : "";
  table rows{{"step", "result"}};
  for (const auto& s : t.value("steps", json::array())) {
    const auto result = s.value("result", json{});
    if (detail == story_detail::full)
      whole += whole_text("result of " + text_of(s, "name"), result);
    else if (!result.is_null())
      rows.add({text_of(s, "name"), brief_text(result, "--step " + text_of(s, "name"))});
  }
  return whole + (rows.empty() ? "" : "\n" + rows.text(to, 2));
}

std::string acts(const json& t, workflow::instant now, const terminal& to) {
  table rows{{"when", "who", "did", "why"}};
  for (const auto& a : t.value("acts", json::array()))
    rows.add({moment_text(a.value("at", json{}), now), text_of(a, "who"), text_of(a, "what"), text_of(a, "why")});
  return rows.empty() ? "" : "\n" + rows.text(to, 2);
}

std::string late_replies(const json& shown, workflow::instant now, const terminal& to) {
  table rows{{"late reply", "step", "attempt", "said", "did not count because"}};
  for (const auto& r : shown.value("late_replies", json::array()))
    rows.add({moment_text(r.value("at", json{}), now), text_of(r, "step"), std::to_string(r.value("attempt", 0)),
              text_of(r, "outcome"), text_of(r, "why")});
  return rows.empty() ? "" : "\n" + rows.text(to, 2);
}

} // namespace

std::string result_text(const json& task) {
  const auto result = task.value("result", json{});
  return result.is_null() ? "" : exact_text(result);
}

workflow::instant instant_of(const json& rfc3339) {
  return rfc3339.is_string() ? parse_utc(rfc3339.get<std::string>()).value_or(workflow::unset) : workflow::unset;
}

std::string moment_text(const json& rfc3339, workflow::instant now) {
  const auto at = instant_of(rfc3339);
  return at == workflow::unset ? "" : local_text(at) + " (" + relative_text(at, now) + ")";
}

std::string headline(const json& task, const terminal& to) {
  const auto state = text_of(task, "process_state");
  return painted(printable(text_of(task, "id")), colour::strong, to) + "  " + text_of(task, "workflow") + " v"
         + std::to_string(task.value("version", 0)) + "  " + painted(state, colour_of_state(state), to);
}

std::string story_text(const json& shown, workflow::instant now, const terminal& to, story_detail detail) {
  const auto& t = shown.at("task");
  return head(t, now, to, detail) + steps(t, now, to, detail) + values(t, to, detail) + acts(t, now, to)
         + late_replies(shown, now, to);
}

std::string step_story_text(const json& task, const json& step, workflow::instant now, const terminal& to) {
  auto rows = step_table();
  add_step(rows, step, instant_of(task.value("submitted_at", json{})), now, story_detail::full);
  return headline(task, to) + "\n\n" + rows.text(to, 2) + whole_text("result", step.value("result", json{}));
}

std::string explanation_text(const json& shown, workflow::instant now, const terminal& to) {
  std::string out = headline(shown.at("task"), to) + "\n";
  for (const auto& e : shown.value("explanation", json::array())) {
    auto sentence = localized(text_of(e, "text"), now);
    const auto at = instant_of(e.value("at", json{}));
    if (at != workflow::unset)
      sentence += " " + local_text(at).substr(local_text(at).substr(0, 10) == local_text(now).substr(0, 10) ? 11 : 0)
                  + " (" + relative_text(at, now) + ")";
    const auto lines = wrapped(printable(sentence), to.width > 24 ? to.width - 4 : 20);
    for (std::size_t i = 0; i < lines.size(); ++i)
      out += (i == 0 ? "  " : "    ") + lines[i] + "\n";
  }
  return out;
}

void print_field(const std::string& name, const std::string& value) {
  if (!value.empty())
    std::cout << "  " << name << ": " << printable(value) << '\n';
}

} // namespace steadfast::apps
