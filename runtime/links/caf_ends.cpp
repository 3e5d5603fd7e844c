#include "runtime/links/caf_ends.hpp"

#include <caf/actor_system.hpp>
#include <caf/io/basp_broker.hpp>
#include <caf/io/doorman.hpp>
#include <caf/io/middleman.hpp>
#include <caf/io/middleman_actor_impl.hpp>
#include <caf/io/network/acceptor_impl.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/io/network/scribe_impl.hpp>
#include <caf/sec.hpp>

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

namespace steadfast::runtime {

namespace io = caf::io;
namespace caf_network = caf::io::network;

/// Outlives the ends, since CAF destroys its objects at any time.
class caf_ends::state {
public:
  void add(link_end end) {
    const auto number = end.peer.kind == workflow::peer_kind::client ? door_for_clients : door_for_nodes;
    const std::lock_guard lock{mutex_};
    const auto bell = bells_.find(number);
    if (bell == bells_.end())
      return; // closes it
    waiting_[number].push_back(std::move(end));
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto rung = ::write(bell->second, &one, sizeof one); // fails at 2^64 only
  }

  std::string add_dialed(link_end end) {
    const std::lock_guard lock{mutex_};
    auto ticket = "link-" + std::to_string(++last_ticket_);
    dialed_.emplace(ticket, std::move(end));
    return ticket;
  }

  link_end take_dialed(const std::string& ticket) {
    const std::lock_guard lock{mutex_};
    auto found = dialed_.extract(ticket);
    return found.empty() ? link_end{} : std::move(found.mapped());
  }

  link_end take(std::uint16_t door) {
    const std::lock_guard lock{mutex_};
    auto& queue = waiting_[door];
    if (queue.empty())
      return {};
    auto end = std::move(queue.front());
    queue.pop_front();
    return end;
  }

  /// A descriptor that can be read once for each connection that waits at that door.
  int open_door(std::uint16_t number) {
    const int bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
    const std::lock_guard lock{mutex_};
    if (bell >= 0)
      bells_[number] = bell;
    return bell;
  }

  void close_door(std::uint16_t number) {
    const std::lock_guard lock{mutex_};
    bells_.erase(number);
    waiting_.erase(number);
  }

  void opened(int socket, const std::string& ticket) {
    const std::lock_guard lock{mutex_};
    open_[socket] = ticket;
    if (is_broken_off_)
      shutdown(socket, SHUT_RDWR);
  }
  void closing(int socket) {
    const std::lock_guard lock{mutex_};
    open_.erase(socket);
  }

  void break_off() {
    const std::lock_guard lock{mutex_};
    is_broken_off_ = true;
    for (const auto& [socket, ticket] : open_)
      shutdown(socket, SHUT_RDWR);
  }
  void break_off(const std::string& of) {
    const std::lock_guard lock{mutex_};
    dialed_.erase(of);
    for (const auto& [socket, ticket] : open_)
      if (ticket == of)
        shutdown(socket, SHUT_RDWR);
  }

private:
  std::mutex mutex_;
  std::map<std::uint16_t, int> bells_; ///< by door
  std::map<std::uint16_t, std::deque<link_end>> waiting_;
  std::map<std::string, link_end> dialed_;
  std::uint64_t last_ticket_ = 0;
  std::map<int, std::string> open_; ///< tickets of the sockets that CAF has; of others empty
  bool is_broken_off_ = false;
};

namespace {

using shared_state = std::shared_ptr<caf_ends::state>;

caf_network::default_multiplexer& multiplexer_of(caf::actor_system& sys) {
  return static_cast<caf_network::default_multiplexer&>(sys.middleman().backend());
}

/// CAF asks sockets for address and port, and ends the process if they have none; this one answers what it was given.
class link_scribe : public caf_network::scribe_impl {
public:
  link_scribe(caf_network::default_multiplexer& mx, link_end end, shared_state ends, std::string ticket)
      : caf_network::scribe_impl{mx, end.socket.release()},
        ends_{std::move(ends)},
        place_{std::move(end.place)},
        address_{std::move(end.address)} {
    ends_->opened(stream_.fd(), ticket);
  }
  ~link_scribe() override { ends_->closing(stream_.fd()); }
  link_scribe(const link_scribe&) = delete;
  link_scribe& operator=(const link_scribe&) = delete;

  std::string addr() const override { return address_; }
  std::uint16_t port() const override { return caf_ends::dialed_port; }

  bool consume(caf::execution_unit* unit, const void* bytes, std::size_t size) override {
    const bool goes_on = caf_network::scribe_impl::consume(unit, bytes, size);
    if (!is_known_ && !detached()) // it is when CAF has closed it
      learn_node();
    return goes_on;
  }

private:
  /// Of several connections to a node CAF keeps all: when one is lost, it goes on with another one, and tells nobody
  /// that what was on its way is lost, too. So the later one ends before anything is sent there. Of two nodes that
  /// connect to each other at once each may end the other's: then both are told, and dial again.
  void learn_node() {
    auto& broker = static_cast<io::basp_broker&>(*parent());
    const auto own = hdl();
    const auto node = broker.instance.tbl().lookup_direct(own);
    if (!node)
      return; // it has not said yet who it is
    is_known_ = true;
    const auto& all = broker.instance.tbl().direct_by_hdl_;
    if (std::count_if(all.begin(), all.end(), [&](const auto& r) { return r.second == node; }) < 2)
      return;
    broker.connection_cleanup(own, caf::sec::redundant_connection);
    broker.close(own);
  }

  const shared_state ends_;
  const std::shared_ptr<void> place_;
  const std::string address_;
  bool is_known_ = false; ///< to CAF: which node is at the other side
};

/// Takes the connections that wait at a door, instead of accepting from a listening socket.
struct taken_from_door {
  bool try_accept(caf_network::native_socket& result, caf_network::native_socket bell) {
    std::uint64_t one = 0;
    if (::read(bell, &one, sizeof one) != static_cast<ssize_t>(sizeof one))
      return errno == EAGAIN || errno == EINTR;
    *taken = ends->take(door);
    result = taken->socket.number();
    return true;
  }

  shared_state ends;
  std::uint16_t door;
  link_end* taken;
};

class link_doorman : public io::doorman {
public:
  link_doorman(caf_network::default_multiplexer& mx, int bell, shared_state ends, std::uint16_t door)
      : io::doorman{caf_network::accept_hdl_from_socket(bell)},
        ends_{std::move(ends)},
        door_{door},
        acceptor_{mx, bell, taken_from_door{ends_, door, &taken_}} {}
  ~link_doorman() override { ends_->close_door(door_); }
  link_doorman(const link_doorman&) = delete;
  link_doorman& operator=(const link_doorman&) = delete;

  bool new_connection() override {
    if (detached()) {
      taken_ = {};
      return false;
    }
    auto& mx = acceptor_.backend();
    auto s = caf::make_counted<link_scribe>(mx, std::exchange(taken_, {}), ends_, std::string{});
    const auto handle = s->hdl();
    parent()->add_scribe(std::move(s));
    return io::doorman::new_connection(&mx, handle);
  }

  /// The descriptor is not a socket, so there is nothing to shut down.
  void graceful_shutdown() override {
    acceptor_.passivate();
    detach(&acceptor_.backend(), false);
  }
  void launch() override { acceptor_.start(this); }
  void add_to_loop() override { acceptor_.activate(this); }
  void remove_from_loop() override { acceptor_.passivate(); }
  std::string addr() const override { return "links"; }
  std::uint16_t port() const override { return door_; }

private:
  const shared_state ends_;
  const std::uint16_t door_;
  link_end taken_;
  caf_network::acceptor_impl<taken_from_door> acceptor_;
};

class connector : public io::middleman_actor_impl {
public:
  connector(caf::actor_config& cfg, caf::actor broker, shared_state ends)
      : io::middleman_actor_impl{cfg, std::move(broker)},
        ends_{std::move(ends)} {}

protected:
  caf::expected<io::scribe_ptr> connect(const std::string& ticket, std::uint16_t) override {
    auto end = ends_->take_dialed(ticket);
    if (end.socket.number() < 0)
      return caf::make_error(caf::sec::cannot_connect_to_node, "the connection was given up");
    return caf::make_counted<link_scribe>(multiplexer_of(system()), std::move(end), ends_, ticket);
  }

  caf::expected<io::doorman_ptr> open(std::uint16_t door, const char*, bool) override {
    const int bell = ends_->open_door(door);
    if (bell < 0)
      return caf::make_error(caf::sec::cannot_open_port, "the process has no file descriptor left (ulimit -n)");
    return caf::make_counted<link_doorman>(multiplexer_of(system()), bell, ends_, door);
  }

private:
  const shared_state ends_;
};

} // namespace

caf_ends::caf_ends() : state_{std::make_shared<state>()} {}
caf_ends::~caf_ends() = default;

void caf_ends::add(link_end end) {
  state_->add(std::move(end));
}
std::string caf_ends::add_dialed(link_end end) {
  return state_->add_dialed(std::move(end));
}
void caf_ends::break_off() const {
  state_->break_off();
}
void caf_ends::break_off(const std::string& ticket) const {
  state_->break_off(ticket);
}

io::middleman_actor spawn_connector(caf::actor_system& sys, const caf_ends& ends) {
  const auto broker = sys.middleman().named_broker<io::basp_broker>(caf::atom("BASP"));
  return sys.spawn<connector, caf::hidden>(broker, ends.shared());
}

} // namespace steadfast::runtime
