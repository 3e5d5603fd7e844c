#include "simulation/run/people.hpp"

#include "actors/protocol/messages.hpp"

#include <array>
#include <iterator>
#include <vector>

namespace steadfast::simulation {

using namespace std::chrono_literals;
using actors::task_act;

void people::begin() {
  plan_next_act();
  plan_next_operation();
  plan_next_wrong_submission();
  if (luck_of_hasty_.happens(200))
    plan_next_hasty_act();
}

void people::end() {
  is_over_ = true;
  for (const auto& [node, agent] : held_) // requests to a frozen node may have arrived in another order
    world_.in(1min, [this, node = node, agent = agent] { cluster_.hold_circuit(node, agent, false); });
}

void people::on_left(const std::string& id) {
  if (!is_over_ && chance_.happens(500))
    world_.in(chance_.between(1s, 1min), [this, id] { cluster_.submit_again(id); });
}

/// Usually one that is under way.
const workflow::task* people::some_task() {
  std::vector<const workflow::task*> all;
  const bool must_be_open = chance_.happens(800);
  for (const auto& [number, t] : watch_.tasks())
    if (!must_be_open || workflow::has_open_attempt(t))
      all.push_back(&t);
  return all.empty() ? nullptr : all[chance_.below(all.size())];
}

void people::plan_next_act() {
  world_.in(chance_.between(1s, 1min), [this] {
    if (is_over_)
      return;
    if (chance_.below(30) == 0) {
      constexpr std::array acts{task_act::retry, task_act::undo, task_act::cancel, task_act::suspend, task_act::resume};
      cluster_.act_on_all(acts.at(chance_.below(acts.size())));
      if (luck_of_wrong_.happens(300))
        world_.in(luck_of_wrong_.between(5ms, 300ms), [this] { cluster_.stop_bulk_act(); });
    } else {
      act_on_some_task();
    }
    plan_next_act();
  });
}

void people::act_on_some_task() {
  constexpr std::array acts{task_act::retry,   task_act::undo,   task_act::cancel, task_act::suspend, task_act::resume,
                            task_act::suspend, task_act::resume, task_act::skip,   task_act::edit,    task_act::retry};
  const auto* t = some_task();
  const auto* d = t ? watch_.definition_of(*t) : nullptr;
  if (!d)
    return;
  actors::act_on_task m{t->id, acts.at(chance_.below(acts.size())), {}, {}, false, "grace", "because"};
  if (m.act == task_act::retry)
    m.new_key = chance_.happens(300);
  if (m.act == task_act::skip)
    m.document = "{}";
  if (m.act == task_act::edit)
    m.document = cluster_.sample_payload_for(t->id, *d, chance_);
  cluster_.act(m);
}

/// In some runs people act in haste, several times on a task or on the tasks that it has started.
void people::plan_next_hasty_act() {
  world_.in(luck_of_hasty_.between(50ms, 3s), [this] {
    if (is_over_)
      return;
    act_in_haste();
    plan_next_hasty_act();
  });
}

void people::act_in_haste() {
  if (hasty_acts_left_ == 0) {
    const auto* t = some_task_for_haste();
    hasty_about_ = t ? t->id : std::string{};
    hasty_acts_left_ = 5 + luck_of_hasty_.below(15);
  }
  --hasty_acts_left_;
  const auto* const t = one_of_family_in_haste();
  const auto* const d = t ? watch_.definition_of(*t) : nullptr;
  if (!d)
    return;
  constexpr std::array acts{task_act::retry,  task_act::retry,   task_act::undo,    task_act::cancel, task_act::resume,
                            task_act::resume, task_act::suspend, task_act::suspend, task_act::skip,   task_act::skip};
  actors::act_on_task m{t->id, acts.at(luck_of_hasty_.below(acts.size())), {}, {}, false, "grace", "because"};
  if (m.act == task_act::skip)
    m.document = "{}";
  if ((m.act == task_act::skip || m.act == task_act::retry) && luck_of_hasty_.happens(700))
    m.step = d->steps[luck_of_hasty_.below(d->steps.size())].name;
  cluster_.act(m);
}

const workflow::task* people::some_task_for_haste() {
  std::vector<const workflow::task*> all;
  const bool may_have_ended = luck_of_hasty_.happens(200);
  for (const auto& [number, t] : watch_.tasks())
    if (may_have_ended || !workflow::has_ended(t))
      all.push_back(&t);
  return all.empty() ? nullptr : all[luck_of_hasty_.below(all.size())];
}

/// The task itself, or one that it has started.
const workflow::task* people::one_of_family_in_haste() {
  std::vector<const workflow::task*> all;
  for (const auto& [number, t] : watch_.tasks())
    if (t.id == hasty_about_ || t.id.starts_with(hasty_about_ + "/"))
      all.push_back(&t);
  if (all.empty())
    return nullptr;
  return luck_of_hasty_.happens(500) ? all.front() : all[luck_of_hasty_.below(all.size())];
}

void people::plan_next_wrong_submission() {
  world_.in(luck_of_wrong_.between(20s, 5min), [this] {
    if (is_over_)
      return;
    cluster_.submit_wrongly(luck_of_wrong_);
    plan_next_wrong_submission();
  });
}

void people::plan_next_operation() {
  world_.in(chance_.between(20s, 4min), [this] {
    if (is_over_)
      return;
    operate();
    plan_next_operation();
  });
}

void people::operate() {
  const auto node = cluster_.names()[chance_.below(cluster_.names().size())];
  const auto what = chance_.below(4);
  if (what == 0) { // drained, and started again
    cluster_.drain(node);
    const auto time = chance_.between(20s, 100s);
    world_.in(time, [this, node] {
      if (cluster_.is_drained(node))
        cluster_.stop(node);
    });
    return world_.in(time + 2s, [this, node] { cluster_.start(node); });
  }
  if (what == 1)
    return cluster_.hang(node, "lease_actor", chance_.between(5s, 90s));
  const auto& homes = cluster_.homes();
  if (homes.empty())
    return;
  const auto agent = std::next(homes.begin(), static_cast<std::ptrdiff_t>(chance_.below(homes.size())))->first;
  held_.insert({node, agent});
  cluster_.hold_circuit(node, agent, true);
  world_.in(chance_.between(2s, 40s), [this, node, agent] { cluster_.hold_circuit(node, agent, false); });
}

} // namespace steadfast::simulation
