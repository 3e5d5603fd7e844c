#include "workflow/on_call/finding.hpp"

#include "workflow/on_call/incident.hpp"
#include "workflow/task/explain.hpp"

#include <algorithm>
#include <iterator>

namespace steadfast::workflow {
namespace {

template <class Enum, std::size_t Size>
std::optional<Enum> parse(std::string_view text, const std::string_view (&names)[Size]) {
  const auto* const found = std::find(std::next(std::begin(names)), std::end(names), text);
  return found == std::end(names) ? std::nullopt : std::optional{static_cast<Enum>(found - std::begin(names))};
}

template <class Holds>
std::optional<std::size_t> first_step(const task& t, Holds holds) {
  for (std::size_t i = 0; i < t.steps.size(); ++i)
    if (holds(i))
      return i;
  return std::nullopt;
}

/// Null: there was none.
const attempt_record* last_performed(const step& s) {
  const auto last = std::find_if(s.log.rbegin(), s.log.rend(),
                                 [](const attempt_record& a) { return a.action == attempt_action::perform; });
  return last == s.log.rend() ? nullptr : &*last;
}

/// Whatever its undo did since.
bool has_failed(const step& s) {
  const auto* const last = last_performed(s);
  return last != nullptr
         && (last->outcome == attempt_outcome::failed_transient || last->outcome == attempt_outcome::failed_permanent
             || last->outcome == attempt_outcome::expired);
}

std::optional<std::size_t> first_that_failed(const task& t) {
  return first_step(t, [&](std::size_t i) { return t.steps[i].state == step_state::failed || has_failed(t.steps[i]); });
}

/// Of its last attempt; where all is undone, of the one that was the reason.
std::string agent_at(const task& t, const definition& d, std::size_t i) {
  const auto& log = t.steps[i].log;
  if (const auto* const last = last_performed(t.steps[i]); last != nullptr && t.state == process_state::undone)
    return last->agent;
  return log.empty() ? d.steps[i].agent : log.back().agent;
}

std::string big_endian(std::uint64_t number) {
  std::string bytes(sizeof number, '\0');
  for (auto b = bytes.rbegin(); b != bytes.rend(); ++b, number >>= 8)
    *b = static_cast<char>(number & 0xFFU);
  return bytes;
}

/// In the order of their numbers, negative ones too.
std::string sortable(std::int64_t number) {
  return big_endian(static_cast<std::uint64_t>(number) ^ (1ULL << 63));
}

std::string sortable(instant at) {
  return sortable(at.time_since_epoch().count());
}

std::string turned(std::string bytes) {
  for (auto& b : bytes)
    b = static_cast<char>(~static_cast<unsigned char>(b));
  return bytes;
}

bool is_falling(task_order by) {
  return by == task_order::submitted || by == task_order::ended || by == task_order::took || by == task_order::failures;
}

/// Nothing: the task has no such value.
std::optional<std::string> value_of(const task& t, task_order by) {
  const bool is_over = t.ended_at != unset;
  switch (by) {
    case task_order::submitted: return sortable(t.submitted_at);
    case task_order::ended: return is_over ? std::optional{sortable(t.ended_at)} : std::nullopt;
    case task_order::took:
      return is_over ? std::optional{sortable((t.ended_at - t.submitted_at).count())} : std::nullopt;
    case task_order::failures: return sortable(std::int64_t{t.failure_count});
    case task_order::priority: return sortable(std::int64_t{t.priority});
    case task_order::deadline: return sortable(t.complete_by);
    case task_order::id: return t.id + '\0';
    case task_order::workflow: return t.workflow + '\0';
  }
  return std::nullopt;
}

} // namespace

std::optional<std::size_t> current_step(const task& t, const definition& d) {
  if (t.state == process_state::processed)
    return std::nullopt;
  if (t.state == process_state::undone)
    return first_that_failed(t);
  if (const auto i = first_in_trouble(t))
    return i;
  if (const auto i = first_step(t, [&](std::size_t s) { return t.steps[s].doing != attempt_action::none; }))
    return i;
  if (is_undoing(t))
    return first_that_failed(t);
  return first_step(t, [&](std::size_t i) { return is_startable(t, d, i); });
}

std::optional<task_grouping> parse_task_grouping(std::string_view text) {
  return parse<task_grouping>(text, task_grouping_names);
}

std::optional<task_order> parse_task_order(std::string_view text) {
  return parse<task_order>(text, task_order_names);
}

std::string group_of(const task& t, const definition& d, task_grouping by) {
  switch (by) {
    case task_grouping::none: return {};
    case task_grouping::workflow: return t.workflow;
    case task_grouping::state: return std::string{to_string(t.state)};
    case task_grouping::cause: return generalized(t.cause);
    case task_grouping::hour:
      return std::to_string(
        std::chrono::duration_cast<span>(std::chrono::floor<std::chrono::hours>(t.submitted_at.time_since_epoch()))
          .count());
    case task_grouping::agent:
    case task_grouping::step: break;
  }
  const auto i = current_step(t, d);
  if (!i)
    return {};
  return by == task_grouping::step ? d.steps[*i].name : agent_at(t, d, *i);
}

std::string order_key(const task& t, task_order by, bool is_reversed) {
  auto value = value_of(t, by);
  if (!value)
    return "\1";
  return '\0' + (is_falling(by) != is_reversed ? turned(*std::move(value)) : *std::move(value));
}

} // namespace steadfast::workflow
