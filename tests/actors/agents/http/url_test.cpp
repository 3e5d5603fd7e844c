#include "actors/agents/url.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::actors;

TEST_CASE("a URL is taken apart") {
  const auto u = read_url("https://user:w%40rd@host.example:8443/a/b?c=d%20e#f");
  CHECK(u.fault.empty());
  CHECK(u.is_tls());
  CHECK(u.host == "host.example");
  CHECK(u.port == 8443);
  CHECK(u.target == "/a/b?c=d%20e");
  CHECK(u.user == "user");
  CHECK(u.password == "w@rd");
  CHECK(u.has_user);
  CHECK(u.has_fragment);
  CHECK(u.authority() == "host.example:8443");
}

TEST_CASE("what a URL does not say is that of its scheme") {
  const auto plain = read_url("http://host");
  CHECK(plain.port == 80);
  CHECK(plain.target == "/");
  CHECK(plain.authority() == "host");
  CHECK(plain.host_and_port() == "host:80");
  CHECK_FALSE(plain.has_user);
  CHECK_FALSE(plain.has_fragment);
  CHECK(read_url("https://host").port == 443);
  CHECK(read_url("http://host:443/").authority() == "host:443");
  CHECK(read_url("http://host:/x").port == 80);
  CHECK(read_url("socks5h://host").port == 1080);
  CHECK(read_url("http://host?a=/b@c").target == "/?a=/b@c");
}

TEST_CASE("a number of IPv6 stands in brackets") {
  const auto u = read_url("http://[fd00::1]:8080/x");
  CHECK(u.host == "fd00::1");
  CHECK(u.authority() == "[fd00::1]:8080");
  CHECK(read_url("http://[::1]/").authority() == "[::1]");
  const auto zoned = read_url("http://[fe80::1%25eth0]/");
  CHECK(zoned.host == "fe80::1%eth0");
  CHECK(zoned.authority() == "[fe80::1]");
}

TEST_CASE("what is no URL has a fault, which shows nothing of it") {
  for (const auto* bad : {"",
                          "canary",
                          "http:/canary",
                          "http://",
                          "http://:80/",
                          "http://canary:0/",
                          "http://canary:65536/",
                          "http://canary:8o/",
                          "http://[canary]/",
                          "http://[::1",
                          "http://[::1]canary/",
                          "http://[::1%]/",
                          "http://can ary/",
                          "http://canary/\x7F",
                          "http://c%zz/",
                          "http://c%2",
                          "http://us%er:canary@host/",
                          "http://a%00b/",
                          "http://a\\b/",
                          "http://a%2Fb/"}) {
    INFO(bad);
    const auto fault = read_url(bad).fault;
    CHECK_FALSE(fault.empty());
    CHECK_THAT(fault, !Catch::Contains("canary"));
  }
}
