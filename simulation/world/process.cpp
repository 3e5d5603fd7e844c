#include "simulation/world/process.hpp"

#include "actors/protocol/speak.hpp"
#include "actors/protocol/type_ids.hpp"

#include <caf/actor_proxy.hpp>
#include <caf/actor_registry.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/detail/sync_request_bouncer.hpp>
#include <caf/detail/test_actor_clock.hpp>
#include <caf/make_actor.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/sec.hpp>
#include <caf/thread_hook.hpp>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace steadfast::simulation {

namespace {

/// What a correct steady clock shows at midnight: far from zero, so that a clock can be wrong.
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

/// Nothing else is ever in a queue here.
const caf::scheduled_actor& as_actor(const caf::resumable& r) {
  return static_cast<const caf::scheduled_actor&>(r); // a dynamic_cast through typed actors costs more than most steps
}

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
  if (m.match_elements<actors::step_orders>())
    return cargo::order;
  if (m.match_elements<actors::attempt_reports>())
    return cargo::report;
  if (!m.match_elements<actors::writes_done>())
    return cargo::other;
  const auto& all = m.get_as<actors::writes_done>(0).all;
  const auto is_of_lease = [](const actors::write_done& w) { return w.outcome->is<store::lease_result>(); };
  return std::any_of(all.begin(), all.end(), is_of_lease) ? cargo::lease_answer : cargo::other;
}

} // namespace

/// Stands for an actor of another process.
class process::proxy : public caf::actor_proxy {
public:
  proxy(caf::actor_config& cfg, process* home) : caf::actor_proxy{cfg}, home_{home} {}

  void enqueue(caf::mailbox_element_ptr what, caf::execution_unit*) override {
    if (is_dead_ || !home_->is_alive())
      return; // as in CAF: messages to a dead actor vanish
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
    home_->send_(std::move(p));
  }

  void kill_proxy(caf::execution_unit* where, caf::error why) override {
    is_dead_ = true;
    cleanup(std::move(why), where);
  }

private:
  process* home_;
  bool is_dead_ = false;
};

process::process(std::uint32_t number, std::string name, const clock_error& error, workflow::instant run_begins,
                 moment starts_at, send_packet send)
    : number_{number},
      name_{std::move(name)},
      error_{error},
      send_{std::move(send)},
      config_{number},
      system_{config_},
      scheduler_{dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler())},
      proxies_{system_, *this},
      context_{&system_} {
  system_.await_actors_before_shutdown(false);
  context_.proxy_registry_ptr(&proxies_);
  set_time(starts_at);
  clock_ = error.goes_on.value_or(actors::node_clock{
    run_begins + std::chrono::duration_cast<workflow::span>(starts_at) + error.wall, scheduler_.clock().now()});
}

process::~process() {
  die();
  for (const auto& a : kept_)
    actors::exit_now(a, caf::exit_reason::kill);
  kept_.clear();
  proxies_.clear();
  for (int i = 0; i < steps_to_end_max && (scheduler_.try_run_once() || scheduler_.clock().has_pending_timeout()); ++i)
    scheduler_.clock().cancel_all();
}

workflow::instant process::now() {
  return clock_.set_at + std::chrono::duration_cast<workflow::span>(scheduler_.clock().now() - clock_.steady_at_set);
}

// ---- steps ----

std::size_t process::count_ready(moment now) {
  if (!is_alive_ || is_frozen(now))
    return 0;
  std::erase_if(held_, [now](const hold& h) { return h.end <= now; });
  const auto& queue = scheduler_.jobs;
  if (held_.empty()) // there may be thousands, each step
    return queue.size();
  not_held_.clear();
  for (std::size_t i = 0; i < queue.size(); ++i)
    if (!is_held(*queue[i]))
      not_held_.push_back(i);
  return not_held_.size();
}

bool process::is_held(const caf::resumable& actor) const {
  const std::string_view name = as_actor(actor).name();
  return std::any_of(held_.begin(), held_.end(), [&](const hold& h) { return h.actor == name; });
}

process::actor_name process::run(std::size_t n) {
  auto& queue = scheduler_.jobs;
  const auto place = held_.empty() ? n : not_held_.at(n);
  std::swap(queue.at(place), queue.front());
  const auto& actor = as_actor(*queue.front());
  const caf::strong_actor_ptr stays_for_now{actor.ctrl()};
  scheduler_.try_run_once();
  return {actor.name(), actor.id(), actor.fail_state() == caf::sec::runtime_error};
}

std::optional<moment> process::next_timer() {
  auto& timers = timer_table::of(scheduler_.clock());
  if (!is_alive_ || timers.empty())
    return std::nullopt;
  const auto shown = timers.begin()->first.time_since_epoch() - steady_at_midnight;
  const auto due = without_drift(std::max(moment{shown}, moment{0}), error_.drift_permille);
  return std::max(due, frozen_until_);
}

void process::trigger_timer() {
  scheduler_.clock().trigger_timeout();
}

void process::set_time(moment now) {
  scheduler_.clock().current_time = steady(now, error_);
}

// ---- the wire ----

caf::strong_actor_ptr process::make_proxy(caf::node_id node, caf::actor_id actor) {
  if (!node || actor == caf::invalid_actor_id) // a handle that was empty where it came from
    return nullptr;
  caf::actor_config cfg;
  auto made = caf::make_actor<proxy, caf::strong_actor_ptr>(actor, node, &system_, cfg, this);
  packet p;
  p.what = packet::kind::watch;
  p.from = number_;
  p.to = number_of(node);
  p.receiver = actor;
  send_(std::move(p));
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
    proxies_.erase(node_id_of(p.from), p.sender, p.reason);
  else
    return receive_message(p, to);
  return true;
}

/// The other process made a proxy for one of our actors, and wants to know when it ends.
void process::watch(const packet& p, const caf::strong_actor_ptr& actor) {
  const auto tell = [this, to = p.from, who = p.receiver](const caf::error& why) {
    if (!is_alive_)
      return;
    packet gone;
    gone.what = packet::kind::gone;
    gone.from = number_;
    gone.to = to;
    gone.sender = who;
    if (why == caf::exit_reason::user_shutdown)
      gone.reason = caf::exit_reason::user_shutdown;
    send_(std::move(gone));
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
