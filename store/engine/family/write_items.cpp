// Steps that go over items: their tasks are made a few at a time, counted as they end, and undone one by one. What is
// counted has a record of its own, so the task of the step changes a few times, however many items there are.

#include "store/engine/write_batch.hpp"
#include "store/lmdb/prefix_scan.hpp"
#include "store/verbs/decide_child.hpp"
#include "workflow/task/compensation.hpp"
#include "workflow/task/mapped.hpp"
#include "workflow/text/name.hpp"

#include <utility>

namespace steadfast::store {

using workflow::child_duty;
using workflow::child_state;
using workflow::item_state;

namespace {

key item_key(const child_note& x, std::uint32_t item) {
  return key{x.parent, x.step, item};
}

bool waits(const workflow::task& parent, const child_note& x) {
  return parent.steps[x.step].state == workflow::step_state::waiting;
}

workflow::child_end end_of_items(child_state how, const workflow::item_group& g) {
  return {how, g.why, {}, {}, 0, to_string(g)};
}

/// The same step, about all or one of its items.
child_note of_items(const child_note& x, child_duty what, std::uint32_t item = 0) {
  return {x.parent, x.step, what, x.at, item};
}

} // namespace

std::optional<workflow::item_group> write_batch::group_of(std::uint64_t parent, std::uint32_t step) const {
  const key k{parent, step};
  const auto bytes = txn_.get(in_.item_groups, k);
  return bytes ? std::optional{decode_record<workflow::item_group>(k, *bytes)} : std::nullopt;
}

void write_batch::put(const child_note& x, const workflow::item_group& g) {
  const key k{x.parent, x.step};
  txn_.put(in_.item_groups, k, encode_record(k, g));
}

std::optional<item_record> write_batch::item_of(const child_note& x, std::uint32_t item) const {
  const auto k = item_key(x, item);
  const auto bytes = txn_.get(in_.items, k);
  return bytes ? std::optional{decode_record<item_record>(k, *bytes)} : std::nullopt;
}

void write_batch::put(const child_note& x, std::uint32_t item, const item_record& r) {
  const auto k = item_key(x, item);
  txn_.put(in_.items, k, encode_record(k, r));
}

void write_batch::erase_items(std::uint64_t parent, std::uint32_t step) {
  for (const auto& k : keys_with(txn_, in_.items, key{parent, step}))
    txn_.erase(in_.items, k);
}

std::optional<snapshot::known_task> write_batch::child_of_item(const workflow::task& parent,
                                                               const workflow::definition& d, std::uint32_t step,
                                                               std::uint32_t item, bool whole) {
  const auto ref = ref_of(workflow::child_id(parent, d, step, item));
  auto child = ref ? load(ref->number, whole) : std::nullopt;
  return child && workflow::is_child_of(child->state.task, parent, step, item) ? std::move(child) : std::nullopt;
}

void write_batch::say_of_items(const child_note& x, const workflow::task& parent, const workflow::definition& d,
                               changed_tasks& changed) {
  auto g = group_of(x.parent, x.step);
  const bool is_anew = g && g->generation != parent.steps[x.step].key_generation;
  switch (x.what) {
    case child_duty::start:
      if (!waits(parent, x)) // what was begun beside it turned the task round
        return g ? void() : end_step(x, {child_state::undone, {}, {}, {}}, changed);
      return g && !is_anew ? go_on_with_items(x, *std::move(g), parent, d, changed)
                           : begin_items(x, parent, d, changed);
    case child_duty::undo:
      if (g)
        return undo_items(x, *std::move(g), parent, d, changed);
      if (take_back_start(x))
        return end_step(x, {child_state::undone, {}, {}, {}}, changed);
      return end_step(x, {child_state::undo_failed, "its items are not in this store", {}, {}}, changed);
    case child_duty::tell_parent:
      if (g && x.item != 0)
        note_item_end(x, *std::move(g), parent, d, changed);
      return;
    case child_duty::none: return;
  }
}

void write_batch::begin_items(const child_note& x, const workflow::task& parent, const workflow::definition& d,
                              changed_tasks& changed) {
  auto whole = load(x.parent, true);
  if (!whole)
    return;
  whole->state.task.payload = payload_of(x.parent);
  auto made = workflow::items_of(whole->state.task, d, x.step);
  if (!made.problem.empty())
    return end_step(x, not_made(std::move(made.problem)), changed);
  erase_items(x.parent, x.step);
  std::uint32_t item = 0;
  for (auto& payload : made.payloads)
    put(x, ++item, {item_state::to_start, workflow::blob{std::move(payload)}});
  put(x, made.group);
  go_on_with_items(x, std::move(made.group), parent, d, changed);
}

void write_batch::go_on_with_items(const child_note& x, workflow::item_group g, const workflow::task& parent,
                                   const workflow::definition& d, changed_tasks& changed) {
  const auto before = g;
  turn_if_failed(g, settings_.options->result_size_max); // some ended while it did not wait
  if (may_start_next(g))
    start_item(x, g, parent, d, changed);
  else if (g.in_error > 0)
    tell_trouble(x, g, parent, d, changed); // it has begun to wait anew
  follow_items(x, before, g, parent, d, changed);
}

void write_batch::start_item(const child_note& x, workflow::item_group& g, const workflow::task& parent,
                             const workflow::definition& d, changed_tasks& changed) {
  const auto item = ++g.next;
  ++g.at_work;
  auto there = item_of(x, item);
  auto state = item_state::at_work;
  if (child_of_item(parent, d, x.step, item, false)) {
    child_notes_.push_back(of_items(x, child_duty::tell_parent, item)); // of another store, which may have ended
  } else {
    auto payload = there ? std::string{there->bytes.view()} : std::string{};
    const auto made = make_child(workflow::child_for(parent, d, x.step, g, item, std::move(payload)), x.at, changed);
    if (const auto* const why = std::get_if<std::string>(&made))
      state = note_item(g, item, state, not_made(*why));
  }
  put(x, item, {state, {}});
}

void write_batch::note_item_end(const child_note& x, workflow::item_group g, const workflow::task& parent,
                                const workflow::definition& d, changed_tasks& changed) {
  const auto was = item_of(x, x.item);
  const auto child = was ? child_of_item(parent, d, x.step, x.item, true) : std::nullopt;
  if (!child)
    return;
  auto end = workflow::end_of_child(child->state.task, *child->definition, d, x.step);
  const auto before = g;
  const auto is = note_item(g, x.item, was->state, end);
  if (is == was->state)
    return;
  if (is == item_state::undone)
    txn_.erase(in_.items, item_key(x, x.item));
  else
    put(x, x.item, {is, is == item_state::done ? std::move(end.result) : workflow::blob{}});
  follow_items(x, before, g, parent, d, changed);
}

void write_batch::undo_items(const child_note& x, workflow::item_group g, const workflow::task& parent,
                             const workflow::definition& d, changed_tasks& changed) {
  const auto before = g;
  if (x.item == 0) { // it is the turn of the step
    if (!workflow::is_undo_of_child_awaited(parent.steps[x.step], d.steps[x.step]))
      return;
    turn(g, parent.cause);
  } else if (!g.is_turned) { // that of an earlier attempt
    return;
  }
  if (may_undo_next(g)) {
    const auto item = g.undo_next--;
    undo_item(x, g, item, parent, d, changed);
  }
  follow_items(x, before, g, parent, d, changed);
}

void write_batch::undo_item(const child_note& x, workflow::item_group& g, std::uint32_t item,
                            const workflow::task& parent, const workflow::definition& d, changed_tasks& changed) {
  const auto there = item_of(x, item);
  const bool has_failed = there ? there->state == item_state::failed : !g.is_gathered;
  const auto child = has_failed ? std::nullopt : child_of_item(parent, d, x.step, item, false);
  if (!child || child->state.task.state == workflow::process_state::undone)
    return;
  auto state = there ? there->state : item_state::done;
  if (state != item_state::undoing && state != item_state::undo_in_error)
    state = note_undo(g, item, state);
  const workflow::by who{"its parent " + workflow::quoted(parent.id), g.why};
  auto t = apply_to(child->state.task.number, workflow::undo_requested{who}, x.at, true);
  const auto& next = t ? *t : child->state.task; // it may have been on its way, or need a person
  state = note_item(g, item, state, workflow::end_of_child(next, *child->definition, d, x.step));
  if (state == item_state::undone)
    txn_.erase(in_.items, item_key(x, item));
  else
    put(x, item, {state, {}});
  if (t)
    changed.insert_or_assign(t->number, *std::move(t));
}

void write_batch::follow_items(const child_note& x, const workflow::item_group& before, workflow::item_group& g,
                               const workflow::task& parent, const workflow::definition& d, changed_tasks& changed) {
  if (waits(parent, x))
    turn_if_failed(g, settings_.options->result_size_max);
  if (g.in_error > 0 && g.first_in_error == 0)
    find_first_in_error(x, g);
  const bool is_told_now = is_telling_due(g) && waits(parent, x);
  if (is_told_now)
    g.told = g.done + g.failed;
  if (g != before)
    put(x, g);
  if (may_undo_next(g))
    child_notes_.push_back(of_items(x, child_duty::undo, g.undo_next));
  if (have_ended(g) && !g.is_gathered && waits(parent, x))
    return gather(x, g, d, changed);
  if (are_undone(g))
    return end_step(x, end_of_items(child_state::undone, g), changed);
  if (g.first_in_error != before.first_in_error || (g.is_turned && g.in_error > 0))
    tell_trouble(x, g, parent, d, changed);
  if (is_told_now)
    end_step(x, end_of_items(child_state::counted, g), changed);
  if (may_start_next(g) && waits(parent, x))
    child_notes_.push_back(of_items(x, child_duty::start));
}

void write_batch::tell_trouble(const child_note& x, const workflow::item_group& g, const workflow::task& parent,
                               const workflow::definition& d, changed_tasks& changed) {
  if (g.in_error == 0)
    return end_step(x, {child_state::at_work, {}, {}, {}}, changed);
  const bool is_undone = !waits(parent, x);
  if (is_undone && (g.undo_next > 0 || g.undo_left > g.in_error))
    return; // others may yet be undone
  const auto child = child_of_item(parent, d, x.step, g.first_in_error, false);
  auto end = child ? workflow::end_of_child(child->state.task, *child->definition, d, x.step)
                   : workflow::child_end{child_state::undo_failed, "there is no task of it", {}, {}};
  end.how = is_undone ? child_state::undo_failed : child_state::in_error;
  end.item = g.first_in_error;
  end_step(x, std::move(end), changed);
}

void write_batch::gather(const child_note& x, workflow::item_group& g, const workflow::definition& d,
                         changed_tasks& changed) {
  workflow::gathered_results all;
  const key place{x.parent, x.step};
  each_with(txn_, in_.items, place.view(), place.view(), [&](const lmdb::cursor& c) {
    all.add(decode_record<item_record>(c.key(), c.value()).bytes.view());
    return true;
  });
  auto end = end_of_items(child_state::processed, g);
  end.result = workflow::blob{std::move(all).text()};
  end.facts = workflow::facts_of(d, x.step, end.result.view());
  g.is_gathered = true;
  put(x, g);
  erase_items(x.parent, x.step);
  end_step(x, std::move(end), changed);
}

void write_batch::find_first_in_error(const child_note& x, workflow::item_group& g) const {
  const key place{x.parent, x.step};
  each_with(txn_, in_.items, place.view(), place.view(), [&](const lmdb::cursor& c) {
    const auto state = decode_record<item_record>(c.key(), c.value()).state;
    if (needs_person(g, state))
      g.first_in_error = key_reader{c.key().substr(place.view().size())}.number<std::uint32_t>().value_or(0);
    return g.first_in_error == 0;
  });
}

} // namespace steadfast::store
