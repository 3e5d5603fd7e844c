#pragma once

#include "actors/agent_function.hpp"
#include "runtime/simulation/world.hpp"
#include "workflow/definition.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace steadfast::simulation {

/// How often a remote service misbehaves. What is left of 1000 is answered well.
struct service_faults {
  std::uint32_t refuses_permille = 0;      ///< for good, nothing took place
  std::uint32_t undo_refused_permille = 0; ///< for good: a person is needed
  std::uint32_t busy_permille = 0;         ///< for now, nothing took place
  std::uint32_t fails_permille = 0;        ///< for now, and it took place all the same
  std::uint32_t hangs_permille = 0;        ///< never answers; nothing takes place
  std::uint32_t goes_silent_permille = 0;  ///< takes place and is never answered
  workflow::span latency_min{1};
  workflow::span latency_max{50};
};

/// The remote services of a run: what took place and what was reversed, by idempotency key. They keep the contract: a key that is
/// repeated acts once, an undo of what never happened is harmless, and what arrives after its undo is refused.
class services {
public:
  services(world& w, const std::vector<workflow::definition>& workflows) : world_{w}, workflows_{workflows} {}

  /// Function of an agent of that node, which calls one of them.
  actors::agent_function agent(const std::string& node);
  void set_faults(const service_faults& faults) { faults_ = faults; }

  bool was_done(const std::string& key) const { return done_.contains(key); }
  bool was_reversed(const std::string& key) const { return reversed_.contains(key); }
  /// Steps that were sent out after their undo had been answered, a sentence each.
  const std::vector<std::string>& complaints() const { return complaints_; }
  std::uint64_t calls() const { return calls_; }
  /// Whether an agent of that node waits for an answer; an agent of another one, by key.
  bool is_calling(const std::string& node) const;
  bool is_called_from_elsewhere(const std::string& key, const std::string& node) const;
  /// The node is dead, and its connections with it.
  void forget(const std::string& node);

private:
  void call(const std::string& node, const actors::call& what, actors::answer_to answer);
  void handle(const actors::call& what, moment sent_at, const actors::answer_to& answer);
  actors::answer act(const actors::call& what, moment sent_at);
  std::string result_of(const actors::call& what);

  world& world_;
  const std::vector<workflow::definition>& workflows_;
  service_faults faults_;
  std::set<std::string> done_;
  std::map<std::string, std::string> results_;   ///< by key: what was answered is answered again
  std::map<std::string, moment> reversed_;       ///< when
  std::set<std::string> refused_;                ///< keys: the refusal stands
  std::vector<actors::answer_to> hung_;          ///< never answered
  std::map<std::string, std::string> under_way_; ///< node of the agent that called last, by key
  std::vector<std::string> complaints_;
  std::uint64_t calls_ = 0;
};

} // namespace steadfast::simulation
