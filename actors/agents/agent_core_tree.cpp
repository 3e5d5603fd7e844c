#include "actors/agents/agent_core.hpp"
#include "actors/common/state_tree.hpp"

#include <string_view>

namespace steadfast::actors {

state_tree agent_core::tree(std::size_t listed_max, workflow::instant now) const {
  static constexpr std::string_view names[] = {"queued", "calling", "stopping", "giving up", "waiting"};
  const auto attempt = [now](const auto& entry) -> state_tree {
    const auto& a = entry.second;
    return {{"task", a.order.task_id},
            {"step", a.order.step_name},
            {"action", std::string{workflow::to_string(a.order.action)}},
            {"attempt", a.order.attempt},
            {"epoch", a.order.epoch},
            {"phase", names[static_cast<std::size_t>(a.in)]},
            {"call", a.tries},
            {"call_began_at", a.began_at},
            {"call_took_ms", a.tries == 0 ? 0 : (now - a.began_at).count()},
            {"complete_by", a.order.complete_by},
            {"last_failure", a.why}};
  };
  return {{"failures_in_a_row", circuit_.failures},
          {"queue_max", options_.queue},
          {"rate_per_second", options_.rate_per_second},
          {"next_call_allowed_at", rate_allows_at_},
          {"usual_call_us", usual_duration_us_},
          {"input_bytes", inputs_size_},
          {"attempts", listed(attempts_, listed_max, attempt)}};
}

} // namespace steadfast::actors
