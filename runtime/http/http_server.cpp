#include "runtime/http/http_server.hpp"

#include "runtime/configuration/config_error.hpp"
#include "runtime/control/open_calls.hpp"
#include "runtime/http/access_tokens.hpp"
#include "runtime/http/http_api.hpp"
#include "runtime/http/http_text.hpp"
#include "runtime/http/http_tls.hpp"
#include "runtime/metrics/metrics.hpp"
#include "runtime/text/address.hpp"
#include "steadfast/node_error.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <future>
#include <list>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

namespace steadfast::runtime {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::milliseconds;
using std::chrono::seconds;

using tls_stream = beast::ssl_stream<beast::tcp_stream>;

constexpr std::uint32_t header_max = 16 << 10;   ///< bytes
constexpr std::size_t unfinished_max = 64 << 20; ///< bytes of bodies that are being read, of all connections
constexpr seconds idle_limit{75};
constexpr seconds request_limit{20};
constexpr seconds tls_limit{5};
constexpr seconds write_limit{30};
constexpr milliseconds look_soonest{100}; ///< between looks for an event
constexpr milliseconds look_latest{1000};
constexpr seconds sign_of_life_every{15};
constexpr milliseconds accept_again_after{100};
constexpr seconds uses_saved_every{60};
constexpr std::size_t threads = 4;

struct connection {
  virtual ~connection() = default;
  virtual void close_if_idle() = 0;
};

/// What all connections share. Only the thread that runs `io` uses it, except where others are mentioned.
struct host {
  http_server_options options;
  std::unique_ptr<http_api> api; ///< for any thread
  open_calls calls;              ///< likewise
  std::list<connection*> connections;
  std::size_t unfinished = 0; ///< bytes that were promised to bodies under way
  bool closing = false;
  asio::io_context io{1};
  std::list<std::unique_ptr<asio::steady_timer>> timers;
};

/// An answer that is waited for: the first one counts. When everybody who could give it is gone, it is `otherwise`.
template <class Answer>
class awaited {
public:
  using taker = std::function<void(Answer)>;
  awaited(open_calls& calls, Answer otherwise, taker take)
      : calls_{calls},
        otherwise_{std::move(otherwise)},
        take_{std::move(take)} {
    calls_.begin();
  }
  ~awaited() {
    give(std::move(otherwise_));
    take_ = {}; // before the host may go
    calls_.end();
  }
  awaited(const awaited&) = delete;
  awaited& operator=(const awaited&) = delete;

  void give(Answer a) {
    if (!is_given_.exchange(true))
      take_(std::move(a));
  }

private:
  open_calls& calls_;
  Answer otherwise_;
  taker take_;
  std::atomic<bool> is_given_ = false;
};

const http_response& answer_of_nobody() {
  static const auto r = response_of({503, "busy", "the node is about to end; the outcome is unknown", {}, busy_wait});
  return r;
}

template <class Stream>
class session : public connection, public std::enable_shared_from_this<session<Stream>> {
public:
  template <class... Arguments>
  session(host& h, std::string peer, Arguments&&... of_stream)
      : host_{h},
        peer_{std::move(peer)},
        stream_{std::forward<Arguments>(of_stream)...},
        timer_{h.io},
        place_{h.connections.insert(h.connections.end(), this)} {}
  ~session() override { host_.connections.erase(place_); }
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  void begin() {
    if constexpr (is_tls) {
      lowest().expires_after(tls_limit);
      stream_.async_handshake(asio::ssl::stream_base::server, [self = self_()](const error_code& e) {
        if (e)
          return;
        self->certificate_name_ = checked_name(self->stream_.native_handle());
        self->await_request();
      });
    } else {
      await_request();
    }
  }

  void close_if_idle() override {
    if (is_idle_)
      close();
  }

private:
  static constexpr bool is_tls = std::is_same_v<Stream, tls_stream>;

  std::shared_ptr<session> self_() { return this->shared_from_this(); }
  beast::tcp_stream& lowest() { return beast::get_lowest_layer(stream_); }

  void close() {
    error_code gone;
    lowest().socket().shutdown(tcp::socket::shutdown_both, gone);
    lowest().close();
  }

  void await_request() {
    if (host_.closing)
      return close();
    if (buffer_.size() > 0) // the next one came with the last
      return read_header();
    is_idle_ = true;
    lowest().expires_after(idle_limit);
    stream_.async_read_some(buffer_.prepare(4096), [self = self_()](const error_code& e, std::size_t size) {
      self->is_idle_ = false;
      if (e)
        return self->close();
      self->buffer_.commit(size);
      self->read_header();
    });
  }

  void read_header() {
    parser_.emplace();
    parser_->header_limit(header_max);
    parser_->body_limit(host_.options.body_size_max);
    lowest().expires_after(request_limit);
    http::async_read_header(stream_, buffer_, *parser_, [self = self_()](const error_code& e, std::size_t) {
      if (e)
        return self->refuse(e);
      self->read_body();
    });
  }

  void read_body() {
    const auto length = parser_->content_length();
    if (length && *length > host_.options.body_size_max)
      return refuse(http::error::body_limit);
    promised_ = parser_->is_done() ? 0 : length.value_or(host_.options.body_size_max);
    if (host_.unfinished + promised_ > unfinished_max) {
      promised_ = 0;
      return say_and_close(
        {503, "busy", "too many requests have been begun and have not come to their end", {}, busy_wait});
    }
    host_.unfinished += promised_;
    if (beast::iequals(parser_->get()[http::field::expect], "100-continue") && !parser_->is_done())
      return tell_to_continue();
    read_rest();
  }

  void tell_to_continue() {
    static const std::string line = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(stream_, asio::buffer(line), [self = self_()](const error_code& e, std::size_t) {
      if (!e)
        return self->read_rest();
      self->end_body();
      self->close();
    });
  }

  void read_rest() {
    http::async_read(stream_, buffer_, *parser_, [self = self_()](const error_code& e, std::size_t) {
      self->end_body();
      if (e)
        return self->refuse(e);
      self->run();
    });
  }

  void end_body() { host_.unfinished -= std::exchange(promised_, 0); }

  void refuse(const error_code& e) {
    if (e == http::error::end_of_stream || e == asio::error::eof || e == beast::error::timeout
        || e.category() != make_error_code(http::error::end_of_stream).category())
      return close();
    if (e == http::error::body_limit)
      return say_and_close(
        {413, "too_large",
         "a body may have " + std::to_string(host_.options.body_size_max) + " bytes (`http.body_size_max`)"});
    if (e == http::error::header_limit)
      return say_and_close({431, "header_too_large", "the header may have " + std::to_string(header_max) + " bytes"});
    say_and_close({400, "bad_request", "this is no HTTP/1.1 request: " + e.message()});
  }

  void say_and_close(const http_problem& p) {
    keeps_alive_ = false;
    is_head_ = false;
    write(response_of(p));
  }

  void run() {
    http_request r;
    r.message = parser_->release();
    parser_.reset();
    keeps_alive_ = r.message.keep_alive();
    is_head_ = r.message.method() == http::verb::head;
    r.peer = peer_;
    r.certificate_name = certificate_name_;
    r.is_encrypted = is_tls;
    lowest().expires_never();
    const auto take = [self = self_()](http_response answer) {
      asio::post(self->host_.io, [self, answer = std::move(answer)]() mutable { self->write(std::move(answer)); });
    };
    const auto c = std::make_shared<awaited<http_response>>(host_.calls, answer_of_nobody(), take);
    host_.api->answer(std::move(r), [c](http_response answer) { c->give(std::move(answer)); });
  }

  void write(http_response r) {
    auto& m = out_.emplace(static_cast<http::status>(r.status), 11);
    m.set(http::field::server, "steadfast");
    if (!r.type.empty())
      m.set(http::field::content_type, r.type);
    for (const auto& [name, value] : r.headers)
      m.insert(name, value);
    stream_of_events_ = std::move(r.stream);
    m.keep_alive(keeps_alive_ && !stream_of_events_ && !host_.closing);
    const auto size = r.body.size();
    const bool has_no_body = r.status == 204 || r.status == 304 || stream_of_events_;
    if (!is_head_ && !has_no_body)
      m.body() = std::move(r.body);
    if (!has_no_body)
      m.content_length(size);
    lowest().expires_after(write_limit);
    serializer_.emplace(m);
    const auto done = [self = self_()](const error_code& e, std::size_t) { self->written(e); };
    if (stream_of_events_)
      http::async_write_header(stream_, *serializer_, done);
    else
      http::async_write(stream_, *serializer_, done);
  }

  void written(const error_code& e) {
    const bool goes_on = out_->keep_alive();
    serializer_.reset();
    out_.reset();
    if (e)
      return close();
    if (stream_of_events_) {
      silent_since_ = std::chrono::steady_clock::now();
      return look();
    }
    if (!goes_on)
      return hang_up();
    await_request();
  }

  /// What the client still sends is read, so that it gets the answer and no reset.
  void hang_up() {
    error_code gone;
    lowest().socket().shutdown(tcp::socket::shutdown_send, gone);
    lowest().expires_after(seconds{2});
    drop_rest();
  }
  void drop_rest() {
    lowest().async_read_some(asio::buffer(dropped_), [self = self_()](const error_code& e, std::size_t) {
      if (!e)
        return self->drop_rest();
      self->close();
    });
  }

  // ---- events ----

  void look() {
    if (host_.closing)
      return close();
    const auto take = [self = self_()](http_stream::piece p) {
      asio::post(self->host_.io, [self, p = std::move(p)]() mutable { self->got(std::move(p)); });
    };
    const http_stream::piece end{{}, true};
    const auto c = std::make_shared<awaited<http_stream::piece>>(host_.calls, end, take);
    stream_of_events_->look([c](http_stream::piece p) { c->give(std::move(p)); });
  }

  void got(http_stream::piece p) {
    const auto now = std::chrono::steady_clock::now();
    pause_ = p.text.empty() ? std::min(pause_ * 3 / 2, look_latest) : look_soonest;
    if (p.text.empty() && !p.is_last && now - silent_since_ >= sign_of_life_every)
      p.text = ": still here\n\n";
    if (p.text.empty())
      return p.is_last ? hang_up() : look_later();
    silent_since_ = now;
    piece_ = std::move(p.text);
    lowest().expires_after(write_limit);
    asio::async_write(stream_, asio::buffer(piece_),
                      [self = self_(), is_last = p.is_last](const error_code& e, std::size_t) {
                        if (e)
                          return self->close();
                        is_last ? self->hang_up() : self->look_later();
                      });
  }

  void look_later() {
    lowest().expires_never();
    is_idle_ = true;
    timer_.expires_after(pause_);
    timer_.async_wait([self = self_()](const error_code& e) {
      self->is_idle_ = false;
      if (!e)
        self->look();
    });
  }

  host& host_;
  const std::string peer_;
  Stream stream_;
  asio::steady_timer timer_;
  std::list<connection*>::iterator place_;
  std::string certificate_name_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::size_t promised_ = 0;
  std::optional<http::response<http::string_body>> out_;
  std::optional<http::response_serializer<http::string_body>> serializer_;
  std::shared_ptr<http_stream> stream_of_events_;
  std::string piece_;
  std::array<char, 512> dropped_{};
  milliseconds pause_ = look_soonest;
  std::chrono::steady_clock::time_point silent_since_;
  bool is_idle_ = false;
  bool keeps_alive_ = false;
  bool is_head_ = false;
};

tcp::acceptor listen(asio::io_context& io, const std::string& where) {
  const auto at = parse_address(where).value();
  try {
    const auto found = tcp::resolver{io}.resolve(at.host, std::to_string(at.port), tcp::resolver::passive);
    const auto place = found.begin()->endpoint();
    tcp::acceptor acceptor{io};
    acceptor.open(place.protocol());
    acceptor.set_option(tcp::acceptor::reuse_address{true});
    acceptor.bind(place);
    acceptor.listen();
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
    host_.api = make_api(std::move(content));
    accept();
    save_uses_later();
    thread_ = std::thread{[this] { host_.io.run(); }};
  }

  ~implementation() {
    close();
    pool_.join();
    host_.calls.wait_for_all();
    host_.api->save_uses();
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
    asio::post(host_.io, [this, made = std::move(made)] { tls_ = made; });
  }

  void close() {
    std::promise<void> closed;
    asio::post(host_.io, [&] {
      if (!std::exchange(host_.closing, true)) {
        acceptor_.close();
        retry_.cancel();
        uses_.cancel();
        host_.timers.clear();
        for (auto* c : std::list<connection*>{host_.connections})
          c->close_if_idle();
      }
      closed.set_value();
    });
    closed.get_future().wait();
  }

  bool wait_for_calls(milliseconds limit) { return host_.calls.wait_for_all(limit); }

private:
  std::unique_ptr<http_api> make_api(http_content content) {
    http_api_parts p;
    p.options = host_.options;
    p.methods = std::make_shared<const control_methods>(std::move(content.methods));
    p.metrics = [text = std::move(content.metrics)] { return http_response{200, metrics_page::content_type, text()}; };
    p.version = STEADFAST_VERSION;
    p.clock = [] { return std::chrono::time_point_cast<workflow::span>(std::chrono::system_clock::now()); };
    p.on_pool = [this](std::function<void()> run) { asio::post(pool_, std::move(run)); };
    p.later = [this](milliseconds wait, std::function<void()> run) {
      asio::post(host_.io, [this, wait, run = std::move(run)]() mutable { set_timer(wait, std::move(run)); });
    };
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

  void save_uses_later() {
    uses_.expires_after(uses_saved_every);
    uses_.async_wait([this](const error_code& e) {
      if (e)
        return;
      asio::post(pool_, [this] { host_.api->save_uses(); });
      save_uses_later();
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
    if (host_.connections.size() >= host_.options.connections_max)
      return turn_away(s);
    if (tls_)
      std::make_shared<session<tls_stream>>(host_, peer, std::move(s), *tls_)->begin();
    else
      std::make_shared<session<beast::tcp_stream>>(host_, peer, std::move(s))->begin();
  }

  /// It fits into the kernel's buffer of a connection, so it never waits. With TLS nothing can be said before a
  /// handshake.
  void turn_away(tcp::socket& s) const {
    if (tls_)
      return;
    const auto body =
      response_of({503, "busy", "all connections are in use (`http.connections_max`)", {}, busy_wait}).body;
    const auto text = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\nRetry-After: 1\r\n"
                      "Connection: close\r\nContent-Length: "
                      + std::to_string(body.size()) + "\r\n\r\n" + body;
    error_code ignored;
    s.non_blocking(true, ignored);
    s.write_some(asio::buffer(text), ignored);
    s.shutdown(tcp::socket::shutdown_send, ignored);
  }

  host host_;
  asio::executor_work_guard<asio::io_context::executor_type> until_stopped_{host_.io.get_executor()};
  std::shared_ptr<asio::ssl::context> tls_;
  tcp::acceptor acceptor_;
  const std::uint16_t port_ = acceptor_.local_endpoint().port();
  asio::steady_timer retry_{host_.io};
  asio::steady_timer uses_{host_.io};
  asio::thread_pool pool_{threads}; ///< after what its threads use
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
