#include "store/verbs/tasks/decide_bulk.hpp"

#include "workflow/text/name.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::store {

namespace {

decision no_such_act(std::uint64_t number) {
  return turned_down(write_status::absent, "there is no bulk act with the number " + std::to_string(number));
}

workflow::bulk_act begun(const start_bulk& w, const known_bulk_acts& known) {
  workflow::bulk_act b;
  b.number = known.next_number;
  b.act = w.what.act;
  b.step = w.what.step;
  b.document = w.what.document;
  b.new_key = w.what.new_key;
  b.who = w.what.who;
  b.why = w.what.why;
  b.where = w.what.where;
  b.filter = w.what.filter;
  b.about = w.what.about;
  b.beyond = b.position = known.last_task + 1;
  b.started_at = w.now;
  return b;
}

} // namespace

begun_bulk decide(const start_bulk& w, const known_bulk_acts& known, const bulk_limits& limits) {
  if (const auto wrong = workflow::problems(w.what); !wrong.empty())
    return {{turned_down(write_status::refused, wrong.front())}, {}};
  const auto open = static_cast<std::size_t>(std::count_if(known.all.begin(), known.all.end(), workflow::is_open));
  if (open >= limits.open_max)
    return {
      {turned_down(write_status::refused, std::to_string(open)
                                            + " bulk acts are open, and bulk.open_max allows no more: wait for one to "
                                              "end, or stop one")},
      {}};
  begun_bulk d{{{applied(), {known.next_number}}, begun(w, known)}, {}};
  auto over = known.all.size() - open;
  for (const auto& b : known.all) // the newest one is never dropped, so a number is never given twice
    if (!workflow::is_open(b) && b.number != known.last_number
        && (over >= workflow::bulk_acts_kept || workflow::may_leave(b, limits.keep_for, w.now))) {
      d.leave.push_back(b.number);
      --over;
    }
  return d;
}

advanced_bulk decide(const advance_bulk& w, std::optional<workflow::bulk_act> there, std::size_t refusals_kept) {
  if (!there)
    return {{no_such_act(w.number)}, {}};
  advanced_bulk d{{applied(), std::move(there)}, {}};
  for (const auto& r : w.refused) {
    if (refusals_kept++ >= workflow::bulk_refusals_max)
      break;
    d.refusals.push_back({r.task_number, r.task_id, workflow::clipped(r.why, workflow::note_size_max)});
  }
  workflow::pass(*d.put, {w.position, w.is_last, w.refused.size(), w.skipped}, w.now);
  return d;
}

decided<stop_bulk, workflow::bulk_act> decide(const stop_bulk& w, std::optional<workflow::bulk_act> there) {
  if (!there)
    return {no_such_act(w.number)};
  if (!workflow::is_open(*there))
    return {turned_down(write_status::refused, "bulk act " + std::to_string(w.number) + " is already over")};
  workflow::stop(*there, w.who, w.why, w.now);
  return {applied(), std::move(there)};
}

std::optional<decision> not_for_bulk(std::uint64_t number, const workflow::bulk_act* there, std::uint64_t task) {
  if (there == nullptr || !workflow::has_yet_to_meet(*there, task))
    return turned_down(write_status::absent,
                       "bulk act " + std::to_string(number) + " is over, or has already met the task");
  return std::nullopt;
}

} // namespace steadfast::store
