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

/// Whether there is room for new work.
enum class room { there, no_pages, no_disk };

/// One durable transaction in the making: decides each write on its own and carries it out if it is allowed. Throws
/// lmdb::error; then the transaction must be thrown away.
class write_batch {
public:
  struct settings {
    const store_options* options = nullptr;
    room full = room::there;      ///< if not there, submissions of new tasks get `full`
    std::uint64_t pages_max = 0;  ///< pages in use above which there is no room for new work
    id_filter* moved = nullptr;   ///< of table `ids`; changed as the batch goes, and may know of more than is committed
    known_tasks* known = nullptr; ///< changed as the batch goes; to be thrown away together with the transaction
    change_log* changes = nullptr;          ///< gets what the batch does; null: nobody wants to know
    const tasks_elsewhere* left = nullptr;  ///< the tasks that have left the tables; null: none has
    const asked_elsewhere* asked = nullptr; ///< what was found out about those; null: as `left`
  };
  write_batch(lmdb::transaction& txn, const tables& in, const committed& before, const settings& s);

  outcome carry_out(const write& w);
  /// Tasks that may be elsewhere, but that the batch treated as if they did not exist: its decisions may be wrong. They
  /// must be put into the tables, or be known to be nowhere, before the same batch is decided again.
  const needed_tasks& needed() const { return needed_; }
  /// Writes what is kept once per batch. Call it before the commit.
  void finish();

  /// To be called after the commit. What was committed has to be remembered: if there is no memory for that, the
  /// process ends, and the next one reads it.
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

  /// Notes that the task may be elsewhere, unless that was asked already.
  void need(const std::string& id) const;
  void need(std::uint64_t number) const;
  /// The task's record as it is now. Nothing: there is no such task. Valid until something is written.
  std::optional<std::string_view> row_of(std::uint64_t number) const;
  /// What the record says. Reports a damaged task before it throws.
  snapshot::known_task read(std::uint64_t number, std::string_view row, bool whole);
  /// Rows of its steps that are not in the tables yet; null: there are none.
  const held_steps* steps_held_of(std::uint64_t number) const;
  /// row_of() and read() together.
  std::optional<snapshot::known_task> load(std::uint64_t number, bool whole = false);

  /// What is known of the task; if nothing is, it is read. Null: there is no such task.
  known_tasks::entry* known(std::uint64_t number);
  /// The task's record as it was before the last change; empty: it is new.
  std::string_view row_before(const known_tasks::entry& e, const key& k) const;
  /// Stores the record of a task whose entry has its new state already. `before`: the steps as `e.row` has them, if
  /// they are at hand.
  void put_row(known_tasks::entry& e, const workflow::task& t, const workflow::step_list& before);
  /// Puts the tasks that changed into the tables. Call it before a verb that reads or changes tables other than the
  /// queue.
  void place_tasks();

  // write_task.cpp
  answer<submit_task> submit_anew(const submit_task& w, const std::array<std::uint64_t, 2>& digest);
  const workflow::payload_needs& needs_of(const definition_cache::entry& d);
  known_workflow known_workflow_of(const workflow::submission& s);
  workflow::find_workflow workflows_for(const workflow::definition& parent); ///< known_workflow::find
  workflow::workflow_of_child workflow_of_children(const std::string& name);
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
  /// Replaces the task by `next` and returns the new revision. Throws damaged_record before anything is stored.
  std::uint64_t replace(known_tasks::entry& e, const next_state& next);
  void put(known_tasks::entry& e, const next_state& next, const task_change& c);
  void put_results(const workflow::task& t, const std::vector<result_change>& changes);
  /// Stores the steps that are not as in `before`, if the task has so many that they have rows of their own. To be
  /// called before its record is put.
  void put_steps(known_tasks::entry& e, const workflow::task& t, const workflow::step_list& before);
  void put_payload(std::uint64_t number, const workflow::blob& payload);
  workflow::blob payload_of(std::uint64_t number) const;
  void count_change(const workflow::task& next, const task_change& c);
  void put_in_index(std::uint64_t number, const std::vector<workflow::payload_value>& values);
  void erase_from_index(std::uint64_t number, const std::vector<workflow::payload_value>& values);
  /// For one more task with a payload of that size.
  bool has_room(std::uint64_t payload_size);
  std::uint64_t pages_left() const;
  /// Raises an alert, unless there is one already.
  decision turned_down_full(workflow::instant now);
  void forget_seen_alerts();

  // write_event.cpp
  /// Updates the rows of the steps that wait for events to the task's next state.
  void move_event_waits(const workflow::definition& d, const workflow::task& next,
                        const std::vector<waiting_step>& before);
  /// Hands kept events to the steps that have begun to wait for them, and acts on the notes between parents and
  /// children. By number: the tasks that changed, as they are then.
  std::map<std::uint64_t, workflow::task> let_take_events();
  void let_take_events(other_changes& into);
  /// The task as it is after the step has taken the first event that it may; nothing: there is none.
  std::optional<workflow::task> let_take_event(std::uint64_t number, std::size_t step, workflow::instant now);
  /// The same for each of its steps.
  void let_take_all(std::uint64_t number, workflow::instant now);
  std::optional<event_record> event_for(const wanted_events& wanted, workflow::instant now) const;
  void deliver(event_rest& rest, std::uint32_t max, workflow::instant now, event_result& into);
  /// Goes on with an event that many tasks wait for. False: there is no such event.
  bool deliver_rest(workflow::instant now, event_result& into);
  void drop_expired_events(workflow::instant now);
  void drop_event(std::string_view end); ///< by its key in event_ends
  /// The event that came before with its id and name, if it can still be taken. If it cannot, all of it is removed.
  std::optional<event_record> sent_before(const send_event& w);
  std::uint64_t last_event_number() const;
  std::string put_event(const event_record& x); ///< returns how the keys of all that wait for it begin

  // write_schedule.cpp
  std::optional<workflow::schedule_state> schedule_there(const std::string& name) const;
  /// Null: there was none before, or there is none afterwards.
  void put_schedule_row(const workflow::schedule_state* before, const workflow::schedule_state* next);
  /// Valid as long as `clock` and `into`. `into` gets what is done.
  workflow::schedule_needs needs_of_schedule(const workflow::clock_reading& clock, schedule_result& into);
  /// A task has ended: a schedule may wait for that.
  void free_schedule(const workflow::task& t);
  // family/write_child.cpp
  using changed_tasks = std::map<std::uint64_t, workflow::task>; ///< by number: as they are then
  /// Adds the notes that follow from the change of the task to `next`. `before`: its steps until then; empty: they are
  /// not at hand. `there`: what else was known of it.
  void note_family(const workflow::definition& d, const workflow::task& next, const workflow::step_list& before,
                   const task_outline& there, workflow::process_state state_before);
  void note_import(const workflow::definition& d, const workflow::task& t);
  void note_to_parent(const workflow::task& t, workflow::process_state state_before);
  /// Acts on the notes, or leaves them to claims.
  void say_notes(changed_tasks& changed);
  /// Takes up notes again that were left. True: there are more.
  bool say_rest_of_notes(workflow::instant now);
  void say(const child_note& x, changed_tasks& changed);
  const snapshot::known_task* parent_of(const child_note& x); ///< null: there is none
  void complete_parent(std::uint64_t number);                 ///< that notes are about: reads its payload too
  void start_child(const child_note& x, const workflow::task& parent, const workflow::definition& d,
                   changed_tasks& changed);
  void undo_child(const child_note& x, const workflow::task& parent, const workflow::definition& d,
                  changed_tasks& changed);
  bool take_back_start(const child_note& x); ///< false: the start was acted on already, or there was no note
  void tell_parent(const child_note& x, const workflow::task& parent, const workflow::definition& d,
                   changed_tasks& changed);
  void end_step(const child_note& x, workflow::child_end end, changed_tasks& changed);
  /// Makes the child as a client would. Returns the number of its task, or why there is none.
  std::variant<std::uint64_t, std::string> make_child(workflow::new_child&& child, workflow::instant at,
                                                      changed_tasks& changed);
  /// The incident of the task that the step has started; alerts about the step join it.
  std::optional<std::uint64_t> incident_of_child(const workflow::task& t, const workflow::definition& d,
                                                 const std::string& step);

  // family/write_items.cpp
  void say_of_items(const child_note& x, const workflow::task& parent, const workflow::definition& d,
                    changed_tasks& changed);
  /// Nothing: the step has not begun any items.
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
  /// Stores the counts, and does what follows from them.
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
  /// The task of an item, if it has one. Nothing: it has none.
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
  /// Moves a part of the generation whose turn it is.
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
  /// `at`: where webhooks are told of it; absent: in a lane of its own. `incident`: the one that it joins, whatever its
  /// signature.
  void put(const raised_alert& x, std::optional<workflow::delivery_place> at = std::nullopt,
           std::optional<std::uint64_t> incident = std::nullopt);
  void acknowledge(alert_entry there, const std::string& who, workflow::instant now);
  /// `task`: the one that the alert is about.
  decision put(acknowledged_alert d, std::uint64_t alert, std::uint64_t task, workflow::instant now);
  /// Puts the act among the alerts, acknowledged by the person who did it.
  decision put_act(const record_act& what, act_place on);
  /// What a person did to a task by the update. A bulk act has a record of its own.
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
  /// Alerts of the task that are part of an incident.
  std::vector<alert_entry> alerts_of_task(std::uint64_t number) const;
  /// Absent: there is no such alert, or its record is damaged.
  std::optional<alert_entry> alert_of(std::uint64_t alert) const;
  /// None of the alerts of these incidents holds any more.
  void end_alerts_of(const std::vector<std::uint64_t>& incidents, const std::string& who, workflow::instant now);
  /// Whether an acknowledged alert is still part of its incident.
  bool holds_on(const alert_entry& x);
  bool is_of_condition(std::uint64_t alert);
  std::uint32_t acknowledge_some(std::uint64_t incident, const act_on_incident& w);

  // write_purge.cpp
  std::size_t purge(std::uint64_t number); ///< how many tasks leave with it; 0: it cannot leave yet
  /// Tasks behind `after` that are elsewhere, and that stay as long as their parents are in the tables.
  std::vector<ended_task> children_elsewhere(const purge_ended& w) const;
  bool has_parent_here(const workflow::task& t) const;
  /// Adds the numbers of the tasks that leave together.
  bool may_leave_with_children(const snapshot::known_task& known, std::vector<std::uint64_t>& family);
  void erase_all_of(const snapshot::known_task& known);
  ended_count& ended_of(const std::string& workflow);
  void count_ended(const std::string& workflow, const index_position& from, const index_position& to);
  void recount_ended();
  void put_ended_counts();
  void put_endings();

  // write_task.cpp
  void count_ending(const std::string& workflow, workflow::ending how);
  void count_move(task_move m);

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
  ended_counts ended_;          ///< of the workflows that were asked for
  endings_by_workflow endings_; ///< of the workflows of which tasks ended
  std::uint64_t transaction_;   ///< its number
  std::vector<task_move> moves_;
  bool counts_again_ = false; ///< a task left that cannot be read: nobody knows its workflow
  std::vector<std::uint64_t> set_aside_;
  mutable needed_tasks needed_;
  std::pair<std::string, std::uint32_t> newest_; ///< the workflow that was asked for last, and its newest version
  /// The definition that was asked for last, and what it needs of payloads.
  std::pair<definition_cache::entry, std::shared_ptr<const workflow::payload_needs>> needs_;
  std::map<definition_cache::entry, workflow::payload_needs> needs_of_children_; ///< the same of those of children
  std::uint64_t room_ = 0; ///< pages that were left when this was looked up, less those that may have been used since
  recent_ids::changes ids_;
  incident_book incidents_;
  task_change change_;                                    ///< the last one; kept so that its memory is reused
  std::map<std::uint64_t, workflow::bulk_act> bulk_acts_; ///< those that were looked at, as they are now
  /// A step that has begun to wait for events in the write that is being made, and since when.
  struct new_wait {
    std::uint64_t number = 0;
    std::size_t step = 0;
    workflow::instant since;
  };
  std::vector<new_wait> new_waits_;
  bool freed_schedule_ = false;        ///< in the write that is being made
  std::vector<task_news> news_;        ///< of the write that is being made
  std::uint64_t own_ = 0;              ///< the task that the write names; 0: none
  bool is_submission_ = false;         ///< the write is a submission
  std::deque<child_note> child_notes_; ///< of the write that is being made
  std::size_t notes_said_ = 0;
  std::optional<snapshot::known_task> last_parent_; ///< the last parent that notes were about
};

} // namespace steadfast::store
