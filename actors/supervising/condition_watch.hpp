#pragma once

#include "actors/common/known_definitions.hpp"
#include "actors/supervising/supervisor.hpp"
#include "workflow/supervision/conditions.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace steadfast::actors {

/// Now and then looks for conditions of the whole cluster, for the supervisor, and reports changes to the store. The
/// conditions that held before are read from the store, so that the next supervisor continues with them.
class condition_watch {
public:
  using owner = supervisor_actor::base;

  /// Answers arrive as messages to `self`. REQUIRES: `self`, `deps` and `definitions` outlive this object.
  condition_watch(owner* self, const supervisor_deps& deps, const known_definitions& definitions)
      : self_{self},
        deps_{deps},
        definitions_{definitions} {}

  /// Looks if it is time. `guard` and `ticket`: the lease and the ticket with which a change is reported.
  /// `all_know_schedules`: every node does, including the one with the store.
  void look(const store::lease_guard& guard, std::uint64_t ticket, bool all_know_schedules);
  /// The answers to a look under way no longer count.
  void stop() { ++look_; }
  bool has_reported(std::uint64_t ticket) const { return ticket != 0 && ticket == ticket_; }

  const std::vector<workflow::system_condition>& held() const { return held_; }

private:
  void see_nodes();
  void see_store();
  void see_open();
  void see_suspended(std::uint64_t before, std::size_t seen);
  void see_schedules(const std::string& after);
  void look_for_failures();
  void look_for_next_failure();
  void report();
  void end() { looking_ = false; }

  void note_nodes(const lease_page& page);
  void note_store(const store::store_stats& stats);
  std::vector<workflow::incident_signature> open_signatures() const;
  void tell_log() const;

  /// Continues with `then` if it is still the same look; otherwise, and after an error, the look has ended.
  template <class Answer, class Question, class Then>
  void ask_reader(const Question& question, Then then);

  owner* self_;
  const supervisor_deps& deps_;
  const known_definitions& definitions_;
  store::lease_guard guard_;
  std::uint64_t ticket_ = 0;
  std::uint64_t look_ = 0;
  bool looking_ = false;
  workflow::instant last_look_;
  workflow::instant last_survey_; ///< of suspended tasks and schedules
  workflow::cluster_facts facts_;
  bool all_know_schedules_ = false;
  std::map<std::string, workflow::resting> suspended_; ///< as of the last survey
  std::map<std::string, workflow::missed> missed_;     ///< as of the last survey
  std::vector<workflow::system_condition> open_;       ///< as they are stored
  std::map<std::string, workflow::incident_signature> failures_;
  std::vector<std::string> failing_;
  std::vector<workflow::system_condition> held_;
};

} // namespace steadfast::actors
