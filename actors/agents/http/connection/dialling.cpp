#include "actors/agents/http/connection/dialling.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <utility>

namespace steadfast::actors {

namespace {

using boost::system::error_code;

constexpr std::chrono::milliseconds alone_for{250}; ///< an address, before the next is tried (RFC 8305, 5)

/// Not one of Asio's own, which programs that the process starts would have too.
error_code open_socket(boost::asio::ip::tcp::socket& s, const boost::asio::ip::tcp& protocol) {
  error_code e;
  const int made = ::socket(protocol.family(), protocol.type() | SOCK_CLOEXEC, protocol.protocol());
  if (made < 0)
    return {errno, boost::system::system_category()};
  s.assign(protocol, made, e);
  return e;
}

} // namespace

dialling::dialling(boost::asio::io_context& io, std::vector<boost::asio::ip::address> addresses, std::uint16_t port,
                   taker take)
    : io_{io},
      addresses_{std::move(addresses)},
      port_{port},
      take_{std::move(take)},
      next_one_{io} {}

void dialling::cancel() {
  take_ = nullptr;
  next_one_.cancel();
  error_code gone;
  for (const auto& s : std::exchange(tried_, {}))
    s->close(gone);
}

void dialling::try_next() {
  if (!take_ || tried_.size() == addresses_.size())
    return;
  const boost::asio::ip::tcp::endpoint to{addresses_[tried_.size()], port_};
  const auto s = tried_.emplace_back(std::make_shared<socket>(io_));
  next_one_.expires_after(alone_for);
  next_one_.async_wait([self = shared_from_this()](const error_code& is_cancelled) {
    if (!is_cancelled)
      self->try_next();
  });
  const auto done = [self = shared_from_this(), s](const error_code& e) { self->on_end(s, e); };
  if (const auto e = open_socket(*s, to.protocol()))
    return done(e);
  s->async_connect(to, done);
}

void dialling::on_end(const std::shared_ptr<socket>& s, const error_code& e) {
  if (!take_)
    return;
  if (e && ++failed_ < addresses_.size())
    return failed_ == tried_.size() ? try_next() : void();
  const auto take = std::exchange(take_, nullptr);
  auto made = std::move(*s);
  cancel();
  take(e ? nullptr : &made, e.message());
}

} // namespace steadfast::actors
