#include "runtime/http/http_session.hpp"

#include "runtime/events/change_hub.hpp"
#include "runtime/http/http_tls.hpp"
#include "runtime/http/messages/http_text.hpp"
#include "runtime/text/address.hpp"
#include "runtime/text/quantity.hpp"

#include <boost/asio/post.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <chrono>
#include <iterator>
#include <optional>
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

constexpr std::uint32_t header_max = 16 << 10;       ///< bytes
constexpr std::size_t unfinished_max = 64 << 20;     ///< bytes of bodies that are being read, of all connections
constexpr std::uint64_t of_strangers_max = 16 << 10; ///< bytes of a body that are read before it is known who asks
constexpr seconds idle_limit{75};
constexpr seconds tls_limit{5};
constexpr seconds leave_limit{2}; ///< for a client that was told all
constexpr milliseconds cancel_again{50};
constexpr milliseconds look_soonest{100}; ///< for an event, where changes are not told
constexpr milliseconds look_latest{1000};
constexpr seconds sign_of_life_every{15};

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

using http_message = http::request<http::string_body>;

bool begins_request(unsigned char first) {
  return std::isalpha(first) != 0 || first == '\r' || first == '\n';
}

bool names_a_host(beast::string_view text) {
  return text.find_first_of("@/?#\\, \t") == beast::string_view::npos;
}

std::optional<absolute_target> absolute_target_of(const http_message& h) {
  return parse_absolute({h.target().data(), h.target().size()});
}

/// The host of an absolute target counts, whatever the field says (RFC 9112, 3.2.2).
void take(const absolute_target& absolute, http_message& m) {
  m.set(http::field::host, absolute.authority);
  m.target(absolute.target);
}

/// What others on the way, such as a proxy, could read in another way than this node does. Beast takes a body that is
/// not chunked at last for none, and what follows for the next request.
std::optional<http_problem> why_unclear(const http_message& h, const std::optional<absolute_target>& absolute) {
  const auto codings = h.equal_range(http::field::transfer_encoding);
  const bool is_coded = codings.first != codings.second;
  if (is_coded
      && (h.version() < 11 || std::next(codings.first) != codings.second
          || !beast::iequals(codings.first->value(), "chunked")))
    return http_problem{400, "bad_request", "a body may be chunked, in HTTP/1.1, and have no other coding",
                        "Transfer-Encoding"};
  const auto hosts = h.count(http::field::host);
  if (hosts > 1 || (hosts == 0 && h.version() >= 11) || !names_a_host(h[http::field::host])
      || (absolute && (absolute->authority.empty() || !names_a_host(absolute->authority))))
    return http_problem{400, "bad_request", "a request names one host, with or without its port", "Host"};
  const auto encoding = h[http::field::content_encoding];
  if (!encoding.empty() && !beast::iequals(encoding, "identity"))
    return http_problem{415, "unsupported_encoding", "a body must not be compressed", "Content-Encoding"};
  return std::nullopt;
}

template <class Stream>
class session : public http_connection, public std::enable_shared_from_this<session<Stream>> {
public:
  template <class... Arguments>
  session(http_host& h, bool has_place, std::string peer, Arguments&&... of_stream)
      : host_{h},
        has_place_{has_place},
        peer_{std::move(peer)},
        network_{network_of(peer_)},
        stream_{std::forward<Arguments>(of_stream)...},
        timer_{h.io},
        place_{own_kind().insert(own_kind().end(), this)} {
    host_.figures->connections.set(host_.connections.size());
  }
  ~session() override {
    own_kind().erase(place_);
    host_.figures->connections.set(host_.connections.size());
    if (listening_)
      host_.figures->streams.set(host_.figures->streams.value() - 1);
  }
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  void begin() {
    if constexpr (is_tls)
      await_handshake();
    else
      await_words();
  }

  void close_if_idle() override {
    if (is_idle_)
      close();
  }

  const std::string& network() const override { return network_; }

  std::optional<waiting> waits() const override {
    if (!waits_since_ || events_)
      return std::nullopt;
    return waiting{*waits_since_, is_idle_};
  }

  void give_way() override {
    waits_since_.reset(); // its end comes later
    is_idle_ = false;
    close();
  }

private:
  static constexpr bool is_tls = std::is_same_v<Stream, tls_stream>;

  std::shared_ptr<session> self_() { return this->shared_from_this(); }
  beast::tcp_stream& lowest() { return beast::get_lowest_layer(stream_); }

  std::list<http_connection*>& own_kind() { return has_place_ ? host_.connections : host_.turned_away; }

  void begin_to_wait() { waits_since_ = std::chrono::steady_clock::now(); }

  void close() {
    error_code gone;
    lowest().socket().shutdown(tcp::socket::shutdown_both, gone);
    lowest().close();
    stop_reading();
  }

  /// Its first byte shows whether it is one: that of a request without TLS is a letter, or of an empty line before it.
  void await_handshake() {
    begin_to_wait();
    lowest().expires_after(tls_limit);
    lowest().async_read_some(buffer_.prepare(1), [self = self_()](const error_code& e, std::size_t size) {
      if (e)
        return;
      self->buffer_.commit(size);
      begins_request(*static_cast<const unsigned char*>(self->buffer_.data().data())) ? self->refuse_without_tls()
                                                                                      : self->shake_hands();
    });
  }

  void shake_hands() {
    if constexpr (is_tls)
      stream_.async_handshake(asio::ssl::stream_base::server, buffer_.data(),
                              [self = self_()](const error_code& e, std::size_t size) {
                                if (e)
                                  return;
                                self->buffer_.consume(size);
                                self->certificate_name_ = checked_name(self->stream_.native_handle());
                                self->await_words();
                              });
  }

  void await_words() { has_place_ ? await_request() : await_first_words(); }

  /// Clients do not expect an answer before they have asked: one that still sends may not see it.
  void await_first_words() {
    lowest().expires_after(leave_limit);
    stream_.async_read_some(asio::buffer(dropped_), [self = self_()](const error_code& e, std::size_t) {
      if (e)
        return self->close();
      self->say_and_close(no_place());
    });
  }

  /// Without TLS, as it was asked.
  void refuse_without_tls() {
    const http_problem problem{400, "needs_https", "this port takes only HTTPS: ask with https:// instead of http://"};
    host_.figures->answers.at(problem.status).add();
    piece_ = last_words(problem);
    asio::async_write(lowest(), asio::buffer(piece_), [self = self_()](const error_code& e, std::size_t) {
      if (e)
        return self->close();
      self->hang_up();
    });
  }

  void await_request() {
    if (host_.closing)
      return close();
    if (buffer_.size() > 0) // the next one came with the last
      return read_header();
    is_idle_ = true;
    begin_to_wait();
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
    begin_to_wait();
    parser_.emplace();
    parser_->header_limit(header_max);
    parser_->body_limit(host_.options.body_size_max);
    lowest().expires_never();
    is_reading_ = true;
    is_late_ = false;
    timer_.expires_after(host_.options.request_limit);
    await_lateness();
    http::async_read_header(stream_, buffer_, *parser_, [self = self_()](const error_code& e, std::size_t) {
      if (e)
        return self->refuse(e);
      self->read_body();
    });
  }

  /// The time of a stream would close it, and nothing could be said any more.
  void await_lateness() {
    timer_.async_wait([self = self_()](const error_code& e) {
      if (e || !self->is_reading_ || self->timer_.expiry() > std::chrono::steady_clock::now())
        return;
      self->is_late_ = true;
      error_code ignored;
      self->lowest().socket().cancel(ignored);
      self->timer_.expires_after(cancel_again); // for a read that has just ended, and one that follows it
      self->await_lateness();
    });
  }

  void read_body() {
    const auto length = parser_->content_length();
    if (length && *length > host_.options.body_size_max)
      return refuse(http::error::body_limit);
    const auto absolute = absolute_target_of(parser_->get());
    if (const auto problem = why_unclear(parser_->get(), absolute))
      return say_and_close(*problem);
    if (absolute)
      take(*absolute, parser_->get());
    if (!parser_->is_done() && length.value_or(host_.options.body_size_max) > of_strangers_max)
      if (auto refusal = host_.api->why_no_body(request_of(http_message{http_message::header_type{parser_->get()}})))
        return answer_and_close(*std::move(refusal));
    if (beast::iequals(parser_->get()[http::field::expect], "100-continue") && !parser_->is_done())
      return tell_to_continue();
    read_rest();
  }

  void tell_to_continue() {
    static const std::string line = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(stream_, asio::buffer(line), [self = self_()](const error_code& e, std::size_t) {
      if (!e)
        return self->read_rest();
      self->close();
    });
  }

  void read_rest() {
    if (parser_->is_done()) {
      end_body();
      return run();
    }
    http::async_read_some(stream_, buffer_, *parser_, [self = self_()](const error_code& e, std::size_t) {
      self->end_body();
      if (e)
        return self->refuse(e);
      if (!self->count_body())
        return self->say_and_close({503, "busy", "too many requests are unfinished", {}, busy_wait});
      self->read_rest();
    });
  }

  /// What has come, and not what was promised: a promise costs the client nothing. False: there is no room.
  bool count_body() {
    const auto come = parser_->get().body().size();
    if (host_.unfinished + come > unfinished_max)
      return false;
    host_.unfinished += come;
    counted_ = come;
    return true;
  }
  void end_body() { host_.unfinished -= std::exchange(counted_, 0); }

  void refuse(const error_code& e) {
    if (is_late_ && e == asio::error::operation_aborted)
      return say_and_close(too_late());
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

  http_problem too_late() const {
    return {408, "request_timeout",
            "the request had not come to its end after " + span_text(host_.options.request_limit)
              + ", and nothing was done for it: send it again, whole"};
  }

  void say_and_close(const http_problem& p) { answer_and_close(response_of(p)); }
  void answer_and_close(http_response r) {
    keeps_alive_ = false;
    is_head_ = false;
    stop_reading();
    write(std::move(r));
  }

  void stop_reading() {
    is_reading_ = false;
    timer_.cancel();
  }

  http_request request_of(http_message m) const { return {std::move(m), peer_, certificate_name_, is_tls}; }

  void run() {
    waits_since_.reset();
    auto r = request_of(parser_->release());
    parser_.reset();
    stop_reading();
    keeps_alive_ = r.message.keep_alive();
    is_head_ = r.message.method() == http::verb::head;
    lowest().expires_never();
    const auto take = [self = self_()](http_response answer) {
      asio::post(self->host_.io, [self, answer = std::move(answer)]() mutable { self->write(std::move(answer)); });
    };
    const auto c = std::make_shared<awaited<http_response>>(host_.calls, answer_of_nobody(), take);
    host_.api->answer(std::move(r), [c](http_response answer) { c->give(std::move(answer)); });
  }

  void write(http_response r) {
    host_.figures->answers.at(r.status).add();
    auto& m = out_.emplace(static_cast<http::status>(r.status), 11);
    m.set(http::field::server, "steadfast");
    m.set(http::field::date, http_date(std::chrono::system_clock::now()));
    if (!r.type.empty())
      m.set(http::field::content_type, r.type);
    for (const auto& [name, value] : r.headers)
      m.insert(name, value);
    const bool is_stream = r.events != nullptr;
    events_ = is_head_ ? nullptr : std::move(r.events);
    m.keep_alive(keeps_alive_ && !is_stream && !host_.closing);
    const auto size = r.body.size();
    const bool has_no_body = r.status == 204 || r.status == 304 || is_stream;
    if (!is_head_ && !has_no_body)
      m.body() = std::move(r.body);
    if (!has_no_body)
      m.content_length(size);
    begin_to_wait();
    lowest().expires_after(host_.options.write_limit);
    serializer_.emplace(m);
    const auto done = [self = self_()](const error_code& e, std::size_t) { self->written(e); };
    if (events_)
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
    if (events_)
      return begin_events();
    if (!goes_on)
      return hang_up();
    await_request();
  }

  /// What the client still sends is read, so that it gets the answer and no reset.
  void hang_up() {
    error_code gone;
    lowest().socket().shutdown(tcp::socket::shutdown_send, gone);
    if (events_)
      return close_soon(); // it is being read
    begin_to_wait();
    lowest().expires_after(leave_limit);
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

  void begin_events() {
    silent_since_ = std::chrono::steady_clock::now();
    const auto wake = [weak = this->weak_from_this(), &io = host_.io] {
      asio::post(io, [weak] {
        if (const auto self = weak.lock())
          self->wake();
      });
    };
    listening_ = events_->listen(wake);
    if (listening_)
      host_.figures->streams.add();
    lowest().expires_never(); // that of the head would end what watches
    watch_for_end();
    look();
  }

  /// The client says nothing more, so it is read only to notice that it leaves.
  void watch_for_end() {
    stream_.async_read_some(asio::buffer(dropped_), [self = self_()](const error_code& e, std::size_t) {
      if (!e)
        return self->watch_for_end();
      self->has_left_ = true;
      self->wake();
    });
  }

  void close_soon() {
    is_idle_ = true;
    timer_.expires_after(has_left_ ? seconds{0} : leave_limit);
    timer_.async_wait([self = self_()](const error_code&) { self->close(); });
  }

  /// There may be something new.
  void wake() {
    was_woken_ = true;
    if (is_idle_)
      timer_.cancel();
  }

  void look() {
    if (host_.closing || has_left_)
      return close();
    was_woken_ = false;
    const auto take = [self = self_()](live_stream::piece p) {
      asio::post(self->host_.io, [self, p = std::move(p)]() mutable { self->got(std::move(p)); });
    };
    const live_stream::piece end{{}, true};
    const auto c = std::make_shared<awaited<live_stream::piece>>(host_.calls, end, take);
    events_->look([c](live_stream::piece p) { c->give(std::move(p)); });
  }

  void got(live_stream::piece p) {
    const auto now = std::chrono::steady_clock::now();
    pause_ = p.text.empty() ? std::min(pause_ * 3 / 2, look_latest) : look_soonest;
    if (p.text.empty() && !p.is_last && now - silent_since_ >= sign_of_life_every)
      p.text = events_->sign_of_life();
    if (p.text.empty())
      return p.is_last ? hang_up() : rest();
    silent_since_ = now;
    piece_ = std::move(p.text);
    lowest().expires_after(host_.options.write_limit);
    asio::async_write(stream_, asio::buffer(piece_),
                      [self = self_(), last = p.is_last, more = p.has_more](const error_code& e, std::size_t) {
                        if (e)
                          return self->close();
                        self->lowest().expires_never();
                        last ? self->hang_up() : more ? self->look() : self->rest();
                      });
  }

  /// Until it is woken, or has been silent for long.
  void rest() {
    if (was_woken_)
      return look();
    is_idle_ = true;
    timer_.expires_after(events_->is_woken() ? milliseconds{sign_of_life_every} : pause_);
    timer_.async_wait([self = self_()](const error_code&) {
      self->is_idle_ = false;
      self->look();
    });
  }

  http_host& host_;
  const bool has_place_;
  const std::string peer_;
  const std::string network_;
  Stream stream_;
  asio::steady_timer timer_;
  std::list<http_connection*>::iterator place_;
  std::string certificate_name_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::size_t counted_ = 0; ///< of the body that is being read, in host_.unfinished
  std::optional<http::response<http::string_body>> out_;
  std::optional<http::response_serializer<http::string_body>> serializer_;
  std::shared_ptr<live_stream> events_;
  change_hub::listening listening_;
  std::string piece_;
  std::array<char, 512> dropped_{};
  milliseconds pause_ = look_soonest;
  std::chrono::steady_clock::time_point silent_since_;
  std::optional<std::chrono::steady_clock::time_point> waits_since_; ///< for the client
  bool is_idle_ = false;
  bool was_woken_ = false; ///< since the last look
  bool has_left_ = false;
  bool keeps_alive_ = false;
  bool is_head_ = false;
  bool is_reading_ = false; ///< a request, of which something has come
  bool is_late_ = false;    ///< that request
};

} // namespace

namespace {

void begin(http_host& h, bool has_place, const std::string& peer, tcp::socket s, asio::ssl::context* tls) {
  if (tls != nullptr)
    std::make_shared<session<tls_stream>>(h, has_place, peer, std::move(s), *tls)->begin();
  else
    std::make_shared<session<beast::tcp_stream>>(h, has_place, peer, std::move(s))->begin();
}

} // namespace

void begin_session(http_host& h, const std::string& peer, tcp::socket s, asio::ssl::context* tls) {
  begin(h, true, peer, std::move(s), tls);
}

http_problem no_place() {
  return {503, "busy", "all connections are in use (`http.connections_max`)", {}, busy_wait};
}

void turn_away(http_host& h, const std::string& peer, tcp::socket s, asio::ssl::context* tls) {
  begin(h, false, peer, std::move(s), tls);
}

} // namespace steadfast::runtime
