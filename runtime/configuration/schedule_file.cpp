#include "runtime/configuration/schedule_file.hpp"

#include "runtime/configuration/workflow_file.hpp"
#include "runtime/toml/config_error.hpp"
#include "runtime/toml/toml_file.hpp"
#include "runtime/toml/toml_json.hpp"
#include "workflow/definition/definition.hpp"
#include "workflow/schedule/overlap_names.hpp"
#include "workflow/text/name.hpp"

#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace steadfast {

namespace {

namespace fs = std::filesystem;
using runtime::config_error;
using runtime::toml_report;
using runtime::toml_section;

void read_payload(toml_section& in, workflow::schedule& s) {
  const auto* const value = in.take("payload");
  if (value == nullptr)
    return;
  if (const auto text = runtime::json_text_of(*value))
    s.payload = workflow::blob{*text};
  else
    in.complain("payload", "has a value that JSON cannot express, such as a date without quotation marks");
}

/// `of_file`: the workflow of the same file.
workflow::schedule read_schedule(toml_section in, const std::string& of_file) {
  workflow::schedule s;
  s.workflow = of_file;
  in.read("name", s.name);
  in.read("workflow", s.workflow);
  in.read_count("version", s.version, 1U);
  in.read("cron", s.cron);
  in.read("every", s.every);
  in.read("zone", s.zone);
  in.read("jitter", s.jitter);
  std::string rule{to_string(s.rule)};
  in.read_one_of("overlap", rule, {std::begin(workflow::overlap_names), std::end(workflow::overlap_names)});
  s.rule = workflow::parse_overlap(rule).value_or(s.rule);
  in.read("catch_up", s.catch_up);
  in.read_count("catch_up_max", s.catch_up_max, 1U);
  if (in.table().contains("priority")) {
    std::uint8_t priority = 0;
    in.read_count("priority", priority, std::uint8_t{0}, workflow::priority_max);
    s.priority = priority;
  }
  read_payload(in, s);
  in.read("moment_as", s.moment_as);
  in.end();
  return s;
}

} // namespace

std::vector<workflow::schedule> parse_schedules(std::string_view text, const std::string& file) {
  toml_report report{file};
  const auto table = runtime::parse_toml(text, file);
  toml_section root{table, "", report};
  std::vector<workflow::schedule> all;
  auto tables = root.sections("schedule");
  for (auto& x : tables)
    all.push_back(read_schedule(x, table["name"].value_or(std::string{})));
  report.throw_if_any();
  std::set<std::string> names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& s = all[i];
    const auto which = "schedule " + workflow::quoted(s.name);
    for (const auto& p : workflow::problems(s)) {
      const auto node = tables[i].table()[p.substr(0, p.find(' '))];
      report.add(node ? node.node()->source().begin.line : tables[i].line(), "", which + ": " + p);
    }
    if (!names.insert(s.name).second)
      report.add(tables[i].line(), "", which + " is in this file twice");
  }
  report.throw_if_any();
  return all;
}

bool has_only_schedules(std::string_view text, const std::string& file) {
  const auto table = runtime::parse_toml(text, file);
  return table.contains("schedule") && !table.contains("step") && !table.contains("name");
}

std::vector<schedule_in_file> load_schedules(const std::vector<fs::path>& paths) {
  std::vector<schedule_in_file> all;
  std::vector<std::string> mistakes;
  std::map<std::string, fs::path> seen;
  for (const auto& file : workflow_files_in(paths)) {
    try {
      for (auto& s : parse_schedules(runtime::read_text_file(file), file.string())) {
        const auto [place, is_new] = seen.emplace(s.name, file);
        if (!is_new)
          mistakes.push_back(file.string() + ": schedule " + workflow::quoted(s.name) + " is in "
                             + place->second.string() + " already");
        all.push_back({std::move(s), file});
      }
    } catch (const config_error& e) {
      mistakes.insert(mistakes.end(), e.problems().begin(), e.problems().end());
    }
  }
  if (!mistakes.empty())
    throw config_error{std::move(mistakes)};
  return all;
}

} // namespace steadfast
