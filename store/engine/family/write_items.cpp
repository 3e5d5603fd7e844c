// Steps that go over items: their tasks are made a few at a time, counted as they end, and undone one by one. What is
// counted has a record of its own, so the task of the step changes a few times, however many items there are.

#include "store/engine/write_batch.hpp"
#include "store/lmdb/prefix_scan.hpp"
#include "store/verbs/family/decide_items.hpp"

#include <utility>

namespace steadfast::store {

using workflow::child_duty;

namespace {

key item_key(const child_note& x, std::uint32_t item) {
  return key{x.parent, x.step, item};
}

/// The same step, about all or one of its items.
child_note of_items(const child_note& x, child_duty what, std::uint32_t item = 0) {
  return {x.parent, x.step, what, x.at, item};
}

} // namespace

std::optional<workflow::fan_out> write_batch::fan_out_of(std::uint64_t parent, std::uint32_t step) const {
  const key k{parent, step};
  const auto bytes = txn_.get(in_.item_groups, k);
  return bytes ? std::optional{decode_record<workflow::fan_out>(k, *bytes)} : std::nullopt;
}

void write_batch::put(const child_note& x, const workflow::fan_out& f) {
  const key k{x.parent, x.step};
  txn_.put(in_.item_groups, k, encode_record(k, f));
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

void write_batch::put(const child_note& x, std::uint32_t item, const item_row& r) {
  if (r.is_erased)
    txn_.erase(in_.items, item_key(x, item));
  else
    put(x, item, r.put);
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
  auto f = fan_out_of(x.parent, x.step);
  switch (act_of(x, parent, d, f ? &*f : nullptr)) {
    case items_act::begin: return begin_items(x, parent, d, changed);
    case items_act::go_on: return go_on_with_items(x, *std::move(f), parent, d, changed);
    case items_act::undo: return undo_items(x, *std::move(f), parent, d, changed);
    case items_act::note_end: return note_item_end(x, *std::move(f), parent, d, changed);
    case items_act::take_back_start: return end_step(x, take_back_start(x) ? never_begun() : lost_items(), changed);
    case items_act::end_undone: return end_step(x, never_begun(), changed);
    case items_act::none: return;
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
    put(x, ++item, item_record{workflow::item_state::to_start, workflow::blob{std::move(payload)}});
  put(x, made.counts);
  go_on_with_items(x, std::move(made.counts), parent, d, changed);
}

void write_batch::go_on_with_items(const child_note& x, workflow::fan_out f, const workflow::task& parent,
                                   const workflow::definition& d, changed_tasks& changed) {
  const auto before = f;
  if (const auto item = next_to_start(f, parent, settings_.options->result_size_max))
    start_item(x, f, item, parent, d, changed);
  else if (f.in_error > 0)
    tell_trouble(x, f, parent, d, changed); // it has begun to wait anew
  follow_items(x, before, f, parent, d, changed);
}

void write_batch::start_item(const child_note& x, workflow::fan_out& f, std::uint32_t item,
                             const workflow::task& parent, const workflow::definition& d, changed_tasks& changed) {
  std::optional<std::string> why_not;
  auto there = item_of(x, item);
  if (child_of_item(parent, d, x.step, item, false)) {
    child_notes_.push_back(of_items(x, child_duty::tell_parent, item)); // of another store, which may have ended
  } else {
    auto payload = there ? std::string{there->bytes.view()} : std::string{};
    auto made = make_child(workflow::child_for(parent, d, x.step, f, item, std::move(payload)), x.at, changed);
    if (auto* const why = std::get_if<std::string>(&made))
      why_not = std::move(*why);
  }
  put(x, item, started(f, item, why_not));
}

void write_batch::note_item_end(const child_note& x, workflow::fan_out f, const workflow::task& parent,
                                const workflow::definition& d, changed_tasks& changed) {
  const auto was = item_of(x, x.item);
  const auto child = was ? child_of_item(parent, d, x.step, x.item, true) : std::nullopt;
  if (!child)
    return;
  const auto before = f;
  const auto row =
    noted_end(f, x.item, was->state, workflow::end_of_child(child->state.task, *child->definition, d, x.step));
  if (!row)
    return;
  put(x, x.item, *row);
  follow_items(x, before, f, parent, d, changed);
}

void write_batch::undo_items(const child_note& x, workflow::fan_out f, const workflow::task& parent,
                             const workflow::definition& d, changed_tasks& changed) {
  const auto before = f;
  if (const auto item = next_to_undo(f, x, parent))
    undo_item(x, f, item, parent, d, changed);
  follow_items(x, before, f, parent, d, changed);
}

void write_batch::undo_item(const child_note& x, workflow::fan_out& f, std::uint32_t item, const workflow::task& parent,
                            const workflow::definition& d, changed_tasks& changed) {
  const auto row = item_of(x, item);
  const auto* const there = row ? &*row : nullptr;
  const auto child =
    may_need_undo(f, there) ? child_of_item(parent, d, x.step, item, false) : std::optional<snapshot::known_task>{};
  if (!needs_undo(child ? &child->state.task : nullptr))
    return;
  const auto told = told_to_undo(f, item, there);
  auto t = apply_to(child->state.task.number, undo_asked_by(parent, f), x.at, true);
  const auto& next = t ? *t : child->state.task; // it may have been on its way, or need a person
  put(x, item, noted_undo(f, item, told, workflow::end_of_child(next, *child->definition, d, x.step)));
  if (t)
    changed.insert_or_assign(t->number, *std::move(t));
}

void write_batch::follow_items(const child_note& x, const workflow::fan_out& before, workflow::fan_out& f,
                               const workflow::task& parent, const workflow::definition& d, changed_tasks& changed) {
  const bool waits = waits_for_items(x, parent);
  turn_if_due(f, waits, settings_.options->result_size_max);
  if (is_first_in_error_unknown(f))
    find_first_in_error(x, f);
  auto news = news_of(before, f, waits, do_items_rest(parent));
  if (news.is_put)
    put(x, f);
  if (news.is_next_undone)
    child_notes_.push_back(of_items(x, child_duty::undo, f.undo_next));
  if (news.are_gathered)
    return gather(x, f, d, changed);
  if (news.ended)
    return end_step(x, *std::move(news.ended), changed);
  if (news.is_in_trouble)
    tell_trouble(x, f, parent, d, changed);
  if (news.counted)
    end_step(x, *std::move(news.counted), changed);
  if (news.is_next_started)
    child_notes_.push_back(of_items(x, child_duty::start));
}

void write_batch::tell_trouble(const child_note& x, const workflow::fan_out& f, const workflow::task& parent,
                               const workflow::definition& d, changed_tasks& changed) {
  const bool waits = waits_for_items(x, parent);
  if (!is_trouble_told(f, waits))
    return;
  const auto first =
    f.in_error > 0 ? child_of_item(parent, d, x.step, f.first_in_error, false) : std::optional<snapshot::known_task>{};
  auto end =
    first ? std::optional{workflow::end_of_child(first->state.task, *first->definition, d, x.step)} : std::nullopt;
  end_step(x, trouble_of(f, waits, std::move(end)), changed);
}

void write_batch::gather(const child_note& x, workflow::fan_out& f, const workflow::definition& d,
                         changed_tasks& changed) {
  workflow::gathered_results all;
  const key place{x.parent, x.step};
  each_with(txn_, in_.items, place.view(), place.view(), [&](const lmdb::cursor& c) {
    all.add(decode_record<item_record>(c.key(), c.value()).bytes.view());
    return true;
  });
  auto end = end_with_results(f, d, x.step, std::move(all).text());
  put(x, f);
  erase_items(x.parent, x.step);
  end_step(x, std::move(end), changed);
}

void write_batch::find_first_in_error(const child_note& x, workflow::fan_out& f) const {
  const key place{x.parent, x.step};
  each_with(txn_, in_.items, place.view(), place.view(), [&](const lmdb::cursor& c) {
    const auto state = decode_record<item_record>(c.key(), c.value()).state;
    if (needs_person(f, state))
      f.first_in_error = key_reader{c.key().substr(place.view().size())}.number<std::uint32_t>().value_or(0);
    return f.first_in_error == 0;
  });
}

} // namespace steadfast::store
