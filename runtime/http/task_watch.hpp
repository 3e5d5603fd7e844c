#pragma once

#include "runtime/control/control_server.hpp"
#include "runtime/http/http_message.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace steadfast::runtime {

/// Looks at a task again and again until it has ended.
struct task_watch {
  std::shared_ptr<const control_methods> methods;
  std::function<void(std::function<void()>)> on_pool;
  std::function<void(std::chrono::milliseconds, std::function<void()>)> later;

  /// Replies with the result of `task.state` once the task has ended, or as it is at the limit. As a method, the answer
  /// may throw.
  void wait(const std::string& id, std::chrono::milliseconds limit, const control_reply& reply) const;

  /// The task as server-sent events: its state now, unless `seen` is its revision already, then at each change. The
  /// event's id is the revision, so a client that comes back gets what it has not seen. Ends with the task.
  std::shared_ptr<http_stream> follow(const std::string& id, std::uint64_t seen) const;
};

/// Whether a task in that state stays as it is by itself.
bool is_end(const std::string& process_state);

} // namespace steadfast::runtime
