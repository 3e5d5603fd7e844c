#include "runtime/links/network.hpp"

#include "actors/protocol/speak.hpp"
#include "actors/protocol/type_ids.hpp"
#include "runtime/links/protocol.hpp"
#include "runtime/logging/log.hpp"
#include "steadfast/node_error.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/io/middleman.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace steadfast::runtime {

namespace {

constexpr std::chrono::seconds heartbeat{2};
constexpr std::chrono::seconds silence_max{10};
constexpr std::chrono::seconds answer_limit{5}; ///< of CAF's own handshake, and of publishing

/// Gives each process a random node id. CAF makes its own from the host and the process number: in containers two nodes
/// can have the same, and a restarted one can look like its former life.
class random_node_id : public caf::actor_system::module {
public:
  explicit random_node_id(caf::actor_system& sys) : sys_{sys} {}
  static module* make(caf::actor_system& sys, caf::detail::type_list<>) { return new random_node_id{sys}; }

  void start() override {}
  void stop() override {}
  void init(caf::actor_system_config&) override {
    std::random_device random;
    caf::node_id::default_data::host_id_type host;
    for (auto& byte : host)
      byte = static_cast<std::uint8_t>(random());
    const_cast<caf::node_id&>(sys_.node()) = caf::make_node_id(random() | 1U, host); // CAF has no other way
  }
  id_t id() const override { return opencl_manager; } // an id of CAF's that is free here
  void* subtype_ptr() override { return this; }

private:
  caf::actor_system& sys_;
};

std::string text_of(const caf::error& e, caf::actor_system& sys) {
  if (e == caf::sec::unexpected_actor_messaging_interface)
    return "it is a node of another version of Steadfast";
  if (e == caf::sec::request_timeout)
    return "it accepts connections and does not answer";
  return sys.render(e);
}

/// The result of dialing, from the threads of the links to the dialer.
class outcomes {
public:
  void put(std::uint64_t number, handshake_result r) {
    const std::lock_guard lock{mutex_};
    all_.emplace(number, std::move(r));
  }
  handshake_result take(std::uint64_t number) {
    const std::lock_guard lock{mutex_};
    return std::move(all_.extract(number).mapped());
  }

private:
  std::mutex mutex_;
  std::map<std::uint64_t, handshake_result> all_;
};

/// Is also told, with the number of the request, whether a connection was made.
using dialer_behavior = actors::dialer_actor::extend<actors::takes<void(std::uint64_t)>>;

class dialer : public dialer_behavior::base {
public:
  dialer(caf::actor_config& cfg, links& l, std::shared_ptr<caf_ends> ends, caf::io::middleman_actor connector)
      : dialer_behavior::base{cfg},
        links_{l},
        ends_{std::move(ends)},
        connector_{std::move(connector)} {}

  const char* name() const override { return "dialer"; }

  void on_exit() override {
    open_.clear();
    reached_.clear();
    connector_ = nullptr;
  }

  behavior_type make_behavior() override {
    set_down_handler([this](const caf::down_msg& m) {
      std::erase_if(reached_, [&](const auto& r) { return r.second.front.address() == m.source; });
    });
    return {
      [this](const actors::dial& m) { return on_dial(m.address); },
      [this](std::uint64_t number) { on_made(number); },
    };
  }

private:
  using promise = caf::typed_response_promise<actors::reached_node>;

  static caf::error failure(std::string why) {
    return caf::make_error(caf::sec::cannot_connect_to_node, std::move(why));
  }

  caf::result<actors::reached_node> on_dial(const std::string& text) {
    if (const auto known = reached_.find(text); known != reached_.end())
      return known->second;
    auto answer = make_response_promise<actors::reached_node>();
    if (auto same = std::find_if(open_.begin(), open_.end(), [&](const auto& o) { return o.second.address == text; });
        same != open_.end()) {
      same->second.promises.push_back(answer);
      return answer;
    }
    const auto to = parse_address(text);
    if (!to)
      return caf::make_error(caf::sec::invalid_argument, "`" + text + "` is not host:port");
    boost::asio::io_context io;
    boost::system::error_code unknown;
    const auto places = boost::asio::ip::tcp::resolver{io}.resolve(to->host, std::to_string(to->port), unknown);
    if (unknown)
      return failure("the host name cannot be resolved: " + unknown.message());
    open_.emplace(++last_, opening{text, {answer}});
    // An address: a handle would keep the dialer, and with it the system, until the last connection is made.
    links_.dial(places, [me = address(), all = made_, number = last_](handshake_result r) {
      all->put(number, std::move(r));
      if (const auto asker = caf::actor_cast<caf::actor>(me))
        caf::anon_send(asker, number);
    });
    return answer;
  }

  void on_made(std::uint64_t number) {
    auto made = made_->take(number);
    if (auto* why = std::get_if<std::string>(&made))
      return fail(number, std::move(*why));
    auto& end = std::get<link_end>(made);
    const auto peer = end.peer;
    const auto ticket = ends_->add_dialed(std::move(end));
    actors::ask(this, connector_, answer_limit, caf::connect_atom_v, ticket, caf_ends::dialed_port)
      .then([this, number, peer](const caf::node_id&, const caf::strong_actor_ptr& found,
                                 const std::set<std::string>& offered) { on_connected(number, peer, found, offered); },
            [this, number, ticket](const caf::error& e) {
              ends_->break_off(ticket);
              fail(number, text_of(e, system()));
            });
  }

  void on_connected(std::uint64_t number, const workflow::peer_claim& peer, const caf::strong_actor_ptr& found,
                    const std::set<std::string>& offered) {
    if (!found || !system().assignable(offered, system().message_types<actors::node_front>()))
      return fail(number, "it is a node of another version of Steadfast");
    const actors::reached_node reached{
      caf::actor_cast<actors::node_front>(found), peer.name, peer.kind == workflow::peer_kind::store,
      system().assignable(offered, system().message_types<actors::partitioned_front>()),
      system().assignable(offered, system().message_types<actors::whole_front>())};
    auto opened = std::move(open_.extract(number).mapped());
    monitor(reached.front); // down at once if it is lost already
    reached_[opened.address] = reached;
    for (auto& p : opened.promises)
      p.deliver(reached);
  }

  void fail(std::uint64_t number, const std::string& why) {
    auto opened = std::move(open_.extract(number).mapped());
    for (auto& p : opened.promises)
      p.deliver(failure(why));
  }

  struct opening {
    std::string address;
    std::vector<promise> promises;
  };

  links& links_; ///< ends after the system
  const std::shared_ptr<caf_ends> ends_;
  caf::io::middleman_actor connector_;
  const std::shared_ptr<outcomes> made_ = std::make_shared<outcomes>();
  std::map<std::uint64_t, opening> open_;               ///< by number
  std::map<std::string, actors::reached_node> reached_; ///< by address, as long as it is connected
  std::uint64_t last_ = 0;
};

link_options options_of(const node_options& o, const std::shared_ptr<caf_ends>& ends) {
  return {o.cluster, o.name, o.roles, protocol, [ends](link_end end) { ends->add(std::move(end)); }, log_line};
}

} // namespace

void load_network(caf::actor_system_config& config) {
  config.load<caf::io::middleman>();
  config.load<random_node_id>();
  config.set("middleman.app-identifiers", std::vector<std::string>{protocol});
  config.set("middleman.heartbeat-interval", caf::timespan{heartbeat});
  config.set("middleman.connection-timeout", caf::timespan{silence_max});
}

network::network(const node_options& o) : ends_{std::make_shared<caf_ends>()}, links_{options_of(o, ends_)} {
  const auto own = links_.own_certificate();
  kind_ = kind_of(o.roles, own ? &*own : nullptr);
}

void network::attach(caf::actor_system& sys) {
  system_ = &sys;
  connector_ = spawn_connector(sys, *ends_);
}

template <class Front>
void network::publish_at(std::uint16_t door, const Front& front) {
  caf::scoped_actor self{*system_};
  self
    ->request(connector_, answer_limit, caf::publish_atom_v, door, caf::actor_cast<caf::strong_actor_ptr>(front),
              system_->message_types<Front>(), std::string{}, true)
    .receive([](std::uint16_t) {},
             [&](const caf::error& e) { throw node_error{"cluster.listen: " + system_->render(e)}; });
}

void network::publish(const actors::whole_front& front, const actors::client_gateway& clients, const address& at) {
  publish_at(door_for_nodes, front);
  if (clients.front) {
    publish_at(door_for_clients, clients.front);
    const auto asked_by_caf = static_cast<std::uint64_t>(caf::atom("SpawnServ"));
    links_.allow_clients({{clients.front.id(), clients.store.id()}, asked_by_caf});
  }
  links_.listen(at);
}

actors::dialer_actor network::spawn_dialer() {
  return system_->spawn<dialer, caf::detached>(links_, ends_, connector_);
}

void network::detach() {
  caf::anon_send_exit(connector_, caf::exit_reason::kill);
  connector_ = nullptr;
}

} // namespace steadfast::runtime
