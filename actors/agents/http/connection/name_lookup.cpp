#include "actors/agents/http/connection/name_lookup.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <cstring>
#include <utility>

namespace steadfast::actors {

namespace {

using boost::asio::ip::address;

constexpr std::chrono::seconds kept_for{10}; ///< what a name has meant

address address_of(const sockaddr& a) {
  if (a.sa_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(a);
    return boost::asio::ip::address_v4{ntohl(v4.sin_addr.s_addr)};
  }
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(a);
  boost::asio::ip::address_v6::bytes_type bytes;
  std::memcpy(bytes.data(), v6.sin6_addr.s6_addr, bytes.size());
  return boost::asio::ip::address_v6{bytes, v6.sin6_scope_id};
}

/// Blocks for as long as the system takes.
std::pair<name_lookup::addresses, std::string> look_up(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int fault = getaddrinfo(host.c_str(), nullptr, &hints, &found); fault != 0)
    return {{}, std::string{"its name cannot be looked up: "} + gai_strerror(fault)};
  name_lookup::addresses all;
  for (const auto* i = found; i != nullptr; i = i->ai_next)
    if (i->ai_family == AF_INET || i->ai_family == AF_INET6)
      all.push_back(address_of(*i->ai_addr));
  freeaddrinfo(found);
  return {all, all.empty() ? "its name has no address" : ""};
}

} // namespace

name_lookup::name_lookup(boost::asio::io_context& io, std::string host) : host_{std::move(host)}, kept_{io} {
  place_->io = &io;
}

name_lookup::~name_lookup() {
  const std::lock_guard lock{place_->mutex};
  place_->io = nullptr;
}

void name_lookup::find(taker take) {
  boost::system::error_code is_name;
  if (known_.empty())
    if (const auto ip = boost::asio::ip::make_address(host_, is_name); !is_name)
      known_ = {ip};
  if (!known_.empty())
    return take(known_, {});
  waiting_.push_back(std::move(take));
  if (waiting_.size() == 1)
    begin();
}

void name_lookup::begin() {
  threads_.carry_out([host = host_, place = place_, self = weak_from_this()] {
    auto found = look_up(host);
    const std::lock_guard lock{place->mutex};
    if (place->io != nullptr)
      boost::asio::post(*place->io, [self, found = std::move(found)]() mutable {
        if (const auto there = self.lock())
          there->take(std::move(found.first), found.second);
      });
  });
}

void name_lookup::take(addresses found, const std::string& fault) {
  known_ = std::move(found);
  kept_.expires_after(kept_for);
  kept_.async_wait([self = weak_from_this()](const boost::system::error_code& is_cancelled) {
    if (const auto there = self.lock(); there && !is_cancelled)
      there->forget();
  });
  for (const auto of_them = known_; const auto& take : std::exchange(waiting_, {}))
    take(of_them, fault);
}

void name_lookup::forget() {
  known_.clear();
}

} // namespace steadfast::actors
