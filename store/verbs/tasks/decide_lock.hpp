#pragma once

#include "store/verbs/decide.hpp"
#include "store/verbs/tasks/waiting_line.hpp"
#include "workflow/transition/event.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

// Schedulers take tasks, and lose them again.

namespace steadfast::store {

/// The most tasks that one write moves from those whose time has not come to those that may be taken.
inline constexpr std::size_t promoted_max = 10'000;

/// Applies an event to the task with that number. Returns the task as it is stored then, or nothing if the event was
/// not applied or the task is damaged.
using event_applier = std::function<std::optional<workflow::task>(std::uint64_t number, const workflow::event& e)>;

/// What is wrong with the write by itself, whatever is stored; absent: nothing.
std::optional<decision> problem_of(const claim_tasks& w);
/// Takes tasks in the order of the waiting line; a taken task leaves `waiting`. REQUIRES: there is no problem_of it.
answer<claim_tasks> decide(const claim_tasks& w, const waiting_tasks& waiting, group_turns& turns,
                           const event_applier& apply);

/// What a claim does for events and families, before it takes its tasks and afterwards.
struct claim_wake {
  event_result before;
  std::map<std::uint64_t, workflow::task> after; ///< by number: the tasks that changed afterwards, as they are then
};
/// The answer to such a claim: tasks that have changed since they were taken are returned as they are now, and only
/// those that the scheduler still has.
void follow(answer<claim_tasks>& said, const claim_tasks& w, claim_wake wake);

/// How many of the tasks that the scheduler has locked must be read, in any stable order.
std::size_t looked_at_max(const free_locks& w);
/// `locked`: their numbers; fewer than looked_at_max: all there are.
answer<free_locks> decide(const free_locks& w, const std::vector<std::uint64_t>& locked, const event_applier& apply);

} // namespace steadfast::store
