// What comes from outside while a task waits.

#include "api/methods.hpp"
#include "api/names.hpp"
#include "workflow/definition/definition.hpp"

namespace steadfast::api {

namespace {

constexpr auto longest = static_cast<std::uint64_t>(workflow::span_max.count());

parameter token() {
  return text("token", "that the agent was given with its call").required();
}

field state_of_task() {
  return text_of("process_state", "process_state", "the state of the task");
}

} // namespace

std::vector<method> methods_of_waits() {
  return {
    {step_complete,
     "Ends a step that its agent has begun; the token is used up",
     {token(), value("result", "of the step: a JSON text in a string, or the value itself; null when it is not given")},
     {state_of_task()},
     {error::refused, error::busy, error::not_found}},
    {step_fail,
     "The same: the step failed, for good or for now",
     {token(), text("error", "what went wrong, for people"), flag("for_now", "another attempt may do better"),
      flag("maybe_done", "the step may have acted all the same"),
      number("retry_after_ms", "with for_now: no attempt before").between(0, longest).otherwise(0)},
     {state_of_task()},
     {error::refused, error::busy, error::not_found}},
    {step_extend,
     "A step that its agent has begun goes on; the token stays",
     {token(),
      number("length_ms", "it has so long from now, up to its limit; 0: as long as its workflow says")
        .between(0, longest)
        .otherwise(0),
      text("progress", "how far it is, for people; as before when it is not given")},
     {state_of_task()},
     {error::refused, error::busy, error::not_found}},
    {event_send,
     "An event from outside, for the tasks that wait for it or will; it is durable when this is answered",
     {text("event", "its name").required(), text("key", "which tasks take it"),
      text("task", "the id of the only task that takes it, instead of a key"),
      value("data", "what steps that wait for it give as their result: a JSON text in a string, or the value itself"),
      number("keep_ms", "so long it can be taken; 0: as the store is configured").between(0, longest).otherwise(0),
      text("id", "the sender's own: sent again with it, while the event is kept, it changes nothing"), who()},
     {{"event", kind::number, "its number"},
      {"taken", kind::number, "tasks that took it by now"},
      {"more", kind::flag, "there are more that are about to take it"},
      {"again", kind::flag, "it was sent before, under its id: nothing has changed"}},
     {error::refused, error::busy, error::not_found}},
    {event_list,
     "Events that are kept, for the tasks that wait for them or will, by name, key and number",
     {text("event", "only those of this name"), text("key", "with `event`: only those with this key"),
      text("task", "with `event`, in place of the key: only those for this task alone"),
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
     "A person's answer; it is kept in the task's story",
     {text("id", "of the task").required(), text("step", "that asks").required(),
      text("choice", "one of its choices").required(), who(), why()},
     {state_of_task()},
     {error::refused, error::busy, error::not_found}},
  };
}

} // namespace steadfast::api
