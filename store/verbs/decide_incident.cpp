#include "store/verbs/decide_incident.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace steadfast::store {

namespace {

constexpr std::size_t dropped_max = 4; ///< by each incident that is opened

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

/// The person did the same to it last.
bool is_noted(const incident& x, const act_on_incident& w) {
  if (x.acts.empty())
    return false;
  const auto& last = x.acts.back();
  return last.who == w.who && last.what == name_of(w.act) && last.why == w.why;
}

raised_alert alert_of(const workflow::system_condition& c, workflow::instant now) {
  return {0, {}, {c.what.kind, c.text, c.what.step, now}, c.what, true};
}

void begin(incident& of, const raised_alert& first) {
  of.first_at = first.what.at;
  of.sample_task = first.task_id;
  of.sample_text = first.what.text;
}

} // namespace

// ---- an alert joins and leaves ----

bool goes_on_with(const incident& last, workflow::instant at) {
  return last.closed_at == workflow::unset || workflow::goes_on(last.closed_at, at);
}

incident opened_by(const raised_alert& x, std::uint64_t number) {
  incident made;
  made.number = number;
  made.what = x.signature;
  made.is_condition = x.is_condition;
  begin(made, x);
  return made;
}

void join(incident& to, const raised_alert& x, bool is_first_of_task) {
  if (to.closed_at != workflow::unset) {
    to.closed_at = to.acknowledged_at = workflow::unset;
    to.acknowledged_by.clear();
    ++to.times;
    begin(to, x);
  }
  ++to.alerts;
  to.last_at = x.what.at;
  if (is_first_of_task) {
    ++to.tasks;
    ++to.tasks_ever;
  }
}

std::vector<incident> incidents_to_drop(std::vector<incident> oldest) {
  std::erase_if(oldest, [](const incident& x) { return x.closed_at == workflow::unset; });
  if (oldest.size() > dropped_max)
    oldest.resize(dropped_max);
  return oldest;
}

void leave(incident& from, bool is_last_of_task, workflow::instant now) {
  --from.alerts;
  if (is_last_of_task)
    --from.tasks;
  if (from.alerts == 0)
    from.closed_at = std::max(now, from.last_at);
}

// ---- persons ----

incident_act_taken decide(const act_on_incident& w, const incident* there) {
  if (there == nullptr)
    return {{turned_down(write_status::absent, "there is no incident with the number " + std::to_string(w.number))}};
  if (w.act == incident_act::note && w.why.empty())
    return {{turned_down(write_status::refused, "a note needs a text")}};
  incident_act_taken d{{applied()}};
  d.is_acknowledged = w.act == incident_act::acknowledge;
  if (d.is_acknowledged && is_noted(*there, w))
    return d; // its alerts are acknowledged in parts
  auto& x = d.put.emplace(*there);
  switch (w.act) {
    case incident_act::acknowledge:
      if (x.acknowledged_at != workflow::unset)
        break; // the first one counts
      x.acknowledged_by = w.who;
      x.acknowledged_at = w.now;
      break;
    case incident_act::mute: x.muted_until = w.until; break;
    case incident_act::unmute: x.muted_until = workflow::unset; break;
    case incident_act::note: break;
  }
  note_act(x, w);
  return d;
}

// ---- conditions ----

reported_conditions decide(const report_conditions& w, const std::vector<incident>& open) {
  reported_conditions d{applied(), {}, {}, {}};
  const auto holds = [&](const incident& x) {
    return std::any_of(w.hold.begin(), w.hold.end(), [&](const auto& c) { return c.what == x.what; });
  };
  for (const auto& x : open)
    if (!holds(x))
      d.over.push_back(x.number);
  for (const auto& c : w.hold) {
    const auto known = std::find_if(open.begin(), open.end(), [&](const incident& x) { return x.what == c.what; });
    if (known == open.end()) {
      d.raised.push_back(alert_of(c, w.now.now));
    } else {
      d.put.push_back(*known);
      d.put.back().sample_text = c.text;
    }
  }
  d.said.raised = d.raised.size();
  return d;
}

} // namespace steadfast::store
