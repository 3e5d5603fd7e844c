// What tasks that steps have started wait for, and what an undo does, or would do, of them too.

#include "actors/protocol/store_messages.hpp"
#include "runtime/control/control_context.hpp"
#include "workflow/children/child.hpp"
#include "workflow/on_call/child_wait.hpp"
#include "workflow/on_call/undo_plan.hpp"

#include <optional>
#include <utility>

namespace steadfast {

namespace {

using nlohmann::json;

actors::items_undo undo_of_items(const control_context& c, const workflow::task& t, std::size_t i) {
  return c.ask<actors::items_undo>(c.parts.reader, actors::find_items_undo{t.number, static_cast<std::uint32_t>(i)});
}

/// Nothing: there is none, or it cannot be read.
std::optional<actors::task_view> child_of(const control_context& c, const workflow::task& t,
                                          const workflow::definition& d, std::size_t i, std::uint32_t item = 0) {
  auto view = c.ask<actors::task_view>(c.parts.gateway, actors::show_task{workflow::child_id(t, d, i, item)});
  const bool is_it = view.task && view.definition && workflow::is_child_of(*view.task, t, i, item);
  return is_it ? std::optional{std::move(view)} : std::nullopt;
}

json planned_step(const workflow::task& t, const workflow::definition& d, std::size_t i) {
  return {{"step", d.steps[i].name}, {"state", std::string{workflow::to_string(t.steps[i].state)}}};
}

/// What is undone of the items' tasks.
void plan_items(const control_context& c, const workflow::task& t, const workflow::definition& d, std::size_t i,
                json& into) {
  const auto u = undo_of_items(c, t, i);
  json first = json::array();
  for (const auto item : u.first)
    first.push_back(workflow::child_id(t, d, i, item));
  into["items"] = t.steps[i].wait->progress;
  into["tasks"] = u.tasks;
  into["first_tasks"] = first;
}

void plan_child(const control_context& c, const workflow::task& t, const workflow::definition& d, std::size_t i,
                json& into) {
  std::size_t steps = 0;
  if (const auto child = child_of(c, t, d, i))
    steps = workflow::plan_undo(*child->task, *child->definition, workflow::undo_requested{}, c.clock_of(t.number))
              .undone.size();
  into["task"] = workflow::child_id(t, d, i);
  into["steps"] = steps;
}

} // namespace

void tell_started_tasks(const control_context& c, const workflow::task& t, const workflow::definition& d,
                        std::vector<workflow::explanation>& told) {
  for (const auto i : workflow::waiting_for_tasks(t, d)) {
    std::vector<std::uint32_t> items{0}; // it started one task
    if (workflow::is_over_items(d.steps[i])) {
      const auto u = undo_of_items(c, t, i);
      items = {u.first_in_error, u.first_under_way};
      std::erase(items, 0U);
    }
    for (const auto item : items)
      if (const auto child = child_of(c, t, d, i, item))
        told.push_back(workflow::explain_wait_for(*child->task, *child->definition, t, d, i, c.clock_of(t.number)));
  }
}

json plan_undo(const control_context& c, const api::arguments& params) {
  const auto view = view_of(c, params.text("id"));
  const auto& t = *view.task;
  const auto& d = *view.definition;
  const auto request = params.text("act") == "cancel" ? workflow::event{workflow::cancelled{}}
                                                      : workflow::event{workflow::undo_requested{}};
  const auto plan = workflow::plan_undo(t, d, request, c.clock_of(t.number));
  json undone = json::array();
  for (const auto i : plan.undone) {
    undone.push_back(planned_step(t, d, i));
    if (workflow::is_over_items(d.steps[i]))
      plan_items(c, t, d, i, undone.back());
    else if (workflow::starts_child(d.steps[i]))
      plan_child(c, t, d, i, undone.back());
    else
      undone.back()["agent"] = d.steps[i].compensation->agent;
    if (t.steps[i].state == workflow::step_state::compensation_failed)
      undone.back()["failed"] = workflow::failure_told(t.steps[i]);
  }
  json left = json::array();
  for (const auto i : plan.left) {
    left.push_back(planned_step(t, d, i));
    left.back()["why"] = workflow::is_over_items(d.steps[i])  ? "its items could not all be undone"
                         : workflow::starts_child(d.steps[i]) ? "its task could not be undone"
                         : d.steps[i].compensation            ? "its compensation failed"
                                                              : "it has no compensation";
  }
  return {{"id", t.id},
          {"process_state", std::string{workflow::to_string(t.state)}},
          {"refused", plan.refused},
          {"undone", undone},
          {"left", left}};
}

} // namespace steadfast
