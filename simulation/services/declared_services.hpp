#pragma once

#include "workflow/definition/definition.hpp"
#include "workflow/time/time.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace steadfast::simulation {

/// How often a remote service misbehaves, of a million calls. The other calls succeed.
struct service_faults {
  static constexpr std::uint32_t always = 1'000'000;

  std::uint32_t refuses = 0;      ///< a step for good, nothing took place
  std::uint32_t refuses_undo = 0; ///< for good: a person is needed
  std::uint32_t busy = 0;         ///< for now, nothing took place
  std::uint32_t fails = 0;        ///< for now, although it took place
  std::uint32_t hangs = 0;        ///< never answers; nothing takes place
  std::uint32_t goes_silent = 0;  ///< takes place and is never answered
  std::uint32_t acts_late = 0; ///< the connection is lost, or stays silent; it takes place later, until the grace ends
  workflow::span latency_min{1};
  workflow::span latency_max{50};

  // What breaks the contract that workflows rely on.
  std::uint32_t lies = 0;         ///< probes: the opposite of the truth
  bool acts_again = false;        ///< a key that is repeated
  bool acts_after_undo = false;   ///< a step that arrives after its undo
  workflow::span acts_late_by{0}; ///< for acts_late: at most this long after complete_by; 0: half of the grace

  bool breaks_contract() const { return lies > 0 || acts_again || acts_after_undo || acts_late_by > workflow::span{0}; }
};

/// The service behind an agent.
struct declared_service {
  service_faults faults;
  std::optional<std::string> result; ///< of its steps: a JSON text; none: made up wherever the workflow reads a value
};

/// What comes from outside to a step that waits for an event, or asks a person.
struct declared_word {
  std::optional<std::string> says; ///< the event's data, a JSON text, or the person's choice; none: drawn
  workflow::span after_min{1000};  ///< since the step began to wait; evenly spread from there to
  workflow::span after_max{60'000};
  std::uint32_t never = 20'000; ///< of a million steps that wait
};

struct declared_services {
  service_faults usual; ///< of agents that are not named
  std::map<std::string, declared_service> by_agent;
  std::map<std::string, declared_word> by_event; ///< by its name
  std::map<std::string, declared_word> by_role;  ///< of persons

  /// Of a step that waits until it is told.
  declared_word word_for(const workflow::wait_rule& rule) const {
    const auto& all = rule.what == workflow::wait_rule::kind::person ? by_role : by_event;
    const auto found = all.find(rule.name);
    return found == all.end() ? declared_word{} : found->second;
  }

  const service_faults& of(const std::string& agent) const {
    const auto found = by_agent.find(agent);
    return found == by_agent.end() ? usual : found->second.faults;
  }
};

/// How a service behaves, as people describe it: shares from 0 to 1 of its calls.
struct service_habits {
  workflow::span latency_min{5}; ///< evenly spread from there to
  workflow::span latency_max{200};
  double busy = 0.02;      ///< fail for now; half of them took place
  double refused = 0.02;   ///< of steps: refused for good
  double hung = 0.01;      ///< lost or never answered; half of them took place, half of those later on
  double undo_refused = 0; ///< of undos: refused for good
  double lies = 0;         ///< of probes: answered with the opposite of the truth
  bool idempotent = true;  ///< a repeated key does not act again
  bool refuses_after_undo = true;
  workflow::span late{0}; ///< how long after complete_by a lost call may take place; 0: half of the grace
};
service_faults faults_of(const service_habits& h);
/// Steps with wrong answers about their outcome, because one of their services breaks the contract: workflow and step.
std::set<std::pair<std::string, std::string>> steps_not_to_trust(const std::vector<workflow::definition>& workflows,
                                                                 const declared_services& services);
/// Mistakes in the shares, with the remedy; empty: none.
std::string problem(const service_habits& h);

/// Reads "5ms-200ms", or "5ms" for exactly that, into the habits; false: it is neither.
bool read_latency(std::string_view text, service_habits& into);

/// Reads a TOML file with an [[agent]] for each unusual service, and an [[event]] and a [[person]] for what is unusual
/// there; missing keys are as usual. Throws runtime::config_error, also for agents, events and roles that none of the
/// workflows has, and for keys about requests that an agent's service never gets.
declared_services load_services(const std::filesystem::path& file, const service_habits& usual,
                                const std::vector<workflow::definition>& workflows);
declared_services parse_services(std::string_view text, const std::string& file, const service_habits& usual,
                                 const std::vector<workflow::definition>& workflows);

} // namespace steadfast::simulation
