#include "actors/supervising/schedule_watch.hpp"

#include "actors/common/one_write.hpp"
#include "actors/protocol/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <algorithm>

namespace steadfast::actors {

namespace {

constexpr std::uint32_t served_at_once = 100;
constexpr workflow::span hint_pause{1000};     ///< hints are of other things, too
constexpr workflow::span answer_limit{30'000}; ///< then the write is taken for lost, and made again

} // namespace

void schedule_watch::begin(const store::lease_guard& guard) {
  guard_ = guard;
  asked_at_ = looked_at_ = workflow::unset;
  ticket_ = 0;
  look_at(now());
}

void schedule_watch::learn(bool all_nodes_know) {
  const bool is_new = all_nodes_know && !all_know_;
  all_know_ = all_nodes_know;
  if (is_new)
    look_at(now());
}

void schedule_watch::hint() {
  again_ = true;
  look_at(std::max(now(), looked_at_ + hint_pause));
}

void schedule_watch::look_at(workflow::instant at) {
  next_at_ = at;
  if (guard_.epoch != 0)
    timer_.set<supervisor_actor>(self_, deps_.clock, at);
}

void schedule_watch::on_tick(const tick_timer& m) {
  if (timer_.fires<supervisor_actor>(self_, deps_.clock, m))
    look();
}

void schedule_watch::look() {
  if (guard_.epoch == 0 || !all_know_ || now() < next_at_)
    return;
  if (asked_at_ != workflow::unset && now() - asked_at_ < answer_limit)
    return;
  again_ = false;
  asked_at_ = looked_at_ = now();
  ticket_ = ticket_bit | ++last_ticket_;
  tell_one_write(self_, deps_.store, ticket_, store::fire_schedules{served_at_once, guard_, {}});
}

/// What the store does not take now is tried again: nothing is lost by that, for a moment is settled with its task.
void schedule_watch::on_written(const store::outcome& o) {
  asked_at_ = workflow::unset;
  ticket_ = 0;
  if (o.result != store::write_status::applied)
    return look_at(now() + deps_.options.period);
  const auto& r = o.as<store::schedule_result>();
  made_ += r.made;
  if (r.more && r.made > 0)
    return look_at(now());
  // A clock that is ahead of the store's must not ask all the time, and news may be lost.
  const auto soonest = now() + (r.more ? deps_.options.period : workflow::span{20});
  const auto next = std::clamp(r.next, soonest, now() + deps_.options.survey_period);
  look_at(again_ ? std::min(next, now() + hint_pause) : next);
}

} // namespace steadfast::actors
