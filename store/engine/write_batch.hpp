#pragma once

#include "store/contract/options.hpp"
#include "store/engine/tasks_elsewhere.hpp"
#include "store/journal/change_log.hpp"
#include "store/lmdb/committed.hpp"
#include "store/lmdb/id_filter.hpp"
#include "store/lmdb/incident_book.hpp"
#include "store/lmdb/indexes.hpp"
#include "store/lmdb/known_tasks.hpp"
#include "store/verbs/decide_definition.hpp"
#include "store/verbs/decide_event.hpp"
#include "store/verbs/decide_note.hpp"
#include "store/verbs/family/decide_child.hpp"
#include "store/verbs/family/decide_items.hpp"
#include "store/verbs/tasks/needed_tasks.hpp"
#include "store/verbs/tasks/new_task.hpp"
#include "store/verbs/tasks/task_change.hpp"
#include "workflow/definition/payload_needs.hpp"
#include "workflow/outward/delivery_queue.hpp"
#include "workflow/schedule/schedule_state.hpp"
#include "workflow/transition/event.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace steadfast::store {

/// For new work.
enum class room { there, no_pages, no_disk };

/// One durable transaction in the making: decides each write on its own and carries it out if it is allowed. Throws
/// lmdb::error; then the transaction must be thrown away.
class write_batch {
public:
  struct settings {
    const store_options* options = nullptr;
    room full = room::there;     ///< else submissions of new tasks get `full`
    std::uint64_t pages_max = 0; ///< pages in use above which there is no room for new work
    id_filter* moved = nullptr;  ///< of table `ids`; changed as the batch goes, and may know of more than was committed
    known_tasks* known = nullptr;  ///< changed as the batch goes; to be thrown away together with the transaction
    change_log* changes = nullptr; ///< what the batch does; null: nobody wants to know
    const tasks_elsewhere* left = nullptr;  ///< that have left the tables; null: all are there
    const asked_elsewhere* asked = nullptr; ///< about them; null: as `left`
  };
  write_batch(lmdb::transaction& txn, const tables& in, const committed& before, const settings& s);

  outcome carry_out(const write& w);
  /// Tasks that may be elsewhere, and which a write asked for as if there was none: what was decided may be wrong. They
  /// must be in the tables, or known to be nowhere, before the same batch is decided again.
  const needed_tasks& needed() const { return needed_; }
  /// Writes what is kept once per batch. Call it before the commit.
  void finish();

  /// After the commit. What was committed has to be known: if there is no memory for that, the process ends, and the
  /// next one reads it.
  void tell(committed& what) const noexcept;

private:
  // write_task.cpp
  answer<submit_task> make(const submit_task& w);
  answer<update_task> make(const update_task& w);
  // write_event.cpp
  answer<send_event> make(const send_event& w);
  // write_schedule.cpp
  answer<put_schedule> make(const put_schedule& w);
  answer<act_on_schedule> make(const act_on_schedule& w);
  answer<fire_schedules> make(const fire_schedules& w);
  // write_definition.cpp
  answer<register_definition> make(const register_definition& w);
  answer<set_aside_damaged> make(const set_aside_damaged& w);
  // write_import.cpp
  answer<import_task> make(const import_task& w);
  // write_lock.cpp
  answer<claim_tasks> make(const claim_tasks& w);
  answer<free_locks> make(const free_locks& w);
  // write_lease.cpp
  answer<acquire_lease> make(const acquire_lease& w);
  answer<renew_lease> make(const renew_lease& w);
  answer<release_lease> make(const release_lease& w);
  // write_note.cpp
  answer<keep_late_reply> make(const keep_late_reply& w);
  answer<acknowledge_alert> make(const acknowledge_alert& w);
  answer<record_act> make(const record_act& w);
  answer<acknowledge_notices> make(const acknowledge_notices& w);
  // write_incident.cpp
  answer<act_on_incident> make(const act_on_incident& w);
  answer<report_conditions> make(const report_conditions& w);
  // write_purge.cpp
  answer<purge_ended> make(const purge_ended& w);
  // write_bulk.cpp
  answer<start_bulk> make(const start_bulk& w);
  answer<advance_bulk> make(const advance_bulk& w);
  answer<stop_bulk> make(const stop_bulk& w);

  /// Nobody has asked for it yet, and it may be elsewhere.
  void need(const std::string& id) const;
  void need(std::uint64_t number) const;
  /// Its record as it is now. Nothing: there is no such task. Valid until something is written.
  std::optional<std::string_view> row_of(std::uint64_t number) const;
  /// What the record says. Reports a damaged task before it throws.
  snapshot::known_task read(std::uint64_t number, std::string_view row, bool whole);
  /// Rows of its steps that the tables do not have yet; null: there are none.
  const held_steps* steps_held_of(std::uint64_t number) const;
  /// Both.
  std::optional<snapshot::known_task> load(std::uint64_t number, bool whole = false);

  /// What is known of it, or read. Null: there is no such task.
  known_tasks::entry* known(std::uint64_t number);
  /// Its record as it was until now; empty: it is new.
  std::string_view row_before(const known_tasks::entry& e, const key& k) const;
  /// Keeps the record of a task, whose entry has its new state already.
  /// `before`: its steps as `e.row` has them, if they are at hand.
  void put_row(known_tasks::entry& e, const workflow::task& t, const workflow::step_list& before);
  /// Puts the tasks that changed into the tables. Call it before a verb that reads or changes tables other than the
  /// queue.
  void place_tasks();

  // write_task.cpp
  answer<submit_task> submit_anew(const submit_task& w, const std::array<std::uint64_t, 2>& digest);
  const workflow::payload_needs& needs_of(const definition_cache::entry& d);
  std::uint32_t newest_version(const std::string& workflow); ///< 0: there is none
  answer<submit_task> submit_again(const submit_task& w, const task_ref& known,
                                   const std::array<std::uint64_t, 2>& digest);
  answer<submit_task> submit_in_place(const submit_task& w, std::uint64_t number);
  std::uint64_t next_task_number() const {
    return workflow::next_number(settings_.options->partition, count_.last_task);
  }
  std::uint64_t next_alert_number() const {
    return workflow::next_number(settings_.options->partition, count_.last_alert);
  }
  known_tasks::entry& put(new_task& x, const std::array<std::uint64_t, 2>& digest); ///< takes its outline
  /// Puts `next` in the place of the task; the stored revision. Throws damaged_record before it has put anything.
  std::uint64_t replace(known_tasks::entry& e, const next_state& next);
  void put(known_tasks::entry& e, const next_state& next, const task_change& c);
  void put_results(const workflow::task& t, const std::vector<result_change>& changes);
  /// Keeps those that are not as `before`, if the task has so many that they have rows of their own. Its record comes
  /// after.
  void put_steps(known_tasks::entry& e, const workflow::task& t, const workflow::step_list& before);
  void put_payload(std::uint64_t number, const workflow::blob& payload);
  workflow::blob payload_of(std::uint64_t number) const;
  void count_change(const workflow::task& next, const task_change& c);
  void put_in_index(std::uint64_t number, const std::vector<workflow::payload_value>& values);
  void erase_from_index(std::uint64_t number, const std::vector<workflow::payload_value>& values);
  /// For one more task.
  bool has_room(std::uint64_t payload_size);
  std::uint64_t pages_left() const;
  /// With an alert, unless one tells of it already.
  decision turned_down_full(workflow::instant now);
  void forget_seen_alerts();

  // write_event.cpp
  /// Keeps the rows of the steps that wait for events as the task's next state says.
  void move_event_waits(const workflow::definition& d, const workflow::task& next,
                        const std::vector<waiting_step>& before);
  /// Hands events that are there to the steps that have begun to wait for them, and says what parents and children are
  /// to be told. By number: the tasks that changed, as they are then.
  std::map<std::uint64_t, workflow::task> let_take_events();
  void let_take_events(other_changes& into);
  /// The task as it is after the step has taken the first event that it may; nothing: there is none.
  std::optional<workflow::task> let_take_event(std::uint64_t number, std::size_t step, workflow::instant now);
  /// The same of each of its steps.
  void let_take_all(std::uint64_t number, workflow::instant now);
  std::optional<event_record> event_for(const wanted_events& wanted, workflow::instant now) const;
  void deliver(event_rest& rest, std::uint32_t max, workflow::instant now, event_result& into);
  /// Goes on with an event that many tasks wait for. False: there is none.
  bool deliver_rest(workflow::instant now, event_result& into);
  void drop_expired_events(workflow::instant now);
  void drop_event(std::string_view end); ///< by its key in event_ends
  /// The event that came before under its id and name, if that can still be taken. Of one that cannot nothing is left.
  std::optional<event_record> sent_before(const send_event& w);
  std::uint64_t last_event_number() const;
  std::string put_event(const event_record& x); ///< the beginning of the keys of all that wait for it

  // write_schedule.cpp
  std::optional<workflow::schedule_state> schedule_there(const std::string& name) const;
  /// Null: there is none before, or none any more.
  void put_schedule_row(const workflow::schedule_state* before, const workflow::schedule_state* next);
  /// Valid as long as `clock` and `into`, which gets what is done.
  workflow::schedule_needs needs_of_schedule(const workflow::clock_reading& clock, schedule_result& into);
  /// A task is over: a schedule may wait for that.
  void free_schedule(const workflow::task& t);
  // family/write_child.cpp
  using changed_tasks = std::map<std::uint64_t, workflow::task>; ///< by number: as they are then
  /// Notes what is to be said now that the task has become `next`. `before`: its steps; empty: they are not at hand.
  /// `there`: but for those what was known of it.
  void note_family(const workflow::definition& d, const workflow::task& next, const workflow::step_list& before,
                   const task_outline& there, workflow::process_state state_before);
  void note_import(const workflow::definition& d, const workflow::task& t);
  void note_to_parent(const workflow::task& t, workflow::process_state state_before);
  /// Says what was noted, or leaves it to claims.
  void say_notes(changed_tasks& changed);
  /// Notes again what was left. True: there is more.
  bool say_rest_of_notes(workflow::instant now);
  void say(const child_note& x, changed_tasks& changed);
  const snapshot::known_task* parent_of(const child_note& x); ///< null: there is none
  void complete_parent(std::uint64_t number);                 ///< that notes are about: with its payload
  void start_child(const child_note& x, const workflow::task& parent, const workflow::definition& d,
                   changed_tasks& changed);
  void undo_child(const child_note& x, const workflow::task& parent, const workflow::definition& d,
                  changed_tasks& changed);
  bool take_back_start(const child_note& x); ///< false: what the step starts was begun, or will not be
  void tell_parent(const child_note& x, const workflow::task& parent, const workflow::definition& d,
                   changed_tasks& changed);
  void end_step(const child_note& x, workflow::child_end end, changed_tasks& changed);
  /// Makes it, as a client would. The number of its task; or why there is none.
  std::variant<std::uint64_t, std::string> make_child(workflow::new_child&& child, workflow::instant at,
                                                      changed_tasks& changed);
  /// The incident of the task that the step has started: alerts about the step join it.
  std::optional<std::uint64_t> incident_of_child(const workflow::task& t, const workflow::definition& d,
                                                 const std::string& step);

  // family/write_items.cpp
  void say_of_items(const child_note& x, const workflow::task& parent, const workflow::definition& d,
                    changed_tasks& changed);
  /// Nothing: the step has not begun to go over any.
  std::optional<workflow::fan_out> fan_out_of(std::uint64_t parent, std::uint32_t step) const;
  void put(const child_note& x, const workflow::fan_out& f);
  void begin_items(const child_note& x, const workflow::task& parent, const workflow::definition& d,
                   changed_tasks& changed);
  void go_on_with_items(const child_note& x, workflow::fan_out f, const workflow::task& parent,
                        const workflow::definition& d, changed_tasks& changed);
  void start_item(const child_note& x, workflow::fan_out& f, std::uint32_t item, const workflow::task& parent,
                  const workflow::definition& d, changed_tasks& changed);
  void note_item_end(const child_note& x, workflow::fan_out f, const workflow::task& parent,
                     const workflow::definition& d, changed_tasks& changed);
  void undo_items(const child_note& x, workflow::fan_out f, const workflow::task& parent, const workflow::definition& d,
                  changed_tasks& changed);
  void undo_item(const child_note& x, workflow::fan_out& f, std::uint32_t item, const workflow::task& parent,
                 const workflow::definition& d, changed_tasks& changed);
  /// Stores what was counted, and what follows from it.
  void follow_items(const child_note& x, const workflow::fan_out& before, workflow::fan_out& f,
                    const workflow::task& parent, const workflow::definition& d, changed_tasks& changed);
  void tell_trouble(const child_note& x, const workflow::fan_out& f, const workflow::task& parent,
                    const workflow::definition& d, changed_tasks& changed);
  void gather(const child_note& x, workflow::fan_out& f, const workflow::definition& d, changed_tasks& changed);
  std::optional<item_record> item_of(const child_note& x, std::uint32_t item) const;
  void put(const child_note& x, std::uint32_t item, const item_record& r);
  void put(const child_note& x, std::uint32_t item, const item_row& r);
  void erase_items(std::uint64_t parent, std::uint32_t step);
  void find_first_in_error(const child_note& x, workflow::fan_out& f) const;
  /// Of an item's task, if it is one. Nothing: there is none.
  std::optional<snapshot::known_task> child_of_item(const workflow::task& parent, const workflow::definition& d,
                                                    std::uint32_t step, std::uint32_t item, bool whole);

  // write_definition.cpp
  /// Why the workflows that are made of a definition's steps cannot be stored; nothing: they can.
  std::optional<decision> name_taken(const std::vector<workflow::definition>& made);
  known_damage damage_there(std::uint64_t number);
  void uncount(const purged_position& was);
  void recount();

  // write_ids.cpp
  std::optional<task_ref> ref_of(const std::string& id) const;
  void put_id(const workflow::task& t, const std::array<std::uint64_t, 2>& digest);
  void erase_id(const workflow::task& t);
  std::string id_of(std::uint64_t number) const;
  /// A part of the generation whose turn it is.
  void move_ids();
  void move_id(const std::string& id, const recent_ref& ref);
  void drop_moved(std::size_t max);

  // write_import.cpp
  std::optional<decision> cannot_import(const import_task& w);

  // write_lock.cpp
  /// The task as stored, if the event was applied; a damaged task is passed over.
  std::optional<workflow::task> apply_to(std::uint64_t number, const workflow::event& e,
                                         const workflow::clock_reading& clock, bool whole);

  // write_lease.cpp
  template <class Write>
  answer<Write> carry_out(decided<Write, lease_record> d);
  lease_record lease_to_acquire(const acquire_lease& w);
  std::uint64_t forgotten_epoch() const;
  void forget_leases(const workflow::clock_reading& clock);
  const needs_of_workflows& needs() const; ///< reads all workflows, once
  workflow::knowledge needed_of_nodes() const;
  bool has_locks(const std::string& lease) const;
  std::optional<decision>
  not_held(const std::optional<lease_guard>& guard,
           const workflow::clock_reading& clock) const; ///< nothing: it is, or none is asked for
  std::optional<decision> still_held(const std::optional<lease_guard>& gone,
                                     const workflow::clock_reading& clock) const;

  // write_note.cpp
  void put_notice(const workflow::task& t, const workflow::notice& what);
  void list_alert_of(std::uint64_t number, std::uint64_t alert);
  /// `at`: where webhooks are told of it; absent: in a lane of its own.
  /// `incident`: that it joins, whatever its signature.
  void put(const raised_alert& x, std::optional<workflow::delivery_place> at = std::nullopt,
           std::optional<std::uint64_t> incident = std::nullopt);
  void acknowledge(alert_entry there, const std::string& who, workflow::instant now);
  /// `task`: that the alert is about.
  decision put(acknowledged_alert d, std::uint64_t alert, std::uint64_t task, workflow::instant now);
  /// Among the alerts, as one that was acknowledged by who did it.
  void put_act(std::uint64_t number, const std::string& id, const record_act& what);
  /// What a person does to a task with the update. A bulk act has a record of its own.
  std::optional<record_act> act_in(const update_task& w);
  void put_late_reply(std::uint64_t number, const std::string& id, const workflow::late_reply& what);

  // write_outward.cpp
  template <class Make>
  void tell_webhooks(workflow::outward_event e, std::string_view workflow, const workflow::delivery_place& at,
                     const std::string& task_id, Make make);
  void tell_of_end(const workflow::task& t, std::uint64_t revision);
  void tell_of(const raised_alert& x, std::uint64_t alert, const workflow::delivery_place& at);
  void tell_of_incidents(); ///< that have begun or ended in this batch

  // write_incident.cpp
  /// That are part of an incident.
  std::vector<alert_entry> alerts_of_task(std::uint64_t number) const;
  /// Absent: there is none, or its record is damaged.
  std::optional<alert_entry> alert_of(std::uint64_t alert) const;
  /// None of them holds any more.
  void end_alerts_of(const std::vector<std::uint64_t>& incidents, const std::string& who, workflow::instant now);
  /// Once it was acknowledged: whether it still is part of its incident.
  bool holds_on(const alert_entry& x);
  bool is_of_condition(std::uint64_t alert);
  std::uint32_t acknowledge_some(std::uint64_t incident, const act_on_incident& w);

  // write_purge.cpp
  std::size_t purge(std::uint64_t number); ///< how many tasks leave with it; 0: it cannot leave yet
  /// Those behind `after` that are elsewhere, and stay as long as their parents are there.
  std::vector<ended_task> children_elsewhere(const purge_ended& w) const;
  bool has_parent_here(const workflow::task& t) const;
  /// Adds the numbers of those that leave together.
  bool may_leave_with_children(const snapshot::known_task& known, std::vector<std::uint64_t>& family);
  void erase_all_of(const snapshot::known_task& known);
  ended_count& ended_of(const std::string& workflow);
  void count_ended(const std::string& workflow, const index_position& from, const index_position& to);
  void recount_ended();
  void put_ended_counts();
  void put_endings();

  // write_task.cpp
  void count_ending(const std::string& workflow, workflow::ending how);

  // write_bulk.cpp
  workflow::bulk_act*
  bulk_act_of(std::uint64_t number); ///< null: there is none; changes count when write_bulk_acts() is called
  std::optional<decision> not_for_bulk(std::uint64_t number,
                                       std::uint64_t task); ///< nothing: the task may take the act
  void write_bulk_acts();
  std::vector<workflow::bulk_act> bulk_acts_there();
  void drop_bulk_act(std::uint64_t number);
  std::size_t refusals_of(std::uint64_t bulk) const;

  std::uint64_t& tasks_in(workflow::process_state s) { return count_.tasks.at(static_cast<std::size_t>(s)); }

  lmdb::transaction& txn_;
  const tables& in_;
  const committed& before_;
  settings settings_;
  definition_cache cache_;
  snapshot see_;
  counters count_;
  full_alerts alerts_;
  ended_counts ended_;          ///< of the workflows that somebody asked for
  endings_by_workflow endings_; ///< of those of which tasks ended
  std::vector<std::uint64_t> set_aside_;
  mutable needed_tasks needed_;
  std::pair<std::string, std::uint32_t> newest_; ///< the workflow that was asked for last, and its newest version
  /// Likewise a definition, and what it needs of payloads.
  std::pair<definition_cache::entry, std::shared_ptr<const workflow::payload_needs>> needs_;
  std::uint64_t room_ = 0; ///< pages that were left when it was looked, less what may have been used since
  recent_ids::changes ids_;
  incident_book incidents_;
  task_change change_;                                    ///< the last one; kept for its memory
  std::map<std::uint64_t, workflow::bulk_act> bulk_acts_; ///< that were looked at, as they are now
  /// Of tasks: that have begun to wait for events in the write that is being made, and when.
  struct new_wait {
    std::uint64_t number = 0;
    std::size_t step = 0;
    workflow::instant since;
  };
  std::vector<new_wait> new_waits_;
  bool freed_schedule_ = false;        ///< in the write that is being made
  std::vector<task_news> news_;        ///< of it
  std::uint64_t own_ = 0;              ///< the task that it names; 0: none
  bool is_submission_ = false;         ///< it is
  std::deque<child_note> child_notes_; ///< of the write that is being made
  std::size_t notes_said_ = 0;
  std::optional<snapshot::known_task> last_parent_; ///< that notes were about
};

} // namespace steadfast::store
