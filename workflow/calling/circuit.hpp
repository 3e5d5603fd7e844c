#pragma once

#include "workflow/time/time.hpp"

#include <cstdint>
#include <string_view>

// The room of calls: what an agent decides about the calls to its one service. A circuit stops them while the service
// fails, the rate and the queue say when the next one may begin, `next_try` says when to repeat one that failed, and
// the figures count what became of them. All of these are values; the calls are made in actors/agents/.

namespace steadfast::workflow {

/// When an agent stops calling a service that keeps failing (pattern "Circuit Breaker").
struct circuit_options {
  std::uint32_t failures = 5; ///< how many in a row open the circuit; 0: it never opens
  span open_for{5000};        ///< how long before a trial call is let through
  std::uint32_t trials = 1;   ///< successes in a row that close it again while half-open; at least 1

  friend bool operator==(const circuit_options&, const circuit_options&) = default;
};

enum class circuit_state : std::uint8_t { closed = 1, open = 2, half_open = 3 };
std::string_view to_string(circuit_state s); ///< "closed", "open", "half-open"

/// How a call counts. A refusal is an answer: the service is there.
enum class call_outcome : std::uint8_t { answered = 1, failed = 2, withdrawn = 3 };

/// The breaker of one service, as a value.
///
///     closed --failures in a row--> open --its time is up--> half-open --trials answered--> closed
///                                    ^                           |
///                                    +------- a trial fails -----+
///
/// While half-open it lets through one call at a time. A call counts only in the period in which it began, so a late
/// failure cannot open a circuit that was closed after the call began, and a late success cannot close one.
struct circuit {
  circuit_state state = circuit_state::closed;
  std::uint64_t period = 0;    ///< raised by each change of state
  std::uint32_t failures = 0;  ///< in a row, while closed
  std::uint32_t successes = 0; ///< in a row, while half-open
  bool trial_under_way = false;
  instant open_until; ///< while open

  friend bool operator==(const circuit&, const circuit&) = default;
};

/// The state at that time: an open circuit is half-open once its time is up.
circuit_state state_at(const circuit& c, instant now);

bool may_call(const circuit& c, instant now);

/// A call begins; it belongs to the returned circuit's period. REQUIRES: may_call(c, now).
circuit begun(circuit c, instant now);

/// A person decides: open until a person closes it, or closed with no failure counted. Calls under way no longer count.
circuit held_open(const circuit& c);
circuit closed_anew(const circuit& c);

/// A call that began in `period` is over.
circuit after(circuit c, const circuit_options& o, call_outcome outcome, std::uint64_t period, instant now);

} // namespace steadfast::workflow
