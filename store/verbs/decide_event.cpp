#include "store/verbs/decide_event.hpp"

#include "workflow/definition/wait_end.hpp"
#include "workflow/task/waiting.hpp"
#include "workflow/text/canonical_json.hpp"
#include "workflow/text/json_place.hpp"
#include "workflow/text/json_text.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::store {

namespace {

decision refused(std::string why) {
  return turned_down(write_status::refused, std::move(why));
}

std::string key_of(const send_event& w) {
  return w.task_id.empty() ? w.key : key_of_task(w.task_id);
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return c >= 0 && c < ' '; });
}

/// Of one whose id came before: that nothing is to be done, or why it is refused.
answer<send_event> came_before(const send_event& w, const event_record& there) {
  const bool is_same_data =
    there.data == w.data || workflow::canonical_json(there.data) == workflow::canonical_json(w.data);
  if (there.key != key_of(w) || !is_same_data)
    return refused("the id " + workflow::quoted(w.id) + " was already sent with an event " + workflow::quoted(w.name)
                   + " for another key or task, or with other data");
  answer<send_event> a = decision{write_status::applied, {}};
  a.number = there.number;
  a.again = true;
  return a;
}

decision taken_by_nobody(const send_event& w) {
  const auto* which = !w.task_id.empty() ? "" : w.key.empty() ? " without a key" : " with a key";
  return refused("no workflow has a step that waits for an event " + workflow::quoted(w.name) + which);
}

/// Why a task takes none of those that are for it alone, if so.
std::optional<decision> why_not_taken(const send_event& w, const workflow::task& t, const workflow::definition& d) {
  if (workflow::has_ended(t))
    return refused("the task is " + std::string{workflow::to_string(t.state)});
  if (workflow::is_undoing(t))
    return refused("the task is being undone");
  const auto steps = steps_for(w, d);
  const auto may_take = [&](std::size_t i) {
    const auto& s = t.steps[i];
    return s.state == workflow::step_state::not_started
           || (s.state == workflow::step_state::waiting && w.now < workflow::told_until(s, *d.steps[i].wait));
  };
  if (std::any_of(steps.begin(), steps.end(), may_take))
    return std::nullopt;
  return refused(!steps.empty() ? "the task does not wait for another event of that name"
                                : "no step of the task's workflow waits for an event of that name");
}

event_record kept(const send_event& w, std::uint64_t number) {
  event_record x{number, w.name, key_of(w), w.data, workflow::clipped(w.who, workflow::note_size_max), w.now, {}, w.id};
  if (w.sent_at != workflow::unset)
    x.at = w.sent_at;
  x.expires_at = x.at + w.keep_for;
  return x;
}

std::vector<workflow::fact> facts_in(const workflow::definition& d, std::size_t step, std::string_view data) {
  std::vector<workflow::fact> facts;
  for (const auto& pointer : workflow::pointers_asked(d, step))
    if (const auto value = workflow::json_value_at(data, pointer))
      facts.push_back({pointer, workflow::compact_json(*value)});
  return facts;
}

} // namespace

bool takes_event(const workflow::step_definition& s) {
  return s.wait && s.wait->what == workflow::wait_rule::kind::event;
}

std::string key_of_task(std::string_view id) {
  return "\1" + std::string{id};
}

kept_event shown(const event_record& x) {
  const auto of_task = key_of_task({});
  const bool is_for_task = x.key.starts_with(of_task);
  return {x.number,
          x.name,
          is_for_task ? std::string{} : x.key,
          is_for_task ? x.key.substr(of_task.size()) : std::string{},
          x.id,
          x.who,
          x.at,
          x.expires_at,
          x.data.size()};
}

std::optional<wrong_field> wrong_field_of(const send_event& w) {
  if (!workflow::is_name(w.name))
    return wrong_field{"event", "event must be " + std::string{workflow::name_rule}};
  if (w.key.size() > workflow::event_key_size_max)
    return wrong_field{"key", "key has " + std::to_string(w.key.size()) + " bytes, the limit is "
                                + std::to_string(workflow::event_key_size_max)};
  if (has_control(w.key))
    return wrong_field{"key", "key must have no control characters"};
  if (w.id.size() > workflow::event_id_size_max || has_control(w.id))
    return wrong_field{"id", "id must have at most " + std::to_string(workflow::event_id_size_max)
                               + " bytes and no control characters"};
  if (!w.key.empty() && !w.task_id.empty())
    return wrong_field{"task", "an event is for a key or for a task, not for both"};
  if (!workflow::is_json(w.data))
    return wrong_field{"data", "data is not a JSON text"};
  return std::nullopt;
}

// ---- one comes ----

send_event with_defaults(send_event w, const store_options& limits) {
  if (w.keep_for == workflow::span{0})
    w.keep_for = limits.events_keep_for;
  return w;
}

std::optional<decision> problem_of(const send_event& w, const store_options& limits) {
  if (auto wrong = wrong_field_of(w))
    return refused(std::move(wrong->why));
  if (w.data.size() > limits.result_size_max)
    return refused("data has " + std::to_string(w.data.size()) + " bytes, the limit is "
                   + std::to_string(limits.result_size_max));
  if (w.keep_for <= workflow::span{0} || w.keep_for > workflow::span_max)
    return refused("an event must be kept for more than zero and at most ten years");
  return std::nullopt;
}

bool is_in_time(const event_record& x, workflow::instant now) {
  return x.expires_at > now;
}

void awaited_events::learn(const workflow::definition& d) {
  for (const auto& s : d.steps)
    if (takes_event(s)) {
      auto& of_name = all_[s.wait->name];
      (workflow::waits_without_key(*s.wait) ? of_name.none : of_name.any) = true;
    }
}

bool awaited_events::has(const send_event& w) const {
  const auto found = all_.find(w.name);
  return found != all_.end() && (!w.task_id.empty() || (w.key.empty() ? found->second.none : found->second.any));
}

bool needs_task(const send_event& w, const known_event& known) {
  return known.before == nullptr && known.is_awaited && !w.task_id.empty() && !w.is_elsewhere;
}

sent_event decide(const send_event& w, const known_event& known,
                  const std::function<bool(std::uint64_t data_size)>& has_room) {
  if (known.before != nullptr)
    return {{came_before(w, *known.before)}};
  if (w.is_elsewhere)
    return {{applied()}};
  if (!known.is_awaited)
    return {{taken_by_nobody(w)}};
  if (!w.task_id.empty()) {
    if (known.task == nullptr)
      return {{turned_down(write_status::absent, "there is no task " + w.task_id)}};
    if (auto none = why_not_taken(w, known.task->state.task, *known.task->definition))
      return {{*std::move(none)}};
  }
  if (!has_room(w.data.size()))
    return {{}, true};
  sent_event d{{applied(), kept(w, known.next_number)}};
  d.said.number = d.put->number;
  return d;
}

std::vector<std::size_t> steps_for(const send_event& w, const workflow::definition& d) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < d.steps.size(); ++i)
    if (takes_event(d.steps[i]) && d.steps[i].wait->name == w.name)
      all.push_back(i);
  return all;
}

// ---- a step takes one ----

moved_waits waits_moved(const workflow::definition& d, const workflow::task& next,
                        const std::vector<waiting_step>& before) {
  moved_waits moved;
  const auto now = waiting_steps(next);
  if (before == now)
    return moved;
  const auto add_missing = [&](const std::vector<waiting_step>& of, const std::vector<waiting_step>& in,
                               std::vector<waiting_step>& to) {
    for (const auto& x : of)
      if (takes_event(d.steps[x.step]) && std::find(in.begin(), in.end(), x) == in.end())
        to.push_back(x);
  };
  add_missing(before, now, moved.over);
  add_missing(now, before, moved.begun);
  return moved;
}

bool waits_for_event(const workflow::task& t, const workflow::definition& d, std::size_t i) {
  return i < t.steps.size() && t.steps[i].state == workflow::step_state::waiting && takes_event(d.steps[i]);
}

wanted_events wanted_by(const workflow::task& t, const workflow::definition& d, std::size_t i) {
  const auto& rule = *d.steps[i].wait;
  return {rule.name,
          {t.steps[i].wait->event_key, key_of_task(t.id)},
          workflow::last_event_taken(t, d, i) + 1,
          workflow::told_until(t.steps[i], rule)};
}

bool is_in_time(const event_record& x, workflow::instant now, const wanted_events& wanted) {
  return is_in_time(x, now) && x.at < wanted.until;
}

std::optional<event_record> taken_of(std::optional<event_record> a, std::optional<event_record> b) {
  return a && (!b || a->number < b->number) ? std::move(a) : std::move(b);
}

workflow::event_came came_to(std::size_t i, const workflow::definition& d, const event_record& x) {
  return {i, x.number, workflow::blob{x.data}, facts_in(d, i, x.data), x.who};
}

} // namespace steadfast::store
