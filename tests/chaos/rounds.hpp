#pragma once

#include "steadfast/client.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace chaos {

/// Who looks after the schedules when the faults are over.
class rounds {
public:
  explicit rounds(std::vector<std::string> sockets) : sockets_{std::move(sockets)} {}

  /// Waits, up to a minute each, until the schedule has made another task, and pauses it. Complaints, a sentence each.
  std::vector<std::string> end(const std::string& schedule);

private:
  std::optional<std::uint64_t> tasks_made(const std::string& schedule);
  bool pause(const std::string& schedule);
  steadfast::client& client();
  void leave(); ///< for the next node

  const std::vector<std::string> sockets_;
  std::size_t node_ = 0;
  std::optional<steadfast::client> client_;
};

} // namespace chaos
