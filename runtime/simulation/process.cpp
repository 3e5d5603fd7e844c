#include "runtime/simulation/process.hpp"

#include "actors/speak.hpp"
#include "actors/type_ids.hpp"

#include <caf/actor_proxy.hpp>
#include <caf/actor_registry.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/detail/sync_request_bouncer.hpp>
#include <caf/detail/test_actor_clock.hpp>
#include <caf/local_actor.hpp>
#include <caf/make_actor.hpp>
#include <caf/thread_hook.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace steadfast::simulation {

namespace {

/// True midnight of the run, and the reading of a right steady clock then: far from zero, so that it can be wrong.
constexpr workflow::instant midnight{std::chrono::milliseconds{1'767'225'600'000}};
constexpr moment steady_at_midnight = std::chrono::hours{1000};
constexpr std::uint8_t mark_of_simulation = 0x51;
constexpr int steps_to_end_max = 1'000'000;

caf::node_id node_id_of(std::uint32_t number) {
  caf::node_id::default_data::host_id_type host{};
  host[0] = mark_of_simulation;
  return caf::make_node_id(number, host);
}

/// Gives the system a node id of its own before anything is spawned; CAF has no setter.
class number_as_node_id : public caf::thread_hook {
public:
  explicit number_as_node_id(std::uint32_t number) : number_{number} {}
  void init(caf::actor_system& sys) override { const_cast<caf::node_id&>(sys.node()) = node_id_of(number_); }
  void thread_started() override {}
  void thread_terminates() override {}

private:
  std::uint32_t number_;
};

/// Reaches CAF's protected table of timers.
struct timer_table : caf::detail::test_actor_clock {
  static schedule_map& of(caf::detail::test_actor_clock& c) { return c.*(&timer_table::schedule_); }
};

moment with_drift(moment true_time, std::int64_t drift_permille) {
  return true_time + true_time * drift_permille / 1000;
}

/// The first true time at which the steady clock shows at least that much.
moment without_drift(moment shown, std::int64_t drift_permille) {
  const auto rate = 1000 + drift_permille;
  return (shown * 1000 + moment{rate - 1}) / rate;
}

caf::actor_clock::time_point steady(moment now, const clock_error& e) {
  return caf::actor_clock::time_point{std::chrono::duration_cast<caf::actor_clock::duration_type>(
    steady_at_midnight + with_drift(now, e.drift_permille))};
}

} // namespace

std::uint32_t number_of(const caf::node_id& id) {
  const auto* data = dynamic_cast<const caf::node_id::default_data*>(id.operator->());
  return data && data->host_id()[0] == mark_of_simulation ? data->process_id() : 0;
}

process::config::config(std::uint32_t number) {
  add_message_types<caf::id_block::steadfast>();
  set("scheduler.policy", caf::atom("testing"));
  add_thread_hook<number_as_node_id>(number);
}

namespace {

cargo cargo_of(const caf::message& m) {
  if (m.match_elements<actors::boxed<workflow::submission>>())
    return cargo::submission;
  if (m.match_elements<actors::receipt>())
    return cargo::receipt;
  if (m.match_elements<actors::step_order>())
    return cargo::order;
  if (m.match_elements<actors::attempt_report>())
    return cargo::report;
  if (!m.match_elements<actors::write_done>())
    return cargo::other;
  const auto& outcome = m.get_as<actors::write_done>(0).outcome;
  return outcome->number > 0 && outcome->revision == 0 ? cargo::lease_answer : cargo::other;
}

} // namespace

/// Stands for an actor of another process.
class process::proxy : public caf::actor_proxy {
public:
  proxy(caf::actor_config& cfg, process* home) : caf::actor_proxy{cfg}, home_{home} {}

  void enqueue(caf::mailbox_element_ptr what, caf::execution_unit*) override {
    if (is_dead_ || !home_->is_alive())
      return; // as CAF does: what is sent to one that is dead vanishes
    packet p;
    p.from = home_->number();
    p.to = number_of(node());
    p.receiver = id();
    p.message_id = what->mid.integer_value();
    if (what->sender) {
      p.sender = what->sender->id();
      if (what->sender->node() == home_->system_.node())
        home_->system_.registry().put(p.sender, what->sender);
    }
    caf::binary_serializer out{&home_->context_, p.bytes};
    auto content = what->move_content_to_message();
    p.carries = cargo_of(content);
    if (out(what->stages, content))
      throw std::logic_error{"a message between nodes cannot be written: " + caf::to_string(content)};
    home_->send_(p);
  }

  void kill_proxy(caf::execution_unit* where, caf::error why) override {
    is_dead_ = true;
    cleanup(std::move(why), where);
  }

private:
  process* home_;
  bool is_dead_ = false;
};

process::process(std::uint32_t number, std::string name, const clock_error& error, moment starts_at, send_packet send)
    : number_{number},
      name_{std::move(name)},
      error_{error},
      send_{std::move(send)},
      config_{number},
      system_{config_},
      proxies_{system_, *this},
      context_{&system_} {
  system_.await_actors_before_shutdown(false);
  context_.proxy_registry_ptr(&proxies_);
  set_time(starts_at);
  clock_ = error.goes_on.value_or(actors::node_clock{
    midnight + std::chrono::duration_cast<workflow::span>(starts_at) + error.wall, scheduler().clock().now()});
}

process::~process() {
  die();
  for (const auto& a : kept_)
    actors::exit_now(a, caf::exit_reason::kill);
  kept_.clear();
  proxies_.clear();
  for (int i = 0; i < steps_to_end_max && (scheduler().try_run_once() || scheduler().clock().has_pending_timeout());
       ++i)
    scheduler().clock().cancel_all();
}

caf::scheduler::test_coordinator& process::scheduler() {
  return dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
}

workflow::instant process::now() {
  return clock_.set_at + std::chrono::duration_cast<workflow::span>(scheduler().clock().now() - clock_.steady_at_set);
}

// ---- steps ----

std::vector<std::size_t> process::ready(moment now) {
  std::vector<std::size_t> which;
  if (!is_alive_ || is_frozen(now))
    return which;
  const auto& jobs = scheduler().jobs;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto* actor = held_.empty() ? nullptr : dynamic_cast<caf::local_actor*>(jobs[i]);
    const auto held = actor ? held_.find(actor->name()) : held_.end();
    if (held == held_.end() || held->second <= now)
      which.push_back(i);
  }
  return which;
}

std::string process::run(std::size_t which) {
  auto& jobs = scheduler().jobs;
  std::swap(jobs.at(which), jobs.front());
  const auto* actor = dynamic_cast<caf::local_actor*>(jobs.front());
  auto who = actor ? actor->name() + ("#" + std::to_string(actor->id())) : std::string{"?"};
  scheduler().try_run_once();
  return who;
}

std::optional<moment> process::next_timer() {
  auto& timers = timer_table::of(scheduler().clock());
  if (!is_alive_ || timers.empty())
    return std::nullopt;
  const auto shown = timers.begin()->first.time_since_epoch() - steady_at_midnight;
  const auto due = without_drift(std::max(moment{shown}, moment{0}), error_.drift_permille);
  return std::max(due, frozen_until_);
}

void process::trigger_timer() {
  scheduler().clock().trigger_timeout();
}

void process::set_time(moment now) {
  scheduler().clock().current_time = steady(now, error_);
}

// ---- the wire ----

caf::strong_actor_ptr process::make_proxy(caf::node_id node, caf::actor_id actor) {
  caf::actor_config cfg;
  auto made = caf::make_actor<proxy, caf::strong_actor_ptr>(actor, node, &system_, cfg, this);
  packet p;
  p.what = packet::kind::watch;
  p.from = number_;
  p.to = number_of(node);
  p.receiver = actor;
  send_(p);
  return made;
}

caf::strong_actor_ptr process::remote(process& at, const caf::strong_actor_ptr& actor) {
  at.system_.registry().put(actor->id(), actor);
  return proxies_.get_or_put(at.system_.node(), actor->id());
}

bool process::receive(const packet& p) {
  const auto to = system_.registry().get(p.receiver);
  if (p.what == packet::kind::watch)
    watch(p, to);
  else if (p.what == packet::kind::gone)
    proxies_.erase(node_id_of(p.from), p.sender, caf::exit_reason::unknown);
  else
    return receive_message(p, to);
  return true;
}

/// The other process made a proxy for one of our actors, and wants to know when it ends.
void process::watch(const packet& p, const caf::strong_actor_ptr& actor) {
  const auto tell = [this, to = p.from, who = p.receiver](const caf::error&) {
    if (!is_alive_)
      return;
    packet gone;
    gone.what = packet::kind::gone;
    gone.from = number_;
    gone.to = to;
    gone.sender = who;
    send_(gone);
  };
  if (actor)
    actor->get()->attach_functor(tell);
  else
    tell({});
}

bool process::receive_message(const packet& p, const caf::strong_actor_ptr& to) {
  const auto id = caf::make_message_id(p.message_id);
  const auto sender = p.sender != 0 ? proxies_.get_or_put(node_id_of(p.from), p.sender) : caf::strong_actor_ptr{};
  if (!to) {
    if (id.is_request() && sender)
      caf::detail::sync_request_bouncer{caf::exit_reason::remote_link_unreachable}(sender, id);
    return true;
  }
  caf::binary_deserializer in{&context_, p.bytes};
  std::vector<caf::strong_actor_ptr> stages;
  caf::message content;
  if (in(stages, content) || content.empty())
    return false;
  to->enqueue(caf::make_mailbox_element(sender, id, std::move(stages), std::move(content)), nullptr);
  return true;
}

void process::disconnect(std::uint32_t other) {
  proxies_.erase(node_id_of(other));
}

void process::die() {
  is_alive_ = false;
}

} // namespace steadfast::simulation
