// The ways through a proxy, byte by byte.

#include "actors/agents/http/connection/opening.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace steadfast::actors;
using namespace std::string_literals;
using state = opening::state;

namespace {

struct tunnel {
  tunnel(const std::string& proxy, const std::string& to) : way{open_tunnel(read_url(proxy), read_url(to))} {}

  /// What it sends when this has come; `last` says what became of it.
  std::string hears(const std::string& said) {
    std::string out;
    for (const char c : said.empty() ? std::string(1, '\0') : said) {
      if (!said.empty())
        in += c;
      last = way->go_on(in, out);
    }
    return out;
  }

  std::unique_ptr<opening> way;
  std::string in;
  state last = state::goes_on;
};

} // namespace

TEST_CASE("a tunnel by CONNECT names host and port, and who asks") {
  tunnel t{"http://us%20er:word@proxy:3128", "https://host.example/x"};
  CHECK(t.hears("")
        == "CONNECT host.example:443 HTTP/1.1\r\nHost: host.example:443\r\n"
           "Proxy-Authorization: Basic dXMgZXI6d29yZA==\r\n\r\n");
  CHECK(t.last == state::goes_on);
  CHECK(t.hears("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n").empty());
  CHECK(t.last == state::is_open);
  CHECK(t.in.empty());
}

TEST_CASE("a proxy that refuses a tunnel says why") {
  tunnel t{"http://proxy", "https://[::1]:99/"};
  CHECK_THAT(t.hears(""), Catch::StartsWith("CONNECT [::1]:99 HTTP/1.1\r\n"));
  t.hears("HTTP/1.1 407 Who are you\r\nContent-Length: 5\r\n\r\n");
  CHECK(t.last == state::has_failed);
  CHECK(t.way->fault() == "the proxy answers HTTP 407");
  tunnel other{"http://proxy", "https://host/"};
  other.hears("SSH-2.0-x\r\n\r\n");
  CHECK(other.last == state::has_failed);
  CHECK_THAT(other.way->fault(), Catch::Contains("not HTTP"));
}

TEST_CASE("a tunnel by SOCKS 5") {
  tunnel t{"socks5h://proxy", "https://host/"};
  CHECK(t.hears("") == "\x05\x01\x00"s);
  CHECK(t.hears("\x05\x00"s) == "\x05\x01\x00\x03\x04host\x01\xBB"s);
  t.hears("\x05\x00\x00\x03\x02hi\x00"s);
  CHECK(t.last == state::goes_on);
  t.hears("\x50");
  CHECK(t.last == state::is_open);
  CHECK(t.in.empty());
}

TEST_CASE("a tunnel by SOCKS 5 with a user, to numbers of both families") {
  tunnel t{"socks5://user:word@proxy", "http://[::1]:80/"};
  CHECK(t.hears("") == "\x05\x02\x00\x02"s);
  CHECK(t.hears("\x05\x02") == "\x01\x04user\x04word"s);
  CHECK(t.hears("\x01\x00"s) == "\x05\x01\x00\x04"s + std::string(15, '\0') + "\x01\x00\x50"s);
  t.hears("\x05\x00\x00\x01\x7F\x00\x00\x01\x00\x50"s);
  CHECK(t.last == state::is_open);
  tunnel four{"socks5://proxy", "http://1.2.3.4:80/"};
  four.hears("");
  CHECK(four.hears("\x05\x00"s) == "\x05\x01\x00\x01\x01\x02\x03\x04\x00\x50"s);
}

TEST_CASE("what a proxy with SOCKS refuses") {
  const auto fault = [](const std::string& proxy, const std::string& to, const std::vector<std::string>& said) {
    tunnel t{proxy, to};
    t.hears("");
    for (const auto& s : said)
      t.hears(s);
    CHECK(t.last == state::has_failed);
    return t.way->fault();
  };
  CHECK_THAT(fault("socks5://p", "http://h/", {"\x05\xFF"}), Catch::Contains("wants to know who asks"));
  CHECK_THAT(fault("socks5://p", "http://h/", {"\x05\x02"}), Catch::Contains("wants to know who asks"));
  CHECK_THAT(fault("socks5://p", "http://h/", {"HT"}), Catch::Contains("does not speak SOCKS 5"));
  CHECK_THAT(fault("socks5://u:w@p", "http://h/", {"\x05\x02", "\x01\x01"}), Catch::Contains("refuses the user"));
  CHECK_THAT(fault("socks5://p", "http://h/", {"\x05\x00"s, "\x05\x05\x00\x01\x00"s}), Catch::Contains("SOCKS 5: 5"));
  CHECK_THAT(fault("socks4://p", "http://h/", {"\x00\x5B\x00\x00\x00\x00\x00\x00"s}), Catch::Contains("SOCKS 4: 91"));
  tunnel long_name{"socks5://p", "http://" + std::string(256, 'h') + "/"};
  long_name.hears("");
  CHECK(long_name.last == state::has_failed);
}

TEST_CASE("a tunnel by SOCKS 4, to a number and to a name") {
  tunnel number{"socks4://user@proxy", "http://1.2.3.4:80/"};
  CHECK(number.hears("") == "\x04\x01\x00\x50\x01\x02\x03\x04user\x00"s);
  tunnel name{"socks4a://proxy", "http://host:80/"};
  CHECK(name.hears("") == "\x04\x01\x00\x50\x00\x00\x00\x01\x00host\x00"s);
  name.hears("\x00\x5A\x00\x00\x00\x00\x00\x00"s);
  CHECK(name.last == state::is_open);
  CHECK(name.in.empty());
}
