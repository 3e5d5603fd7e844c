#include "simulation/program/effect_check.hpp"

#include "examples/checker/rules/rules.hpp"
#include "runtime/text/json.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace steadfast::simulation {

namespace {

checker::action action_of(workflow::attempt_action a) {
  switch (a) {
    case workflow::attempt_action::perform: return checker::action::perform;
    case workflow::attempt_action::compensate: return checker::action::undo;
    case workflow::attempt_action::probe: return checker::action::probe;
    case workflow::attempt_action::none: break;
  }
  throw std::logic_error{"an attempt without an action"};
}

checker::result result_of(effect_result r) {
  switch (r) {
    case effect_result::created: return checker::result::created;
    case effect_result::repeated: return checker::result::repeated;
    case effect_result::refused: return checker::result::refused;
    case effect_result::undone: return checker::result::undone;
    case effect_result::undo_of_nothing: return checker::result::undo_of_nothing;
    case effect_result::undo_repeated: return checker::result::undo_repeated;
    case effect_result::failed: return checker::result::failed;
    case effect_result::probe_yes: return checker::result::probe_yes;
    case effect_result::probe_no: return checker::result::probe_no;
  }
  throw std::logic_error{"a result without a name"};
}

checker::process_state state_of(workflow::process_state s) {
  using workflow::process_state;
  switch (s) {
    case process_state::pending: return checker::process_state::pending;
    case process_state::processing: return checker::process_state::processing;
    case process_state::processed: return checker::process_state::processed;
    case process_state::undoing: return checker::process_state::undoing;
    case process_state::undone: return checker::process_state::undone;
    case process_state::error: return checker::process_state::error;
    case process_state::suspended: return checker::process_state::suspended;
  }
  throw std::logic_error{"a state without a name"};
}

checker::step_state state_of(workflow::step_state s) {
  using workflow::step_state;
  switch (s) {
    case step_state::not_started: return checker::step_state::not_started;
    case step_state::running: return checker::step_state::running;
    case step_state::completed: return checker::step_state::completed;
    case step_state::failed: return checker::step_state::failed;
    case step_state::unknown: return checker::step_state::unknown;
    case step_state::compensating: return checker::step_state::compensating;
    case step_state::compensated: return checker::step_state::compensated;
    case step_state::compensation_failed: return checker::step_state::compensation_failed;
    case step_state::skipped: return checker::step_state::skipped;
    case step_state::waiting: return checker::step_state::waiting;
  }
  throw std::logic_error{"a state without a name"};
}

std::optional<std::int64_t> milliseconds_of(workflow::instant t) {
  if (t == workflow::unset)
    return std::nullopt;
  return std::chrono::duration_cast<std::chrono::milliseconds>(t.time_since_epoch()).count();
}

checker::attempt attempt_of(const workflow::attempt_record& r) {
  checker::attempt a;
  a.number = r.number;
  a.action = action_of(r.action);
  a.succeeded = r.outcome == workflow::attempt_outcome::succeeded;
  a.uncounted = r.outcome == workflow::attempt_outcome::declined || r.outcome == workflow::attempt_outcome::stopped;
  a.epoch = r.epoch;
  a.started_ms = milliseconds_of(r.started_at);
  a.ended_ms = milliseconds_of(r.ended_at);
  return a;
}

checker::step step_of(checker::names& n, const stored_task& stored, std::size_t i) {
  const auto& rules = stored.definition.steps[i];
  const auto& is = stored.task.steps[i];
  checker::step s;
  s.name = n.of(rules.name);
  s.agent = n.of(rules.wait ? std::string{} : rules.agent);
  s.state = state_of(is.state);
  s.compensation = rules.compensation.has_value();
  s.attempt = is.attempt;
  s.attempts_limit = workflow::attempts_limit(rules);
  s.is_repeated = rules.repeat.has_value();
  s.is_log_cut = is.log_dropped > 0;
  if (!rules.wait) // that its child has ended, or an event has come, is told by another node's clock
    s.completed_ms = milliseconds_of(is.completed_at);
  for (const auto p : workflow::predecessors(stored.definition, i))
    s.after.push_back(static_cast<std::uint32_t>(p));
  s.log.reserve(is.log.size());
  for (const auto& line : is.log)
    s.log.push_back(attempt_of(line));
  return s;
}

checker::task task_of(checker::names& n, const stored_task& stored) {
  checker::task t;
  t.id = n.of(stored.task.id);
  t.state = state_of(stored.task.state);
  t.acts = static_cast<std::uint32_t>(stored.task.acts.size());
  t.is_reopened = stored.task.generation > 1;
  t.steps.reserve(stored.task.steps.size());
  for (std::size_t i = 0; i < stored.task.steps.size(); ++i)
    t.steps.push_back(step_of(n, stored, i));
  return t;
}

checker::effect effect_of(checker::names& n, const effect_line& line) {
  checker::effect e;
  e.task = n.of(line.task);
  e.step = n.of(line.step);
  e.key = n.of(line.key);
  e.reverses = n.of(line.reverses);
  e.action = action_of(line.action);
  e.result = result_of(line.result);
  e.attempt = line.attempt;
  e.epoch = line.epoch;
  e.steady_ns = line.at.count();
  return e;
}

checker::client_record client_of(const client_lines& c) {
  checker::client_record r;
  r.invoked = 1;
  r.acknowledged = c.is_acknowledged ? 1 : 0;
  r.unsure = c.is_acknowledged ? 0 : 1;
  for (const auto o : c.outcomes)
    r.outcomes.push_back(state_of(o));
  using answer =
    checker::client_call::answer; // messages come twice here, so who made a task may hear that it was there
  for (const auto& s : c.submissions) {
    if (s.answered == 0)
      r.calls.push_back({answer::none, 0, 0, {s.asked}});
    else
      r.calls.push_back({s.is_created ? answer::created : answer::stored, 0, 0, {s.asked, s.answered}});
  }
  return r;
}

checker::history history_of(const evidence& e) {
  checker::history h;
  h.has_clients = h.has_calls = h.has_alerts = true;
  h.effects.reserve(e.effects.size());
  for (const auto& line : e.effects)
    h.effects.push_back(effect_of(h.names, line));
  h.tasks.reserve(e.tasks.size());
  for (const auto& stored : e.tasks) {
    h.tasks.push_back(task_of(h.names, stored));
    if (stored.has_alert)
      h.alerts[h.tasks.back().id] = 1;
  }
  for (const auto& c : e.clients)
    h.clients[h.names.of(c.task)] = client_of(c);
  return h;
}

/// Of the task, or of one that it is part of. The checker names its tasks "task NAME", and then a blank or the end.
bool speaks_of(const std::vector<std::string>& sentences, const std::string& task) {
  return std::any_of(sentences.begin(), sentences.end(), [&](const std::string& s) {
    const auto at = s.find("task ");
    if (at == std::string::npos)
      return false;
    const auto name = s.substr(at + 5, s.find(' ', at + 5) - at - 5);
    return name == task || task.starts_with(name + '/');
  });
}

} // namespace

std::vector<std::string> broken_rules(const evidence& e) {
  std::vector<std::string> sentences;
  for (const auto& f : checker::check(history_of(e), {}))
    for (const auto& example : f.examples)
      sentences.push_back(std::string{f.name} + ": " + example);
  return sentences;
}

run_result checked_run(run_options options) {
  options.keep_evidence = true;
  auto r = run(options);
  if (!r.kept)
    return r;
  const auto sentences = broken_rules(*r.kept);
  for (const auto& x : r.kept->tasks)
    if (speaks_of(sentences, x.task.id))
      r.stories.push_back(json_line(task_json(x.task, x.definition)));
  r.violations.insert(r.violations.end(), sentences.begin(), sentences.end());
  r.kept.reset();
  return r;
}

} // namespace steadfast::simulation
