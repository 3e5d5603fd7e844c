// The requests of clients and people to a simulated cluster.

#include "actors/protocol/type_ids.hpp"
#include "simulation/run/cluster.hpp"
#include "simulation/world/documents.hpp"
#include "store/contract/options.hpp"
#include "store/records/record.hpp"
#include "workflow/task/partition.hpp"

#include <caf/event_based_actor.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace steadfast::simulation {

using namespace std::chrono_literals;

namespace {

constexpr workflow::span ask_limit{20'000};
constexpr workflow::span ask_again{2000};

/// Of its payload.
bool needs_a_member(const workflow::definition& d) {
  return std::any_of(d.steps.begin(), d.steps.end(), [](const auto& s) {
    return std::any_of(s.input.begin(), s.input.end(), [](const auto& m) {
      return !m.optional && m.value.from == workflow::source::kind::payload && !m.value.pointer.empty();
    });
  });
}

} // namespace

// ---- clients ----

void cluster::submit(const std::string& id, const workflow::definition& d, bool at_once) {
  note(script::happening::kind::submit, id, d.name);
  submitted_.insert(id);
  workflow::submission s;
  s.id = id;
  s.workflow = d.name;
  s.payload = workflow::blob{sample_payload_for(id, d, world_.chance())};
  if (world_.chance().happens(300))
    s.reply_to = observer::name;
  if (shape_.with_people)
    draw_wishes(s, at_once);
  said_[id] = s;
  ask_to_submit(s);
  plan_what_is_told(s, d);
  if (world_.chance().happens(50)) { // another client that submits the same in other words
    s.payload = workflow::blob{respelled(std::string{s.payload.view()})};
    ask_to_submit(s);
  }
}

std::string cluster::sample_payload_for(const std::string& id, const workflow::definition& d, chance& draw) const {
  return sample_payload(d, draw, shape_.workflows, limit_key_for(id));
}

/// Tasks that a limit counts together are in one partition; empty: their key can be any.
std::string cluster::limit_key_for(const std::string& id) const {
  return shape_.partitions > 1 ? std::string{workflow::partition_key(id)} : std::string{};
}

/// When it should begin, and before which others.
void cluster::draw_wishes(workflow::submission& s, bool at_once) {
  if (people_chance_.happens(300))
    s.priority = static_cast<std::uint8_t>(people_chance_.below(10));
  const auto now = clock_now(workflow::partition_of(s.id, shape_.partitions));
  if (people_chance_.happens(100) && now != workflow::unset && !at_once)
    s.not_before = now + people_chance_.between(0ms, 60s);
}

void cluster::submit_again(const std::string& id) {
  if (left_.erase(id) == 0)
    return;
  acknowledged_.erase(id);
  world_.tell(id + " is submitted again");
  ask_to_submit(said_.at(id));
}

void cluster::submit_wrongly(chance& luck) {
  const auto kind = luck.below(10);
  if (said_.empty())
    return;
  auto s = std::next(said_.begin(), static_cast<std::ptrdiff_t>(luck.below(said_.size())))->second;
  const auto* node = some_node();
  const bool is_known = acknowledged_.contains(s.id) && workflow::keeps_all(shape_.keep);
  const auto d =
    std::find_if(shape_.workflows.begin(), shape_.workflows.end(), [&](const auto& x) { return x.name == s.workflow; });
  if (!node || (kind > 1 && kind < 7 && !is_known) || (kind >= 7 && !needs_a_member(*d)))
    return;
  if (kind < 7 && kind > 1) {
    s.payload = workflow::blob{R"({"another": "body"})"};
  } else {
    s.id = "wrong-" + s.id;
    s.payload = workflow::blob{kind > 1 ? std::string{"{}"}
                                        : '"' + std::string(store::store_options{}.payload_size_max, 'x') + '"'};
  }
  world_.tell("a wrong submission of " + s.id);
  world_.find(node->name)->system().spawn([this, s, gateway = node->gateway](caf::event_based_actor* self) {
    actors::ask(self, gateway, ask_limit, actors::boxed<workflow::submission>{s})
      .then(
        [this](const actors::receipt& r) {
          if (r.result == store::write_status::applied)
            watch_.complain(r.id + " was accepted with a body that it must not have (P2, P3)");
        },
        [](const caf::error&) {});
  });
}

std::vector<submission_call> cluster::forget_submissions_of(const workflow::task& t) {
  left_.insert(t.id);
  left_once_.insert(t.id);
  gone_.insert(t.number);
  return std::exchange(submissions_[t.id], {});
}

const node_parts* cluster::some_node() {
  const auto found = parts_.find(names_[world_.chance().below(names_.size())]);
  return found == parts_.end() ? nullptr : &found->second;
}

void cluster::act(const actors::act_on_task& m) {
  note(script::happening::kind::act, m.id, std::string{to_string(m.act)}, {}, 0, m.new_key);
  const auto* node = some_node();
  if (!node)
    return;
  world_.find(node->name)->system().spawn([this, m, gateway = node->gateway](caf::event_based_actor* self) {
    actors::ask(self, gateway, ask_limit, m)
      .then([this, id = m.id](const actors::act_result& r) { on_acted(id, r.done); }, [](const caf::error&) {});
  });
}

/// Its story contains each act that was done.
void cluster::on_acted(const std::string& id, bool is_done) {
  const auto* there = partition_with(id);
  if (!is_done || !there)
    return;
  const auto t = there->find(id);
  auto& acts = t ? acts_done_[t->number] : acts_done_[0];
  if (t && t->acts.size() < ++acts && t->acts.size() < workflow::acts_max)
    watch_.complain(id + " does not tell of each of " + std::to_string(acts) + " acts of persons (P33)");
}

void cluster::hold_circuit(const std::string& node, const std::string& agent, bool open) {
  const auto found = parts_.find(node);
  if (found == parts_.end() || !found->second.agents.contains(agent))
    return;
  world_.tell("the circuit of " + agent + " of " + node + (open ? " is held open" : " is closed"));
  auto* p = world_.find(node);
  auto& closing = closing_[{p->number(), agent}];
  const bool is_sure = open && closing == 0; // otherwise the one before may be done after this one
  const auto hold = ++holds_;
  if (open) {
    to_hold_[{node, agent}] = hold;
  } else {
    ++closing;
    if (to_hold_.erase({node, agent}) > 0)
      services_.let_through(node, agent);
  }
  p->system().spawn([this, node, agent, open, hold, is_sure, life = p->number(),
                     to = found->second.agents.at(agent)](caf::event_based_actor* self) {
    const auto close = [this, open, life, agent] { closing_[{life, agent}] -= open ? 0 : 1; };
    actors::ask(self, to, ask_limit, actors::set_circuit{open, "grace", "because"})
      .then(
        [this, node, agent, hold, is_sure, life, close](const actors::agent_view&) {
          close();
          const auto* now = world_.find(node);
          const auto known = to_hold_.find({node, agent});
          if (is_sure && now && now->number() == life && known != to_hold_.end() && known->second == hold)
            services_.hold_back(node, agent);
        },
        [](const caf::error&) {}); // then nobody knows
  });
}

void cluster::drain(const std::string& node) {
  const auto found = parts_.find(node);
  if (found == parts_.end())
    return;
  world_.tell("drain " + node);
  drained_at_[node] = world_.now();
  world_.find(node)->system().spawn([front = found->second.front](caf::event_based_actor* self) {
    actors::tell(self, front, actors::drain_node{10s});
  });
}

void cluster::expect_not_drained(const workflow::task& claimed) {
  const auto since = drained_at_.find(claimed.locked_by);
  if (since != drained_at_.end() && world_.now() - since->second > 60s)
    watch_.complain(claimed.id + " was taken by " + claimed.locked_by + ", which was drained a minute before");
}

void cluster::write(store::write what) {
  const auto* node = some_node();
  if (!node)
    return;
  actors::write_request r;
  r.what = actors::boxed<store::write>{std::move(what)};
  actors::write_requests m{{std::move(r)}};
  world_.find(node->name)->system().spawn([m, store_actor = node->store_actor](caf::event_based_actor* self) {
    actors::tell(self, store_actor, m);
  });
}

void cluster::stop_bulk_act() {
  if (!has_store())
    return;
  const auto open = store().bulk_acts(true, std::nullopt, 1).acts;
  if (!open.empty())
    write(store::stop_bulk{open.front().number, "grace", "because", clock_now()});
}

void cluster::act_on_all(actors::task_act what) {
  store::start_bulk begun;
  begun.what.act = what;
  begun.what.who = "grace";
  begun.what.why = "because";
  begun.what.filter = store::encode(store::task_filter{});
  write(std::move(begun));
}

/// If there is no good answer by then, it asks again, at any node.
void cluster::ask_to_submit(const workflow::submission& s) {
  if (acknowledged_.contains(s.id))
    return;
  world_.in(ask_limit + ask_again, [this, s] { ask_to_submit(s); });
  const auto* node = some_node();
  if (!node)
    return;
  submit_at(*node, s);
}

void cluster::submit_at(const node_parts& node, const workflow::submission& s) {
  auto& calls = submissions_[s.id];
  const auto place = calls.size();
  calls.push_back({++asked_and_answered_});
  world_.find(node.name)->system().spawn([this, s, place, gateway = node.gateway](caf::event_based_actor* self) {
    actors::ask(self, gateway, ask_limit, actors::boxed<workflow::submission>{s})
      .then(
        [this, id = s.id, place](const actors::receipt& r) {
          if (r.result == store::write_status::applied && !gone_.contains(r.number)) {
            if (auto& all = submissions_[id]; place < all.size()) { // otherwise it is about a task that has left
              all[place].answered = ++asked_and_answered_;
              all[place].is_created = r.created;
            }
            acknowledge(id);
          }
          if (r.result == store::write_status::refused)
            watch_.on_refused(id, r.why);
        },
        [](const caf::error&) {});
  });
}

void cluster::acknowledge(const std::string& id) {
  acknowledged_.insert(id);
  if (const auto* there = partition_with(id); there && !left_.contains(id))
    watch_.on_acknowledged(id, there->find(id));
}

void cluster::listen() {
  if (const auto* node = some_node())
    observer_.listen(world_.find(node->name)->system(), node->gateway);
}

} // namespace steadfast::simulation
