#include "runtime/http/http_server.hpp"

#include "runtime/http/access_tokens.hpp"
#include "runtime/http/giving_way.hpp"
#include "runtime/http/http_session.hpp"
#include "runtime/http/http_tls.hpp"
#include "runtime/http/messages/http_text.hpp"
#include "runtime/links/open_port.hpp"
#include "runtime/metrics/metrics.hpp"
#include "runtime/text/address.hpp"
#include "runtime/toml/config_error.hpp"
#include "steadfast/node_error.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include <algorithm>
#include <chrono>
#include <future>
#include <list>
#include <thread>
#include <utility>

namespace steadfast::runtime {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds accept_again_after{100};
constexpr seconds kept_up_every{60};
constexpr std::size_t turned_away_max = 16;   ///< clients without a place that are told so at a time, once they ask
constexpr double turned_away_a_second = 50.0; ///< likewise: over TLS each costs a handshake
constexpr std::size_t threads = 4;            ///< for what is answered soon
constexpr std::size_t slow_threads = 4;       ///< for the rest

tcp::acceptor listen(asio::io_context& io, const std::string& where) {
  try {
    tcp::acceptor acceptor{io};
    open_port(acceptor, parse_address(where).value());
    return acceptor;
  } catch (const boost::system::system_error& e) {
    throw node_error{"http.listen: " + where + ": " + e.code().message()
                     + (e.code() == asio::error::address_in_use ? "; give this node another port" : "")};
  }
}

} // namespace

class http_server::implementation {
public:
  implementation(const http_server_options& options, http_content content)
      : tls_{options.has_certificate() ? make_tls(options) : nullptr},
        acceptor_{listen(host_.io, options.listen)} {
    host_.options = options;
    host_.figures = content.figures;
    host_.api = make_api(std::move(content));
    accept();
    keep_up_later();
    thread_ = std::thread{[this] { host_.io.run(); }};
  }

  ~implementation() {
    close();
    for (auto* const pool : {&pool_, &slow_pool_, &readiness_})
      pool->join();
    host_.calls.wait_for_all();
    host_.api->keep_up();
    asio::post(host_.io, [this] { host_.io.stop(); }); // after the answers
    thread_.join();
  }
  implementation(const implementation&) = delete;
  implementation& operator=(const implementation&) = delete;

  std::uint16_t port() const { return port_; }

  void reload_certificates() {
    if (!host_.options.has_certificate())
      return;
    auto made = make_tls(host_.options);
    if (const auto why = why_untimely(host_.options, *made); !why.empty())
      throw node_error{why};
    asio::post(host_.io, [this, made = std::move(made)] { tls_ = made; });
  }

  void close() {
    std::promise<void> closed;
    asio::post(host_.io, [&] {
      if (!std::exchange(host_.closing, true)) {
        acceptor_.close();
        retry_.cancel();
        upkeep_.cancel();
        host_.timers.clear();
        host_.api->close();
        for (auto* c : std::list<http_connection*>{host_.connections})
          c->close_if_idle();
      }
      closed.set_value();
    });
    closed.get_future().wait();
  }

  changes_listener changes() const { return host_.api->changes(); }

  bool wait_for_calls(milliseconds limit) { return host_.calls.wait_for_all(limit); }

private:
  std::unique_ptr<http_api> make_api(http_content content) {
    http_api_parts p;
    p.options = host_.options;
    p.methods = std::make_shared<const control_methods>(std::move(content.methods));
    p.metrics = [text = std::move(content.metrics)] { return http_response{200, metrics_page::content_type, text()}; };
    p.store_trouble = std::move(content.store_trouble);
    p.version = STEADFAST_VERSION;
    p.clock = [] { return std::chrono::time_point_cast<workflow::span>(std::chrono::system_clock::now()); };
    const auto on = [](asio::thread_pool& pool) {
      return [&pool](std::function<void()> run) { asio::post(pool, std::move(run)); };
    };
    p.on_pool = on(pool_);
    p.on_slow_pool = on(slow_pool_);
    p.for_readiness = on(readiness_);
    p.later = [this](milliseconds wait, std::function<void()> run) {
      asio::post(host_.io, [this, wait, run = std::move(run)]() mutable { set_timer(wait, std::move(run)); });
    };
    p.clock_of_store = std::move(content.clock);
    p.audit = std::move(content.audit);
    try {
      return std::make_unique<http_api>(std::move(p));
    } catch (const config_error& e) {
      throw node_error{std::string{"http.tokens: "} + e.what()};
    }
  }

  /// Once the server is closed nothing is waited for.
  void set_timer(milliseconds wait, std::function<void()> run) {
    if (host_.closing)
      return;
    const auto place = host_.timers.insert(host_.timers.end(), std::make_unique<asio::steady_timer>(host_.io, wait));
    (*place)->async_wait([this, place, run = std::move(run)](const error_code& e) {
      if (e)
        return;
      const auto timer = std::move(*place);
      host_.timers.erase(place);
      run();
    });
  }

  void keep_up_later() {
    upkeep_.expires_after(kept_up_every);
    upkeep_.async_wait([this](const error_code& e) {
      if (e)
        return;
      asio::post(pool_, [this] { host_.api->keep_up(); });
      keep_up_later();
    });
  }

  void accept() {
    acceptor_.async_accept([this](const error_code& e, tcp::socket s) {
      if (e == asio::error::operation_aborted || host_.closing)
        return;
      if (e) // the process has no descriptor left
        return accept_later();
      welcome(std::move(s));
      accept();
    });
  }

  void accept_later() {
    retry_.expires_after(accept_again_after);
    retry_.async_wait([this](const error_code& e) {
      if (!e)
        accept();
    });
  }

  void welcome(tcp::socket s) {
    error_code ignored;
    const auto peer = s.remote_endpoint(ignored).address().to_string(ignored);
    s.set_option(tcp::no_delay{true}, ignored);
    if (host_.connections.size() >= host_.options.connections_max && !make_room(network_of(peer)))
      return turn_away(peer, std::move(s));
    begin_session(host_, peer, std::move(s), tls_.get());
  }

  /// Clients ask anew when a connection ends.
  bool make_room(const std::string& newcomer) {
    auto* const c = to_give_way(host_.connections, newcomer, std::chrono::steady_clock::now());
    if (c != nullptr)
      c->give_way();
    return c != nullptr;
  }

  /// Of a flood most are told at once, or over TLS, where this takes a handshake, not at all.
  void turn_away(const std::string& peer, tcp::socket s) {
    if (may_turn_away())
      return runtime::turn_away(host_, peer, std::move(s), tls_.get());
    if (!tls_)
      speak_last_words(s);
  }

  /// It fits into the kernel's buffer of a connection, so it never waits.
  static void speak_last_words(tcp::socket& s) {
    const auto text = last_words(no_place());
    error_code ignored;
    s.non_blocking(true, ignored);
    s.write_some(asio::buffer(text), ignored);
    s.shutdown(tcp::socket::shutdown_send, ignored);
  }

  bool may_turn_away() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> since = now - std::exchange(turned_away_at_, now);
    turns_away_ = std::min(double{turned_away_max}, turns_away_ + turned_away_a_second * since.count());
    if (turns_away_ < 1 || host_.turned_away.size() >= turned_away_max)
      return false;
    turns_away_ -= 1;
    return true;
  }

  http_host host_;
  asio::executor_work_guard<asio::io_context::executor_type> until_stopped_{host_.io.get_executor()};
  std::shared_ptr<asio::ssl::context> tls_;
  tcp::acceptor acceptor_;
  const std::uint16_t port_ = acceptor_.local_endpoint().port();
  double turns_away_ = turned_away_max; ///< that may be made now
  std::chrono::steady_clock::time_point turned_away_at_{};
  asio::steady_timer retry_{host_.io};
  asio::steady_timer upkeep_{host_.io};
  asio::thread_pool pool_{threads}; ///< after what its threads use
  asio::thread_pool slow_pool_{slow_threads};
  asio::thread_pool readiness_{1};
  std::thread thread_;
};

http_server::http_server(const http_server_options& options, http_content content)
    : impl_{std::make_unique<implementation>(options, std::move(content))} {}

http_server::~http_server() = default;

std::uint16_t http_server::port() const {
  return impl_->port();
}

void http_server::reload_certificates() {
  impl_->reload_certificates();
}

changes_listener http_server::changes() const {
  return impl_->changes();
}

void http_server::close() {
  impl_->close();
}

bool http_server::wait_for_calls(milliseconds limit) {
  return impl_->wait_for_calls(limit);
}

std::vector<std::string> file_problems(const http_server_options& o) {
  std::vector<std::string> found;
  if (!o.is_used())
    return found;
  try {
    if (o.has_certificate())
      make_tls(o);
  } catch (const node_error& e) {
    found.emplace_back(e.what());
  }
  try {
    if (!o.tokens.empty())
      token_book{o.tokens};
  } catch (const config_error& e) {
    found.push_back(std::string{"http.tokens: "} + e.what());
  }
  return found;
}

} // namespace steadfast::runtime
