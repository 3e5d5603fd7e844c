// What becomes of calls when connections do not, against real sockets on loopback.

#include "actors/agents/http/http_caller.hpp"
#include "actors/agents/http/http_calls.hpp"
#include "actors/agents/http/http_loop.hpp"
#include "tests/actors/agents/collected_answers.hpp"
#include "tests/actors/agents/http/names.hpp"
#include "tests/actors/agents/http/talking_service.hpp"
#include "tests/support/comes_true.hpp"

#include <boost/asio/post.hpp>

#include <arpa/inet.h>
#include <fcntl.h>

#include <future>
#include <set>
#include <string>

using namespace steadfast;
using namespace steadfast::actors;
using namespace std::chrono_literals;
using tests::call_with;
using tests::collected_answers;
using tests::comes_true;
using tests::talk;
using tests::talking_service;

namespace {

struct calling {
  explicit calling(http_options o) : caller{make_http_caller(std::move(o), 1000, answers.over())} {}

  answer answer_to(call_ticket ticket) {
    caller->start(ticket, call_with("{}"));
    const auto a = answers.wait(ticket);
    REQUIRE(a);
    return *a;
  }

  collected_answers answers;
  std::unique_ptr<actors::caller> caller;
};

/// Answers each call with how many calls came before it.
void answer_all(const talk& t, std::atomic<int>& calls) {
  while (t.hear_call().ends_with("{}"))
    t.answer(std::to_string(calls++));
}

/// Nobody there gets to connect, and nobody is refused.
class deaf_place {
public:
  deaf_place(const char* address, std::uint16_t port) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(port);
    REQUIRE(inet_pton(AF_INET, address, &at.sin_addr) == 1);
    REQUIRE(bind(listening_, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0);
    REQUIRE(listen(listening_, 0) == 0);
    for (const int fd : waiting_) // more than it has room for
      static_cast<void>(connect(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at));
  }
  ~deaf_place() {
    close(listening_);
    for (const int fd : waiting_)
      close(fd);
  }
  deaf_place(const deaf_place&) = delete;
  deaf_place& operator=(const deaf_place&) = delete;

private:
  static int new_socket() { return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }
  const int listening_ = new_socket();
  const std::array<int, 3> waiting_{new_socket(), new_socket(), new_socket()};
};

} // namespace

TEST_CASE("row 75: a call over a kept connection that the service has closed is made over a new one") {
  std::atomic<int> calls = 0;
  talking_service s{[&](talk& t) {
    if (t.number > 0)
      return answer_all(t, calls);
    t.hear_call();
    t.answer("\"first\"");
  }};
  calling c{s.options};
  CHECK(c.answer_to(1).result == "\"first\"");
  REQUIRE(comes_true([&] { return s.ended == 1; }));
  CHECK(c.answer_to(2).result == "0");
  CHECK(s.connections == 2);
  CHECK(calls == 1);
}

TEST_CASE("row 75: a connection that the service closed is not used, though the loop had no time to see it") {
  std::atomic<int> calls = 0;
  std::promise<void> closes;
  talking_service s{[&](talk& t) {
    if (t.number > 0)
      return answer_all(t, calls);
    t.hear_call();
    t.answer("1");
    closes.get_future().wait();
  }};
  const auto loop = std::make_shared<http_loop>();
  collected_answers answers;
  const auto caller = make_http_caller(s.options, 1000, answers.over(), {}, loop);
  caller->start(1, call_with("{}"));
  REQUIRE(answers.wait(1));
  std::promise<void> is_busy;
  std::promise<void> goes_on;
  boost::asio::post(loop->io(), [&is_busy, wait = goes_on.get_future().share()] {
    is_busy.set_value();
    wait.wait();
  });
  is_busy.get_future().wait();
  closes.set_value();
  const bool has_closed = comes_true([&] { return s.ended == 1; });
  caller->start(2, call_with("{}"));
  goes_on.set_value();
  CHECK(has_closed);
  CHECK(answers.wait(2)->result == "0");
}

TEST_CASE("row 75: a service that closed its kept connection and is gone was not reached") {
  talking_service s{[](talk& t) {
    t.hear_call();
    t.answer("1");
  }};
  calling c{s.options};
  CHECK(c.answer_to(1).kind == report_kind::succeeded);
  REQUIRE(comes_true([&] { return s.ended == 1; }));
  s.go_away();
  const auto a = c.answer_to(2);
  CHECK(a.kind == report_kind::failed_transient);
  CHECK_FALSE(a.maybe_done);
}

TEST_CASE("row 75: what a service says unasked is the answer to nothing") {
  std::atomic<int> calls = 0;
  std::atomic<bool> has_spoken = false;
  talking_service s{[&](talk& t) {
    if (t.number > 0)
      return answer_all(t, calls);
    t.hear_call();
    t.answer("\"asked\"");
    t.answer("\"unasked\"");
    has_spoken = true;
    t.hear(); // until the other end hangs up
  }};
  calling c{s.options};
  CHECK(c.answer_to(1).result == "\"asked\"");
  REQUIRE(comes_true([&] { return has_spoken.load(); }));
  CHECK(c.answer_to(2).result == "0");
}

TEST_CASE("an answer without a length ends with its connection, which is kept by nobody") {
  talking_service s{[](talk& t) {
    t.hear_call();
    t.say("HTTP/1.0 200 OK\r\n\r\n" + std::to_string(t.number));
  }};
  calling c{s.options};
  CHECK(c.answer_to(1).result == "0");
  CHECK(c.answer_to(2).result == "1");
}

TEST_CASE("interim answers are skipped over the connection, and it is kept") {
  talking_service s{[](talk& t) {
    while (t.hear_call().ends_with("{}"))
      t.say("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n7\r\n0\r\n\r\n");
  }};
  calling c{s.options};
  CHECK(c.answer_to(1).result == "7");
  CHECK(c.answer_to(2).result == "7");
  CHECK(s.connections == 1);
}

TEST_CASE("an answer whose headers are too large fails for now, and may have acted") {
  talking_service s{[](talk& t) {
    t.hear_call();
    t.say("HTTP/1.1 200 OK\r\nX: " + std::string(headers_max, 'x') + "\r\n\r\n");
  }};
  const auto a = calling{s.options}.answer_to(1);
  CHECK(a.kind == report_kind::failed_transient);
  CHECK(a.maybe_done);
  CHECK_THAT(a.why, Catch::Contains("65536 bytes of headers"));
}

TEST_CASE("a request of many megabytes arrives, and so does an answer that comes before its end") {
  constexpr std::size_t size = 16 << 20;
  talking_service s{[](talk& t) {
    if (t.number == 0)
      return t.answer(std::to_string(t.hear_until("END").size() > size));
    t.hear();
    t.say("HTTP/1.1 413 Too large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    while (!t.hear().empty()) // so that it is not reset before it is read
      ;
  }};
  calling c{s.options};
  for (const call_ticket ticket : {1UL, 2UL})
    c.caller->start(ticket, call_with(std::string(size, ' ') + "END"));
  std::set<report_kind> kinds{c.answers.wait(1)->kind, c.answers.wait(2)->kind};
  CHECK(kinds == std::set{report_kind::succeeded, report_kind::failed_permanent});
}

TEST_CASE("a stopped call closes its connection") {
  std::atomic<bool> has_asked = false;
  talking_service s{[&](talk& t) {
    t.hear_call();
    has_asked = true;
    t.hear(); // until the other end hangs up
  }};
  calling c{s.options};
  c.caller->start(1, call_with("{}"));
  REQUIRE(comes_true([&] { return has_asked.load(); }));
  c.caller->stop(1);
  CHECK(comes_true([&] { return s.ended == 1; }));
  CHECK(c.answers.wait(1)->kind == report_kind::stopped);
}

TEST_CASE("a call can be stopped while it is being connected, and is over once") {
  talking_service s{[](talk& t) { t.hear(); }};
  const deaf_place deaf{"127.0.0.2", s.port};
  auto o = s.options;
  o.url = "http://127.0.0.2:" + std::to_string(s.port) + "/";
  calling c{o};
  c.caller->start(1, call_with("{}"));
  c.caller->stop(1);
  CHECK(c.answers.wait(1)->kind == report_kind::stopped);
}

TEST_CASE("connect_limit ends the wait for a service that does not answer, which was not reached") {
  talking_service s{[](talk& t) { t.hear(); }};
  const deaf_place deaf{"127.0.0.2", s.port};
  auto o = s.options;
  o.url = "http://127.0.0.2:" + std::to_string(s.port) + "/";
  o.connect_limit = 200ms;
  const auto a = calling{o}.answer_to(1);
  CHECK(a.kind == report_kind::failed_transient);
  CHECK_FALSE(a.maybe_done);
  CHECK_THAT(a.why, Catch::Contains("200 ms (connect_limit)"));
}

TEST_CASE("the addresses of a name are tried in turn, and one that does not answer holds up nobody") {
  std::atomic<int> calls = 0;
  talking_service s{[&](talk& t) { answer_all(t, calls); }};
  const deaf_place deaf{"127.0.0.2", s.port};
  const tests::named_host name{"several.test", {"127.0.0.2", "127.0.0.3", "127.0.0.1"}}; // 127.0.0.3 refuses
  auto o = s.options;
  o.url = "http://several.test:" + std::to_string(s.port) + "/";
  o.connect_limit = 20s;
  calling c{o};
  CHECK(c.answer_to(1).result == "0");
}

TEST_CASE("a name that has no address, or none that answers, was not reached") {
  talking_service s{[](talk& t) { t.hear(); }};
  const tests::named_host name{"refused.test", {"127.0.0.3", "127.0.0.4"}};
  auto o = s.options;
  for (const auto* host : {"refused.test", "no-such-name.invalid"}) {
    o.url = "http://" + std::string{host} + ":" + std::to_string(s.port) + "/";
    const auto a = calling{o}.answer_to(1);
    INFO(a.why);
    CHECK(a.kind == report_kind::failed_transient);
    CHECK_FALSE(a.maybe_done);
  }
}

TEST_CASE("P32: a name is refused when one of its addresses is where clouds keep credentials") {
  talking_service s{[](talk& t) { t.hear(); }};
  const tests::named_host name{"cloud.test", {"127.0.0.1", "169.254.169.254"}};
  auto o = s.options;
  o.url = "http://cloud.test:" + std::to_string(s.port) + "/";
  const auto a = calling{o}.answer_to(1);
  CHECK(a.kind == report_kind::failed_permanent);
  CHECK_FALSE(a.maybe_done);
  CHECK(s.connections == 0);
  o.url = "http://2852039166/"; // 169.254.169.254
  CHECK(calling{o}.answer_to(1).kind == report_kind::failed_permanent);
}

TEST_CASE("a caller ends at once while a name is being looked up, and while a call is under way") {
  talking_service s{[](talk& t) { t.hear_until("never"); }};
  {
    const tests::slow_host slow{"slow.test"};
    auto o = s.options;
    o.url = "http://slow.test/";
    auto c = std::make_unique<calling>(o);
    c->caller->start(1, call_with("{}"));
    REQUIRE(comes_true([&] { return slow.looked_up() == 1; }));
    auto ends = std::async(std::launch::async, [&] { c.reset(); });
    CHECK(ends.wait_for(30s) == std::future_status::ready);
  }
  auto c = std::make_unique<calling>(s.options);
  c->caller->start(1, call_with("{}"));
  REQUIRE(comes_true([&] { return s.connections == 1; }));
  c.reset();
  CHECK(comes_true([&] { return s.ended == 1; }));
}

TEST_CASE("connections that wait are closed after a time, and only so many are kept") {
  std::atomic<int> calls = 0;
  talking_service s{[&](talk& t) { answer_all(t, calls); }};
  collected_answers answers;
  const auto loop = std::make_shared<http_loop>();
  const auto of = [&](keeping k) {
    return std::make_shared<http_calls>(loop->io(), s.options, 1000, answers.over(), call_headers{}, k);
  };
  const auto briefly = of({10, 10ms, 2});
  briefly->start(1, call_with("{}"));
  REQUIRE(answers.wait(1));
  CHECK(comes_true([&] { return s.ended == 1; }));
  briefly->end();

  const auto none = of({0, 1h, 2});
  none->start(2, call_with("{}"));
  REQUIRE(answers.wait(2));
  CHECK(comes_true([&] { return s.ended == 2; }));
  none->end();
}

TEST_CASE("callers that share a loop end one by one") {
  std::atomic<int> calls = 0;
  talking_service s{[&](talk& t) { answer_all(t, calls); }};
  const auto loop = std::make_shared<http_loop>();
  collected_answers answers;
  auto first = make_http_caller(s.options, 1000, answers.over(), {}, loop);
  auto second = make_http_caller(s.options, 1000, answers.over(), {}, loop);
  first->start(1, call_with("{}"));
  second->start(2, call_with("{}"));
  CHECK(answers.wait(1)->kind == report_kind::succeeded);
  CHECK(answers.wait(2)->kind == report_kind::succeeded);
  first.reset();
  CHECK(comes_true([&] { return s.ended == 1; }));
  second->start(3, call_with("{}"));
  CHECK(answers.wait(3)->kind == report_kind::succeeded);
}

TEST_CASE("a request goes through a proxy of HTTP with its whole URL") {
  std::atomic<int> calls = 0;
  talking_service proxy{[&](talk& t) {
    const auto request = t.hear_call();
    ++calls; // before the answer, after which the caller looks
    t.answer(request.starts_with("POST http://service.test/charge HTTP/1.1\r\nHost: service.test\r\n") ? "1" : "2");
  }};
  http_options o;
  o.url = "http://service.test/charge"; // which nobody but the proxy looks up
  o.proxy = "http://" + proxy.authority();
  CHECK(calling{o}.answer_to(1).result == "1");
  o.url = "http://169.254.169.254/latest/meta-data";
  CHECK(calling{o}.answer_to(1).kind == report_kind::failed_permanent);
  CHECK(calls == 1);
}

TEST_CASE("a request goes through a proxy of SOCKS") {
  talking_service proxy{[&](talk& t) {
    t.hear();
    t.say(std::string("\x05\x00", 2));
    t.hear();
    t.say(std::string("\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00", 10));
    t.answer(t.hear_call().starts_with("POST /charge HTTP/1.1\r\n") ? "1" : "2");
  }};
  http_options o;
  o.url = "http://service.test/charge";
  o.proxy = "socks5://" + proxy.authority();
  CHECK(calling{o}.answer_to(1).result == "1");
}

TEST_CASE("a service behind a proxy that does not get through was not reached") {
  talking_service proxy{[&](talk& t) {
    t.hear();
    t.say("HTTP/1.1 502 No such host\r\nContent-Length: 0\r\n\r\n");
  }};
  http_options o;
  o.url = "https://service.test/charge";
  o.proxy = "http://" + proxy.authority();
  const auto a = calling{o}.answer_to(1);
  CHECK(a.kind == report_kind::failed_transient);
  CHECK_FALSE(a.maybe_done);
  CHECK_THAT(a.why, Catch::Contains("HTTP 502"));
}
