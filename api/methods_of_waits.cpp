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
     {token(), value("result", "of the step: a JSON text in a string, or the value itself; null when it is not given")},
     {state_of_task()},
     {error::refused, error::busy, error::not_found}},
    {step_fail,
     "Fails a step that ends later, for good or for now",
     {token(), text("error", "what went wrong, for people"), flag("for_now", "the failure is temporary: try again"),
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
      text("progress", "progress, for people; unchanged if it is not given")},
     {state_of_task()},
     {error::refused, error::busy, error::not_found}},
    {event_send,
     "Sends an event to the tasks that wait for it, now or later; it is durable when this is answered",
     {text("event", "its name").required(), text("key", "which tasks take it"),
      text("task", "the id of the only task that takes it, instead of a key"),
      value("data", "the result of the steps that wait for it: a JSON text in a string, or the value itself"),
      number("keep_ms", "how long it is kept; 0: as the store is configured").between(0, longest).otherwise(0),
      text("id", "the sender's id for it: sent again with the same id while it is kept, it changes nothing"), who()},
     {{"event", kind::number, "its number"},
      {"taken", kind::number, "tasks that have taken it so far"},
      {"more", kind::flag, "more tasks are about to take it"},
      {"again", kind::flag, "an event with this id was already sent; nothing has changed"}},
     {error::refused, error::busy, error::not_found}},
    {event_list,
     "Kept events, by name, key and number",
     {text("event", "only those of this name"), text("key", "with `event`: only those with this key"),
      text("task", "with `event`, instead of a key: only those for this task alone"),
      text("after", "what `next` was on the page before"), page_size()},
     {list_of("events", "kept_event"),
      {"next", kind::text, "give it as `after` for the next page; a page may be empty and not the last", false, true}},
     {error::refused, error::busy}},
    {approval_list,
     "The questions that wait for a person",
     {text("role", "only those for this role"), of_kind(kind::texts, "roles", "only those for one of these"),
      text("workflow", "only those of its tasks"), before_number(), page_size()},
     {list_of("approvals", "question", "of the newest tasks first"), next_number()},
     {error::busy}},
    {approval_answer,
     "Answers a question; the answer is kept in the task's story",
     {text("id", "of the task").required(), text("step", "that asks").required(),
      text("choice", "one of its choices").required(), who(), why()},
     {state_of_task()},
     {error::refused, error::busy, error::not_found}},
  };
}

} // namespace steadfast::api
