#pragma once

#include "store/postgres/ownership.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace steadfast::store::postgres {

/// When a partition may be taken: its holder let it go, or has shown no sign of life (a new epoch or commit number) for
/// as long as its lease, by the observer's own clock. So no two clocks are compared, and an owner who is merely slow
/// loses nothing but time: the fence keeps it from writing. (Gray and Cheriton, "Leases", 1989.)
class succession {
public:
  explicit succession(std::chrono::milliseconds lease) : lease_{lease} {}

  /// `seen`: what was seen now. True: the partition may be taken. With `lets_others_first`, each of them looks first.
  bool may_take(const shown_partition& seen, std::chrono::steady_clock::time_point now, bool lets_others_first = false);

private:
  std::chrono::milliseconds lease_;
  std::optional<shown_partition> last_;
  std::chrono::steady_clock::time_point since_; ///< when it was first seen as it is
};

/// How often those who wait look: often enough to notice soon that the lease is over.
inline std::chrono::milliseconds between_looks(std::chrono::milliseconds lease) {
  return lease / 10;
}

/// How often an owner shows that he lives.
inline std::chrono::milliseconds sign_of_life_every(std::chrono::milliseconds lease) {
  return lease / 3;
}

} // namespace steadfast::store::postgres
