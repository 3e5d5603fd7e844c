#include "runtime/links/handshake.hpp"

#include "runtime/links/greeting.hpp"
#include "runtime/tls/tls_text.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <optional>
#include <system_error>
#include <utility>

namespace steadfast::runtime {

namespace {

using boost::asio::ip::tcp;
using error = boost::system::error_code;

constexpr std::chrono::seconds connect_limit{2};
constexpr std::chrono::seconds handshake_limit{5};
constexpr std::chrono::seconds farewell_limit{1}; ///< for a refused peer to read the reason
constexpr std::size_t unheard_max = 256 << 10;    ///< bytes of a refused peer that are still read

class handshake : public std::enable_shared_from_this<handshake> {
public:
  handshake(tcp::socket s, handshake_terms terms, handshake_end then, bool dials)
      : terms_{std::move(terms)},
        then_{std::move(then)},
        dials_{dials},
        timer_{s.get_executor()},
        socket_{std::move(s)} {}

  /// A handler that continues with `next` if nothing went wrong.
  template <class Next>
  auto guarded(Next next) {
    return [self = shared_from_this(), next](const error& e, std::size_t = 0) {
      if (self->is_over_)
        return self->end();
      if (e)
        return self->fail(self->text_of(e));
      next(*self);
    };
  }

  void connect(const tcp::resolver::results_type& places) {
    limit(connect_limit, "Connection timed out");
    boost::asio::async_connect(socket_, places, [go_on = guarded([](handshake& h) {
                                                   h.begin();
                                                 })](const error& e, const tcp::endpoint&) { go_on(e); });
  }

  void begin() {
    error gone;
    socket_.set_option(tcp::no_delay{true}, gone);
    socket_.set_option(boost::asio::socket_base::keep_alive{true}, gone);
    address_ = socket_.remote_endpoint(gone).address().to_string();
    limit(handshake_limit, dials_
                             ? "it accepts connections and does not answer"
                             : "it did not say who it is within " + std::to_string(handshake_limit.count()) + " s");
    if (!terms_.shown)
      return greet();
    tls_ =
      std::make_unique<tls_stream>(std::move(socket_), const_cast<boost::asio::ssl::context&>(terms_.shown->context));
    tls_->set_verify_callback([name = shown_name_](bool is_good, boost::asio::ssl::verify_context& chain) {
      if (auto* c = X509_STORE_CTX_get0_cert(chain.native_handle()))
        *name = facts_of(c).vouches.name;
      return is_good;
    });
    tls_->async_handshake(dials_ ? tls_stream::client : tls_stream::server, guarded([](handshake& h) { h.greet(); }));
  }

private:
  template <class Use>
  void with_stream(Use use) {
    if (tls_)
      use(*tls_);
    else
      use(socket_);
  }

  tcp::socket& lowest() { return tls_ ? tls_->next_layer() : socket_; }

  void limit(std::chrono::milliseconds after, std::string why) {
    timer_.expires_after(after);
    timer_.async_wait([self = shared_from_this(), why = std::move(why)](const error& e) {
      if (e || self->is_over_)
        return;
      self->why_ = why;
      self->close();
    });
  }

  // ---- the greeting ----

  void greet() {
    if (dials_)
      write(hello_text(terms_.own), [](handshake& h) { h.read([](handshake& x) { x.on_welcome(); }); });
    else
      read([](handshake& h) { h.on_hello(); });
  }

  void on_hello() {
    const auto claim = parse_hello(text_);
    if (!claim)
      return fail("it does not speak as a node does");
    peer_ = *claim;
    why_ = why_not(peer_);
    if (why_.empty())
      return write(welcome_text(terms_.own), [](handshake& h) { h.hand_over(); });
    const auto said = why_;
    why_ = std::string{to_string(peer_.kind)} + " " + peer_.name + ": " + said;
    write(welcome_text(refusal{said}), [](handshake& h) { h.bid_farewell(); });
  }

  void on_welcome() {
    const auto answer = parse_welcome(text_);
    if (!answer)
      return fail("it does not speak as a node does");
    if (const auto* r = std::get_if<refusal>(&*answer))
      return fail("it refuses this node, and says: " + r->why);
    peer_ = std::get<workflow::peer_claim>(*answer);
    if (peer_.kind == workflow::peer_kind::client)
      return fail("it is a client and no node");
    if (auto why = why_not(peer_); !why.empty())
      return fail(std::move(why));
    hand_over();
  }

  std::string why_not(const workflow::peer_claim& peer) {
    if (auto why = why_not_understood(terms_.own, peer); !why.empty())
      return why;
    if (!tls_)
      return {};
    const std::unique_ptr<X509, decltype(&X509_free)> shown{SSL_get1_peer_certificate(tls_->native_handle()),
                                                            X509_free};
    return why_not_vouched(facts_of(shown.get()).vouches, peer);
  }

  template <class Next>
  void write(const std::string& text, Next next) {
    out_ = framed(text);
    with_stream([&](auto& stream) { boost::asio::async_write(stream, boost::asio::buffer(out_), guarded(next)); });
  }

  /// Exactly one frame: what follows it is for CAF.
  template <class Next>
  void read(Next next) {
    with_stream([&](auto& stream) {
      boost::asio::async_read(stream, boost::asio::buffer(head_), guarded([next](handshake& h) { h.read_text(next); }));
    });
  }

  template <class Next>
  void read_text(Next next) {
    const auto size = text_size(head_);
    if (!size)
      return fail(what_begins_so(head_));
    text_.resize(*size);
    with_stream([&](auto& stream) { boost::asio::async_read(stream, boost::asio::buffer(text_), guarded(next)); });
  }

  // ---- how it ends ----

  std::string text_of(const error& e) {
    if (tls_)
      return tls_failure_text(e, tls_->native_handle(), *shown_name_);
    if (address_.empty())
      return e.message(); // nobody is there
    return e == boost::asio::error::eof || e == boost::asio::error::connection_reset ? "it ended the connection at once"
                                                                                     : e.message();
  }

  void hand_over() {
    is_over_ = true;
    timer_.cancel();
    try {
      owned_socket end{tls_ ? relayed() : owned_socket{socket_.release()}};
      finish(link_end{std::move(end), peer_, address_});
    } catch (const std::system_error& e) {
      finish(std::string{"this node has no socket left for it: "} + e.what());
    }
  }

  owned_socket relayed() {
    if (dials_ || peer_.kind != workflow::peer_kind::client)
      return terms_.tls_links->begin(std::move(tls_));
    return terms_.tls_links->begin_for_client(std::move(tls_), frame_filter{*terms_.for_clients},
                                              [cut = terms_.on_cut_off, who = address_, name = peer_.name](
                                                const std::string& why) { cut(who, "client " + name + ": " + why); });
  }

  void fail(std::string why) {
    why_ = std::move(why);
    if (dials_)
      return close();
    bid_farewell();
  }

  /// Closing at once could destroy the last words before they are read.
  void bid_farewell() {
    is_over_ = true;
    error gone;
    lowest().shutdown(boost::asio::socket_base::shutdown_send, gone);
    timer_.expires_after(farewell_limit);
    timer_.async_wait([self = shared_from_this()](const error& e) {
      if (!e)
        self->close();
    });
    drain();
  }

  void drain() {
    lowest().async_read_some(boost::asio::buffer(unheard_), [self = shared_from_this()](const error& e, std::size_t n) {
      self->drained_ += n;
      if (e || self->drained_ > unheard_max)
        return self->close();
      self->drain();
    });
  }

  void close() {
    is_over_ = true;
    timer_.cancel();
    error gone;
    lowest().close(gone);
    end();
  }

  void end() { finish(why_); }

  void finish(handshake_result r) {
    if (then_)
      std::exchange(then_, nullptr)(std::move(r));
  }

  handshake_terms terms_;
  handshake_end then_;
  const bool dials_;
  boost::asio::steady_timer timer_;
  tcp::socket socket_;                                                              ///< plain, or until TLS has begun
  std::unique_ptr<tls_stream> tls_;                                                 ///< from then on
  const std::shared_ptr<std::string> shown_name_ = std::make_shared<std::string>(); ///< by a certificate, good or not
  std::string address_;
  workflow::peer_claim peer_;
  frame_head head_{};
  std::string text_;
  std::string out_;
  std::array<char, 4096> unheard_{};
  std::size_t drained_ = 0;
  std::string why_;
  bool is_over_ = false;
};

} // namespace

void greet_who_dialed(tcp::socket s, handshake_terms terms, handshake_end then) {
  std::make_shared<handshake>(std::move(s), std::move(terms), std::move(then), false)->begin();
}

void greet_by_dialing(tcp::socket s, const tcp::resolver::results_type& places, handshake_terms terms,
                      handshake_end then) {
  std::make_shared<handshake>(std::move(s), std::move(terms), std::move(then), true)->connect(places);
}

} // namespace steadfast::runtime
