#include "simulation/services/declared_services.hpp"

#include "runtime/text/quantity.hpp"
#include "runtime/toml/toml_file.hpp"
#include "runtime/toml/toml_json.hpp"
#include "workflow/text/name.hpp"
#include "workflow/text/nearest.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace steadfast::simulation {

namespace {

using runtime::toml_section;

std::uint32_t of_a_million(double share) {
  return static_cast<std::uint32_t>(std::lround(share * service_faults::always));
}

/// What the agents of the workflows are for.
struct agent_duties {
  std::set<std::string> all;
  std::set<std::string> steps;
  std::set<std::string> undos;
  std::set<std::string> probes;
};

agent_duties duties_in(const std::vector<workflow::definition>& workflows) {
  agent_duties duties;
  for (const auto& d : workflows) {
    duties.all.merge(workflow::agents_of(d));
    for (const auto& s : d.steps) {
      if (!s.wait || (workflow::is_over_items(s) && !s.agent.empty()))
        duties.steps.insert(s.agent);
      if (s.compensation)
        duties.undos.insert(s.compensation->agent);
      if (s.probe)
        duties.probes.insert(s.probe->agent);
    }
  }
  return duties;
}

/// `of`: what they are.
void read_part(toml_section& in, std::string_view key, double& share, const std::string& of = "of the calls ") {
  const auto* n = in.take(key);
  if (n == nullptr)
    return;
  const auto number = n->is_number() ? n->value<double>() : std::nullopt;
  if (number && *number >= 0 && *number <= 1)
    share = *number;
  else
    in.complain(key, "must be a share " + of + "from 0 to 1, such as 0.02 for 2 of 100");
}

void complain_of_range(toml_section& in, std::string_view key, const std::string& text) {
  in.complain(key, "\"" + text + "\" is not a range: write \"5ms-200ms\", or \"5ms\" for exactly that");
}

void read_habits(toml_section& in, service_habits& h) {
  std::string latency;
  in.read("latency", latency);
  if (!latency.empty() && !read_latency(latency, h))
    complain_of_range(in, "latency", latency);
  read_part(in, "busy", h.busy);
  read_part(in, "refused", h.refused);
  read_part(in, "hung", h.hung);
  read_part(in, "undo_refused", h.undo_refused);
  read_part(in, "lies", h.lies);
  in.read("idempotent", h.idempotent);
  in.read("refuses_after_undo", h.refuses_after_undo);
  in.read("late", h.late);
  if (const auto wrong = problem(h); !wrong.empty())
    in.complain(wrong);
}

/// `key`: `result` or `data`.
void read_document(toml_section& in, std::string_view key, std::optional<std::string>& into) {
  const auto* n = in.take(key);
  if (n == nullptr)
    return;
  into = runtime::json_text_of(*n);
  if (!into)
    in.complain(key, "must be a value that JSON can say, such as { order = \"o-1\" }");
}

void check_agent(toml_section& in, const std::string& name, const agent_duties& duties) {
  if (name.empty())
    return in.complain("name", "is missing: the agent of a workflow, such as name = \"payment\"");
  if (!duties.all.contains(name)) {
    const auto meant = workflow::nearest(name, {duties.all.begin(), duties.all.end()});
    return in.complain("name", "no workflow here has an agent " + workflow::quoted(name)
                                 + (meant ? "; did you mean " + workflow::quoted(*meant) + "?"
                                          : "; `steadfast workflow check` tells which they have"));
  }
  const auto has = [&](const char* key) { return in.table().contains(key); };
  if (has("refused") && !duties.steps.contains(name))
    in.complain("refused", workflow::quoted(name) + " carries out no step"
                             + (duties.undos.contains(name) ? ", it undoes: write undo_refused" : ": leave it out"));
  if (has("result") && !duties.steps.contains(name))
    in.complain("result", workflow::quoted(name) + " carries out no step, so nobody reads its result: leave it out");
  for (const auto* key : {"idempotent", "refuses_after_undo", "late"})
    if (has(key) && !duties.steps.contains(name))
      in.complain(key, workflow::quoted(name) + " carries out no step: leave it out");
  if (has("lies") && !duties.probes.contains(name))
    in.complain("lies",
                workflow::quoted(name) + " is asked by no step whether it happened: give it to the agent of a probe");
  if (has("undo_refused") && !duties.undos.contains(name))
    in.complain("undo_refused", workflow::quoted(name) + " undoes nothing: give it to the agent of a compensation");
}

void read_service(toml_section in, const service_habits& usual, const agent_duties& duties, declared_services& into) {
  std::string name;
  auto habits = usual;
  declared_service service;
  in.read("name", name);
  read_habits(in, habits);
  read_document(in, "result", service.result);
  in.end();
  check_agent(in, name, duties);
  service.faults = faults_of(habits);
  if (!into.by_agent.emplace(name, std::move(service)).second)
    in.complain("name", workflow::quoted(name) + " is above already: put both into one");
}

// ---- what comes from outside ----

/// The steps that wait for an event of that name, or ask a person of that role.
std::vector<const workflow::wait_rule*> waits_for(const std::vector<workflow::definition>& workflows,
                                                  workflow::wait_rule::kind what, const std::string& name) {
  std::vector<const workflow::wait_rule*> found;
  for (const auto& d : workflows)
    for (const auto& s : d.steps)
      if (s.wait && s.wait->what == what && s.wait->name == name)
        found.push_back(&*s.wait);
  return found;
}

declared_word read_word(toml_section& in) {
  declared_word word;
  std::string after;
  in.read("after", after);
  if (service_habits h; !after.empty() && read_latency(after, h)) {
    word.after_min = h.latency_min;
    word.after_max = h.latency_max;
  } else if (!after.empty()) {
    complain_of_range(in, "after", after);
  }
  auto never = static_cast<double>(word.never) / service_faults::always;
  read_part(in, "never", never, "");
  word.never = of_a_million(never);
  return word;
}

void read_event(toml_section in, const std::vector<workflow::definition>& workflows, declared_services& into) {
  std::string name;
  in.read("name", name);
  auto word = read_word(in);
  read_document(in, "data", word.says);
  in.end();
  if (waits_for(workflows, workflow::wait_rule::kind::event, name).empty())
    in.complain("name", "no step here waits for an event " + workflow::quoted(name));
  else if (!into.by_event.emplace(name, std::move(word)).second)
    in.complain("name", workflow::quoted(name) + " is above already: put both into one");
}

void read_person(toml_section in, const std::vector<workflow::definition>& workflows, declared_services& into) {
  std::string role;
  std::string choice;
  in.read("role", role);
  auto word = read_word(in);
  in.read("choice", choice);
  in.end();
  const auto asked = waits_for(workflows, workflow::wait_rule::kind::person, role);
  const bool may_say = choice.empty() || std::any_of(asked.begin(), asked.end(), [&](const auto* w) {
                         return std::find(w->choices.begin(), w->choices.end(), choice) != w->choices.end();
                       });
  if (!choice.empty())
    word.says = choice;
  if (asked.empty())
    in.complain("role", "no step here asks a person of the role " + workflow::quoted(role));
  else if (!may_say)
    in.complain("choice", workflow::quoted(choice) + " is none of the choices that the role has");
  else if (!into.by_role.emplace(role, std::move(word)).second)
    in.complain("role", workflow::quoted(role) + " is above already: put both into one");
}

} // namespace

service_faults faults_of(const service_habits& h) {
  service_faults f;
  f.refuses = of_a_million(h.refused);
  f.refuses_undo = of_a_million(h.undo_refused);
  f.busy = of_a_million(h.busy / 2);
  f.fails = of_a_million(h.busy) - f.busy;
  f.hangs = of_a_million(h.hung / 2);
  f.goes_silent = of_a_million(h.hung / 4);
  f.acts_late = of_a_million(h.hung) - f.hangs - f.goes_silent;
  f.latency_min = h.latency_min;
  f.latency_max = h.latency_max;
  f.lies = of_a_million(h.lies);
  f.acts_again = !h.idempotent;
  f.acts_after_undo = !h.refuses_after_undo;
  f.acts_late_by = h.late;
  return f;
}

std::set<std::pair<std::string, std::string>> steps_not_to_trust(const std::vector<workflow::definition>& workflows,
                                                                 const declared_services& services) {
  std::set<std::pair<std::string, std::string>> found;
  for (const auto& d : workflows)
    for (const auto& s : d.steps)
      if (services.of(s.agent).breaks_contract() || (s.probe && services.of(s.probe->agent).breaks_contract()))
        found.emplace(d.name, s.name);
  return found;
}

std::string problem(const service_habits& h) {
  const auto is_too_much = [&h](double refused) { return h.busy + h.hung + refused > 1 + 1e-9; };
  if (is_too_much(h.refused))
    return "busy, hung and refused are more than 1 together: all calls are 1";
  if (is_too_much(h.undo_refused))
    return "busy, hung and undo_refused are more than 1 together: all calls are 1";
  return {};
}

bool read_latency(std::string_view text, service_habits& into) {
  const auto dash = text.find('-');
  const auto least = runtime::parse_span(text.substr(0, dash));
  const auto most = dash == std::string_view::npos ? least : runtime::parse_span(text.substr(dash + 1));
  if (!least || !most || *most < *least)
    return false;
  into.latency_min = *least;
  into.latency_max = *most;
  return true;
}

declared_services parse_services(std::string_view text, const std::string& file, const service_habits& usual,
                                 const std::vector<workflow::definition>& workflows) {
  runtime::toml_report report{file};
  const auto table = runtime::parse_toml(text, file);
  const auto duties = duties_in(workflows);
  declared_services all;
  all.usual = faults_of(usual);
  toml_section root{table, "", report};
  for (auto& agent : root.sections("agent"))
    read_service(agent, usual, duties, all);
  for (auto& event : root.sections("event"))
    read_event(event, workflows, all);
  for (auto& person : root.sections("person"))
    read_person(person, workflows, all);
  root.end();
  report.throw_if_any();
  return all;
}

declared_services load_services(const std::filesystem::path& file, const service_habits& usual,
                                const std::vector<workflow::definition>& workflows) {
  return parse_services(runtime::read_text_file(file), file.string(), usual, workflows);
}

} // namespace steadfast::simulation
