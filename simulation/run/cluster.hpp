#pragma once

#include "runtime/assembly/assembly.hpp"
#include "simulation/judge/observer.hpp"
#include "simulation/judge/watch.hpp"
#include "simulation/run/summer_time.hpp"
#include "simulation/services/services.hpp"
#include "simulation/world/cluster_shape.hpp"
#include "simulation/world/disk.hpp"
#include "simulation/world/evidence.hpp"
#include "simulation/world/medium.hpp"
#include "simulation/world/script.hpp"
#include "simulation/world/world.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace steadfast::simulation {

/// Nodes put together from the same actors as in production, their services and their clients, in a world of its own.
/// The files of the store are in `folder`, on `below` if that is not null; a file system in memory is quick.
class cluster {
public:
  cluster(world& w, services& remote, watch& commits, cluster_shape shape, const std::filesystem::path& folder,
          medium* below);
  ~cluster();
  cluster(const cluster&) = delete;
  cluster& operator=(const cluster&) = delete;

  const std::vector<std::string>& names() const { return names_; }
  /// The node that has the store, or that partition of it, or had it last.
  const std::string& store_node(std::uint32_t partition = 0) const { return seats_[partition].owner; }
  /// Whether it is that of a partition.
  bool is_store_node(const std::string& node) const;
  /// Whether it can be asked what is stored, in all partitions.
  bool has_store() const;

  // ---- life and death ----

  void start(const std::string& node);
  /// The node with the store, on a machine that was not restarted: its clock has gone on.
  void start_by_same_clock();
  void kill(const std::string& node, bool is_noticed_at_once);
  /// The same, but now and then the node with the store dies a little later, in the middle of a call.
  void crash(const std::string& node, bool is_noticed_at_once);
  /// The power fails when the node with the store dies next: what no sync has made durable may be lost.
  void cut_power() { is_power_cut_ = true; }
  /// Told to end: its leases are given back, then it is gone.
  void stop(const std::string& node);
  void freeze(const std::string& node, workflow::span time);
  void cut(const std::string& node, const std::string& other, bool both_ways, workflow::span time);
  /// An actor of the node, by its kind, handles nothing for so long.
  void hang(const std::string& node, const std::string& actor, workflow::span time);
  /// No supervisor does anything until then, on any node, whenever it starts.
  /// Likewise on all nodes; all promises about the others still hold.
  void hang_quietly(const std::string& actor, workflow::span time);
  void suspend_supervisors(workflow::span time);
  /// Answers that nobody asked for.
  void send_stray_answers(const std::string& node);
  bool is_up(const std::string& node) { return world_.find(node) != nullptr; }
  /// By which tasks of that partition are decided; unset: the node that has it is down.
  workflow::clock_reading store_clock(std::uint32_t partition = 0);
  workflow::instant clock_now(std::uint32_t partition = 0) { return store_clock(partition).now; }
  /// The same, by the number of a task.
  workflow::instant clock_of(std::uint64_t task);
  /// Of the commits from now on.
  void set_disk_faults(const disk_faults& faults);
  /// Of the disk below the store; false: it no longer fails.
  void set_medium_faults(bool fails);
  /// Of clocks, for processes that start from now on.
  void set_clock_errors(workflow::span wall_max, std::int64_t drift_permille_max);
  /// From now on every process starts with the same correct clock, the one with the store at once. Of the clocks that
  /// have decided on tasks it is the one furthest ahead: behind it the tasks would wait for hours, as they may.
  void set_clocks_right();
  /// When the last node was stopped, died or was started, or will be healthy again; in the past: it is.
  moment disturbed_until() const { return std::max(disturbed_until_, stopped_at_); }
  std::uint64_t nodes_started() const { return nodes_started_; }
  std::uint64_t partitions_taken() const { return partitions_taken_; }
  /// Every commit takes so long from now until then.
  void slow_store(workflow::span time);

  // ---- clients ----

  /// Steps that wait are told what is declared there, which must live as long, instead of anything at any time.
  void declare(const declared_services& outside);
  /// When the next of them is told something, if all goes on as it is; `moment::max()`: none is.
  moment next_told() const;

  /// A client that submits until a node has acknowledged it; now and then two do so at once, or it wants progress.
  /// `at_once`: without a later beginning.
  void submit(const std::string& id, const workflow::definition& d, bool at_once = false);
  /// With which a task of that id can begin, and so can those that its steps start.
  std::string sample_payload_for(const std::string& id, const workflow::definition& d, chance& draw) const;
  /// A person does something to a task, at any node; the result is ignored.
  void act(const actors::act_on_task& m);
  /// The same to all tasks that are there.
  void act_on_all(actors::task_act what);
  /// A person stops the bulk act that began last, if it is under way.
  void stop_bulk_act();
  /// A person holds the circuit of an agent open, or closes it: while it is known to be held, nothing is called.
  void hold_circuit(const std::string& node, const std::string& agent, bool open);
  /// A person drains a node. It stays drained until it is started again.
  void drain(const std::string& node);
  /// A claim was stored: a node that was drained long before must not make one.
  void expect_not_drained(const workflow::task& claimed);
  bool is_drained(const std::string& node) const { return drained_at_.contains(node); }
  /// Nodes that have an agent, by its name.
  const std::map<std::string, std::set<std::string>>& homes() const { return homes_; }
  /// Of the nodes that are up.
  const std::map<std::string, node_parts>& parts() const { return parts_; }
  /// If its task has left the store, it is submitted as before, and is a new one. Otherwise nothing happens.
  void submit_again(const std::string& id);
  /// A client that makes a mistake: the id of another task, or a body that is too large or lacks what the workflow
  /// needs. It must be refused. `luck` draws.
  void submit_wrongly(chance& luck);
  /// Its task has left the store: nobody needs its progress any more.
  std::vector<submission_call> forget_submissions_of(const workflow::task& t);
  /// And was not submitted again by its clients.
  bool has_left(const std::string& id) const { return left_.contains(id); }
  bool was_used_again(const std::string& id) const { return left_once_.contains(id); }
  const cluster_shape& shape() const { return shape_; }
  /// Records there what happens to it from now on.
  void record(script& to);
  /// Replays that script, each event at its time; nothing is drawn.
  void play(const script& from);
  /// Somebody listens at some node for progress.
  void listen();
  /// Some runs cross a change of summer time. To be called before a node is started.
  void draw_calendar();
  /// Some runs have schedules, with what persons do to them.
  void plan_schedules();
  /// So that their tasks come to an end.
  void remove_schedules();
  /// Two nodes are told at once of events that have one id and different data: no more than one is taken, and the other
  /// is kept in no partition. REQUIRES: nothing fails.
  void send_rivals(const workflow::wait_rule& rule, const std::string& id);
  /// They have been answered.
  void expect_rivals_apart();
  const observer& listener() const { return observer_; }
  const std::set<std::string>& acknowledged() const { return acknowledged_; }
  /// By the task's id.
  const std::map<std::string, std::vector<submission_call>>& submissions() const { return submissions_; }
  const std::set<std::string>& submitted() const { return submitted_; }

  /// What is stored, in all partitions or in one. REQUIRES: has_store().
  store::local_store& store() { return *whole_; }
  store::local_store& store_of(std::uint32_t partition) { return *seats_[partition].disk; }

private:
  // cluster_told.cpp
  actors::issued_token issue_token(const std::string& prefix);
  bool takes_on(const std::string& token, const std::string& result);
  void use_token(const std::string& token, actors::use_token::word says, const std::string& result);
  using outcome_told = std::function<void(const store::outcome&)>;
  void ask_store(const std::string& node, store::write what, outcome_told then);
  void tell_store(store::write what);
  void plan_schedules_over_change();
  void send_to_two_tasks(const std::string& name, const std::string& first);
  void send_event(const std::string& name, const std::string& key, const std::string& data, const std::string& id = {});
  void tell_who_waits();
  void tell_as_planned(const workflow::task& t, const workflow::definition& d, std::size_t i, const std::string& says);
  void plan_what_is_told(const workflow::submission& s, const workflow::definition& d);
  static std::string key_of(const workflow::wait_rule& rule, const workflow::submission& s);
  template <class Question>
  void tell_some_node(const Question& question, const std::function<void(const actors::act_result&)>& then);

  node_options options_of(const std::string& node) const;
  clock_error draw_clock_error(const std::string& node);
  /// In half of the cases the machine keeps running when the process with the store ends.
  clock_error draw_store_clock(clock_error drawn);
  std::shared_ptr<disk> open_disk(std::uint32_t partition);
  store::store_options store_options_now();
  bool restore_now_and_then();
  std::shared_ptr<disk> try_open_disk(const std::string& node, std::uint32_t partition);
  void end(const std::string& node, bool is_noticed_at_once);
  std::function<void(const std::string&)> on_fatal_of(const std::string& node);
  void end_properly(const std::string& node, std::uint32_t life);

  bool is_well(const std::string& node);
  bool is_awaited(const std::string& by_others_than);
  std::vector<std::uint32_t> shares_of_waiting(std::uint32_t partition, const std::string& others_than);
  bool may_take(const std::string& node, std::uint32_t partition, std::size_t own);
  bool has_lost_one(const std::string& node) const;
  std::shared_ptr<disk> open_as_owner(const std::string& node, std::uint32_t partition);
  void join_seats();
  std::string name_of(std::uint32_t partition) const;
  void follow(const std::string& node, std::uint32_t life);
  void look(process& p);
  void let_go_some(process& p);
  void take(process& p, std::uint32_t partition);
  void give(process& p, std::uint32_t partition, std::function<void()> then);
  void give_all(const std::string& node, std::uint32_t life, const std::function<void()>& then);
  void hand_over_and_then(const std::string& node, const std::function<void()>& end);
  /// Of that task, if it can be asked; null: it cannot.
  const store::state_store* partition_with(const std::string& id) const;

  void expect_sound_medium();
  actors::dialer_actor spawn_dialer(process& p);
  void make_agents(process& p, const actors::partition_clocks& clocks,
                   std::map<std::string, actors::agent_actor>& made);
  /// A node that is up, by its parts; null: this one is down.
  const node_parts* some_node();
  std::string limit_key_for(const std::string& id) const;
  void draw_wishes(workflow::submission& s, bool at_once);
  void ask_to_submit(const workflow::submission& s);
  void submit_at(const node_parts& node, const workflow::submission& s);
  void write(store::write what);
  void expect_known_everywhere(const store::send_event& w, const store::outcome& o);
  void on_acted(const std::string& id, bool is_done);
  void acknowledge(const std::string& id);
  void draw_homes();
  void carry_out(const script::happening& h);
  void note(script::happening::kind what, const std::string& who, const std::string& other = {},
            workflow::span time = {}, std::int64_t permille = 0, bool flag = false);
  actors::guarded_actor make_only_one(caf::actor_system& sys, const std::string& node);
  void probe_death(const std::string& node);
  void disturb(workflow::span time) { disturbed_until_ = std::max<moment>(disturbed_until_, world_.now() + time); }

  world& world_;
  services& services_;
  watch& watch_;
  observer observer_;
  cluster_shape shape_;
  script* recorded_ = nullptr;
  std::optional<clock_error> next_clock_; ///< of the next process: nothing is drawn
  std::filesystem::path folder_;
  std::filesystem::path store_path_;
  medium* medium_;       ///< null: there is none
  chance medium_chance_; ///< of its own, so that a run without the medium is the same
  chance people_chance_; ///< likewise
  chance told_chance_;   ///< likewise
  struct planned_word {
    std::string says;
    moment at{0}; ///< max: never
  };
  planned_word plan_word(const workflow::definition& d, const workflow::step_definition& s);
  const declared_services* outside_ = nullptr;
  std::optional<summer_time> summer_time_; ///< whose change comes during the run
  /// Of steps that wait: task, step and attempt.
  std::map<std::tuple<std::uint64_t, std::size_t, std::uint32_t>, planned_word> to_tell_;
  std::uint64_t tokens_issued_ = 0;
  std::set<std::string> tokens_used_;
  std::map<std::string, std::map<std::string, store::write_status>> rivals_; ///< events by id: their senders
  bool medium_fails_ = false;
  bool is_stopping_ = false;  ///< properly: its data is saved
  bool is_power_cut_ = false; ///< when the node with the store dies, or since it died
  std::vector<std::string> names_;
  /// A partition of the store. Of a store that moves, the row that says who has it.
  struct seat {
    std::shared_ptr<simulation::disk> disk;
    std::string owner;  ///< has it, or had it last
    std::string holder; ///< as the row says; empty: it was let go
    moment seen_alive{0};
    std::map<std::string, std::uint32_t> left_to_others; ///< looks in a row, by the node that could have taken it
  };
  std::vector<seat> seats_;                            ///< at least one
  std::shared_ptr<store::local_store> whole_;          ///< all of them
  std::set<std::string> giving_;                       ///< nodes that let one go
  std::map<std::string, moment> balanced_at_;          ///< when they last saw that nobody needs one more
  std::set<std::string> leaving_;                      ///< nodes that are told to end
  std::map<std::string, node_parts> parts_;            ///< of the nodes that are up
  std::map<std::string, std::set<std::string>> homes_; ///< of agents: the nodes that have it
  std::set<std::string> died_calling_;
  std::map<std::string, moment> drained_at_;                             ///< nodes that are up
  std::map<std::pair<std::string, std::string>, std::uint64_t> to_hold_; ///< circuits of agents, by node and name
  std::map<std::pair<std::uint32_t, std::string>, int> closing_;         ///< by process and name: closings on their way
  std::uint64_t holds_ = 0;
  std::map<std::uint64_t, std::string> only_ones_; ///< actors that must have one instance, and where each is
  std::uint64_t only_ones_made_ = 0;
  moment no_supervisor_until_{0};
  moment disturbed_until_{0};
  moment stopped_at_{0}; ///< the last time; what there is one of must be one all the same
  std::uint64_t nodes_started_ = 0;
  std::uint64_t partitions_taken_ = 0;
  std::uint64_t store_starts_ = 0;
  disk_faults disk_faults_;
  workflow::span wall_error_max_{0};
  workflow::span wall_error_least_{0};
  workflow::span furthest_ahead_{0}; ///< of the clocks of the node with the store
  std::int64_t drift_permille_max_ = 0;
  std::optional<clock_error> store_clock_; ///< of the last life of the node with the store
  std::set<std::string> submitted_;
  std::set<std::string> acknowledged_;
  std::map<std::string, workflow::submission> said_; ///< by id
  std::set<std::string> left_;                       ///< ids whose tasks have left the store
  std::set<std::uint64_t> gone_;    ///< numbers of tasks that have left: an answer about one is too late
  std::set<std::string> left_once_; ///< and those that have been used again since
  std::map<std::string, std::vector<submission_call>> submissions_;
  std::map<std::uint64_t, std::size_t> acts_done_; ///< by number of the task
  std::size_t asked_and_answered_ = 0;
};

} // namespace steadfast::simulation
