// What makes tasks at moments of its own.

#include "api/methods.hpp"
#include "api/names.hpp"
#include "workflow/definition/definition.hpp"
#include "workflow/schedule/overlap_names.hpp"

#include <limits>

namespace steadfast::api {

std::vector<method> methods_of_schedules() {
  return {
    {schedule_list,
     "Schedules by name, each with its next moment",
     {text("after", "the last name on the page before"), page_size()},
     {list_of("schedules", "schedule"),
      {"next", kind::text, "pass it as `after` to get the next page; null: this is the last page", false, true}},
     {error::refused, error::busy}},
    {schedule_show,
     "A schedule, its next moments, the outcome of the last ones, and why it is not running now",
     {text("name", "the name of the schedule").required(),
      number("next", "how many next moments to return; 0: ten").between(0, 1000).otherwise(0)},
     {object_of("schedule", "shown_schedule")},
     {error::refused, error::busy, error::not_found}},
    {schedule_put,
     "Creates or replaces schedules by name; repeating the same changes nothing",
     {text("text", "a file with tables [[schedule]] (docs/schedules.md)"),
      of_kind(kind::object, "schedule", "instead of `text`: one schedule, with the fields that a file has"), who(),
      why()},
     {{"names", kind::texts, "the names of all schedules that were given"},
      {"changed", kind::texts, "the names of those that are new or changed"}},
     {error::refused, error::busy}},
    {schedule_act,
     "Pauses or resumes a schedule, creates a task now, or removes the schedule; its tasks stay",
     {text("name", "the name of the schedule").required(),
      text("act", "what is done").required().one_of({"pause", "resume", "run", "remove"}), who(), why()},
     {{"name", kind::text, "the name of the schedule"},
      {"task", kind::text, "with run: the id of the task", true},
      {"is_queued", kind::flag, "with run: the task is created when the one before it is over", true}},
     {error::refused, error::busy, error::not_found}},
  };
}

const method& fields_of_schedule() {
  constexpr std::uint64_t number_max = std::numeric_limits<std::uint32_t>::max();
  constexpr auto span_max = static_cast<std::uint64_t>(workflow::span_max.count());
  static const method fields{
    "schedule",
    "A schedule to create or replace",
    {text("name", "the name of the schedule").required(),
     text("workflow", "the workflow of the tasks that it creates").required(),
     number("version", "the version of the workflow; 0: the newest at that moment").between(0, number_max).otherwise(0),
     text("cron", "its moments, as a cron expression; give this or `every_ms`"),
     number("every_ms", "the time between its moments; give this or `cron`").between(0, span_max).otherwise(0),
     text("zone", "the time zone of `cron`").otherwise("UTC"),
     number("jitter_ms", "how much later than its moment a task may be created").between(0, span_max).otherwise(0),
     text("overlap", "what to do at a moment when the task of an earlier one is not over")
       .one_of(choices_of(workflow::overlap_names))
       .otherwise("skip"),
     number("catch_up_ms", "how late a missed moment may still be handled").between(0, span_max),
     number("catch_up_max", "how many missed moments are handled at most").between(0, number_max),
     value("payload", "the payload of the tasks: JSON in a string, or the value itself"),
     text("moment_as", "the member of the payload that is set to the moment"),
     number("priority", "the priority of the tasks, 0 first; that of the workflow if it is not given")
       .between(0, workflow::priority_max)}};
  return fields;
}

} // namespace steadfast::api
