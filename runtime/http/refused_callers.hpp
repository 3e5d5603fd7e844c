#pragma once

#include "runtime/logging/log.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace steadfast::runtime {

/// Tells the log of requests whose caller is not known: of each address at most a line a minute, with how many there
/// were. For any thread.
class refused_callers {
public:
  using steady = std::chrono::steady_clock::time_point;

  explicit refused_callers(std::function<void(const log_entry&)> tell) : tell_{std::move(tell)} {}

  void add(const std::string& peer, const std::string& why, steady now);

  /// Tells what was not told yet, of addresses whose minute is over. To be called now and then.
  void tell_rest(steady now);

private:
  struct refusals {
    std::uint64_t untold = 0;
    std::string why; ///< of the last
    steady told_at;
  };

  void tell(const std::string& peer, refusals& r, steady now) const;

  const std::function<void(const log_entry&)> tell_;
  std::mutex mutex_;
  std::map<std::string, refusals> of_peers_;
};

} // namespace steadfast::runtime
