#include "workflow/children/child.hpp"

#include "workflow/task/compensation.hpp"
#include "workflow/task/mapped.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::workflow {

namespace {

std::uint32_t room_of(const task& t) {
  return t.parent.empty() ? family_max : t.parent->room;
}

std::size_t children_of(const definition& d) {
  return static_cast<std::size_t>(
    std::count_if(d.steps.begin(), d.steps.end(), [](const step_definition& s) { return starts_child(s); }));
}

/// The payload of the child, or why there is none.
mapped_value payload_for(const task& t, const definition& d, const source& at) {
  if (at.from != source::kind::result)
    return value_of(at, t, d);
  const auto& earlier = t.steps[*find_step(d, at.step)];
  if (is_of_skipped(at, t, d))
    return {"null", {}};
  const auto found = fact_at(earlier, at.pointer);
  if (!found)
    return {std::nullopt, "the result of step `" + at.step + "` has no value at \"" + at.pointer + "\""};
  return {std::string{*found}, {}};
}

} // namespace

std::uint32_t family_share(const task& t, const definition& d) {
  return static_cast<std::uint32_t>(room_of(t) / std::max<std::size_t>(children_of(d), 1));
}

bool is_child_of(const task& child, const task& t, std::size_t i, std::uint32_t item) {
  return child.parent->id == t.id && child.parent->step == i && child.parent->item == item
         && (child.parent->number == t.number || child.parent->number == 0);
}

new_child child_of(const task& t, const definition& d, std::size_t i) {
  const auto& rule = *d.steps[i].wait;
  new_child x;
  x.parent = {t.id, t.number, static_cast<std::uint32_t>(i), t.parent->depth + 1, 0, 0};
  if (x.parent.depth > depth_max) {
    x.problem = "tasks start each other " + std::to_string(depth_max) + " deep at most";
    return x;
  }
  const auto share = family_share(t, d);
  if (share == 0) {
    x.problem = "one task starts " + std::to_string(family_max) + " others at most, directly or through others";
    return x;
  }
  x.parent.room = share - 1;
  x.what.id = child_id(t, d, i);
  x.what.workflow = rule.name;
  x.what.priority = t.priority;
  x.what.trace = t.trace;
  const bool is_all = rule.at.from == source::kind::payload && rule.at.pointer.empty();
  if (is_all) {
    x.what.payload = t.payload;
    x.what.content_type = t.content_type;
    return x;
  }
  auto payload = payload_for(t, d, rule.at);
  x.problem = std::move(payload.problem);
  if (payload.value)
    x.what.payload = blob{*std::move(payload.value)};
  return x;
}

child_end end_of_child(const task& child, const definition& of_child, const definition& of_parent, std::size_t step) {
  child_end end;
  end.why = clipped(child.cause, note_size_max);
  switch (child.state) {
    case process_state::processed: {
      end.how = child_state::processed;
      const auto result = result_of(child, of_child);
      end.facts = facts_of(of_parent, step, result);
      end.result = blob{result};
      return end;
    }
    case process_state::undone: end.how = child_state::undone; return end;
    case process_state::error:
      end.how = child_state::in_error;
      child.steps.each<step_mark::undo_failed>([&](std::size_t i) {
        end.how = child_state::undo_failed; // its cause says why it was undone
        end.why = clipped("step `" + of_child.steps[i].name + "`: " + failure_told(child.steps[i]), note_size_max);
      });
      return end;
    default: return end;
  }
}

child_duty duty_of(const task& t, const definition& d, std::size_t i, const task* child) {
  const auto& s = t.steps[i];
  if (!starts_child(d.steps[i]) || is_over_items(d.steps[i]))
    return child_duty::none;
  if (s.state == step_state::waiting) {
    if (child == nullptr)
      return child_duty::start;
    return is_unfinished(child->state) ? child_duty::none : child_duty::tell_parent;
  }
  if (!is_undo_of_child_awaited(s, d.steps[i]))
    return child_duty::none;
  if (child == nullptr || child->state == process_state::undone)
    return child_duty::tell_parent;
  const bool goes_forward = !is_undoing(*child) && child->state != process_state::error;
  return goes_forward ? child_duty::undo : child_duty::none;
}

} // namespace steadfast::workflow
