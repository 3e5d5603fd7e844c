#pragma once

#include "store/records/stored.hpp"
#include "store/verbs/decide.hpp"
#include "store/verbs/decide_note.hpp"

#include "workflow/task/clock_reading.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

// Leases. One that ended long ago may be forgotten, its epoch not: epochs only grow.

namespace steadfast::store {

/// What is wrong with it, whatever is known; absent: nothing.
std::optional<decision> problem_of(const acquire_lease& w);

/// Nobody's, under a name that is not known. `epoch`: the highest that it may have had.
lease_record nobodys(const std::string& name, std::uint64_t epoch);
/// Its record cannot be read, and one of nobody takes its place.
raised_alert alert_of_damaged_lease(const acquire_lease& w, const std::string& damage);

/// `there`: its record, or nobodys. `needed`: for the workflows and schedules that are stored. A node that does not
/// support them gets no lease, and while such a node has one, none of them is stored. Asked for where a node may be
/// older. REQUIRES: there is no problem_of it.
decided<acquire_lease, lease_record> decide(const acquire_lease& w, lease_record there,
                                            workflow::knowledge needed = workflow::knowledge::none);
/// `there`: absent: it is not known.
decided<renew_lease, lease_record> decide(const renew_lease& w, std::optional<lease_record> there);
decided<release_lease, lease_record> decide(const release_lease& w, std::optional<lease_record> there);

/// Why what the guard demands is not so; absent: it is. `there`: the record of its lease.
std::optional<decision> not_held(const lease_guard& guard, const std::optional<lease_record>& there,
                                 const workflow::clock_reading& clock);
/// Why the locks of a scheduler whose lease that was are not freed: it is at another epoch, or not over; absent: they
/// may be.
std::optional<decision> still_held(const lease_guard& gone, const std::optional<lease_record>& there,
                                   const workflow::clock_reading& clock);

inline constexpr std::size_t ended_leases_max = 256; ///< kept for people to look at

struct forgotten_leases {
  std::vector<std::string> names;
  lease_record highest; ///< whose epoch is to be remembered; its name may be empty
};
/// Nodes come under passing names. Those that ended first go first; one under which tasks are locked stays, for by it
/// they are freed. `highest`: what was remembered so far.
forgotten_leases leases_to_forget(std::vector<lease_record> all, lease_record highest,
                                  const workflow::clock_reading& clock,
                                  const std::function<bool(const std::string& name)>& has_locks);

} // namespace steadfast::store
