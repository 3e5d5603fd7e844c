// What comes from outside while a task waits.

#include "api/methods.hpp"
#include "api/names.hpp"
#include "workflow/definition/definition.hpp"

namespace steadfast::api {

namespace {

constexpr std::size_t token_size_max = 256;
constexpr auto longest = static_cast<std::uint64_t>(workflow::span_max.count());

parameter token() {
  return text("token", "that the agent was given with its call").required().up_to_bytes(token_size_max);
}

field state_of_task() {
  return {"process_state", kind::text, "the state of the task"};
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
     {token(), text("why", "for people"), flag("for_now", "another attempt may do better"),
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
  };
}

} // namespace steadfast::api
