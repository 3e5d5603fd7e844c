#include "store/verbs/decide_event.hpp"

#include "workflow/definition/wait_end.hpp"
#include "workflow/text/canonical_json.hpp"
#include "workflow/text/json_text.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>

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

event_record kept(const send_event& w, std::uint64_t number) {
  event_record x{number, w.name, key_of(w), w.data, workflow::clipped(w.who, workflow::note_size_max), w.now, {}, w.id};
  x.expires_at = w.now + w.keep_for;
  return x;
}

std::optional<decision> why_not_taken(const send_event& w, const workflow::task& t, const workflow::definition& d) {
  if (workflow::has_ended(t))
    return refused("the task is " + std::string{workflow::to_string(t.state)});
  bool any = false;
  for (std::size_t i = 0; i < d.steps.size(); ++i) {
    if (!takes_event(d.steps[i]) || d.steps[i].wait->name != w.name)
      continue;
    any = true;
    if (t.steps[i].state == workflow::step_state::not_started || t.steps[i].state == workflow::step_state::waiting)
      return std::nullopt;
  }
  return refused(any ? "the task does not wait for another event of that name"
                     : "no step of the task's workflow waits for an event of that name");
}

} // namespace steadfast::store
