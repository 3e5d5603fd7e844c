// Reads and puts schedules, and makes their tasks, as decide_schedule.hpp says.

#include "store/engine/write_batch.hpp"
#include "store/verbs/decide_schedule.hpp"
#include "workflow/text/name.hpp"

#include <utility>

namespace steadfast::store {

namespace {

key schedule_time_key(workflow::instant at, std::string_view name) {
  return key{at, name};
}

} // namespace

/// Throws damaged_record.
std::optional<workflow::schedule_state> write_batch::schedule_there(const std::string& name) const {
  const auto bytes =
    name.empty() || name.size() > workflow::name_size_max ? std::nullopt : txn_.get(in_.schedules, name);
  return bytes ? std::optional{decode_record<workflow::schedule_state>(name, *bytes)} : std::nullopt;
}

void write_batch::put_schedule_row(const workflow::schedule_state* before, const workflow::schedule_state* next) {
  if (before != nullptr && before->next_at != workflow::never && (next == nullptr || next->next_at != before->next_at))
    txn_.erase(in_.schedule_times, schedule_time_key(before->next_at, before->what.name));
  if (next == nullptr) {
    txn_.erase(in_.schedules, before->what.name);
    return;
  }
  const auto& name = next->what.name;
  if (next->next_at != workflow::never && (before == nullptr || next->next_at != before->next_at))
    txn_.put(in_.schedule_times, schedule_time_key(next->next_at, name), {});
  txn_.put(in_.schedules, name, encode_record(name, *next));
}

workflow::schedule_needs write_batch::needs_of_schedule(const workflow::clock_reading& clock, schedule_result& into) {
  workflow::schedule_needs needs;
  needs.before = [this](std::uint64_t number) -> workflow::task_before {
    try {
      const auto there = number != 0 ? load(number) : std::nullopt;
      if (there)
        return {is_open_for_schedules(there->state.task.state), number, there->state.task.id};
    } catch (const damaged_record&) { // reported by read(): it is set aside
    }
    return {};
  };
  needs.make = [this, &clock, &into](const workflow::schedule& s, workflow::instant moment) {
    const auto x = submission_of(s, moment);
    const auto o = make(submit_task{x, clock.now});
    if (o.result == write_status::applied && o.created) {
      ++into.made;
      into.others.numbers.push_back(o.number);
    }
    return made_of(o, x.id);
  };
  needs.cancel = [this, &clock, &into](const workflow::task_before& t) {
    if (const auto next = apply_to(t.number, cancelled_for_next(), clock, true))
      note(*next, into.others);
  };
  return needs;
}

answer<put_schedule> write_batch::make(const put_schedule& w) {
  known_schedule known;
  std::optional<workflow::schedule_state> there;
  try {
    there = schedule_there(w.what.name);
  } catch (const damaged_record&) { // this one takes its place
    if (!w.is_question)
      txn_.erase(in_.schedules, w.what.name);
    known.damages = incidents_.open_ones(incident_of_schedule, {}, cause_of_damaged(w.what.name));
  }
  known.refusals = incidents_.open_ones(incident_of_schedule, {}, cause_of_unplaced(w.what.name));
  known.there = there ? &*there : nullptr;
  const auto version = w.what.version != 0 ? w.what.version : newest_version(w.what.workflow);
  const auto d = see_.definition(w.what.workflow, version);
  known.definition = d.get();
  known.count = txn_.entries(in_.schedules);
  known.nodes = see_.leases(w.now);
  auto decided = decide(w, known);
  if (w.is_question)
    return std::move(decided.said);
  if (decided.put && !has_room(w.what.payload.size()))
    return turned_down_full(w.now.now);
  if (decided.put)
    put_schedule_row(known.there, &*decided.put);
  end_alerts_of(decided.over, moved_on, w.now.now);
  if (decided.raised)
    put(*decided.raised);
  return std::move(decided.said);
}

answer<act_on_schedule> write_batch::make(const act_on_schedule& w) {
  const auto there = schedule_there(w.name);
  schedule_result made;
  auto d = decide(w, there ? &*there : nullptr, needs_of_schedule(w.now, made));
  if (d.is_full)
    return turned_down_full(w.now.now);
  if (d.put || d.is_removed)
    put_schedule_row(&*there, d.put ? &*d.put : nullptr);
  if (!d.over.empty())
    end_alerts_of(incidents_.open_ones(incident_of_schedule, {}, d.over), d.over_by, w.now.now);
  if (d.said.result == write_status::applied)
    put_act({w.who, d.done, w.why, w.now.now}, {});
  d.said.others = std::move(made.others);
  let_take_events(d.said.others);
  return std::move(d.said);
}

answer<fire_schedules> write_batch::make(const fire_schedules& w) {
  if (auto lost = not_held(w.guard, w.now))
    return *std::move(lost);
  std::vector<std::pair<workflow::instant, std::string>> due;
  {
    lmdb::cursor c{txn_, in_.schedule_times};
    for (bool more = c.first(); more && due.size() < w.max; more = c.next()) {
      key_reader k{c.key()};
      const auto at = k.instant().value_or(workflow::unset);
      if (at > w.now.now)
        break;
      due.emplace_back(at, k.rest());
    }
  }
  answer<fire_schedules> o = applied();
  const auto needs = needs_of_schedule(w.now, o);
  for (const auto& [at, name] : due) {
    try {
      const auto before = schedule_there(name);
      if (before) {
        const auto d = serve(*before, w.now.now, needs);
        put_schedule_row(&*before, &d.put);
        if (d.raised)
          put(*d.raised);
        if (!d.over.empty())
          end_alerts_of(incidents_.open_ones(incident_of_schedule, {}, d.over), moved_on, w.now.now);
        if (before->next_at == at)
          continue; // else it stands here since it was damaged
      }
    } catch (const damaged_record&) {
      put(alert_of_damaged_schedule(name, w.now.now));
    }
    txn_.erase(in_.schedule_times, schedule_time_key(at, name));
  }
  let_take_events(o.others);
  if (lmdb::cursor c{txn_, in_.schedule_times}; c.first())
    o.next = key_reader{c.key()}.instant().value_or(workflow::unset);
  o.more = o.next <= w.now.now;
  return o;
}

void write_batch::free_schedule(const workflow::task& t) {
  const auto made_by = workflow::schedule_in(t.id);
  if (!made_by)
    return;
  try {
    const auto before = schedule_there(made_by->schedule);
    auto next = before;
    if (!before || !workflow::note_end(*next, t.number, t.ended_at))
      return;
    put_schedule_row(&*before, &*next);
    freed_schedule_ = true;
  } catch (const damaged_record&) { // told when it is due
  }
}

} // namespace steadfast::store
