#include "store/verbs/decide_outward.hpp"

namespace steadfast::store {

namespace {

// Above every number of a task.
constexpr std::uint64_t alert_lanes = 1ULL << 62U;
constexpr std::uint64_t incident_lanes = 1ULL << 63U;

constexpr std::uint64_t places_of_change = alerts_in_lane + 1;

std::uint32_t sequence_of(std::uint64_t revision, std::uint64_t index) {
  return static_cast<std::uint32_t>(revision * places_of_change + index);
}

} // namespace

workflow::delivery_place place_of_alert(std::uint64_t alert) {
  return {alert_lanes | alert, 1};
}

workflow::delivery_place place_of_alert(std::uint64_t alert, std::uint64_t task_number, std::uint64_t revision,
                                        std::size_t index) {
  if (index >= alerts_in_lane)
    return place_of_alert(alert);
  return {task_number, sequence_of(revision, index)};
}

workflow::delivery_place place_of_end(std::uint64_t task_number, std::uint64_t revision) {
  return {task_number, sequence_of(revision, alerts_in_lane)};
}

workflow::delivery_place place_of(const incident_turn& x) {
  return {incident_lanes | x.what.number, 2 * x.what.times + (x.is_over ? 1U : 0U)};
}

workflow::notification told_of(const incident_turn& x) {
  const auto& i = x.what;
  workflow::told_incident which;
  which.number = i.number;
  which.times = i.times;
  which.is_over = x.is_over;
  which.at = x.is_over ? i.closed_at : i.last_at;
  which.tasks = x.is_over ? i.tasks_ever : i.tasks;
  which.sample_task = i.sample_task;
  which.sample_text = i.sample_text;
  return workflow::incident_told(which, i.what);
}

workflow::notice notice_of(const workflow::notification& n, std::uint32_t sequence) {
  return {sequence, workflow::notice_kind::outward, n.id, n.body, n.at};
}

} // namespace steadfast::store
