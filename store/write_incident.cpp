// Incidents: what persons do to them, how their alerts end by themselves, and conditions of the whole.

#include "store/write_batch.hpp"

#include <algorithm>

namespace steadfast::store {

namespace {

std::string name_of(incident_act a) {
  switch (a) {
    case incident_act::acknowledge: return "acknowledge";
    case incident_act::mute: return "mute";
    case incident_act::unmute: return "unmute";
    case incident_act::note: return "note";
  }
  return {};
}

void note_act(incident& x, const act_on_incident& w) {
  x.acts.push_back({w.now, w.who, name_of(w.act), w.why});
  if (x.acts.size() > incident_acts_max)
    x.acts.erase(x.acts.begin());
}

} // namespace

void write_batch::settle_alerts(const workflow::task& next, const workflow::definition& d) {
  std::vector<std::uint64_t> alerts;
  {
    const key begin{next.number};
    lmdb::cursor c{txn_, in_.task_alerts};
    for (bool more = c.seek(begin); more && c.key().starts_with(begin.view()); more = c.next())
      alerts.push_back(last_number(c.key()));
  }
  for (const auto alert : alerts) {
    const key k{alert};
    const auto bytes = txn_.get(in_.alerts, k);
    auto entry = bytes ? readable<alert_entry>(k, *bytes) : std::nullopt;
    if (!entry || !incidents_.is_in_one(alert) || !workflow::is_about_standing(entry->what)
        || workflow::still_holds(entry->what, next, d))
      continue;
    const auto when = std::max(workflow::last_changed_at(next), entry->what.at);
    incidents_.leave(alert, next.number, when);
    if (entry->acknowledged_at == workflow::unset)
      acknowledge(k, *std::move(entry), moved_on, when);
  }
}

/// Tasks go on by what is stored, and so can the node.
void write_batch::tell_of_change(const register_definition& w) {
  const auto& d = w.what;
  if (w.file.empty() || !incidents_.open_ones(changed_workflow, d.name).empty())
    return;
  const auto which = "workflow `" + d.name + "` version " + std::to_string(d.version);
  const workflow::alert told{changed_workflow,
                             w.file + " differs from what is stored as " + which
                               + ", by which its tasks go on: raise the `version` in the file, or take the change back,"
                                 " and start the node again",
                             {},
                             w.now};
  put_alert(0, {}, told,
            {changed_workflow,
             {},
             d.name,
             {},
             "the file of version " + std::to_string(d.version) + " differs from what is stored"});
}

void write_batch::end_alerts_of_change(const register_definition& w) {
  if (!w.file.empty())
    for (const auto number : incidents_.open_ones(changed_workflow, w.what.name))
      end_alerts_of(number, w.now);
}

/// One for all tasks of all workflows, with the first of them.
void write_batch::tell_of_damaged_definition(const set_aside_damaged& w, const std::string& why) {
  if (incidents_.open_ones(damaged_workflow, {}).empty())
    put_alert(0, {}, {damaged_workflow, "a task cannot be read, and stays as it is: " + why, {}, w.now},
              {damaged_workflow, {}, {}, {}, "the definition of a workflow is damaged"});
}

/// The definition is stored anew by the same write.
void write_batch::tell_of_repair(const register_definition& w, const std::string& damage) {
  for (const auto number : incidents_.open_ones(damaged_workflow, {}))
    end_alerts_of(number, w.now);
  const auto which = "workflow `" + w.what.name + "` version " + std::to_string(w.what.version);
  put_alert(0, {},
            {"restored",
             which + " was damaged in the store and was stored anew" + (w.file.empty() ? "" : ", from " + w.file)
               + ": see that it is as it was (" + damage + ")",
             {},
             w.now},
            {"restored", {}, w.what.name, {}, "the definition was damaged and was stored anew"});
}

/// None of them holds any more.
void write_batch::end_alerts_of(std::uint64_t incident, workflow::instant now) {
  for (const auto alert : incidents_.alerts_of(incident, 0, 1000)) {
    const key k{alert};
    const auto bytes = txn_.get(in_.alerts, k);
    if (auto entry = bytes ? readable<alert_entry>(k, *bytes) : std::nullopt;
        entry && entry->acknowledged_at == workflow::unset)
      acknowledge(k, *std::move(entry), moved_on, now);
    incidents_.leave(alert, 0, now);
  }
}

/// Only the next report says whether it holds on.
bool write_batch::is_of_condition(std::uint64_t alert) {
  const auto number = incidents_.incident_of(alert);
  const auto* const x = number ? incidents_.find(*number) : nullptr;
  return x != nullptr && x->is_condition;
}

bool write_batch::holds_on(const alert_entry& x) {
  if (x.what.kind == changed_workflow || x.what.kind == damaged_workflow)
    return true; // until the definition is taken again
  if (is_of_condition(x.number))
    return true;
  if (!workflow::is_about_standing(x.what))
    return false;
  try {
    const auto t = load(x.task_number);
    return t && workflow::still_holds(x.what, t->state.task, *t->definition);
  } catch (const damaged_record&) { // reported; its being set aside is an alert of its own
    return false;
  }
}

answer<act_on_incident> write_batch::make(const act_on_incident& w) {
  auto* const x = incidents_.find(w.number);
  if (x == nullptr)
    return turned_down(verdict::absent, "there is no incident with the number " + std::to_string(w.number));
  if (w.act == incident_act::note && w.why.empty())
    return turned_down(verdict::refused, "a note needs a text");
  answer<act_on_incident> o = applied();
  switch (w.act) {
    case incident_act::acknowledge: {
      const bool is_first = x->acknowledged_at == workflow::unset;
      if (is_first) {
        x->acknowledged_by = w.who;
        x->acknowledged_at = w.now;
        note_act(*x, w);
      }
      o.acknowledged = acknowledge_some(w.number, w);
      o.more = o.acknowledged == w.max;
      return o;
    }
    case incident_act::mute: x->muted_until = w.until; break;
    case incident_act::unmute: x->muted_until = workflow::unset; break;
    case incident_act::note: break;
  }
  note_act(*x, w);
  return o;
}

/// How many it were.
std::uint32_t write_batch::acknowledge_some(std::uint64_t incident, const act_on_incident& w) {
  std::uint32_t done = 0;
  std::uint64_t last = 0;
  for (auto alerts = incidents_.alerts_of(incident, last, 1000); !alerts.empty() && done < w.max;
       alerts = incidents_.alerts_of(incident, last, 1000))
    for (const auto alert : alerts) {
      last = alert;
      const key k{alert};
      const auto bytes = txn_.get(in_.alerts, k);
      auto entry = bytes ? readable<alert_entry>(k, *bytes) : std::nullopt;
      if (!entry || entry->acknowledged_at != workflow::unset)
        continue;
      acknowledge(k, *std::move(entry), w.who, w.now);
      if (++done == w.max)
        break;
    }
  return done;
}

answer<report_conditions> write_batch::make(const report_conditions& w) {
  if (auto lost = not_held(w.guard, w.now))
    return *std::move(lost);
  answer<report_conditions> o = applied();
  std::vector<const workflow::system_condition*> fresh;
  auto over = incidents_.open_conditions();
  for (const auto& c : w.hold) {
    const auto known = std::find_if(over.begin(), over.end(),
                                    [&](std::uint64_t number) { return incidents_.find(number)->what == c.what; });
    if (known == over.end()) {
      fresh.push_back(&c);
      continue;
    }
    incidents_.find(*known)->sample_text = c.text;
    over.erase(known);
  }
  for (const auto number : over)
    for (const auto alert : incidents_.alerts_of(number, 0, 1000)) {
      const key k{alert};
      const auto bytes = txn_.get(in_.alerts, k);
      if (auto entry = bytes ? readable<alert_entry>(k, *bytes) : std::nullopt)
        acknowledge(k, *std::move(entry), is_over, w.now);
      incidents_.leave(alert, 0, w.now);
    }
  for (const auto* c : fresh)
    put_alert(0, {}, {c->what.kind, c->text, c->what.step, w.now}, c->what, true);
  o.raised = fresh.size();
  return o;
}

} // namespace steadfast::store
