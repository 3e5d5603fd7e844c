#include "runtime/network.hpp"

#include "actors/speak.hpp"
#include "actors/type_ids.hpp"
#include "runtime/connections.hpp"
#include "steadfast/node_error.hpp"

#include <asio/connect.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/io/middleman.hpp>
#include <caf/openssl/all.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <random>
#include <set>
#include <utility>
#include <vector>

namespace steadfast::runtime {

namespace {

constexpr const char* protocol = "steadfast-3"; ///< raised when a message changes its layout
constexpr std::chrono::seconds heartbeat{2};
constexpr std::chrono::seconds silence_max{10};
constexpr std::chrono::seconds probe_limit{2};
constexpr std::chrono::seconds handshake_limit{5};

/// Gives each process a random node id. CAF's own is made of the host and the process number: in containers two nodes
/// can have the same, and one that was restarted can look like its former life.
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
  id_t id() const override { return opencl_manager; } // the one of CAF's that is free here
  void* subtype_ptr() override { return this; }

private:
  caf::actor_system& sys_;
};

using places = asio::ip::tcp::resolver::results_type;

places resolved(const address& a, asio::error_code& result) {
  asio::io_context io;
  return asio::ip::tcp::resolver{io}.resolve(a.host, std::to_string(a.port), result);
}

/// Why nothing answers at any of them; empty: something does. CAF's own connect has no limit and holds up all others.
std::string why_unreachable(const places& found) {
  asio::io_context io;
  asio::ip::tcp::socket socket{io};
  asio::error_code result = asio::error::timed_out;
  asio::async_connect(socket, found, [&](const asio::error_code& e, const asio::ip::tcp::endpoint&) { result = e; });
  io.run_for(probe_limit);
  return result ? result.message() : std::string{};
}

std::string text_of(const caf::error& e, caf::actor_system& sys) {
  if (e == caf::sec::incompatible_application_ids || e == caf::sec::incompatible_versions)
    return std::string{"it speaks another protocol than "} + protocol
           + ": all nodes need the same version of Steadfast";
  if (e == caf::sec::unexpected_actor_messaging_interface)
    return "it is a node of another version of Steadfast";
  if (e == caf::sec::request_timeout)
    return "it accepts connections and does not answer";
  if (e == caf::sec::disconnect_during_handshake || e == caf::sec::connection_timeout)
    return "it ended the connection at once: do both nodes have certificates, and of the same authority?";
  return sys.render(e);
}

class dialer : public actors::dialer_actor::base {
public:
  dialer(caf::actor_config& cfg, bool with_tls, std::shared_ptr<connections> all)
      : actors::dialer_actor::base{cfg},
        with_tls_{with_tls},
        connections_{std::move(all)} {}

  const char* name() const override { return "dialer"; }

  behavior_type make_behavior() override {
    return {[this](const actors::dial& m) { return on_dial(m.address); }};
  }

private:
  caf::result<actors::reached_node> on_dial(const std::string& text) {
    const auto to = parse_address(text);
    if (!to)
      return caf::make_error(caf::sec::invalid_argument, "`" + text + "` is not host:port");
    asio::error_code unknown;
    const auto where = resolved(*to, unknown);
    if (unknown)
      return caf::make_error(caf::sec::cannot_connect_to_node,
                             "the host name cannot be resolved: " + unknown.message());
    if (auto why = why_unreachable(where); !why.empty())
      return caf::make_error(caf::sec::cannot_connect_to_node, std::move(why));
    for (const auto& place : where)
      connections_->dialed({place.endpoint().address().to_string(), place.endpoint().port()});
    auto promise = make_response_promise<actors::reached_node>();
    actors::ask(this, connector(), handshake_limit, caf::connect_atom_v, to->host, to->port)
      .then([this, promise](const caf::node_id&, const caf::strong_actor_ptr& found,
                            const std::set<std::string>& offered) mutable { on_connected(promise, found, offered); },
            [this, promise](const caf::error& e) mutable {
              promise.deliver(caf::make_error(caf::sec::cannot_connect_to_node, text_of(e, system())));
            });
    return promise;
  }

  caf::io::middleman_actor connector() {
    return with_tls_ ? system().openssl_manager().actor_handle() : system().middleman().actor_handle();
  }

  void on_connected(caf::typed_response_promise<actors::reached_node>& promise, const caf::strong_actor_ptr& found,
                    const std::set<std::string>& offered) {
    if (!found || !system().assignable(offered, system().message_types<actors::node_front>()))
      promise.deliver(
        caf::make_error(caf::sec::cannot_connect_to_node, "it is a node of another version of Steadfast"));
    else
      promise.deliver(actors::reached_node{caf::actor_cast<actors::node_front>(found)});
  }

  bool with_tls_;
  std::shared_ptr<connections> connections_;
};

} // namespace

void load_network(caf::actor_system_config& config, const cluster_options& o) {
  config.load<caf::io::middleman>();
  config.load<random_node_id>();
  if (o.has_certificates()) {
    config.load<caf::openssl::manager>();
    config.set("openssl.certificate", o.certificate.string());
    config.set("openssl.key", o.key.string());
    config.set("openssl.cafile", o.authority.string());
  }
  config.set("middleman.app-identifiers", std::vector<std::string>{protocol});
  config.set("middleman.heartbeat-interval", caf::timespan{heartbeat});
  config.set("middleman.connection-timeout", caf::timespan{silence_max});
}

void publish(caf::actor_system& sys, const actors::node_front& front, const address& at, bool with_tls) {
  const auto port = with_tls ? caf::openssl::publish(front, at.port, at.host.c_str(), true)
                             : sys.middleman().publish(front, at.port, at.host.c_str(), true);
  if (!port)
    throw node_error{"cluster.listen: " + at.host + ":" + std::to_string(at.port)
                     + " cannot be listened on: is it in use, and is it an address of this host?"};
}

actors::dialer_actor spawn_dialer(caf::actor_system& sys, bool with_tls, std::shared_ptr<connections> all) {
  return sys.spawn<dialer, caf::detached>(with_tls, std::move(all));
}

} // namespace steadfast::runtime
