#pragma once

#include "simulation/world/chance.hpp"
#include "simulation/world/process.hpp"
#include "simulation/world/rows_reached.hpp"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace steadfast::simulation {

/// Faults of messages between processes. The wire is worse than TCP, which neither loses nor doubles messages.
struct wire_faults {
  std::uint32_t lost_permille = 0;
  std::uint32_t doubled_permille = 0;
  std::uint32_t stalled_permille = 0; ///< arrives only after `stall`
  std::uint32_t garbled_permille = 0; ///< arrives as something else than a message, and the connection ends
  workflow::span delay_min{0};
  workflow::span delay_max{20};
  workflow::span stall{12'000};
};

/// All processes of a run, the wire between them, and true time. One thing happens a step: an actor handles a message,
/// a packet arrives, a timer fires, or an entry of the script is due. The seed draws which of them, so the same seed is
/// the same run.
class world {
public:
  world(std::uint64_t seed, const wire_faults& wire);
  ~world();
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  simulation::chance& chance() { return chance_; }
  moment now() const { return now_; }
  /// True time at the moment 0. REQUIRES: no process has been started.
  void begin_at(workflow::instant t) { begins_at_ = t; }

  // ---- processes ----

  /// A new life of the node of that name; no process of it must be alive.
  process& start(const std::string& name, const clock_error& error);
  /// The process of that node that is alive; null: it is down.
  process* find(const std::string& name);
  /// As by SIGKILL: unsent messages are lost, and the others notice at once, or after the silence that a heartbeat
  /// allows.
  void kill(const std::string& name, bool is_noticed_at_once);
  void freeze(const std::string& name, workflow::span time);
  /// Ends everything, the script too. Actors handle their mailboxes while they end: what they refer to must still
  /// exist.
  void end();

  // ---- the wire ----

  void set_wire(const wire_faults& wire) { wire_ = wire; }
  /// How long a lease lasts: an outage of the network that is longer is another row of the failure table.
  void set_patience(workflow::span ttl) { ttl_ = ttl; }
  /// One way. Messages on their way are lost; after the silence that a heartbeat allows, both sides consider the
  /// connection lost.
  void cut(const std::string& from, const std::string& to);
  void heal(const std::string& from, const std::string& to);
  void heal_all();
  /// Whether a connection could be made now.
  bool is_reachable(const std::string& from, const std::string& to);
  /// Whether an order for an agent of that node is on its way.
  bool is_order_on_its_way_to(const std::string& node);

  // ---- steps ----

  void at(moment when, std::function<void()> what) { script_.emplace(std::max(when, now_), std::move(what)); }
  void in(workflow::span time, std::function<void()> what) { at(now_ + time, std::move(what)); }

  /// Does the next thing due by then; false: there is none, and it is now `until`.
  bool step(moment until);

  /// Of everything that happened, in its order.
  std::uint64_t trace_hash() const { return hash_; }
  std::uint64_t steps() const { return steps_; }
  const std::vector<std::string>& complaints() const { return complaints_; }
  /// Called with each step in words.
  std::function<void(moment, const std::string&)> on_step;
  void tell(const std::string& what);
  void reached(row r) { ++rows_[static_cast<int>(r)]; }
  rows_reached& rows() { return rows_; }

private:
  void send(packet p);
  void put_on_the_way(packet p);
  void deliver(packet p);
  void probe_loss(const packet& p);
  void probe_arrival(const packet& p);
  void lose_connection(const std::string& a, const std::string& b);
  bool goes_on(moment until);
  void take_into_hash(std::uint64_t x) { hash_ = (hash_ ^ x) * 1099511628211ULL; }
  /// The words are only made when somebody listens: most steps use this.
  template <class Words>
  void tell(std::initializer_list<std::uint64_t> what, const Words& in_words);

  static constexpr workflow::span silence_max{10'000}; ///< as runtime/network sets it for CAF

  simulation::chance chance_;
  wire_faults wire_;
  workflow::instant begins_at_ = midnight;
  moment now_{0};
  workflow::span ttl_{10'000};
  rows_reached rows_;
  std::uint64_t last_sequence_ = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> arrived_; ///< the newest, by sender and receiver
  std::map<std::pair<std::string, std::string>, moment> healed_at_;
  std::uint32_t last_number_ = 0;
  std::map<std::uint32_t, std::unique_ptr<process>> processes_; ///< the dead too: others have handles of their actors
  std::map<std::string, process*> alive_;
  std::vector<std::pair<process*, std::size_t>>
    ready_; ///< actors, how many of each process ///< of one step; kept for its memory
  std::multimap<moment, packet> on_its_way_;
  std::multimap<moment, std::function<void()>> script_;
  std::set<std::pair<std::string, std::string>> cuts_;
  std::uint64_t hash_ = 14695981039346656037ULL; ///< FNV-1a
  std::uint64_t steps_ = 0;
  std::vector<std::string> complaints_;
};

} // namespace steadfast::simulation
