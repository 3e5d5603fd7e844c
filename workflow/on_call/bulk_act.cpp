#include "workflow/on_call/bulk_act.hpp"

#include "workflow/task/task.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace steadfast::workflow {

namespace {

constexpr std::array<std::pair<task_act, std::string_view>, 7> act_names{{
  {task_act::retry, "retry"},
  {task_act::skip, "skip"},
  {task_act::edit, "edit"},
  {task_act::undo, "undo"},
  {task_act::cancel, "cancel"},
  {task_act::suspend, "suspend"},
  {task_act::resume, "resume"},
}};

} // namespace

std::string_view to_string(task_act a) {
  for (const auto& [act, name] : act_names)
    if (act == a)
      return name;
  return "invalid";
}

std::optional<task_act> parse_task_act(std::string_view text) {
  for (const auto& [act, name] : act_names)
    if (name == text)
      return act;
  return std::nullopt;
}

std::string_view to_string(bulk_state s) {
  switch (s) {
    case bulk_state::open: return "open";
    case bulk_state::ended: return "ended";
    case bulk_state::stopped: return "stopped";
  }
  return "invalid";
}

std::vector<std::string> problems(const bulk_act& b) {
  std::vector<std::string> found;
  const auto bound = [&](const char* name, const std::string& text, std::size_t max) {
    if (text.size() > max)
      found.push_back(std::string{name} + " has " + std::to_string(text.size()) + " bytes and may have "
                      + std::to_string(max));
  };
  if (b.act == task_act::edit)
    found.emplace_back("one payload is edited at a time: no bulk act can");
  if (b.act == task_act::skip && !is_name(b.step))
    found.emplace_back("a bulk act that skips needs a step");
  bound("step", b.step, name_size_max);
  bound("document", b.document, bulk_text_size_max);
  bound("where", b.where, bulk_text_size_max);
  bound("who", b.who, note_size_max);
  bound("why", b.why, note_size_max);
  return found;
}

bool is_open(const bulk_act& b) {
  return b.state == bulk_state::open;
}

bool has_yet_to_meet(const bulk_act& b, std::uint64_t task) {
  if (!is_open(b))
    return false;
  return task < b.position && std::find(b.met.begin(), b.met.end(), task) == b.met.end();
}

void note_done(bulk_act& b, std::uint64_t task) {
  ++b.done;
  b.met.push_back(task);
}

void pass(bulk_act& b, const bulk_page_passed& page, instant now) {
  b.refused += page.refused;
  b.skipped += page.skipped;
  b.position = std::min(b.position, page.position);
  std::erase_if(b.met, [&](std::uint64_t task) { return task >= b.position; });
  if (!page.is_last || !is_open(b))
    return;
  b.state = bulk_state::ended;
  b.ended_at = now;
  b.met.clear();
  const auto met = b.done + b.refused;
  b.skipped = std::max(b.skipped, b.about - std::min(b.about, met));
}

void stop(bulk_act& b, std::string who, std::string why, instant now) {
  if (!is_open(b))
    return;
  b.state = bulk_state::stopped;
  b.ended_at = now;
  b.stopped_by = clipped(who, note_size_max);
  b.stopped_why = clipped(why, note_size_max);
}

bool may_leave(const bulk_act& b, span keep_for, instant now) {
  return !is_open(b) && b.ended_at + keep_for <= now;
}

bulk_step step_after(bool done, act_refusal why, int tries) {
  if (done)
    return bulk_step::count_done;
  switch (why) {
    case act_refusal::changed: return tries < bulk_tries_max ? bulk_step::look_again : bulk_step::count_refused;
    case act_refusal::gone: return bulk_step::leave_out;
    case act_refusal::not_now:
    case act_refusal::unknown: return bulk_step::wait;
    case act_refusal::by_rule: break;
  }
  return bulk_step::count_refused;
}

std::optional<std::size_t> next_turn(const std::vector<bulk_act>& open, std::uint64_t last) {
  std::optional<std::size_t> first;
  std::optional<std::size_t> after;
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (!first || open[i].number < open[*first].number)
      first = i;
    if (open[i].number > last && (!after || open[i].number < open[*after].number))
      after = i;
  }
  return after ? after : first;
}

span pause_after_page(std::size_t tasks, span took, std::uint32_t rate) {
  constexpr span shortest{1};
  constexpr span longest{1000};
  const span of_rate{static_cast<std::int64_t>(tasks) * 1000 / std::max<std::uint32_t>(rate, 1)};
  return std::max(std::clamp(took, shortest, longest), of_rate - took);
}

} // namespace steadfast::workflow
