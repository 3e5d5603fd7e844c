#pragma once

#include "workflow/task/clock_reading.hpp"
#include "workflow/time/time.hpp"

#include <cstdint>

namespace steadfast::workflow {

/// How long a lease lasts, and how its holder keeps it. All spans are counted on the holder's own clock, from before
/// the request was sent, so that the holder has stopped before another can have the lease (pattern "Leader Election").
struct lease_terms {
  span ttl{10'000};
  span renew_every{3000};
  span margin{2000};          ///< the guarded work stops this much before the end
  bool needs_progress = true; ///< no renewal unless the guarded work reported progress since the last one
};

/// The attempt to get and keep one lease, as a value: what was asked, is held and is due.
struct lease_campaign {
  std::uint64_t epoch = 0; ///< held under this epoch; 0: not held
  instant hold_until;      ///< while held: the guarded work stops here
  instant next_ask;        ///< when to acquire or renew next
  instant asked_at;        ///< when the request under way was sent; unset: none is
  bool progressed = false; ///< the guarded work has reported progress since the last renewal
};

enum class lease_step : std::uint8_t { none, acquire, renew, stop };

/// What is due now. The campaign changes as if that was carried out; with `none` it is unchanged.
lease_step next_step(lease_campaign& c, const lease_terms& terms, instant now);

/// The store granted what was asked.
void on_granted(lease_campaign& c, const lease_terms& terms, std::uint64_t epoch, instant now);

/// The store refused: another holds the lease, or the renewal came too late. True: the guarded work must stop.
bool on_refused(lease_campaign& c, const lease_terms& terms, instant now);

/// It is known that no answer comes. That says nothing about the lease: one that is held stays so until its term ends.
void on_unanswered(lease_campaign& c, const lease_terms& terms, instant now);

/// The store did not answer; asking again does no harm.
void on_silence(lease_campaign& c, const lease_terms& terms, instant now);

/// When a lease that was given for `ttl` until `expires_at` ends by this clock. If it was given before this clock was
/// set, or at a moment that this clock has not reached, another clock gave it, and it ends a whole ttl after this clock
/// was set: its holder counts on its own clock, and has stopped by then (P20). unset: it was given back.
instant end_of(instant expires_at, span ttl, const clock_reading& clock);

/// Whether somebody else's lease has ended, so that another may get what its holder had. A lease that could not be
/// renewed because the store was away lasts a whole ttl more from the store's return.
bool has_ended(instant expires_at, span ttl, instant store_since, instant now);

/// When a store took writes, as far as that matters for its leases.
struct write_times {
  instant opened;
  instant again;                 ///< when it last took writes again; unset: it always did; never: it takes none now
  instant waiting_since = never; ///< when the oldest write under way began; never: none is under way
};
/// Since when leases can be renewed: the store_since of has_ended. `last_end`: the latest end among the leases that
/// have ended; if a write from before that is still under way, a renewal may be waiting behind it.
instant renewable_since(const write_times& w, instant last_end, instant now);

/// Whether leases can be renewed, given a store_since. If not, nobody is judged by a lease.
constexpr bool can_be_renewed(instant store_since, instant now) {
  return store_since < now;
}

/// When next_step should be called again.
instant next_look(const lease_campaign& c, const lease_terms& terms);

} // namespace steadfast::workflow
