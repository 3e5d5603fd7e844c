#include "simulation/run/people.hpp"

#include "actors/protocol/messages.hpp"
#include "simulation/world/documents.hpp"

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
    m.document = sample_payload(*d, chance_);
  cluster_.act(m);
}

/// In some runs people act in haste on tasks of one family, each on what the others have just acted on.
void people::plan_next_hasty_act() {
  world_.in(luck_of_hasty_.between(50ms, 4s), [this] {
    if (is_over_)
      return;
    act_on_some_family();
    plan_next_hasty_act();
  });
}

void people::act_on_some_family() {
  std::vector<const workflow::task*> all;
  for (const auto& [number, t] : watch_.tasks())
    if (const auto* d = watch_.definition_of(t); d && (!t.parent.empty() || workflow::any_starts_child(*d)))
      all.push_back(&t);
  if (all.empty())
    return;
  constexpr std::array acts{task_act::retry,  task_act::retry,  task_act::retry,   task_act::undo, task_act::undo,
                            task_act::cancel, task_act::resume, task_act::suspend, task_act::skip};
  const auto& t = *all[luck_of_hasty_.below(all.size())];
  actors::act_on_task m{t.id, acts.at(luck_of_hasty_.below(acts.size())), {}, {}, false, "grace", "because"};
  if (m.act == task_act::skip)
    m.document = "{}";
  cluster_.act(m);
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
