#pragma once

#include "actors/common/clock.hpp"
#include "workflow/time/time.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/exit_reason.hpp>
#include <caf/proxy_registry.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/scoped_execution_unit.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace steadfast::simulation {

/// True time, since the start of the run.
using moment = std::chrono::nanoseconds;

/// True midnight: when a run starts, unless it was drawn to start at another time.
inline constexpr workflow::instant midnight{std::chrono::milliseconds{1'767'225'600'000}};

/// How the clocks of a process are wrong.
struct clock_error {
  workflow::span wall{0};                      ///< its wall clock, read once at the start, is ahead by this
  std::int64_t drift_permille{0};              ///< the gain of its steady clock
  std::optional<actors::node_clock> goes_on{}; ///< from the previous life: the machine was not restarted
};

/// What a message carries, as far as faults tell them apart.
enum class cargo : std::uint8_t { other, submission, receipt, order, report, lease_answer };

/// A message between two processes, as bytes.
struct packet {
  enum class kind : std::uint8_t { message, watch, gone };
  kind what = kind::message;
  std::uint32_t from = 0; ///< number of a process
  std::uint32_t to = 0;
  caf::actor_id sender = 0; ///< 0: nobody
  caf::actor_id receiver = 0;
  std::uint64_t message_id = 0;
  std::vector<char> bytes;
  cargo carries = cargo::other;
  caf::exit_reason reason = caf::exit_reason::unknown; ///< of one that is gone
  std::uint64_t sequence = 0;                          ///< of what one process sends to another
  moment sent_at{0};
};

class process;

/// One life of a node: an actor system without threads, in which nothing happens by itself. Instead of CAF's network it
/// has proxies whose messages become packets.
class process final : private caf::proxy_registry::backend {
public:
  using send_packet = std::function<void(packet)>;

  /// The number is unique in a run and becomes its node id in CAF. `run_begins`: true time at the moment 0.
  process(std::uint32_t number, std::string name, const clock_error& error, workflow::instant run_begins,
          moment starts_at, send_packet send);
  ~process() override;
  process(const process&) = delete;
  process& operator=(const process&) = delete;

  std::uint32_t number() const { return number_; }
  const std::string& name() const { return name_; }
  caf::actor_system& system() { return system_; }
  const actors::node_clock& clock() const { return clock_; }
  /// What its clock shows; of one with a lead: its own.
  workflow::instant now();

  /// Ends the actor with the process. Actors that refer to each other must be kept, or they are never freed.
  template <class Handle>
  void keep(const Handle& h) {
    if (h)
      kept_.push_back(caf::actor_cast<caf::strong_actor_ptr>(h));
  }

  // ---- steps ----

  /// How many of its actors have a message to handle; frozen processes and held actors have none.
  std::size_t count_ready(moment now);
  /// An actor, as a trace names it.
  struct actor_name {
    const char* kind;
    caf::actor_id id;
    bool has_thrown; ///< an exception left its handler, which ended it
  };
  /// Handles one message of the n-th actor last counted; says which actor it was.
  actor_name run(std::size_t n);
  /// When the next timer is due, in true time. Nothing: there is none.
  std::optional<moment> next_timer();
  void trigger_timer();
  void set_time(moment now);

  void freeze_until(moment end) { frozen_until_ = end; }
  bool is_frozen(moment now) const { return now < frozen_until_; }
  /// The actors of this name handle nothing until then, as if their calls took so long.
  void hold_until(const std::string& actor, moment end) { held_.push_back({actor, end}); }

  // ---- the wire ----

  /// The handle of an actor of another process, as seen from here.
  caf::strong_actor_ptr remote(process& at, const caf::strong_actor_ptr& actor);
  /// False: its bytes are not a message.
  bool receive(const packet& p);
  /// The connection to that process is lost: monitors say so, and nothing that it sent arrives.
  void disconnect(std::uint32_t other);

  /// From now on nothing of it runs.
  void die();
  bool is_alive() const { return is_alive_; }

private:
  struct config : caf::actor_system_config {
    explicit config(std::uint32_t number);
  };
  class proxy;

  caf::strong_actor_ptr make_proxy(caf::node_id node, caf::actor_id actor) override;
  void set_last_hop(caf::node_id*) override {}
  bool receive_message(const packet& p, const caf::strong_actor_ptr& to);
  void watch(const packet& p, const caf::strong_actor_ptr& actor);

  bool is_held(const caf::resumable& actor) const;

  std::uint32_t number_;
  std::string name_;
  clock_error error_;
  send_packet send_;
  config config_;
  caf::actor_system system_;
  caf::scheduler::test_coordinator& scheduler_;
  caf::proxy_registry proxies_;
  caf::scoped_execution_unit context_;
  actors::node_clock clock_;
  moment frozen_until_{0};
  struct hold {
    std::string actor;
    moment end;
  };
  std::vector<hold> held_;
  std::vector<std::size_t> not_held_; ///< places in the queue, while actors are held
  std::vector<caf::strong_actor_ptr> kept_;
  bool is_alive_ = true;
};

/// The number of the process that has this node id; 0: none of a simulation.
std::uint32_t number_of(const caf::node_id& id);

} // namespace steadfast::simulation
