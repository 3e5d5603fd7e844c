// HTTP itself: what is no request, what is too large or too slow, what browsers ask.

#include "api/method.hpp"
#include "api/route.hpp"
#include "runtime/http/http_callers.hpp"
#include "runtime/http/http_server.hpp"
#include "runtime/http/messages/http_text.hpp"
#include "tests/runtime/http/http_node.hpp"
#include "tests/support/comes_true.hpp"

#include <catch2/catch.hpp>

#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <fstream>
#include <future>
#include <mutex>
#include <thread>

using namespace steadfast;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using nlohmann::json;
using tests::http_listener;
using tests::http_node;

namespace {

std::string inflated(const std::string& text) {
  z_stream z{};
  inflateInit2(&z, MAX_WBITS + 16);
  std::string out(1 << 20, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  CHECK(inflate(&z, Z_FINISH) == Z_STREAM_END);
  out.resize(z.total_out);
  inflateEnd(&z);
  return out;
}

/// Holds who passes until it is opened.
class gate {
public:
  void open() {
    const std::lock_guard lock{mutex_};
    is_open_ = true;
    changed_.notify_all();
  }
  void pass() {
    std::unique_lock lock{mutex_};
    ++come_;
    changed_.wait(lock, [this] { return is_open_; });
  }
  int come() const {
    const std::lock_guard lock{mutex_};
    return come_;
  }

private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false;
  int come_ = 0;
};

/// A server of methods that the test gives.
struct bare_server {
  std::uint16_t port = runtime::free_ports(1).front();
  std::unique_ptr<runtime::http_server> running;

  explicit bare_server(runtime::http_content content) {
    http_server_options o;
    o.listen = "127.0.0.1:" + std::to_string(port);
    content.clock = [] { return workflow::instant{}; };
    running = std::make_unique<runtime::http_server>(o, std::move(content));
  }

  std::future<tests::http_answer> get(const std::string& target) const {
    return std::async(std::launch::async, [p = port, target] { return tests::ask_at(p, "GET", target); });
  }
  std::vector<std::future<tests::http_answer>> get_many(int count, const std::string& target) const {
    std::vector<std::future<tests::http_answer>> all;
    for (int i = 0; i < count; ++i)
      all.push_back(get(target));
    return all;
  }
};

} // namespace

TEST_CASE("http: each answer has the date in the form of RFC 9110") {
  constexpr std::chrono::sys_seconds example{std::chrono::seconds{784'111'777}};
  CHECK(runtime::http_date(example) == "Sun, 06 Nov 1994 08:49:37 GMT");
  const http_node n;
  const auto before = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const auto date = n.get("/health/live").headers.at("date");
  std::vector<std::string> possible;
  for (auto t = before; t <= std::chrono::system_clock::now(); t += std::chrono::seconds{1})
    possible.push_back(runtime::http_date(t));
  CHECK_THAT(possible, Catch::Matchers::VectorContains(date));
}

TEST_CASE("http: what is no request of the API is refused with its reason") {
  const http_node n;
  CHECK(n.get("/v1/nothing").status == 404);
  CHECK(n.get("/nowhere").status == 404);
  const auto wrong = n.ask("DELETE", "/v1/tasks/a");
  CHECK(wrong.status == 405);
  CHECK(wrong.headers.at("allow") == "PUT, GET");
  CHECK(n.ask("POST", "/v1/nodes", "{}").headers.at("allow") == "GET");
  CHECK(n.get("/v1/tasks/%zz").code() == "bad_target");
  CHECK(n.get("/v1/tasks/a%00b").code() == "bad_target");
  CHECK(n.ask("PUT", "/v1/tasks/a", "{").status == 400);
  CHECK(n.ask("PUT", "/v1/tasks/a", "[1]").status == 400);
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  CHECK(n.ask("PUT", "/v1/tasks/a", R"({"workflow":"trip","payload":)" + deep + "}").status == 400);
  CHECK(n.get("/health/live").body == "live\n");
}

TEST_CASE("http: a body that is no JSON is refused with what is wrong and where") {
  const http_node n;
  const auto why = [&](const std::string& body) { return n.ask("PUT", "/v1/tasks/a", body).json().at("detail"); };
  CHECK(why(R"({"workflow":})") == "the body is not JSON: what ends at byte 13 is unexpected");
  CHECK(why("{\"workflow\":\"\xff\"}") == "the body is not JSON: what ends at byte 14 is unexpected");
  CHECK(why(R"({"workflow")") == "the body is not JSON: it ends too soon, after byte 11");
  CHECK(why(R"({"a":")" + std::string(100, '[')) == "the body is not JSON: it ends too soon, after byte 106");
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + "1" + std::string(depth, ']'); };
  CHECK(why(R"({"workflow":"trip","payload":)" + nested(64) + "}")
        == "the body is nested deeper than 64, from byte 94 on");
  CHECK(why(R"({"workflow":"trip" "payload":)" + nested(64) + "}")
        == "the body is not JSON: what ends at byte 28 is unexpected");
  CHECK(n.ask("PUT", "/v1/tasks/a", R"({"workflow":"trip","payload":)" + nested(63) + "}").status == 201);
  const auto batch = n.ask("POST", "/v1/tasks/batch", R"({"tasks":[}]})");
  CHECK(batch.status == 400);
  CHECK(batch.json().at("detail") == "the body is not JSON: what ends at byte 11 is unexpected");
}

TEST_CASE("http: a target may be absolute, and then its host counts") {
  const http_node n;
  const auto say = [&](const std::string& target, const std::string& host) {
    return n.say("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
  };
  CHECK_THAT(say("http://localhost/v1/me", "localhost"), StartsWith("HTTP/1.1 200"));
  CHECK_THAT(say("HTTPS://LOCALHOST:7800/v1/tasks?max=1", "rebound.example"), StartsWith("HTTP/1.1 200"));
  CHECK_THAT(say("http://127.0.0.1", "localhost"), StartsWith("HTTP/1.1 200"));
  CHECK_THAT(say("http://localhost?max=1", "localhost"), StartsWith("HTTP/1.1 200"));
  CHECK_THAT(say("http://rebound.example/v1/me", "localhost"), StartsWith("HTTP/1.1 421"));
  for (const auto* const target : {"http:///v1/me", "http://a@localhost/v1/me", "http://localhost,a/v1/me",
                                   "ftp://localhost/v1/me", "localhost/v1/me"})
    CHECK_THAT(say(target, "localhost"), StartsWith("HTTP/1.1 400"));
}

TEST_CASE("http: questions to other nodes and long reads keep nobody else waiting") {
  gate slow;
  runtime::http_content content;
  const auto held = [&](const json&) -> json {
    slow.pass();
    return json::object();
  };
  content.methods["agent.list"] = held;
  content.methods["task.count"] = held;
  content.methods["task.list"] = [&](const json& params) { return params.contains("text") ? held(params) : params; };
  content.methods["task.show"] = [](const json& params) { return params; };
  const bare_server server{std::move(content)};
  std::vector<std::future<tests::http_answer>> asked;
  for (const auto* const target : {"/v1/agents", "/v1/counts", "/v1/tasks?text=a"})
    for (auto& a : server.get_many(6, target))
      asked.push_back(std::move(a));
  CHECK(tests::comes_true([&] { return slow.come() >= 4; }));
  for (const auto* const target : {"/v1/tasks/a", "/v1/tasks", "/health/ready"}) {
    INFO(target);
    auto quick = server.get(target);
    const bool has_come = quick.wait_for(std::chrono::seconds{20}) == std::future_status::ready;
    CHECK(has_come);
    if (!has_come)
      slow.open();
    CHECK(quick.get().status == 200);
  }
  slow.open();
  for (auto& a : asked)
    CHECK(a.get().status == 200);
}

TEST_CASE("http: whether a node is ready is looked at once for many who ask, whatever else the node does") {
  gate others;
  gate look;
  runtime::http_content content;
  content.methods["task.show"] = [&](const json& params) {
    others.pass();
    return params;
  };
  content.store_trouble = [&] {
    look.pass();
    return std::string{};
  };
  const auto figures = content.figures;
  const bare_server server{std::move(content)};
  auto busy = server.get_many(8, "/v1/tasks/a");
  CHECK(tests::comes_true([&] { return others.come() >= 4; }));
  auto ready = server.get_many(20, "/health/ready");
  const bool has_looked = tests::comes_true([&] { return look.come() == 1 && figures->connections.value() == 28; });
  CHECK(has_looked);
  if (!has_looked)
    others.open();
  CHECK(server.get("/health/live").get().status == 200); // what came before it has been read
  look.open();
  for (auto& r : ready)
    CHECK(r.get().body == "ready\n");
  CHECK(look.come() < 10); // two, unless a client was slow
  others.open();
  for (auto& b : busy)
    CHECK(b.get().status == 200);
}

TEST_CASE("http: who asks whether a node is ready is answered within two seconds, also if the store hangs") {
  gate store;
  runtime::http_content content;
  content.store_trouble = [&] {
    store.pass();
    return std::string{};
  };
  const bare_server server{std::move(content)};
  const auto before = std::chrono::steady_clock::now();
  auto asked = server.get_many(3, "/health/ready");
  CHECK(tests::comes_true([&] { return store.come() == 1; }));
  asked.push_back(server.get("/health/ready")); // while the question is asked
  for (auto& a : asked)
    if (a.wait_for(std::chrono::seconds{15}) != std::future_status::ready) // else it would be never
      store.open();
  for (auto& a : asked) {
    const auto answer = a.get();
    CHECK(answer.status == 503);
    CHECK(answer.code() == "not_ready");
    CHECK_THAT(answer.body, Contains("nothing has been heard of the store"));
  }
  CHECK(std::chrono::steady_clock::now() - before >= std::chrono::seconds{2});
  store.open();
  CHECK(tests::comes_true([&] { return server.get("/health/ready").get().status == 200; }));
}

TEST_CASE("row 81: clients that send garbage, too much, or too slowly are refused, and others are served") {
  http_server_options o;
  o.body_size_max = 10'000;
  const http_node n{o};
  CHECK_THAT(n.say("hello\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  CHECK_THAT(n.say("GET / HTTP/3.7\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  CHECK_THAT(n.say("GET /" + std::string(20'000, 'a') + " HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 431"));
  CHECK_THAT(n.say("GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(20'000, 'a') + "\r\n\r\n"),
             StartsWith("HTTP/1.1 431"));
  CHECK_THAT(n.say("PUT /v1/tasks/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10001\r\n\r\n"),
             StartsWith("HTTP/1.1 413"));
  CHECK_THAT(n.say("PUT /v1/tasks/a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2711\r\n"
                   + std::string(10'001, 'x') + "\r\n0\r\n\r\n"),
             StartsWith("HTTP/1.1 413"));
  CHECK_THAT(
    n.say("PUT /v1/tasks/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef"),
    StartsWith("HTTP/1.1 400"));
  http_listener half{n, "/v1/tasks/a", {{"Content-Length", "100"}}}; // a body that never comes
  CHECK(n.put_trip("a").status == 201);
}

TEST_CASE("row 81: a request that does not come to its end in time is told so, with 408, and others are served") {
  http_server_options o;
  o.request_limit = std::chrono::milliseconds{300};
  const http_node n{o};
  const std::string head = "PUT /v1/tasks/a HTTP/1.1\r\nHost: localhost\r\n";
  for (const auto& part : {head, head + "Content-Length: 500000\r\n\r\n{\"workflow\":",
                           head + "Transfer-Encoding: chunked\r\n\r\n13\r\n{"}) {
    INFO(part);
    const auto said = n.say(part);
    CHECK_THAT(said, StartsWith("HTTP/1.1 408 Request Timeout\r\n") && Contains("\r\nConnection: close\r\n")
                       && Contains("\r\nContent-Type: application/problem+json\r\n")
                       && Contains("not come to its end after 300ms"));
    CHECK(json::parse(said.substr(said.find("\r\n\r\n"))).at("code") == "request_timeout");
    CHECK(said.find("HTTP/1.1", 1) == std::string::npos);
  }
  CHECK(n.get("/v1/tasks/a").status == 404);
  CHECK_THAT(n.get("/metrics").body, Contains("steadfast_http_requests_total{status=\"408\"} 3"));
}

TEST_CASE("row 81: the time of a request is not prolonged by what comes of it bit by bit") {
  http_server_options o;
  o.request_limit = std::chrono::milliseconds{300};
  const http_node n{o};
  http_listener slow{n, "/v1/tasks/a", {{"Transfer-Encoding", "chunked"}}};
  CHECK(tests::comes_true([&] {
    slow.say("1\r\n \r\n");
    return n.get("/metrics").body.find("steadfast_http_requests_total{status=\"408\"} 1") != std::string::npos;
  }));
  CHECK_THAT(slow.next("\r\n\r\n"), StartsWith("HTTP/1.1 408"));
}

TEST_CASE("http: each request of a connection has the time of a request anew, and waiting for it has another") {
  http_server_options o;
  o.request_limit = std::chrono::milliseconds{300};
  http_node n{o};
  n.put_trip("a");
  http_listener kept{n, "/health/live"};
  kept.next("live\n");
  http_listener waits{n, "/v1/tasks/a/state?wait=60s"};
  CHECK_THAT(n.say("GET / HTTP/1.1\r\n"), StartsWith("HTTP/1.1 408")); // both have been at it for longer now
  n.let_end();
  CHECK_THAT(waits.next("\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  kept.say("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK_THAT(kept.next("live\n"), StartsWith("HTTP/1.1 200"));
  kept.say("GET /health/live HTTP/1.1\r\n");
  CHECK_THAT(kept.next("\r\n\r\n"), StartsWith("HTTP/1.1 408"));
}

TEST_CASE("row 115: a request that another one could hide in is refused, and its connection ends") {
  const http_node n;
  const std::string hidden = "GET /v1/me HTTP/1.1\r\nHost: localhost\r\n\r\n";
  for (const auto* const coding : {"xchunked", "gzip", "chunked, identity", "gzip, chunked", "identity", ""}) {
    INFO(coding);
    const auto said = n.say(std::string{"POST /v1/tasks HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: "} + coding
                            + "\r\n\r\n0\r\n\r\n" + hidden);
    CHECK_THAT(said, StartsWith("HTTP/1.1 400") && Contains("Transfer-Encoding"));
    CHECK(said.find("HTTP/1.1 2") == std::string::npos);
  }
  for (const auto* const lines :
       {"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"}) {
    INFO(lines);
    const auto said =
      n.say("POST /v1/tasks HTTP/1.1\r\nHost: localhost\r\n" + std::string{lines} + "\r\n0\r\n\r\n" + hidden);
    CHECK_THAT(said, StartsWith("HTTP/1.1 400"));
    CHECK(said.find("HTTP/1.1 2") == std::string::npos);
  }
  CHECK_THAT(n.say("POST /v1/tasks HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
             StartsWith("HTTP/1.1 400"));
  CHECK_THAT(
    n.say("PUT /v1/tasks/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: Chunked\r\n\r\n"
          "13\r\n{\"workflow\":\"trip\"}\r\n0\r\n\r\n"),
    StartsWith("HTTP/1.1 201"));
}

TEST_CASE("row 115: a request names one host, and a body is what it seems") {
  const http_node n;
  const auto status_of = [&](const std::string& lines) {
    return n.say("GET /v1/me HTTP/1.1\r\n" + lines + "Connection: close\r\n\r\n").substr(9, 3);
  };
  CHECK(status_of("Host: localhost:7800\r\n") == "200");
  CHECK(status_of("") == "400");
  CHECK(status_of("Host: localhost\r\nHost: evil\r\n") == "400");
  CHECK(status_of("Host: localhost:80@evil\r\n") == "400");
  const auto packed = n.ask("PUT", "/v1/tasks/a", R"({"workflow":"trip"})", {{"Content-Encoding", "gzip"}});
  CHECK(packed.status == 415);
  CHECK(packed.code() == "unsupported_encoding");
  CHECK(n.get("/v1/tasks/a").status == 404);
}

TEST_CASE("row 116: bodies that are promised and do not come leave room for others") {
  const http_node n;
  std::vector<std::unique_ptr<http_listener>> slow;
  for (int i = 0; i < 40; ++i) // of 4 MiB, and 64 may be on their way
    slow.push_back(
      std::make_unique<http_listener>(n, "/v1/tasks/a", tests::http_headers{{"Content-Length", "4194304"}}));
  CHECK(n.get("/health/live").status == 200); // all of these have connected before
  CHECK(n.put_trip("a").status == 201);
}

TEST_CASE("http: who asks for the header of a stream gets no events") {
  http_node n;
  n.put_trip("a");
  const auto said = n.say("HEAD /v1/tasks/a/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK_THAT(said, StartsWith("HTTP/1.1 200") && Contains("text/event-stream"));
  CHECK(said.substr(said.find("\r\n\r\n")) == "\r\n\r\n");
}

TEST_CASE("row 81: more submissions than can be taken are pushed back, and none that was acknowledged is lost") {
  constexpr std::size_t clients = 40;
  constexpr int batch = 1000;
  const http_node n;
  std::vector<tests::http_answer> answers(clients);
  std::vector<std::string> bodies;
  for (std::size_t c = 0; c < clients; ++c) {
    std::string text;
    for (int i = 0; i < batch; ++i)
      text += std::string{i == 0 ? "" : ","} + R"({"id":")" + std::to_string(c) + "." + std::to_string(i)
              + R"(","workflow":"trip","not_before_ms":4000000000000})";
    bodies.push_back(R"({"tasks":[)" + text + "]}");
  }
  std::vector<std::thread> all;
  for (std::size_t c = 0; c < clients; ++c)
    all.emplace_back([&, c] { answers[c] = n.ask("POST", "/v1/tasks/batch", bodies[c]); });
  const auto asked = std::chrono::steady_clock::now();
  CHECK(n.get("/health/live").status == 200);
  CHECK(std::chrono::steady_clock::now() - asked < std::chrono::seconds{5}); // a busy machine; bench has the figure
  for (auto& c : all)
    c.join();
  std::uint64_t acknowledged = 0;
  int pushed_back = 0;
  for (const auto& a : answers) {
    if (a.status == 503) {
      ++pushed_back;
      CHECK(a.headers.at("retry-after") == "1");
      CHECK(a.code() == "busy");
      continue;
    }
    REQUIRE(a.status == 200);
    const auto results = a.json().at("results");
    for (const auto& r : results)
      acknowledged += r.at("status") == 201 ? 1 : 0;
  }
  CHECK(pushed_back > 0);
  CHECK(acknowledged > 0);
  CHECK(n.get("/v1/counts").json().at("count") == acknowledged);
}

TEST_CASE("http: bodies that have come leave room for others") {
  const http_node n;
  const std::string large(4 << 20, ' ');
  for (int i = 0; i < 20; ++i) // more than may be on their way at a time
    CHECK(n.ask("PUT", "/v1/tasks/a", large).status == 400);
}

TEST_CASE("http: requests of one connection are answered in their order, also when they come at once") {
  const http_node n;
  const std::string get = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const auto all = n.say(get + "GET /v1/none HTTP/1.1\r\nHost: localhost\r\n\r\n"
                         + "GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" + get);
  const auto first = all.find("HTTP/1.1 200");
  const auto second = all.find("HTTP/1.1 404");
  const auto third = all.rfind("HTTP/1.1 200");
  CHECK(first == 0);
  CHECK(second != std::string::npos);
  CHECK(third > second);
  CHECK(all.find("HTTP/1.1", third + 1) == std::string::npos); // nothing after `close`
  CHECK_THAT(n.say("PUT /v1/tasks/e HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nExpect: 100-continue\r\n"
                   "Content-Length: 19\r\n\r\n{\"workflow\":\"trip\"}"),
             StartsWith("HTTP/1.1 100") && Contains("HTTP/1.1 201"));
}

TEST_CASE("http: answers are small when a client has them, or takes gzip") {
  const http_node n;
  const auto plain = n.get("/openapi.json");
  const auto tag = plain.headers.at("etag");
  CHECK_THAT(tag, StartsWith("W/\"")); // the same of both forms
  CHECK(plain.headers.at("vary") == "Accept-Encoding");
  for (const auto& known : {"\"x\", " + tag, tag.substr(2)}) {
    const auto same = n.get("/openapi.json", {{"If-None-Match", known}});
    CHECK(same.status == 304);
    CHECK(same.body.empty());
    CHECK(same.headers.at("etag") == tag);
    CHECK(same.headers.at("vary") == "Accept-Encoding");
  }
  CHECK(n.get("/openapi.json", {{"If-None-Match", "\"x\""}}).status == 200);
  const auto packed = n.get("/openapi.json", {{"Accept-Encoding", "br, gzip;q=0.8"}});
  CHECK(packed.headers.at("content-encoding") == "gzip");
  CHECK(packed.headers.at("etag") == tag);
  CHECK(packed.headers.at("vary") == "Accept-Encoding");
  CHECK(n.get("/v1/me").headers.count("vary") == 0); // too small
  CHECK(packed.body.size() * 3 < plain.body.size());
  CHECK(inflated(packed.body) == plain.body);
  CHECK(n.get("/openapi.json", {{"Accept-Encoding", "gzip;q=0"}}).headers.count("content-encoding") == 0);
  const auto head = n.ask("HEAD", "/openapi.json");
  CHECK(head.status == 200);
  CHECK(head.headers.at("content-length") == std::to_string(plain.body.size()));
}

TEST_CASE("http: pages of other hosts, and other names of this host, may not ask") {
  http_server_options o;
  o.origins = {"https://ops.example"};
  const http_node n{o};
  CHECK(n.get("/v1/tasks", {{"Host", "rebound.example"}}).status == 421);
  CHECK(n.get("/v1/tasks", {{"Host", "127.0.0.1:7800"}}).status == 200);
  CHECK(n.get("/v1/tasks", {{"Host", "[::1]:7800"}}).status == 200);
  CHECK(n.get("/v1/tasks", {{"Origin", "http://evil.example"}}).status == 403);
  CHECK(n.get("/v1/tasks", {{"Origin", "null"}}).status == 403);
  CHECK(n.get("/v1/tasks", {{"Host", "localhost:7800"}, {"Origin", "http://localhost:7800"}}).status == 200);
  CHECK(n.get("/v1/tasks", {{"Host", "localhost:7800"}, {"Origin", "https://localhost:7800"}}).status
        == 200); // a proxy
  CHECK(n.get("/v1/tasks", {{"Host", "localhost:7800"}, {"Origin", "ftp://localhost:7800"}}).status == 403);
  const auto known = n.get("/v1/tasks", {{"Origin", "https://ops.example"}});
  CHECK(known.headers.at("access-control-allow-origin") == "https://ops.example");
  const auto preflight =
    n.ask("OPTIONS", "/v1/tasks", {}, {{"Origin", "https://ops.example"}, {"Access-Control-Request-Method", "PUT"}});
  CHECK(preflight.status == 204);
  CHECK_THAT(preflight.headers.at("access-control-allow-headers"), Contains("authorization"));
  CHECK(known.headers.at("x-content-type-options") == "nosniff");
  runtime::http_request encrypted;
  encrypted.message.set(boost::beast::http::field::host, "localhost:7800");
  encrypted.message.set(boost::beast::http::field::origin, "http://localhost:7800"); // made by somebody on the way
  encrypted.is_encrypted = true;
  const runtime::http_callers callers{o};
  CHECK(callers.why_not_here(encrypted).value().code == "wrong_origin");
  encrypted.message.set(boost::beast::http::field::origin, "https://localhost:7800");
  CHECK_FALSE(callers.why_not_here(encrypted).has_value());
}

TEST_CASE("http: who asks too often is told when to come again") {
  http_server_options o;
  o.rate_max = 3;
  const http_node n{o};
  unsigned refused = 0;
  for (int i = 0; i < 20; ++i)
    if (const auto a = n.get("/v1/nodes"); a.status == 429) {
      ++refused;
      CHECK(a.headers.at("retry-after") == "1");
    }
  CHECK(refused > 10);
  CHECK(tests::comes_true([&] { return n.get("/v1/nodes").status == 200; }));
}

TEST_CASE("row 83: a port for which no descriptor is left serves those who wait as soon as there is one") {
  const http_node node;
  REQUIRE(node.get("/health/live").status == 200);
  const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  REQUIRE(client >= 0);
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit none_left{STDERR_FILENO + 1, before.rlim_max}; // also for one that a descriptor just closed leaves free
  REQUIRE(setrlimit(RLIMIT_NOFILE, &none_left) == 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(node.port());
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK(connect(client, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0);
  const std::string request = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";
  CHECK(write(client, request.data(), request.size()) == static_cast<ssize_t>(request.size()));
  pollfd answered{client, POLLIN, 0};
  CHECK(poll(&answered, 1, 300) == 0);
  REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK(poll(&answered, 1, 10'000) == 1);
  std::string answer(4096, '\0');
  answer.resize(static_cast<std::size_t>(std::max<ssize_t>(read(client, answer.data(), answer.size()), 0)));
  CHECK_THAT(answer, Catch::Contains("200 OK"));
  close(client);
}

TEST_CASE("row 117: connections on which nothing is asked make way for others, the oldest first") {
  http_server_options o;
  o.connections_max = 3;
  http_node n{o};
  n.put_trip("a");
  http_listener follows{n, "/v1/tasks/a/events"};
  follows.next();
  http_listener oldest{n, "/health/live"};
  oldest.next("live\n");
  http_listener other{n, "/health/live"};
  other.next("live\n");
  http_listener third{n, "/health/live"};
  CHECK_THAT(third.next("live\n"), StartsWith("HTTP/1.1 200"));
  CHECK(oldest.next().empty()); // it has ended
  n.let_end();
  CHECK(follows.next_event().kind == "task");
}

TEST_CASE("row 117: requests that do not come to their end make way for others, the longest first") {
  http_server_options o;
  o.connections_max = 3;
  const http_node n{o};
  const std::string half = "GET /health/live HTTP/1.1\r\nHost: loc";
  std::vector<http_listener> slow;
  for (int i = 0; i < 3; ++i) {
    slow.push_back(http_listener::from("127.0.0.1", n));
    slow.back().say(half);
  }
  const auto begun = std::chrono::steady_clock::now();
  REQUIRE(tests::comes_true([&] { return n.get("/health/live").status == 200; }));
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds{15}); // before the time for a request is over
  CHECK(slow[0].next().empty());                                              // it has ended
  slow[2].say("alhost\r\n\r\n");
  CHECK_THAT(slow[2].next("live\n"), StartsWith("HTTP/1.1 200"));
}

TEST_CASE("row 117: an address with more than half of all connections gives way first, and takes no other's place") {
  http_server_options o;
  o.connections_max = 5; // with 127.0.0.1's, which may end late
  const http_node n{o};
  const std::string half = "GET /health/live HTTP/1.1\r\nHost: loc";
  auto other = http_listener::from("127.0.0.3", n);
  const auto is_served = [&] {
    other.say(half + "alhost\r\n\r\n");
    return other.next("live\n").starts_with("HTTP/1.1 200");
  };
  REQUIRE(is_served());
  std::vector<http_listener> many;
  const auto add_one = [&] {
    many.push_back(http_listener::from("127.0.0.2", n));
    many.back().say(half);
  };
  for (int i = 0; i < 4; ++i)
    add_one();
  const auto begun = std::chrono::steady_clock::now();
  CHECK(n.get("/health/live").status == 200); // at once
  CHECK(many[0].next().empty());              // it has ended, before the time for a request is over
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds{15});
  for (int i = 0; i < 4; ++i)
    add_one();
  CHECK(is_served());
}

TEST_CASE("row 117: of several addresses the one that keeps most connections waiting gives way, and takes none back") {
  http_server_options o;
  o.connections_max = 6;
  const http_node n{o};
  const std::string half = "GET /health/live HTTP/1.1\r\nHost: loc";
  std::vector<http_listener> many;
  const auto add = [&](const std::string& address) {
    many.push_back(http_listener::from(address, n));
    many.back().say(half);
  };
  for (int i = 0; i < 3; ++i)
    for (const auto* const address : {"127.0.0.2", "127.0.0.3"})
      add(address);
  auto other = http_listener::from("127.0.0.4", n);
  other.say("PUT /v1/tasks/a HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  REQUIRE_THAT(other.next("\r\n\r\n"), StartsWith("HTTP/1.1 100")); // at once; what it sends now is waited for
  for (const auto* const address : {"127.0.0.2", "127.0.0.3"})
    add(address);
  other.say("{}");
  CHECK_THAT(other.next("\r\n\r\n"), StartsWith("HTTP/1.1 4")); // its body names no workflow
}

TEST_CASE("http: when all connections are in use, another one is told so") {
  http_server_options o;
  o.connections_max = 2;
  http_node n{o};
  n.put_trip("a");
  http_listener one{n, "/v1/tasks/a/events"};
  one.next();
  http_listener two{n, "/v1/tasks/a/events"};
  two.next();
  CHECK_THAT(n.say("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"), StartsWith("HTTP/1.1 503"));
  n.let_end();
  CHECK(tests::comes_true([&] {
    return n.say("GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      .starts_with("HTTP/1.1 200");
  }));
}

TEST_CASE("http: a node that stops tells those who wait, and ends their connections") {
  http_node n;
  n.put_trip("a");
  http_listener events{n, "/v1/tasks/a/events"};
  events.next();
  http_listener waits{n, "/v1/tasks/a/state?wait=60s"};
  std::string told;
  std::thread hears{[&] {
    told = waits.next("\r\n\r\n");
    while (!events.next().empty()) {
    }
    n.let_end();
  }};
  n.stop();
  hears.join();
  CHECK((told.empty() || told.starts_with("HTTP/1.1 503"))); // empty: it had not been read yet
}

TEST_CASE("http: the metrics of the node are told as Prometheus reads them") {
  const http_node n;
  n.put_trip("a");
  const auto told = n.get("/metrics");
  CHECK(told.status == 200);
  CHECK_THAT(told.headers.at("content-type"), StartsWith("text/plain; version=0.0.4"));
  CHECK_THAT(told.body, Contains("steadfast_submissions_total") && Contains("workflow=\"trip\""));
}

TEST_CASE("http: docs/http.md has each route, its method and its scope") {
  std::ifstream in{std::string{STEADFAST_SOURCE_DIR} + "/docs/http.md"};
  const std::string page{std::istreambuf_iterator<char>{in}, {}};
  std::size_t rows = 0;
  for (auto at = page.find("| `"); at != std::string::npos; at = page.find("| `", at + 1))
    rows +=
      page.compare(at, 7, "| `GET ") == 0 || page.compare(at, 7, "| `PUT ") == 0 || page.compare(at, 7, "| `POST") == 0
        ? 1U
        : 0U;
  for (const auto& r : api::routes())
    CHECK_THAT(page, Contains("| `" + std::string{to_string(r.verb)} + " " + r.path + "` | `" + r.method + "` | "
                              + std::string{to_string(r.needs)} + (r.is_for_roles ? ", or the role |" : " |")));
  CHECK(rows == api::routes().size() + 7); // and six that are no methods
}

TEST_CASE("http: every method of the table has a place, and the OpenAPI document tells it") {
  const http_node n;
  const auto document = n.get("/openapi.json").json();
  CHECK(document.at("openapi") == "3.1.0");
  for (const auto& r : api::routes()) {
    INFO(r.path);
    const auto verb = r.verb == api::verb::get ? "get" : r.verb == api::verb::put ? "put" : "post";
    CHECK(document.at("paths").at(r.path).contains(verb));
  }
  for (const auto& m : api::methods()) {
    INFO(m.name);
    CHECK(std::any_of(api::routes().begin(), api::routes().end(), [&](const auto& r) { return r.method == m.name; }));
  }
}
