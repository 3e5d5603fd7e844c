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
  return text("id", "of the task").required();
}

field process_state_field() {
  return text_of("process_state", "process_state", "the state of the task");
}

method submit_method() {
  return {submit,
          "Submits a task; it is durable when this is answered. The same id again returns the existing task",
          {text("id", "by which the client knows the task").required(), text("workflow", "its name").required(),
           number("version", "of the workflow; 0: the newest").between(0, version_max).otherwise(0),
           value("payload", "a JSON text in a string, or the value itself"),
           text("content_type", "of the payload; JSON when it is not given"),
           text("reply_to", "the observer that receives progress"),
           text("traceparent", "W3C Trace Context of the caller; used if tasks are traced"),
           number("priority", "0 first; the workflow's when it is not given").between(0, workflow::priority_max),
           moment("not_before_ms", "no step begins earlier"),
           text("on_conflict", "what to do if a task with this id exists")
             .one_of({"same", "refuse", "replace"})
             .otherwise("same"),
           number("debounce_ms", "with replace: the task begins this long after the last submission")
             .between(0, debounce_most)},
          {{"id", kind::text, "as it was given"},
           {"created", kind::flag, "false: the task was already there"},
           {"replaced", kind::flag, "a task existed, and this one replaced it"},
           {"number", kind::number, "the store's"},
           process_state_field()},
          {error::refused, error::busy, error::not_found}};
}

method list_method() {
  return {task_list,
          "The tasks that match, without payloads, a page at a time",
          joined({of_kind(kind::place, "before", "what `next` was on the page before").otherwise(0), page_size(),
                  text("sort", "an order other than the newest first").one_of(choices_of(workflow::task_order_names)),
                  flag("reverse", "reverse the order"),
                  number("incident", "only tasks with an open alert of this incident; without other filters")},
                 task_filter()),
          {list_of("tasks", "task_summary"),
           {"next", kind::place, "to be given as `before`: a number, or with `sort` a text", false, true}},
          {error::busy}};
}

method count_method() {
  return {task_count,
          "How many tasks match",
          joined({number("limit", "stop counting at this many").otherwise(counted_max),
                  text("by", "what they are counted by").one_of(choices_of(workflow::task_grouping_names))},
                 task_filter()),
          {{"count", kind::number, "of all that match"},
           maybe(list_of("groups", "task_group", "the largest first, at most 1,000")),
           {"in_no_group", kind::number, "tasks of further groups", true}},
          {error::busy}};
}

method act_method() {
  return {task_act,
          "An act of a person on a task; it is kept in the task's story",
          {id_of_task(), text("act", "what is done").required().one_of(task_acts()),
           text("step", "the step to skip or to try again"),
           value("document", "with skip the step's result, with edit the payload; as `payload` of `submit`"),
           flag("new_key", "the step is tried again under another idempotency key"),
           number("revision", "refused if the task has another one by then; 0: whatever it has").otherwise(0), who(),
           why(), flag("dry_run", "only check whether the act would be accepted now; nothing is done")},
          {process_state_field()},
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
    of_kind(kind::texts, "states", "in one of these").one_of(process_states()),
    text("workflow", "of this workflow"),
    text("locked_by", "locked by this scheduler"),
    text("agent", "at this agent"),
    text("text", "with this in the id or the cause"),
    text("step", "that are at this step"),
    text("cause", "with the same cause, apart from what differs from task to task"),
    of_kind(kind::places, "payload", "with these values at these places, which the workflow must index"),
    moment("submitted_before_ms", "submitted earlier"),
    moment("submitted_after_ms", "submitted later"),
    moment("ended_before_ms", "ended earlier"),
    moment("ended_after_ms", "ended later")};
  return all;
}

std::vector<method> methods_of_tasks() {
  return {
    submit_method(),
    {task_show,
     "The whole task, and why it is in its state",
     {id_of_task()},
     {object_of("task", "task"), list_of("explanation", "sentence", "why it is in its state"),
      list_of("late_replies", "late_reply", "answers to it that came too late")},
     {error::refused, error::busy, error::not_found}},
    {task_state,
     "The state of the task",
     {id_of_task()},
     {process_state_field(),
      {"cause", kind::text, "why it is undone or in error"},
      {"number", kind::number, "of the task"},
      {"result", kind::value, "the result of the task, if its workflow defines one", true, true}},
     {error::refused, error::busy, error::not_found}},
    list_method(),
    count_method(),
    {task_in_place,
     "Effects of tasks in error that nobody has reversed",
     joined({flag("all", "also of tasks that were undone"), before_number(), page_size()}, task_filter()),
     {list_of("in_place", "effect_in_place"), next_number()},
     {error::busy}},
    act_method(),
    {task_plan_undo,
     "What an undo begun now would do",
     {id_of_task(), text("act", "what is planned").otherwise("undo").one_of({"undo", "cancel"})},
     {{"id", kind::text, "of the task"},
      process_state_field(),
      {"refused", kind::text, "why the act would be refused"},
      list_of("undone", "planned_undo", "the compensations that would run, in order"),
      list_of("left", "step_left", "the steps that would stay in place")},
     {error::refused, error::busy, error::not_found}},
    {task_stuck,
     "What unfinished tasks wait for, and which are stuck",
     {},
     {list_of("stuck", "stuck_task", "tasks that do not move"),
      list_of("waits", "wait", "the longest first"),
      {"looked_at", kind::number, "tasks"},
      {"is_cut", kind::flag, "not all were looked at"},
      {"scheduler_trouble", kind::text, "why no node takes tasks", false, true}},
     {error::busy}},
  };
}

std::vector<method> methods_of_bulk_acts() {
  const auto number_of_it = number("bulk", "its number").between(1, std::numeric_limits<std::uint64_t>::max());
  const std::vector<field> shown{object_of("bulk", "bulk_act"), list_of("refusals", "bulk_refusal", "at most 1,000")};
  return {
    {bulk_start,
     "An act on all tasks that match; it is durable when this is answered",
     joined({text("act", "what is done: all but edit").required().one_of(task_acts()),
             text("step", "which is skipped, or tried again, of tasks that stand at it"),
             value("document", "with skip: the step's result"),
             flag("new_key", "steps are tried again under other idempotency keys"), who(), why(),
             text("where", "the filter as people are shown it"), flag("dry_run", "only the plan")},
            task_filter()),
     {{"bulk", kind::number, "its number", true},
      {"about", kind::number, "how many tasks match", true},
      maybe(text_of("act", "task_act", "of the plan")),
      {"count", kind::number, "likewise: how many tasks match", true},
      {"looked_at", kind::number, "likewise: tasks", true},
      {"would", kind::number, "likewise: tasks that would take the act", true},
      maybe(list_of("refusals", "planned_refusals", "likewise")),
      {"tasks", kind::texts, "likewise: ids of the first", true},
      maybe(list_of("undone", "planned_undos", "likewise, of undo and cancel")),
      maybe(list_of("left", "planned_rests", "likewise"))},
     {error::refused, error::busy, error::not_found}},
    {bulk_list,
     "The bulk acts, the newest first",
     {flag("all", "also those that are over"), before_number(), page_size()},
     {list_of("bulk_acts", "bulk_act"), next_number()},
     {error::busy}},
    {bulk_show, "One of them", {parameter{number_of_it}.required()}, shown, {error::busy, error::not_found}},
    {bulk_stop,
     "Stops it: no further task is changed",
     {parameter{number_of_it}.required(), who(), why()},
     shown,
     {error::refused, error::busy, error::not_found}},
  };
}

} // namespace steadfast::api
