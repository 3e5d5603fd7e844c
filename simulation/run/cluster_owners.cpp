// A store that moves from node to node, as one on PostgreSQL does, partition by partition if it has several. The row
// that says who has a partition is here; the files are what the server keeps, and who has the partition has them open.
// Who lost it commits nothing more: his files are closed.

#include "actors/protocol/speak.hpp"
#include "simulation/run/cluster.hpp"
#include "store/joined/joined_store.hpp"
#include "workflow/supervision/shares.hpp"

#include <algorithm>
#include <chrono>

namespace steadfast::simulation {

namespace {

using namespace std::chrono_literals;

constexpr workflow::span store_lease{5000};
constexpr workflow::span between_looks = store_lease / 10;
constexpr workflow::span balances_each{2000};
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

/// How many partitions each of them has, as the server sees it: also of one that is frozen, and not of one that lets
/// others first.
std::vector<std::uint32_t> cluster::shares_of_waiting(std::uint32_t partition, const std::string& others_than) {
  std::vector<std::uint32_t> shares;
  for (const auto& [name, parts] : parts_) {
    const auto own = parts.own->get();
    const bool waits = is_up(name) && !own.partitions[partition].store;
    if (name != others_than && waits && !drained_at_.contains(name) && !leaving_.contains(name))
      shares.push_back(static_cast<std::uint32_t>(own.count()));
  }
  return shares;
}

/// `own`: how many it has.
bool cluster::may_take(const std::string& node, std::uint32_t partition, std::size_t own) {
  auto& s = seats_[partition];
  if (!shape_.store_moves)
    return node == s.owner;
  if (leaving_.contains(node) || giving_.contains(node))
    return false;
  const bool is_free =
    s.holder.empty() ? !drained_at_.contains(node) || !is_awaited(node) : world_.now() - s.seen_alive >= store_lease;
  auto& looks = s.left_to_others[node];
  if (is_free && workflow::may_take_share(static_cast<std::uint32_t>(own), shares_of_waiting(partition, node), looks))
    return true;
  looks = is_free ? looks + 1 : 0;
  return false;
}

/// Another has it, and the node does not know.
bool cluster::has_lost_one(const std::string& node) const {
  const auto own = parts_.at(node).own->get();
  for (std::size_t i = 0; i < own.partitions.size(); ++i)
    if (own.partitions[i].store && seats_[i].holder != node)
      return true;
  return false;
}

/// Whoever had it before may not know yet.
std::shared_ptr<disk> cluster::open_as_owner(const std::string& node, std::uint32_t partition) {
  auto& s = seats_[partition];
  if (s.disk)
    s.disk->close();
  if (s.owner != node) {
    world_.reached(row::store_moves);
    const auto stays = [](const seat& x) { return x.disk && x.disk->is_open(); };
    if (std::any_of(seats_.begin(), seats_.end(), stays)) // its own is closed
      world_.reached(row::partition_moves);
  }
  s.owner = s.holder = node;
  s.seen_alive = world_.now();
  s.left_to_others.clear();
  s.disk = try_open_disk(node, partition);
  join_seats();
  return s.disk;
}

void cluster::join_seats() {
  std::vector<std::shared_ptr<store::local_store>> all;
  for (const auto& s : seats_)
    all.push_back(s.disk);
  const bool has_all = std::all_of(all.begin(), all.end(), [](const auto& d) { return d != nullptr; });
  whole_ = has_all ? store::as_one(std::move(all)) : nullptr;
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
  for (std::uint32_t i = 0; i < shape_.partitions; ++i) {
    const auto own = parts.own->get();
    auto& s = seats_[i];
    if (own.partitions[i].store) {
      if (s.holder == node)
        s.seen_alive = world_.now();
    } else if (may_take(node, i, own.count())) {
      take(p, i);
    } else if (!s.holder.empty() && s.holder != node) {
      actors::tell_from_outside(parts.membership, actors::store_moved{s.holder, address_of(s.holder), {}, i});
    }
  }
  let_go_some(p);
}

/// To those who have fewer, one at a time, or to anybody when the node is drained. As store_follower does it.
void cluster::let_go_some(process& p) {
  const auto& node = p.name();
  if (giving_.contains(node))
    return;
  if (drained_at_.contains(node))
    return is_awaited(node) ? give_all(node, p.number(), [] {}) : void();
  const auto own = parts_.at(node).own->get();
  if (own.count() < 2 || world_.now() < balanced_at_[node] + balances_each)
    return;
  for (auto i = shape_.partitions; i-- > 0;)
    if (own.partitions[i].store) {
      if (workflow::should_let_go(static_cast<std::uint32_t>(own.count()), shares_of_waiting(i, node)))
        return give(p, i, [] {});
      break; // who waits for one waits for all that he has not
    }
  balanced_at_[node] = world_.now();
}

std::string cluster::name_of(std::uint32_t partition) const {
  return seats_.size() == 1 ? "the store" : "partition " + std::to_string(partition);
}

void cluster::take(process& p, std::uint32_t partition) {
  const auto node = p.name();
  world_.tell(node + " takes " + name_of(partition));
  disturb(0ms);
  ++partitions_taken_;
  node_surroundings with{p.system()};
  const auto opened = open_as_owner(node, partition);
  with.store = opened;
  with.files = opened;
  with.partition_count = shape_.partitions;
  with.detached = false;
  with.on_fatal = on_fatal_of(node);
  auto& parts = parts_.at(node);
  take_partition(options_of(node), std::move(with), parts, partition);
  for (const auto& part : all_of(parts.own->get()))
    p.keep(part.actor);
}

/// `then`: it is let go, or was lost meanwhile.
void cluster::give(process& p, std::uint32_t partition, std::function<void()> then) {
  const auto node = p.name();
  auto& parts = parts_.at(node);
  if (!parts.own->get().partitions[partition].store || !giving_.insert(node).second)
    return then();
  world_.tell(node + " lets " + name_of(partition) + " go");
  disturb(0ms);
  const auto others = std::make_shared<std::vector<node_part>>();
  *others = empty_partition(p.system(), parts, partition,
                            [this, node, partition, life = p.number(), others, then = std::move(then)] {
                              const auto* now = world_.find(node);
                              if (!now || now->number() != life)
                                return;
                              if (auto& s = seats_[partition]; s.holder == node) {
                                s.holder.clear();
                                s.disk->close();
                              }
                              close_partition(parts_.at(node), partition, *others);
                              giving_.erase(node);
                              then();
                            });
}

/// The first one last: with it turns move, too.
void cluster::give_all(const std::string& node, std::uint32_t life, const std::function<void()>& then) {
  auto* p = world_.find(node);
  if (!p || p->number() != life)
    return;
  const auto own = parts_.at(node).own->get();
  if (own.count() > 0 && giving_.contains(node)) // it lets one go to another who has fewer
    return world_.in(between_looks, [this, node, life, then] { give_all(node, life, then); });
  for (auto i = shape_.partitions; i-- > 0;)
    if (own.partitions[i].store)
      return give(*p, i, [this, node, life, then] { give_all(node, life, then); });
  then();
}

void cluster::hand_over_and_then(const std::string& node, const std::function<void()>& end) {
  auto* p = world_.find(node);
  const auto has_ended = std::make_shared<bool>(false);
  const auto once = [has_ended, end] {
    if (!std::exchange(*has_ended, true))
      end();
  };
  if (!p || !shape_.store_moves || !is_awaited(node) || parts_.at(node).own->get().count() == 0)
    return once();
  give_all(node, p->number(), once);
  world_.in(move_limit, once);
}

} // namespace steadfast::simulation
