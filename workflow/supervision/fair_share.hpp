#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/// How the places of a scheduler are shared among workflows, so that no backlog of one keeps the tasks of others
/// waiting.
namespace steadfast::workflow {

/// A workflow alone may have all places. When others wait too, the limit of each falls as places run out, until all
/// have the same share. One place in eight is kept for workflows that have few.
inline constexpr std::uint64_t places_per_newcomer = 8;

struct places {
  std::uint64_t max = 0;   ///< that one workflow may have
  std::uint64_t taken = 0; ///< by tasks of all workflows
};

/// Places that are left for a workflow that has none.
std::uint64_t room_in(const places& p);

/// What a workflow weighs. One that was given back because no agent takes it weighs as much as all that a free place
/// allows: so about as many tasks as there are free places are tried in vain, and no more.
std::uint64_t load_of(std::uint64_t in_flight, std::uint64_t given_back);

/// A workflow of that load may have one more place.
bool may_take(std::uint64_t load, const places& p);

/// Which of the workflows that have tasks waiting gets the next place: the one with the lowest load, the first of
/// equals. Nothing: none may take it.
std::optional<std::size_t> whose_turn(const std::vector<std::uint64_t>& loads, const places& p);

} // namespace steadfast::workflow
