#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace steadfast::workflow {

/// Which of the nodes that have an agent gets an attempt: the one with the lowest load. Among equals chance decides,
/// so that an idle cluster has no hot spot. A load is the number of orders under way there, plus those that were
/// declined or never answered since the last answer: an agent that hangs gets less and less. Nothing: there is no
/// node.
std::optional<std::size_t> choose_place(const std::vector<std::uint64_t>& loads, std::uint64_t chance);

} // namespace steadfast::workflow
