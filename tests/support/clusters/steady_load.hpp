#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace steadfast::tests {

/// Clients that submit tasks of one workflow, one for each node, each task until it is acknowledged, whatever happens
/// to the node meanwhile. The ids are "<node>-0", "<node>-1" and so on.
class steady_load {
public:
  /// The nodes' sockets by their names.
  steady_load(const std::map<std::string, std::string>& sockets, std::string workflow, std::chrono::milliseconds pause);
  ~steady_load();
  steady_load(const steady_load&) = delete;
  steady_load& operator=(const steady_load&) = delete;

  int acknowledged(const std::string& node) const;
  /// How often a submission had no answer or was pushed back, and was made again.
  int repeated() const { return static_cast<int>(why_repeated().size()); }
  /// What was said each time.
  std::vector<std::string> why_repeated() const;
  /// Each client ends when what it has submitted is acknowledged. All ids that were.
  std::vector<std::string> stop();

private:
  void submit(const std::string& node, const std::string& socket);

  const std::string workflow_;
  const std::chrono::milliseconds pause_;
  std::atomic<bool> is_over_ = false;
  mutable std::mutex mutex_; ///< of the next two
  std::map<std::string, std::vector<std::string>> ids_;
  std::vector<std::string> why_repeated_;
  std::vector<std::jthread> threads_;
};

} // namespace steadfast::tests
