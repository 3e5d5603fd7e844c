// What answers tell of workflows and schedules, in the words of their files (docs/workflows.md, docs/schedules.md).

#include "api/methods.hpp"
#include "workflow/schedule/schedule_state.hpp"

namespace steadfast::api {

namespace {

std::vector<field> fields_of_defined_step() {
  using enum kind;
  return {
    {"name", text, "the name of the step"},
    {"after", texts, "the names of the steps that must end before it begins"},
    maybe({"agent", text,
           "the agent that carries it out; person: it asks a question; missing: it waits, or starts a task"}),
    maybe({"input", object,
           "what the agent gets: for each member a source, or an object with `from` and `optional`; missing: the whole "
           "payload, or the item"}),
    maybe({"complete_by", text, "a duration: how long an attempt may take"}),
    maybe(object_of("retry", "retry_rule")),
    maybe({"threshold", number, "how many rounds may fail before a cool-off"}),
    maybe(object_of("cool_off", "cool_off_rule")),
    maybe(text_of("on_exhausted", "on_exhausted", "what happens to the task when the step has failed for good")),
    maybe(object_of("compensation", "compensation_rule")),
    maybe(object_of("probe", "probe_rule")),
    maybe(object_of("when", "condition", "the condition under which it runs; otherwise it is skipped")),
    maybe(object_of("repeat", "repeat_rule")),
    maybe(object_of("expect", "condition", "what its result must be; otherwise the attempt has failed")),
    maybe(text_of("on_unexpected", "on_unexpected", "what happens to the step if its result is not as expected")),
    maybe(object_of("later", "later_rule")),
    maybe({"sleep", text, "a duration: it only waits, for this long"}),
    maybe({"until", text, "it only waits, until this moment"}),
    maybe(object_of("wait", "event_wait")),
    maybe({"workflow", text, "the workflow of the task that it starts, or of the task for each item"}),
    maybe({"payload", value, "the payload of the task that it starts: a source"}),
    maybe({"for_each", value, "the array of its items: a source"}),
    maybe({"at_a_time", number, "the most items that may be under way"}),
    maybe({"may_fail", value, "how many items may fail: a number, or a percentage as a string"}),
    maybe({"role", text, "the role that may answer"}),
    maybe({"question", text, "the question that it asks"}),
    maybe({"choices", texts, "the possible answers"}),
    maybe({"limit", text, "a duration: how long it waits for an answer"}),
    maybe(text_of("on_limit", "on_limit", "what happens when that time is up")),
    maybe({"remind_every", text, "a duration: how often an alert repeats the question"})};
}

std::vector<schema> rules_of_steps() {
  using enum kind;
  return {{"on_exhausted", "What happens to a task when one of its steps has failed for good", {}, {"undo", "error"}},
          {"on_limit", "What happens to a step that has reached its limit", {}, {"pass", "fail"}},
          {"on_unexpected", "What happens to a step whose result is not as expected", {}, {"fail", "retry"}},
          {"retry_rule",
           "When a call is tried again",
           {{"attempts", number, "the number of attempts in a round"},
            {"initial", text, "a duration: the first pause"},
            {"factor", fraction, "the factor by which each pause is longer than the one before"},
            {"cap", text, "a duration: the longest pause"},
            {"jitter", fraction, "the share of a pause that is random"}}},
          {"cool_off_rule",
           "A long wait after failed rounds, before attempts begin again",
           {{"wait", text, "a duration: how long it is"}, {"count", number, "how many there may be"}}},
          {"compensation_rule",
           "What undoes a step",
           {{"agent", text, "the agent that undoes it"},
            maybe({"input", object, "what the agent gets, written as for the step; missing: the whole payload"}),
            {"complete_by", text, "a duration: how long an attempt may take"},
            object_of("retry", "retry_rule")}},
          {"probe_rule",
           "A question to the service: has the step acted?",
           {{"agent", text, "the agent that is asked"}, {"complete_by", text, "a duration: how long it may take"}}},
          {"condition",
           "A condition: a comparison of the value at `pointer`, or one of `not`, `all` and `any`",
           {maybe({"pointer", text, "a JSON Pointer into the payload or a result"}),
            maybe({"step", text,
                   "the step whose result it is; payload: the payload of the task; missing: the step's own result"}),
            maybe({"present", flag, "whether there must be a value there"}),
            maybe({"equals", value, "the value must equal this"}),
            maybe({"differs", value, "the value must differ from this"}),
            maybe({"above", value, "the value must be above this"}),
            maybe({"at_least", value, "the value must be at least this"}),
            maybe({"below", value, "the value must be below this"}),
            maybe({"at_most", value, "the value must be at most this"}),
            maybe(object_of("not", "condition", "must not hold")), maybe(list_of("all", "condition", "must all hold")),
            maybe(list_of("any", "condition", "at least one must hold"))}},
          {"repeat_rule",
           "A call that is repeated until its result meets a condition",
           {object_of("until", "condition", "the condition that the result must meet"),
            {"every", text, "a duration: the pause between calls"},
            {"at_most", number, "the most calls"},
            text_of("on_limit", "on_limit", "what happens after the last call")}},
          {"later_rule",
           "A step that its agent begins, and ends later with a token",
           {{"limit", text, "a duration: how long it may take"},
            maybe({"heartbeat", text, "a duration: its token must be used to extend it at least this often"})}},
          {"event_wait",
           "A step that waits for an event",
           {{"event", text, "the name of the event"},
            maybe({"key", value, "the key that the event must have: a source"}),
            {"limit", text, "a duration: how long it waits"},
            text_of("on_limit", "on_limit", "what happens when that time is up")}},
          {"limit_rule",
           "A limit on the tasks of the workflow that run at once with the same key",
           {{"key", text, "where the key is in the payload"},
            {"at_a_time", number, "the most that may run at once"},
            maybe({"per", text, "a duration: how long each place stays taken"})}}};
}

std::vector<field> fields_of_schedule_told() {
  using enum kind;
  return {{"name", text, "the name of the schedule"},
          {"workflow", text, "the workflow of its tasks"},
          {"version", number, "the version of the workflow; 0: the newest at that moment"},
          maybe({"cron", text, "its moments as a cron expression; missing: it has every_ms"}),
          maybe({"every_ms", number, "the time between its moments; missing: it has cron"}),
          {"zone", text, "the time zone of the cron expression"},
          text_of("overlap", "overlap", "what happens at a moment when the task of an earlier one is not over"),
          {"jitter_ms", number, "how much later than its moment a task may be created"},
          {"catch_up_ms", number, "how late a missed moment may still be handled"},
          {"catch_up_max", number, "how many missed moments are handled at most"},
          maybe({"priority", number, "the priority of its tasks; missing: that of the workflow"}),
          {"file", text, "the file that it was read from; empty: it was created by a command"},
          {"is_paused", flag, "whether it is paused: it creates no tasks"},
          maybe(object_of("paused", "pause")),
          {"next", kind::texts, "its next moments, in RFC 3339"},
          or_null({"queued", moment, "the moment whose task is created when the one before is over; null: none"}),
          {"last_task", text, "the id of the last task that it created; empty: none"},
          {"tasks_made", number, "how many tasks it has created"}};
}

} // namespace

std::vector<schema> schemas_of_workflows() {
  using enum kind;
  using o = workflow::overlap;
  using f = workflow::moment_fate;
  auto all = rules_of_steps();
  const std::vector<schema> more{
    {"workflow",
     "A workflow as its file defines it; durations are strings such as 30s",
     {{"name", text, "the name of the workflow"},
      {"version", number, "the version with this content"},
      {"deadline", text, "a duration: how long a task may take"},
      {"undo_reserve", text, "a duration: the part of the deadline that is reserved for undo"},
      {"grace", text, "a duration: how long after an attempt its late messages may still act; undo waits for it"},
      {"alert_after", text, "a duration: an alert is raised for a step that no agent takes for this long"},
      {"takeovers_max", number, "how many schedulers a task may lose without progress"},
      {"priority", number, "the priority of its tasks; 0 comes first"},
      list_of("steps", "defined_step", "its steps, in the order of the file"),
      maybe({"result", value, "the result of its tasks: a source, or an object of sources"}),
      maybe({"index", texts, "the places in the payload by which tasks can be found"}),
      maybe(object_of("limit", "limit_rule"))}},
    {"defined_step",
     "A step of a workflow. A source is a string such as payload:/customer or STEP:/price, or an object with `literal`",
     fields_of_defined_step()},
    {"overlap",
     "What happens at a moment of a schedule when the task of an earlier one is not over",
     {},
     texts_of({o::skip, o::queue, o::allow, o::cancel})},
    {"moment_fate",
     "What became of a moment of a schedule",
     {},
     texts_of({f::made, f::skipped, f::queued, f::missed, f::refused, f::dropped})},
    {"pause",
     "Who paused a schedule, and why",
     {{"by", text, "who paused it"}, {"why", text, "the reason given"}, {"at", moment, "when it was paused"}}},
    {"past_moment",
     "A past moment of a schedule",
     {{"moment", moment, "the moment"},
      {"at", moment, "when it was handled"},
      text_of("fate", "moment_fate", "what became of it"),
      {"text", text, "the task that it waits for, or the reason"}}},
    {"schedule", "A schedule: it creates a task at each of its moments", fields_of_schedule_told()},
    {"shown_schedule", "A schedule with what it submits, and what became of its latest moments",
     joined(fields_of_schedule_told(),
            {{"payload", value, "the payload of its tasks; null: none"},
             {"moment_as", text, "the member of the payload that is set to the moment; empty: none"},
             {"text", text, "what is running, or why nothing is"},
             list_of("moments", "past_moment", "its latest moments, newest first")})}};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

} // namespace steadfast::api
