#include "store/verbs/family/decide_items.hpp"

#include "workflow/task/compensation.hpp"
#include "workflow/task/mapped.hpp"
#include "workflow/text/name.hpp"

#include <utility>

namespace steadfast::store {

using workflow::child_duty;
using workflow::child_end;
using workflow::child_state;
using workflow::fan_out;
using workflow::item_state;

namespace {

child_end end_of_items(child_state how, const fan_out& f) {
  return {how, f.why, {}, {}, 0, to_string(f)};
}

items_act act_of_start_of_items(const child_note& x, const workflow::task& parent, const fan_out* f) {
  if (!waits_for_items(x, parent)) // what was begun at the same time turned the task round
    return f != nullptr ? items_act::none : items_act::end_undone;
  const bool is_of_this_attempt = f != nullptr && f->generation == parent.steps[x.step].key_generation;
  return is_of_this_attempt ? items_act::go_on : items_act::begin;
}

items_act act_of_undo_of_items(const child_note& x, const workflow::task& parent, const workflow::definition& d,
                               const fan_out* f) {
  if (f == nullptr)
    return items_act::take_back_start;
  const bool is_due = x.item == 0 ? is_undo_due(x, parent, d) : f->is_turned; // else it is that of an earlier attempt
  return is_due ? items_act::undo : items_act::none;
}

} // namespace

bool waits_for_items(const child_note& x, const workflow::task& parent) {
  return parent.steps[x.step].state == workflow::step_state::waiting;
}

bool do_items_rest(const workflow::task& parent) {
  return parent.state == workflow::process_state::suspended;
}

items_act act_of(const child_note& x, const workflow::task& parent, const workflow::definition& d, const fan_out* f) {
  switch (x.what) {
    case child_duty::start: return act_of_start_of_items(x, parent, f);
    case child_duty::undo: return act_of_undo_of_items(x, parent, d, f);
    case child_duty::tell_parent: return f != nullptr && x.item != 0 ? items_act::note_end : items_act::none;
    case child_duty::none: break;
  }
  return items_act::none;
}

child_end lost_items() {
  return {child_state::undo_failed, "its items are not in this store", {}, {}};
}

// ---- one item ----

std::uint32_t next_to_start(fan_out& f, const workflow::task& parent, std::size_t results_size_max) {
  turn_if_failed(f, results_size_max);
  if (!may_start_next(f) || do_items_rest(parent))
    return 0;
  ++f.at_work;
  return ++f.next;
}

std::uint32_t next_to_undo(fan_out& f, const child_note& x, const workflow::task& parent) {
  if (x.item == 0) // it is the turn of the step
    turn(f, parent.cause);
  return may_undo_next(f) && !do_items_rest(parent) ? f.undo_next-- : 0;
}

item_record started(fan_out& f, std::uint32_t item, const std::optional<std::string>& why_not) {
  if (!why_not)
    return {item_state::at_work, {}};
  return {note_item(f, item, item_state::at_work, not_made(*why_not)), {}};
}

std::optional<item_row> noted_end(fan_out& f, std::uint32_t item, item_state was, child_end end) {
  const auto is = note_item(f, item, was, end);
  if (is == was)
    return std::nullopt;
  return item_row{is == item_state::undone, {is, is == item_state::done ? std::move(end.result) : workflow::blob{}}};
}

bool may_need_undo(const fan_out& f, const item_record* there) {
  return there != nullptr ? there->state != item_state::failed : f.is_gathered;
}

bool needs_undo(const workflow::task* child) {
  return child != nullptr && child->state != workflow::process_state::undone;
}

item_state told_to_undo(fan_out& f, std::uint32_t item, const item_record* there) {
  const auto was = there != nullptr ? there->state : item_state::done;
  const bool was_told = was == item_state::undoing || was == item_state::undo_in_error;
  return was_told ? was : note_undo(f, item, was);
}

workflow::undo_requested undo_asked_by(const workflow::task& parent, const fan_out& f) {
  return {{"its parent " + workflow::quoted(parent.id), f.why}};
}

item_row noted_undo(fan_out& f, std::uint32_t item, item_state told, const child_end& end) {
  const auto is = note_item(f, item, told, end);
  return {is == item_state::undone, {is, {}}};
}

namespace {

/// 0: there is none.
std::uint32_t first_at_work(const fan_out& f, const item_questions& ask) {
  for (std::uint32_t item = 1; f.at_work > 0 && item <= f.next; ++item)
    if (const auto row = ask.row(item); row && row->state == item_state::at_work)
      return item;
  return 0;
}

} // namespace

items_undo undo_of_items(const fan_out& f, const item_questions& ask) {
  items_undo u;
  u.first_under_way = f.is_turned ? 0 : first_at_work(f, ask);
  u.tasks = f.is_turned ? f.undo_next + f.undo_left : f.is_gathered ? f.done : f.next - f.failed;
  u.first_in_error = f.is_turned ? f.first_in_error : 0;
  const auto was_told = [&f](std::uint32_t item) { return f.is_turned && item > f.undo_next; };
  const auto is_more_wanted = [&](std::uint32_t item) {
    return u.first.size() < items_undo_shown || (was_told(item) && u.first_under_way == 0);
  };
  const auto is_child_in_place = [&](std::uint32_t item) {
    const auto child = ask.child(item);
    return needs_undo(child ? &*child : nullptr);
  };
  for (auto item = f.next; item > 0 && is_more_wanted(item); --item) {
    const auto row = ask.row(item);
    if (!may_need_undo(f, row ? &*row : nullptr))
      continue;
    if (!row && (was_told(item) || !is_child_in_place(item))) // of one that was told the row is gone once it is undone
      continue;
    if (u.first.size() < items_undo_shown)
      u.first.push_back(item);
    if (u.first_under_way == 0 && row && row->state == item_state::undoing)
      u.first_under_way = item;
  }
  return u;
}

// ---- the step ----

void turn_if_due(fan_out& f, bool waits, std::size_t results_size_max) {
  if (waits)
    turn_if_failed(f, results_size_max);
}

bool is_first_in_error_unknown(const fan_out& f) {
  return f.in_error > 0 && f.first_in_error == 0;
}

items_news news_of(const fan_out& before, fan_out& f, bool waits, bool rest) {
  items_news n;
  const bool is_told_now = is_telling_due(f) && waits;
  if (is_told_now)
    f.told = f.done + f.failed;
  n.is_put = f != before;
  n.is_next_undone = may_undo_next(f) && !rest;
  n.are_gathered = have_ended(f) && !f.is_gathered && waits;
  if (n.are_gathered)
    return n;
  if (are_undone(f)) {
    n.ended = end_of_items(child_state::undone, f);
    return n;
  }
  n.is_in_trouble = f.first_in_error != before.first_in_error || (f.is_turned && f.in_error > 0);
  if (is_told_now)
    n.counted = end_of_items(child_state::counted, f);
  n.is_next_started = may_start_next(f) && waits && !rest;
  return n;
}

bool is_trouble_told(const fan_out& f, bool waits) {
  const bool may_others_be_undone = f.undo_next > 0 || f.undo_left > f.in_error;
  return f.in_error == 0 || waits || !may_others_be_undone;
}

child_end trouble_of(const fan_out& f, bool waits, std::optional<child_end> first) {
  if (f.in_error == 0)
    return {child_state::at_work, {}, {}, {}};
  auto end = first ? *std::move(first) : child_end{child_state::undo_failed, "there is no task of it", {}, {}};
  if (!waits && end.how == child_state::processed)
    end.why = "a person let it go on, and it was processed";
  end.how = waits ? child_state::in_error : child_state::undo_failed;
  end.item = f.first_in_error;
  return end;
}

child_end end_with_results(fan_out& f, const workflow::definition& d, std::size_t step, std::string results) {
  f.is_gathered = true;
  auto end = end_of_items(child_state::processed, f);
  end.result = workflow::blob{std::move(results)};
  end.facts = workflow::facts_of(d, step, end.result.view());
  return end;
}

} // namespace steadfast::store
