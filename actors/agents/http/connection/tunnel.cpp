// The ways through a proxy: CONNECT (RFC 9110, 9.3.6), SOCKS 5 (RFC 1928, RFC 1929) and SOCKS 4a.

#include "actors/agents/http/connection/opening.hpp"
#include "actors/agents/http/messages/answer_reader.hpp"
#include "actors/agents/http/messages/request_text.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace steadfast::actors {

namespace {

using boost::asio::ip::address;

constexpr std::size_t text_max = 255; ///< of a name, a user or a password in SOCKS 5

std::string bytes_of(std::initializer_list<int> values) {
  std::string bytes;
  for (const int v : values)
    bytes += static_cast<char>(v);
  return bytes;
}

std::string port_bytes(std::uint16_t port) {
  return bytes_of({port >> 8, port & 0xFF});
}

template <class Bytes>
std::string address_bytes(const Bytes& bytes) {
  return {bytes.begin(), bytes.end()};
}

class connect_tunnel : public opening {
public:
  connect_tunnel(const web_url& proxy, const web_url& to)
      : request_{"CONNECT " + to.host_and_port() + " HTTP/1.1\r\n"} {
    add_line(request_, "Host", to.host_and_port());
    if (proxy.has_user)
      add_line(request_, "Proxy-Authorization", basic_authorization(proxy.user, proxy.password));
    request_ += "\r\n";
  }

  /// Its answer has no body when it says yes, and otherwise the connection ends: the header is all that is read.
  state go_on(std::string& in, std::string& out) override {
    out += std::exchange(request_, {});
    const auto end = in.find("\r\n\r\n");
    if (end == std::string::npos)
      return in.size() > headers_max ? state::has_failed : state::goes_on;
    answer_reader reader{0, true};
    const auto head = in.substr(0, end + 4);
    in.erase(0, head.size());
    const auto s = reader.take(head);
    if (s == answer_reader::state::goes_on) // it was an interim one
      return go_on(in, out);
    status_ = s == answer_reader::state::whole ? reader.reply().status : 0;
    return status_ / 100 == 2 ? state::is_open : state::has_failed;
  }
  std::string fault() const override {
    return status_ == 0 ? "the proxy's answer is not HTTP" : "the proxy answers HTTP " + std::to_string(status_);
  }

private:
  std::string request_;
  long status_ = 0;
};

class socks5_tunnel : public opening {
public:
  socks5_tunnel(const web_url& proxy, const web_url& to) : proxy_{proxy}, to_{to} {}

  state go_on(std::string& in, std::string& out) override {
    for (;;) {
      const auto before = at_;
      const auto s = one_step(in, out);
      if (s != state::goes_on || at_ == before)
        return s;
    }
  }
  std::string fault() const override { return fault_; }

private:
  enum class place { begins, offered, authenticates, asked };

  state fail(std::string why) {
    fault_ = "the proxy " + std::move(why);
    return state::has_failed;
  }

  state one_step(std::string& in, std::string& out) {
    switch (at_) {
      case place::begins:
        if (proxy_.user.size() > text_max || proxy_.password.size() > text_max || to_.host.size() > text_max)
          return fail("cannot be told a name of more than 255 bytes");
        out += proxy_.has_user ? bytes_of({5, 2, 0, 2}) : bytes_of({5, 1, 0});
        at_ = place::offered;
        return state::goes_on;
      case place::offered: return on_method(in, out);
      case place::authenticates: return on_authenticated(in, out);
      case place::asked: return on_asked(in);
    }
    return state::has_failed;
  }

  state on_method(std::string& in, std::string& out) {
    if (in.size() < 2)
      return state::goes_on;
    const auto said = in.substr(0, 2);
    in.erase(0, 2);
    if (said == bytes_of({5, 0}))
      return ask(out);
    if (said != bytes_of({5, 2}) || !proxy_.has_user)
      return fail(said[0] == 5 ? "wants to know who asks in another way" : "does not speak SOCKS 5");
    out += bytes_of({1, static_cast<int>(proxy_.user.size())}) + proxy_.user
           + bytes_of({static_cast<int>(proxy_.password.size())}) + proxy_.password;
    at_ = place::authenticates;
    return state::goes_on;
  }

  state on_authenticated(std::string& in, std::string& out) {
    if (in.size() < 2)
      return state::goes_on;
    const bool is_well = in[1] == 0;
    in.erase(0, 2);
    return is_well ? ask(out) : fail("refuses the user or the password");
  }

  state ask(std::string& out) {
    boost::system::error_code is_name;
    const auto ip = boost::asio::ip::make_address(to_.host, is_name);
    out += bytes_of({5, 1, 0});
    if (is_name)
      out += bytes_of({3, static_cast<int>(to_.host.size())}) + to_.host;
    else
      out += ip.is_v4() ? bytes_of({1}) + address_bytes(ip.to_v4().to_bytes())
                        : bytes_of({4}) + address_bytes(ip.to_v6().to_bytes());
    out += port_bytes(to_.port);
    at_ = place::asked;
    return state::goes_on;
  }

  state on_asked(std::string& in) {
    if (in.size() < 5)
      return state::goes_on;
    if (in[0] != 5 || in[1] != 0)
      return fail("does not get through (SOCKS 5: " + std::to_string(static_cast<unsigned char>(in[1])) + ")");
    const std::size_t address_size = in[3] == 1 ? 4 : in[3] == 4 ? 16 : 1 + static_cast<unsigned char>(in[4]);
    const auto size = 4 + address_size + 2;
    if (in.size() < size)
      return state::goes_on;
    in.erase(0, size);
    return state::is_open;
  }

  const web_url proxy_;
  const web_url to_;
  place at_ = place::begins;
  std::string fault_;
};

class socks4_tunnel : public opening {
public:
  socks4_tunnel(const web_url& proxy, const web_url& to) : request_{bytes_of({4, 1}) + port_bytes(to.port)} {
    boost::system::error_code is_name;
    const auto ip = boost::asio::ip::make_address_v4(to.host, is_name);
    request_ += is_name ? bytes_of({0, 0, 0, 1}) : address_bytes(ip.to_bytes());
    request_ += proxy.user + '\0';
    if (is_name)
      request_ += to.host + '\0';
  }

  state go_on(std::string& in, std::string& out) override {
    out += std::exchange(request_, {});
    if (in.size() < answer_size)
      return state::goes_on;
    said_ = static_cast<unsigned char>(in[1]);
    in.erase(0, answer_size);
    return said_ == granted ? state::is_open : state::has_failed;
  }
  std::string fault() const override {
    return "the proxy does not get through (SOCKS 4: " + std::to_string(said_) + ")";
  }

private:
  static constexpr std::size_t answer_size = 8;
  static constexpr int granted = 0x5A;
  std::string request_;
  int said_ = 0;
};

} // namespace

std::unique_ptr<opening> open_tunnel(const web_url& proxy, const web_url& to) {
  if (proxy.scheme.starts_with("socks5"))
    return std::make_unique<socks5_tunnel>(proxy, to);
  if (proxy.scheme.starts_with("socks4"))
    return std::make_unique<socks4_tunnel>(proxy, to);
  return std::make_unique<connect_tunnel>(proxy, to);
}

} // namespace steadfast::actors
