#pragma once

#include "actors/common/deadline_timer.hpp"
#include "actors/supervising/supervisor.hpp"

#include <cstdint>

namespace steadfast::actors {

/// Has the store serve the schedules whose time has come, for the supervisor. It knows the first moment of all of them
/// and nothing else of them: the store says it with each answer, and news of the store say when it may be another.
class schedule_watch {
public:
  using owner = supervisor_actor::base;

  /// REQUIRES: `self` and deps outlive it.
  schedule_watch(owner* self, const supervisor_deps& deps) : self_{self}, deps_{deps} {}

  void begin(const store::lease_guard& guard);
  void stop() { guard_ = {}; }
  /// As long as a node may not know what a schedule is, none is served: the store may be that one's.
  void learn(bool all_nodes_know);
  bool do_all_know() const { return all_know_; }
  /// There may be something to serve.
  void hint();
  /// Looks if it is time.
  void look();
  void on_tick(const tick_timer& m);
  bool has_asked(std::uint64_t ticket) const { return ticket != 0 && ticket == ticket_; }
  void on_written(const store::outcome& o);

  /// `ticket`: of its writes; none of others is the same.
  static constexpr std::uint64_t ticket_bit = std::uint64_t{1} << 63;

  workflow::instant next_at() const { return next_at_; }
  std::uint64_t made() const { return made_; }

private:
  workflow::instant now() const { return deps_.clock.now(self_); }
  void look_at(workflow::instant at);

  owner* self_;
  const supervisor_deps& deps_;
  deadline_timer timer_;
  store::lease_guard guard_; ///< epoch 0: it does not supervise
  bool all_know_ = false;
  workflow::instant next_at_ = workflow::never; ///< when it looks next
  workflow::instant asked_at_;                  ///< unset: nothing is on its way
  workflow::instant looked_at_;
  bool again_ = false; ///< a hint came meanwhile
  std::uint64_t last_ticket_ = 0;
  std::uint64_t ticket_ = 0;
  std::uint64_t made_ = 0; ///< tasks, since it began
};

} // namespace steadfast::actors
