#pragma once

#include "store/records/stored.hpp"
#include "store/verbs/decide.hpp"
#include "store/verbs/decide_note.hpp"

#include "workflow/task/clock_reading.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

// Leases. A lease that ended long ago may be forgotten, but its epoch may not: epochs only grow.

namespace steadfast::store {

/// What is wrong with the write by itself, whatever is stored; absent: nothing.
std::optional<decision> problem_of(const acquire_lease& w);

/// A lease that nobody holds, under a name that is not stored. `epoch`: the highest one that it may have had.
lease_record nobodys(const std::string& name, std::uint64_t epoch);
/// The record of the lease cannot be read; a lease that nobody holds takes its place.
raised_alert alert_of_damaged_lease(const acquire_lease& w, const std::string& damage);

/// The node whose lease it is, if it lives and its release does not support what is needed.
std::optional<std::string> living_older_node(const lease& x, workflow::knowledge needed, workflow::instant now);

/// What a node must know for all that is stored. `of_workflows`: for the workflows alone.
workflow::knowledge needed_of_nodes(workflow::knowledge of_workflows, bool has_schedules);

/// `there`: its record, or nobodys. `needed`: what a node must know for the stored workflows and schedules; looked up
/// only where a node may be older. A node that does not know it gets no lease, and while such a node has one, nothing
/// that needs it is stored. REQUIRES: there is no problem_of it.
decided<acquire_lease, lease_record> decide(const acquire_lease& w, lease_record there,
                                            workflow::knowledge needed = workflow::knowledge::none);
/// `there`: absent: no such lease is stored.
decided<renew_lease, lease_record> decide(const renew_lease& w, std::optional<lease_record> there);
decided<release_lease, lease_record> decide(const release_lease& w, std::optional<lease_record> there);

/// Why the condition of the guard is not met; absent: it is. `there`: the record of its lease.
std::optional<decision> not_held(const lease_guard& guard, const std::optional<lease_record>& there,
                                 const workflow::clock_reading& clock);
/// Why the locks of a scheduler that held the lease are not freed: the lease has another epoch, or has not ended.
/// Absent: they may be freed.
std::optional<decision> still_held(const lease_guard& gone, const std::optional<lease_record>& there,
                                   const workflow::clock_reading& clock);

inline constexpr std::size_t ended_leases_max = 256; ///< kept for people to look at

struct forgotten_leases {
  std::vector<std::string> names;
  lease_record highest; ///< its epoch is to be remembered; its name may be empty
};
/// Nodes come and go under ever new names. The leases that ended first are forgotten first; one under whose name tasks
/// are locked stays, for it is needed to free them. `highest`: what has been remembered so far.
forgotten_leases leases_to_forget(std::vector<lease_record> all, lease_record highest,
                                  const workflow::clock_reading& clock,
                                  const std::function<bool(const std::string& name)>& has_locks);

} // namespace steadfast::store
