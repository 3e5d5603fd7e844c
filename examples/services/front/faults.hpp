#pragma once

#include "examples/services/requests/call.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace services {

/// The faults of the service. Shares are probabilities from 0 to 1, drawn for each request.
struct fault_switches {
  double transient = 0;   ///< 503 before anything took place
  double error_after = 0; ///< it took place, and 500 is answered
  double hang_before = 0; ///< held for hang_seconds, then carried out
  double hang_after = 0;  ///< carried out, then held for hang_seconds
  double late = 0;        ///< carried out, and answered after late_min_ms to late_max_ms
  double twice = 0;       ///< carried out a second time, as if the request had arrived twice
  double lose = 0;        ///< the connection is closed at once, and it is carried out later
  double refuse = 0;      ///< 422 for good; drawn once for each key
  double later = 0;       ///< of those with a token: carried out, answered 202, and the token written down
  double hang_seconds = 30;
  bool hang_then_close =
    false; ///< a held request ends with a closed connection and no answer; held before, nothing takes place
  double late_min_ms = 100;
  double late_max_ms = 1000;
  double retry_after_seconds = 0; ///< above 0: sent as Retry-After with 503
  bool on_do = true;              ///< drawn for requests to do
  bool on_undo = true;
  bool on_probe = true;
  bool dedup = true; ///< false: the service ignores the key, and each request takes place again
};

/// One switch by its name, for the command line and /faults.
struct switch_entry {
  std::string_view name; ///< "hang_seconds"
  std::string_view meaning;
  double fault_switches::*number = nullptr; ///< this or
  bool fault_switches::*flag = nullptr;     ///< this
  double most = 1;                          ///< bound of a number; the least is 0
};
const std::vector<switch_entry>& switch_entries();

json to_json(const fault_switches& f);

/// Changes the switches named in `changes`, all or none. Returns what is wrong; empty: nothing.
std::string change(fault_switches& f, const json& changes);

/// What happens to one request.
struct fate {
  bool transient = false;
  bool error_after = false;
  bool hang_before = false;
  bool hang_after = false;
  bool late = false;
  bool twice = false;
  bool lose = false;
  bool refuse = false;
  bool later = false;
  double late_ms = 0; ///< for when it is late
  double lost_ms = 0; ///< for when its connection is lost: until it is carried out, half a second too late at most

  friend bool operator==(const fate&, const fate&) = default;
};

/// Reads a forced fate, as in {"fault": "transient:2"}: the name of a fault, with a number only for the first so many
/// requests of the key, or a list of such texts. Unknown names are ignored.
fate forced_fate(const json& wish, std::uint64_t occurrence);

/// The switches and the draws. Safe for many threads.
class fault_box {
public:
  fault_box(fault_switches f, std::uint64_t seed) : switches_{f}, seed_{seed} {}

  fault_switches switches() const;
  std::string change_switches(const json& changes);

  /// How often this action was requested under this key before.
  std::uint64_t count_occurrence(const call& c);

  /// Depends only on seed, key, action, attempt, try and occurrence: in whatever order requests arrive, the same seed
  /// gives the same fates.
  fate draw(const call& c, std::uint64_t occurrence) const;

private:
  mutable std::mutex mutex_;
  fault_switches switches_;
  const std::uint64_t seed_;
  std::map<std::uint64_t, std::uint32_t> occurrences_;
};

} // namespace services
