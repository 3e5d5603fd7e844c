#pragma once

#include "workflow/on_call/incident.hpp"
#include "workflow/schedule/schedule_state.hpp"
#include "workflow/task/endings.hpp"
#include "workflow/task/task.hpp"
#include "workflow/time/time.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

// What is wrong with the cluster rather than with one task, found from what was observed. Each condition is an incident
// for as long as it holds.

namespace steadfast::workflow {

/// Something that is wrong with the cluster: a node is gone, a disk is nearly full.
struct system_condition {
  incident_signature what; ///< the same for as long as it holds
  std::string text;        ///< begins with what is wrong, up to a semicolon; figures in it may change

  friend bool operator==(const system_condition&, const system_condition&) = default;
};

struct condition_rules {
  std::uint32_t store_used_percent = 80;     ///< of the room for new work
  std::uint64_t disk_free_min = 1ULL << 30U; ///< bytes; on a small disk, a tenth of the disk is enough
  share_rules failing;
  span suspended_max{std::chrono::hours{24}}; ///< after that, a suspended task counts as forgotten
  span certificate_notice{std::chrono::days{30}};

  friend bool operator==(const condition_rules&, const condition_rules&) = default;
};

/// What is wrong with the rules, one sentence each, naming the field.
std::vector<std::string> problems(const condition_rules& r);

struct node_facts {
  std::string name;
  instant lease_ends_at;       ///< unset: it was given back
  bool is_gone = false;        ///< judged by its lease, allowing for the time when the store was away
  bool is_drained = false;     ///< it is meant to be stopped
  instant certificate_until{}; ///< unset: it has none
};
struct store_facts {
  std::uint64_t used = 0;      ///< bytes
  std::uint64_t room = 0;      ///< bytes for new work, those in use included; 0: not known
  std::uint64_t disk_free = 0; ///< bytes
  std::uint64_t disk_size = 0; ///< 0: not known
};
struct workflow_facts {
  std::string name;
  endings how;
};
/// Suspended tasks of one workflow.
struct resting {
  std::uint64_t late = 0; ///< past their deadlines
  std::string late_id;    ///< the id of the one that has been late for longest
  instant late_since = never;
  std::uint64_t long_ago = 0; ///< suspended for longer than the rules allow, with their deadlines still to come
  std::string long_id;
  instant long_since = never;
};
/// Schedules of one workflow whose last moment was missed.
struct missed {
  std::uint64_t schedules = 0;
  std::string name; ///< name of the schedule with the earliest such moment
  instant moment = never;
};
/// What was observed of the cluster; conditions follow from it.
struct cluster_facts {
  std::vector<node_facts> nodes;
  store_facts store;
  std::vector<workflow_facts> workflows;
  std::map<std::string, resting> suspended; ///< by workflow
  std::map<std::string, missed> schedules;  ///< by workflow
  instant now{};
};

/// Counts the task if it is suspended.
void count_if_suspended(std::map<std::string, resting>& suspended, const task& t, const condition_rules& rules,
                        instant now);

/// Counts the schedule if its last moment was missed, unless a person has paused it since.
void count_if_missed(std::map<std::string, missed>& schedules, const schedule_state& s);

/// Workflows that begin to fail unusually often: their tasks must be searched for what failed.
std::vector<std::string> beginning_to_fail(const cluster_facts& s, const condition_rules& rules,
                                           const std::vector<incident_signature>& open);
/// The most frequent reason why these tasks ended undone or in error. `d`: the definition of task i, null if not known.
incident_signature most_common_failure(const std::vector<task>& failed, const std::vector<const definition*>& d);

/// All conditions that hold now. `open`: signatures of those that held before: they decide where the beginning and the
/// end of a condition have different thresholds. `failures`: by workflow, for those that begin to fail.
std::vector<system_condition> conditions(const cluster_facts& s, const condition_rules& rules,
                                         const std::vector<incident_signature>& open,
                                         const std::map<std::string, incident_signature>& failures);

} // namespace steadfast::workflow
