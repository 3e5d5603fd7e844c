#pragma once

#include "actors/common/figures.hpp"
#include "actors/protocol/report_kind.hpp"
#include "workflow/step/attempt_record.hpp"
#include "workflow/time/time.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace steadfast::actors {

/// What an agent has done since it began.
struct agent_figures {
  std::array<counter, 4> taken;    ///< orders, by workflow::attempt_action
  std::array<counter, 8> reported; ///< attempts, by report_kind
  counter silenced;                ///< attempts whose time was over before there was anything to report
  counter repeated;                ///< orders for a step that had an attempt before
  counter retries;                 ///< calls of an attempt after its first
  histogram waits{call_times};     ///< in microseconds, like the others: from an order to its first call
  histogram calls{call_times};
  histogram attempts{call_times}; ///< from an order to its report

  counter& taken_for(workflow::attempt_action a) { return taken.at(static_cast<std::size_t>(a)); }
  counter& reported_as(report_kind k) { return reported.at(static_cast<std::size_t>(k)); }
};

inline std::int64_t in_microseconds(workflow::span s) {
  return std::chrono::microseconds{s}.count();
}

} // namespace steadfast::actors
