// What answers tell of tasks: states, steps, attempts, and what they wait for.

#include "api/methods.hpp"
#include "workflow/task/in_place.hpp"
#include "workflow/task/task.hpp"

namespace steadfast::api {

namespace {

std::vector<schema> states_of_tasks() {
  using s = workflow::step_state;
  using a = workflow::attempt_action;
  using o = workflow::attempt_outcome;
  using k = workflow::kept_because;
  return {
    {"process_state",
     "The state of a task: it ends as processed or undone, or in error until a person acts",
     {},
     process_states()},
    {"step_state",
     "The state of a step; unknown: it may have acted; compensating, compensated: its undo runs, or has run",
     {},
     texts_of({s::not_started, s::running, s::waiting, s::completed, s::skipped, s::failed, s::unknown, s::compensating,
               s::compensated, s::compensation_failed})},
    {"attempt_action",
     "What an attempt is for; probe asks whether the step has acted",
     {},
     texts_of({a::perform, a::compensate, a::probe})},
    {"attempt_outcome",
     "How an attempt ended; declined: it was never sent; expired: nobody knows whether it acted; stopped: it was no "
     "longer wanted",
     {},
     texts_of({o::open, o::succeeded, o::failed_transient, o::failed_permanent, o::declined, o::expired, o::stopped})},
    {"kept_because",
     "Why nothing has undone what a step did; undo_waits: its undo has not run yet",
     {},
     texts_of({k::undo_failed, k::undo_waits, k::no_compensation})}};
}

/// What a task has in lists, too.
std::vector<field> head_of_task() {
  using enum kind;
  return {{"id", text, "the client's id of it"},
          {"number", number, "the store's own; it only grows"},
          {"workflow", text, "that it was made from"},
          {"version", number, "of the workflow"},
          text_of("process_state", "process_state", "its state"),
          {"cause", text, "why it is undone or in error; else empty"},
          {"priority", number, "0 comes first, 9 last"},
          {"locked_by", text, "the scheduler that works on it; empty: none does"},
          {"lock_epoch", number, "grows with each lock"},
          {"submitted_at", moment, "when it was made"},
          or_null({"not_before", moment, "no step begins earlier; null: at once"}),
          or_null({"complete_by", moment, "its deadline"}),
          or_null({"ended_at", moment, "when it ended; null: it has not ended"}),
          {"changed_at", moment, "the last moment that its story names"},
          {"failure_count", number, "failures that the supervisor counted"},
          {"generation", number, "grows when a person reopens it"},
          {"revision", number, "grows with each change"},
          {"takeovers", number, "schedulers that were lost while they worked on it"},
          {"reply_to", text, "the observer that is told of progress; empty: none"}};
}

std::vector<field> fields_of_step() {
  using enum kind;
  return {{"name", text, "in the workflow"},
          {"agent", text, "that carries it out; empty: it only waits"},
          text_of("state", "step_state", "its state"),
          {"after", texts, "names of the steps that come before it"},
          {"compensation", flag, "it can be undone"},
          {"attempt", number, "of the last attempt; 0: none was made"},
          {"attempts_limit", number, "attempts that it may use, unless a person retries it"},
          or_null(text_of("doing", "attempt_action", "the attempt under way; null: none")),
          {"failed_rounds", number, "rounds of attempts that failed since the last cool-off"},
          {"cool_offs", number, "long waits that it has used"},
          or_null({"complete_by", moment, "when the attempt under way has to end; null: none is"}),
          or_null({"completed_at", moment, "when it was completed; null: it is not completed"}),
          {"completed_order", number, "1: the first that was completed; 0: it is not"},
          {"error", text, "its last failure"},
          {"waiting_for", text, "why the next attempt waits, in words"},
          or_null({"not_before", moment, "when it goes on; null: it does not wait for a moment"}),
          {"result", value, "that its agent gave; null: none"},
          list_of("log", "attempt", "its attempts and waits, the oldest first"),
          {"log_dropped", number, "older attempts that are not kept"},
          maybe({"calls", number, "of one that is repeated: calls without the wanted result"}),
          maybe({"calls_max", number, "of one that is repeated: how many calls may be made"}),
          maybe({"ends_later", flag, "its agent has begun it, and ends it with a token"}),
          maybe({"progress", text, "how far it is, for people"}),
          maybe({"waits_for_event", text, "the name of the event that it waits for"}),
          maybe({"event_key", text, "the key of the event that it waits for, or has taken"}),
          maybe({"waits_for_role", text, "who may answer its question"}),
          maybe({"question", text, "that it asks a person"}),
          maybe({"choices", texts, "the possible answers to its question"}),
          maybe(or_null({"limit_at", moment, "until when it waits for an event or a person"})),
          maybe({"items_workflow", text, "of one over items: what their tasks are made from"}),
          maybe({"child", text, "the id of the task that it starts"}),
          maybe({"child_workflow", text, "the workflow of the task that it starts"}),
          maybe({"event", number, "the number of the event that it has taken"})};
}

std::vector<schema> waits_and_groups() {
  using enum kind;
  std::vector<field> counts;
  std::vector<field> counts_of_some;
  for (const auto& state : process_states()) {
    counts.push_back({state, number, "tasks " + (state == "error" ? "in error" : "that are " + state)});
    counts_of_some.push_back(maybe(counts.back()));
  }
  return {{"tasks_by_state", "How many tasks are in each state", counts},
          {"states_of_group", "How many tasks of a group are in each state, without states of none", counts_of_some},
          {"task_group",
           "Tasks that have in common what they are counted by",
           {or_null({"group", text, "what they have in common; null: they have none"}),
            {"count", number, "how many they are"},
            object_of("states", "states_of_group"),
            {"oldest", moment, "when the first was submitted"},
            {"newest", moment, "when the last was submitted"}}},
          {"stuck_task",
           "A task that does not move",
           {{"id", text, "of the task"},
            text_of("process_state", "process_state", "its state"),
            {"why", text, "what holds it, in words"}}},
          {"wait",
           "Tasks that wait for the same thing",
           {{"cause", text, "what they wait for"},
            {"tasks", number, "how many they are"},
            {"longest", text, "the id of the one that waits longest"},
            or_null({"since", moment, "when the one that waits longest began to wait"}),
            {"detail", text, "what the one that waits longest waits for, in words"}}},
          {"effect_in_place",
           "What a step did, or may have done, and nobody has reversed",
           {{"task", text, "its id"},
            {"workflow", text, "of the task"},
            text_of("process_state", "process_state", "of the task"),
            {"step", text, "that acted"},
            {"agent", text, "that it acted through"},
            {"key", text, "the idempotency key that the service was given"},
            or_null({"since", moment, "when it acted, or when the attempt began that may have"}),
            {"certain", flag, "false: nobody knows whether it acted"},
            text_of("why", "kept_because", "why it is still in place"),
            {"failure", text, "what its undo failed with"}}}};
}

} // namespace

std::vector<schema> schemas_of_tasks() {
  using enum kind;
  auto all = states_of_tasks();
  const std::vector<schema> more{
    {"task", "A task and its story",
     joined(head_of_task(),
            {maybe(text_of("resume_state", "process_state", "of a suspended one: where it goes on")),
             maybe({"parent", text, "the id of the task that started it"}),
             list_of("acts", "act", "what people did to it"),
             list_of("steps", "step", "in the order of the workflow"),
             {"content_type", text, "of the payload"},
             maybe({"payload", value, "as JSON if it is JSON, else as a text; events leave it out"}),
             maybe({"result", value, "where the workflow defines one; null until the task is processed"})})},
    {"task_summary", "A task in a list",
     joined(head_of_task(), {{"steps_done", number, "steps that are completed or skipped"},
                             {"steps_total", number, "steps that it has"}})},
    {"step", "A step of a task", fields_of_step()},
    {"attempt",
     "An attempt at a step, or a wait of it",
     {{"attempt", number, "its number"},
      text_of("action", "attempt_action", "what it is for"),
      {"agent", text, "that it was sent to"},
      {"started_at", moment, "when it began"},
      or_null({"ended_at", moment, "when it ended; null: it is under way"}),
      text_of("outcome", "attempt_outcome", "how it ended"),
      {"epoch", number, "of the task's lock at that time"},
      {"note", text, "the error or the reason"}}},
    {"sentence",
     "Why a task is in its state",
     {{"text", text, "a sentence"}, or_null({"at", moment, "the moment that it is about"})}},
    {"late_reply",
     "An answer that came when nobody waited for it any more",
     {{"task_id", text, "of the task"},
      {"task_number", number, "of the task"},
      {"step", text, "that it is an answer to"},
      {"attempt", number, "that it is an answer to"},
      {"epoch", number, "of the task's lock when it was asked"},
      {"outcome", text, "what the answer was"},
      {"why", text, "why it was not used"},
      or_null({"at", moment, "when it came"})}}};
  for (const auto& part : {more, waits_and_groups()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

} // namespace steadfast::api
