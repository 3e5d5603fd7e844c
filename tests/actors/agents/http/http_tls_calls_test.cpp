// HTTPS: which servers are trusted, and what goes over TLS.

#include "actors/agents/http/http_caller.hpp"
#include "tests/actors/agents/collected_answers.hpp"
#include "tests/actors/agents/http/names.hpp"
#include "tests/actors/agents/http/tls_service.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using namespace steadfast::actors;
using tests::call_with;
using tests::collected_answers;
using tests::identity;
using tests::named_host;
using tests::talk;
using tests::talking_service;
using tests::tls_over;
using tests::tls_talk;

namespace {

constexpr std::string_view call_end = "\r\n\r\n{}";

std::string answer_with(const std::string& body) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// An authority, and the file that names it.
struct trust {
  trust() { authority.write(file()); }
  std::string file() const { return folder.path() / "authority.pem"; }

  tests::temp_folder folder;
  identity authority = tests::new_authority();
};

/// A service with that identity, which answers each call with the name that it was asked for.
struct secure_service {
  explicit secure_service(identity of, int version_max = 0)
      : who{std::move(of)},
        service{[this, version_max](talk& t) {
          auto tls = tls_over(t, who, version_max);
          if (!tls.shake_hands())
            return;
          while (tls.hear_until(call_end).ends_with(call_end)) {
            ++calls;
            tls.say(answer_with('"' + tls.asked_for() + '"'));
          }
        }} {}

  http_options options(const std::string& host, const trust& by) const {
    http_options o;
    o.url = "https://" + host + ":" + std::to_string(service.port) + "/charge";
    o.ca_file = by.file();
    return o;
  }

  const identity who;
  std::atomic<int> calls = 0;
  talking_service service;
};

struct caller_of {
  explicit caller_of(const http_options& o) : caller{make_http_caller(o, 100'000, answers.over())} {}

  answer answer_to(call_ticket ticket, std::string input = "{}") {
    caller->start(ticket, call_with(std::move(input)));
    const auto a = answers.wait(ticket);
    REQUIRE(a);
    return *a;
  }

  collected_answers answers;
  std::unique_ptr<actors::caller> caller;
};

void check_refused(const secure_service& s, const http_options& o, const std::string& why) {
  const auto a = caller_of{o}.answer_to(1);
  INFO(a.why);
  CHECK(a.kind == report_kind::failed_transient);
  CHECK_FALSE(a.maybe_done);
  CHECK_THAT(a.why, Catch::Contains(why));
  CHECK(s.calls == 0);
}

} // namespace

TEST_CASE("P32: a server is called whose certificate is for its name or number, by a trusted authority") {
  const trust t;
  const named_host name{"service.test", {"127.0.0.1"}};
  secure_service s{tests::new_server(t.authority, "DNS:service.test,DNS:*.wild.test,IP:127.0.0.1")};
  caller_of by_name{s.options("service.test", t)};
  CHECK(by_name.answer_to(1).result == "\"service.test\"");
  CHECK(by_name.answer_to(2).kind == report_kind::succeeded);
  CHECK(s.service.connections == 1);
  CHECK(caller_of{s.options("127.0.0.1", t)}.answer_to(1).result == "\"\""); // numbers are no names for SNI
  const named_host wild{"a.wild.test", {"127.0.0.1"}};
  CHECK(caller_of{s.options("a.wild.test", t)}.answer_to(1).kind == report_kind::succeeded);
}

TEST_CASE("P32: a server with a certificate for another name or number is not called") {
  const trust t;
  const named_host name{"service.test", {"127.0.0.1"}};
  const named_host deep{"a.b.wild.test", {"127.0.0.1"}};
  secure_service s{tests::new_server(t.authority, "DNS:other.test,DNS:*.wild.test,IP:127.0.0.2")};
  check_refused(s, s.options("service.test", t), "its certificate is refused: hostname mismatch");
  check_refused(s, s.options("a.b.wild.test", t), "hostname mismatch");
  check_refused(s, s.options("127.0.0.1", t), "IP address mismatch");
}

TEST_CASE("P32: a server whose authority is not trusted, or whose time is over, is not called") {
  const trust t;
  const named_host name{"service.test", {"127.0.0.1"}};
  secure_service stranger{tests::new_server(tests::new_authority(), "DNS:service.test")};
  check_refused(stranger, stranger.options("service.test", t), "its certificate is refused");
  auto by_system = stranger.options("service.test", t);
  by_system.ca_file.clear();
  check_refused(stranger, by_system, "its certificate is refused");
  secure_service old{tests::new_server(t.authority, "DNS:service.test", -1)};
  check_refused(old, old.options("service.test", t), "certificate has expired");
}

TEST_CASE("P32: TLS before 1.2 is not spoken") {
  const trust t;
  const named_host name{"service.test", {"127.0.0.1"}};
  secure_service old{tests::new_server(t.authority, "DNS:service.test"), TLS1_1_VERSION};
  check_refused(old, old.options("service.test", t), "TLS failed");
  secure_service enough{tests::new_server(t.authority, "DNS:service.test"), TLS1_2_VERSION};
  CHECK(caller_of{enough.options("service.test", t)}.answer_to(1).kind == report_kind::succeeded);
}

TEST_CASE("what is no TLS, and authorities that cannot be read, are named") {
  const trust t;
  talking_service plain{[](talk& p) {
    p.hear();
    p.say("HTTP/1.1 400 Plain HTTP\r\n\r\n");
  }};
  http_options o;
  o.url = "https://" + plain.authority() + "/";
  const auto a = caller_of{o}.answer_to(1);
  CHECK_FALSE(a.maybe_done);
  CHECK_THAT(a.why, Catch::Contains("TLS failed: wrong version number"));
  o.ca_file = t.folder.path() / "nothing.pem";
  CHECK_THAT(caller_of{o}.answer_to(1).why, Catch::Contains("nothing.pem cannot be read"));
}

TEST_CASE("large requests and answers go over TLS as they are") {
  const trust t;
  const identity who = tests::new_server(t.authority, "IP:127.0.0.1");
  const std::string large(60'000, 'x');
  talking_service s{[&](talk& p) {
    auto tls = tls_over(p, who);
    if (!tls.shake_hands())
      return;
    const auto request = tls.hear_until("END");
    tls.say(answer_with(request.ends_with(large + "END") ? large : "wrong"));
  }};
  http_options o;
  o.url = "https://" + s.authority() + "/";
  o.ca_file = t.file();
  CHECK(caller_of{o}.answer_to(1, large + "END").result == large);
}

TEST_CASE("row 75: an answer without a length over TLS is whole only when its server says so") {
  const trust t;
  const identity who = tests::new_server(t.authority, "IP:127.0.0.1");
  talking_service s{[&](talk& p) {
    auto tls = tls_over(p, who);
    if (!tls.shake_hands())
      return;
    tls.hear_until(call_end);
    tls.say("HTTP/1.1 200 OK\r\n\r\nwhole?");
    if (p.number == 0)
      tls.end();
  }};
  http_options o;
  o.url = "https://" + s.authority() + "/";
  o.ca_file = t.file();
  caller_of c{o};
  CHECK(c.answer_to(1).result == "whole?");
  const auto cut = c.answer_to(2);
  CHECK(cut.kind == report_kind::failed_transient);
  CHECK(cut.maybe_done);
}

TEST_CASE("row 75: a call over a kept connection with TLS that the service has ended is made over a new one") {
  const trust t;
  const identity who = tests::new_server(t.authority, "IP:127.0.0.1");
  talking_service s{[&](talk& p) {
    auto tls = tls_over(p, who);
    if (!tls.shake_hands())
      return;
    tls.hear_until(call_end);
    tls.say(answer_with(std::to_string(p.number)));
    tls.end();
  }};
  http_options o;
  o.url = "https://" + s.authority() + "/";
  o.ca_file = t.file();
  caller_of c{o};
  CHECK(c.answer_to(1).result == "0");
  REQUIRE(tests::comes_true([&] { return s.ended == 1; }));
  CHECK(c.answer_to(2).result == "1");
}

TEST_CASE("TLS goes through a proxy, also within TLS") {
  const trust t;
  const identity of_proxy = tests::new_server(t.authority, "IP:127.0.0.1");
  const identity of_service = tests::new_server(t.authority, "DNS:service.test");
  const auto as_service = [&](tls_talk tls) {
    if (tls.shake_hands() && tls.hear_until(call_end).starts_with("POST /charge HTTP/1.1\r\nHost: service.test\r\n"))
      tls.say(answer_with("1"));
  };
  constexpr std::string_view established = "HTTP/1.1 200 Connection established\r\n\r\n";
  talking_service plain{[&](talk& p) {
    if (p.hear_until("\r\n\r\n").starts_with("CONNECT service.test:443 HTTP/1.1\r\n")) {
      p.say(established);
      as_service(tls_over(p, of_service));
    }
  }};
  talking_service secret{[&](talk& p) {
    auto outer = tls_over(p, of_proxy);
    if (outer.shake_hands() && outer.hear_until("\r\n\r\n").starts_with("CONNECT service.test:443 HTTP/1.1\r\n")) {
      outer.say(established);
      as_service({of_service, [&] { return outer.hear(); }, [&](std::string_view bytes) { outer.say(bytes); }});
    }
  }};
  http_options o;
  o.url = "https://service.test/charge"; // which nobody but the proxy looks up
  o.ca_file = t.file();
  o.proxy = "http://" + plain.authority();
  CHECK(caller_of{o}.answer_to(1).result == "1");
  o.proxy = "https://" + secret.authority();
  CHECK(caller_of{o}.answer_to(1).result == "1");
}
