#pragma once

#include "workflow/on_call/incident.hpp"
#include "workflow/task/task.hpp"
#include "workflow/time/time.hpp"
#include "workflow/transition/command.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The room of what goes out: which webhook is told what, in which words, what goes out next, and when again. All of
// these are values; store/verbs/decide_outward.hpp stores them, actors/supervising/webhook.cpp sends them.

namespace steadfast::workflow {

/// What a webhook can be told of. Not stored.
enum class outward_event : std::uint8_t {
  processed = 1, ///< ends of tasks
  undone = 2,
  error = 3,
  alert = 4,    ///< each alert
  incident = 5, ///< the beginning and the end of each incident: one message for all alerts with one cause
};
std::string_view to_string(outward_event e);
std::optional<outward_event> parse_outward_event(std::string_view text);
inline constexpr const char* outward_event_rule = "`processed`, `undone`, `error`, `alert` and `incident`";

/// Who wants to be told what.
struct subscription {
  std::string webhook; ///< its name
  std::vector<outward_event> events;
  std::vector<std::string> workflows; ///< empty: all, and also what is about none

  friend bool operator==(const subscription&, const subscription&) = default;
};
bool wants(const subscription& s, outward_event e, std::string_view workflow);

/// The observer as which a webhook's notifications wait in the store. No client can have that name: it has a space.
std::string observer_of_webhook(std::string_view name);
bool is_webhook(std::string_view observer);

/// What a webhook is sent. It is made once, with the change that it reports, so each delivery of it is the same.
struct notification {
  std::string id;   ///< unique across all stores: receivers recognise a repetition by it
  std::string body; ///< {"type": ..., "timestamp": ..., "data": {...}}
  instant at;
};

/// REQUIRES: the task has ended; `revision` is the stored revision with which it did.
notification end_told(const task& t, std::uint64_t revision);
outward_event end_of(process_state ended);

struct told_alert {
  std::uint64_t number = 0;
  std::uint64_t task_number = 0; ///< 0: it is about no task
  std::string_view task_id;
  std::uint64_t incident = 0; ///< that it joined
};
notification alert_told(const told_alert& which, const alert& what, const incident_signature& signature);

struct told_incident {
  std::uint64_t number = 0;
  std::uint32_t times = 1; ///< that it began
  bool is_over = false;
  instant at;
  std::uint64_t tasks = 0; ///< that it affects, or affected if it is over
  std::string_view sample_task;
  std::string_view sample_text;
};
notification incident_told(const told_incident& which, const incident_signature& what);

/// A notification to test whether a receiver can be reached.
notification test_told(std::string_view webhook, std::uint64_t number, instant now);

} // namespace steadfast::workflow
