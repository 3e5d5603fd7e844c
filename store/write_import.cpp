// Takes in tasks of other stores. What they say is checked as if anybody had written it.

#include "store/decide_task.hpp"
#include "store/write_batch.hpp"

#include <utility>

namespace steadfast::store {

std::optional<decision> write_batch::cannot_import(const import_task& w) {
  const auto& x = w.what;
  if (auto wrong = problem_of(w, *settings_.options))
    return wrong;
  if (ref_of(x.task.id))
    return turned_down(verdict::refused, "there is a task " + x.task.id + " in this store already");
  if (!has_room(x.task.payload.size()))
    return turned_down_full(w.now);
  return std::nullopt;
}

answer<import_task> write_batch::make(const import_task& w) {
  if (auto not_this = cannot_import(w))
    return *std::move(not_this);
  const auto& d = w.what.definition;
  if (auto registered = make(register_definition{d}); registered.result != verdict::applied)
    return decision{registered};

  const auto [t, notices] = taken_in(w, count_.last_task + 1);
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
