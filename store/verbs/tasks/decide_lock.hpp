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

/// One write moves at most so many tasks from those that wait for their time to those that may be taken.
inline constexpr std::size_t promoted_max = 10'000;

/// Applies an event to the task of that number: the task as it is stored then, or nothing where the event was not
/// applied or the task is damaged.
using event_applier = std::function<std::optional<workflow::task>(std::uint64_t number, const workflow::event& e)>;

/// What is wrong with it, whatever is known; absent: nothing.
std::optional<decision> problem_of(const claim_tasks& w);
/// Takes tasks in the order of the waiting line; what is taken leaves `waiting`. REQUIRES: there is no problem_of it.
answer<claim_tasks> decide(const claim_tasks& w, const waiting_tasks& waiting, group_turns& turns,
                           const event_applier& apply);

/// What is done with events and families in the claim that takes the tasks, before it takes them and afterwards.
struct claim_wake {
  event_result before;
  std::map<std::uint64_t, workflow::task> after; ///< by number: as they are then
};
/// What is said of such a claim: of tasks that have changed since they were taken as they are now, and of those only
/// that the scheduler still has.
void follow(answer<claim_tasks>& said, const claim_tasks& w, claim_wake wake);

/// Of the tasks that the scheduler has locked, so many are asked for, in any order that stays.
std::size_t looked_at_max(const free_locks& w);
/// `locked`: their numbers; fewer than asked for: all.
answer<free_locks> decide(const free_locks& w, const std::vector<std::uint64_t>& locked, const event_applier& apply);

} // namespace steadfast::store
