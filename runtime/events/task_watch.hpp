#pragma once

#include "runtime/control/control_server.hpp"
#include "runtime/events/change_hub.hpp"
#include "runtime/events/live_stream.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace steadfast::runtime {

/// What watching tasks needs.
struct watch_parts {
  std::shared_ptr<const control_methods> methods;
  std::shared_ptr<change_hub> hub;
  std::function<void(std::function<void()>)> on_pool; ///< runs it on a thread that may be blocked
  /// Runs it once that time has passed.
  std::function<void(std::chrono::milliseconds, std::function<void()>)> later;
};

/// Looks at one task whenever it has changed.
struct task_watch {
  watch_parts parts;

  /// Replies with the result of `task.state` once the task has ended, or as it is at the limit. As a method, the answer
  /// may throw.
  void wait(const std::string& id, std::chrono::milliseconds limit, const control_reply& reply) const;

  /// The task as server-sent events: its state now, unless `seen` is its revision already, then at each change. The
  /// event's id is the revision, so a client that comes back gets what it has not seen. Ends with the task.
  std::shared_ptr<live_stream> follow(const std::string& id, std::uint64_t number, std::uint64_t seen) const;
};

/// Whether a task in that state stays as it is by itself.
bool is_end(const std::string& process_state);

} // namespace steadfast::runtime
