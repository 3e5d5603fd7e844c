#include "runtime/links/links.hpp"

#include "runtime/links/door.hpp"
#include "runtime/links/open_port.hpp"
#include "steadfast/node_error.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include <array>
#include <mutex>
#include <thread>
#include <utility>

namespace steadfast::runtime {

namespace {

using boost::asio::ip::tcp;
using std::chrono::milliseconds;

constexpr std::size_t threads = 2; ///< one goes on while the other computes with keys
constexpr milliseconds accept_again_after{200};
constexpr std::chrono::hours warned_again_after{24};

/// A door that several threads use.
class shared_door {
public:
  std::string why_full(const std::string& address) {
    const std::lock_guard lock{mutex_};
    return door_.why_full(address);
  }
  void has_greeted(const std::string& address, bool is_let_in) {
    const std::lock_guard lock{mutex_};
    door_.has_greeted(address, is_let_in);
  }
  void has_left() {
    const std::lock_guard lock{mutex_};
    door_.has_left();
  }
  std::optional<std::string> refusal_line(const std::string& address, const std::string& why) {
    const std::lock_guard lock{mutex_};
    return refusals_.line(address, why, std::chrono::steady_clock::now());
  }

private:
  std::mutex mutex_;
  door door_{{}};
  refusal_log refusals_;
};

} // namespace

class links::implementation {
public:
  explicit implementation(link_options o) : options_{std::move(o)}, door_{std::make_shared<shared_door>()} {
    if (options_.cluster.has_certificates())
      shown_ = std::make_shared<const credentials>(read_credentials(options_.cluster));
    for (auto& t : threads_)
      t = std::thread{[this] { io_.run(); }};
    boost::asio::post(strand_, [this] { warn_in_time(); });
  }

  ~implementation() { stop({}); }
  implementation(const implementation&) = delete;
  implementation& operator=(const implementation&) = delete;

  void listen(const address& at) {
    try {
      open_port(acceptor_, at);
    } catch (const boost::system::system_error& e) {
      throw node_error{"cluster.listen: " + at.host + ":" + std::to_string(at.port)
                       + " cannot be listened on: is it in use, and is it an address of this host? ("
                       + e.code().message() + ")"};
    }
    boost::asio::post(strand_, [this] { accept(); });
  }

  void allow_clients(client_rules rules) { for_clients_ = std::make_shared<const client_rules>(std::move(rules)); }

  void dial(const tcp::resolver::results_type& places, handshake_end then) {
    tcp::socket s{boost::asio::make_strand(io_)};
    const auto on = s.get_executor();
    boost::asio::post(on, [this, s = std::move(s), places, then = std::move(then)]() mutable {
      greet_by_dialing(std::move(s), places, terms(), std::move(then));
    });
  }

  void reload() {
    if (!options_.cluster.has_certificates())
      return;
    try {
      auto fresh = std::make_shared<const credentials>(read_credentials(options_.cluster));
      const auto& own = fresh->own;
      if (auto wrong = why_not_own(own, options_.cluster, options_.name, options_.roles); !wrong.empty())
        throw node_error{std::move(wrong)};
      options_.log("info", "certificates reloaded: that of `" + own.vouches.name + "` ends on "
                             + day_text(own.not_after) + "; open connections stay");
      const std::lock_guard lock{mutex_};
      shown_ = std::move(fresh);
    } catch (const node_error& e) {
      options_.log("error", std::string{"certificates stay as they were: "} + e.what());
    }
    boost::asio::post(strand_, [this] { warn_in_time(); });
  }

  std::optional<certificate_facts> own_certificate() const {
    const std::lock_guard lock{mutex_};
    return shown_ ? std::optional{shown_->own} : std::nullopt;
  }

  void stop(milliseconds limit) {
    if (!threads_.front().joinable())
      return;
    boost::asio::post(strand_, [this] {
      boost::system::error_code gone;
      acceptor_.close(gone);
      timer_.cancel();
    });
    if (limit.count() > 0)
      tls_links_.wait(limit);
    tls_links_.break_off();
    tls_links_.wait(milliseconds{100});
    io_.stop();
    for (auto& t : threads_)
      t.join();
  }

private:
  handshake_terms terms() {
    const std::lock_guard lock{mutex_};
    const auto* own = shown_ ? &shown_->own : nullptr;
    return {{options_.protocol, kind_of(options_.roles, own), options_.name},
            shown_,
            &tls_links_,
            for_clients_,
            [this](const std::string& address, const std::string& why) { refused(address, why); }};
  }

  // ---- who comes ----

  void accept() {
    acceptor_.async_accept(
      boost::asio::make_strand(io_),
      boost::asio::bind_executor(strand_, [this](const boost::system::error_code& e, tcp::socket s) {
        if (e == boost::asio::error::operation_aborted || !acceptor_.is_open())
          return;
        if (e)
          return accept_later(e);
        receive(std::move(s));
        accept();
      }));
  }

  /// The process has no descriptor left, or the host no memory: trying again at once would only waste a core.
  void accept_later(const boost::system::error_code& e) {
    refused("anybody", "this node cannot take it: " + e.message());
    accept_timer_.expires_after(accept_again_after);
    accept_timer_.async_wait(boost::asio::bind_executor(strand_, [this](const boost::system::error_code& cancelled) {
      if (!cancelled && acceptor_.is_open())
        accept();
    }));
  }

  void receive(tcp::socket s) {
    boost::system::error_code gone;
    const auto address = s.remote_endpoint(gone).address().to_string();
    if (const auto why = door_->why_full(address); !why.empty())
      return refused(address, why);
    const auto on = s.get_executor();
    boost::asio::post(on, [this, s = std::move(s), address]() mutable {
      greet_who_dialed(std::move(s), terms(),
                       [this, address](handshake_result r) { on_greeted(address, std::move(r)); });
    });
  }

  void on_greeted(const std::string& address, handshake_result r) {
    auto* end = std::get_if<link_end>(&r);
    door_->has_greeted(address, end != nullptr);
    if (!end)
      return refused(address, std::get<std::string>(r));
    end->place = std::shared_ptr<void>{nullptr, [door = door_](void*) { door->has_left(); }};
    options_.on_link(std::move(*end));
  }

  void refused(const std::string& address, const std::string& why) {
    if (const auto line = door_->refusal_line(address, why))
      options_.log("warning", *line);
  }

  // ---- the certificate's end ----

  void warn_in_time() {
    const auto own = own_certificate();
    if (!own)
      return;
    if (const auto why = why_renew(*own, std::chrono::system_clock::now()); !why.empty())
      options_.log("warning", why);
    timer_.expires_after(warned_again_after);
    timer_.async_wait(boost::asio::bind_executor(strand_, [this](const boost::system::error_code& e) {
      if (!e)
        warn_in_time();
    }));
  }

  const link_options options_;
  std::shared_ptr<shared_door> door_;
  mutable std::mutex mutex_;
  std::shared_ptr<const credentials> shown_; ///< guarded by the mutex
  std::shared_ptr<const client_rules> for_clients_ = std::make_shared<const client_rules>();
  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{io_.get_executor()};
  relays tls_links_;
  boost::asio::strand<boost::asio::io_context::executor_type> strand_{io_.get_executor()}; ///< of what follows
  tcp::acceptor acceptor_{io_};
  boost::asio::steady_timer accept_timer_{io_};
  boost::asio::steady_timer timer_{io_};
  std::array<std::thread, threads> threads_;
};

links::links(link_options o) : impl_{std::make_unique<implementation>(std::move(o))} {}
links::~links() = default;

void links::listen(const address& at) {
  impl_->listen(at);
}
void links::allow_clients(client_rules rules) {
  impl_->allow_clients(std::move(rules));
}
void links::dial(const tcp::resolver::results_type& places, handshake_end then) {
  impl_->dial(places, std::move(then));
}
void links::reload() {
  impl_->reload();
}
std::optional<certificate_facts> links::own_certificate() const {
  return impl_->own_certificate();
}
void links::stop(milliseconds limit) {
  impl_->stop(limit);
}

} // namespace steadfast::runtime
