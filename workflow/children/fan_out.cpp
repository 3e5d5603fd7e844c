#include "workflow/children/fan_out.hpp"

#include "workflow/definition/item_workflow.hpp"
#include "workflow/task/mapped.hpp"
#include "workflow/text/json_place.hpp"
#include "workflow/text/json_scan.hpp"
#include "workflow/text/json_text.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace steadfast::workflow {

namespace {

constexpr std::uint32_t tellings_max = 20; ///< of counts, for one step
constexpr std::size_t null_size = 5;       ///< in the results, with its comma

/// The items as they are written; nothing: it is no array.
std::optional<std::vector<std::string_view>> elements_of(std::string_view array) {
  json_scan in{array};
  if (in.next() != '[')
    return std::nullopt;
  std::vector<std::string_view> all;
  for (bool more = in.enter(); more; more = in.more())
    all.push_back(in.value());
  return all;
}

/// Values that are the same for every item, and where its own go.
class item_input {
public:
  item_input(const task& t, const definition& d, const step_definition& s) {
    for (const auto& m : s.input) {
      if (m.value.from == source::kind::item) {
        of_item_.push_back(&m);
        continue;
      }
      if (m.optional && is_of_skipped(m.value, t, d))
        continue;
      auto value = value_of(m.value, t, d);
      if (value.value)
        members_[m.name] = *std::move(value.value);
      else if (!m.optional)
        problem_ = "input member " + quoted(m.name) + ": " + value.problem;
    }
    is_item_itself_ = is_without_input(s);
  }

  /// Appends to `problem` why there is none.
  std::string of(std::string_view item, std::string& problem) {
    problem = problem_;
    if (is_item_itself_)
      return compact_json(item);
    auto members = members_;
    for (const auto* m : of_item_) {
      if (const auto value = json_value_at(item, m->value.pointer))
        members[m->name] = compact_json(*value);
      else if (!m->optional)
        problem = "input member " + quoted(m->name) + ": it has no value at \"" + m->value.pointer + "\"";
    }
    return object_of(members);
  }

private:
  std::map<std::string, std::string> members_;
  std::vector<const input_member*> of_item_;
  std::string problem_;
  bool is_item_itself_ = false;
};

std::string counted(std::size_t n) {
  return std::to_string(n);
}

} // namespace

new_items items_of(const task& t, const definition& d, std::size_t i) {
  const auto& s = d.steps[i];
  const auto& rule = *s.wait;
  new_items x;
  const auto array = value_of(rule.at, t, d);
  if (!array.value) {
    x.problem = array.problem;
    return x;
  }
  const auto skipped = is_of_skipped(rule.at, t, d);
  const auto items = skipped ? std::vector<std::string_view>{} : elements_of(*array.value);
  if (!items) {
    x.problem = "what it goes over is no array";
    return x;
  }
  if (items->size() > items_max) {
    x.problem = "it goes over " + counted(items->size()) + " items, and at most " + counted(items_max) + " are allowed";
    return x;
  }
  const auto room = family_share(t, d);
  if (t.parent->depth + 1 > depth_max || room < items->size()) {
    x.problem = t.parent->depth + 1 > depth_max
                  ? "tasks start each other " + counted(depth_max) + " deep at most"
                  : "one task starts " + counted(family_max) + " others at most, directly or through others";
    return x;
  }
  item_input input{t, d, s};
  std::size_t size = 0;
  for (const auto item : *items) {
    x.payloads.push_back(input.of(item, x.problem));
    size += x.payloads.back().size();
    if (x.problem.empty() && size > items_size_max)
      x.problem = "what its items are given is more than " + counted(items_size_max) + " bytes together";
    if (!x.problem.empty()) {
      x.problem = "item " + counted(x.payloads.size() - 1) + ": " + x.problem;
      return x;
    }
  }
  auto& f = x.counts;
  f.size = static_cast<std::uint32_t>(items->size());
  f.at_a_time = rule.at_a_time;
  f.may_fail = rule.may_fail_is_percentage ? static_cast<std::uint32_t>(std::uint64_t{f.size} * rule.may_fail / 100)
                                           : rule.may_fail;
  f.generation = t.steps[i].key_generation;
  f.room = f.size == 0 ? 0 : (room - f.size) / f.size;
  return x;
}

new_child child_for(const task& t, const definition& d, std::size_t i, const fan_out& f, std::uint32_t item,
                    std::string payload) {
  new_child x;
  x.parent = {t.id, t.number, static_cast<std::uint32_t>(i), t.parent->depth + 1, f.room, item};
  x.what.id = child_id(t, d, i, item);
  x.what.workflow = workflow_of_items(d, i);
  x.what.version = version_of_items(d, i);
  x.what.priority = t.priority;
  x.what.trace = t.trace;
  x.what.payload = blob{std::move(payload)};
  return x;
}

bool may_start_next(const fan_out& f) {
  return !f.is_turned && f.next < f.size && f.at_work - f.in_error < f.at_a_time;
}

bool may_undo_next(const fan_out& f) {
  return f.is_turned && f.undo_next > 0 && f.undo_left - std::min(f.in_error, f.undo_left) < f.at_a_time;
}

bool have_ended(const fan_out& f) {
  return !f.is_turned && f.done + f.failed == f.size;
}

bool are_undone(const fan_out& f) {
  return f.is_turned && f.undo_next == 0 && f.undo_left == 0;
}

bool is_telling_due(const fan_out& f) {
  return f.done + f.failed >= f.told + std::max(f.size / tellings_max, 1U);
}

bool needs_person(const fan_out& f, item_state s) {
  return s == (f.is_turned ? item_state::undo_in_error : item_state::in_error);
}

void turn(fan_out& f, std::string why) {
  if (!f.is_turned) // those in error are told to undo what they did, as all
    f.in_error = f.first_in_error = 0;
  f.is_turned = true;
  f.undo_next = f.next;
  f.why = clipped(why, note_size_max);
}

void turn_if_failed(fan_out& f, std::size_t results_size_max) {
  if (f.is_turned)
    return;
  if (f.failed > f.may_fail)
    turn(f, f.may_fail == 0 ? f.why : counted(f.failed) + " items failed, the first " + f.why);
  else if (f.results_size + 2 > results_size_max)
    turn(f, "the results of its items are more than " + counted(results_size_max) + " bytes together");
}

namespace {

item_state ended_well(fan_out& f, const child_end& end) {
  ++f.done;
  f.results_size += end.result.empty() ? null_size : end.result.size() + 1;
  return item_state::done;
}

item_state ended_badly(fan_out& f, std::uint32_t item, const child_end& end) {
  ++f.failed;
  f.results_size += null_size;
  if (f.why.empty())
    f.why = clipped("item " + counted(item - 1) + ": " + end.why, note_size_max);
  return item_state::failed;
}

void set_in_error(fan_out& f, std::uint32_t item, bool was, bool is) {
  if (was == is)
    return;
  f.in_error += is ? 1U : -1U;
  if (is && (f.first_in_error == 0 || item < f.first_in_error))
    f.first_in_error = item;
  else if (!is && f.first_in_error == item)
    f.first_in_error = 0; // the store looks for the next one
}

item_state note_forward(fan_out& f, std::uint32_t item, const child_end& end) {
  switch (end.how) {
    case child_state::processed: --f.at_work; return ended_well(f, end);
    case child_state::undone:
    case child_state::refused: --f.at_work; return ended_badly(f, item, end);
    case child_state::in_error:
    case child_state::undo_failed: return item_state::in_error;
    default: return item_state::at_work;
  }
}

item_state note_undoing(fan_out& f, item_state was, const child_end& end) {
  switch (end.how) {
    case child_state::undone: --f.undo_left; return item_state::undone;
    case child_state::processed: // in error, it was let go on by a person; it is told again when its parent is retried
    case child_state::in_error:
    case child_state::undo_failed: return item_state::undo_in_error;
    case child_state::at_work: return item_state::undoing;
    default: return was;
  }
}

} // namespace

item_state note_item(fan_out& f, std::uint32_t item, item_state was, const child_end& end) {
  auto is = was;
  if (was == item_state::at_work || was == item_state::in_error)
    is = note_forward(f, item, end);
  else if (was == item_state::undoing || was == item_state::undo_in_error)
    is = note_undoing(f, was, end);
  set_in_error(f, item, needs_person(f, was), needs_person(f, is));
  return is;
}

item_state note_undo(fan_out& f, std::uint32_t item, item_state was) {
  if (was == item_state::at_work || was == item_state::in_error)
    --f.at_work;
  set_in_error(f, item, needs_person(f, was), false);
  ++f.undo_left;
  return item_state::undoing;
}

void count(fan_out& f, item_state s) {
  if (s == item_state::at_work || s == item_state::in_error)
    ++f.at_work;
  if (s == item_state::undoing || s == item_state::undo_in_error)
    ++f.undo_left;
  if (needs_person(f, s))
    ++f.in_error;
  if (s == item_state::done)
    ++f.done;
  if (s == item_state::failed)
    ++f.failed;
}

std::string to_string(const fan_out& f) {
  auto text = counted(f.done) + " of " + counted(f.size) + " done";
  if (f.failed > 0)
    text += ", " + counted(f.failed) + " failed";
  return text;
}

} // namespace steadfast::workflow
