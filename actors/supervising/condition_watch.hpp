#pragma once

#include "actors/common/known_definitions.hpp"
#include "actors/supervising/supervisor.hpp"
#include "workflow/supervision/conditions.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace steadfast::actors {

/// Looks now and then for conditions of the whole cluster, for the supervisor, and reports changes to the store. What
/// held before is read from the store, so that the next supervisor continues with it.
class condition_watch {
public:
  using owner = supervisor_actor::base;

  /// Its answers come while `self` handles messages. REQUIRES: `self`, deps and definitions outlive it.
  condition_watch(owner* self, const supervisor_deps& deps, const known_definitions& definitions)
      : self_{self},
        deps_{deps},
        definitions_{definitions} {}

  /// Looks if it is time. `guard`: the lease under which a change is reported, with that ticket. `all_know_schedules`:
  /// every node does, that with the store too.
  void look(const store::lease_guard& guard, std::uint64_t ticket, bool all_know_schedules);
  /// A look that is under way no longer counts.
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

  /// Continues with `then` if the look is still the same; otherwise, and after an error, it has ended.
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
  std::map<std::string, workflow::missed> missed_;     ///< likewise
  std::vector<workflow::system_condition> open_;       ///< as the store knows them
  std::map<std::string, workflow::incident_signature> failures_;
  std::vector<std::string> failing_;
  std::vector<workflow::system_condition> held_;
};

} // namespace steadfast::actors
