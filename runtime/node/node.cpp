#include "runtime/node/node.hpp"

#include "actors/protocol/type_ids.hpp"
#include "runtime/assembly/boot_clock.hpp"
#include "runtime/assembly/caf_text.hpp"
#include "runtime/assembly/journal_figures.hpp"
#include "runtime/assembly/limit_log.hpp"
#include "runtime/control/control_methods.hpp"
#include "runtime/control/control_server.hpp"
#include "runtime/events/change_watch.hpp"
#include "runtime/http/http_server.hpp"
#include "runtime/http/http_tls.hpp"
#include "runtime/links/network.hpp"
#include "runtime/logging/log.hpp"
#include "runtime/metrics/metrics.hpp"
#include "runtime/node/node_inside.hpp"
#include "runtime/node/node_store.hpp"
#include "runtime/node/own_agents.hpp"
#include "runtime/node/span_exporter.hpp"
#include "runtime/node/store_follower.hpp"
#include "runtime/node/store_turns.hpp"
#include "runtime/node/webhooks.hpp"
#include "store/joined/joined_store.hpp"
#include "workflow/supervision/node_card.hpp"
#include "workflow/text/name.hpp"
#include "workflow/text/split.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <future>
#include <map>
#include <optional>
#include <thread>
#include <utility>

namespace steadfast {

namespace {

using actors::exit_now;

constexpr int exit_store_failed = 74;             // EX_IOERR: the store cannot be trusted any more
constexpr workflow::span answer_margin{2000};     ///< beyond the drain limit, for the last commits
constexpr workflow::span last_answers_limit{500}; ///< for questions that a store cut off does not answer
constexpr std::chrono::milliseconds register_again_after{500};
constexpr std::chrono::milliseconds read_limit{60'000};       ///< for another node to read what is in the store it gets
constexpr std::chrono::milliseconds read_limit_of_stop{5000}; ///< the same of a node that is stopped
constexpr std::chrono::milliseconds let_go_limit{7000};       ///< with that
constexpr std::chrono::milliseconds found_again_limit{2000};  ///< until it is known who has it then
constexpr workflow::span watchers_limit{2000};                ///< for who watches an actor to be told of its end
constexpr workflow::span farewell_limit{2000};                ///< for what is on its way to other nodes

struct actor_config : caf::actor_system_config {
  actor_config(const node_options& o, std::size_t spare_threads) {
    add_message_types<caf::id_block::steadfast>();
    const auto cores = std::max(2U, std::thread::hardware_concurrency());
    set("scheduler.max-threads", (o.threads == 0 ? cores : o.threads) + spare_threads);
    set("scheduler.policy", caf::atom("sharing"));
    if (o.cluster.is_used())
      runtime::load_network(*this);
  }
};

} // namespace

class assembled_node::implementation {
public:
  explicit implementation(node_options options) : options_{std::move(options)} {}

  ~implementation() { stop(); }
  implementation(const implementation&) = delete;
  implementation& operator=(const implementation&) = delete;

  void add_agent(const std::string& name, actors::agent_function run, actors::agent_options options) {
    refuse_while_running("add agent " + workflow::quoted(name));
    agents_.add(name, std::move(run), std::move(options));
  }

  void with_lease(const std::string& name, actors::make_singleton make) {
    refuse_while_running("give it lease " + workflow::quoted(name));
    if (!make)
      throw node_error{"lease " + workflow::quoted(name) + ": the function that makes its actor is empty"};
    for (const auto& [other, ignored] : singletons_)
      if (other == name)
        throw node_error{"lease " + workflow::quoted(name) + ": there are two of that name"};
    if (!workflow::is_name(name) || workflow::is_supervisor_lease(name))
      throw node_error{"lease " + workflow::quoted(name) + " must be " + std::string{workflow::name_rule}
                       + ", and not `" + std::string{workflow::supervisor_lease_name} + "`"};
    singletons_.emplace_back(name, std::move(make));
  }

  void add_workflow(workflow::definition d) {
    refuse_while_running("add workflow " + workflow::quoted(d.name));
    options_.workflows.push_back(std::move(d));
  }

  void wrap_store(store_wrapper wrap) { wrap_ = std::move(wrap); }

  void on_fatal(std::function<void(const std::string&)> handler) { on_fatal_ = std::move(handler); }

  void wait_for_turn(store::wait_for_turn wait) { wait_for_turn_ = std::move(wait); }

  bool start() {
    if (system_)
      throw node_error{"the node runs already"};
    auto found = problems(options_);
    const auto more = agents_.problems(options_);
    found.insert(found.end(), more.begin(), more.end());
    refuse_if(found);
    refuse_if(runtime::credential_problems(options_.cluster, options_.name, options_.roles));
    refuse_if(runtime::file_problems(options_.http));
    options_.store.webhooks.clear();
    for (const auto& w : options_.webhooks)
      options_.store.webhooks.push_back(w.what);
    if (!options_.store_server.is_used()) {
      journal_ = std::make_shared<journal_figures>();
      options_.store.watch = journal_;
    }
    std::shared_ptr<store::local_store> store;
    store_partitions here;
    if (store_may_move()) {
      here = take_at_start();
      if (here.empty())
        return false;
      refuse_if(partition_problems(options_, static_cast<std::uint32_t>(here.size())));
    } else if (options_.roles.store) {
      store = opened();
      if (!store)
        return false;
    }
    if (options_.cluster.is_used())
      network_ = std::make_unique<runtime::network>(options_);
    config_ = std::make_unique<actor_config>(options_, agents_.on_their_turn());
    system_ = std::make_unique<caf::actor_system>(*config_);
    if (network_)
      network_->attach(*system_);
    caf_text_ = log_caf_text(*system_);
    try {
      assemble(options_, surroundings(std::move(store), std::move(here)), parts_);
      agents_.watch(*system_, parts_.agents);
      publish_front();
      const auto methods = methods_of(*system_, parts_);
      open_control(methods);
      open_http(methods);
      if (follower_)
        follower_->start(on_fatal_ ? on_fatal_ : end_process);
    } catch (...) {
      stop();
      throw;
    }
    return true;
  }

  std::vector<std::string> stop(std::optional<workflow::span> function_limit = std::nullopt) {
    if (!system_)
      return {};
    const auto until = std::chrono::steady_clock::now() + options_.drain_limit;
    if (control_)
      control_->close();
    if (http_)
      http_->close();
    if (follower_)
      follower_->take_no_more();
    turns_.leave(read_limit_of_stop);
    if (follower_ && parts_.own->get().count() > 0) {
      stop_waits_for_ = "another node to have the store";
      hand_store_over();
    } else {
      stop_following();
    }
    stop_waits_for_ = "attempts under way";
    drain(own_schedulers(), left_until(until));
    stop_waits_for_ = "its leases to be given back";
    drain(own_leases(), workflow::span{0}); // from now on the others send no more orders
    stop_waits_for_ = "calls that other nodes have ordered";
    drain_agents(until);
    agents_.let_end();
    stop_following();
    stop_waits_for_ = "questions from its control channel";
    end_control();
    stop_waits_for_ = "its actors to end";
    end_actors();
    exporters_.clear();
    agents_.stop_watching();
    system_->await_all_actors_done();
    stop_waits_for_ = "other nodes to take what is on its way to them";
    if (network_)
      end_with_network();
    system_.reset();
    config_.reset();
    parts_ = {};
    stop_waits_for_ = "blocking functions";
    auto names = agents_.functions_that_run_on(function_limit);
    stop_waits_for_ = "";
    return names;
  }

  std::string_view stop_waits_for() const { return stop_waits_for_.load(); }

  std::string holder_of_store() const { return follower_ ? follower_->holder() : std::string{}; }

  caf::actor_system& system() {
    if (!system_)
      throw node_error{"the node does not run: start() it first"};
    return *system_;
  }

  void reload_certificates() {
    if (network_)
      network_->reload_certificates();
    if (!http_ || !options_.http.has_certificate())
      return;
    try {
      http_->reload_certificates();
      log_line("info", "the certificate for HTTP was read anew");
    } catch (const node_error& e) {
      log_line("error", std::string{"the certificate for HTTP is unchanged: "} + e.what());
    }
  }

  const node_parts& parts() const { return parts_; }

private:
  static void refuse_if(const std::vector<std::string>& problems) {
    if (!problems.empty())
      throw node_error{workflow::joined(problems, "\n")};
  }

  void refuse_while_running(const std::string& what) const {
    if (system_)
      throw node_error{"the node runs already: " + what + " before start()"};
  }

  // ---- whose store ----

  bool store_may_move() const {
    return options_.roles.store && options_.store_server.is_used() && options_.cluster.is_used();
  }

  /// What another node of the cluster has is used there until this one may have it.
  store_partitions take_at_start() {
    partition_host host;
    host.wrap = [this](auto partition) { return wrap_ ? wrap_(std::move(partition)) : std::move(partition); };
    host.prepare = [this](const workflow::partition& p, store::local_store& s) { return registered(s, p); };
    host.take = [this](std::uint32_t partition, std::shared_ptr<store::local_store> s) {
      take_partition(options_, with_store(std::move(s), partition), parts_, partition);
    };
    host.leave = [this](std::uint32_t partition, const std::function<void()>& let_go) { leave(partition, let_go); };
    host.is_elsewhere = [this](std::uint32_t partition, const store_holder& who) {
      if (parts_.membership)
        actors::tell_from_outside(parts_.membership, actors::store_moved{who.node, who.address, {}, partition});
    };
    host.log = log_line;
    auto there = postgres_options_of(options_, holder_name_of(options_));
    there.lets_others_first = [this] { return turns_.is_leaving() || has_ended_certificate(); };
    try {
      follower_ = std::make_unique<store_follower>(std::move(there), options_.name, turns_, std::move(host));
      return follower_->take_at_start(wait_for_turn_);
    } catch (const store::store_error& e) {
      throw node_error{e.what()};
    }
  }

  /// The store that this node has as long as it runs.
  std::shared_ptr<store::local_store> opened() {
    auto store = open_store(options_, wait_for_turn_, wrap_);
    while (store) {
      const auto why_not = registered(*store);
      if (why_not.empty())
        break;
      if (!options_.store_server.is_used()) // a disk that is full does not empty by itself
        throw node_error{"the workflows could not be stored: " + why_not};
      if (!wait_for_turn_(register_again_after, {"the workflows could not be stored: " + why_not, {}}))
        store.reset();
    }
    return store;
  }

  /// Why its workflows and schedules could not be stored; empty: they are.
  std::string registered(store::local_store& s, const workflow::partition& which = {}) {
    auto why_not = register_workflows(s, options_);
    if (why_not.empty())
      why_not = register_schedules(s, options_, which);
    const auto* const joined = dynamic_cast<const store::joined_store*>(&s);
    if (why_not.empty())
      log_limit_warnings(s, joined ? joined->partitions().size() : which.count);
    return why_not;
  }

  void leave(std::uint32_t partition, const std::function<void()>& let_go) {
    std::promise<void> emptied;
    const auto the_rest = empty_partition(*system_, parts_, partition, [&emptied] { emptied.set_value(); });
    emptied.get_future().wait();
    let_go();
    close_partition(parts_, partition, the_rest);
    exporters_.erase(partition); // it has the store, too
  }

  /// So that what others submit, and what this node still has to write, does not wait.
  void hand_store_over() {
    if (!turns_.wait_until_left(let_go_limit))
      return;
    const auto until = std::chrono::steady_clock::now() + found_again_limit;
    while (is_cut_off() && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }

  /// It is not known here yet who has the store, or something is on its way there.
  bool is_cut_off() {
    auto links = parts_.partition_links;
    links.push_back(parts_.link);
    return std::any_of(links.begin(), links.end(), [this](const auto& link) { return is_cut_off(link); });
  }

  bool is_cut_off(const actors::store_link_actor& link) {
    caf::scoped_actor self{*system_};
    bool is = true;
    self->request(link, answer_margin, actors::inspect_state{})
      .receive(
        [&](const actors::actor_state& s) {
          const auto tree = nlohmann::json::parse(s.tree);
          is = tree.at("connected") != true || tree.at("submissions_on_their_way") != 0;
        },
        [](const caf::error&) {});
    return is;
  }

  void stop_following() {
    stop_waits_for_ = "PostgreSQL, to answer whether it can have the store";
    if (follower_)
      follower_->stop();
  }

  /// Of a partition, or of the whole.
  node_surroundings with_store(std::shared_ptr<store::local_store> store, std::uint32_t partition = 0) {
    node_surroundings with{*system_};
    with.partition_count = static_cast<std::uint32_t>(std::max<std::size_t>(parts_.partitions.size(), 1));
    with.store = store;
    with.files = std::move(store);
    with.journal = journal_;
    with.on_fatal = on_fatal_ ? on_fatal_ : end_process;
    with.warn = [](const std::string& line) { log_line("warning", line); };
    with.make_webhooks = [this](const auto& to, const auto& reader, const auto& clock) {
      return spawn_webhooks(*system_, options_.webhooks, to, reader, clock);
    };
    with.traced = traced_;
    if (with.store)
      with.on_end = told_to({exporter_of(with.store, partition)});
    return with;
  }

  /// Null: tasks are not traced.
  span_exporter* exporter_of(std::shared_ptr<const store::state_store> s, std::uint32_t partition) {
    if (!options_.tracing.is_used())
      return nullptr;
    exporters_[partition] = std::make_unique<span_exporter>(options_.tracing, options_.name, std::move(s), traced_);
    return exporters_[partition].get();
  }

  /// By partition.
  static std::function<void(std::uint64_t number)> told_to(std::vector<span_exporter*> all) {
    if (std::all_of(all.begin(), all.end(), [](const auto* e) { return e == nullptr; }))
      return {};
    return [all = std::move(all)](std::uint64_t number) { all[number % all.size()]->on_end(number); };
  }

  node_surroundings surroundings(std::shared_ptr<store::local_store> store, store_partitions here) {
    const auto joined = std::dynamic_pointer_cast<const store::joined_store>(store);
    if (here.size() == 1)
      store = here.front();
    auto with = with_store(std::move(store));
    if (joined)
      with.partitions = joined->partitions();
    if (here.size() > 1) {
      std::vector<span_exporter*> exporters;
      for (std::uint32_t i = 0; i < here.size(); ++i)
        exporters.push_back(here[i] ? exporter_of(here[i], i) : nullptr);
      with.on_end = told_to(std::move(exporters));
      with.partitions = std::move(here);
    }
    with.clock =
      with.store && !options_.store.read_only && !options_.store_server.is_used()
        ? clock_of_this_boot(options_.store.path / "clock", [](const std::string& what) { log_line("warning", what); })
        : clock_set_now();
    with.make_agents = [this](const auto& clock, auto& agents) { agents_.make(*system_, options_, clock, agents); };
    if (network_) {
      with.dialer = network_->spawn_dialer();
      if (options_.cluster.has_certificates())
        with.certificate_until = [this] { return end_of_certificate(); };
      with.is_client = network_->is_client();
    }
    with.holder = options_.name + ":" + std::to_string(getpid());
    with.singletons = singletons_;
    with.store_may_move = store_may_move();
    with.partition_count = options_.roles.store ? 1 : std::max(options_.partitions, 1U); // of those it is told
    with.on_drained = [this] { turns_.leave(read_limit); };
    with.on_parting = [this] { turns_.look_often(); };
    with.log_task = log_task;
    with.log = [](const std::string& line) { log_line("info", line); };
    return with;
  }

  /// Then no other node connects to it, and with the store it would keep all of them from working.
  bool has_ended_certificate() const {
    const auto until = network_ && options_.cluster.has_certificates() ? end_of_certificate() : workflow::unset;
    return until != workflow::unset && until < std::chrono::system_clock::now();
  }

  workflow::instant end_of_certificate() const {
    const auto own = network_->own_certificate();
    return own ? std::chrono::time_point_cast<workflow::span>(own->not_after) : workflow::unset;
  }

  [[noreturn]] static void end_process(const std::string& why) {
    log_line("error", "the store failed, the node ends: " + why);
    std::_Exit(exit_store_failed);
  }

  void publish_front() {
    const auto& o = options_.cluster;
    if (!o.listen.empty())
      network_->publish(parts_.front, parts_.clients, *runtime::parse_address(o.listen));
  }

  void open_control(const control_methods& methods) {
    if (options_.socket.empty())
      return;
    control_options control;
    control.socket = options_.socket;
    try {
      control_ = std::make_unique<control_server>(control, methods);
    } catch (const std::runtime_error& e) {
      throw node_error{e.what()};
    }
  }

  void open_http(const control_methods& methods) {
    if (!options_.http.is_used())
      return;
    runtime::http_content content;
    content.methods = methods;
    content.figures = std::make_shared<http_figures>();
    parts_.http = content.figures;
    content.metrics = [this] { return metrics_of(*system_, parts_).text; };
    content.store_trouble = [this] { return store_trouble(*system_, parts_); };
    content.audit = log_event;
    content.clock = [this] {
      const caf::scoped_actor self{*system_};
      return parts_.clock.now(self.ptr());
    };
    http_ = std::make_unique<runtime::http_server>(options_.http, std::move(content));
    change_watch_ = runtime::watch_changes(*system_, parts_.store_actor, http_->changes());
    log_line("info", std::string{"HTTP at "} + (options_.http.has_certificate() ? "https://" : "http://")
                       + options_.http.listen);
    if (const auto why = runtime::why_untimely(options_.http); !why.empty())
      log_line("error", why); // the tasks go on
  }

  /// All at the same time.
  template <class Handle>
  void drain(const std::vector<Handle>& actors, workflow::span limit) {
    caf::scoped_actor self{*system_};
    const auto ask = [&](const Handle& a) { return self->request(a, limit + answer_margin, actors::drain{limit}); };
    std::vector<decltype(ask(Handle{}))> answers;
    for (const auto& actor : actors)
      if (actor)
        answers.push_back(ask(actor));
    for (auto& answer : answers)
      answer.receive([](const actors::drained&) {},
                     [](const caf::error&) { log_line("warning", "a part did not drain in time"); });
  }

  std::vector<actors::scheduler_actor> own_schedulers() const {
    std::vector<actors::scheduler_actor> all;
    for (const auto& p : parts_.partitions)
      all.push_back(p.scheduler);
    return all;
  }

  std::vector<actors::lease_actor> own_leases() const {
    std::vector<actors::lease_actor> leases;
    for (const auto& p : parts_.partitions)
      leases.push_back(p.supervisor_lease);
    for (const auto& [name, lease] : parts_.singleton_leases)
      leases.push_back(lease);
    for (const auto& p : parts_.partitions)
      leases.push_back(p.node_lease);
    return leases;
  }

  /// What the schedulers of other nodes have ordered here may end, until then.
  void drain_agents(std::chrono::steady_clock::time_point until) {
    if (!parts_.membership)
      return;
    std::vector<actors::agent_actor> agents;
    for (const auto& [name, agent] : parts_.agents)
      agents.push_back(agent);
    drain(agents, left_until(until));
  }

  static workflow::span left_until(std::chrono::steady_clock::time_point end) {
    return std::max(std::chrono::duration_cast<workflow::span>(end - std::chrono::steady_clock::now()),
                    workflow::span{0});
  }

  void end_control() {
    const auto until = std::chrono::steady_clock::now() + last_answers_limit;
    if ((control_ && !control_->wait_for_calls(left_until(until)))
        || (http_ && !http_->wait_for_calls(left_until(until)))) {
      exit_now(parts_.link); // what still waits for another node's store is answered with an error
      for (const auto& link : parts_.partition_links)
        exit_now(link);
    }
    control_.reset();
    http_.reset();
    exit_now(std::exchange(change_watch_, caf::actor{}));
  }

  /// All actors that write end before store_actor, so that their last writes are on disk.
  void end_actors() {
    const auto own = parts_.own->get(); // closed after the actors are gone
    const auto ends = tell_all_to_end();
    system_->await_all_actors_done();
    for (const auto& ended : ends)
      ended.wait_for(watchers_limit);
    exit_now(std::exchange(caf_text_, caf::actor{}));
  }

  /// Of those that have threads of their own.
  std::vector<std::shared_future<void>> tell_all_to_end() {
    const auto all = all_of(std::exchange(parts_, {}));
    std::vector<std::shared_future<void>> ends;
    for (const auto& p : all)
      if (p.ended.valid())
        ends.push_back(p.ended);
    for (const auto& p : all)
      if (!p.hears_all)
        exit_now(p.actor);
    for (const auto& p : all)
      if (p.hears_all)
        caf::anon_send_exit(p.actor, caf::exit_reason::user_shutdown);
    return ends;
  }

  /// CAF ends when every node has received what is on its way to it; one that is frozen or cut off never does.
  void end_with_network() {
    std::promise<void> ended;
    std::thread watch{[this, has_ended = ended.get_future()] {
      if (has_ended.wait_for(farewell_limit) == std::future_status::timeout)
        network_->break_off();
    }};
    const auto until = std::chrono::steady_clock::now() + farewell_limit;
    network_->detach();
    system_.reset();
    ended.set_value();
    watch.join();
    network_->stop(
      std::max(std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()),
               std::chrono::milliseconds{1}));
    network_.reset();
  }

  node_options options_;
  own_agents agents_;
  std::vector<std::pair<std::string, actors::make_singleton>> singletons_;
  store_wrapper wrap_;
  std::shared_ptr<journal_figures> journal_;
  std::function<void(const std::string&)> on_fatal_;
  store::wait_for_turn wait_for_turn_ = [](std::chrono::milliseconds time, const store::no_turn&) {
    std::this_thread::sleep_for(time);
    return true;
  };
  node_parts parts_;
  const std::shared_ptr<trace_figures> traced_ =
    options_.tracing.is_used() ? std::make_shared<trace_figures>() : nullptr;
  std::map<std::uint32_t, std::unique_ptr<span_exporter>> exporters_; ///< by the partition that the node has
  std::unique_ptr<runtime::network> network_;                         ///< to other nodes
  std::unique_ptr<actor_config> config_;
  std::unique_ptr<caf::actor_system> system_;
  caf::actor caf_text_; ///< writes what CAF says to the log
  std::unique_ptr<control_server> control_;
  std::unique_ptr<runtime::http_server> http_;
  caf::actor change_watch_; ///< of http_
  std::atomic<const char*> stop_waits_for_ = "";
  store_turns turns_;
  std::unique_ptr<store_follower> follower_; ///< takes them; null: the store stays where it is
};

assembled_node::assembled_node(node_options options) : impl_{std::make_unique<implementation>(std::move(options))} {}
assembled_node::~assembled_node() = default;

void assembled_node::add_workflow(workflow::definition d) {
  impl_->add_workflow(std::move(d));
}
void assembled_node::on_fatal(std::function<void(const std::string&)> handler) {
  impl_->on_fatal(std::move(handler));
}

void assembled_node::wait_for_turn(store::wait_for_turn wait) {
  impl_->wait_for_turn(std::move(wait));
}

bool assembled_node::start() {
  return impl_->start();
}
std::vector<std::string> assembled_node::stop(std::optional<workflow::span> function_limit) {
  return impl_->stop(function_limit);
}
std::string assembled_node::holder_of_store() const {
  return impl_->holder_of_store();
}
std::string_view assembled_node::stop_waits_for() const {
  return impl_->stop_waits_for();
}
void assembled_node::reload_certificates() {
  impl_->reload_certificates();
}

node_inside::node_inside(const assembled_node& n) : impl_{n.impl_.get()} {}

void node_inside::add_agent(const std::string& name, actors::agent_function run, actors::agent_options options) const {
  impl_->add_agent(name, std::move(run), std::move(options));
}
void node_inside::with_lease(const std::string& name, actors::make_singleton make) const {
  impl_->with_lease(name, std::move(make));
}
void node_inside::wrap_store(store_wrapper wrap) const {
  impl_->wrap_store(std::move(wrap));
}
caf::actor_system& node_inside::system() const {
  return impl_->system();
}
const node_parts& node_inside::parts() const {
  return impl_->parts();
}

} // namespace steadfast
