// What makes tasks at moments of its own.

#include "api/methods.hpp"
#include "api/names.hpp"

namespace steadfast::api {

std::vector<method> methods_of_schedules() {
  return {
    {schedule_list,
     "Schedules by name, each with its next moment",
     {text("after", "the last name of the page before"), page_size()},
     {{"schedules", kind::list}, {"next", kind::text, "give it as `after` for the next page", false, true}},
     {error::refused, error::busy}},
    {schedule_show,
     "A schedule, its next moments, what became of the last ones, and why nothing of it runs now",
     {text("name", "of the schedule").required(),
      number("next", "moments that are told; 0: ten").between(0, 1000).otherwise(0)},
     {{"schedule", kind::object}},
     {error::refused, error::busy, error::not_found}},
    {schedule_put,
     "Takes in schedules, each in place of the one of its name; the same again changes nothing",
     {text("text", "a file with tables [[schedule]] (docs/schedules.md)").required(), who(), why()},
     {{"names", kind::texts}, {"changed", kind::texts, "the names of those that were not so before"}},
     {error::refused, error::busy}},
    {schedule_act,
     "Pauses a schedule, lets it go on, makes a task of it now, or removes it; its tasks stay",
     {text("name", "of the schedule").required(),
      text("act", "what is done").required().one_of({"pause", "resume", "run", "remove"}), who(), why()},
     {{"name", kind::text},
      {"task", kind::text, "with run: the id of the task", true},
      {"is_queued", kind::flag, "with run: it is made when the task before is over", true}},
     {error::refused, error::busy, error::not_found}},
  };
}

} // namespace steadfast::api
