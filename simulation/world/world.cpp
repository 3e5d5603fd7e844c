#include "simulation/world/world.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

namespace steadfast::simulation {

world::world(std::uint64_t seed, const wire_faults& wire) : chance_{seed}, wire_{wire} {}

world::~world() {
  end();
}

/// In two phases, since processes refer to each other.
void world::end() {
  script_.clear();
  for (auto& [number, p] : processes_)
    p->die();
  alive_.clear();
  processes_.clear();
}

void world::tell(const std::string& what) {
  for (const char c : what)
    take_into_hash(static_cast<unsigned char>(c));
  take_into_hash(static_cast<std::uint64_t>(now_.count()));
  if (on_step)
    on_step(now_, what);
}

template <class Words>
void world::tell(std::initializer_list<std::uint64_t> what, const Words& in_words) {
  for (const auto x : what)
    take_into_hash(x);
  take_into_hash(static_cast<std::uint64_t>(now_.count()));
  if (on_step)
    on_step(now_, in_words());
}

// ---- processes ----

process& world::start(const std::string& name, const clock_error& error) {
  const auto number = ++last_number_;
  tell("start " + name
       + (error.goes_on ? ", its clock goes on"
                        : ", its wall clock is ahead by " + std::to_string(error.wall.count()) + " ms"));
  auto made =
    std::make_unique<process>(number, name, error, begins_at_, now_, [this](packet p) { send(std::move(p)); });
  auto& p = *made;
  processes_[number] = std::move(made);
  alive_[name] = &p;
  return p;
}

process* world::find(const std::string& name) {
  const auto found = alive_.find(name);
  return found == alive_.end() ? nullptr : found->second;
}

void world::kill(const std::string& name, bool is_noticed_at_once) {
  auto* dead = find(name);
  if (!dead)
    return;
  tell("kill " + name);
  dead->die();
  alive_.erase(name);
  std::erase_if(on_its_way_, [&](const auto& p) { return p.second.to == dead->number(); });
  in(is_noticed_at_once ? workflow::span{1} : silence_max, [this, number = dead->number()] {
    for (const auto& [other, p] : alive_)
      p->disconnect(number);
  });
}

void world::freeze(const std::string& name, workflow::span time) {
  auto* p = find(name);
  if (!p)
    return;
  tell("freeze " + name + " for " + std::to_string(time.count()) + " ms");
  p->freeze_until(now_ + time);
  if (time < silence_max)
    return;
  in(silence_max, [this, name, number = p->number()] {
    auto* frozen = find(name);
    if (!frozen || frozen->number() != number || !frozen->is_frozen(now_))
      return;
    for (const auto& [other, other_process] : alive_)
      if (other != name)
        lose_connection(name, other);
  });
}

// ---- the wire ----

void world::cut(const std::string& from, const std::string& to) {
  if (!cuts_.insert({from, to}).second)
    return;
  if (!cuts_.contains({to, from}))
    reached(row::one_way_cut);
  const auto healed = healed_at_.find({from, to});
  if (healed != healed_at_.end() && now_ - healed->second < silence_max)
    reached(row::link_fails_again);
  tell("cut " + from + " -> " + to);
  in(silence_max, [this, from, to] {
    if (cuts_.contains({from, to}))
      lose_connection(from, to);
  });
}

void world::heal(const std::string& from, const std::string& to) {
  if (cuts_.erase({from, to}) == 0)
    return;
  healed_at_[{from, to}] = now_;
  tell("heal " + from + " -> " + to);
}

void world::heal_all() {
  tell("heal all");
  cuts_.clear();
}

bool world::is_reachable(const std::string& from, const std::string& to) {
  auto* p = find(to);
  return p && !p->is_frozen(now_) && !cuts_.contains({from, to}) && !cuts_.contains({to, from});
}

void world::lose_connection(const std::string& a, const std::string& b) {
  auto* x = find(a);
  auto* y = find(b);
  if (!x || !y)
    return;
  tell(a + " and " + b + " lose their connection");
  std::erase_if(on_its_way_, [&](const auto& p) {
    const auto& [when, what] = p;
    return (what.from == x->number() && what.to == y->number()) || (what.from == y->number() && what.to == x->number());
  });
  x->disconnect(y->number());
  y->disconnect(x->number());
}

void world::send(packet p) {
  const bool is_message = p.what == packet::kind::message;
  if (is_message && chance_.happens(wire_.lost_permille))
    return probe_loss(p);
  if (is_message && chance_.happens(wire_.doubled_permille)) {
    reached(row::message_doubled);
    put_on_the_way(p);
  }
  put_on_the_way(std::move(p));
}

void world::put_on_the_way(packet p) {
  const bool is_stalled = p.what == packet::kind::message && chance_.happens(wire_.stalled_permille);
  const auto delay = chance_.between(wire_.delay_min, wire_.delay_max);
  p.sequence = ++last_sequence_;
  p.sent_at = now_;
  on_its_way_.emplace(now_ + delay + (is_stalled ? wire_.stall : workflow::span{0}), std::move(p));
}

void world::probe_loss(const packet& p) {
  reached(row::message_lost);
  if (p.carries == cargo::submission)
    reached(row::submission_lost);
  if (p.carries == cargo::receipt)
    reached(row::acknowledgement_lost);
}

void world::probe_arrival(const packet& p) {
  auto& newest = arrived_[{p.from, p.to}];
  if (p.sequence < newest)
    reached(row::messages_reordered);
  newest = std::max(newest, p.sequence);
  if (p.carries == cargo::lease_answer && now_ - p.sent_at > ttl_)
    reached(row::renewal_answered_too_late);
}

bool world::is_order_on_its_way_to(const std::string& node) {
  const auto* p = find(node);
  return p && std::any_of(on_its_way_.begin(), on_its_way_.end(), [&](const auto& x) {
           return x.second.to == p->number() && x.second.carries == cargo::order;
         });
}

void world::deliver(packet p) {
  const auto from = processes_.find(p.from);
  const auto to = processes_.find(p.to);
  if (from == processes_.end() || to == processes_.end() || !to->second->is_alive()
      || cuts_.contains({from->second->name(), to->second->name()}))
    return;
  tell({p.from, p.to, p.receiver}, [&] {
    return "packet " + from->second->name() + " -> " + to->second->name() + " #" + std::to_string(p.receiver);
  });
  probe_arrival(p);
  if (p.what == packet::kind::message && chance_.happens(wire_.garbled_permille))
    p.bytes.resize(p.bytes.size() / 2);
  if (to->second->receive(p))
    return;
  reached(row::unreadable_message);
  lose_connection(from->second->name(), to->second->name());
}

// ---- steps ----

bool world::step(moment until) {
  ++steps_;
  ready_.clear();
  std::size_t all = 0;
  for (const auto& [name, p] : alive_) {
    ready_.emplace_back(p, p->count_ready(now_));
    all += ready_.back().second;
  }
  const auto due = static_cast<std::size_t>(std::distance(on_its_way_.begin(), on_its_way_.upper_bound(now_)));
  const auto choices = all + (due > 0 ? 1 : 0);
  if (choices == 0)
    return goes_on(until);
  auto pick = chance_.below(choices);
  if (pick < all) {
    auto at = ready_.begin();
    for (; pick >= at->second; ++at)
      pick -= at->second;
    auto& p = *at->first;
    const auto who = p.run(pick);
    if (who.has_thrown)
      complaints_.push_back("an exception ended the actor " + std::string{who.kind} + " of " + p.name());
    tell({p.number(), who.id}, [&] { return "run " + p.name() + "/" + who.kind + "#" + std::to_string(who.id); });
  } else {
    const auto i = std::next(on_its_way_.begin(), static_cast<std::ptrdiff_t>(chance_.below(due)));
    auto p = std::move(i->second);
    on_its_way_.erase(i);
    deliver(std::move(p));
  }
  return true;
}

/// Nothing is left to do now: on to the next packet, timer or entry of the script.
bool world::goes_on(moment until) {
  moment next = until + moment{1};
  if (!on_its_way_.empty())
    next = std::min(next, on_its_way_.begin()->first);
  process* whose = nullptr;
  for (const auto& [name, p] : alive_) {
    if (const auto due = p->next_timer(); due && *due < next) {
      next = *due;
      whose = p;
    }
  }
  const bool is_script = !script_.empty() && script_.begin()->first <= next;
  if (is_script)
    next = script_.begin()->first;
  const bool is_over = next > until;
  now_ = std::max(now_, is_over ? until : next);
  for (const auto& [name, p] : alive_)
    p->set_time(now_);
  if (is_over)
    return false;
  if (is_script) {
    const auto what = std::move(script_.begin()->second);
    script_.erase(script_.begin());
    what();
  } else if (whose) {
    tell({whose->number()}, [&] { return "timer of " + whose->name(); });
    whose->trigger_timer();
  }
  return true;
}

} // namespace steadfast::simulation
