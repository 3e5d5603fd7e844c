#include "apps/bench/scenario.hpp"

#include <algorithm>

namespace steadfast::bench {
namespace {

using nlohmann::json;

part_setup node_of(const scenario& s, const std::filesystem::path& folder) {
  part_setup p;
  p.folder = folder.string();
  p.load = s.load;
  p.in_flight_max = std::max(p.in_flight_max, s.plan.in_flight);
  return p;
}

/// Acknowledged and not in the store any more: there must be none.
std::int64_t lost(const json& measured, const json& after) {
  std::int64_t there = 0;
  for (const auto& [state, count] : after.at("tasks").items())
    there += count.get<std::int64_t>();
  return std::max<std::int64_t>(measured.at("acknowledged").get<std::int64_t>() - there, 0);
}

} // namespace

json measure(const scenario& s, const std::filesystem::path& folder) {
  part node{node_of(s, folder)};
  auto measured = node.call("drive", s.plan);
  const auto after = node.call("figures");
  measured["name"] = s.name;
  measured["lost"] = lost(measured, after);
  measured["tasks"] = after.at("tasks");
  measured["store_bytes"] = after.at("store_bytes");
  return measured;
}

} // namespace steadfast::bench
