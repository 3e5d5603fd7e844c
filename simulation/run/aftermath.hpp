#pragma once

#include "actors/protocol/protocols.hpp"
#include "simulation/judge/watch.hpp"
#include "simulation/run/cluster.hpp"
#include "simulation/run/run.hpp"
#include "simulation/services/services.hpp"
#include "simulation/world/world.hpp"
#include "workflow/time/time.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace steadfast::simulation {

/// What is promised once nothing fails any more, as bounds in true time: what is overdue is noticed within a period and
/// a second (P13), every node and a supervisor soon have their leases (P20, P21), new work is done at once wherever it
/// comes in, and the work of a lost node continues (P6), nobody orders from a node without a lease (row 36), a drained
/// node has nothing in flight and takes nothing (row 20), no actor keeps what is over (P28), and tasks leave when they
/// have been kept for long enough.
class aftermath {
public:
  using run_for = std::function<void(workflow::span)>;
  using is_broken = std::function<bool()>;

  aftermath(world& w, cluster& c, services& remote, watch& seen, const run_options& options)
      : world_{w},
        cluster_{c},
        services_{remote},
        watch_{seen},
        options_{options} {}

  /// All is healed: from now on no attempt and no deadline is overdue for longer than P13 allows.
  void watch_the_clock();
  /// All tasks have ended: what else must hold. `run` plays the cluster on.
  void play(const run_for& run, const is_broken& broken);
  /// An agent of that node begins a call.
  void on_call(const std::string& node, const actors::call& what);

private:
  void expect_nothing_overdue();
  void expect_leases_held();
  void expect_shares_even();
  void expect_partitions_rest(std::uint64_t taken);
  void send_rival_events(const run_for& run);
  void lose_a_node(const run_for& run, const is_broken& broken);
  void lose_a_lease(const run_for& run, const is_broken& broken);
  void lose_all_schedulers(const run_for& run, const is_broken& broken);
  void drain_a_node(const std::string& node, const run_for& run, const is_broken& broken);
  bool is_told_lost(const std::string& node);
  void wait_until_all_ended(const run_for& run, const is_broken& broken) const;
  std::set<std::uint64_t> in_hand_of(const std::string& node) const;
  void ask_all();
  void ask(const std::string& node, const std::string& kind, const actors::inspectable_actor& to);
  void count_what_is_kept();
  void expect_at_rest(const run_for& run);
  void submit_everywhere(const std::string& prefix);
  void submit_many(const std::string& prefix);
  void expect_all_ended(const std::string& prefix, const std::string& when);
  std::string some_node_to_drain() const;
  std::string some_node_to_lose() const;
  void expect_drained(const std::string& node);
  void expect_none_left(workflow::span kept_for);

  world& world_;
  cluster& cluster_;
  services& services_;
  watch& watch_;
  const run_options& options_;
  std::string drained_;       ///< the node whose agents must have stopped; empty: none
  std::string without_lease_; ///< the node that has had none for so long that others know; empty: every node has one
  std::map<std::string, std::string> states_;            ///< JSON texts, by "kind@node" or "agent:name@node"
  std::map<std::string, std::vector<std::string>> kept_; ///< by the same: what was above its bound each time
  std::map<std::uint64_t, std::pair<std::pair<std::uint64_t, bool>, workflow::instant>>
    overdue_; ///< tasks: their revision, whether a wait alone is over, and since when
};

} // namespace steadfast::simulation
