#include "store/verbs/decide_schedule.hpp"

#include "store/verbs/decide_lease.hpp"
#include "workflow/supervision/node_card.hpp"
#include "workflow/text/name.hpp"
#include "workflow/text/split.hpp"

#include <utility>

namespace steadfast::store {

namespace {

decision schedule_refused(std::string why) {
  return turned_down(write_status::refused, std::move(why));
}

std::string name_of(const workflow::schedule& s) {
  return "schedule " + workflow::quoted(s.name);
}

raised_alert alert_of_schedule(std::string text, std::string cause, workflow::instant now) {
  return {
    0, {}, {incident_of_schedule, std::move(text), {}, now}, {incident_of_schedule, {}, {}, {}, std::move(cause)}};
}

/// Of a file, which nobody may see when its node starts.
placed_schedule refused(const put_schedule& w, const known_schedule& known, std::string why) {
  placed_schedule d{schedule_refused(std::move(why))};
  if (!w.file.empty() && known.refusals.empty())
    d.raised = alert_of_schedule(w.file + ": " + d.said.why
                                   + (known.there != nullptr ? "; it continues as it was" : "; it makes no tasks")
                                   + ": correct it, and restart the node",
                                 cause_of_unplaced(w.what.name), w.now.now);
  return d;
}

bool ends_with(const workflow::schedule_state& s, workflow::moment_fate fate) {
  return !s.notes.empty() && s.notes.back().fate == fate;
}

/// Raised at the first of several refusals in a row.
std::optional<raised_alert> alert_of_refusal(const workflow::schedule_state& before,
                                             const workflow::schedule_state& after, workflow::instant now) {
  if (!ends_with(after, workflow::moment_fate::refused) || ends_with(before, workflow::moment_fate::refused))
    return std::nullopt;
  return alert_of_schedule(name_of(after.what) + " could not make its task: " + after.notes.back().text,
                           cause_of_refused(after.what.name), now);
}

/// It has made a task again, after refusals.
bool is_refusal_over(const workflow::schedule_state& before, const workflow::schedule_state& after) {
  return ends_with(before, workflow::moment_fate::refused) && ends_with(after, workflow::moment_fate::made);
}

/// What became of the moment that a person added.
answer<act_on_schedule> told_of_run(const workflow::schedule_state& s, workflow::instant moment) {
  const auto& n = s.notes.back();
  switch (n.fate) {
    case workflow::moment_fate::made: return {applied(), {true, 1, moment, false, {}}};
    case workflow::moment_fate::queued: return {applied(), {true, 0, moment, false, {}}};
    case workflow::moment_fate::skipped:
      return schedule_refused("task " + workflow::quoted(n.text) + " of the schedule is not over, and "
                              + (s.queued != workflow::unset
                                   ? "another moment is queued already"
                                   : "its overlap is " + std::string{workflow::to_string(s.what.rule)}));
    default: return schedule_refused(n.text);
  }
}

} // namespace

std::string cause_of_schedule(const std::string& name) {
  return "schedule " + workflow::quoted(name) + " ";
}

std::string cause_of_unplaced(const std::string& name) {
  return cause_of_schedule(name) + "of a file is refused";
}

std::string cause_of_refused(const std::string& name) {
  return cause_of_schedule(name) + "could not make its task";
}

std::string cause_of_damaged(const std::string& name) {
  return cause_of_schedule(name) + "is damaged";
}

placed_schedule decide(const put_schedule& w, const known_schedule& known) {
  const auto& s = w.what;
  auto wrong = workflow::problems(s);
  if (known.definition == nullptr)
    wrong.push_back("there is no workflow " + workflow::quoted(s.workflow)
                    + (s.version != 0 ? " version " + std::to_string(s.version) : ""));
  else if (wrong.empty())
    wrong = workflow::problems(s, *known.definition, w.now.now);
  if (!wrong.empty())
    return refused(w, known, name_of(s) + ": " + workflow::joined(wrong, "; "));
  for (const auto& x : known.nodes)
    if (const auto older = living_older_node(x, workflow::knowledge::schedules, w.now.now))
      return refused(w, known, workflow::upgrade_first(*older, "schedules"));
  if (known.there == nullptr && known.count >= workflow::schedules_max)
    return refused(w, known, "there are " + std::to_string(known.count) + " schedules, and the store takes no more");
  placed_schedule d{applied()};
  d.over = known.refusals;
  d.over.insert(d.over.end(), known.damages.begin(), known.damages.end());
  if (known.there != nullptr && known.there->what == s && known.there->file == w.file)
    return d;
  d.said.changed = true;
  d.put = workflow::begun(s, w.file, w.now.now, known.there);
  return d;
}

workflow::submission submission_of(const workflow::schedule& s, workflow::instant moment) {
  workflow::submission x;
  x.id = workflow::task_id_of(s.name, moment);
  x.workflow = s.workflow;
  x.version = s.version;
  x.payload = workflow::payload_for(s, moment);
  x.priority = s.priority;
  return x;
}

workflow::made_task made_of(const answer<submit_task>& o, const std::string& id) {
  if (o.result == write_status::full)
    return {false, false, {}, o.why};
  if (o.result != write_status::applied)
    return {false, true, {}, o.why};
  return {true, true, {is_open_for_schedules(o.state), o.number, id}, {}};
}

workflow::cancelled cancelled_for_next() {
  return {{"(schedule)", "the next moment of its schedule has come"}};
}

bool is_open_for_schedules(workflow::process_state s) {
  return s != workflow::process_state::processed && s != workflow::process_state::undone;
}

acted_schedule decide(const act_on_schedule& w, const workflow::schedule_state* there,
                      const workflow::schedule_needs& needs) {
  if (there == nullptr)
    return {turned_down(write_status::absent, "there is no schedule " + workflow::quoted(w.name))};
  const auto who = workflow::clipped(w.who.empty() ? "somebody" : w.who, workflow::note_size_max);
  acted_schedule d{{applied(), {true, 0, workflow::never, false, {}}}, *there};
  auto& s = *d.put;
  switch (w.act) {
    case schedule_act::pause:
      if (!s.paused_by.empty())
        return {schedule_refused("the schedule was already paused by " + s.paused_by
                                 + (s.paused_why.empty() ? "" : ": " + s.paused_why))};
      d.done = "paused ";
      workflow::pause(s, who, workflow::clipped(w.why, workflow::note_size_max), w.now.now);
      break;
    case schedule_act::resume:
      if (s.paused_by.empty())
        return {schedule_refused("the schedule is not paused")};
      d.done = "resumed ";
      workflow::resume(s, w.now.now);
      break;
    case schedule_act::run:
      d.done = "ran ";
      if (!workflow::serve_now(s, w.now.now, needs))
        return {{}, {}, false, true};
      d.said = told_of_run(s, w.now.now);
      if (d.said.result != write_status::applied && s.made == there->made)
        d.put.reset();
      break;
    case schedule_act::remove:
      d.done = "removed ";
      d.put.reset();
      d.is_removed = true;
      d.over = cause_of_schedule(w.name);
      d.over_by = w.who;
      break;
  }
  d.done += name_of(there->what);
  if (d.put && is_refusal_over(*there, *d.put)) {
    d.over = cause_of_refused(w.name);
    d.over_by = moved_on;
  }
  return d;
}

served_schedule serve(const workflow::schedule_state& there, workflow::instant now,
                      const workflow::schedule_needs& needs) {
  served_schedule d{there};
  workflow::serve(d.put, now, needs);
  d.raised = alert_of_refusal(there, d.put, now);
  if (is_refusal_over(there, d.put))
    d.over = cause_of_refused(there.what.name);
  return d;
}

raised_alert alert_of_damaged_schedule(const std::string& name, workflow::instant now) {
  return alert_of_schedule("the record of schedule " + workflow::quoted(name)
                             + " is damaged, so it creates no tasks: put it again",
                           cause_of_damaged(name), now);
}

} // namespace steadfast::store
