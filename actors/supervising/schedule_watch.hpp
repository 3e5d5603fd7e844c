#pragma once

#include "actors/common/deadline_timer.hpp"
#include "actors/supervising/supervisor.hpp"

#include <cstdint>

namespace steadfast::actors {

/// Has the store serve the schedules that are due, for the supervisor. It knows only the first moment of all of them:
/// the store returns it with each answer, and news of the store say when it may have changed.
class schedule_watch {
public:
  using owner = supervisor_actor::base;

  /// REQUIRES: `self` and deps outlive it.
  schedule_watch(owner* self, const supervisor_deps& deps) : self_{self}, deps_{deps} {}

  void begin(const store::lease_guard& guard);
  void stop() { guard_ = {}; }
  /// While some node may not know what a schedule is, none is served: that node may have the store.
  void learn(bool all_nodes_know);
  bool do_all_know() const { return all_know_; }
  /// Some schedule may be due.
  void hint();
  /// Looks if it is time.
  void look();
  void on_tick(const tick_timer& m);
  bool has_asked(std::uint64_t ticket) const { return ticket != 0 && ticket == ticket_; }
  void on_written(const store::outcome& o);

  /// `ticket`: of its own writes; no other write has the same ticket.
  static constexpr std::uint64_t ticket_bit = std::uint64_t{1} << 63;

  workflow::instant next_at() const { return next_at_; }
  std::uint64_t made() const { return made_; }

private:
  workflow::instant now() const { return deps_.clock.now(self_); }
  void look_at(workflow::instant at);

  owner* self_;
  const supervisor_deps& deps_;
  deadline_timer timer_;
  store::lease_guard guard_; ///< epoch 0: this node does not supervise
  bool all_know_ = false;
  workflow::instant next_at_ = workflow::never; ///< when it looks next
  workflow::instant asked_at_;                  ///< unset: no write is under way
  workflow::instant looked_at_;
  bool again_ = false; ///< a hint came while a write was under way
  std::uint64_t last_ticket_ = 0;
  std::uint64_t ticket_ = 0;
  std::uint64_t made_ = 0; ///< how many tasks, since it began
};

} // namespace steadfast::actors
