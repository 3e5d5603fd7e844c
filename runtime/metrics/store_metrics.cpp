#include "runtime/assembly/assembly.hpp"
#include "runtime/metrics/told.hpp"
#include "workflow/supervision/node_card.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

namespace steadfast {

namespace {

double seconds(workflow::span s) {
  return std::chrono::duration<double>{s}.count();
}

/// 0 when it is over.
double seconds_until(workflow::instant end, workflow::instant now) {
  return seconds(std::max(end - now, workflow::span{0}));
}

double number(std::uint64_t n) {
  return static_cast<double>(n);
}

void write_stats(page_writer& page, const store::store_stats& s) {
  for (const auto& [state, count] : s.tasks)
    page.add("steadfast_tasks", number(count), {std::string{workflow::to_string(state)}});
  page.add("steadfast_tasks_purged_total", number(s.tasks_purged));
  page.add("steadfast_claimable_tasks", number(s.claimable));
  for (const auto& [name, how] : s.endings) {
    const auto of_late = workflow::failed_of_last(how, workflow::endings_looked_at);
    page.add_largest("steadfast_failed_ratio", of_late.ended == 0 ? 0 : double{1} * of_late.failed / of_late.ended,
                     {name});
  }
  page.add("steadfast_store_max_bytes", number(s.bytes_max - std::min(s.bytes_max, s.bytes_reserve)));
  page.add("steadfast_disk_free_bytes", number(s.disk_free));
  page.add("steadfast_disk_size_bytes", number(s.disk_size));
}

/// Nothing while some of them are still to be counted: a part of them would look like all.
void write_unfinished(page_writer& page, const std::vector<actors::boxed<store::store_stats>>& of_own) {
  if (std::any_of(of_own.begin(), of_own.end(), [](const auto& p) { return !p->unfinished; }))
    return;
  for (const auto& p : of_own)
    for (const auto& [name, by_state] : *p->unfinished)
      for (const auto& [state, n] : by_state)
        page.add("steadfast_unfinished_tasks", number(n), {name, std::string{workflow::to_string(state)}});
}

/// Partitions share the room equally, and the one that is full takes no new work though others have room: as if all
/// were as full as the fullest.
double used_bytes(const store::store_stats& whole,
                  const std::vector<actors::boxed<store::store_stats>>& of_partitions) {
  auto used = number(whole.bytes_used);
  for (const auto& p : of_partitions)
    used = std::max(used, number(p->bytes_used) * number(of_partitions.size()));
  return used;
}

void write_leases(page_writer& page, const actors::lease_page& leases) {
  for (const auto* state : {"alive", "drained", "silent", "stopped"})
    page.add("steadfast_nodes", 0, {state});
  std::optional<double> supervised_for; ///< where that ends first
  for (const auto& lease : leases.leases) {
    const auto left = seconds_until(lease->expires_at, leases.now);
    if (workflow::is_supervisor_lease(lease->name))
      supervised_for = std::min(supervised_for.value_or(left), left);
    const auto card = workflow::card_of(lease->name, lease->note);
    if (!card)
      continue;
    const bool was_given_back = lease->expires_at == workflow::unset;
    const auto* state = was_given_back ? "stopped" : left <= 0 ? "silent" : card->drained ? "drained" : "alive";
    page.add("steadfast_nodes", 1, {state});
    if (!was_given_back)
      page.add("steadfast_node_lease_left_seconds", left, {card->name});
  }
  page.add("steadfast_supervisor_lease_left_seconds", supervised_for.value_or(0));
}

/// Since the clock that decides when tasks may be taken is that of the leases.
void write_oldest(page_writer& page, const store::store_stats& s, workflow::instant now) {
  page.add("steadfast_oldest_claimable_seconds", s.ready_since < now ? seconds(now - s.ready_since) : 0);
}

void write_incidents(page_writer& page, const store::incident_page& incidents, workflow::instant now) {
  for (const auto& x : incidents.incidents) {
    const bool is_muted = x.muted_until != workflow::unset && now < x.muted_until;
    page.add("steadfast_incidents", 1, {x.what.kind});
    page.add("steadfast_alerts", is_muted ? 0 : number(x.alerts), {x.what.kind});
  }
}

} // namespace

void write_store_metrics(page_writer& page, const told_by_parts& told) {
  write_unfinished(page, told.of_own);
  if (!told.has_store)
    return;
  if (told.stats) {
    write_stats(page, **told.stats);
    page.add("steadfast_store_used_bytes", used_bytes(**told.stats, told.of_partitions));
  }
  if (told.leases)
    write_leases(page, *told.leases);
  if (told.stats && told.leases)
    write_oldest(page, **told.stats, told.leases->now);
  if (told.incidents)
    write_incidents(page, **told.incidents, told.leases ? told.leases->now : workflow::unset);
  if (!told.stats || !told.leases || !told.incidents)
    page.add_largest("steadfast_silent_parts", 1, {"reader"});
}

} // namespace steadfast
