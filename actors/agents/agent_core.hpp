#pragma once

#include "actors/agents/agent_figures.hpp"
#include "actors/agents/agent_options.hpp"
#include "actors/agents/caller.hpp"
#include "actors/common/due_queue.hpp"
#include "actors/protocol/protocols.hpp"
#include "workflow/calling/call_figures.hpp"
#include "workflow/calling/circuit.hpp"
#include "workflow/calling/queue_time.hpp"
#include "workflow/calling/rate_limit.hpp"
#include "workflow/task/fence.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>

namespace steadfast::actors {

class state_tree;

/// What the core has done by others.
class agent_effects {
public:
  virtual void start(call_ticket ticket, call what) = 0;
  virtual void ask_to_end(call_ticket ticket) = 0;
  virtual void stop(call_ticket ticket) = 0;
  virtual void abandon(call_ticket ticket) = 0;
  virtual void report(const report_sink& to, attempt_report what) = 0;

protected:
  ~agent_effects() = default;
};

/// The decisions of an agent: which order is taken, when it is called, tried again, reported. Time comes in as an
/// argument; the owner calls on_tick at next_due().
///
///     order --> queued --> calling ----+--> reported
///                 ^           |        |
///                 |           +--> unwanted (stop order) or giving up (call_limit)
///                 +- waiting <+
///
/// In every phase, complete-by ends the attempt in silence. An agent does not abandon an attempt that is no longer
/// wanted: it reports how the service ended the call when the call is over, and only complete-by ends that wait. A
/// call that outlives its attempt keeps its place until it is over, so `concurrency` bounds what is really under way.
/// Nothing is queued or waiting while the circuit is open. An order waits for its first call only if it can begin in
/// time: one whose turn would come too late is declined at once, and one that is still queued when too little of its
/// time is left is declined then, so no order that was never sent ends in silence. Memory: at most queue +
/// concurrency
class agent_core {
public:
  static constexpr std::size_t epochs_kept = 16'384;
  static constexpr std::size_t why_size_max = 1024;
  static constexpr std::size_t away_max = 16'384;
  static constexpr std::size_t told_failure_max = 160;

  agent_core(agent_options o, agent_effects& effects);

  /// `obstacle`: why the order's complete-by means nothing now, so that it can only be declined; empty: nothing is.
  void on_order(step_order o, const report_sink& from, workflow::instant now, const std::string& obstacle = {});
  void on_stop(const stop_order& o, const report_sink& from, workflow::instant now);
  void on_call_over(call_ticket ticket, answer a, workflow::instant now);
  void on_tick(workflow::instant now);
  /// A person opens or closes the circuit.
  void on_circuit(const set_circuit& m, workflow::instant now);
  /// From now on every new order is declined.
  void drain() { draining_ = true; }
  bool is_idle() const { return attempts_.empty() && calls_.empty(); }
  workflow::instant next_due() const;
  agent_view view(workflow::instant now) const;
  const agent_figures& figures() const { return told_; }
  /// What the view leaves out: the limits, and the open attempts, the oldest first.
  state_tree tree(std::size_t listed_max, workflow::instant now) const;

private:
  using arrival = std::uint64_t;                                                ///< a number that grows; 0: none
  using attempt_name = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>; ///< task, step, attempt

  enum class phase : std::uint8_t { queued, calling, unwanted, giving_up, waiting };
  struct open_attempt {
    step_order order;
    report_sink sink;
    phase in = phase::queued;
    workflow::instant came_at;
    workflow::instant latest;   ///< if it was not called by then, it is given back
    call_ticket ticket = 0;     ///< of the last try
    workflow::instant began_at; ///< of the last try
    std::uint32_t tries = 0;
    bool maybe_done = false; ///< one of the tries may have acted
    bool unsettled = false;  ///< one of them ended without the service's answer, and may still act
    std::string why;         ///< of the last failure
    issued_token token;      ///< the same for all tries
  };
  struct open_call {
    arrival attempt = 0; ///< 0: abandoned
    std::uint64_t circuit_period = 0;
  };
  using attempt_iterator = std::map<arrival, open_attempt>::iterator;

  static attempt_report report_on(const step_order& o, report_kind kind);
  /// The seed of the jitter: the same for the same try of the same attempt.
  static std::uint64_t chance_of(const step_order& o, std::uint32_t tries);
  std::string circuit_text() const;
  std::string circuit_and_failure_text() const;                 ///< for an order without a failure of its own
  workflow::span time_until_trial(workflow::instant now) const; ///< REQUIRES: the circuit is open

  // Orders
  void join(open_attempt& a, const step_order& o, const report_sink& from);
  void admit(step_order o, const report_sink& from, workflow::instant now);
  std::string no_room_for(const step_order& o, workflow::instant now) const; ///< empty: there is room
  bool comes_too_late(const step_order& o, workflow::instant now) const;     ///< it would wait, and come too late
  void decline(const step_order& o, const report_sink& to, workflow::span retry_after, std::string why);
  workflow::span time_until_room(const step_order& o, workflow::instant now);
  workflow::working_pace pace() const { return {usual_duration_us_, options_.concurrency, options_.rate_per_second}; }
  std::size_t waiting() const { return attempts_.size() - (calls_.size() - abandoned_); }

  // Calls
  void begin_calls(workflow::instant now);
  void begin_call(arrival p, workflow::instant now);
  void abandon_call(const open_attempt& a, workflow::instant now);
  void count_call(std::uint64_t period, workflow::call_outcome outcome, workflow::instant now);
  void learn_duration(workflow::span took);
  void count_end(const answer& a, workflow::span took, workflow::instant now);
  void remember_failure(const std::string& why, workflow::instant now);

  // What becomes of an attempt: agent_core_outcome.cpp
  answer as_seen_by(const open_attempt& a, answer x) const;
  void settle(attempt_iterator i, answer a, workflow::instant now);
  void settle_success(attempt_iterator i, answer a, workflow::instant now);
  void settle_taken_on(attempt_iterator i, answer a, workflow::instant now);
  void try_again_or_report(attempt_iterator i, const answer& a, workflow::instant now);
  void expire(attempt_iterator i, workflow::instant now);
  void fall_due(attempt_iterator i, workflow::instant now);
  void send_back_while_open(workflow::instant now);
  /// Gives back an order that is queued or waits for its next try. `why`: what keeps it from being called.
  void send_back(attempt_iterator i, workflow::span retry_after, const std::string& why, workflow::instant now);
  void send_back_too_late(attempt_iterator i, workflow::instant now);
  void report(attempt_iterator i, report_kind kind, answer a, workflow::instant now);
  void close(attempt_iterator i);

  agent_options options_;
  agent_effects& effects_;
  workflow::circuit circuit_;
  std::string held_open_by_; ///< who holds the circuit open, and why
  bool draining_ = false;
  workflow::token_bucket bucket_;
  workflow::fence fence_{epochs_kept};
  std::map<arrival, open_attempt> attempts_;
  std::map<attempt_name, arrival> arrivals_;
  std::set<arrival> queue_;
  due_queue due_; ///< one entry per attempt: its complete-by, or what comes before that in its phase
  std::map<call_ticket, open_call> calls_;
  arrival last_arrival_ = 0;
  call_ticket last_ticket_ = 0;
  std::size_t abandoned_ = 0;
  std::multiset<workflow::instant>
    away_; ///< when orders that were declined for lack of room will come back; the last away_max
  std::uint64_t inputs_size_ = 0;
  workflow::instant rate_allows_at_ = workflow::never; ///< when the next queued call may begin, if the rate delays it
  std::int64_t usual_duration_us_ = 0;                 ///< of a call: a moving average
  workflow::call_figures figures_;
  agent_figures told_;
  agent_view counts_;
};

} // namespace steadfast::actors
