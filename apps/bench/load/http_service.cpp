#include "apps/bench/load/http_service.hpp"

#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>

namespace steadfast::bench {
namespace {

using boost::asio::ip::tcp;

constexpr std::size_t request_max = 1 << 20;
constexpr std::string_view end_of_head = "\r\n\r\n";

/// Of the body that follows; 0 if the head does not say.
std::size_t content_length(std::string_view head) {
  constexpr std::string_view name = "\r\ncontent-length:";
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  const auto* const found = std::search(head.begin(), head.end(), name.begin(), name.end(), same);
  if (found == head.end())
    return 0;
  const auto* first = found + name.size();
  while (first != head.end() && *first == ' ')
    ++first;
  std::size_t length = 0;
  std::from_chars(first, head.end(), length);
  return length;
}

using tls_stream = boost::asio::ssl::stream<tcp::socket>;

template <class Stream>
class connection : public std::enable_shared_from_this<connection<Stream>> {
public:
  template <class... Arguments>
  explicit connection(const std::string& answer, Arguments&&... of_stream)
      : stream_{std::forward<Arguments>(of_stream)...},
        answer_{answer} {
    stream_.lowest_layer().set_option(tcp::no_delay{true});
  }

  void begin() {
    if constexpr (std::is_same_v<Stream, tls_stream>)
      stream_.async_handshake(boost::asio::ssl::stream_base::server,
                              [self = this->shared_from_this()](const boost::system::error_code& e) {
                                if (!e)
                                  self->read();
                              });
    else
      read();
  }

private:
  void read() {
    boost::asio::async_read_until(
      stream_, boost::asio::dynamic_buffer(in_, request_max), end_of_head,
      [self = this->shared_from_this()](const boost::system::error_code& e, std::size_t head) {
        if (!e)
          self->read_body(head, content_length(std::string_view{self->in_}.substr(0, head)));
      });
  }

  void read_body(std::size_t head, std::size_t length) {
    const auto whole = head + length;
    const auto missing = whole > in_.size() ? whole - in_.size() : 0;
    boost::asio::async_read(stream_, boost::asio::dynamic_buffer(in_, request_max),
                            boost::asio::transfer_exactly(missing),
                            [self = this->shared_from_this(), whole](const boost::system::error_code& e, std::size_t) {
                              if (!e)
                                self->answer(whole);
                            });
  }

  void answer(std::size_t request_size) {
    in_.erase(0, request_size);
    boost::asio::async_write(stream_, boost::asio::buffer(answer_),
                             [self = this->shared_from_this()](const boost::system::error_code& e, std::size_t) {
                               if (!e)
                                 self->read();
                             });
  }

  Stream stream_;
  const std::string& answer_;
  std::string in_;
};

} // namespace

class http_service::implementation {
public:
  implementation(const std::string& body, const std::filesystem::path& certificates)
      : answer_{"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size())
                + "\r\n\r\n" + body} {
    if (!certificates.empty()) {
      tls_.emplace(boost::asio::ssl::context::tls_server);
      tls_->use_certificate_chain_file(certificates / "localhost.pem");
      tls_->use_private_key_file(certificates / "localhost.key", boost::asio::ssl::context::pem);
    }
    accept();
    thread_ = std::thread{[this] { io_.run(); }};
  }
  ~implementation() {
    io_.stop();
    thread_.join();
  }
  implementation(const implementation&) = delete;
  implementation& operator=(const implementation&) = delete;

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

private:
  void accept() {
    acceptor_.async_accept([this](const boost::system::error_code& e, tcp::socket s) {
      if (!e && tls_)
        std::make_shared<connection<tls_stream>>(answer_, std::move(s), *tls_)->begin();
      else if (!e)
        std::make_shared<connection<tcp::socket>>(answer_, std::move(s))->begin();
      if (e != boost::asio::error::operation_aborted)
        accept();
    });
  }

  std::string answer_;
  std::optional<boost::asio::ssl::context> tls_;
  boost::asio::io_context io_{1};
  tcp::acceptor acceptor_{io_, tcp::endpoint{boost::asio::ip::address_v4::loopback(), 0}};
  std::thread thread_;
};

http_service::http_service(std::string body, const std::filesystem::path& certificates)
    : impl_{std::make_unique<implementation>(body, certificates)} {}
http_service::~http_service() = default;

std::uint16_t http_service::port() const {
  return impl_->port();
}

} // namespace steadfast::bench
