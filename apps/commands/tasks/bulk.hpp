#pragma once

#include "apps/command_line/node_access.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>

namespace steadfast::apps {

/// How a bulk act is followed to its end.
struct bulk_follow {
  bool json = false;
  bool stops = false; ///< Ctrl-C asks the node to stop it; false: it only ends the display
};

/// Shows its progress until it is over. The exit code says whether all tasks took it.
int follow_bulk(client& node, std::uint64_t number, const bulk_follow& how);

/// The answer of `bulk.start` with `dry_run`.
void print_plan(std::ostream& to, const nlohmann::json& plan);

} // namespace steadfast::apps
