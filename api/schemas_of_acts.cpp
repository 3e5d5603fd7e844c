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
      {"why", text, "the reason, if one was given"}}},
    {"alert",
     "Something that a person has to know",
     {{"number", number, "its number"},
      {"task_id", text, "the task that it is about; empty: none"},
      {"task_number", number, "of that task; 0: none"},
      {"kind", text, "such as error, undo_failed or node_lost; act: what a person did to something that is no task"},
      {"text", text, "what happened"},
      {"step", text, "that it is about; empty: none"},
      or_null({"at", moment, "when it was raised; null: while the store was opened, before there was a clock"}),
      {"acknowledged_by", text, "who looks after it; empty: nobody"},
      or_null({"acknowledged_at", moment, "when somebody began to look after it"})}},
    {"incident",
     "Alerts with the same cause, as one",
     {{"number", number, "its number"},
      {"kind", text, "of its alerts"},
      {"agent", text, "that its alerts have in common; empty: none"},
      {"workflow", text, "that its alerts have in common; empty: none"},
      {"step", text, "that its alerts have in common; empty: none"},
      {"cause", text, "what went wrong, without what differs from task to task"},
      {"is_condition", flag, "it concerns the whole cluster"},
      {"tasks", number, "that it affects now"},
      {"tasks_ever", number, "that it has affected"},
      {"alerts", number, "of it that hold"},
      {"times", number, "that it began"},
      or_null({"first_at", moment, "when it had its first alert; null: before there was a clock"}),
      or_null({"last_at", moment, "when it had its last alert; null: before there was a clock"}),
      or_null({"closed_at", moment, "when it ended; null: it is open"}),
      {"sample_task", text, "the id of one of its tasks"},
      {"sample_text", text, "what one of its alerts says"},
      {"acknowledged_by", text, "who looks after it; empty: nobody"},
      or_null({"acknowledged_at", moment, "when somebody began to look after it"}),
      {"muted", flag, "nobody wants to be told of it"},
      or_null({"muted_until", moment, "when it is told of again; null: until it is unmuted"}),
      list_of("acts", "act", "what people did to it")}}};
}

std::vector<schema> schemas_of_bulk_acts() {
  using enum kind;
  using s = workflow::bulk_state;
  return {{"bulk_state", "Whether a bulk act still goes on", {}, texts_of({s::open, s::ended, s::stopped})},
          {"bulk_act",
           "An act on many tasks",
           {{"number", number, "its number"},
            text_of("act", "task_act", "what is done"),
            {"step", text, "that it is done to; empty: to the task"},
            {"where", text, "which tasks, as people write it"},
            {"who", text, "who began it"},
            {"why", text, "the reason"},
            text_of("state", "bulk_state", "whether it goes on"),
            {"started_at", moment, "when it began"},
            or_null({"ended_at", moment, "when it ended; null: it goes on"}),
            {"about", number, "tasks that matched when it began"},
            {"done", number, "tasks that took it"},
            {"refused", number, "tasks that did not take it"},
            {"skipped", number, "tasks that did not match any more"},
            {"stopped_by", text, "who stopped it; empty: nobody"},
            {"stopped_why", text, "why it was stopped"}}},
          {"bulk_refusal",
           "A task that did not take a bulk act",
           {{"task_id", text, "its id"}, {"task_number", number, "its number"}, {"why", text, "why it did not"}}},
          {"planned_refusals",
           "Tasks that would not take a bulk act, for the same reason",
           {{"why", text, "why they would not"},
            {"tasks", number, "how many they are"},
            {"sample", text, "the id of one of these tasks"}}},
          {"planned_undos",
           "Steps that a bulk act would undo",
           {{"workflow", text, "of the tasks"},
            {"step", text, "its name"},
            {"agent", text, "that undoes it"},
            {"tasks", number, "how many tasks have this step"}}},
          {"planned_rests",
           "Steps that a bulk act would leave in place",
           {{"workflow", text, "of the tasks"},
            {"step", text, "its name"},
            {"why", text, "why it stays"},
            {"tasks", number, "how many tasks have this step"},
            {"sample", text, "the id of one of these tasks"}}}};
}

} // namespace

std::vector<schema> schemas_of_acts() {
  using enum kind;
  const std::vector<schema> others{
    {"task_act", "What a person can do to a task", {}, task_acts()},
    {"planned_undo",
     "A step that an undo would reverse, by one of agent, task and items",
     {{"step", text, "its name"},
      text_of("state", "step_state", "its state now"),
      maybe({"agent", text, "that undoes it"}),
      maybe({"task", text, "the id of the task that would be undone"}),
      maybe({"items", text, "how many of its items have ended"}),
      maybe({"failed", text, "what its last undo failed with"})}},
    {"step_left",
     "A step that an undo would leave in place",
     {{"step", text, "its name"}, text_of("state", "step_state", "its state now"), {"why", text, "why it stays"}}},
    {"question",
     "A question that waits for a person",
     {{"id", text, "of the task"},
      {"workflow", text, "of the task"},
      {"step", text, "that asks"},
      {"role", text, "who may answer"},
      {"question", text, "in words"},
      {"choices", texts, "the answers to it"},
      {"since", moment, "when it was asked"},
      or_null({"limit_at", moment, "when it stops waiting"})}},
    {"kept_event",
     "An event that is kept for tasks that wait for it, or will",
     {{"number", number, "its number"},
      {"event", text, "its name"},
      {"at", moment, "when it came"},
      or_null({"kept_until", moment, "when it leaves; null: for ever"}),
      {"data_size", number, "bytes of its data"},
      maybe({"key", text, "which tasks take it"}),
      maybe({"task", text, "the id of the only task that takes it"}),
      maybe({"id", text, "the sender's own"}),
      maybe({"who", text, "who sent it"})}}};
  std::vector<schema> all;
  for (const auto& part : {schemas_of_alerts(), schemas_of_bulk_acts(), others})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

} // namespace steadfast::api
