// What answers tell of workflows and schedules, in the words of their files (docs/workflows.md, docs/schedules.md).

#include "api/methods.hpp"
#include "workflow/schedule/schedule_state.hpp"

namespace steadfast::api {

namespace {

std::vector<field> fields_of_defined_step() {
  using enum kind;
  return {{"name", text, "its name"},
          {"after", texts, "names of the steps that come before it"},
          maybe({"agent", text, "that carries it out; person: a question; none: it waits, or starts a task"}),
          maybe({"input", object, "what the agent gets: for each member a source, or `from` and `optional`"}),
          maybe({"complete_by", text, "a span: how long an attempt may take"}),
          maybe(object_of("retry", "retry_rule")),
          maybe({"threshold", number, "failed rounds before a cool-off"}),
          maybe(object_of("cool_off", "cool_off_rule")),
          maybe(text_of("on_exhausted", "on_exhausted", "what becomes of the task when the step has failed for good")),
          maybe(object_of("compensation", "compensation_rule")),
          maybe(object_of("probe", "probe_rule")),
          maybe(object_of("when", "condition", "it runs only then, else it is skipped")),
          maybe(object_of("repeat", "repeat_rule")),
          maybe(object_of("expect", "condition", "what its result must be, or the attempt has failed")),
          maybe(text_of("on_unexpected", "on_unexpected", "what becomes of the step then")),
          maybe(object_of("later", "later_rule")),
          maybe({"sleep", text, "a span: it only waits for so long"}),
          maybe({"until", text, "it only waits for this moment"}),
          maybe(object_of("wait", "event_wait")),
          maybe({"workflow", text, "it starts a task of this one, or one for each item"}),
          maybe({"payload", value, "of the task that it starts: a source"}),
          maybe({"for_each", value, "its items: a source"}),
          maybe({"at_a_time", number, "how many items may be under way"}),
          maybe({"may_fail", value, "how many items: a number, or a percentage as a text"}),
          maybe({"role", text, "who may answer"}),
          maybe({"question", text, "that it asks"}),
          maybe({"choices", texts, "the possible answers"}),
          maybe({"limit", text, "a span: how long it waits for an answer"}),
          maybe(text_of("on_limit", "on_limit", "what happens at its limit")),
          maybe({"remind_every", text, "a span: how often an alert reminds of the question"})};
}

std::vector<schema> rules_of_steps() {
  using enum kind;
  return {{"on_exhausted", "What becomes of a task whose step has failed for good", {}, {"undo", "error"}},
          {"on_limit", "What becomes of a step that has waited to its limit", {}, {"pass", "fail"}},
          {"on_unexpected", "What becomes of a step whose result is not as expected", {}, {"fail", "retry"}},
          {"retry_rule",
           "When a call is tried again",
           {{"attempts", number, "in one round"},
            {"initial", text, "a span: the first pause"},
            {"factor", fraction, "by which each pause is longer"},
            {"cap", text, "a span: no pause is longer"},
            {"jitter", fraction, "the part of a pause that is left to chance"}}},
          {"cool_off_rule",
           "A long wait, after which rounds of attempts begin again",
           {{"wait", text, "a span"}, {"count", number, "how many there may be"}}},
          {"compensation_rule",
           "What undoes a step",
           {{"agent", text, "that undoes it"},
            {"input", object, "what it gets, as of the step"},
            {"complete_by", text, "a span: how long an attempt may take"},
            object_of("retry", "retry_rule")}},
          {"probe_rule",
           "What finds out whether a step has acted",
           {{"agent", text, "that is asked"}, {"complete_by", text, "a span: how long it may take"}}},
          {"condition",
           "One of: a comparison of a place, `not`, `all`, `any`",
           {maybe({"pointer", text, "a place in the payload, or in a result"}),
            maybe({"step", text, "whose result; payload: the task's; none: the step's own"}),
            maybe({"present", flag, "whether there is such a place"}), maybe({"equals", value, "what is there"}),
            maybe({"differs", value, "what is not there"}), maybe({"above", value, "a number that it is above"}),
            maybe({"at_least", value, "the least number"}), maybe({"below", value, "a number that it is below"}),
            maybe({"at_most", value, "the largest number"}), maybe(object_of("not", "condition", "this does not hold")),
            maybe(list_of("all", "condition", "all of these hold")),
            maybe(list_of("any", "condition", "one of these holds"))}},
          {"repeat_rule",
           "A call that is made again until its result is the wanted one",
           {object_of("until", "condition", "the wanted result"),
            {"every", text, "a span: the pause between calls"},
            {"at_most", number, "calls"},
            text_of("on_limit", "on_limit", "what happens after the last call")}},
          {"later_rule",
           "A step that its agent begins, and ends with a token",
           {{"limit", text, "a span: how long it may take"},
            maybe({"heartbeat", text, "a span: it has to be extended before"})}},
          {"event_wait",
           "A step that waits for an event",
           {{"event", text, "its name"},
            maybe({"key", value, "by which it is known: a source"}),
            {"limit", text, "a span: how long it waits"},
            text_of("on_limit", "on_limit", "what happens at its limit")}},
          {"limit_rule",
           "How many tasks with the same key run at once",
           {{"key", text, "the place of the payload that has it"},
            {"at_a_time", number, "how many run at once"},
            maybe({"per", text, "a span: how long each place is kept"})}}};
}

std::vector<field> fields_of_schedule_told() {
  using enum kind;
  return {{"name", text, "its name"},
          {"workflow", text, "what it makes tasks of"},
          {"version", number, "of the workflow; 0: the newest at that moment"},
          maybe({"cron", text, "its moments, unless it has every_ms"}),
          maybe({"every_ms", number, "the span between its moments, unless it has cron"}),
          {"zone", text, "by which cron is read"},
          text_of("overlap", "overlap", "what a moment does that meets the task of an earlier one"),
          {"jitter_ms", number, "tasks are made up to so much later"},
          {"catch_up_ms", number, "how old a moment may be when it is handled"},
          {"catch_up_max", number, "how many missed moments are caught up on"},
          maybe({"priority", number, "of its tasks, unless it is the workflow's"}),
          {"file", text, "that it was read from; empty: it came by command"},
          {"is_paused", flag, "it makes no tasks"},
          maybe(object_of("paused", "pause")),
          {"next", kind::texts, "its next moments, in RFC 3339"},
          or_null({"queued", moment, "the moment that waits for the end of its last task"}),
          {"last_task", text, "the id of the last task that it made; empty: none"},
          {"tasks_made", number, "how many so far"}};
}

} // namespace

std::vector<schema> schemas_of_workflows() {
  using enum kind;
  using o = workflow::overlap;
  using f = workflow::moment_fate;
  auto all = rules_of_steps();
  const std::vector<schema> more{
    {"workflow",
     "What tasks are made from, as its file says it; spans are texts such as 30s",
     {{"name", text, "its name"},
      {"version", number, "of this content"},
      {"deadline", text, "a span: how long a task may take"},
      {"undo_reserve", text, "a span: the part of the deadline that is kept for undo"},
      {"grace", text, "a span after an attempt in which late messages of it may still act; undo waits for it"},
      {"alert_after", text, "a span: a step that no agent takes for so long raises an alert"},
      {"takeovers_max", number, "schedulers that a task may lose without progress"},
      {"priority", number, "of its tasks; 0 comes first"},
      list_of("steps", "defined_step", "in the order of the file"),
      maybe({"result", value, "what a task gives: a source, or an object of sources"}),
      maybe({"index", texts, "places of the payload by which tasks are found"}),
      maybe(object_of("limit", "limit_rule"))}},
    {"defined_step",
     "A step of a workflow. A source is a text such as payload:/customer or STEP:/price, or an object with `literal`",
     fields_of_defined_step()},
    {"overlap",
     "What a moment does that meets the task of an earlier one",
     {},
     texts_of({o::skip, o::queue, o::beside, o::cancel})},
    {"moment_fate",
     "What became of a moment",
     {},
     texts_of({f::made, f::skipped, f::queued, f::missed, f::refused, f::dropped})},
    {"pause",
     "Who paused a schedule",
     {{"by", text, "who did"}, {"why", text, "the reason"}, {"at", moment, "when it was paused"}}},
    {"past_moment",
     "A moment of a schedule that is over",
     {{"moment", moment, "of the schedule"},
      {"at", moment, "when it was served"},
      text_of("fate", "moment_fate", "what became of it"),
      {"text", text, "the task that it waits for, or why"}}},
    {"schedule", "What makes tasks at moments of its own", fields_of_schedule_told()},
    {"shown_schedule", "A schedule, what it submits, and what became of its last moments",
     joined(fields_of_schedule_told(),
            {{"payload", value, "of its tasks; null: none"},
             {"moment_as", text, "the member of the payload that gets the moment; empty: none"},
             {"text", text, "why nothing of it runs now, or what does"},
             list_of("moments", "past_moment", "the newest first")})}};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

} // namespace steadfast::api
