#include "workflow/task/task.hpp"

#include "workflow/text/json_place.hpp"
#include "workflow/text/json_text.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::workflow {

namespace {

/// A person may skip a step whose predecessors still run: of a skipped one those before it count too.
bool skipped_have_passed(const task& t, const definition& d, std::vector<std::size_t> skipped) {
  std::vector<bool> seen(t.steps.size());
  while (!skipped.empty()) {
    const auto i = skipped.back();
    skipped.pop_back();
    const bool may_pass = all_predecessors(d, i, [&](std::size_t p) {
      const auto state = t.steps[p].state;
      if (state == step_state::skipped && !seen[p])
        skipped.push_back(p);
      seen[p] = true;
      return state == step_state::completed || state == step_state::skipped;
    });
    if (!may_pass)
      return false;
  }
  return true;
}

} // namespace

bool all_before_have_passed(const task& t, const definition& d, std::size_t i) {
  std::vector<std::size_t> skipped;
  const bool are_done = all_predecessors(d, i, [&](std::size_t p) {
    const auto state = t.steps[p].state;
    if (state == step_state::skipped)
      skipped.push_back(p);
    return state == step_state::completed || state == step_state::skipped;
  });
  return are_done && (skipped.empty() || skipped_have_passed(t, d, std::move(skipped)));
}

std::string failure_told(const step& s) {
  const auto said = [](const attempt_record& r) {
    return (r.outcome == attempt_outcome::failed_transient || r.outcome == attempt_outcome::failed_permanent)
           && !r.note.empty();
  };
  const bool was_silent = !s.log.empty() && s.log.back().outcome == attempt_outcome::expired;
  const auto spoke = std::find_if(s.log.rbegin(), s.log.rend(), said);
  if (!was_silent || spoke == s.log.rend())
    return s.error;
  return s.error + "; before that: " + spoke->note;
}

span limit_of(const step_definition& s, attempt_action action) {
  switch (action) {
    case attempt_action::probe: return s.probe->complete_by;
    case attempt_action::compensate: return s.compensation ? s.compensation->complete_by : s.complete_by;
    default: return s.complete_by;
  }
}

event_key limit_key_of(const definition& d, std::string_view payload) {
  const auto value = is_json(payload) ? json_value_at(payload, d.limit->pointer) : std::nullopt;
  auto key = event_key_of(value.value_or(std::string_view{}));
  if (key.problem.empty() && key.text.empty())
    key.problem = "is empty";
  return key;
}

std::string problem_of_limit_key(const definition& d, std::string_view payload) {
  const auto problem = d.limit ? limit_key_of(d, payload).problem : std::string{};
  return problem.empty() ? "" : "the key of the workflow's limit, payload:" + d.limit->pointer + ", " + problem;
}

task make_task(const submission& s, const definition& d, instant now) {
  task t;
  t.id = s.id;
  t.workflow = d.name;
  t.version = d.version;
  t.payload = s.payload;
  t.content_type = s.content_type;
  t.priority = s.priority.value_or(d.priority);
  t.submitted_at = now;
  const auto earliest = s.debounce > span{0} ? std::max(s.not_before, now + s.debounce) : s.not_before;
  t.not_before = earliest > now ? earliest : unset;
  t.complete_by = std::max(now, t.not_before) + d.deadline;
  t.reply_to = s.reply_to;
  t.trace = s.trace;
  if (d.limit)
    t.limit.change().key = limit_key_of(d, s.payload.view()).text;
  t.notices = s.reply_to.empty() ? 0 : 1; // the store writes `accepted` with the task
  t.steps.resize(d.steps.size());
  t.steps.settle();
  return t;
}

bool is_claimable(const task& t) {
  return t.locked_by.empty() && (t.state == process_state::pending || t.state == process_state::undoing);
}

bool has_ended(const task& t) {
  return t.state == process_state::processed || t.state == process_state::undone || t.state == process_state::error;
}

std::uint64_t last_event_taken(const task& t, const definition& d, std::size_t i) {
  std::uint64_t last = 0;
  for (std::size_t k = 0; k < t.steps.size(); ++k) {
    const auto& rule = d.steps[k].wait;
    if (rule && rule->what == wait_rule::kind::event && rule->name == d.steps[i].wait->name
        && t.steps[k].wait->event_key == t.steps[i].wait->event_key)
      last = std::max(last, t.steps[k].wait->event);
  }
  return last;
}

bool is_at_agent(const task& t, std::string_view agent) {
  return std::any_of(t.steps.begin(), t.steps.end(), [&](const step& s) {
    const bool is_over =
      s.state == step_state::completed || s.state == step_state::compensated || s.state == step_state::skipped;
    return !is_over && !s.log.empty() && s.log.back().agent == agent;
  });
}

bool has_open_attempt(const task& t) {
  return t.steps.any<step_mark::open>();
}

bool any_ends_later(const task& t) {
  bool any = false;
  t.steps.each<step_mark::tried>([&](std::size_t i) { any = any || ends_later(t.steps[i]); });
  return any;
}

bool is_undoing(const task& t) {
  return t.state == process_state::undoing
         || (t.state == process_state::suspended && t.resume_state == process_state::undoing);
}

bool is_forward(const task& t) {
  return t.state == process_state::pending || t.state == process_state::processing;
}

instant forward_ends_at(const task& t, const definition& d) {
  return t.complete_by - d.undo_reserve;
}

bool is_startable(const task& t, const definition& d, std::size_t i) {
  const auto& s = t.steps[i];
  const bool is_open_ended =
    s.state == step_state::not_started || s.state == step_state::unknown || s.state == step_state::waiting;
  if (s.doing != attempt_action::none || !is_open_ended)
    return false;
  return all_before_have_passed(t, d, i);
}

std::string idempotency_key(const task& t, const definition& d, std::size_t step, attempt_action action) {
  auto key = t.id + "/" + d.steps[step].name;
  if (const auto generation = t.steps[step].key_generation; generation > 0)
    key += "#" + std::to_string(generation + 1);
  if (action == attempt_action::compensate)
    key += "/undo";
  else if (action == attempt_action::probe)
    key += "/probe";
  return key;
}

std::string child_id(const task& t, const definition& d, std::size_t i, std::uint32_t item) {
  auto id = idempotency_key(t, d, i, attempt_action::perform);
  if (item > 0)
    id += "/" + std::to_string(item - 1);
  return fitted(std::move(id), task_id_size_max, '~');
}

instant next_due(const task& t, const definition& d) {
  if (has_ended(t))
    return never;
  instant open_until = never;
  instant due = is_forward(t) ? forward_ends_at(t, d) : never;
  t.steps.each_summary([&](const step_summary& s) {
    open_until = std::min(open_until, s.open_until);
    if (s.needs_review)
      due = unset;
    if (!t.locked_by.empty())
      due = std::min(due, s.wakes_at);
    if (s.waits_since != never)
      due = std::min(due, s.waits_since + d.alert_after);
  });
  return t.state == process_state::suspended ? open_until : std::min(due, open_until);
}

} // namespace steadfast::workflow
