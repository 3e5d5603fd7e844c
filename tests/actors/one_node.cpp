#include "tests/actors/one_node.hpp"

#include "store/engine/lmdb_store.hpp"
#include "tests/support/fast_place.hpp"
#include "workflow/supervision/node_card.hpp"
#include "workflow/task/invariants.hpp"

#include <atomic>
#include <set>
#include <utility>

namespace steadfast::tests {

namespace {

std::unique_ptr<store::local_store> opened(const std::filesystem::path& directory, const node_settings& settings) {
  store::store_options o;
  o.path = directory / "store";
  o.size_max = settings.size_max;
  o.size_reserve = settings.size_reserve;
  o.journal_max = o.size_reserve / store::journal_growth;
  o.webhooks = settings.webhooks;
  static std::atomic<std::uint64_t> openings{0};
  o.journal_name = ++openings;
  return store::open_lmdb_store(o);
}

template <class... Handles>
void forget(Handles&... handles) {
  ((handles = Handles{}), ...);
}

} // namespace

// ---- life and death ----

one_node::one_node(node_settings settings) : settings_{std::move(settings)}, directory_{fast_place()} {
  start();
}

one_node::~one_node() {
  if (is_up())
    crash();
}

void one_node::start() {
  store_ = std::make_shared<store_tap>(opened(directory_.path(), settings_));
  system_.emplace(stopped_at_, midday); // the machine was not started anew
  fatal_.clear();
  ++life_;
  register_definitions();
  spawn_all();
}

void one_node::crash() {
  stopped_at_ = system_->now();
  store_->cut();
  for (auto& [name, a] : agents_)
    a.die();
  schedulers.clear();
  forget(store_actor, reader, supervisor, lease, notifier, gateway);
  system_.reset();
}

void one_node::restart() {
  if (is_up())
    crash();
  start();
}

void one_node::register_definitions() {
  std::vector<store::write> writes;
  for (const auto& d : settings_.definitions)
    writes.push_back(store::register_definition{d});
  for (const auto& o : store_->commit(writes))
    if (o.result != store::write_status::applied)
      throw std::runtime_error{"a definition was refused: " + o.why};
}

void one_node::spawn_all() {
  auto& sys = system_->system();
  const auto& clock = system_->clock();
  actors::store_actor_deps w{store_, store_, clock, settings_.batch_max, settings_.backlog_max, {}};
  w.on_fatal = [this](const std::string& why) { fatal_ = why; };
  const auto pauses = w.pauses;
  store_actor = system_->keep(actors::spawn_store_actor(sys, std::move(w), false));
  reader = system_->keep(actors::spawn_reader(sys, {store_, store_, store_actor, clock, false, pauses}, false));
  std::set<std::string> names;
  for (const auto& d : settings_.definitions)
    names.merge(workflow::agents_of(d));
  std::vector<actors::agent_offer> agents;
  for (const auto& name : names)
    if (const auto real = settings_.real_agents.find(name); real != settings_.real_agents.end())
      agents.push_back({name, "n1", system_->keep(real->second(*system_, name))});
    else
      agents.push_back({name, "n1", agents_[name].spawn(*system_)});
  for (const auto& name : settings_.schedulers) {
    actors::scheduler_options o;
    o.name = name;
    o.in_flight_max = settings_.in_flight_max;
    o.claim_max = settings_.claim_max;
    schedulers.push_back(system_->keep(actors::spawn_scheduler(sys, {store_actor, reader, agents, clock, o, {}})));
    hold_node_lease(name);
  }
  if (settings_.has_supervisor) {
    supervisor = system_->keep(actors::spawn_supervisor(sys, {store_actor, reader, clock, settings_.supervisor, {}}));
    const actors::lease_options o{"supervisor", "node-" + std::to_string(life_), {}, settings_.lease};
    lease = system_->keep(actors::spawn_lease_actor(sys, {store_actor, supervisor, clock, o}));
  }
  notifier = system_->keep(actors::spawn_notifier(sys, {store_actor, reader, clock}));
  gateway = system_->keep(actors::spawn_gateway(sys, {store_actor, reader, notifier, clock}));
}

// Without renewals: a test's time passes in long strides.
void one_node::hold_node_lease(const std::string& scheduler) {
  const auto its_lease = workflow::node_lease_name(scheduler);
  const auto o = store_->commit({store::acquire_lease{its_lease, scheduler, {}, std::chrono::hours{1000}, now()}});
  system_->tell(actors::lease_actor{}, schedulers.back(),
                actors::lease_changed{its_lease, o.at(0).as<store::lease_result>().epoch});
}

// ---- what clients and people do ----

workflow::submission one_node::order_for(const std::string& id) const {
  workflow::submission s;
  s.id = id;
  s.workflow = settings_.definitions.front().name;
  s.payload = workflow::blob{R"({"for":"Ada"})"};
  return s;
}

std::shared_ptr<std::optional<actors::receipt>> one_node::begin_to_submit(const workflow::submission& s) {
  return system_->begin_to_ask<actors::receipt>(gateway, actors::boxed<workflow::submission>{s});
}

std::optional<actors::receipt> one_node::submit(const workflow::submission& s) {
  return system_->ask<actors::receipt>(gateway, actors::boxed<workflow::submission>{s});
}

actors::act_result one_node::act(const std::string& id, actors::task_act what, std::string step, std::string document,
                                 bool new_key) {
  const actors::act_on_task m{id, what, std::move(step), std::move(document), new_key, "grace", "because"};
  const auto answer = system_->ask<actors::act_result>(gateway, m);
  if (!answer)
    throw std::runtime_error{"the gateway did not answer"};
  return *answer;
}

// ---- what can be seen ----

workflow::task one_node::task(const std::string& id) {
  auto found = store_->find(id);
  if (!found)
    throw std::runtime_error{"there is no task " + id};
  return *std::move(found);
}

std::string one_node::step_state(const std::string& id, std::size_t step) {
  return std::string{to_string(task(id).steps.at(step).state)};
}

std::vector<std::string> one_node::alerts() {
  std::vector<std::string> kinds;
  for (const auto& a : store_->alerts(true, 1000))
    kinds.push_back(a.what.kind);
  return kinds;
}

std::vector<store::late_reply_entry> one_node::late_replies(const std::string& id) {
  return store_->late_replies(task(id).number, 1000);
}

std::vector<std::string> one_node::broken_invariants() {
  std::vector<std::string> found;
  for (const auto& t : store_->list({}, std::nullopt, 100'000).tasks) {
    const auto whole = store_->find(t.number);
    for (auto& sentence : workflow::broken_invariants(*whole, *store_->find_definition(t.workflow, t.version)))
      found.push_back(t.id + ": " + sentence);
  }
  return found;
}

bool one_node::reaches(const std::string& id, const std::string& state, workflow::span at_most) {
  return system_->advance_until([&] { return this->state(id) == state; }, at_most);
}

} // namespace steadfast::tests
