#pragma once

#include "simulation/world/chance.hpp"
#include "simulation/world/disk.hpp"
#include "store/contract/state_store.hpp"
#include "workflow/definition/definition.hpp"
#include "workflow/task/partition.hpp"
#include "workflow/task/task.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace steadfast::simulation {

/// What the store must have answered and must answer now, by a model that is too simple to be wrong: a map of tasks
/// that each write changes. It predicts each outcome, and now and then asks the store all kinds of questions and
/// compares. It checks only a small store.
class store_model {
public:
  using complain_to = std::function<void(std::string)>;

  store_model(const std::vector<workflow::definition>& workflows, std::uint64_t seed, complain_to complain,
              const workflow::partition& of = {});

  void on_commit(const store::state_store* s, const store::write_list& batch,
                 const std::vector<store::outcome>& outcomes, commit_fate fate);
  /// The store was opened again. Its content counts from now on, since nobody knows what became of the last commit;
  /// what has the same revision must be the same, unless it is a restored copy.
  void on_store_started(const store::state_store& s, bool is_restored);

private:
  static constexpr std::size_t small = 100; ///< tasks; a larger store is left alone
  struct known_lease {
    std::string holder;
    std::uint64_t epoch = 0;
    workflow::instant ends_at; ///< unset: released
    std::optional<workflow::span> ttl;
    workflow::instant clock; ///< that it was given by
  };
  struct known_bulk_act {
    std::size_t there = 0; ///< tasks, when it began
    std::size_t left = 0;  ///< the store, while it was open: it may have processed them or not
    bool is_open = true;
  };
  using notice_name = std::pair<std::uint64_t, std::uint32_t>; ///< task and sequence

  bool may_change_more(const workflow::task& t) const;
  bool is_foreseen(const store::write& w) const;
  void compare(const store::write& w, const store::outcome& o);
  void judge_one(const store::submit_task& w, const store::answer<store::submit_task>& o);
  void judge_one(const store::update_task& w, const store::answer<store::update_task>& o);
  void judge_one(const store::claim_tasks& w, const store::answer<store::claim_tasks>& o);
  void judge_one(const store::free_locks& w, const store::answer<store::free_locks>& o);
  void judge_one(const store::acquire_lease& w, const store::answer<store::acquire_lease>& o);
  void judge_one(const store::renew_lease& w, const store::answer<store::renew_lease>& o);
  void judge_one(const store::release_lease& w, const store::answer<store::release_lease>& o);
  void judge_one(const store::acknowledge_notices& w, const store::answer<store::acknowledge_notices>& o);
  void judge_one(const store::keep_late_reply& w, const store::answer<store::keep_late_reply>& o);
  void judge_one(const store::start_bulk& w, const store::answer<store::start_bulk>& o);
  void judge_one(const store::advance_bulk& w, const store::answer<store::advance_bulk>& o);
  void judge_one(const store::stop_bulk& w, const store::answer<store::stop_bulk>& o);
  void compare(const store::purge_ended& w, const store::state_store& s);

  std::vector<workflow::task*> line_for(const store::claim_tasks& w);
  void replace(workflow::task& before, workflow::task after, const std::vector<workflow::notice>& notices);
  bool is_waiting(const workflow::task& t) const;
  std::optional<bool> is_held(const std::optional<store::lease_guard>& guard,
                              const workflow::clock_reading& clock) const;
  static std::optional<bool> is_free(const known_lease& l, const workflow::clock_reading& clock);
  using task_numbers = std::set<std::uint64_t>;
  std::optional<task_numbers> named_by(const store::write& w, const store::outcome& o) const;
  std::optional<task_numbers> named_in(const store::write_list& batch, const std::vector<store::outcome>& outcomes,
                                       std::size_t first) const;
  void read_again(const store::state_store& s, const std::optional<task_numbers>& which);
  void read_all(const store::state_store& s);
  void read_task(const store::state_store& s, std::uint64_t number);
  void read_notices(const store::state_store& s);
  void read_leases(const store::state_store& s);
  void compare(const store::state_store& s);
  void compare_tasks(const store::state_store& s);
  void compare_lists(const store::state_store& s);
  void compare_list(const store::state_store& s, const store::task_filter& f,
                    const std::function<bool(const workflow::task&)>& matches, const std::string& what);
  void compare_overdue(const store::state_store& s);
  void compare_alerts(const store::state_store& s);
  void compare_bulk_acts(const store::state_store& s);
  void expect(bool holds, const std::string& sentence);
  const workflow::definition& definition_of(const workflow::task& t) const;

  const std::vector<workflow::definition> workflows_;
  chance chance_; ///< of its own, so that its checks change nothing
  complain_to complain_;
  const workflow::partition partition_; ///< of a store of several, that it is a model of
  std::uint32_t looks_permille_;
  bool is_small_ = true;
  bool is_read_ = false;
  std::map<std::uint64_t, workflow::task> tasks_;
  std::map<std::string, std::uint64_t> numbers_;
  std::map<std::uint64_t, std::string> first_payload_; ///< for comparison when an id is submitted again
  std::set<std::uint64_t> ready_;                      ///< waited for their moment, and it came
  std::set<std::uint64_t> unsure_;                     ///< the same, or not: they were there when the store was opened
  std::map<std::string, std::set<notice_name>> notices_;
  std::map<std::uint64_t, std::size_t> late_replies_;
  std::map<std::string, known_lease> leases_;
  std::map<std::uint64_t, known_bulk_act> bulk_acts_; ///< that began since the store was opened
  std::set<std::uint64_t> stopped_;
  std::uint64_t last_number_ = 0;
  workflow::instant now_; ///< of the last write that has it
};

} // namespace steadfast::simulation
