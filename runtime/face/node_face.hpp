#pragma once

#include "client/client_calls.hpp"
#include "runtime/control/control_server.hpp"
#include "runtime/node/node_inside.hpp"
#include "steadfast/actors.hpp"
#include "steadfast/node.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

namespace steadfast {

/// The inside of a user's node: the node itself, and what its users need in addition.
class node::implementation {
public:
  explicit implementation(node_options options);
  ~implementation();
  implementation(const implementation&) = delete;
  implementation& operator=(const implementation&) = delete;

  void start();
  std::vector<std::string> stop(std::optional<workflow::span> function_limit = std::nullopt);

  /// Throws node_error unless it runs.
  const task_gateway& gateway() const;
  nlohmann::json call(const std::string& method, const nlohmann::json& params);
  ask_node asker() {
    return [this](const std::string& method, const nlohmann::json& params) { return call(method, params); };
  }

  node_inside inside() const { return node_inside{inner}; }

  assembled_node inner;

private:
  log_options log_;
  task_gateway gateway_;
  control_methods methods_;
  std::atomic<bool> runs_ = false;
  std::shared_mutex calls_; ///< shared by calls under way, alone for stop()
};

class node_access {
public:
  static node::implementation& of(node& n) { return *n.impl_; }
};

} // namespace steadfast
