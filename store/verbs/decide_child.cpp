#include "store/verbs/decide_child.hpp"

#include "workflow/on_call/incident.hpp"
#include "workflow/task/compensation.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::store {

using workflow::child_duty;
using workflow::process_state;

namespace {

bool needs_person_or_has_ended(process_state s) {
  return s == process_state::processed || s == process_state::undone || s == process_state::error;
}

} // namespace

key key_of(const child_note& x) {
  return key{x.parent, x.step, static_cast<std::uint8_t>(x.what), x.item};
}

std::optional<child_note> note_of(std::string_view table_key, workflow::instant at) {
  key_reader k{table_key};
  const auto parent = k.number<std::uint64_t>();
  const auto step = k.number<std::uint32_t>();
  const auto what = k.number<std::uint8_t>();
  const auto item = k.number<std::uint32_t>();
  const auto last = static_cast<std::uint8_t>(child_duty::tell_parent);
  if (!parent || !step || !what || !item || *what == 0 || *what > last)
    return std::nullopt;
  return child_note{*parent, *step, static_cast<child_duty>(*what), at, *item};
}

void add_notes_to_children(const workflow::task& next, const workflow::definition& d, const workflow::step_list& before,
                           const std::vector<waiting_step>& waited, std::deque<child_note>& into) {
  const auto has_waited = [&](std::size_t i) {
    return std::any_of(waited.begin(), waited.end(),
                       [&](const waiting_step& w) { return w.step == i && w.attempt == next.steps[i].attempt; });
  };
  each_difference(before, next.steps, [&](std::size_t i) {
    const auto& s = next.steps[i];
    if (!workflow::starts_child(d.steps[i]) || s.log.empty())
      return;
    const bool is_known = has_waited(i) || (before.size() == next.steps.size() && before[i].attempt == s.attempt);
    const bool is_undone = workflow::is_undo_of_child_awaited(s, d.steps[i]);
    if (!is_known && (is_undone || s.state == workflow::step_state::waiting))
      into.push_back({next.number, static_cast<std::uint32_t>(i), is_undone ? child_duty::undo : child_duty::start,
                      s.log.back().started_at, 0});
  });
}

void add_notes_of_import(const workflow::task& t, const workflow::definition& d, std::deque<child_note>& into) {
  for (std::size_t i = 0; i < t.steps.size(); ++i)
    if (workflow::starts_child(d.steps[i]) && !t.steps[i].log.empty())
      into.push_back(
        {t.number, static_cast<std::uint32_t>(i), child_duty::tell_parent, t.steps[i].log.back().started_at, 0});
}

bool is_news_for_parent(const workflow::task& next, process_state before) {
  return !next.parent.empty() && next.state != before
         && (needs_person_or_has_ended(next.state) || before == process_state::error);
}

workflow::undo_requested undo_asked_by(const workflow::task& parent) {
  return {{"its parent " + workflow::quoted(parent.id), parent.cause}};
}

workflow::child_end not_made(std::string why) {
  return {workflow::child_state::refused, workflow::clipped(why, workflow::note_size_max), {}, {}};
}

workflow::child_end lost_child(std::string_view id) {
  return {workflow::child_state::undo_failed, "there is no task " + workflow::quoted(id) + " in this store", {}, {}};
}

workflow::child_end damaged_child() {
  return {workflow::child_state::undo_failed, "the records of its task are damaged", {}, {}};
}

} // namespace steadfast::store
