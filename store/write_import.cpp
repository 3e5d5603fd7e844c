// Takes in tasks of other stores. What they say is checked as if anybody had written it.

#include "store/write_batch.hpp"

#include "workflow/task/invariants.hpp"
#include "workflow/transition/transition.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace steadfast::store {

namespace {

workflow::submission submission_of(const workflow::task& t) {
  workflow::submission s;
  s.id = t.id;
  s.workflow = t.workflow;
  s.version = t.version;
  s.payload = t.payload;
  s.content_type = t.content_type;
  s.priority = t.priority;
  s.reply_to = t.reply_to;
  return s;
}

std::optional<std::string> problem_of(const exported_task& x, const store_options& limits) {
  auto wrong = workflow::problems(x.definition);
  if (wrong.empty())
    wrong = workflow::problems(submission_of(x.task), limits.payload_size_max);
  if (wrong.empty() && (x.task.workflow != x.definition.name || x.task.version != x.definition.version))
    wrong = {"it is of another workflow than the definition that came with it"};
  if (wrong.empty())
    wrong = workflow::broken_invariants(x.task, x.definition);
  for (const auto& s : x.task.steps)
    if (s.result.size() > limits.result_size_max)
      wrong.push_back("a result has " + std::to_string(s.result.size()) + " bytes, the limit is "
                      + std::to_string(limits.result_size_max));
  return wrong.empty() ? std::nullopt : std::optional{wrong.front()};
}

} // namespace

std::optional<decision> write_batch::cannot_import(const exported_task& x, workflow::instant now) {
  if (const auto wrong = problem_of(x, *settings_.options))
    return turned_down(verdict::refused, "the exported task cannot be believed: " + *wrong);
  if (ref_of(x.task.id))
    return turned_down(verdict::refused, "there is a task " + x.task.id + " in this store already");
  if (!has_room(x.task.payload.size()))
    return turned_down_full(now);
  return std::nullopt;
}

answer<import_task> write_batch::make(const import_task& w) {
  if (auto not_this = cannot_import(w.what, w.now))
    return *std::move(not_this);
  const auto& d = w.what.definition;
  if (auto registered = make(register_definition{d}); registered.result != verdict::applied)
    return decision{registered};

  auto t = w.what.task;
  t.number = count_.last_task + 1;
  t.revision = 1;
  std::vector<workflow::notice> notices;
  const workflow::event freed = workflow::lock_released{};
  const workflow::event rests = workflow::suspended{{w.who, "imported" + (w.why.empty() ? "" : ": " + w.why)}};
  for (const auto* e : {&freed, &rests})
    if (auto change = workflow::apply(t, d, *e, w.now); change.result == workflow::verdict::applied) {
      t = std::move(change.next);
      notices.insert(notices.end(), change.notices.begin(), change.notices.end());
    }
  put_new(t, see_.definition(d.name, d.version), w.what.digest);
  for (const auto& n : notices)
    put_notice(t, n);
  for (const auto& reply : w.what.late_replies)
    put_late_reply(t.number, t.id, reply);
  put_act(t.number, t.id, {w.who, "imported task `" + t.id + "`", w.why, w.now});

  answer<import_task> o = applied();
  o.created = true;
  o.number = t.number;
  o.state = t.state;
  return o;
}

} // namespace steadfast::store
