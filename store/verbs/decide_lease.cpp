#include "store/verbs/decide_lease.hpp"

#include "workflow/supervision/lease_term.hpp"
#include "workflow/supervision/node_card.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::store {

namespace {

constexpr std::size_t lease_name_max = 255;

bool is_released(const lease_record& x) {
  return x.what.expires_at == workflow::unset;
}

bool is_free(const lease_record& x, const workflow::clock_reading& clock) {
  return is_released(x) || workflow::end_of(x.what.expires_at, x.ttl, clock) <= clock.now;
}

std::optional<decision> problem_of(workflow::span ttl) {
  if (ttl <= workflow::span::zero() || ttl > workflow::span_max)
    return turned_down(write_status::refused, "ttl must be above zero and at most ten years");
  return std::nullopt;
}

std::optional<decision> problem_of_note(const std::string& note) {
  if (note.size() > workflow::lease_note_max)
    return turned_down(write_status::refused,
                       "note must have at most " + std::to_string(workflow::lease_note_max) + " bytes");
  return std::nullopt;
}

bool is_held_by(const lease_record& x, const std::string& holder, std::uint64_t epoch) {
  return !is_released(x) && x.what.holder == holder && x.what.epoch == epoch;
}

/// Why one who says that he holds it does not; absent: he does.
template <class Write>
std::optional<decision> not_of_its_holder(const Write& w, const std::optional<lease_record>& there) {
  if (!there)
    return turned_down(write_status::absent, "there is no lease " + w.name);
  if (!is_held_by(*there, w.holder, w.epoch))
    return turned_down(write_status::stale_epoch, "the lease " + w.name + " is at epoch "
                                                    + std::to_string(there->what.epoch) + ", last held by "
                                                    + there->what.holder);
  return std::nullopt;
}

} // namespace

std::optional<decision> problem_of(const acquire_lease& w) {
  if (w.name.empty() || w.name.size() > lease_name_max)
    return turned_down(write_status::refused, "name must have 1 to 255 bytes");
  if (w.holder.empty() || w.holder.size() > lease_name_max)
    return turned_down(write_status::refused, "holder must have 1 to 255 bytes");
  if (auto wrong = problem_of_note(w.note))
    return wrong;
  return problem_of(w.ttl);
}

lease_record nobodys(const std::string& name, std::uint64_t epoch) {
  return {{name, {}, {}, epoch, workflow::unset}, {}};
}

raised_alert alert_of_damaged_lease(const acquire_lease& w, const std::string& damage) {
  const workflow::alert told{
    "set_aside", "the record of the lease " + w.name + " was damaged and is replaced: " + damage, {}, w.now.now};
  return {0, {}, told, workflow::signature_of(told, nullptr, nullptr)};
}

std::optional<std::string> living_older_node(const lease& x, workflow::knowledge needed, workflow::instant now) {
  return x.expires_at > now ? workflow::older_node(x.name, x.note, needed) : std::nullopt;
}

workflow::knowledge needed_of_nodes(workflow::knowledge of_workflows, bool has_schedules) {
  return has_schedules ? std::max(of_workflows, workflow::knowledge::schedules) : of_workflows;
}

decided<acquire_lease, lease_record> decide(const acquire_lease& w, lease_record there, workflow::knowledge needed) {
  if (workflow::older_node(w.name, w.note, needed))
    return {turned_down(write_status::refused,
                        "the store has schedules, or workflows with limits or with steps that wait, "
                        "end later or expect a result, which the node's release does not support")};
  if (!is_free(there, w.now) && there.what.holder != w.holder)
    return {turned_down(write_status::refused, "the lease is held by " + there.what.holder)};
  auto next = std::move(there);
  next.what.holder = w.holder;
  next.what.note = w.note;
  next.what.expires_at = w.now.now + w.ttl;
  next.ttl = w.ttl;
  ++next.what.epoch;
  return {{applied(), {next.what.epoch}}, std::move(next)};
}

decided<renew_lease, lease_record> decide(const renew_lease& w, std::optional<lease_record> there) {
  if (auto lost = not_of_its_holder(w, there))
    return {*std::move(lost)};
  if (auto wrong = problem_of(w.ttl))
    return {*std::move(wrong)};
  if (auto wrong = problem_of_note(w.note))
    return {*std::move(wrong)};
  if (!w.note.empty())
    there->what.note = w.note;
  there->what.expires_at = w.now.now + w.ttl;
  there->ttl = w.ttl;
  return {{applied(), {there->what.epoch}}, std::move(there)};
}

decided<release_lease, lease_record> decide(const release_lease& w, std::optional<lease_record> there) {
  if (auto lost = not_of_its_holder(w, there))
    return {*std::move(lost)};
  there->what.expires_at = workflow::unset;
  return {{applied(), {there->what.epoch}}, std::move(there)};
}

/// One that ended and was not taken by another comes to life again when its holder renews it; until then what it guards
/// rests, for others may be cleaning up after the holder.
std::optional<decision> not_held(const lease_guard& guard, const std::optional<lease_record>& there,
                                 const workflow::clock_reading& clock) {
  const auto epoch = std::to_string(guard.epoch);
  if (!there || there->what.epoch != guard.epoch || is_released(*there))
    return turned_down(write_status::stale_epoch, "the lease " + guard.name + " is not held with epoch " + epoch);
  if (clock.now != workflow::unset && is_free(*there, clock))
    return turned_down(write_status::stale_epoch, "the lease " + guard.name + ", epoch " + epoch + ", has ended");
  return std::nullopt;
}

std::optional<decision> still_held(const lease_guard& gone, const std::optional<lease_record>& there,
                                   const workflow::clock_reading& clock) {
  const bool has_ended = there && there->what.epoch == gone.epoch && is_free(*there, clock);
  if (!has_ended)
    return turned_down(write_status::stale_epoch, "the lease " + gone.name + " is held");
  return std::nullopt;
}

forgotten_leases leases_to_forget(std::vector<lease_record> all, lease_record highest,
                                  const workflow::clock_reading& clock,
                                  const std::function<bool(const std::string& name)>& has_locks) {
  forgotten_leases gone{{}, std::move(highest)};
  std::erase_if(all, [&](const lease_record& x) { return !is_free(x, clock); });
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.what.expires_at < b.what.expires_at; });
  auto too_many = all.size() - std::min(all.size(), ended_leases_max);
  for (auto& x : all) {
    if (too_many == 0)
      break;
    if (has_locks(x.what.name))
      continue;
    gone.names.push_back(x.what.name);
    if (x.what.epoch >= gone.highest.what.epoch)
      gone.highest = std::move(x);
    --too_many;
  }
  return gone;
}

} // namespace steadfast::store
