#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>

namespace steadfast::bench {

/// Many submissions at the HTTP port of a node of this host, at a fixed rate, whatever becomes of those before.
struct flood_plan {
  std::uint16_t http_port = 0;
  double rate = 100'000; ///< submissions a second
  std::uint32_t batch = 100;
  std::uint32_t connections = 64;
  double seconds = 10;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(flood_plan, http_port, rate, batch, connections, seconds)

/// {"offered", "acknowledged", "pushed_back", "without_retry_after", "unanswered": submissions, "seconds", "live_ms":
/// how long /health/live took meanwhile}
nlohmann::json flood(const flood_plan& plan);

/// As many clients, each of which follows a task of its own, while a bulk act after the other changes all of them.
struct follow_plan {
  std::uint16_t http_port = 0;
  std::uint32_t streams = 2000;
  std::uint32_t rounds = 10; ///< bulk acts
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(follow_plan, http_port, streams, rounds)

/// {"events", "missed", "repeated": or out of order, "events_per_second", "arrived_ms": since they were committed}
nlohmann::json follow(const follow_plan& plan);

/// As many clients, each of which follows all tasks, while a bulk act after the other changes all of them.
struct follow_all_plan {
  std::uint16_t http_port = 0;
  std::uint32_t streams = 100;
  std::uint32_t tasks = 1000;
  std::uint32_t rounds = 10; ///< bulk acts
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(follow_all_plan, http_port, streams, tasks, rounds)

/// The same; the events are those of all streams together.
nlohmann::json follow_all(const follow_all_plan& plan);

} // namespace steadfast::bench
