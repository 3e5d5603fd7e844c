#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/// How the places of a scheduler are shared among workflows, so that a backlog of one workflow does not keep the tasks
/// of others waiting.
namespace steadfast::workflow {

/// A single workflow may have all places. When others wait too, the limit of each falls as places run out, until all
/// have the same share. One place in eight is kept for workflows that have few.
inline constexpr std::uint64_t places_per_newcomer = 8;

struct places {
  std::uint64_t max = 0;   ///< how many one workflow may have
  std::uint64_t taken = 0; ///< how many the tasks of all workflows have
};

/// How many places are left for a workflow that has none.
std::uint64_t room_in(const places& p);

/// The load of a workflow. A task that was given back because no agent takes it weighs as much as a free place allows:
/// so about as many tasks as there are free places are tried in vain, and no more.
std::uint64_t load_of(std::uint64_t in_flight, std::uint64_t given_back);

/// Whether a workflow with that load may have one more place.
bool may_take(std::uint64_t load, const places& p);

/// Which of the workflows with waiting tasks gets the next place: the one with the lowest load; among equals, the
/// first. Nothing: none of them may have it.
std::optional<std::size_t> whose_turn(const std::vector<std::uint64_t>& loads, const places& p);

} // namespace steadfast::workflow
