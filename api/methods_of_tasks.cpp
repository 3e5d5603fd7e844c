// Tasks: submitted, looked at, found among many, acted on.

#include "api/methods.hpp"
#include "api/names.hpp"
#include "workflow/definition/definition.hpp"
#include "workflow/on_call/bulk_act.hpp"
#include "workflow/on_call/finding.hpp"
#include "workflow/task/task.hpp"

#include <limits>

namespace steadfast::api {

namespace {

constexpr std::uint64_t version_max = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t debounce_most = workflow::debounce_max.count();
constexpr std::uint64_t counted_max = 10'000'000;

parameter id_of_task() {
  return text("id", "the id of the task").required();
}

field process_state_field() {
  return text_of("process_state", "process_state", "the state of the task");
}

method submit_method() {
  return {submit,
          "Submits a task; it is durable when this is answered. The same id again returns the existing task",
          {text("id", "the id of the task, chosen by the client").required(),
           text("workflow", "the name of the workflow").required(),
           number("version", "the version of the workflow; 0: the newest").between(0, version_max).otherwise(0),
           value("payload", "the payload: JSON in a string, or the value itself"),
           text("content_type", "the content type of the payload; JSON if it is not given"),
           text("reply_to", "the observer that receives progress"),
           text("traceparent", "W3C Trace Context of the caller; used if tasks are traced"),
           number("priority", "its priority, 0 first; that of the workflow if it is not given")
             .between(0, workflow::priority_max),
           moment("not_before_ms", "the moment before which no step begins"),
           text("on_conflict", "what to do if a task with this id exists")
             .one_of({"same", "refuse", "replace"})
             .otherwise("same"),
           number("debounce_ms", "with replace: the task begins this long after the last submission")
             .between(0, debounce_most)},
          {{"id", kind::text, "the id of the task, as given"},
           {"created", kind::flag, "false: the task already existed"},
           {"replaced", kind::flag, "whether it replaced an existing task"},
           {"number", kind::number, "the number that the store gave it"},
           process_state_field()},
          {error::refused, error::busy, error::not_found}};
}

method list_method() {
  return {task_list,
          "The tasks that match a filter, without payloads, a page at a time",
          joined({of_kind(kind::place, "before", "the value of `next` on the page before").otherwise(0), page_size(),
                  text("sort", "an order other than the newest first").one_of(choices_of(workflow::task_order_names)),
                  flag("reverse", "reverse the order"),
                  number("incident", "only tasks with an open alert of this incident; without other filters")},
                 task_filter()),
          {list_of("tasks", "task_summary"),
           {"next", kind::place,
            "pass it as `before` to get the next page; a string if `sort` is given; null: this is the last page", false,
            true}},
          {error::busy}};
}

method count_method() {
  return {task_count,
          "How many tasks match a filter",
          joined({number("limit", "the number at which counting stops").otherwise(counted_max),
                  text("by", "what they are counted by").one_of(choices_of(workflow::task_grouping_names))},
                 task_filter()),
          {{"count", kind::number, "how many match"},
           maybe(list_of("groups", "task_group", "the groups, largest first, at most 1,000")),
           {"in_no_group", kind::number, "how many tasks are in further groups", true}},
          {error::busy}};
}

method act_method() {
  return {
    task_act,
    "An act of a person on a task; it is kept in the task's story",
    {id_of_task(), text("act", "what is done").required().one_of(task_acts()),
     text("step", "the step to skip or to try again"),
     value("document", "with skip, the result of the step; with edit, the payload; given as `payload` is to `submit`"),
     flag("new_key", "with retry: use a new idempotency key"),
     number("revision", "refuse the act if the task has another revision by then; 0: accept any").otherwise(0), who(),
     why(), flag("dry_run", "only say what the act would answer now; nothing is done")},
    {text_of("process_state", "process_state",
             "the state that the act has given the task, or with dry_run would give it")},
    {error::refused, error::busy, error::not_found}};
}

} // namespace

std::vector<std::string> process_states() {
  using s = workflow::process_state;
  return texts_of({s::pending, s::processing, s::processed, s::undoing, s::undone, s::error, s::suspended});
}

std::vector<std::string> task_acts() {
  using a = workflow::task_act;
  return texts_of({a::retry, a::skip, a::edit, a::undo, a::cancel, a::suspend, a::resume});
}

const std::vector<parameter>& task_filter() {
  static const std::vector<parameter> all{
    of_kind(kind::texts, "states", "only tasks in one of these states").one_of(process_states()),
    text("workflow", "only tasks of this workflow"),
    text("locked_by", "only tasks locked by this scheduler"),
    text("agent", "only tasks whose unfinished step was last sent to this agent"),
    text("text", "only tasks with this text in the id or the cause"),
    text("step", "only tasks that are at this step"),
    text("cause", "only tasks with this cause, apart from the details that differ from task to task"),
    of_kind(kind::places, "payload",
            "only tasks with these values at these places of the payload, which the workflow must index"),
    moment("submitted_before_ms", "only tasks submitted before this moment"),
    moment("submitted_after_ms", "only tasks submitted after this moment"),
    moment("ended_before_ms", "only tasks that ended before this moment"),
    moment("ended_after_ms", "only tasks that ended after this moment")};
  return all;
}

std::vector<method> methods_of_tasks() {
  return {
    submit_method(),
    {task_show,
     "A task with its story, and why it is in its state",
     {id_of_task()},
     {object_of("task", "task"), list_of("explanation", "sentence", "why the task is in its state"),
      list_of("late_replies", "late_reply", "answers that arrived too late")},
     {error::refused, error::busy, error::not_found}},
    {task_state,
     "The state of the task",
     {id_of_task()},
     {process_state_field(),
      {"cause", kind::text, "why it is being undone, is undone or is in error; otherwise empty"},
      {"number", kind::number, "the number of the task"},
      {"result", kind::value, "the result of the task, if its workflow defines one", true, true}},
     {error::refused, error::busy, error::not_found}},
    list_method(),
    count_method(),
    {task_in_place,
     "Effects of tasks in error that nobody has reversed",
     joined({flag("all", "include those of tasks that were undone"), before_number(), page_size()}, task_filter()),
     {list_of("in_place", "effect_in_place"), next_number()},
     {error::busy}},
    act_method(),
    {task_plan_undo,
     "What an undo would do if it began now",
     {id_of_task(), text("act", "what is planned").otherwise("undo").one_of({"undo", "cancel"})},
     {{"id", kind::text, "the id of the task"},
      process_state_field(),
      {"refused", kind::text, "why the act would be refused; empty: it would be accepted"},
      list_of("undone", "planned_undo", "the compensations that would run, in order"),
      list_of("left", "step_left", "the steps that would stay in place")},
     {error::refused, error::busy, error::not_found}},
    {task_stuck,
     "What unfinished tasks wait for, and which are stuck",
     {},
     {list_of("stuck", "stuck_task", "tasks that do not move"),
      list_of("waits", "wait", "what tasks wait for, the longest wait first"),
      {"looked_at", kind::number, "how many tasks were looked at"},
      {"is_cut", kind::flag, "true: not all tasks were looked at"},
      {"scheduler_trouble", kind::text, "why no node takes tasks; null: nothing is wrong", false, true}},
     {error::busy}},
  };
}

std::vector<method> methods_of_bulk_acts() {
  const auto number_of_it =
    number("bulk", "the number of the bulk act").between(1, std::numeric_limits<std::uint64_t>::max());
  const std::vector<field> shown{object_of("bulk", "bulk_act"),
                                 list_of("refusals", "bulk_refusal", "tasks that refused it, at most 1,000")};
  return {
    {bulk_start,
     "Starts an act on all tasks that match a filter; it is durable when this is answered",
     joined({text("act", "what is done to each task: anything but edit").required().one_of(task_acts()),
             text("step", "the step to skip or to try again, of the tasks that are at it"),
             value("document", "with skip: the result of the step"),
             flag("new_key", "with retry: use new idempotency keys"), who(), why(),
             text("where", "the filter as it is shown to people"),
             flag("dry_run", "only return the plan; nothing is done")},
            task_filter()),
     {{"bulk", kind::number, "the number of the bulk act", true},
      {"about", kind::number, "how many tasks match", true},
      maybe(text_of("act", "task_act", "with dry_run: what would be done")),
      {"count", kind::number, "with dry_run: how many tasks match", true},
      {"looked_at", kind::number, "with dry_run: how many tasks were looked at", true},
      {"would", kind::number, "with dry_run: how many tasks would take the act", true},
      maybe(list_of("states_after", "planned_states", "with dry_run: the states that those tasks would then have")),
      maybe(list_of("refusals", "planned_refusals", "with dry_run: tasks that would refuse it")),
      {"tasks", kind::texts, "with dry_run: the ids of the first of them", true},
      maybe(list_of("undone", "planned_undos", "with dry_run, for undo and cancel: steps that would be undone")),
      maybe(list_of("left", "planned_rests", "with dry_run, for undo and cancel: steps that would stay in place"))},
     {error::refused, error::busy, error::not_found}},
    {bulk_list,
     "Bulk acts, newest first",
     {flag("all", "include those that have ended"), before_number(), page_size()},
     {list_of("bulk_acts", "bulk_act"), next_number()},
     {error::busy}},
    {bulk_show,
     "A bulk act, and the tasks that refused it",
     {parameter{number_of_it}.required()},
     shown,
     {error::busy, error::not_found}},
    {bulk_stop,
     "Stops a bulk act: no further task is changed",
     {parameter{number_of_it}.required(), who(), why()},
     shown,
     {error::refused, error::busy, error::not_found}},
  };
}

} // namespace steadfast::api
