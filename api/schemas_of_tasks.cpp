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
     "The state of a task: it ends as processed or undone, or stays in error until a person acts",
     {},
     process_states()},
    {"step_state",
     "The state of a step; unknown: it may have acted, and nobody knows; compensating, compensated: it is being "
     "undone, "
     "or is undone",
     {},
     texts_of({s::not_started, s::running, s::waiting, s::completed, s::skipped, s::failed, s::unknown, s::compensating,
               s::compensated, s::compensation_failed})},
    {"attempt_action",
     "What an attempt is for; a probe asks whether the step has acted",
     {},
     texts_of({a::perform, a::compensate, a::probe})},
    {"attempt_outcome",
     "How an attempt ended; declined: the service was never called; expired: nobody knows whether it acted; stopped: "
     "it "
     "was no longer wanted",
     {},
     texts_of({o::open, o::succeeded, o::failed_transient, o::failed_permanent, o::declined, o::expired, o::stopped})},
    {"kept_because",
     "Why what a step did is still in place; undo_waits: its undo has not run yet",
     {},
     texts_of({k::undo_failed, k::undo_waits, k::no_compensation})}};
}

/// What a task has in lists, too.
std::vector<field> head_of_task() {
  using enum kind;
  return {{"id", text, "the id that the client gave it, or that was made for it"},
          {"number", number, "the number that the store gave it; later tasks have higher ones"},
          {"workflow", text, "the workflow that it was made from"},
          {"version", number, "the version of the workflow"},
          text_of("process_state", "process_state", "its state"),
          {"cause", text, "why it is being undone, is undone or is in error; otherwise empty"},
          {"priority", number, "its priority, from 0 (first) to 9 (last)"},
          {"locked_by", text, "the scheduler that is working on it; empty: none"},
          {"lock_epoch", number, "a number that grows with each lock"},
          {"submitted_at", moment, "when it was submitted"},
          or_null({"not_before", moment, "the moment before which no step begins; null: none"}),
          or_null({"complete_by", moment, "its deadline; null: none"}),
          or_null({"ended_at", moment, "when it ended; null: it has not ended"}),
          {"changed_at", moment, "the latest moment in its story"},
          {"failure_count", number, "failures that the supervisor has counted"},
          {"generation", number, "a number that grows each time a person reopens it"},
          {"revision", number, "a number that grows with each change"},
          {"takeovers", number, "schedulers that were lost while working on it"},
          {"reply_to", text, "the observer that is told about its progress; empty: none"}};
}

std::vector<field> fields_of_step() {
  using enum kind;
  return {{"name", text, "the name of the step in the workflow"},
          {"agent", text, "the agent that carries it out; empty: it has none"},
          text_of("state", "step_state", "its state"),
          {"after", texts, "the names of the steps that must end before it begins"},
          {"compensation", flag, "whether it has a compensation"},
          {"attempt", number, "the number of the last attempt; 0: none was made"},
          {"attempts_limit", number, "the most attempts that it may use, unless a person retries it"},
          or_null(text_of("doing", "attempt_action", "what the attempt under way is for; null: none is under way")),
          {"failed_rounds", number, "rounds of attempts that failed since the last cool-off"},
          {"cool_offs", number, "cool-offs that it has used"},
          or_null({"complete_by", moment, "when the attempt under way must have ended; null: none is under way"}),
          or_null({"completed_at", moment, "when it was completed; null: it is not"}),
          {"completed_order", number, "its place in the order of completion, from 1; 0: it is not completed"},
          {"error", text, "its last failure"},
          {"waiting_for", text, "what the next attempt is waiting for, in words"},
          or_null({"not_before", moment, "when it continues; null: it is not waiting for a moment"}),
          {"result", value, "its result; null: none"},
          list_of("log", "attempt", "its attempts and waits, oldest first"),
          {"log_dropped", number, "how many older entries are no longer kept"},
          maybe({"calls", number, "if it repeats: calls so far that did not give the wanted result"}),
          maybe({"calls_max", number, "if it repeats: the most calls that may be made"}),
          maybe({"ends_later", flag, "whether its agent has begun it and will end it with a token"}),
          maybe({"progress", text, "how far it has come, in words"}),
          maybe({"waits_for_event", text, "the name of the event that it is waiting for"}),
          maybe({"event_key", text, "the key of the event that it is waiting for, or has taken"}),
          maybe({"waits_for_role", text, "the role that may answer its question"}),
          maybe({"question", text, "the question that it asks"}),
          maybe({"choices", texts, "the possible answers to its question"}),
          maybe(or_null({"limit_at", moment, "when it stops waiting for an event or a person; null: never"})),
          maybe({"items_workflow", text, "if it has items: the workflow of their tasks"}),
          maybe({"child", text, "the id of the task that it started, or will start"}),
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
          {"states_of_group", "How many tasks of a group are in each state; states without tasks are left out",
           counts_of_some},
          {"task_group",
           "Tasks that share the value by which they are counted",
           {or_null({"group", text, "the value that they have in common; null: they have none"}),
            {"count", number, "how many tasks there are"},
            object_of("states", "states_of_group"),
            {"oldest", moment, "when the oldest was submitted"},
            {"newest", moment, "when the newest was submitted"}}},
          {"stuck_task",
           "A task that does not move",
           {{"id", text, "the id of the task"},
            text_of("process_state", "process_state", "its state"),
            {"why", text, "why it does not move, in words"}}},
          {"wait",
           "Tasks that wait for the same thing",
           {{"cause", text, "what they wait for"},
            {"tasks", number, "how many tasks there are"},
            {"longest", text, "the id of the task that has been waiting longest"},
            or_null({"since", moment, "when that task began to wait"}),
            {"meant", flag, "whether its workflow, its submission or a person lets it wait"},
            {"detail", text, "what that task is waiting for, in words"}}},
          {"effect_in_place",
           "What a step did or may have done, and nobody has reversed",
           {{"task", text, "the id of the task"},
            {"workflow", text, "the workflow of the task"},
            text_of("process_state", "process_state", "the state of the task"),
            {"step", text, "the step that acted, or may have"},
            {"agent", text, "the agent that made the call"},
            {"key", text, "the idempotency key of the call"},
            or_null({"since", moment, "when the step acted or, if that is not known, when its attempt began"}),
            {"certain", flag, "whether it certainly acted; false: nobody knows"},
            text_of("why", "kept_because", "why it is still in place"),
            {"failure", text, "why its undo failed"}}}};
}

} // namespace

std::vector<schema> schemas_of_tasks() {
  using enum kind;
  auto all = states_of_tasks();
  const std::vector<schema> more{
    {"task", "A task with its story",
     joined(head_of_task(),
            {maybe(text_of("resume_state", "process_state", "if it is suspended: the state in which it will resume")),
             maybe({"parent", text, "the id of the task that started it"}),
             maybe({"limit_key", text, "if its workflow has a limit: the key under which the task counts"}),
             maybe({"began_at", moment, "if that limit has a `per`: when the task began, once it has"}),
             list_of("acts", "act", "what people have done to it"),
             list_of("steps", "step", "its steps, in the order of the workflow"),
             {"content_type", text, "the content type of the payload"},
             maybe({"payload", value, "the payload: JSON as it is, anything else as a string; left out of events"}),
             maybe({"result", value, "its result, if the workflow defines one; null until the task is processed"})})},
    {"task_summary", "A task in a list",
     joined(head_of_task(),
            {{"steps_done", number, "steps that are completed or skipped"}, {"steps_total", number, "steps in all"}})},
    {"step", "A step of a task", fields_of_step()},
    {"attempt",
     "An attempt at a step, or one of its waits",
     {{"attempt", number, "the number of the attempt"},
      text_of("action", "attempt_action", "what it is for"),
      {"agent", text, "the agent that it was sent to"},
      {"started_at", moment, "when it began"},
      or_null({"ended_at", moment, "when it ended; null: it is under way"}),
      text_of("outcome", "attempt_outcome", "how it ended"),
      {"epoch", number, "the epoch of the task's lock at that time"},
      {"note", text, "the error, or the reason for the wait"}}},
    {"sentence",
     "Why a task is in its state",
     {{"text", text, "the sentence"}, or_null({"at", moment, "the moment that it is about; null: none"})}},
    {"late_reply",
     "An answer that arrived too late to count",
     {{"task_id", text, "the id of the task"},
      {"task_number", number, "the number of the task"},
      {"step", text, "the step that it answers"},
      {"attempt", number, "the attempt that it answers"},
      {"epoch", number, "the epoch of the task's lock when the attempt was sent"},
      {"outcome", text, "what the answer was"},
      {"why", text, "why it was not used"},
      or_null({"at", moment, "when it arrived"})}}};
  for (const auto& part : {more, waits_and_groups()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

} // namespace steadfast::api
