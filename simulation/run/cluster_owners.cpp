// A store that moves from node to node, as one on PostgreSQL does. The row that says who has it is here; the files are
// what the server keeps, and who has the store has them open. Who lost it commits nothing more: his files are closed.

#include "actors/protocol/speak.hpp"
#include "simulation/run/cluster.hpp"

#include <algorithm>
#include <chrono>

namespace steadfast::simulation {

namespace {

using namespace std::chrono_literals;

constexpr workflow::span store_lease{5000};
constexpr workflow::span between_looks = store_lease / 10;
constexpr workflow::span move_limit{2000}; ///< for a node that is told to end, to hand the store over

std::string address_of(const std::string& node) {
  return node + ":1";
}

} // namespace

bool cluster::is_well(const std::string& node) {
  const auto* p = world_.find(node);
  return p && !p->is_frozen(world_.now());
}

bool cluster::is_awaited(const std::string& by_others_than) {
  return std::any_of(names_.begin(), names_.end(), [&](const auto& name) {
    return name != by_others_than && is_well(name) && !drained_at_.contains(name) && !leaving_.contains(name);
  });
}

bool cluster::may_take(const std::string& node) {
  if (!shape_.store_moves)
    return node == owner_;
  if (leaving_.contains(node) || giving_.contains(node))
    return false;
  if (row_.holder.empty())
    return !drained_at_.contains(node) || !is_awaited(node);
  return world_.now() - row_.seen_alive >= store_lease;
}

/// Whoever had it before may not know yet.
std::shared_ptr<disk> cluster::open_as_owner(const std::string& node) {
  if (disk_)
    disk_->close();
  if (owner_ != node)
    world_.reached(row::store_moves);
  owner_ = row_.holder = node;
  row_.seen_alive = world_.now();
  return disk_ = try_open_disk(node);
}

/// What the thread of a node does that follows the store.
void cluster::follow(const std::string& node, std::uint32_t life) {
  world_.in(between_looks, [this, node, life] {
    auto* p = world_.find(node);
    if (!p || p->number() != life)
      return;
    if (!p->is_frozen(world_.now()))
      look(*p);
    follow(node, life);
  });
}

void cluster::look(process& p) {
  const auto& node = p.name();
  auto& parts = parts_.at(node);
  if (parts.own->get().store) {
    if (row_.holder == node)
      row_.seen_alive = world_.now();
    if (drained_at_.contains(node) && is_awaited(node))
      give(p, [] {});
    return;
  }
  if (may_take(node))
    return take(p);
  if (!row_.holder.empty() && row_.holder != node)
    actors::tell_from_outside(parts.membership, actors::store_moved{row_.holder, address_of(row_.holder)});
}

void cluster::take(process& p) {
  const auto node = p.name();
  world_.tell(node + " takes the store");
  disturb(0ms);
  node_surroundings with{p.system()};
  const auto opened = open_as_owner(node);
  with.store = opened;
  with.files = opened;
  with.detached = false;
  with.on_fatal = on_fatal_of(node);
  auto& parts = parts_.at(node);
  take_partition(options_of(node), std::move(with), parts, 0);
  for (const auto& part : all_of(parts.own->get()))
    p.keep(part.actor);
}

/// `then`: it is let go, or was lost meanwhile.
void cluster::give(process& p, std::function<void()> then) {
  const auto node = p.name();
  auto& parts = parts_.at(node);
  if (!parts.own->get().store || !giving_.insert(node).second)
    return then();
  world_.tell(node + " lets the store go");
  disturb(0ms);
  const auto others = std::make_shared<std::vector<node_part>>();
  *others = empty_partition(p.system(), parts, 0, [this, node, life = p.number(), others, then = std::move(then)] {
    const auto* now = world_.find(node);
    if (!now || now->number() != life)
      return;
    if (row_.holder == node) {
      row_.holder.clear();
      disk_->close();
    }
    close_partition(parts_.at(node), 0, *others);
    giving_.erase(node);
    then();
  });
}

void cluster::hand_over_and_then(const std::string& node, const std::function<void()>& end) {
  auto* p = world_.find(node);
  const auto has_ended = std::make_shared<bool>(false);
  const auto once = [has_ended, end] {
    if (!std::exchange(*has_ended, true))
      end();
  };
  if (!p || !shape_.store_moves || !is_awaited(node) || !parts_.at(node).own->get().store)
    return once();
  give(*p, once);
  world_.in(move_limit, once);
}

} // namespace steadfast::simulation
