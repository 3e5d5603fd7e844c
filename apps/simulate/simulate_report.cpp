#include "apps/simulate/simulate_report.hpp"

#include "apps/terminal/table.hpp"
#include "apps/views/story.hpp"
#include "runtime/text/time_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <utility>

namespace steadfast::apps {
namespace {

using nlohmann::json;
using simulation::cause_figures;
using simulation::figures_by_cause;
using simulation::step_figures;
using workflow::process_state;

constexpr std::size_t label_width = 18;
constexpr std::size_t causes_shown = 8;
constexpr std::size_t wide = 90; ///< columns from which on a table has room for more

constexpr const char* legend =
  "Calls of the step's service, and how many a task made that came to it. Busy: failed for now; refused: for good; "
  "silent: no answer in time.";

// ---- words ----

/// "10,432".
std::string count_text(std::uint64_t n) {
  auto text = std::to_string(n);
  for (std::size_t at = text.size(); at > 3;)
    text.insert(at -= 3, ",");
  return text;
}

std::string counted_text(std::uint64_t n, const std::string& what) {
  return count_text(n) + " " + what + (n == 1 ? "" : "s");
}

std::string decimal_text(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// "4.9 %"; never 0 for something that happened.
std::string percent_text(std::uint64_t part, std::uint64_t whole) {
  const auto share = 100 * ratio(part, whole);
  return part > 0 && share < 0.05 ? "<0.1 %" : decimal_text(share, 1) + " %";
}

/// How the tasks ended, as one bar; nothing that happened is left out.
std::string bar_text(const simulation::run_result& all, const terminal& to) {
  if (!to.has_colours || all.tasks == 0)
    return "";
  const auto width = std::min(to.width, wide) - 4;
  const auto size = [&](std::uint64_t tasks) {
    const auto share = static_cast<std::size_t>(std::lround(ratio(tasks, all.tasks) * static_cast<double>(width)));
    return tasks > 0 ? std::max<std::size_t>(share, 1) : 0;
  };
  const auto undone = size(all.undone);
  const auto in_error = size(all.in_error);
  const auto part = [&to](std::size_t columns, colour paint) {
    std::string blocks;
    for (std::size_t i = 0; i < columns; ++i)
      blocks += "█";
    return painted(blocks, paint, to);
  };
  return "  " + part(width - std::min(width, undone + in_error), colour::good) + part(undone, colour::warning)
         + part(in_error, colour::bad) + "\n\n";
}

/// The moment as of which the task is told: when it ended, or the last that it knows of.
workflow::instant told_as_of(const json& task) {
  auto last = std::max(instant_of(task.value("submitted_at", json{})), instant_of(task.value("ended_at", json{})));
  for (const auto& step : task.value("steps", json::array()))
    for (const auto& line : step.value("log", json::array()))
      last = std::max({last, instant_of(line.value("started_at", json{})), instant_of(line.value("ended_at", json{}))});
  return last;
}

/// A label, and next to it a text in as many lines as it needs.
std::string line_text(const std::string& label, const std::string& text, const terminal& to,
                      colour paint = colour::plain) {
  std::string out;
  for (const auto& line : wrapped(printable(text), std::max<std::size_t>(to.width, label_width + 22) - label_width - 2))
    out += "  " + (out.empty() ? label : "") + std::string(label_width - (out.empty() ? label.size() : 0), ' ')
           + painted(line, paint, to) + "\n";
  return out;
}

std::string indented(const std::string& text, const std::string& by) {
  std::string out;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);)
    out += (line.empty() ? "" : by + line) + "\n";
  return out;
}

// ---- tables of figures ----

/// Rows whose columns, except the first, are numbers, aligned on the right.
class figures_table {
public:
  /// The last has no heading: a table wraps its last column.
  explicit figures_table(std::vector<std::string> headings) : headings_{std::move(headings)} {
    headings_.emplace_back();
  }

  /// The last cell may be left out.
  void add(std::vector<cell> row) {
    row.resize(headings_.size(), cell{""});
    rows_.push_back(std::move(row));
  }

  std::string text(const terminal& to) {
    for (std::size_t i = 1; i < headings_.size(); ++i) {
      auto width = columns_of(headings_[i]);
      for (const auto& row : rows_)
        width = std::max(width, columns_of(row[i].text));
      fill(headings_[i], width);
      for (auto& row : rows_)
        fill(row[i].text, width);
    }
    table all{headings_};
    for (auto& row : rows_)
      all.add(row);
    return all.text(to, 2);
  }

private:
  static void fill(std::string& text, std::size_t width) { text.insert(0, width - columns_of(text), ' '); }

  std::vector<std::string> headings_;
  std::vector<std::vector<cell>> rows_;
};

// ---- parts of the report ----

std::string workflow_text(const workflow::definition& d) {
  return d.name + " v" + std::to_string(d.version);
}

std::string headline_of(const simulated& s, const terminal& to) {
  std::string names;
  for (const auto& d : s.workflows)
    names += (names.empty() ? "" : ", ") + workflow_text(d);
  auto text = painted(names, colour::strong, to) + " in " + counted_text(s.played.runs, "simulated cluster");
  if (s.played.runs > 0)
    text += ", seeds " + std::to_string(s.first_seed) + " to " + std::to_string(s.first_seed + s.played.runs - 1);
  return text + (s.played.runs < s.runs_wanted ? ", stopped by Ctrl-C" : "") + "\n\n";
}

/// What never happened in n runs happens, at 95 % confidence, in fewer than 3 of n (the rule of three; Hanley, 1983).
std::string confidence_text(std::uint64_t runs) {
  return runs < 10 ? "" : "; at 95 % confidence it breaks in fewer than 1 of " + count_text(runs / 3);
}

std::string all_or_nothing_text(const simulated& s, const terminal& to) {
  const auto& broken = s.played.broken;
  const auto in_error = s.played.all.in_error;
  if (broken.empty())
    return line_text("all or nothing",
                     "held in " + counted_text(s.played.runs, "cluster") + confidence_text(s.played.runs), to,
                     colour::good)
           + (in_error == 0 ? "" : line_text("", counted_text(in_error, "task") + " left to a person, see below", to));
  const auto& shortest = broken.front();
  auto out = line_text("all or nothing",
                       "BROKEN in " + counted_text(broken.size(), "cluster") + "; the shortest is of seed "
                         + std::to_string(shortest.seed) + ":",
                       to, colour::bad);
  for (const auto& v : shortest.violations)
    out += line_text("", v, to);
  for (const auto& story : shortest.stories) {
    const json task = json::parse(story);
    out += "\n" + indented(story_text({{"task", task}}, told_as_of(task), to, story_detail::events), "  ");
  }
  return out + "\n"
         + line_text(
           "", "--runs 1 --seed " + std::to_string(shortest.seed) + " with the same files and options plays it again",
           to, colour::faint);
}

/// The effects of services that break the contract, by step.
std::string broken_contract_text(const simulated& s, const terminal& to) {
  std::string out;
  for (const auto& [step, f] : s.played.all.by_step) {
    std::string what;
    const auto add = [&what](std::uint64_t tasks, const std::string& how) {
      if (tasks > 0)
        what += (what.empty() ? "" : ", ") + how + " in " + counted_text(tasks, "task");
    };
    add(f.doubled, "took place more than once");
    add(f.missing, "is completed and did not happen");
    add(f.left, "stayed in place though it was undone or denied");
    if (!what.empty())
      out += line_text(out.empty() ? "services broke" : "", "step `" + step.second + "` of " + step.first + ": " + what,
                       to, colour::warning);
  }
  if (out.empty() && !s.not_trusted.empty())
    out = line_text("services broke", "the contract as you declared, and it left nothing wrong", to);
  return out;
}

std::string warnings_text(const simulated& s, const terminal& to) {
  std::string out;
  for (const auto& w : s.warnings)
    out += line_text(out.empty() ? (s.warnings.size() == 1 ? "warning" : "warnings") : "", w, to, colour::warning);
  return out;
}

std::string required_text(const simulated& s, const terminal& to) {
  std::string out;
  for (const auto& r : s.required)
    out += line_text(out.empty() ? "required" : "", r.text + (r.is_met ? ": met, " : ": NOT MET, ") + "it is " + r.is,
                     to, r.is_met ? colour::good : colour::bad);
  return out.empty() ? out : "\n" + out;
}

std::string ends_text(const simulated& s, const terminal& to) {
  const auto& all = s.played.all;
  figures_table rows{{"ended", "tasks", "share", "took p50", "p99", "longest"}};
  const auto add = [&](process_state state, const char* name, std::uint64_t tasks) {
    const auto found = all.took.find(state);
    const auto took = [&](std::uint32_t percent) {
      return found == all.took.end() ? "-" : rough_text(found->second.percentile(percent));
    };
    const auto paint = tasks == 0 ? colour::faint : colour_of_state(to_string(state));
    rows.add({{name, paint}, count_text(tasks), percent_text(tasks, all.tasks), took(50), took(99), took(100)});
  };
  add(process_state::processed, "processed", all.processed);
  add(process_state::undone, "undone", all.undone);
  add(process_state::error, "in error", all.in_error);
  return bar_text(all, to) + rows.text(to);
}

std::string steps_text(const simulated& s, const workflow::definition& d, const terminal& to) {
  const bool is_wide = to.width >= wide;
  std::vector<std::string> headings{s.workflows.size() == 1 ? "step" : d.name, "calls", "a task"};
  if (is_wide)
    headings.emplace_back("at most");
  for (const char* h : {"busy", "refused", "silent", "undone", "undo failed"})
    headings.emplace_back(h);
  figures_table rows{headings};
  for (const auto& step : d.steps) {
    const auto found = s.played.all.by_step.find({d.name, step.name});
    const auto f = found == s.played.all.by_step.end() ? step_figures{} : found->second;
    std::vector<cell> row{step.name, count_text(f.calls), decimal_text(ratio(f.calls, f.begun), 2)};
    if (is_wide)
      row.emplace_back(count_text(f.calls_max));
    row.emplace_back(percent_text(f.failed_for_now, f.calls));
    row.emplace_back(percent_text(f.failed_for_good, f.calls));
    row.emplace_back(percent_text(f.calls - f.answered, f.calls));
    row.emplace_back(step.compensation ? count_text(f.undone) : "-");
    row.emplace_back(step.compensation ? count_text(f.undo_failed) : "-",
                     f.undo_failed > 0 ? colour::bad : colour::plain);
    rows.add(std::move(row));
  }
  return rows.text(to);
}

std::uint64_t undone_tasks_of(const simulated& s, const workflow::definition& d) {
  std::uint64_t sum = 0;
  for (const auto& [cause, figures] : s.played.all.undo_for)
    sum += cause.first == d.name ? figures.tasks : 0;
  return sum;
}

/// What stays behind when a task is undone, by the steps that have no compensation.
std::string left_text(const simulated& s, const terminal& to) {
  std::string out;
  for (const auto& d : s.workflows)
    for (const auto& step : d.steps) {
      const bool does_nothing = step.wait && !workflow::starts_child(step); // it waits
      if (workflow::has_undo(step) || does_nothing)
        continue;
      const auto found = s.played.all.by_step.find({d.name, step.name});
      const auto stayed = found == s.played.all.by_step.end() ? 0 : found->second.stayed;
      out += line_text(out.empty() ? "no compensation" : "",
                       "step `" + step.name + "` of " + d.name + ": stayed in place in " + count_text(stayed) + " of "
                         + counted_text(undone_tasks_of(s, d), "undone task"),
                       to, stayed > 0 ? colour::warning : colour::plain);
    }
  return out.empty() ? line_text("no compensation", "every step has one", to) : out;
}

// ---- causes ----

using cause_entry = figures_by_cause::value_type;

std::vector<const cause_entry*> most_frequent_first(const figures_by_cause& causes) {
  std::vector<const cause_entry*> sorted;
  for (const auto& x : causes)
    sorted.push_back(&x);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto* a, const auto* b) { return a->second.tasks > b->second.tasks; });
  return sorted;
}

std::uint64_t tasks_of(const figures_by_cause& causes) {
  std::uint64_t sum = 0;
  for (const auto& [cause, figures] : causes)
    sum += figures.tasks;
  return sum;
}

std::string causes_text(const simulated& s, const figures_by_cause& causes, const terminal& to) {
  const auto sorted = most_frequent_first(causes);
  const auto all = tasks_of(causes);
  const auto width = sorted.empty() ? 0 : count_text(sorted.front()->second.tasks).size();
  std::string out;
  std::uint64_t others = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const auto& [cause, figures] = *sorted[i];
    if (i >= causes_shown) {
      others += figures.tasks;
      continue;
    }
    const auto tasks = count_text(figures.tasks);
    const auto share = percent_text(figures.tasks, all);
    const auto before = std::string(4 + width - tasks.size(), ' ') + tasks + std::string(9 - share.size(), ' ') + share;
    const auto which = s.workflows.size() == 1 ? cause.second : cause.first + ": " + cause.second;
    std::string lines;
    for (const auto& line :
         wrapped(printable(which), std::max<std::size_t>(to.width, before.size() + 30) - before.size() - 2))
      lines += (lines.empty() ? before : std::string(before.size(), ' ')) + "  " + line + "\n";
    out += lines;
  }
  if (others > 0)
    out += "    " + count_text(others) + " for " + std::to_string(sorted.size() - causes_shown) + " other reasons\n";
  return out;
}

std::string one_story(const cause_figures& f, const terminal& to) {
  const json task = json::parse(f.story);
  auto narrower = to;
  narrower.width -= std::min<std::size_t>(narrower.width, 2);
  return indented(story_text({{"task", task}}, told_as_of(task), narrower, story_detail::events), "  ");
}

std::string errors_text(const simulated& s, bool all_stories, const terminal& to) {
  const auto& all = s.played.all;
  if (all.error_for.empty())
    return "";
  auto out = "\n  " + painted("a person is asked", colour::bad, to) + " about " + counted_text(all.in_error, "task")
             + " (" + percent_text(all.in_error, all.tasks) + "), because\n" + causes_text(s, all.error_for, to);
  for (const auto* x : most_frequent_first(all.error_for)) {
    out += "\n  " + std::string{all_stories ? "" : "one of the most frequent, "} + "the shortest, of seed "
           + std::to_string(x->second.story_seed) + ":\n\n" + one_story(x->second, to);
    if (!all_stories)
      break;
  }
  if (!all_stories && all.error_for.size() > 1)
    out += "\n  " + painted("--stories shows one for each reason", colour::faint, to) + "\n";
  return out;
}

std::string undo_text(const simulated& s, const terminal& to) {
  const auto& all = s.played.all;
  const auto tasks = tasks_of(all.undo_for);
  if (tasks == 0)
    return "\n" + line_text("undo", "never ran", to);
  return "\n  " + painted("undo ran", colour::warning, to) + " in " + counted_text(tasks, "task") + " ("
         + percent_text(tasks, all.tasks) + "), because\n" + causes_text(s, all.undo_for, to);
}

std::string happened_text(const simulated& s, const terminal& to) {
  const auto& all = s.played.all;
  return "\n"
         + line_text("happened",
                     counted_text(all.kills, "kill") + " of nodes, " + counted_text(all.calls, "call")
                       + " of services, " + rough_text(all.simulated) + " of cluster time in "
                       + rough_text(workflow::span{std::lround(s.seconds * 1000)}) + " by "
                       + (s.jobs == 1 ? "1 process" : std::to_string(s.jobs) + " processes"),
                     to);
}

// ---- JSON ----

json causes_json(const figures_by_cause& causes) {
  json list = json::array();
  for (const auto* x : most_frequent_first(causes)) {
    json one{{"workflow", x->first.first}, {"cause", x->first.second}, {"tasks", x->second.tasks}};
    if (!x->second.story.empty()) {
      one["seed"] = x->second.story_seed;
      one["story"] = json::parse(x->second.story);
    }
    list.push_back(std::move(one));
  }
  return list;
}

json steps_json(const simulated& s) {
  json list = json::array();
  for (const auto& d : s.workflows)
    for (const auto& step : d.steps) {
      const auto found = s.played.all.by_step.find({d.name, step.name});
      const auto f = found == s.played.all.by_step.end() ? step_figures{} : found->second;
      list.push_back({{"workflow", d.name},
                      {"step", step.name},
                      {"agent", step.agent},
                      {"compensation", step.compensation.has_value()},
                      {"tasks", f.begun},
                      {"calls", f.calls},
                      {"calls_of_a_task_max", f.calls_max},
                      {"failed_for_now", f.failed_for_now},
                      {"failed_for_good", f.failed_for_good},
                      {"not_answered", f.calls - f.answered},
                      {"undone", f.undone},
                      {"undo_failed", f.undo_failed},
                      {"left_in_place", f.stayed},
                      {"doubled", f.doubled},
                      {"missing", f.missing},
                      {"left_though_undone", f.left}});
    }
  return list;
}

json left_json(const simulated& s) {
  json left = json::object();
  for (const auto& [step, f] : s.played.all.by_step)
    if (f.stayed > 0)
      left[step.second] = left.value(step.second, std::uint64_t{0}) + f.stayed;
  return left;
}

json lengths_json(const simulation::durations& d) {
  return {{"p50", d.percentile(50).count()}, {"p99", d.percentile(99).count()}, {"max", d.percentile(100).count()}};
}

json took_json(const simulated& s) {
  simulation::durations all;
  json by_end = json::object();
  for (const auto& [state, lengths] : s.played.all.took) {
    all.add(lengths);
    by_end[std::string{to_string(state)}] = lengths_json(lengths);
  }
  auto took = lengths_json(all);
  took["by_end"] = std::move(by_end);
  return took;
}

json broken_json(const simulated& s) {
  json list = json::array();
  for (const auto& b : s.played.broken) {
    json stories = json::array();
    for (const auto& story : b.stories)
      stories.push_back(json::parse(story));
    list.push_back({{"seed", b.seed}, {"violations", b.violations}, {"stories", std::move(stories)}});
  }
  return list;
}

} // namespace

std::string simulated_text(const simulated& s, bool all_stories, const terminal& to) {
  auto out = headline_of(s, to) + warnings_text(s, to) + all_or_nothing_text(s, to) + left_text(s, to)
             + broken_contract_text(s, to) + "\n" + ends_text(s, to) + "\n";
  for (const auto& d : s.workflows)
    out += steps_text(s, d, to) + (&d == &s.workflows.back() ? "" : "\n");
  for (const auto& line : wrapped(legend, std::max<std::size_t>(to.width, 24) - 2))
    out += "  " + painted(line, colour::faint, to) + "\n";
  return out + undo_text(s, to) + errors_text(s, all_stories, to) + happened_text(s, to) + required_text(s, to);
}

json simulated_json(const simulated& s) {
  const auto& all = s.played.all;
  json required = json::array();
  for (const auto& r : s.required)
    required.push_back({{"requirement", r.text}, {"measured", r.measured}, {"met", r.is_met}});
  return {{"runs", s.played.runs},
          {"first_seed", s.first_seed},
          {"tasks", all.tasks},
          {"processed", all.processed},
          {"undone", all.undone},
          {"in_error", all.in_error},
          {"residue", all.residue},
          {"doubled", all.doubled},
          {"missing", all.missing},
          {"warnings", s.warnings},
          {"required", required},
          {"left_in_place", left_json(s)},
          {"took_ms", took_json(s)},
          {"steps", steps_json(s)},
          {"undo_ran_because", causes_json(all.undo_for)},
          {"in_error_because", causes_json(all.error_for)},
          {"kills", all.kills},
          {"calls", all.calls},
          {"simulated_hours", std::chrono::duration<double, std::ratio<3600>>(all.simulated).count()},
          {"seconds", s.seconds},
          {"jobs", s.jobs},
          {"broken", broken_json(s)}};
}

} // namespace steadfast::apps
