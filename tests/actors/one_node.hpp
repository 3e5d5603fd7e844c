#pragma once

#include "actors/cluster/front.hpp"
#include "actors/cluster/membership.hpp"
#include "actors/cluster/peer.hpp"
#include "actors/gateway/client_gateway.hpp"
#include "actors/gateway/gateway.hpp"
#include "actors/scheduling/scheduler.hpp"
#include "actors/storing/reader.hpp"
#include "actors/storing/store_actor.hpp"
#include "actors/storing/store_link.hpp"
#include "actors/supervising/bulk_runner.hpp"
#include "actors/supervising/janitor.hpp"
#include "actors/supervising/lease.hpp"
#include "actors/supervising/notifier.hpp"
#include "actors/supervising/singleton.hpp"
#include "actors/supervising/supervisor.hpp"
#include "tests/actors/recorder.hpp"
#include "tests/actors/scripted_agent.hpp"
#include "tests/actors/store_tap.hpp"
#include "tests/actors/test_node.hpp"
#include "tests/actors/workflows.hpp"
#include "tests/support/temp_folder.hpp"
#include "workflow/outward/notification.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace steadfast::tests {

struct node_settings {
  std::vector<workflow::definition> definitions = {trip()};
  std::vector<std::string> schedulers = {"s1"};
  std::uint32_t in_flight_max = 100;
  std::uint32_t claim_max = 100;
  workflow::lease_terms lease;
  actors::supervisor_options supervisor;
  std::size_t batch_max = 4096;
  std::uint64_t backlog_max = 0;
  std::uint64_t size_max = 256 << 20; ///< of the store, in bytes
  std::uint64_t size_reserve = 16 << 20;
  bool has_supervisor = true;
  std::vector<workflow::subscription> webhooks; ///< for which the store keeps notifications
  /// Agents by name that are the real ones, in place of scripted ones.
  std::map<std::string, std::function<actors::agent_actor(test_node&, const std::string&)>> real_agents;
};

/// All of a node under the test scheduler, with a real store in a temporary directory and agents that do what the test
/// says. Its process can die at any message and start again on the same store; time goes on over that.
class one_node {
public:
  explicit one_node(node_settings settings = {});
  ~one_node();

  // ---- life and death ----

  /// Ends the process: what was not committed never happened, what was not handled is lost.
  void crash();
  void start();
  void restart();
  bool is_up() const { return system_.has_value(); }
  /// Why the store actor wanted to end the process; empty: it did not.
  const std::string& fatal() const { return fatal_; }
  /// Takes effect at the next start.
  node_settings& settings() { return settings_; }

  // ---- time and messages ----

  test_node& system() { return *system_; }
  workflow::instant now() { return system_ ? system_->now() : stopped_at_; }
  void run() { system_->run(); }
  void advance(workflow::span by) { system_->advance(by); }

  /// Handles messages until the next one is of this type, for the actor of this name, and the condition holds for it.
  /// Time passes when nothing else is left to do. Throws when none comes within an hour.
  template <class Message>
  void run_until_next(std::string_view actor, std::function<bool(const Message&)> holds = {}) {
    const auto until = now() + std::chrono::hours{1};
    for (;;) {
      if (const auto* m = system_->next_for<Message>(actor); m && (!holds || holds(*m)))
        return;
      if (!system_->step() && !(now() < until && system_->trigger_timer()))
        throw std::runtime_error{"no such message came for " + std::string{actor}};
    }
  }
  void step() { system_->step(); }

  // ---- what clients and people do ----

  workflow::submission order_for(const std::string& id) const;
  std::optional<actors::receipt> submit(const workflow::submission& s);
  std::optional<actors::receipt> submit(const std::string& id) { return submit(order_for(id)); }
  std::shared_ptr<std::optional<actors::receipt>> begin_to_submit(const workflow::submission& s);
  std::shared_ptr<std::optional<actors::receipt>> begin_to_submit(const std::string& id) {
    return begin_to_submit(order_for(id));
  }
  actors::act_result act(const std::string& id, actors::task_act what, std::string step = {}, std::string document = {},
                         bool new_key = false);

  // ---- what can be seen ----

  store_tap& store() { return *store_; }
  scripted_agent& agent(const std::string& step) { return agents_["agent_of_" + step]; }
  workflow::task task(const std::string& id);
  std::string state(const std::string& id) { return std::string{to_string(task(id).state)}; }
  std::string step_state(const std::string& id, std::size_t step);
  std::vector<std::string> alerts(); ///< kinds, oldest first
  std::vector<store::late_reply_entry> late_replies(const std::string& id);
  std::vector<std::string> broken_invariants(); ///< of all tasks
  /// Lets time pass until the task has ended or is what is asked for.
  bool reaches(const std::string& id, const std::string& state, workflow::span at_most = std::chrono::hours{48});

  actors::store_actor store_actor;
  actors::reader_actor reader;
  std::vector<actors::scheduler_actor> schedulers;
  actors::supervisor_actor supervisor;
  actors::lease_actor lease;
  actors::notifier_actor notifier;
  actors::gateway_actor gateway;

private:
  void spawn_all();
  void register_definitions();
  void hold_node_lease(const std::string& scheduler);

  node_settings settings_;
  temp_folder directory_;
  std::map<std::string, scripted_agent> agents_;
  std::shared_ptr<store_tap> store_;
  std::optional<test_node> system_;
  workflow::instant stopped_at_ = midday;
  std::string fatal_;
  int life_ = 0;
};

} // namespace steadfast::tests
