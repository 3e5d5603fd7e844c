// Events from outside, and the steps that wait for them.

#include "store/engine/write_batch.hpp"
#include "store/lmdb/prefix_scan.hpp"
#include "store/verbs/decide_event.hpp"
#include "workflow/text/json_place.hpp"
#include "workflow/text/json_text.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::store {

void note(const workflow::task& t, other_changes& in) {
  in.numbers.push_back(t.number);
  if (!t.locked_by.empty())
    in.locked.push_back({t.locked_by, t.number});
}

namespace {

constexpr std::size_t expired_at_once = 64;      ///< more leave than come
constexpr std::uint32_t delivered_at_once = 500; ///< tasks, by the write that brings the event

bool waits_for_event(const workflow::step& s, const workflow::step_definition& d) {
  return s.state == workflow::step_state::waiting && takes_event(d);
}

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

std::vector<workflow::fact> facts_in(const workflow::definition& d, std::size_t step, std::string_view data) {
  std::vector<workflow::fact> facts;
  for (const auto& pointer : workflow::pointers_asked(d, step))
    if (const auto value = workflow::json_value_at(data, pointer))
      facts.push_back({pointer, workflow::compact_json(*value)});
  return facts;
}

} // namespace

void write_batch::move_event_waits(const workflow::definition& d, const workflow::task& next,
                                   const std::vector<waiting_step>& before) {
  const auto now = waiting_steps(next);
  if (before == now)
    return;
  const auto place_of = [&](const waiting_step& x) {
    const auto& s = d.steps[x.step];
    return takes_event(s) ? std::optional{wait_key(event_place(s.wait->name, x.event_key).view(), x.step, next.number)}
                          : std::nullopt;
  };
  const auto is_in = [](const std::vector<waiting_step>& all, const waiting_step& x) {
    return std::find(all.begin(), all.end(), x) != all.end();
  };
  for (const auto& x : before)
    if (const auto k = place_of(x); k && !is_in(now, x))
      txn_.erase(in_.event_waits, *k);
  for (const auto& x : now)
    if (const auto k = place_of(x); k && !is_in(before, x)) {
      txn_.put(in_.event_waits, *k, {});
      new_waits_.push_back({next.number, x.step, next.steps[x.step].log.back().started_at});
    }
}

std::optional<event_record> write_batch::event_for(const workflow::task& t, const workflow::definition& d,
                                                   std::size_t step, workflow::instant now) const {
  const auto last = workflow::last_event_taken(t, d, step);
  const auto& name = d.steps[step].wait->name;
  std::optional<event_record> first;
  for (const auto& of : {t.steps[step].wait->event_key, key_of_task(t.id)}) {
    const auto place = event_place(name, of);
    each_with(txn_, in_.events, place.view(), key{place.view(), last + 1}.view(), [&](const lmdb::cursor& c) {
      auto x = readable<event_record>(c.key(), c.value());
      if (!x || x->expires_at <= now)
        return true;
      if (!first || x->number < first->number)
        first = *std::move(x);
      return false;
    });
  }
  return first;
}

std::optional<workflow::task> write_batch::let_take_event(std::uint64_t number, std::size_t step,
                                                          workflow::instant now) {
  try {
    const auto there = load(number);
    if (!there || step >= there->state.task.steps.size()
        || !waits_for_event(there->state.task.steps[step], there->definition->steps[step]))
      return std::nullopt;
    const auto x = event_for(there->state.task, *there->definition, step, now);
    if (!x)
      return std::nullopt;
    const workflow::event_came came{step, x->number, workflow::blob{x->data},
                                    facts_in(*there->definition, step, x->data), x->who};
    return apply_to(number, came, now, true);
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

std::uint64_t write_batch::next_event_number() const {
  const auto bytes = txn_.get(in_.meta, last_event_key);
  return (bytes ? decode_record<last_event>(last_event_key, *bytes).number : 0) + 1;
}

std::optional<decision> write_batch::task_takes_none(const send_event& w) {
  const auto ref = ref_of(w.task_id);
  const auto there = ref ? load(ref->number) : std::nullopt;
  if (!there)
    return turned_down(write_status::absent, "there is no task " + w.task_id);
  return why_not_taken(w, there->state.task, *there->definition);
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
  for (bool more = c.first(); more && gone.size() < expired_at_once; more = c.next()) {
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
  if (!x || x->expires_at > w.now)
    return x;
  drop_event(key{x->expires_at, there->key}.view());
  return std::nullopt;
}

answer<send_event> write_batch::make(const send_event& asked) {
  auto w = asked;
  if (w.keep_for == workflow::span{0})
    w.keep_for = settings_.options->events_keep_for;
  if (auto wrong = problem_of(w, *settings_.options))
    return *std::move(wrong);
  if (const auto there = sent_before(w))
    return came_before(w, *there);
  if (!needs().is_awaited(w))
    return taken_by_nobody(w);
  if (!w.task_id.empty())
    if (auto none = task_takes_none(w))
      return *std::move(none);
  if (!has_room(w.data.size()))
    return turned_down_full(w.now);
  const auto x = kept(w, next_event_number());
  const auto place = event_place(x.name, x.key);
  const key k{place.view(), x.number};
  txn_.put(in_.meta, last_event_key, encode_record(last_event_key, last_event{x.number}));
  txn_.put(in_.events, k, encode_record(k, x));
  txn_.put(in_.event_ends, key{x.expires_at, k.view()}, {});
  if (const auto id = event_place(x.name, x.id); !x.id.empty())
    txn_.put(in_.event_ids, id, encode_record(id, event_place_record{std::string{k.view()}}));
  drop_expired_events(w.now);

  answer<send_event> o = applied();
  o.number = x.number;
  if (!w.task_id.empty()) {
    const auto number = ref_of(w.task_id)->number;
    const auto there = load(number);
    for (std::size_t i = 0; i < there->definition->steps.size() && o.taken == 0; ++i)
      if (const auto& s = there->definition->steps[i]; takes_event(s) && s.wait->name == w.name)
        if (const auto t = let_take_event(number, i, w.now))
          note_taken(*t, o);
    let_take_events(o.others);
    return o;
  }
  event_rest rest{std::string{place.view()}, {}};
  deliver(rest, delivered_at_once, w.now, o);
  if (o.more)
    txn_.put(in_.event_rests, key{x.number}, encode_record(key{x.number}, rest));
  return o;
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
