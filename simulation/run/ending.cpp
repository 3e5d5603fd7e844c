#include "simulation/run/ending.hpp"

#include "runtime/text/json.hpp"
#include "simulation/judge/causes.hpp"
#include "simulation/judge/count_all.hpp"
#include "workflow/task/invariants.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace steadfast::simulation {

using workflow::attempt_action;
using workflow::process_state;

namespace {

void count_undo(step_figures& f, workflow::step_state state, bool stayed) {
  f.undone += state == workflow::step_state::compensated ? 1 : 0;
  f.undo_failed += state == workflow::step_state::compensation_failed ? 1 : 0;
  f.stayed += stayed ? 1 : 0;
}

bool was_repeated(const workflow::step& s) {
  bool is_done = false;
  for (const auto& line : s.log) {
    if (line.action != attempt_action::perform)
      continue;
    if (is_done)
      return true;
    is_done = line.outcome == workflow::attempt_outcome::succeeded;
  }
  return false;
}

/// A person has given its result, or said that it was undone.
bool is_by_person(const workflow::task& t, const workflow::step& s) {
  const bool is_told = s.state == workflow::step_state::skipped || s.state == workflow::step_state::compensated;
  return !t.acts.empty() && is_told;
}

/// The name of a life of a task whose id was used again.
std::string life_of(const workflow::task& t) {
  return t.id + "~" + std::to_string(t.number);
}

void rename_life(effect_line& line, const workflow::task& t) {
  const auto life = life_of(t);
  line.task = life;
  for (auto* key : {&line.key, &line.reverses})
    if (key->starts_with(t.id + "/"))
      *key = life + key->substr(t.id.size());
}

/// A person has to help its child.
bool waits_for_child_in_error(const workflow::task& t, const workflow::definition& d) {
  bool waits = false;
  for (std::size_t i = 0; i < t.steps.size(); ++i)
    waits = waits
            || (workflow::starts_child(d.steps[i]) && t.steps[i].state == workflow::step_state::waiting
                && t.steps[i].wait_alerted);
  return waits;
}

} // namespace

std::set<std::pair<std::string, std::string>> steps_not_to_trust(const run_options& o) {
  return o.services ? steps_not_to_trust(o.workflows, *o.services) : std::set<std::pair<std::string, std::string>>{};
}

ending::ending(const run_options& options, world& w, services& remote, cluster& c, run_result& result)
    : options_{options},
      world_{w},
      services_{remote},
      cluster_{c},
      result_{result},
      not_trusted_{steps_not_to_trust(options)} {}

void ending::expect(bool holds, const std::string& sentence) {
  if (!holds)
    result_.violations.push_back(sentence);
}

void ending::check_end_of(const workflow::task& t, const workflow::definition& d, bool has_alert) {
  for (const auto& broken : workflow::broken_invariants(t, d))
    expect(false, t.id + ": " + broken);
  expect(workflow::has_ended(t) || waits_for_child_in_error(t, d),
         t.id + " did not end: it is " + std::string{to_string(t.state)});
  result_.processed += t.state == process_state::processed ? 1 : 0;
  result_.undone += t.state == process_state::undone ? 1 : 0;
  result_.in_error += t.state == process_state::error ? 1 : 0;
  if (const auto ended = ended_at_.find(t.id); ended != ended_at_.end() && stored_at_.contains(t.id))
    result_.took[t.state].add(std::chrono::duration_cast<workflow::span>(ended->second - stored_at_[t.id]));
  count_causes(t, d);
  if (!t.reply_to.empty())
    expect(cluster_.listener().heard_of(t.number) == t.notices, t.id + " did not get all of its progress (P17)");
  bool is_in_place = false;
  bool is_doubled = false;
  bool is_missing = false;
  for (std::size_t i = 0; i < t.steps.size(); ++i) {
    const auto times = check_step(t, d, i);
    is_in_place = is_in_place || times > 0;
    is_doubled = is_doubled || times > 1;
    is_missing = is_missing || (times == 0 && t.steps[i].state == workflow::step_state::completed && !d.steps[i].wait);
  }
  result_.residue += t.state == process_state::undone && is_in_place ? 1 : 0;
  result_.doubled += t.state == process_state::processed && is_doubled ? 1 : 0;
  result_.missing += t.state == process_state::processed && is_missing ? 1 : 0;
  if (t.state == process_state::error)
    expect(has_alert, t.id + " is in error and nobody was alerted");
}

void ending::count_causes(const workflow::task& t, const workflow::definition& d) {
  if (has_run_undo(t))
    ++result_.undo_for[{t.workflow, without_numbers(t.cause)}].tasks;
  if (t.state != process_state::error)
    return;
  cause_figures one{1, {}, attempts_of(t), options_.seed};
  auto& all = result_.error_for[{t.workflow, without_numbers(why_in_error(t, d))}];
  if (all.tasks == 0 || one.story_attempts < all.story_attempts)
    one.story = json_line(task_json(t, d));
  simulation::add(all, one);
}

/// How often its effect is in place at the end. A service that is declared to break the contract may leave it wrong:
/// that is counted.
std::uint32_t ending::check_step(const workflow::task& t, const workflow::definition& d, std::size_t i) {
  const auto key = workflow::idempotency_key(t, d, i, attempt_action::perform);
  const auto times = services_.times_in_place(key);
  const bool is_in_place = times > 0;
  const bool is_missing = !is_in_place && t.state == process_state::processed
                          && t.steps[i].state == workflow::step_state::completed && !d.steps[i].wait;
  const bool is_left =
    is_in_place && t.state == process_state::undone && d.steps[i].compensation && !is_by_person(t, t.steps[i]);
  auto& f = result_.by_step[{d.name, d.steps[i].name}];
  if (not_trusted_.contains({d.name, d.steps[i].name})) {
    f.missing += is_missing ? 1 : 0;
    f.left += is_left ? 1 : 0;
    f.doubled += times > 1 && t.state == process_state::processed ? 1 : 0;
  } else {
    expect(!is_missing, key + " is completed in a processed task, and did not happen");
    expect(!is_left, key + " happened, and was not undone in an undone task");
    expect(times <= 1, key + " took place twice");
  }
  count_undo(f, t.steps[i].state, has_run_undo(t) && !d.steps[i].compensation && is_in_place);
  const auto& repeat = d.steps[i].repeat;
  expect(!repeat || t.steps[i].wait->calls <= repeat->at_most || !t.acts.empty(),
         key + " was called more often than it may be (P48)");
  expect(repeat || !was_repeated(t.steps[i]), key + " was ordered again after it was completed");
  return times;
}

void ending::check_purged(const workflow::task& t, const workflow::definition& d) {
  check_end_of(t, d, false);
  for (std::size_t i = 0; i < t.steps.size(); ++i)
    if (is_by_person(t, t.steps[i]))
      services_.take_for_known(t, workflow::idempotency_key(t, d, i, attempt_action::perform));
  services_.forget_keys_of(t.id);
  auto calls = cluster_.forget_submissions_of(t);
  if (!options_.keep_evidence)
    return;
  auto& log = services_.log();
  const auto end = std::stable_partition(log.begin(), log.end(), [&](const auto& line) { return line.task != t.id; });
  for (auto line = end; line != log.end(); ++line) {
    rename_life(*line, t);
    purged_effects_.push_back(std::move(*line));
  }
  log.erase(end, log.end());
  // Nobody can tell which life a late or missing answer is about: these calls are left out.
  purged_clients_.push_back({life_of(t), !calls.empty(), cluster_.listener().outcomes_of(t.number), {}});
  purged_.push_back({t, d, false});
  purged_.back().task.id = life_of(t);
}

void ending::keep_evidence(const std::set<std::uint64_t>& alerted) {
  evidence all;
  all.effects = std::move(services_.log());
  all.effects.insert(all.effects.end(), purged_effects_.begin(), purged_effects_.end());
  std::stable_sort(all.effects.begin(), all.effects.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  all.clients = std::move(purged_clients_);
  all.tasks = std::move(purged_);
  for (const auto& id : cluster_.submitted()) {
    auto t = cluster_.store().find(id);
    if (!t && cluster_.has_left(id))
      continue;
    const auto calls = cluster_.submissions().find(id);
    const bool has_calls = calls != cluster_.submissions().end() && !cluster_.was_used_again(id);
    all.clients.push_back({id, cluster_.acknowledged().contains(id),
                           t ? cluster_.listener().outcomes_of(t->number) : std::vector<process_state>{},
                           has_calls ? calls->second : std::vector<submission_call>{}});
    if (t) {
      auto d = *cluster_.store().find_definition(t->workflow, t->version);
      const bool has_alert = alerted.contains(t->number);
      all.tasks.push_back({std::move(*t), std::move(d), has_alert});
    }
  }
  // Nobody submits the tasks of schedules and of steps.
  each_task(cluster_.store(), [&](const workflow::task& t) {
    if (cluster_.submitted().contains(t.id))
      return;
    all.clients.push_back({t.id, false, cluster_.listener().outcomes_of(t.number), {}});
    all.tasks.push_back({*cluster_.store().find(t.number), *cluster_.store().find_definition(t.workflow, t.version),
                         alerted.contains(t.number)});
  });
  result_.kept = std::move(all);
}

} // namespace steadfast::simulation
