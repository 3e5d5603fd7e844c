// What comes from outside while a task waits.

#include "api/methods.hpp"
#include "api/names.hpp"
#include "workflow/definition/definition.hpp"

namespace steadfast::api {

namespace {

constexpr auto longest = static_cast<std::uint64_t>(workflow::span_max.count());

parameter token() {
  return text("token", "the token that the agent was given with its call").required();
}

field state_of_task() {
  return text_of("process_state", "process_state", "the state of the task");
}

} // namespace

std::vector<method> methods_of_waits() {
  return {
    {step_complete,
     "Completes a step that ends later; the token is used up",
     {token(),
      value("result", "the result of the step: JSON in a string, or the value itself; null if it is not given")},
     {state_of_task()},
     {error::refused, error::busy, error::not_found}},
    {step_fail,
     "Fails a step that ends later, for good or for now",
     {token(), text("error", "what went wrong, in words"), flag("for_now", "the failure is temporary: try again"),
      flag("maybe_done", "the step may have taken effect"),
      number("retry_after_ms", "with for_now: how long to wait before the next attempt")
        .between(0, longest)
        .otherwise(0)},
     {state_of_task()},
     {error::refused, error::busy, error::not_found}},
    {step_extend,
     "Extends the time of a step that ends later; the token stays valid",
     {token(),
      number("length_ms", "extend it by this long from now, up to its limit; 0: as its workflow says")
        .between(0, longest)
        .otherwise(0),
      text("progress", "how far the step has come, in words; unchanged if it is not given")},
     {state_of_task()},
     {error::refused, error::busy, error::not_found}},
    {event_send,
     "Sends an event to the tasks that wait for it, now or later; it is durable when this is answered",
     {text("event", "the name of the event").required(), text("key", "the key of the tasks that may take it"),
      text("task", "instead of a key: the id of the only task that may take it"),
      value("data", "the result of the steps that wait for it: JSON in a string, or the value itself"),
      number("keep_ms", "how long it is kept; 0: as long as the configuration of the store says")
        .between(0, longest)
        .otherwise(0),
      text("id", "the sender's id for it: sent again with the same id while it is kept, it changes nothing"), who()},
     {{"event", kind::number, "the number of the event"},
      {"taken", kind::number, "tasks that have taken it so far"},
      {"more", kind::flag, "more tasks are about to take it"},
      {"again", kind::flag, "an event with this id was already sent; nothing has changed"}},
     {error::refused, error::busy, error::not_found}},
    {event_list,
     "Kept events, by name, key and number",
     {text("event", "only events of this name"), text("key", "with `event`: only events with this key"),
      text("task", "with `event`, instead of a key: only events for this task alone"),
      text("after", "the value of `next` on the page before"), page_size()},
     {list_of("events", "kept_event"),
      {"next", kind::text,
       "pass it as `after` to get the next page; null: this is the last page. A page may be empty and not the last",
       false, true}},
     {error::refused, error::busy}},
    {approval_list,
     "The questions that wait for a person",
     {text("role", "only questions for this role"),
      of_kind(kind::texts, "roles", "only questions for one of these roles"),
      text("workflow", "only questions of tasks of this workflow"), before_number(), page_size()},
     {list_of("approvals", "question", "the questions, those of the newest tasks first"), next_number()},
     {error::busy}},
    {approval_answer,
     "Answers a question; the answer is kept in the task's story",
     {text("id", "the id of the task").required(), text("step", "the step that asks").required(),
      text("choice", "the answer: one of the choices").required(), who(), why()},
     {state_of_task()},
     {error::refused, error::busy, error::not_found}},
  };
}

} // namespace steadfast::api
