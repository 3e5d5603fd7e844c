// Reads and puts tasks that are made and changed, as decide_task.hpp, new_task.hpp and task_change.hpp say.

#include "store/contract/sent_update.hpp"
#include "store/engine/write_batch.hpp"
#include "store/lmdb/indexes.hpp"
#include "store/verbs/decide_outward.hpp"
#include "store/verbs/tasks/decide_task.hpp"
#include "store/verbs/tasks/new_task.hpp"
#include "store/verbs/tasks/replacement.hpp"

#include <utility>

namespace steadfast::store {

// ---- submit_task ----

answer<submit_task> write_batch::make(const submit_task& w) {
  if (auto wrong = problem_of(w, *settings_.options))
    return *std::move(wrong);
  const auto of_this = digest_of(w.what);
  if (const auto known = ref_of(w.what.id))
    return submit_again(w, *known, of_this);
  return submit_anew(w, of_this);
}

answer<submit_task> write_batch::submit_again(const submit_task& w, const task_ref& known,
                                              const submission_digest& of_this) {
  if (auto refused = refused_as_there(w))
    return *std::move(refused);
  if (w.what.conflict == workflow::on_conflict::replace)
    return submit_in_place(w, known.number);
  auto conflict = conflict_of(w, of_this, known);
  const auto there = load(known.number, conflict.has_value());
  return submitted_again(w, std::move(conflict), there ? &there->state.task : nullptr);
}

answer<submit_task> write_batch::submit_in_place(const submit_task& w, std::uint64_t number) {
  const auto there = load(number, true);
  if (!there)
    return submitted_before(w, nullptr);
  auto r = decide_replacement(w, there->state.task,
                              {there->definition, &needs_of(there->definition), settings_.options->partition.count,
                               workflows_for(*there->definition)});
  if (r.next)
    replace(*known(number), {*r.next, {}, {}, true});
  return std::move(r.said);
}

/// Most submissions of a batch are for the same workflow.
std::uint32_t write_batch::newest_version(const std::string& workflow) {
  if (newest_.first != workflow)
    newest_ = {workflow, see_.newest_version(workflow).value_or(0)};
  return newest_.second;
}

const workflow::payload_needs& write_batch::needs_of(const definition_cache::entry& d) {
  if (needs_.first != d)
    needs_ = {d, std::make_shared<workflow::payload_needs>(*d)};
  return *needs_.second;
}

known_workflow write_batch::known_workflow_of(const workflow::submission& s) {
  const auto version = s.version != 0 ? s.version : newest_version(s.workflow);
  known_workflow of{see_.definition(s.workflow, version), nullptr, settings_.options->partition.count};
  if (!of.definition)
    return of;
  of.needs = &needs_of(of.definition);
  of.find = workflows_for(*of.definition);
  return of;
}

workflow::find_workflow write_batch::workflows_for(const workflow::definition& parent) {
  if (!workflow::any_starts_child(parent))
    return {};
  return [this](const std::string& name) { return workflow_of_children(name); };
}

workflow::workflow_of_child write_batch::workflow_of_children(const std::string& name) {
  try {
    const auto d = see_.definition(name, see_.newest_version(name).value_or(0));
    if (!d)
      return {};
    const auto& [kept, needs] = *needs_of_children_.try_emplace(d, *d).first;
    return {kept.get(), &needs};
  } catch (const damaged_record&) { // it may be there again when the task is started
    return {};
  }
}

answer<submit_task> write_batch::submit_anew(const submit_task& w, const submission_digest& of_this) {
  const auto of = known_workflow_of(w.what);
  auto d = decide(w, of, next_task_number(), [this](std::uint64_t payload_size) { return has_room(payload_size); });
  if (d.lacks_room)
    return turned_down_full(w.now);
  if (d.put) {
    settings_.known->remember(put(*d.put, of_this), d.put->task);
    forget_seen_alerts();
  }
  return std::move(d.said);
}

known_tasks::entry& write_batch::put(new_task& x, const submission_digest& of_this) {
  const auto& t = *x.task;
  count_.last_task = t.number;
  ++tasks_in(t.state);
  count_move({t.number, t.workflow, {}, t.state});
  put_results(t, x.results);
  put_id(t, of_this);
  if (const key k{t.number}; !t.payload.empty())
    txn_.append(in_.payloads, k, encode_record(k, payload_record{t.payload}));
  put_in_index(t.number, x.index);
  move_event_waits(*x.outline.definition, t, {}); // of one that was taken in
  if (x.is_taken_in)
    note_import(*x.outline.definition, t);
  if (!is_submission_ && is_news(t))
    news_.push_back({t.number, t.workflow, t.state});
  auto& e = settings_.known->add_new(t.number, std::move(x.outline));
  const auto now = e.now.placed();
  move_in_queue(txn_, in_, t.number, {}, now);
  count_ended(t.workflow, {}, now);
  put_steps(e, t, {});
  put_row(e, t, {});
  for (const auto& n : x.notices)
    put_notice(t, n);
  return e;
}

// ---- update_task ----

answer<update_task> write_batch::make(const update_task& w) {
  auto* const there = known(w.next.number);
  const auto* const stored = there != nullptr ? &there->now : nullptr;
  if (w.steps_in_all != 0) {
    const auto d = with_its_steps(w, stored);
    return d.whole ? make(*d.whole) : d.refused;
  }
  const update_questions ask{[&] { return not_held(w.guard, w.now); },
                             [&] { return not_for_bulk(w.bulk, w.next.number); }};
  if (auto wrong = refused(w, stored, *settings_.options, ask))
    return *std::move(wrong);

  freed_schedule_ = false;
  answer<update_task> o = applied();
  const auto act = act_in(w);
  o.revision = replace(*there, {w.next, w.notices, w.alerts, w.payload_changed});
  o.has_ended = change_.has_ended;
  if (act)
    put_act(*act, {w.next.number, w.next.id});
  if (w.evidence)
    put_late_reply(w.next.number, w.next.id, *w.evidence);
  if (w.bulk != 0)
    workflow::note_done(*bulk_act_of(w.bulk), w.next.number);
  for (const auto& [number, t] : let_take_events()) {
    const bool is_this = number == w.next.number;
    o.took_event = o.took_event || is_this;
    o.has_ended = o.has_ended || (is_this && workflow::has_ended(t));
    if (is_this)
      continue;
    note(t, o.others);
  }
  o.freed_schedule = freed_schedule_;
  return o;
}

std::uint64_t write_batch::replace(known_tasks::entry& e, const next_state& next) {
  also_read known;
  if (needs_payload(e.now, next))
    known.payload = payload_of(next.task.number);
  if (needs_alerts(e.now))
    known.alerts = alerts_of_task(next.task.number);
  change_of(e.now, known, next, change_);
  put(e, next, change_);
  return change_.revision;
}

void write_batch::put(known_tasks::entry& e, const next_state& next, const task_change& c) {
  const auto& t = next.task;
  put_results(t, c.results);
  if (c.payload_changed) {
    erase_from_index(t.number, c.index_before);
    put_in_index(t.number, c.index_after);
    put_payload(t.number, t.payload);
  }
  move_in_queue(txn_, in_, t.number, c.from, c.to);
  count_change(t, c);
  if (c.has_observer)
    for (const auto& n : next.notices)
      put_notice(t, n);
  for (const auto& x : c.over)
    put(x.how, x.number, t.number, x.at);
  for (std::size_t i = 0; i < c.raised.size(); ++i)
    put(c.raised[i], place_of_alert(next_alert_number(), t.number, c.revision, i),
        incident_of_child(t, *e.now.definition, c.raised[i].signature.step));
  if (c.has_ended)
    tell_of_end(t, c.revision);
  if (is_news_besides(c, t.number, own_))
    news_.push_back({t.number, t.workflow, t.state});
  if (c.frees_schedule)
    free_schedule(t);
  const auto before = std::move(e.now.sound.steps);
  move_event_waits(*e.now.definition, t, e.now.waiting);
  note_family(*e.now.definition, t, before, e.now, c.from.state);
  follow(e.now, t, c);
  put_steps(e, t, before);
  put_row(e, t, before);
}

void write_batch::put_steps(known_tasks::entry& e, const workflow::task& t, const workflow::step_list& before) {
  if (!have_rows(t.steps))
    return;
  auto& rows = e.now.rows;
  const bool had_rows = rows.steps != 0; // else it is new, or was stored before there were any
  rows.steps = static_cast<std::uint32_t>(t.steps.size());
  each_changed_stretch(had_rows ? before : workflow::step_list{}, t.steps, [&](std::size_t at) {
    const auto first = static_cast<std::uint32_t>(at);
    const key k{t.number, first};
    const auto& steps = t.steps.stretch_of(at);
    const auto held = e.steps.find(first);
    const bool is_held = held != e.steps.end();
    auto there = is_held ? std::string_view{held->second.row} : std::string_view{};
    if (had_rows && !is_held)
      there = txn_.get(in_.task_steps, k).value_or(std::string_view{});
    if (there.empty() && are_untouched(steps))
      return;
    task_steps_view v{t.submitted_at, &t.steps, at, large_from(e.now.large, at)};
    if (is_held)
      v.before = held->second.as_before();
    step_places places;
    v.places = &places;
    const auto row = encode_record(k, v);
    rows.check ^= check_of(there) ^ check_of(row);
    if (settings_.changes != nullptr)
      settings_.changes->on_put(in_.task_steps, k, there, row);
    auto& written = is_held ? held->second : e.steps[first];
    written.row = row;
    written.steps = steps;
    written.places = places;
  });
}

void write_batch::count_change(const workflow::task& next, const task_change& c) {
  count_ended(next.workflow, c.from, c.to);
  if (c.from.state == c.to.state)
    return;
  --tasks_in(c.from.state);
  ++tasks_in(c.to.state);
  count_move({next.number, next.workflow, c.from.state, c.to.state});
  if (c.ending)
    count_ending(next.workflow, *c.ending);
}

void write_batch::count_ending(const std::string& workflow, workflow::ending how) {
  auto of_workflow = endings_.find(workflow);
  if (of_workflow == endings_.end()) {
    const auto known = before_.endings.find(workflow);
    of_workflow =
      endings_.emplace(workflow, known == before_.endings.end() ? workflow::endings{} : known->second).first;
  }
  workflow::count_ending(of_workflow->second, how);
}

void write_batch::count_move(task_move m) {
  const auto counts = [](const std::optional<workflow::process_state>& s) { return s && workflow::is_unfinished(*s); };
  if (counts(m.from) || counts(m.to))
    moves_.push_back(std::move(m));
}

void write_batch::put_endings() {
  for (const auto& [name, how] : endings_)
    txn_.put(in_.endings, name, encode_record(name, how));
}

void write_batch::put_results(const workflow::task& t, const std::vector<result_change>& changes) {
  for (const auto& c : changes) {
    const key k{t.number, c.is.step};
    if (c.is_large)
      txn_.put(in_.results, k, encode_record(k, result_record{t.steps[c.is.step].result}));
    else
      txn_.erase(in_.results, k);
  }
}

void write_batch::put_payload(std::uint64_t number, const workflow::blob& payload) {
  const key k{number};
  if (payload.empty())
    txn_.erase(in_.payloads, k);
  else
    txn_.put(in_.payloads, k, encode_record(k, payload_record{payload}));
}

/// Throws damaged_record.
workflow::blob write_batch::payload_of(std::uint64_t number) const {
  const key k{number};
  const auto bytes = txn_.get(in_.payloads, k);
  return bytes ? decode_record<payload_record>(k, *bytes).bytes : workflow::blob{};
}

void write_batch::put_in_index(std::uint64_t number, const std::vector<workflow::payload_value>& values) {
  for (const auto& x : values)
    txn_.put(in_.payload_index, payload_index_key(x, number), {});
}

void write_batch::erase_from_index(std::uint64_t number, const std::vector<workflow::payload_value>& values) {
  for (const auto& x : values)
    txn_.erase(in_.payload_index, payload_index_key(x, number));
}

} // namespace steadfast::store
