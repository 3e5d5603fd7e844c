#pragma once

#include "workflow/task/clock_reading.hpp"
#include "workflow/time/time.hpp"

#include <cstdint>

namespace steadfast::workflow {

/// How long a lease lasts and how its holder keeps it. All spans are counted on the holder's own clock, from before a
/// request was sent, so that the holder has stopped before the lease can belong to another (pattern "Leader Election").
struct lease_terms {
  span ttl{10'000};
  span renew_every{3000};
  span margin{2000};          ///< the guarded work stops this much before the end
  bool needs_progress = true; ///< no renewal unless the guarded work went round since the last one
};

/// A campaign for one lease, as a value: what is asked, held and due.
struct lease_campaign {
  std::uint64_t epoch = 0; ///< held under this epoch; 0: not held
  instant hold_until;      ///< while held: the guarded work stops here
  instant next_ask;        ///< when to acquire or renew next
  instant asked_at;        ///< when the request under way was sent; unset: none is
  bool progressed = false; ///< the guarded work went round since the last renewal
};

enum class lease_step : std::uint8_t { none, acquire, renew, stop };

/// What is due now. The campaign is changed as if it was carried out; with `none` it is as it was.
lease_step next_step(lease_campaign& c, const lease_terms& terms, instant now);

/// The store granted what was asked.
void on_granted(lease_campaign& c, const lease_terms& terms, std::uint64_t epoch, instant now);

/// The store refused: it belongs to another, or the renewal came too late. True if the guarded work must stop.
bool on_refused(lease_campaign& c, const lease_terms& terms, instant now);

/// It is known that no answer comes, which says nothing of the lease: one that is held stays so until its term is over.
void on_unanswered(lease_campaign& c, const lease_terms& terms, instant now);

/// The store did not answer; asking again does no harm.
void on_silence(lease_campaign& c, const lease_terms& terms, instant now);

/// When a lease that was given for `ttl` until `expires_at` ends by this clock. One that was given before the clock was
/// set, or at a moment that it has not reached, was given by another clock, and ends a whole ttl after this one was
/// set: its holder counts on a clock of its own, and has stopped by then (P20). unset: it was given back.
instant end_of(instant expires_at, span ttl, const clock_reading& clock);

/// Whether a lease of others has ended, so that what its holder had may be given to another. One that the holder could
/// not renew because the store was away is good for a whole ttl more from the store's return.
bool has_ended(instant expires_at, span ttl, instant store_since, instant now);

/// When a store took writes, as far as its leases depend on it.
struct write_times {
  instant opened;
  instant again;                 ///< when it took writes again; unset: it always did; never: it takes none now
  instant waiting_since = never; ///< when the oldest write began that is under way; never: none is
};
/// For has_ended, as store_since: since when leases can be renewed. `last_end`: of those that have ended, the last;
/// while a write is under way since before that, its renewal may be waiting behind it.
instant renewable_since(const write_times& w, instant last_end, instant now);

/// Of a store_since. If not, nobody is judged by his lease.
constexpr bool can_be_renewed(instant store_since, instant now) {
  return store_since < now;
}

/// When next_step should be looked at again.
instant next_look(const lease_campaign& c, const lease_terms& terms);

} // namespace steadfast::workflow
