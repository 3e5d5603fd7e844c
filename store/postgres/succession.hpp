#pragma once

#include "store/postgres/ownership.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace steadfast::store::postgres {

/// When a partition may be taken from its holder: he let it go, or has shown no sign of life, which is another epoch or
/// commit number, for as long as his lease, by the observer's own clock. So no two clocks are compared, and an owner
/// who is only slow loses time and nothing else: the fence keeps him from writing. (Gray and Cheriton, "Leases", 1989.)
class succession {
public:
  explicit succession(std::chrono::milliseconds lease) : lease_{lease} {}

  /// What was seen now. True: it may be taken. Who lets others first waits until each of them has looked again.
  bool may_take(const shown_partition& seen, std::chrono::steady_clock::time_point now, bool lets_others_first = false);

private:
  std::chrono::milliseconds lease_;
  std::optional<shown_partition> last_;
  std::chrono::steady_clock::time_point since_; ///< when it was first seen as it is
};

/// How often those who wait look: soon after the lease is over they notice it.
inline std::chrono::milliseconds between_looks(std::chrono::milliseconds lease) {
  return lease / 10;
}

/// How often an owner shows that he lives.
inline std::chrono::milliseconds sign_of_life_every(std::chrono::milliseconds lease) {
  return lease / 3;
}

} // namespace steadfast::store::postgres
