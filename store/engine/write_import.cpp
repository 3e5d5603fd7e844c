// Takes in tasks of other stores. What they say is checked as if anybody had written it.

#include "store/engine/write_batch.hpp"
#include "store/verbs/tasks/decide_task.hpp"
#include "store/verbs/tasks/new_task.hpp"

#include <utility>

namespace steadfast::store {

std::optional<decision> write_batch::cannot_import(const import_task& w) {
  const auto& x = w.what;
  if (auto wrong = problem_of(w, *settings_.options))
    return wrong;
  if (auto taken = conflict_of(w, ref_of(x.task.id).has_value()))
    return taken;
  if (!has_room(x.task.payload.size()))
    return turned_down_full(w.now);
  return std::nullopt;
}

answer<import_task> write_batch::make(const import_task& w) {
  if (auto not_this = cannot_import(w))
    return *std::move(not_this);
  const auto& d = w.what.definition;
  if (auto registered = make(register_definition{d}); registered.result != write_status::applied)
    return decision{registered};

  auto x = new_task_of(w, next_task_number(), see_.definition(d.name, d.version));
  put(x, w.what.digest);
  const auto& t = *x.task;
  for (const auto& reply : w.what.late_replies)
    put_late_reply(t.number, t.id, reply);
  answer<import_task> o = applied();
  let_take_events(o.others);
  put_act(act_of(w), {t.number, t.id});

  o.number = t.number;
  o.state = t.state;
  return o;
}

} // namespace steadfast::store
