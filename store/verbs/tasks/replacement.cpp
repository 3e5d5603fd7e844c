#include "store/verbs/tasks/replacement.hpp"

#include "store/verbs/tasks/decide_task.hpp"
#include "workflow/task/invariants.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace steadfast::store {

namespace {

replacement stays(const workflow::task& there) {
  return {submitted_before({}, &there)};
}

replacement cannot(std::string why) {
  return {turned_down(write_status::refused, std::move(why))};
}

/// When the task begins now. Of a debounced one each submission puts that off, until it has waited long enough.
workflow::instant beginning_of(const submit_task& w, const workflow::task& there) {
  if (w.what.debounce == workflow::span{0})
    return w.what.not_before;
  const auto latest = there.submitted_at + workflow::debounces_max * w.what.debounce;
  return std::max(w.what.not_before, std::min(w.now + w.what.debounce, latest));
}

/// Many in a row are one line of the story.
void note_replacement(workflow::task& t, workflow::instant now) {
  const bool again = !t.acts.empty() && t.acts.back().what == replace_act;
  if (again) {
    t.acts.back().at = now;
    return;
  }
  if (t.acts.size() == workflow::acts_max)
    t.acts.erase(t.acts.begin());
  t.acts.push_back({now, by_submission, replace_act, {}});
}

} // namespace

std::optional<decision> refused_as_there(const submit_task& w) {
  if (w.what.conflict != workflow::on_conflict::refuse)
    return std::nullopt;
  return turned_down(write_status::refused, "there is a task " + workflow::quoted(w.what.id) + " already");
}

answer<submit_task> submitted_again(const submit_task& w, std::optional<decision> conflict,
                                    const workflow::task* there) {
  if (conflict && (there == nullptr || !was_replaced(*there) || !says_the_same(w, *there)))
    return *std::move(conflict);
  return submitted_before(w, there);
}

bool has_begun(const workflow::task& t) {
  return t.state != workflow::process_state::pending || t.limit->is_under_way || t.generation > 1
         || std::any_of(t.steps.begin(), t.steps.end(), [](const auto& s) { return s != workflow::step{}; });
}

bool says_the_same(const submit_task& w, const workflow::task& there) {
  auto s = w.what;
  s.version = there.version;
  workflow::submission now;
  now.workflow = there.workflow;
  now.version = there.version;
  now.content_type = there.content_type;
  now.payload = there.payload;
  return (w.what.version == 0 || w.what.version == there.version) && digest_of(s) == digest_of(now);
}

bool was_replaced(const workflow::task& t) {
  return std::any_of(t.acts.begin(), t.acts.end(), [](const workflow::act& a) { return a.what == replace_act; });
}

replacement decide_replacement(const submit_task& w, const workflow::task& there, const known_workflow& of) {
  const auto& d = *of.definition;
  const auto id = workflow::quoted(there.id);
  const bool is_same = says_the_same(w, there);
  if (has_begun(there))
    return is_same ? stays(there)
                   : cannot("the task " + id + " has begun, it is " + std::string{workflow::to_string(there.state)}
                            + ": a task that has begun cannot be replaced");
  if (w.what.workflow != there.workflow || (w.what.version != 0 && w.what.version != there.version))
    return cannot("the task " + id + " is of workflow " + there.workflow + " version " + std::to_string(there.version)
                  + ", and can only be replaced by one of the same");
  if (!there.parent.empty())
    return cannot("the task " + id + " was started by a step of another task");
  if (auto why = problem_of_payload(w.what.payload.view(), of); !why.empty())
    return cannot(std::move(why));
  if (auto why = problem_of_partition(there.id, w.what.payload.view(), d, of.partitions); !why.empty())
    return cannot(std::move(why));
  auto what = w.what;
  what.not_before = beginning_of(w, there);
  what.debounce = workflow::span{0};
  const auto made = workflow::make_task(what, d, w.now);
  const bool begins_then =
    what.not_before == there.not_before || (made.not_before == workflow::unset && there.not_before <= w.now);
  if (is_same && made.priority == there.priority && begins_then)
    return stays(there);
  auto next = there;
  next.payload = made.payload;
  next.content_type = made.content_type;
  next.priority = made.priority;
  next.not_before = made.not_before;
  next.complete_by = made.complete_by;
  if (!made.limit.empty())
    next.limit.change().key = made.limit->key;
  note_replacement(next, w.now);
  if (const auto broken = workflow::broken_invariants(next, d); !broken.empty())
    return cannot("the task would be broken: " + broken.front());
  replacement r{submitted_before(w, &next), std::move(next)};
  r.said.why = "replaced";
  return r;
}

} // namespace steadfast::store
