// What answers tell of alerts and of what people do: incidents, bulk acts, undo plans, questions, events.

#include "api/methods.hpp"
#include "workflow/on_call/bulk_act.hpp"

namespace steadfast::api {

namespace {

std::vector<schema> schemas_of_alerts() {
  using enum kind;
  return {
    {"act",
     "What a person did",
     {{"at", moment, "when it was done"},
      {"who", text, "who did it"},
      {"what", text, "what was done"},
      {"why", text, "the reason, if given"}}},
    {"alert",
     "A durable note that a person is needed",
     {{"number", number, "the number of the alert"},
      {"task_id", text, "the id of the task that it concerns; empty: none"},
      {"task_number", number, "the number of that task; 0: none"},
      {"kind", text, "what kind of alert it is, such as error, undo_failed or node_lost; act: what a person did"},
      {"text", text, "what happened"},
      {"step", text, "the step that it concerns; empty: none"},
      or_null({"at", moment, "when it was raised; null: while the store was being opened, before the clock was known"}),
      {"acknowledged_by", text, "who is looking into it; empty: nobody"},
      or_null({"acknowledged_at", moment, "when it was acknowledged"})}},
    {"incident",
     "All alerts with the same cause, shown as one",
     {{"number", number, "the number of the incident"},
      {"kind", text, "the kind of its alerts"},
      {"agent", text, "the agent that its alerts have in common; empty: none"},
      {"workflow", text, "the workflow that its alerts have in common; empty: none"},
      {"step", text, "the step that its alerts have in common; empty: none"},
      {"cause", text, "what went wrong, without the details that differ from task to task"},
      {"is_condition", flag, "it concerns the whole cluster rather than single tasks"},
      {"tasks", number, "tasks affected now"},
      {"tasks_ever", number, "tasks affected so far"},
      {"alerts", number, "alerts in it that still hold"},
      {"times", number, "how often it has occurred"},
      or_null({"first_at", moment, "when it began, or began again, with an alert; null: before the clock was known"}),
      or_null({"last_at", moment, "when its latest alert was raised; null: before the clock was known"}),
      or_null({"closed_at", moment, "when it was closed; null: it is open"}),
      {"sample_task", text, "the id of one of the affected tasks"},
      {"sample_text", text, "the text of one of its alerts"},
      {"acknowledged_by", text, "who is looking into it; empty: nobody"},
      or_null({"acknowledged_at", moment, "when it was acknowledged"}),
      {"muted", flag, "people have asked not to be told about it"},
      or_null({"muted_until", moment, "when the mute ends; null: when a person ends it"}),
      list_of("acts", "act", "what people have done to it")}}};
}

std::vector<schema> schemas_of_bulk_acts() {
  using enum kind;
  using s = workflow::bulk_state;
  return {{"bulk_state",
           "Whether a bulk act is running, has ended, or was stopped",
           {},
           texts_of({s::open, s::ended, s::stopped})},
          {"bulk_act",
           "An act on all tasks that match a filter",
           {{"number", number, "the number of the bulk act"},
            text_of("act", "task_act", "what is done to each task"),
            {"step", text, "the step that it is done to; empty: the whole task"},
            {"where", text, "the filter that selects the tasks, as it was typed"},
            {"who", text, "who started it"},
            {"why", text, "the reason given"},
            text_of("state", "bulk_state", "whether it is still running"),
            {"started_at", moment, "when it started"},
            or_null({"ended_at", moment, "when it ended; null: it is still running"}),
            {"about", number, "how many tasks matched when it started"},
            {"done", number, "tasks that it was done to"},
            {"refused", number, "tasks that refused it"},
            {"skipped", number, "tasks that no longer matched"},
            {"stopped_by", text, "who stopped it; empty: nobody"},
            {"stopped_why", text, "why it was stopped"}}},
          {"bulk_refusal",
           "A task that refused a bulk act",
           {{"task_id", text, "the id of the task"},
            {"task_number", number, "the number of the task"},
            {"why", text, "why it refused"}}},
          {"planned_states",
           "Tasks that would have the same state after a bulk act",
           {text_of("process_state", "process_state", "the state"), {"tasks", number, "how many tasks would have it"}}},
          {"planned_refusals",
           "Tasks that would refuse a bulk act for the same reason",
           {{"why", text, "the reason"},
            {"tasks", number, "how many tasks would refuse it"},
            {"sample", text, "the id of one of these tasks"}}},
          {"planned_undos",
           "Steps that a bulk act would undo",
           {{"workflow", text, "the workflow of the tasks"},
            {"step", text, "the name of the step"},
            {"agent", text, "the agent that undoes it"},
            {"tasks", number, "how many tasks have this step"}}},
          {"planned_rests",
           "Steps that a bulk act would leave in place",
           {{"workflow", text, "the workflow of the tasks"},
            {"step", text, "the name of the step"},
            {"why", text, "why it stays"},
            {"tasks", number, "how many tasks have this step"},
            {"sample", text, "the id of one of these tasks"}}}};
}

} // namespace

std::vector<schema> schemas_of_acts() {
  using enum kind;
  const std::vector<schema> others{
    {"task_act", "Something that a person can do to a task", {}, task_acts()},
    {"planned_undo",
     "A step that an undo would reverse: through an agent, or by undoing the task or the items that it started",
     {{"step", text, "the name of the step"},
      text_of("state", "step_state", "its current state"),
      maybe({"agent", text, "the agent that undoes it"}),
      maybe({"task", text, "the id of the task that would be undone"}),
      maybe({"steps", number, "how many steps of that task would be undone"}),
      maybe({"items", text, "how many of its items have ended, in words"}),
      maybe({"tasks", number, "how many tasks of its items would be undone, at most"}),
      maybe({"first_tasks", texts, "the ids of the first of these, at most 10, in the order of undo"}),
      maybe({"failed", text, "why its last undo failed"})}},
    {"step_left",
     "A step that an undo would leave in place",
     {{"step", text, "the name of the step"},
      text_of("state", "step_state", "its current state"),
      {"why", text, "why it stays"}}},
    {"question",
     "A question that waits for a person",
     {{"id", text, "the id of the task"},
      {"workflow", text, "the workflow of the task"},
      {"step", text, "the step that asks"},
      {"role", text, "the role that may answer"},
      {"question", text, "the question"},
      {"choices", texts, "the possible answers"},
      {"since", moment, "when it was asked"},
      or_null({"limit_at", moment, "when the step stops waiting for an answer; null: never"})}},
    {"kept_event",
     "An event that is kept for tasks that wait for it, now or later",
     {{"number", number, "the number of the event"},
      {"event", text, "the name of the event"},
      {"at", moment, "when it arrived"},
      or_null({"kept_until", moment, "when it is removed; null: never"}),
      {"data_size", number, "the size of its data in bytes"},
      maybe({"key", text, "the key of the tasks that may take it"}),
      maybe({"task", text, "the id of the only task that may take it"}),
      maybe({"id", text, "the id that the sender gave it"}),
      maybe({"who", text, "who sent it"})}}};
  std::vector<schema> all;
  for (const auto& part : {schemas_of_alerts(), schemas_of_bulk_acts(), others})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

} // namespace steadfast::api
