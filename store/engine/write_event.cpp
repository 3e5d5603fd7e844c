// Events from outside, and the steps that wait for them.

#include "store/engine/write_batch.hpp"
#include "store/lmdb/prefix_scan.hpp"
#include "store/verbs/decide_event.hpp"

#include <utility>

namespace steadfast::store {

namespace {

key wait_key(std::string_view place, std::size_t step, std::uint64_t number) {
  return key{place, static_cast<std::uint32_t>(step), number};
}

/// REQUIRES: a key of table event_waits.
std::size_t step_of_wait(std::string_view k) {
  constexpr std::size_t tail = sizeof(std::uint32_t) + sizeof(std::uint64_t);
  return key_reader{k.substr(k.size() - tail)}.number<std::uint32_t>().value_or(0);
}

void note_taken(const workflow::task& t, event_result& into) {
  ++into.taken;
  note(t, into.others);
}

} // namespace

void write_batch::move_event_waits(const workflow::definition& d, const workflow::task& next,
                                   const std::vector<waiting_step>& before) {
  const auto key_of_wait = [&](const waiting_step& x) {
    return wait_key(event_place(d.steps[x.step].wait->name, x.event_key).view(), x.step, next.number);
  };
  const auto moved = waits_moved(d, next, before);
  for (const auto& x : moved.over)
    txn_.erase(in_.event_waits, key_of_wait(x));
  for (const auto& x : moved.begun) {
    txn_.put(in_.event_waits, key_of_wait(x), {});
    new_waits_.push_back({next.number, x.step, next.steps[x.step].log.back().started_at});
  }
}

std::optional<event_record> write_batch::event_for(const wanted_events& wanted, workflow::instant now) const {
  const auto first_with = [&](const std::string& its_key) {
    std::optional<event_record> first;
    const auto place = event_place(wanted.name, its_key);
    each_with(txn_, in_.events, place.view(), key{place.view(), wanted.from}.view(), [&](const lmdb::cursor& c) {
      auto x = readable<event_record>(c.key(), c.value());
      if (x && is_in_time(*x, now, wanted))
        first = *std::move(x);
      return !first;
    });
    return first;
  };
  return taken_of(first_with(wanted.keys[0]), first_with(wanted.keys[1]));
}

std::optional<workflow::task> write_batch::let_take_event(std::uint64_t number, std::size_t step,
                                                          workflow::instant now) {
  try {
    const auto there = load(number);
    if (!there || !waits_for_event(there->state.task, *there->definition, step))
      return std::nullopt;
    const auto x = event_for(wanted_by(there->state.task, *there->definition, step), now);
    return x ? apply_to(number, came_to(step, *there->definition, *x), now, true) : std::nullopt;
  } catch (const damaged_record&) { // reported by read(): it is set aside
    return std::nullopt;
  }
}

void write_batch::let_take_all(std::uint64_t number, workflow::instant now) {
  const auto* const there = known(number);
  if (there == nullptr)
    return;
  const auto d = there->now.definition;
  for (std::size_t i = 0; i < d->steps.size(); ++i)
    if (takes_event(d->steps[i]))
      let_take_event(number, i, now);
}

std::map<std::uint64_t, workflow::task> write_batch::let_take_events() {
  std::map<std::uint64_t, workflow::task> changed;
  notes_said_ = 0;
  while (!new_waits_.empty() || !child_notes_.empty()) {
    say_notes(changed);
    if (new_waits_.empty())
      continue;
    const auto w = new_waits_.back();
    new_waits_.pop_back();
    if (auto t = let_take_event(w.number, w.step, w.since))
      changed.insert_or_assign(w.number, *std::move(t));
  }
  return changed;
}

void write_batch::let_take_events(other_changes& into) {
  for (const auto& [number, t] : let_take_events())
    note(t, into);
}

std::uint64_t write_batch::last_event_number() const {
  const auto bytes = txn_.get(in_.meta, last_event_key);
  return bytes ? decode_record<last_event>(last_event_key, *bytes).number : 0;
}

void write_batch::deliver(event_rest& rest, std::uint32_t max, workflow::instant now, event_result& into) {
  std::vector<std::string> waiting;
  each_with(txn_, in_.event_waits, rest.place, rest.after.empty() ? rest.place : rest.after,
            [&](const lmdb::cursor& c) {
              if (c.key() != rest.after)
                waiting.emplace_back(c.key());
              return waiting.size() < max;
            });
  into.more = waiting.size() >= max;
  for (const auto& k : waiting) {
    rest.after = k;
    const auto t = let_take_event(last_number(k), step_of_wait(k), now);
    if (t)
      note_taken(*t, into);
  }
  let_take_events(into.others);
}

void write_batch::drop_expired_events(workflow::instant now) {
  std::vector<std::string> gone;
  lmdb::cursor c{txn_, in_.event_ends};
  for (bool more = c.first(); more && gone.size() < dropped_at_once; more = c.next()) {
    if (key_reader{c.key()}.instant() > now)
      break;
    gone.emplace_back(c.key());
  }
  for (const auto& end : gone)
    drop_event(end);
}

void write_batch::drop_event(std::string_view end) {
  const auto k = end.substr(sizeof(std::uint64_t));
  const auto bytes = txn_.get(in_.events, k);
  if (const auto x = bytes ? readable<event_record>(k, *bytes) : std::nullopt; x && !x->id.empty())
    txn_.erase(in_.event_ids, event_place(x->name, x->id));
  txn_.erase(in_.events, k);
  txn_.erase(in_.event_ends, end);
}

std::optional<event_record> write_batch::sent_before(const send_event& w) {
  const auto id = event_place(w.name, w.id);
  const auto bytes = w.id.empty() ? std::nullopt : txn_.get(in_.event_ids, id);
  const auto there = bytes ? readable<event_place_record>(id, *bytes) : std::nullopt;
  const auto event = there ? txn_.get(in_.events, there->key) : std::nullopt;
  auto x = event ? readable<event_record>(there->key, *event) : std::nullopt;
  if (!x || is_in_time(*x, w.now))
    return x;
  drop_event(key{x->expires_at, there->key}.view());
  return std::nullopt;
}

answer<send_event> write_batch::make(const send_event& asked) {
  const auto w = with_defaults(asked, *settings_.options);
  if (auto wrong = problem_of(w, *settings_.options))
    return *std::move(wrong);
  const auto before = sent_before(w);
  known_event known{before ? &*before : nullptr, needs().events().has(w), nullptr,
                    workflow::next_number(settings_.options->partition, last_event_number())};
  std::optional<snapshot::known_task> task;
  if (needs_task(w, known))
    if (const auto ref = ref_of(w.task_id); ref && (task = load(ref->number)))
      known.task = &*task;
  auto d = decide(w, known, [this](std::uint64_t data_size) { return has_room(data_size); });
  if (d.lacks_room)
    return turned_down_full(w.now);
  if (!d.put || w.is_question)
    return std::move(d.said);
  const auto place = put_event(*d.put);
  drop_expired_events(w.now);
  auto& o = d.said;
  if (task) {
    for (const auto i : steps_for(w, *task->definition))
      if (const auto t = let_take_event(task->state.task.number, i, w.now)) {
        note_taken(*t, o);
        break;
      }
    let_take_events(o.others);
    return std::move(o);
  }
  event_rest rest{place, {}};
  deliver(rest, delivered_at_once, w.now, o);
  if (o.more)
    txn_.put(in_.event_rests, key{o.number}, encode_record(key{o.number}, rest));
  return std::move(o);
}

std::string write_batch::put_event(const event_record& x) {
  const auto place = event_place(x.name, x.key);
  const key k{place.view(), x.number};
  txn_.put(in_.meta, last_event_key, encode_record(last_event_key, last_event{x.number}));
  txn_.put(in_.events, k, encode_record(k, x));
  txn_.put(in_.event_ends, key{x.expires_at, k.view()}, {});
  if (const auto id = event_place(x.name, x.id); !x.id.empty())
    txn_.put(in_.event_ids, id, encode_record(id, event_place_record{std::string{k.view()}}));
  return std::string{place.view()};
}

bool write_batch::deliver_rest(workflow::instant now, event_result& into) {
  std::string first;
  std::optional<event_rest> rest;
  {
    lmdb::cursor c{txn_, in_.event_rests};
    if (!c.first())
      return false;
    first = c.key();
    rest = readable<event_rest>(c.key(), c.value());
  }
  if (rest)
    deliver(*rest, delivered_at_once, now, into);
  if (into.more)
    txn_.put(in_.event_rests, first, encode_record(first, *rest));
  else
    txn_.erase(in_.event_rests, first);
  return true;
}

} // namespace steadfast::store
