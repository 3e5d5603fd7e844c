#pragma once

#include "actors/agents/agent_function.hpp"
#include "simulation/judge/store_model.hpp"
#include "simulation/world/disk.hpp"
#include "simulation/world/documents.hpp"
#include "simulation/world/rows_reached.hpp"
#include "workflow/definition/definition.hpp"
#include "workflow/schedule/schedule_state.hpp"
#include "workflow/task/partition.hpp"
#include "workflow/task/task.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace steadfast::simulation {

/// What simulated schedules have at most as catch_up, and as jitter.
inline constexpr workflow::span schedules_catch_up_max{10'000};

/// Sees every commit and every call of a run. It compares each task with its former state, and each call with what is
/// stored, notes broken promises, and counts the rows of the failure table that are reached.
class watch {
public:
  watch(const std::vector<workflow::definition>& workflows, rows_reached& rows)
      : workflows_{with_those_of_items(workflows)},
        rows_{rows} {}

  /// Of how many partitions the store is. REQUIRES: nothing was seen of it so far.
  void set_partitions(std::uint32_t count) { parts_.resize(count); }
  /// The commit of that partition is over, and `s` has its result, unless its process has died of it.
  void on_commit(std::uint32_t partition, const store::state_store* s, const store::write_list& batch,
                 const std::vector<store::outcome>& outcomes, commit_fate fate);
  /// The partition was opened again: all commits are there, and epochs of leases continue above all former ones.
  void on_store_started(std::uint32_t partition, const store::state_store& s, bool is_restored);
  /// A commit was made after a write or a sync below the store had failed.
  void on_unsound_commit() { violations_.emplace_back("a commit was made after a write or a sync had failed (P25)"); }
  /// The process dies of this, and nobody knows what the last commit left.
  void on_store_failed() {
    for (auto& p : parts_)
      p.commit_is_unknown = true;
  }
  /// That node was frozen for longer than its lease.
  void on_long_pause(const std::string& node) { stood_still_.insert(node); }

  /// What is stored of these (workflow and step) need not be what happened, since their services give wrong answers.
  void do_not_trust(std::set<std::pair<std::string, std::string>> steps) { not_trusted_ = std::move(steps); }

  /// Called for each task, by its id, that is stored for the first time, and for each that has ended; may be empty.
  std::function<void(const std::string&)> on_stored;
  std::function<void(const std::string&)> on_ended;
  /// Called for each task that a scheduler took, and for each that has left the store, as it was last; may be empty.
  std::function<void(const workflow::task&)> on_claimed;
  std::function<void(const workflow::task&)> on_purged;
  /// Called when an observer acknowledges progress: all progress of the task up to there was seen; may be empty.
  std::function<void(std::uint64_t task, std::uint32_t sequence)> on_acknowledged_notices;
  /// Tasks that ended well may leave the store.
  void let_leave() { may_leave_ = true; }
  /// It sees the same commits of that partition.
  void let_model(std::uint32_t partition, store_model& m) { parts_[partition].model = &m; }
  /// Another part that checks the run has seen this.
  void complain(std::string sentence) { violations_.push_back(std::move(sentence)); }
  /// Somebody puts a schedule of that name. Its commit may be made, and nobody told.
  void on_schedule_sent(const std::string& name) { schedules_.insert(name); }
  /// It is one that nobody runs by hand, and within a day has no other moments than these.
  void expect_moments(const std::string& name, std::set<workflow::instant> only) { moments_[name] = std::move(only); }
  /// Looks at such a schedule by P45: whether it comes to the next of its moments.
  void look_at_moments(const workflow::schedule_state& s);
  /// A client was told that its task is accepted.
  void on_acknowledged(const std::string& id, const std::optional<workflow::task>& stored);
  /// A client was told that its correct submission is not accepted.
  void on_refused(const std::string& id, const std::string& why);

  /// An agent begins a call; each life of an agent has a number of its own.
  void on_call(std::uint64_t agent, const actors::call& what);
  /// The effect of a call takes place at the service, or is reversed there.
  void on_effect(const actors::call& what);
  void on_answer(std::uint64_t agent, const actors::call& what, const actors::answer& a);

  /// Broken promises, a sentence each, beginning with the task's id.
  const std::vector<std::string>& violations() const { return violations_; }
  /// By number, as stored last.
  const std::map<std::uint64_t, workflow::task>& tasks() const { return tasks_; }
  const workflow::definition* definition_of(const workflow::task& t) const;
  /// Whether that node supervises the store, or a partition of it, as far as is known.
  bool is_supervising(const std::string& node) const;
  /// Looks at a task by P45 if a schedule made it. False: none did.
  bool look_at_scheduled(const workflow::task& t);
  /// Whether an event of that sender was kept in any partition.
  bool has_kept_event_of(const std::string& sender) const { return senders_.contains(sender); }
  /// How many partitions know the id of that event.
  std::size_t count_knowing(const std::string& event, const std::string& id) const;
  /// Whether the last change of an open task was a supervisor's.
  bool has_fresh_decision() const { return !decided_.empty(); }

private:
  using step_name = std::pair<std::string, std::string>;    ///< of its task
  using attempt_name = std::pair<step_name, std::uint32_t>; ///< and its number
  struct known_lease {
    std::uint64_t epoch = 0; ///< the highest
    std::string holder;
    workflow::instant ends_at;
    std::optional<workflow::instant> clock; ///< that it was given by, named as clock_reading does; absent: not known
  };

  /// What is known of a partition.
  struct part {
    store_model* model = nullptr;
    std::map<std::string, known_lease> leases;
    std::set<std::string> acquired_since_start;
    bool commit_is_unknown = false; ///< the last one of a store that failed
    std::string supervising;        ///< name of a node
    /// Number of the first that came, and when, by name and id.
    std::map<std::pair<std::string, std::string>, std::pair<std::uint64_t, workflow::instant>> events;
    workflow::instant latest_event{}; ///< by the clock of any node
  };

  bool is_in(const part& p, std::uint64_t task) const {
    return &p == &parts_[workflow::partition_of_number(task, static_cast<std::uint32_t>(parts_.size()))];
  }
  void look_at(part& in, const store::write& w, const store::outcome& o, commit_fate fate);
  void look_at_fate(const store::write_list& batch, commit_fate fate);
  void look_at_clients(const store::write_list& batch);
  void on_update(const store::update_task& u, const store::answer<store::update_task>& o, commit_fate fate);
  void look_at_decision(const store::update_task& u, const workflow::task& before);
  void on_evidence(const store::keep_late_reply& w);
  void on_submitted(const store::submit_task& w, const store::submit_result& o);
  void on_claim(const store::claim_tasks& w, const store::claim_result& o);
  void on_taken(const workflow::task& t);
  void look_at_turns(const part& in, const store::state_store& s, const store::write_list& batch,
                     const std::vector<store::outcome>& outcomes);
  void look_at_limits(const store::state_store& s);
  void look_at_rates(const store::write_list& batch, const std::vector<store::outcome>& outcomes);
  void look_at_events(part& in, const store::write_list& batch, const std::vector<store::outcome>& outcomes);
  void look_at_purges(const part& in, const store::state_store& s, const store::write_list& batch,
                      const std::vector<store::outcome>& outcomes);
  void on_left(const workflow::task& t);
  void expect_key(const actors::call& what, const workflow::task& t, std::size_t i);
  void on_acquired(part& in, const store::acquire_lease& w, std::uint64_t epoch);
  void read_open_tasks(const part& in, const store::state_store& s);
  void note(const workflow::task& after);
  void compare(const workflow::task& before, const workflow::task& after);
  void compare_step(const workflow::task& before, const workflow::task& after, std::size_t i);
  void expect_undone_in_order(const workflow::definition& d, const workflow::task& t, std::size_t i);
  void compare_wait(const workflow::task& before, const workflow::task& after, std::size_t i);
  void compare_with_effect(const workflow::task& before, const workflow::task& after, std::size_t i);
  void expect_stored(const actors::call& what);
  const workflow::task* task_of(const std::string& id) const;
  void probe_step(const workflow::task& after, std::size_t i, const workflow::attempt_record& closed);
  void expect(bool holds, const workflow::task& t, const std::string& sentence);
  void reached(row r) { ++rows_[static_cast<int>(r)]; }

  const std::vector<workflow::definition> workflows_;
  rows_reached& rows_;
  std::vector<part> parts_{1};
  std::map<std::uint64_t, workflow::task> tasks_;
  std::map<std::string, std::uint64_t> numbers_;           ///< of those, by id
  std::set<std::pair<std::uint64_t, std::uint64_t>> took_; ///< bulk act and task
  std::map<std::uint64_t, workflow::instant> waiting_; ///< not before then, for a first scheduler, untouched; by number
  bool may_leave_ = false;
  std::set<std::uint64_t> decided_; ///< open tasks that a supervisor changed last
  std::set<std::string> stood_still_;
  std::map<std::pair<step_name, workflow::attempt_action>, std::set<std::string>> keys_;
  std::map<std::pair<std::uint64_t, attempt_name>, std::stop_token> unanswered_;            ///< calls, by agent
  std::set<attempt_name> succeeded_;                                                        ///< as their services said
  std::set<std::pair<std::pair<std::uint64_t, std::uint64_t>, attempt_name>> succeeded_at_; ///< by agent and epoch
  std::set<std::string> happened_; ///< and not reversed, by key
  std::set<std::pair<std::string, std::string>> not_trusted_;
  std::vector<std::string> violations_;
  std::set<std::string> schedules_;                            ///< names of all that there ever were
  std::map<std::string, std::set<workflow::instant>> moments_; ///< of some of them
  /// When tasks began, by number, by workflow and key.
  std::map<std::pair<std::string, std::string>, std::map<std::uint64_t, workflow::instant>> begun_;
  std::set<std::string> senders_;                  ///< of events that were kept
  std::map<std::string, std::uint64_t> scheduled_; ///< number by id: tasks that schedules made, as far as is known
};

} // namespace steadfast::simulation
