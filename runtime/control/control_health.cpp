// How the cluster is, in one sentence.

#include "api/names.hpp"
#include "runtime/control/control_context.hpp"
#include "runtime/text/health.hpp"

namespace steadfast {

namespace {

using nlohmann::json;

constexpr std::uint64_t incidents_looked_at = 200;

json stuck_report_of(const control_context& c, std::chrono::milliseconds max_age) {
  const auto now = std::chrono::steady_clock::now();
  auto& kept = c.stuck_report;
  const std::lock_guard lock{kept.mutex};
  if (kept.found.is_null() || now - kept.at > max_age) {
    const auto none = json::object();
    kept.found = list_stuck(c, api::arguments{api::method_of(api::task_stuck), none});
    kept.at = now;
  }
  return kept.found;
}

} // namespace

/// While the store cannot be asked, that is the health.
json show_health(const control_context& c, const api::arguments& params) {
  const auto none = json::object();
  runtime::health h;
  const auto listed = list_nodes(c, api::arguments{api::method_of(api::node_list), none});
  h.nodes = listed.at("nodes");
  h.store_trouble = listed.at("store_trouble");
  try {
    const json most{{"max", incidents_looked_at}};
    const auto page = list_incidents(c, api::arguments{api::method_of(api::incident_list), most});
    h.incidents = page.at("incidents");
    h.more_incidents = !page.at("next").is_null();
    h.stuck_report = stuck_report_of(c, std::chrono::milliseconds{params.number<std::uint32_t>("max_age_ms")});
  } catch (const api::error& e) {
    if (e.number() != api::error::busy && e.number() != api::error::timed_out)
      throw;
    if (h.store_trouble.is_null())
      h.store_trouble = e.what();
  }
  const auto now = c.clock().now;
  runtime::sort_incidents(h.incidents, now);
  const auto still =
    h.stuck_report.is_null() ? json{{"stuck", json::array()}, {"waits", json::array()}} : h.stuck_report;
  return {{"well", is_well(h, now)},
          {"sentence", health_sentence(h, now)},
          {"incidents", h.incidents},
          {"more_incidents", h.more_incidents},
          {"nodes", h.nodes},
          {"store_trouble", h.store_trouble},
          {"stuck", still.at("stuck")},
          {"waits", still.at("waits")},
          {"scheduler_trouble", still.value("scheduler_trouble", json{})}};
}

} // namespace steadfast
