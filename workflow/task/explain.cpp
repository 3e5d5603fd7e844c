#include "workflow/task/explain.hpp"

#include "workflow/definition/item_workflow.hpp"
#include "workflow/schedule/schedule.hpp"
#include "workflow/task/compensation.hpp"
#include "workflow/task/taken_in.hpp"
#include "workflow/task/waiting.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace steadfast::workflow {
namespace {

/// One step as seen at one moment.
struct view {
  const task& t;
  const definition& d;
  instant now;
  std::size_t i;

  const step& s() const { return t.steps[i]; }
  const step_definition& rules() const { return d.steps[i]; }
  std::string name() const { return "step " + quoted(rules().name); }
};

std::string in_brackets(const std::string& why) {
  return why.empty() ? "" : " (" + why + ")";
}

// "attempt 3 of 5", and which round of how many, where there is more than one.
std::string attempt_of_round(const view& v) {
  if (is_over_items(v.rules()))
    return "and its items' tasks with it";
  if (starts_child(v.rules()))
    return "and its task " + quoted(child_id(v.t, v.d, v.i)) + " with it";
  const bool undo = is_undoing(v.t) && v.rules().compensation;
  const auto attempts = undo ? v.rules().compensation->retry.attempts : v.rules().retry.attempts;
  auto text = "attempt " + std::to_string(std::min(v.s().tries + 1, attempts)) + " of " + std::to_string(attempts);
  if (v.s().failure_count > 0)
    text += " of round " + std::to_string(v.s().failure_count + 1);
  return text;
}

std::string last_failure(const view& v) {
  return v.s().error.empty() ? "" : "; last failure: " + failure_told(v.s());
}

explanation open_attempt(const view& v) {
  const auto which = ", attempt " + std::to_string(v.s().attempt);
  const bool late = v.s().complete_by <= v.now;
  const std::string limit = late ? " is overdue and counts as failed; it had to answer by" : " must answer by";
  switch (v.s().doing) {
    case attempt_action::probe: return {"asking whether it happened: " + v.name() + which + limit, v.s().complete_by};
    case attempt_action::compensate: return {"undoing: " + v.name() + which + limit, v.s().complete_by};
    default: break;
  }
  if (is_undoing(v.t))
    return {"finishing: " + v.name() + which + " is no longer needed; undo waits for its answer, at the latest until",
            v.s().complete_by};
  return {"running: " + v.name() + which + limit, v.s().complete_by};
}

explanation ending_later(const view& v) {
  const auto which = v.name() + ", attempt " + std::to_string(v.s().attempt) + ",";
  const auto progress = v.s().wait->progress.empty() ? "" : " (" + v.s().wait->progress + ")";
  if (is_undoing(v.t))
    return {"finishing: " + which + " was begun by agent " + quoted(v.rules().agent)
              + " and is no longer needed; undo waits for its end, at the latest until",
            v.s().not_before};
  return {"running: " + which + " was begun by agent " + quoted(v.rules().agent) + " and ends by its token" + progress
            + "; if nothing is heard, it fails at",
          v.s().not_before};
}

/// It waits for an event or a person.
explanation waiting_to_be_told(const view& v) {
  const auto& rule = *v.rules().wait;
  const std::string then = rule.passes_at_limit ? "; it is passed at" : "; it fails for good at";
  const auto limit = told_until(v.s(), rule);
  if (rule.what == wait_rule::kind::person)
    return {"waiting: " + v.name() + " asks a person with the role " + quoted(rule.name) + ": " + rule.question + then,
            limit};
  return {"waiting: " + v.name() + " for an event " + quoted(rule.name)
            + (v.s().wait->event_key.empty() ? "" : " with the key " + quoted(v.s().wait->event_key)) + then,
          limit};
}

/// It waits for its items.
explanation waiting_for_items(const view& v) {
  if (v.s().state == step_state::compensating)
    return {"undoing: " + v.name() + ": its items are being undone; since", v.s().log.back().started_at};
  if (are_items_elsewhere(v.t, v.i))
    return {"waiting: " + v.name() + " had begun its items when the task was imported from another store, and does not "
              + "continue them here: a person can skip it with `task skip`; what happened is undone at",
            v.s().not_before};
  const auto counts = v.s().wait->progress.empty() ? std::string{"none has ended yet"} : v.s().wait->progress;
  return {"waiting: " + v.name() + " for the ends of its items' tasks of workflow "
            + quoted(workflow_of_items(v.d, v.i)) + ": " + counts + in_brackets(v.s().waiting_for)
            + (v.t.state == process_state::suspended ? "; no more of them are begun before the task is resumed" : "")
            + "; what happened is undone at",
          v.s().not_before};
}

/// It waits for its child.
explanation waiting_for_child(const view& v) {
  if (is_over_items(v.rules()))
    return waiting_for_items(v);
  const auto child = "task " + quoted(child_id(v.t, v.d, v.i)) + " of workflow " + quoted(v.rules().wait->name);
  if (v.s().state == step_state::compensating)
    return {"undoing: " + v.name() + ": " + child + " is being undone; since", v.s().log.back().started_at};
  return {"waiting: " + v.name() + " for the end of " + child + in_brackets(v.s().waiting_for)
            + "; what happened is undone at",
          v.s().not_before};
}

explanation used_up_round(const view& v) {
  return {"failed: " + v.name() + " has used up its round of attempts" + last_failure(v)
          + "; the supervisor counts it and decides"};
}

explanation waiting_step(const view& v) {
  if (v.s().waiting_since != unset)
    return {"waiting: no agent takes " + v.name() + in_brackets(v.s().waiting_for) + "; next look at",
            v.s().not_before};
  const bool cooling = v.s().cool_offs > 0 && v.s().failure_count == 0 && v.s().tries == 0;
  if (cooling)
    return {"cooling off: " + v.name() + ", wait " + std::to_string(v.s().cool_offs) + " of "
              + std::to_string(v.rules().cool_off.count) + in_brackets(v.s().waiting_for) + last_failure(v)
              + "; next attempt at",
            v.s().not_before};
  return {"waiting: " + v.name() + in_brackets(v.s().waiting_for) + last_failure(v) + "; " + attempt_of_round(v)
            + " at",
          v.s().not_before};
}

explanation unknown_step(const view& v) {
  if (v.rules().repeat && !v.s().log.empty() && v.s().log.back().outcome == attempt_outcome::succeeded)
    return {"next: " + v.name() + " is called again" + in_brackets(v.s().waiting_for)};
  const std::string next =
    v.rules().probe && !v.s().probe_given_up ? "its probe is asked next" : "the next attempt repeats the same key";
  return {"unknown: " + v.name() + " was sent and nobody knows whether it acted; " + next};
}

bool are_done_before(const view& v) {
  return all_predecessors(v.d, v.i, [&v](std::size_t p) {
    return v.t.steps[p].state == step_state::completed || v.t.steps[p].state == step_state::skipped;
  });
}

void explain_forward_step(const view& v, std::vector<explanation>& out) {
  const auto& s = v.s();
  const bool open_end =
    s.state == step_state::not_started || s.state == step_state::failed || s.state == step_state::unknown;
  if (ends_later(s))
    out.push_back(ending_later(v));
  else if (s.state == step_state::waiting && is_until_told(*v.rules().wait))
    out.push_back(waiting_to_be_told(v));
  else if (s.state == step_state::waiting && starts_child(v.rules()))
    out.push_back(waiting_for_child(v));
  else if (s.state == step_state::waiting)
    out.push_back({"sleeping: " + v.name() + in_brackets(s.waiting_for) + " until", s.not_before});
  else if (s.doing != attempt_action::none)
    out.push_back(open_attempt(v));
  else if (s.needs_review)
    out.push_back(used_up_round(v));
  else if (!open_end || !are_done_before(v))
    return;
  else if (s.not_before > v.now || s.waiting_since != unset)
    out.push_back(waiting_step(v));
  else if (s.state == step_state::unknown)
    out.push_back(unknown_step(v));
  else
    out.push_back({"next: " + v.name() + " starts, " + attempt_of_round(v)});
}

void explain_step_of_undo(const view& v, const std::vector<std::size_t>& ready, std::vector<explanation>& out) {
  const auto& s = v.s();
  const bool is_ready = std::find(ready.begin(), ready.end(), v.i) != ready.end();
  if (s.doing != attempt_action::none)
    out.push_back(open_attempt(v));
  else if (ends_later(s))
    out.push_back(ending_later(v));
  else if (s.state == step_state::compensation_failed)
    out.push_back({"in place: " + v.name() + " could not be undone" + last_failure(v)});
  else if (is_undo_of_child_awaited(s, v.rules()))
    out.push_back(waiting_for_child(v));
  else if (!needs_undo(s, v.rules()))
    return;
  else if (s.needs_review)
    out.push_back(used_up_round(v));
  else if (!is_ready)
    out.push_back({"waiting: the undo of " + v.name() + " comes after the undo of later steps"});
  else if (s.settles_at > v.now)
    out.push_back({"waiting: the undo of " + v.name() + " starts when no earlier attempt of it can act any more, at",
                   s.settles_at});
  else if (s.not_before > v.now || s.waiting_since != unset)
    out.push_back(waiting_step(v));
  else
    out.push_back({"next: the undo of " + v.name() + " starts, " + attempt_of_round(v)});
}

/// Whether what the step waits for may come while nothing new is started.
bool goes_on_beside(const view& v) {
  const auto& s = v.s();
  return s.doing != attempt_action::none || s.state == step_state::waiting || ends_later(s)
         || is_undo_of_child_awaited(s, v.rules());
}

void explain_steps(const task& t, const definition& d, instant now, std::vector<explanation>& out) {
  const auto ready = ready_to_undo(t, d);
  for (std::size_t i = 0; i < t.steps.size(); ++i) {
    const view v{t, d, now, i};
    if (t.state == process_state::suspended && !goes_on_beside(v))
      continue; // what comes next for it is decided when the task resumes
    if (is_undoing(t))
      explain_step_of_undo(v, ready, out);
    else
      explain_forward_step(v, out);
  }
}

/// A step ends when somebody says so, or a task has ended: its moment is only the latest.
bool waits_for_word(const task& t, const definition& d) {
  bool waits = false;
  t.steps.each<step_mark::burdened>([&](std::size_t i) {
    const auto& s = t.steps[i];
    const auto& rule = d.steps[i].wait;
    const bool is_of_others = rule && (is_until_told(*rule) || starts_child(d.steps[i]));
    waits = waits || ends_later(s) || (s.state == step_state::waiting && is_of_others);
  });
  return waits;
}

void explain_pending(const task& t, const definition& d, instant now, std::vector<explanation>& out) {
  const auto priority = "priority " + std::to_string(t.priority);
  if (t.not_before > now && !was_started(t))
    out.push_back({"pending: with " + priority + ", not to be started before", t.not_before});
  else if (t.not_before > now && waits_for_word(t, d))
    out.push_back(
      {"pending: it only waits; with " + priority + ", in the queue again when its wait ends, at the latest at",
       t.not_before});
  else if (t.not_before > now)
    out.push_back({"pending: with " + priority + ", in the queue again at", t.not_before});
  else
    out.push_back({"pending: in the queue with " + priority + ", until "
                   + (waits_for_key(t) ? "its key has a place for it and " : "") + "a scheduler has room for it"});
}

void explain_limit(const task& t, const definition& d, std::vector<explanation>& out) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(d.limit->per).count();
  const auto within = seconds > 0 ? ", and no more of them may begin within " + std::to_string(seconds) + " s" : "";
  const auto key = "limit: of workflow " + quoted(t.workflow) + " " + std::to_string(d.limit->at_a_time)
                   + " at a time may be under way with the key " + quoted(t.limit->key) + within;
  if (waits_for_key(t))
    out.push_back({key + "; it begins when its turn comes, in the order of submission"});
  else if (t.limit->is_under_way && t.state == process_state::error)
    out.push_back({key + "; it counts until a person has ended it, by `task skip`, `task retry` or `task undo`"});
  else if (t.limit->is_under_way)
    out.push_back({key + "; it counts as one of them until it ends"});
}

/// Which step it was that took so long, as far as its log goes back.
void explain_time_used(const task& t, const definition& d, std::vector<explanation>& out) {
  span longest{0};
  std::vector<explanation> told;
  for (std::size_t i = 0; i < t.steps.size(); ++i) {
    const auto& s = t.steps[i];
    const auto is_forward = [](const attempt_record& r) { return r.action != attempt_action::compensate; };
    const auto first = std::find_if(s.log.begin(), s.log.end(), is_forward);
    if (first == s.log.end())
      continue;
    const auto begun = first->started_at;
    auto end = begun;
    for (const auto& r : s.log)
      if (is_forward(r))
        end = std::max(end, r.ended_at == unset ? forward_ends_at(t, d) : r.ended_at);
    if (end - begun <= longest)
      continue;
    longest = end - begun;
    told = {{"time: step " + quoted(d.steps[i].name) + " took the longest; its first attempt began at", begun},
            {"time: its last attempt ended at", end}};
  }
  std::move(told.begin(), told.end(), std::back_inserter(out));
}

void explain_limits(const task& t, const definition& d, instant now, std::vector<explanation>& out) {
  if (is_undoing(t)) {
    out.push_back({"limit: its deadline, which an undo may pass, is at", t.complete_by});
    return;
  }
  const instant forward_until = t.complete_by - d.undo_reserve;
  const bool rests = t.state == process_state::suspended;
  if (forward_until <= now) {
    const std::string when = rests ? "when it is resumed" : "next";
    out.push_back(
      {"overdue: the task's time for forward work is used up; what happened is undone " + when + ". It ended at",
       forward_until});
    explain_time_used(t, d, out);
  } else {
    const std::string when = rests ? " when it is resumed" : "";
    out.push_back(
      {"limit: if it is not done by then, what happened is undone" + when + "; forward work ends at", forward_until});
  }
}

void explain_undo_for_time(const task& t, const definition& d, std::vector<explanation>& out) {
  if (t.cause == deadline_cause)
    explain_time_used(t, d, out);
}

/// Nothing else can be undone before.
bool waits_for_undo_of_child(const task& t, const definition& d) {
  bool waits = false;
  t.steps.each<step_mark::acted>(
    [&](std::size_t i) { waits = waits || is_undo_of_child_awaited(t.steps[i], d.steps[i]); });
  const auto ready = ready_to_undo(t, d);
  return waits && std::all_of(ready.begin(), ready.end(), [&](std::size_t i) {
           return is_undo_of_child_awaited(t.steps[i], d.steps[i]);
         });
}

void explain_undoing(const task& t, const definition& d, instant now, std::vector<explanation>& out) {
  out.push_back({"undoing: what happened is being reversed" + in_brackets(t.cause)});
  explain_undo_for_time(t, d, out);
  if (!t.locked_by.empty() || waits_for_undo_of_child(t, d))
    return;
  if (t.not_before > now)
    out.push_back({"pending: the undo goes on when its wait ends, at the latest at", t.not_before});
  else
    out.push_back({"pending: the undo waits until a scheduler takes it"});
}

std::string failed_steps(const task& t, const definition& d) {
  std::string text;
  for (std::size_t i = 0; i < t.steps.size(); ++i) {
    const auto& s = t.steps[i];
    if (s.state == step_state::failed || s.state == step_state::unknown || s.state == step_state::compensation_failed)
      text += (text.empty() ? "" : ", ") + quoted(d.steps[i].name) + " is " + std::string{to_string(s.state)}
              + in_brackets(failure_told(s));
  }
  return text;
}

/// Steps that no undo reverses, or one could not: why, and who refused.
void explain_what_is_left(const task& t, const definition& d, std::vector<explanation>& out) {
  for (const std::size_t i : left_in_place(t, d)) {
    const auto name = "in place: step " + quoted(d.steps[i].name);
    if (t.steps[i].state == step_state::compensation_failed)
      out.push_back(
        {name + " happened, or may have, and its undo"
         + (starts_child(d.steps[i]) ? std::string{} : " by agent " + quoted(d.steps[i].compensation->agent))
         + " failed: " + failure_told(t.steps[i])});
    else
      out.push_back({name + " happened, or may have, and has no compensation"});
  }
}

std::string failed_undos(const task& t, const definition& d) {
  std::string names;
  for (std::size_t i = 0; i < t.steps.size(); ++i)
    if (t.steps[i].state == step_state::compensation_failed)
      names += (names.empty() ? "" : ", ") + quoted(d.steps[i].name);
  return names;
}

void explain_failed_undo(const task& t, const definition& d, const std::string& failed, std::vector<explanation>& out) {
  out.push_back({"error: a person is needed: the undo of " + failed + " failed; since", t.ended_at});
  explain_what_is_left(t, d, out);
  out.push_back({"why it was undone: " + t.cause});
  explain_undo_for_time(t, d, out);
  for (const std::size_t i : undo_order(t, d))
    out.push_back(
      {"in place: step " + quoted(d.steps[i].name) + " happened, or may have, and its undo has not run yet"});
  out.push_back(
    {"next: nothing by itself; once the service accepts it, `task undo` runs the rest of the undo again; if a person "
     "has reversed a step by hand, settle it with `task skip --step NAME`"});
}

void explain_error(const task& t, const definition& d, std::vector<explanation>& out) {
  if (const auto failed = failed_undos(t, d); !failed.empty())
    return explain_failed_undo(t, d, failed, out);
  out.push_back({"error: a person is needed: " + t.cause + "; since", t.ended_at});
  if (const auto steps = failed_steps(t, d); !steps.empty())
    out.push_back({"steps: " + steps});
  for (const std::size_t i : undo_order(t, d))
    out.push_back({"in place: step " + quoted(d.steps[i].name) + " happened, or may have, and can be undone"});
  explain_what_is_left(t, d, out);
  out.push_back(
    {"next: nothing by itself; a person can retry a step (`task retry`), skip it with a result (`task skip`) or undo "
     "the task (`task undo`)"});
}

void explain_suspended(const task& t, std::vector<explanation>& out) {
  const auto act_before =
    std::find_if(t.acts.rbegin(), t.acts.rend(), [](const act& a) { return a.what == "suspend"; });
  if (act_before == t.acts.rend())
    out.push_back({"suspended: nothing new is started"});
  else
    out.push_back({"suspended by " + act_before->who + in_brackets(act_before->why) + ": nothing new is started; since",
                   act_before->at});
  const auto* what = is_undoing(t) ? "its undo" : "the task";
  out.push_back({"next: `task resume` continues " + std::string{what}
                 + "; its deadline does not move, and a limit of a step that passes meanwhile counts then"});
}

/// Of the sentences that begin alike, such as "in place:", the first few, and how many more there are.
std::vector<explanation> shortened(std::vector<explanation> all) {
  const auto beginning = [](const explanation& e) { return e.text.substr(0, e.text.find(':')); };
  std::map<std::string, std::size_t> told;
  for (const auto& e : all)
    ++told[beginning(e)];
  std::map<std::string, std::size_t> met;
  std::vector<explanation> out;
  for (auto& e : all) {
    const auto key = beginning(e);
    const auto place = ++met[key];
    if (told[key] <= explained_alike_max || place < explained_alike_max)
      out.push_back(std::move(e));
    else if (place == explained_alike_max)
      out.push_back({key + ": and " + std::to_string(told[key] - place + 1) + " more steps"});
  }
  return out;
}

bool is_in_trouble(const step& s) {
  if (s.state == step_state::waiting)
    return false;
  const bool was_tried = s.state == step_state::not_started && s.attempt > 0;
  return was_tried || s.state == step_state::failed || s.state == step_state::compensation_failed || s.needs_review
         || s.not_before != unset || (s.state == step_state::unknown && s.doing == attempt_action::none);
}

std::vector<explanation> explain_whole(const task& t, const definition& d, instant now) {
  std::vector<explanation> out;
  switch (t.state) {
    case process_state::processed: return {{"processed: every step completed or was skipped; ended at", t.ended_at}};
    case process_state::undone:
      out.push_back({"undone: what happened was reversed" + in_brackets(t.cause) + "; ended at", t.ended_at});
      explain_undo_for_time(t, d, out);
      explain_what_is_left(t, d, out);
      return out;
    case process_state::error: explain_error(t, d, out); return out;
    case process_state::pending: explain_pending(t, d, now, out); break;
    case process_state::processing: out.push_back({"processing: by scheduler " + quoted(t.locked_by)}); break;
    case process_state::undoing: explain_undoing(t, d, now, out); break;
    case process_state::suspended: explain_suspended(t, out); break;
  }
  explain_steps(t, d, now, out);
  explain_limits(t, d, now, out);
  return out;
}

} // namespace

std::vector<explanation> explain(const task& stored, const definition& d, const clock_reading& clock) {
  task t = stored;
  carry_over(t, d, clock);
  auto told = shortened(explain_whole(t, d, clock.now));
  if (const auto made_by = schedule_in(t.id))
    told.push_back(
      {"by its id, schedule " + quoted(made_by->schedule) + " made it, for the moment at", made_by->moment});
  if (!t.limit.empty())
    explain_limit(t, d, told);
  if (!t.parent.empty())
    told.push_back({"parent: it was started by a step of task " + quoted(t.parent->id)});
  return told;
}

std::optional<std::size_t> first_in_trouble(const task& t) {
  auto found = std::find_if(t.steps.begin(), t.steps.end(),
                            [](const step& s) { return s.state == step_state::compensation_failed; });
  if (found == t.steps.end()) // else the way forward is closed: only the undo can be tried again
    found = std::find_if(t.steps.begin(), t.steps.end(), [](const step& s) { return is_in_trouble(s); });
  return found == t.steps.end() ? std::nullopt : std::optional{static_cast<std::size_t>(found - t.steps.begin())};
}

} // namespace steadfast::workflow
