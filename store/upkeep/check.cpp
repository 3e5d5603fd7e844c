// Reads every record and every index entry.

#include "store/upkeep/check.hpp"

#include "store/engine/reading.hpp"
#include "store/journal/migration.hpp"
#include "store/journal/recovery.hpp"
#include "store/lmdb/incident_book.hpp"
#include "store/lmdb/prefix_scan.hpp"
#include "store/lmdb/ready_tasks.hpp"
#include "store/upkeep/table_check.hpp"
#include "store/verbs/family/decide_child.hpp"
#include "store/verbs/family/decide_items.hpp"
#include "workflow/task/taken_in.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace steadfast::store {

namespace {

using numbers_by_id = std::map<std::string, std::uint64_t>;

/// In table recent_ids.
numbers_by_id recent_numbers(const lmdb::transaction& txn, const tables& in) {
  numbers_by_id all;
  lmdb::cursor c{txn, in.recent_ids};
  for (bool more = c.first(); more; more = c.next())
    if (const auto x = readable<recent_id>(c.key(), c.value()))
      all[x->id] = last_number(c.key());
  return all;
}

/// Of the items of a step, as they are found.
class item_count {
public:
  explicit item_count(const workflow::fan_out& of) { found_.is_turned = of.is_turned; }

  /// False: it cannot be read.
  bool add(std::string_view key, std::string_view value) {
    const auto item = readable<item_record>(key, value);
    if (item)
      workflow::count(found_, item->state);
    return item.has_value();
  }
  bool is_as_in(const workflow::fan_out& g) const {
    return g.at_work == found_.at_work && g.undo_left == found_.undo_left && g.in_error == found_.in_error
           && (g.is_gathered || g.is_turned || (g.done == found_.done && g.failed == found_.failed));
  }

private:
  workflow::fan_out found_;
};

class inspection : table_check {
public:
  inspection(const lmdb::transaction& txn, const tables& in, const snapshot& see, const checked_elsewhere* elsewhere)
      : table_check{txn, in},
        see_{see},
        elsewhere_{elsewhere},
        partition_{partition_in(txn)} {}

  check_report run() {
    read_counters();
    check_definitions();
    check_tasks();
    count_elsewhere();
    check_ids();
    check_rows_of_tasks(in.payloads, "payload");
    check_rows_of_tasks(in.results, "result");
    check_rows_of_tasks(in.task_steps, "steps");
    check_rows_of_tasks(in.item_groups, "count of items");
    check_rows_of_tasks(in.items, "item");
    report.records += txn.entries(in.task_steps);
    check_events(*this);
    check_schedules(*this);
    check_holds();
    check_index_sizes();
    check_groups();
    check_leases();
    found_.last_alert = check_alerts(*this);
    check_incidents(*this);
    check_bulk_acts(*this);
    check_notices();
    check_late_replies();
    check_set_aside();
    check_ended_counts();
    each(in.endings, [this](const lmdb::cursor& c) {
      record<workflow::endings>(c, "how tasks of workflow " + std::string{c.key()} + " end");
    });
    check_counters();
    return std::move(report);
  }

private:
  bool is_set_aside(std::uint64_t number) const { return has(in.set_aside, key{number}); }

  void read_counters() {
    ++report.records;
    try {
      counted_ = decode_record<counters>(counters_key, txn.get(in.meta, counters_key).value_or(std::string_view{}));
    } catch (const damaged_record& e) {
      fault(std::string{"counters: "} + e.what());
    }
  }

  void check_definitions() {
    each(in.definitions, [this](const lmdb::cursor& c) {
      const auto d = record<workflow::definition>(c, "a definition");
      if (!d)
        return;
      const auto name = "definition " + d->name + " version " + std::to_string(d->version);
      expect(c.key() == definition_key(d->name, d->version).view(), name + ": it has the key of another one");
      for (const auto& p : workflow::problems(*d))
        fault(std::string{name}.append(": ").append(p));
    });
  }

  void check_tasks() {
    each(in.tasks, [this](const lmdb::cursor& c) {
      const auto number = last_number(c.key());
      ++report.records;
      ++report.tasks;
      found_.last_task = std::max(found_.last_task, number);
      try {
        if (const auto known = see_.whole_task(number))
          check_task(*known);
      } catch (const damaged_record& e) {
        fault("task " + std::to_string(number) + ": " + e.what());
        has_damaged_task_ = true;
      }
    });
  }

  void check_task(const snapshot::known_task& known) {
    const auto& t = known.state.task;
    const auto name = "task " + std::to_string(t.number) + " (" + t.id + ")";
    const auto place = known.place();
    ++found_.tasks.at(static_cast<std::size_t>(t.state));
    report.records += known.state.large.size() + (known.state.payload_size > 0 ? 1 : 0);
    check_id(t, name);
    expect(workflow::partition_of_number(t.number, partition_.count) == partition_.index
             && workflow::partition_of(t.id, partition_.count) == partition_.index,
           name + ": it belongs to another partition");
    expect(has(in.states, key{static_cast<std::uint8_t>(t.state), t.number}), name + ": missing in table states");
    if (place.due != workflow::never)
      expect(counted(in.deadlines, key{place.due, t.number}), name + ": missing in table deadlines");
    if (!place.locked_by.empty())
      expect(counted(in.locked, locked_key(place.locked_by, t.number)), name + ": missing in table locked");
    if (place.is_claimable && !place.group.is_waiting)
      expect(counted_in_queue(place, t.number), name + ": missing in tables ready and delayed");
    check_limit(place, t.number, name);
    if (place.ended_at != workflow::unset) {
      expect(counted(in.ended, ended_key(place.workflow, place.ended_at, t.number)), name + ": missing in table ended");
      ++ended_[t.workflow];
    }
    for (std::size_t i = 0; i < t.steps.size(); ++i)
      if (const auto& rule = known.definition->steps[i].wait;
          rule && rule->what == workflow::wait_rule::kind::event && t.steps[i].state == workflow::step_state::waiting)
        expect(counted(in.event_waits, key{event_place(rule->name, t.steps[i].wait->event_key).view(),
                                           static_cast<std::uint32_t>(i), t.number}),
               name + ": missing in table event_waits");
    check_family(known, name);
    for (const auto& x : workflow::indexed_values(*known.definition, t.payload.view()))
      expect(counted(in.payload_index, payload_index_key(x, t.number)),
             name + ": missing in table payload_index with the value at " + x.place);
  }

  /// By its id it is found, and no other task is.
  void check_id(const workflow::task& t, const std::string& name) {
    const auto bytes = txn.get(in.ids, t.id);
    const auto ref = bytes ? readable<task_ref>(t.id, *bytes) : std::nullopt;
    const bool is_recent = has(in.recent_ids, key{t.number});
    expect(bytes || is_recent, name + ": its id is not known");
    const key there{ref ? ref->number : t.number};
    const auto found = ref && ref->number != t.number ? txn.get(in.tasks, there) : std::nullopt;
    const auto other = found ? readable<task_state>(there, *found) : std::nullopt;
    const auto recent = recents().find(t.id);
    expect((!other || other->task.id != t.id) && (recent == recents().end() || recent->second == t.number),
           name + ": another task has its id");
  }

  /// It counts in its group, or waits in it in one way.
  void check_limit(const index_position& p, std::uint64_t number, const std::string& name) {
    const auto& g = p.group;
    if (g.is_under_way)
      expect(counted(in.limit_places, key{g.number, number}), name + ": it is under way, and has no place");
    if (!g.is_waiting)
      return;
    const auto tag = workflow_tag(p.workflow);
    const bool is_delayed = p.not_before != workflow::unset
                            && counted(in.delayed, delayed_key(p.not_before, p.priority, p.workflow, g, number));
    const bool has_place = counted(in.limit_places, key{g.number, number, p.priority, tag, g.at_a_time});
    const bool waits = counted(in.limit_waits, key{g.number, p.priority, number, tag, g.at_a_time});
    const bool is_ready = counted(in.ready, key{p.priority, tag, g.number, number});
    expect(int{is_delayed} + int{has_place} + int{waits} == 1 && has_place == is_ready,
           name + ": it must wait for its time, for a place in its group or for a scheduler, and for one of them only");
    if (waits || has_place) {
      auto& first = groups_[g.number];
      const limit_member m{p.priority, number, tag, g.at_a_time};
      first = waits ? std::min(first.value_or(m), m) : first;
    }
  }

  /// Those that have ended, and keep their places, have them.
  void check_holds() {
    each(in.limit_holds, [this](const lmdb::cursor& c) {
      constexpr auto end_of_hold = sizeof(std::uint64_t);
      expect(c.key().size() > end_of_hold && counted(in.limit_places, c.key().substr(end_of_hold)),
             "task " + std::to_string(last_number(c.key())) + ": it has no place to keep");
    });
  }

  /// Those have places that are to have them.
  void check_groups() {
    if (has_damaged_task_)
      return;
    for (const auto& [group, first] : groups_)
      expect(!next_place_change(places_of_group(txn, in, group), first),
             "the places of group " + std::to_string(group) + " are not given as its limit says");
  }

  std::optional<std::uint64_t> number_of(const std::string& id) {
    if (const auto ref = see_.ref_of(id))
      return ref->number;
    const auto found = recents().find(id);
    return found == recents().end() ? std::nullopt : std::optional{found->second};
  }

  const numbers_by_id& recents() {
    if (!recent_)
      recent_ = recent_numbers(txn, in);
    return *recent_;
  }

  /// A child has its parent, and each knows how the other stands, or will be told.
  void check_family(const snapshot::known_task& known, const std::string& name) {
    const auto& t = known.state.task;
    if (!t.parent.empty() && t.parent->number != 0 && !workflow::has_ended(t)) {
      const bool is_here = number_of(t.parent->id) == t.parent->number && has(in.tasks, key{t.parent->number});
      expect(is_here || is_elsewhere(t.parent->number), name + ": its parent is not there");
    }
    if (!workflow::any_starts_child(*known.definition))
      return;
    for (std::size_t i = 0; i < t.steps.size(); ++i) {
      if (workflow::is_over_items(known.definition->steps[i])) {
        check_items(known, i, name + ": step " + known.definition->steps[i].name);
        continue;
      }
      const auto child = workflow::starts_child(known.definition->steps[i])
                           ? task_called(workflow::child_id(t, *known.definition, i))
                           : std::nullopt;
      const bool is_child = child && workflow::is_child_of(*child, t, i);
      const auto duty = workflow::duty_of(t, *known.definition, i, is_child ? &*child : nullptr);
      const auto note = [&](workflow::child_duty what) {
        return has(in.child_notes, key_of({t.number, static_cast<std::uint32_t>(i), what, {}}));
      };
      expect(duty == workflow::child_duty::none || note(duty) || note(workflow::child_duty::undo)
               || (!is_child && was_taken_in(t)),
             name + ": step " + known.definition->steps[i].name + " and its task do not know of each other");
    }
  }

  std::optional<workflow::task> task_called(const std::string& id) {
    if (const auto number = number_of(id))
      if (auto known = see_.task(*number))
        return std::move(known->state.task);
    const bool has_left = elsewhere_ != nullptr && elsewhere_->children.contains(id);
    return has_left ? std::optional{elsewhere_->children.at(id)} : std::nullopt;
  }

  /// What is counted of the items of step `i` is what they say, and what is to be started or undone will be.
  void check_items(const snapshot::known_task& known, std::size_t i, const std::string& name) {
    const auto& t = known.state.task;
    const auto step = static_cast<std::uint32_t>(i);
    const key place{t.number, step};
    const auto note = [&](workflow::child_duty what) {
      return has_any_with(txn, in.child_notes, key{t.number, step, static_cast<std::uint8_t>(what)});
    };
    const auto row = txn.get(in.item_groups, place);
    const auto g = row ? readable<workflow::fan_out>(place, *row) : std::nullopt;
    const bool waits = t.steps[i].state == workflow::step_state::waiting;
    if (!g) {
      expect(!row, name + ": what is counted of its items cannot be read");
      expect(!waits || note(workflow::child_duty::start) || was_taken_in(t), name + ": its items were not begun");
      return;
    }
    item_count found{*g};
    each_with(txn, in.items, place.view(), place.view(), [&](const lmdb::cursor& c) {
      expect(found.add(c.key(), c.value()), name + ": one of its items cannot be read");
      return true;
    });
    expect(found.is_as_in(*g), name + ": what is counted of its items is not what they say");
    const bool rest = do_items_rest(t);
    expect(!waits || rest || !workflow::may_start_next(*g) || note(workflow::child_duty::start),
           name + ": items are to be started, and nothing does");
    expect(rest || !workflow::may_undo_next(*g) || note(workflow::child_duty::undo),
           name + ": items are to be undone, and nothing does");
  }

  /// From another store, where the task of a step may be.
  static bool was_taken_in(const workflow::task& t) {
    return std::any_of(t.acts.begin(), t.acts.end(), workflow::was_taken_in);
  }

  /// That have not come back.
  void count_elsewhere() {
    if (elsewhere_ == nullptr)
      return;
    report.records += elsewhere_->report.records;
    for (const auto& f : elsewhere_->report.faults)
      fault(f);
    has_damaged_task_ = has_damaged_task_ || elsewhere_->damaged > 0;
    left_ = elsewhere_->damaged;
    for (const auto& t : elsewhere_->tasks) {
      if (has(in.tasks, key{t.number}))
        continue;
      ++left_;
      ++report.tasks;
      ++found_.tasks.at(static_cast<std::size_t>(t.state));
      ++ended_[*t.workflow];
      found_.last_task = std::max(found_.last_task, t.number);
    }
  }

  bool is_elsewhere(std::uint64_t number) const {
    if (elsewhere_ == nullptr)
      return false;
    const auto& all = elsewhere_->tasks;
    const auto at = std::lower_bound(all.begin(), all.end(), number,
                                     [](const checked_elsewhere::task& t, std::uint64_t n) { return t.number > n; });
    return at != all.end() && at->number == number;
  }

  bool counted(lmdb::table t, std::string_view k) {
    if (!has(t, k))
      return false;
    ++entries_[t.dbi];
    return true;
  }

  bool counted_in_queue(const index_position& p, std::uint64_t number) {
    const bool is_delayed =
      p.not_before != workflow::unset && counted(in.delayed, delayed_key(p.not_before, p.priority, p.workflow, number));
    const bool is_ready = counted(in.ready, ready_key(p.priority, p.workflow, number));
    return is_delayed != is_ready;
  }

  /// Every task has its entries, so that one too many is a stray.
  void check_index_sizes() {
    if (has_damaged_task_)
      return; // its entries cannot be told from strays
    const auto same = [this](lmdb::table t, std::uint64_t expected, const std::string& name) {
      const auto is = txn.entries(t);
      expect(is == expected, "table " + name + " has " + std::to_string(is) + " entries where there should be "
                               + std::to_string(expected));
    };
    report.records += txn.entries(in.states) + txn.entries(in.deadlines) + txn.entries(in.ready)
                      + txn.entries(in.delayed) + txn.entries(in.locked) + txn.entries(in.ended)
                      + txn.entries(in.payload_index);
    same(in.states, txn.entries(in.tasks), "states");
    same(in.deadlines, entries_[in.deadlines.dbi], "deadlines");
    same(in.ready, entries_[in.ready.dbi], "ready");
    same(in.delayed, entries_[in.delayed.dbi], "delayed");
    same(in.locked, entries_[in.locked.dbi], "locked");
    same(in.ended, entries_[in.ended.dbi], "ended");
    same(in.payload_index, entries_[in.payload_index.dbi], "payload_index");
    same(in.limit_waits, entries_[in.limit_waits.dbi], "limit_waits");
    same(in.limit_places, entries_[in.limit_places.dbi], "limit_places");
    same(in.event_waits, entries_[in.event_waits.dbi], "event_waits");
  }

  void check_ids() {
    each(in.ids, [this](const lmdb::cursor& c) {
      const auto name = "id " + std::string{c.key()};
      const auto ref = record<task_ref>(c, name);
      if (!ref || is_set_aside(ref->number))
        return;
      const key k{ref->number};
      const auto bytes = txn.get(in.tasks, k);
      const auto t = bytes ? readable<task_state>(k, *bytes) : std::nullopt;
      expect(bytes.has_value(), name + ": there is no task " + std::to_string(ref->number));
      expect(!t || t->task.id == c.key(), name + ": it leads to another task");
    });
    each(in.recent_ids, [this](const lmdb::cursor& c) {
      const auto number = last_number(c.key());
      const auto name = "id of task " + std::to_string(number);
      const auto recent = record<recent_id>(c, name);
      if (!recent || is_set_aside(number))
        return;
      const auto bytes = txn.get(in.tasks, c.key());
      const auto t = bytes ? readable<task_state>(c.key(), *bytes) : std::nullopt;
      expect(bytes.has_value(), name + ": there is no such task");
      expect(!t || t->task.id == recent->id, name + ": it is another one's");
      const auto moved = txn.get(in.ids, recent->id);
      const auto ref = moved ? readable<task_ref>(recent->id, *moved) : std::nullopt;
      expect(!ref || ref->number == number, name + ": it leads to another task");
    });
  }

  void check_rows_of_tasks(lmdb::table t, const std::string& what) {
    each(t, [&](const lmdb::cursor& c) {
      const auto number = key_reader{c.key()}.number<std::uint64_t>().value_or(0);
      expect(has(in.tasks, key{number}) || is_set_aside(number),
             what + " of task " + std::to_string(number) + ": there is no such task");
    });
  }

  void check_leases() {
    if (const auto bytes = txn.get(in.meta, forgotten_lease_key)) {
      ++report.records;
      const auto x = readable<lease_record>(forgotten_lease_key, *bytes);
      expect(x.has_value(), "the highest epoch of leases that were erased: its record is damaged");
      found_.last_epoch = std::max(found_.last_epoch, x ? x->what.epoch : 0);
    }
    each(in.leases, [this](const lmdb::cursor& c) {
      const auto x = record<lease_record>(c, "lease " + std::string{c.key()});
      if (!x)
        return;
      expect(x->what.name == c.key(), "lease " + x->what.name + ": it has the key of another one");
      found_.last_epoch = std::max(found_.last_epoch, x->what.epoch);
    });
  }

  /// Those of one task lie together, so that it is read once.
  void check_notices() {
    std::uint64_t last = 0;
    bool is_there = false;
    std::optional<task_state> t;
    each(in.notices, [&](const lmdb::cursor& c) {
      key_reader k{c.key()};
      const std::size_t size = k.number<std::uint16_t>().value_or(0);
      const auto observer = std::string{k.rest().substr(0, size)};
      key_reader rest{k.rest().substr(observer.size())};
      const auto number = rest.number<std::uint64_t>().value_or(0);
      const auto sequence = rest.number<std::uint32_t>().value_or(0);
      const auto name = "notice " + std::to_string(sequence) + " of task " + std::to_string(number);
      const auto x = record<notice_record>(c, name);
      if (!x)
        return;
      expect(x->what.sequence == sequence, name + ": it has the number of another one");
      expect(workflow::is_webhook(observer) == (x->what.kind == workflow::notice_kind::outward),
             name + ": it is of another kind than its observer");
      if (workflow::is_webhook(observer)) // it says all by itself, and its task may have left
        return;
      if (const key of{number}; number != last) {
        const auto bytes = txn.get(in.tasks, of);
        is_there = bytes.has_value();
        t = bytes ? readable<task_state>(of, *bytes) : std::nullopt;
        last = number;
      }
      expect(is_there || is_set_aside(number), name + ": there is no such task");
      expect(!t || (t->task.reply_to == observer && sequence <= t->task.notices), name + ": the task never gave it");
    });
  }

  void check_late_replies() {
    each(in.late, [this](const lmdb::cursor& c) {
      const auto number = key_reader{c.key()}.number<std::uint64_t>().value_or(0);
      const auto name = "late reply to task " + std::to_string(number);
      record<late_reply_record>(c, name);
      expect(has(in.tasks, key{number}) || is_set_aside(number) || is_elsewhere(number),
             name + ": there is no such task");
    });
  }

  void check_set_aside() {
    each(in.set_aside, [this](const lmdb::cursor& c) {
      const auto number = last_number(c.key());
      const auto name = "task " + std::to_string(number) + ", set aside";
      record<set_aside_record>(c, name);
      found_.last_task = std::max(found_.last_task, number);
      expect(!has(in.tasks, c.key()), name + ": it is among the others too");
    });
  }

  void check_ended_counts() {
    each(in.ended_counts, [this](const lmdb::cursor& c) {
      const auto name = "ended tasks of workflow " + std::string{c.key()};
      const auto x = record<ended_count>(c, name);
      if (!x)
        return;
      purged_.tasks += x->purged;
      purged_.alerts += x->alerts_purged;
      const auto found = ended_.extract(std::string{c.key()});
      expect(x->there == (found.empty() ? 0 : found.mapped()) || has_damaged_task_, name + ": they are not as many");
    });
    for (const auto& [name, count] : ended_)
      fault("ended tasks of workflow " + name + ": they are not counted");
  }

  void check_counters() {
    if (!counted_)
      return;
    expect(txn.entries(in.tasks) + left_ + txn.entries(in.set_aside) + purged_.tasks
             == workflow::given_until(counted_->last_task, partition_.count),
           "counters: there are not as many tasks as numbers were given");
    expect(txn.entries(in.alerts) + purged_.alerts == workflow::given_until(counted_->last_alert, partition_.count),
           "counters: there are not as many alerts as numbers were given");
    expect(found_.last_task <= counted_->last_task, "counters: a task has a number that was not given yet");
    expect(found_.last_alert <= counted_->last_alert, "counters: an alert has a number that was not given yet");
    expect(found_.last_epoch <= counted_->last_epoch, "counters: a lease has an epoch that was not given yet");
    expect(found_.tasks == counted_->tasks || has_damaged_task_, "counters: the tasks by state are not as many");
  }

  const snapshot& see_;
  const checked_elsewhere* elsewhere_;
  const workflow::partition partition_;
  std::uint64_t left_ = 0; ///< tasks that are elsewhere
  std::optional<counters> counted_;
  counters found_;
  std::map<unsigned, std::uint64_t> entries_; ///< that were looked for and found, by table
  /// With tasks that have not begun: the first that has no place.
  std::map<std::uint64_t, std::optional<limit_member>> groups_;
  std::map<std::string, std::uint64_t> ended_; ///< tasks that ended well, by workflow
  struct {
    std::uint64_t tasks = 0;
    std::uint64_t alerts = 0;
  } purged_;
  std::optional<numbers_by_id> recent_; ///< once somebody asks for one
  bool has_damaged_task_ = false;
};

/// LMDB ends the process where pages do not hang together, so they are looked at without it, first. A commit may come
/// between a look at the size of the file and one at its head, but not each time.
std::optional<std::string> wrong_in_pages(const std::filesystem::path& directory) {
  constexpr int looks = 5;
  for (int i = 1;; ++i) {
    try {
      check_pages(directory);
      return std::nullopt;
    } catch (const store_error& e) {
      if (i == looks)
        return damaged_file(directory, e.what()).what();
    }
  }
}

} // namespace

check_report check_records(const lmdb::transaction& txn, const tables& in, const snapshot& see,
                           const checked_elsewhere* elsewhere) {
  return inspection{txn, in, see, elsewhere}.run();
}

/// Of one task, of which there are these rows. Throws damaged_record.
void lmdb_engine::check_left(const lmdb::transaction& txn, const rows_of_task& t, checked_elsewhere& all) const {
  const auto rows = as_rows({t});
  const snapshot see{txn, in_, committed_.definitions, &rows};
  const auto known = see.whole_task(t.number);
  const auto expect = [](bool holds, const char* what) {
    if (!holds)
      throw damaged_record{what};
  };
  expect(known.has_value(), "its record is missing");
  const auto& task = known->state.task;
  const auto place = known->place();
  const auto ref = see.ref_of(task.id);
  const auto has = [&](lmdb::table in, std::string_view k) { return rows.get(in, k).has_value(); };
  expect(ref && ref->number == t.number, "its id is not known");
  expect(place.ended_at != workflow::unset, "it has not ended");
  const auto ended = rows.get(in_.ended, ended_key(task.workflow, place.ended_at, t.number));
  expect(ended.has_value(), "missing in the list of ended tasks");
  expect(*ended == parent_in_list(task), "the list of ended tasks has it under another parent");
  expect(task.state == workflow::process_state::processed
           || has(in_.states, key{static_cast<std::uint8_t>(task.state), t.number}),
         "missing in the list of its state");
  for (const auto& x : workflow::indexed_values(*known->definition, task.payload.view()))
    expect(has(in_.payload_index, payload_index_key(x, t.number)), "missing in the index of payloads");
  rows.each_with(in_.item_groups, {}, [&](std::string_view k, std::string_view value) {
    const auto g = readable<workflow::fan_out>(k, value);
    expect(g.has_value(), "what is counted of its items cannot be read");
    item_count found{*g};
    rows.each_with(in_.items, k, [&](std::string_view of, std::string_view item) {
      expect(found.add(of, item), "one of its items cannot be read");
    });
    expect(found.is_as_in(*g), "what is counted of its items is not what they say");
  });
  if (!task.parent.empty() && task.parent->item == 0) {
    auto& child = all.children[task.id];
    child.number = t.number;
    child.state = task.state;
    child.parent = task.parent;
  }
  all.tasks.push_back({t.number, task.state, &*all.workflows.insert(task.workflow).first});
}

checked_elsewhere lmdb_engine::check_elsewhere() const {
  constexpr std::size_t page_tasks = 500;
  checked_elsewhere all;
  tasks_elsewhere::question q;
  q.before = ~0ULL;
  q.most = page_tasks;
  for (const auto& t : all_tables)
    q.of_tables.push_back(place_of(t.table));
  while (q.before != 0) {
    const auto page = elsewhere_->newest(q);
    read([&](const lmdb::transaction& txn, const snapshot&) {
      for (const auto& t : page.tasks) {
        all.report.records += t.rows.size();
        try {
          check_left(txn, t, all);
        } catch (const damaged_record& e) {
          all.report.faults.push_back("task " + std::to_string(t.number) + ", which ended: " + e.what());
          ++all.damaged;
        }
      }
      return true;
    });
    q.before = page.down_to;
  }
  return all;
}

check_report lmdb_engine::check() const {
  const auto none_leaves = elsewhere_ != nullptr ? elsewhere_->hold() : tasks_elsewhere::guard{};
  const auto left = elsewhere_ != nullptr ? std::optional{check_elsewhere()} : std::nullopt;
  return read([&](const lmdb::transaction& txn, const snapshot& see) {
    // As long as the transaction is open, no page of it or of a later one is used again.
    if (const auto wrong = wrong_in_pages(options_.path))
      return check_report{0, 0, {*wrong}};
    return check_records(txn, in_, see, left ? &*left : nullptr);
  });
}

} // namespace steadfast::store
