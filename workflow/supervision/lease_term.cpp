#include "workflow/supervision/lease_term.hpp"

#include <algorithm>

namespace steadfast::workflow {

namespace {

/// An unanswered request is given up after this long; the answer may still come, and then its time decides.
span patience(const lease_terms& terms) {
  return terms.renew_every;
}

/// One that was refused asks again this soon: the wait comes on top of the ttl when a holder is lost.
span pause_of(const lease_terms& terms) {
  return std::min(terms.renew_every, terms.ttl / 10);
}

} // namespace

lease_step next_step(lease_campaign& c, const lease_terms& terms, instant now) {
  if (c.epoch != 0 && now >= c.hold_until) {
    const bool hung = terms.needs_progress && !c.progressed;
    c.epoch = 0;
    c.next_ask = now + (hung ? terms.ttl : terms.renew_every); // the others go first
    return lease_step::stop;
  }
  if (c.asked_at != unset || now < c.next_ask)
    return lease_step::none;
  if (c.epoch != 0 && terms.needs_progress && !c.progressed)
    return lease_step::none; // the guarded work hangs: let the lease run out
  c.asked_at = now;
  return c.epoch == 0 ? lease_step::acquire : lease_step::renew;
}

void on_granted(lease_campaign& c, const lease_terms& terms, std::uint64_t epoch, instant now) {
  const auto until = c.asked_at + terms.ttl - terms.margin;
  c.next_ask = c.asked_at + terms.renew_every;
  c.asked_at = unset;
  if (until <= now)
    return; // granted too late to be used
  c.epoch = epoch;
  c.hold_until = until;
  c.progressed = false;
}

bool on_refused(lease_campaign& c, const lease_terms& terms, instant now) {
  const bool held = c.epoch != 0;
  c.epoch = 0;
  c.asked_at = unset;
  c.next_ask = now + pause_of(terms);
  return held;
}

void on_unanswered(lease_campaign& c, const lease_terms& terms, instant now) {
  if (c.epoch == 0)
    on_refused(c, terms, now);
} // one that is held asks again when its patience is over

void on_silence(lease_campaign& c, const lease_terms& terms, instant now) {
  if (c.asked_at == unset || now < c.asked_at + patience(terms))
    return;
  c.asked_at = unset;
  c.next_ask = now;
}

instant end_of(instant expires_at, span ttl, const clock_reading& clock) {
  const auto given_at = expires_at - ttl;
  const bool is_of_this_clock = given_at >= clock.set_at && given_at <= clock.now;
  return expires_at == unset || is_of_this_clock ? expires_at : clock.set_at + ttl;
}

instant renewable_since(const write_times& w, instant last_end, instant now) {
  return w.again == never || w.waiting_since <= last_end ? now : std::max(w.opened, w.again);
}

bool has_ended(instant expires_at, span ttl, instant store_since, instant now) {
  const bool released = expires_at == unset;
  return released || now >= std::max(expires_at, store_since + ttl);
}

instant next_look(const lease_campaign& c, const lease_terms& terms) {
  instant at = c.epoch != 0 ? c.hold_until : never;
  if (c.asked_at != unset)
    return std::min(at, c.asked_at + patience(terms));
  const bool hangs = c.epoch != 0 && terms.needs_progress && !c.progressed;
  return hangs ? at : std::min(at, c.next_ask);
}

} // namespace steadfast::workflow
