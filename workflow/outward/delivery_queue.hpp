#pragma once

#include "workflow/definition/retry.hpp"
#include "workflow/outward/notification.hpp"
#include "workflow/time/time.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace steadfast::workflow {

struct delivery_options {
  retry_policy retry{0, span{1000}, 200, span{300'000}, 20}; ///< waits; `attempts` is not used
  std::uint32_t at_once = 4;                                 ///< how many deliveries may be under way
  span give_up_after = std::chrono::hours{72};               ///< counted from what the notification reports
  std::uint32_t window = 256;                                ///< notifications in memory; the others stay in the store
};

/// The place of a waiting notification. Those of one lane, that is of one task or one incident, go out one after the
/// other, in their order.
struct delivery_place {
  std::uint64_t lane = 0;
  std::uint32_t sequence = 0;

  friend auto operator<=>(const delivery_place&, const delivery_place&) = default;
};

/// The notifications that are being delivered to one receiver: which goes out next, and what becomes of it. They wait
/// in the store, which has had them since the commit that they report: a transactional outbox.
///
///     waiting --next()--> under way --delivered--> settled --forget()--> gone
///        ^                    |     --given up-->     |
///        +----- failed -------+                       +-- the store did not take it: settle again
///
/// A failure delays its own lane, longer each time. After `away_after` failures in a row the receiver itself counts as
/// away: then one notification at a time is tried, with growing waits, until one is delivered; after that, all go out
/// at once. A receiver that asks for a wait is left alone for that long.
class delivery_queue {
public:
  static constexpr std::uint32_t away_after = 3;

  struct entry {
    notification what;
    std::uint32_t tries = 0;
    instant retry_at{}; ///< unset: at once
    bool is_under_way = false;
    bool is_settled = false; ///< nothing more is to be sent; only the store does not know it yet
  };

  explicit delivery_queue(delivery_options o) : options_{o} {}

  /// Takes in a notification that waits in the store. Does nothing if it is known. REQUIRES: has_room().
  void take_in(delivery_place at, notification what);
  bool has_room() const { return entries_.size() < options_.window; }

  /// The notification that goes out now; from then on it is under way.
  std::optional<delivery_place> next(instant now);
  const entry& at(delivery_place p) const { return entries_.at(p); }

  /// What became of a delivery. REQUIRES: it is under way.
  struct failure {
    span retry_after{0};      ///< that the receiver asked for
    std::uint64_t chance = 0; ///< for the jitter
  };
  void delivered(delivery_place p);
  enum class after_failure : std::uint8_t { again = 1, given_up = 2 };
  after_failure failed(delivery_place p, const failure& why, instant now);
  /// Those that are given up without another try: their time is over, and the receiver is away. They are settled.
  std::vector<delivery_place> give_up(instant now);
  /// The store no longer has this notification, nor those before it in its lane.
  void forget(delivery_place p);

  /// When next() will have something; never: nothing waits, or something else must happen first.
  instant next_due() const;
  std::size_t size() const { return entries_.size(); }
  std::size_t under_way() const { return under_way_; }
  bool is_away() const { return failures_ >= away_after; }
  instant paused_until() const { return paused_until_; } ///< unset: not paused
  instant oldest() const;                                ///< of those that are not settled; never: there is none

private:
  template <class Use>
  void each_head(Use use) const;
  bool may_send(instant now) const;

  delivery_options options_;
  std::map<delivery_place, entry> entries_;
  std::size_t under_way_ = 0;
  std::uint32_t failures_ = 0; ///< in a row
  instant paused_until_;
};

} // namespace steadfast::workflow
