#include "workflow/supervision/conditions.hpp"

#include "workflow/task/waiting.hpp"
#include "workflow/text/name.hpp"
#include "workflow/time/time_text.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace steadfast::workflow {

namespace {

using signatures = std::vector<incident_signature>;

constexpr const char* node_lost = "node_lost";
constexpr const char* store_filling = "store_filling";
constexpr const char* disk_filling = "disk_filling";
constexpr const char* failing = "failing";
constexpr const char* suspended_late = "suspended_late";
constexpr const char* suspended_long = "suspended_long";
constexpr const char* certificate_ends = "certificate";
constexpr const char* schedule_missed = "schedule_missed";

const incident_signature* open_of(const signatures& open, const std::string& kind, const std::string& workflow = {}) {
  const auto found = std::find_if(
    open.begin(), open.end(), [&](const incident_signature& x) { return x.kind == kind && x.workflow == workflow; });
  return found == open.end() ? nullptr : &*found;
}

incident_signature of_kind(std::string kind, std::string cause, std::string workflow = {}) {
  return {std::move(kind), {}, std::move(workflow), {}, std::move(cause)};
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  return std::to_string(whole == 0 ? 0 : (part * 100 + whole / 2) / whole) + " %";
}

std::string mib(std::uint64_t bytes) {
  return std::to_string(bytes >> 20U) + " MiB";
}

std::string minute_text(instant t) {
  return utc_text(t).substr(0, 16) + "Z";
}

// ---- nodes ----

void add_node(std::vector<system_condition>& all, const node_facts& n, const condition_rules& rules, instant now) {
  const auto name = "node " + quoted(n.name);
  const bool was_given_back = n.lease_ends_at == unset;
  if (n.is_gone) {
    if (!was_given_back && !n.is_drained)
      all.push_back({of_kind(node_lost, name + " is silent"),
                     name + " is silent; its lease ended "
                       + utc_seconds_text(std::chrono::floor<std::chrono::seconds>(n.lease_ends_at))
                       + " although it was not stopped: start it again, or, if it is gone for good, run `lease release "
                       + "node/" + n.name + "`"});
    return;
  }
  if (n.certificate_until == unset || n.certificate_until - now > rules.certificate_notice)
    return;
  const bool has_ended = n.certificate_until <= now;
  all.push_back({of_kind(certificate_ends, "the certificate of " + name + " ends"),
                 "the certificate of " + name + (has_ended ? " ended " : " ends ") + minute_text(n.certificate_until)
                   + "; renew it (`cluster certs renew`) and send the node SIGHUP"});
}

// ---- room ----

/// What has crossed a border counts as past it until it is a twentieth on this side of it again.
void add_store(std::vector<system_condition>& all, const store_facts& s, const condition_rules& rules,
               const signatures& open) {
  if (s.room == 0)
    return;
  const auto border = s.room / 100 * rules.store_used_percent;
  const auto limit = open_of(open, store_filling) != nullptr ? border - border / 20 : border;
  if (s.used > limit)
    all.push_back({of_kind(store_filling, "the store is nearly full"),
                   "the store is nearly full; " + mib(s.used) + " of " + mib(s.room) + " for new work are used ("
                     + share_text(s.used, s.room) + "): raise store.size_max, or have retention remove ended tasks"});
}

void add_disk(std::vector<system_condition>& all, const store_facts& s, const condition_rules& rules,
              const signatures& open) {
  if (s.disk_size == 0)
    return;
  const auto border = std::min(rules.disk_free_min, s.disk_size / 10);
  const auto limit = open_of(open, disk_filling) != nullptr ? border + border / 20 : border;
  if (s.disk_free < limit)
    all.push_back({of_kind(disk_filling, "the disk of the store is nearly full"),
                   "the disk of the store is nearly full; " + mib(s.disk_free) + " of " + mib(s.disk_size)
                     + " are free: make room on it, or move the store to a larger one"});
}

// ---- workflows ----

void add_workflow(std::vector<system_condition>& all, const workflow_facts& w, const condition_rules& rules,
                  const signatures& open, const std::map<std::string, incident_signature>& failures) {
  const auto* const before = open_of(open, failing, w.name);
  if (!is_unusual(w.how, rules.failing, before != nullptr))
    return;
  incident_signature what;
  if (before != nullptr)
    what = *before;
  else if (const auto found = failures.find(w.name); found != failures.end())
    what = found->second;
  what.kind = failing;
  what.workflow = w.name;
  if (what.cause.empty())
    what.cause = "undone or in error more often than usually";
  const auto late = failed_of_last(w.how, endings_looked_at);
  const auto now = failed_of_last(w.how, endings_just_now);
  all.push_back({what, (what.agent.empty() ? "" : "agent " + quoted(what.agent) + ": ")
                         + share_text(now.failed, now.ended) + " of " + quoted(w.name) + " end undone or in error ("
                         + std::to_string(now.failed) + " of the last " + std::to_string(now.ended) + ");"
                         + (late.ended == now.ended
                              ? ""
                              : " " + std::to_string(late.failed) + " of the last " + std::to_string(late.ended) + ";")
                         + " usually " + share_text(w.how.usual, whole_share) + " do"
                         + (what.step.empty() ? "" : "; most often step " + quoted(what.step) + ": " + what.cause)});
}

void add_resting(std::vector<system_condition>& all, const std::string& workflow, const resting& r) {
  const auto rest = [&](std::uint64_t n) {
    return std::to_string(n) + (n == 1 ? " task of " : " tasks of ") + quoted(workflow)
           + (n == 1 ? " has been suspended" : " have been suspended");
  };
  if (r.late > 0)
    all.push_back({of_kind(suspended_late, "suspended, and its deadline has passed", workflow),
                   rest(r.late) + " past the deadline; the first is " + r.late_id + ", due " + minute_text(r.late_since)
                     + ": resume it, which undoes it, or cancel it"});
  if (r.long_ago > 0)
    all.push_back({of_kind(suspended_long, "suspended for long", workflow),
                   rest(r.long_ago) + " for long; the first is " + r.long_id + ", suspended "
                     + minute_text(r.long_since) + ": resume or cancel those that were forgotten"});
}

void add_missed(std::vector<system_condition>& all, const std::string& workflow, const missed& m) {
  const auto which = std::to_string(m.schedules) + (m.schedules == 1 ? " schedule of " : " schedules of ")
                     + quoted(workflow) + (m.schedules == 1 ? " has missed its moment" : " have missed their moments");
  all.push_back({of_kind(schedule_missed, "nobody could serve a moment in time", workflow),
                 which + "; the first is " + m.name + ", at " + minute_text(m.moment)
                   + ": `schedule run` creates its task now, or wait for the next moment"});
}

} // namespace

std::vector<std::string> problems(const condition_rules& r) {
  std::vector<std::string> found;
  if (r.store_used_percent < 1 || r.store_used_percent > 100)
    found.emplace_back("conditions.store_used must be from 1 to 100 percent");
  if (r.failing.margin_percent < 1 || r.failing.margin_percent > 100)
    found.emplace_back("conditions.failing_above must be from 1 to 100 percent");
  if (r.failing.at_least == 0)
    found.emplace_back("conditions.failing_after must be above zero");
  if (r.suspended_max <= span::zero())
    found.emplace_back("conditions.suspended_for must be above zero");
  return found;
}

void count_if_suspended(std::map<std::string, resting>& suspended, const task& t, const condition_rules& rules,
                        instant now) {
  if (t.state != process_state::suspended)
    return;
  auto& r = suspended[t.workflow];
  if (t.complete_by <= now && t.complete_by != unset) {
    ++r.late;
    if (t.complete_by < r.late_since)
      std::tie(r.late_since, r.late_id) = std::pair{t.complete_by, t.id};
  } else if (const auto since = suspended_at(t); now - since > rules.suspended_max) {
    ++r.long_ago;
    if (since < r.long_since)
      std::tie(r.long_since, r.long_id) = std::pair{since, t.id};
  }
}

void count_if_missed(std::map<std::string, missed>& schedules, const schedule_state& s) {
  if (!s.paused_by.empty() || s.notes.empty() || s.notes.back().fate != moment_fate::missed)
    return;
  auto& m = schedules[s.what.workflow];
  ++m.schedules;
  if (s.notes.back().moment < m.moment)
    std::tie(m.moment, m.name) = std::pair{s.notes.back().moment, s.what.name};
}

std::vector<std::string> beginning_to_fail(const cluster_facts& s, const condition_rules& rules,
                                           const signatures& open) {
  std::vector<std::string> names;
  for (const auto& w : s.workflows)
    if (open_of(open, failing, w.name) == nullptr && is_unusual(w.how, rules.failing, false))
      names.push_back(w.name);
  return names;
}

incident_signature most_common_failure(const std::vector<task>& failed, const std::vector<const definition*>& d) {
  std::vector<std::pair<incident_signature, std::size_t>> seen;
  for (std::size_t i = 0; i < failed.size() && i < d.size(); ++i) {
    const auto what = signature_of({failing, failed[i].cause, {}, {}}, &failed[i], d[i]);
    const auto known = std::find_if(seen.begin(), seen.end(), [&](const auto& x) { return x.first == what; });
    if (known == seen.end())
      seen.emplace_back(what, 1);
    else
      ++known->second;
  }
  const auto most =
    std::max_element(seen.begin(), seen.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == seen.end() ? incident_signature{} : most->first;
}

std::vector<system_condition> conditions(const cluster_facts& s, const condition_rules& rules, const signatures& open,
                                         const std::map<std::string, incident_signature>& failures) {
  std::vector<system_condition> all;
  for (const auto& n : s.nodes)
    add_node(all, n, rules, s.now);
  add_store(all, s.store, rules, open);
  add_disk(all, s.store, rules, open);
  for (const auto& w : s.workflows)
    add_workflow(all, w, rules, open, failures);
  for (const auto& [workflow, r] : s.suspended)
    add_resting(all, workflow, r);
  for (const auto& [workflow, m] : s.schedules)
    add_missed(all, workflow, m);
  return all;
}

} // namespace steadfast::workflow
