// Against a real HTTP server on loopback.

#include "actors/agents/http/http_caller.hpp"
#include "actors/agents/http/messages/http_reply.hpp"
#include "actors/agents/masking.hpp"
#include "tests/actors/agents/collected_answers.hpp"
#include "tests/support/comes_true.hpp"

#include <catch2/catch.hpp>
#include <httplib.h>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace steadfast;
using namespace steadfast::actors;
using namespace std::chrono_literals;
using tests::call_with;
using tests::collected_answers;

namespace {

/// A service that answers as told and keeps the last request.
class service {
public:
  explicit service(httplib::Server::Handler answer) : answer_{std::move(answer)} {
    server_.Post("/charge", [this](const httplib::Request& request, httplib::Response& response) {
      {
        std::lock_guard lock{mutex_};
        last_ = request;
        ports_.insert(request.remote_port);
      }
      ++calls;
      answer_(request, response);
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread{[this] { server_.listen_after_bind(); }};
    while (!server_.is_running()) // a stop before it listens would be lost
      std::this_thread::yield();
  }
  ~service() {
    server_.stop();
    thread_.join();
  }
  service(const service&) = delete;
  service& operator=(const service&) = delete;

  http_options options() const {
    http_options o;
    o.url = "http://127.0.0.1:" + std::to_string(port_) + "/charge";
    return o;
  }
  httplib::Request last() {
    std::lock_guard lock{mutex_};
    return last_;
  }
  std::size_t connections() {
    std::lock_guard lock{mutex_};
    return ports_.size();
  }

  std::atomic<int> calls = 0;

private:
  httplib::Server::Handler answer_;
  httplib::Server server_;
  std::mutex mutex_;
  httplib::Request last_;
  std::set<int> ports_;
  int port_ = 0;
  std::thread thread_;
};

/// Takes one connection, keeps the bytes of its request up to the end of the headers, and hangs up.
class raw_listener {
public:
  raw_listener() {
    listening_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address_;
    REQUIRE(bind(listening_, reinterpret_cast<sockaddr*>(&address_), size) == 0);
    REQUIRE(listen(listening_, 1) == 0);
    REQUIRE(getsockname(listening_, reinterpret_cast<sockaddr*>(&address_), &size) == 0);
    thread_ = std::thread{[this] { take_one(); }};
  }
  ~raw_listener() {
    shutdown(listening_, SHUT_RDWR); // should nobody have come
    if (thread_.joinable())
      thread_.join();
    close(listening_);
  }
  raw_listener(const raw_listener&) = delete;
  raw_listener& operator=(const raw_listener&) = delete;

  std::string origin() const { return "http://127.0.0.1:" + std::to_string(ntohs(address_.sin_port)); }
  std::string request() {
    thread_.join();
    return request_;
  }

private:
  void take_one() {
    const int connection = accept(listening_, nullptr, nullptr);
    std::array<char, 4096> bytes{};
    for (ssize_t n = 0; request_.find("\r\n\r\n") == std::string::npos;
         request_.append(bytes.data(), static_cast<std::size_t>(n)))
      if ((n = recv(connection, bytes.data(), bytes.size(), 0)) <= 0)
        break;
    close(connection);
  }

  int listening_ = -1;
  sockaddr_in address_{};
  std::string request_;
  std::thread thread_;
};

/// Takes one connection after the other and answers each request with the next of `answers`, as it is. An empty one is
/// none: it hangs up; so it does after what is no HTTP, and after the last it is gone.
class scripted_service {
public:
  explicit scripted_service(std::vector<std::string> answers) : answers_{std::move(answers)} {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    REQUIRE(bind(listening_, reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(listen(listening_, 8) == 0);
    REQUIRE(getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    options.url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/charge";
    thread_ = std::thread{[this] { serve(); }};
  }
  ~scripted_service() {
    shutdown(listening_, SHUT_RDWR);
    thread_.join();
    close(listening_);
  }
  scripted_service(const scripted_service&) = delete;
  scripted_service& operator=(const scripted_service&) = delete;

  http_options options;
  std::atomic<int> requests = 0;

private:
  void serve() {
    while (!answers_.empty()) {
      const int connection = accept(listening_, nullptr, nullptr);
      if (connection < 0)
        break;
      while (!answers_.empty() && answer_one(connection))
        ;
      if (answers_.empty())
        shutdown(listening_, SHUT_RDWR); // before it hangs up: who comes again finds nobody
      close(connection);
    }
  }

  bool answer_one(int connection) {
    std::string request;
    for (std::array<char, 4096> bytes{}; !request.ends_with("\r\n\r\n{}");) {
      const auto n = recv(connection, bytes.data(), bytes.size(), 0);
      if (n <= 0)
        return false;
      request.append(bytes.data(), static_cast<std::size_t>(n));
    }
    ++requests;
    const auto answer = answers_.front();
    answers_.erase(answers_.begin());
    if (!answer.empty())
      REQUIRE(send(connection, answer.data(), answer.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(answer.size()));
    return answer.starts_with("HTTP/1.1 ");
  }

  const int listening_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::vector<std::string> answers_;
  std::thread thread_;
};

struct http_bench {
  explicit http_bench(http_options o) : caller{make_http_caller(std::move(o), 1000, answers.over())} {}

  answer answer_to(call c, call_ticket ticket = 1) {
    caller->start(ticket, std::move(c));
    auto a = answers.wait(ticket);
    REQUIRE(a);
    return *a;
  }

  collected_answers answers;
  std::unique_ptr<actors::caller> caller;
};

httplib::Server::Handler says(int status, const std::string& body = "") {
  return [=](const httplib::Request&, httplib::Response& response) {
    response.status = status;
    response.set_content(body, "application/json");
  };
}

answer answer_for(int status) {
  service s{says(status, "{\"error\":\"why\"}")};
  return http_bench{s.options()}.answer_to(call_with("{}"));
}

} // namespace

TEST_CASE("a call carries the input, the key and the attempt, and its body is the result") {
  service s{says(201, "{\"charged\":true}")};
  auto o = s.options();
  o.headers["Authorization"] = "Bearer abc";
  const auto a = http_bench{o}.answer_to(call_with("{\"amount\":5}"));
  CHECK(a.kind == report_kind::succeeded);
  CHECK(a.result == "{\"charged\":true}");
  const auto request = s.last();
  CHECK(request.body == "{\"amount\":5}");
  CHECK(request.get_header_value("Content-Type") == "application/json");
  CHECK(request.get_header_value("Authorization") == "Bearer abc");
  CHECK(request.get_header_value("Idempotency-Key") == "order-1/charge/1/do");
  CHECK(request.get_header_value("Steadfast-Attempt") == "2");
  CHECK(request.get_header_value("Steadfast-Epoch") == "7");
  CHECK(request.get_header_value("Steadfast-Complete-By") == "2026-01-01T12:00:30.000Z");
}

TEST_CASE("calls keep their connection") {
  service s{says(200, "1")};
  http_bench b{s.options()};
  for (call_ticket ticket = 1; ticket <= 5; ++ticket)
    CHECK(b.answer_to(call_with("{}"), ticket).kind == report_kind::succeeded);
  CHECK(s.connections() == 1);
}

TEST_CASE("a configured header stands once, and no value makes another header") {
  service s{says(200, "1")};
  auto o = s.options();
  o.headers["content-type"] = "text/plain";
  auto c = call_with("{}");
  c.key = "a\r\nX-Evil: 1";
  http_bench{o}.answer_to(c);
  const auto request = s.last();
  CHECK(request.get_header_value_count("Content-Type") == 1);
  CHECK(request.get_header_value("Content-Type") == "text/plain");
  CHECK_FALSE(request.has_header("X-Evil"));
  CHECK(request.get_header_value("Idempotency-Key") == c.key); // this server decodes percents
}

TEST_CASE("a value is sent as it is written, whatever it has of percents") {
  raw_listener listener;
  http_options o;
  o.url = listener.origin() + "/";
  o.headers["X-Discount"] = "50%41 of \"all\"\t%";
  auto c = call_with("{}");
  c.key = "a%20b/charge";
  http_bench{o}.answer_to(c);
  const auto sent = listener.request();
  CHECK_THAT(sent, Catch::Contains("\r\nX-Discount: 50%41 of \"all\"\t%\r\n"));
  CHECK_THAT(sent, Catch::Contains("\r\nIdempotency-Key: a%20b/charge\r\n"));
}

TEST_CASE("P31: an error shows where a call went, and nothing of it that may be secret") {
  service s{[](const httplib::Request& request, httplib::Response& response) {
    response.status = 401;
    response.set_content(std::string(140, '.') + "bad " + request.get_header_value("Authorization"), "text/plain");
  }};
  auto o = s.options();
  o.headers["Authorization"] = "Bearer planted-canary-token";
  o.secrets = {"Bearer planted-canary-token"};
  const auto refused = http_bench{o}.answer_to(call_with("{}"));
  CHECK_THAT(refused.why, Catch::Contains("401") && Catch::Contains("***") && !Catch::Contains("canary"));

  o.url = "http://127.0.0.1:1/hook/planted-canary-path?key=planted-canary-query";
  const auto unreached = http_bench{o}.answer_to(call_with("{}"));
  CHECK_THAT(unreached.why, Catch::Contains("http://127.0.0.1:1)") && !Catch::Contains("canary"));
  o.url = "http://169.254.169.254/hook?key=planted-canary-query";
  CHECK_THAT(http_bench{o}.answer_to(call_with("{}")).why, !Catch::Contains("canary"));
}

TEST_CASE("P31: what is masked is a secret, or a long word of one") {
  CHECK(masked("key sk-1234567, sk-1234567", {"sk-1234567"}) == "key ***, ***");
  CHECK(masked("token abcdefabcdef.", {"Bearer abcdefabcdef"}) == "token ***.");
  CHECK(masked("Bearer of news", {"Bearer abcdefabcdef"}) == "Bearer of news");
  CHECK(masked("a b", {"a", ""}) == "a b");
  CHECK(origin_of("https://user:word@host:8443/a@b?c#d") == "https://host:8443");
  CHECK(origin_of("http://host?x=/@y") == "http://host");
}

TEST_CASE("row 80: what cannot be a URL or a header is refused, and not shown") {
  const auto of_url = [](const std::string& url) {
    http_options o;
    o.url = url;
    const auto found = problems(o);
    return found.empty() ? "" : found.front();
  };
  for (const auto* good :
       {"http://localhost/", "https://host:8443/a/b?c=d%20e", "http://[::1]:80/x", "http://h\xC3\xA4/"})
    CHECK(of_url(good).empty());
  for (const auto* bad : {"ftp://canary/", "http://", "http://canary:99999/", "http://canary host/", "http:///canary",
                          "http://canary/a b", "http://canary/\r\nX: y", "http://[::canary]/",
                          "http://user:canary@host/", "http://canary@host/", "http://host/#canary"}) {
    INFO(bad);
    CHECK_THAT(of_url(bad), Catch::StartsWith("url ") && !Catch::Contains("canary"));
  }
  CHECK_THAT(of_url("http://user:canary@host/"), Catch::Contains("header"));
  for (const auto* name : {"", "X Y", "X:", "\xC3\xA4", "Idempotency-Key", "steadfast-Task", "content-length"})
    CHECK_THAT(header_problem(name, "canary"), Catch::StartsWith("headers: ") && !Catch::Contains("canary"));
  for (const auto* value : {"", " ", "a\nb", "a\rb", "a\x01", "a\x7F"})
    CHECK_THAT(header_problem("X-Token", value), Catch::StartsWith("headers: X-Token "));
  CHECK(header_problem("X-Token", "50% of \tall \xC3\xA4").empty());
  http_options o;
  o.url = "http://localhost/";
  for (const auto* bad : {"proxy:3128", "ftp://proxy", "http://proxy:x"}) {
    o.proxy = bad;
    CHECK(problems(o).size() == 1);
  }
  o.proxy = "http://user:word@proxy:3128";
  CHECK(problems(o).empty());
}

TEST_CASE("status classes tell a passing fault from one for good") {
  CHECK(answer_for(503).kind == report_kind::failed_transient);
  CHECK(answer_for(503).maybe_done);
  CHECK(answer_for(429).kind == report_kind::failed_transient);
  CHECK_FALSE(answer_for(429).maybe_done);
  CHECK(answer_for(422).kind == report_kind::failed_permanent);
  CHECK_FALSE(answer_for(422).maybe_done);
  CHECK_THAT(answer_for(422).why, Catch::Contains("422") && Catch::Contains("why"));
}

TEST_CASE("Retry-After is handed on") {
  service s{[](const httplib::Request&, httplib::Response& response) {
    response.status = 429;
    response.set_header("Retry-After", "7");
  }};
  CHECK(http_bench{s.options()}.answer_to(call_with("{}")).retry_after == 7s);
}

TEST_CASE("a service can ask for a wait of a day at most, by a number or a date") {
  const auto wait_for = [](const std::string& value) {
    constexpr workflow::instant now{784'111'777'000ms}; // of the first date below
    return answer_of(http_reply{503, "", value, ""}, {}, workflow::attempt_action::perform, now).retry_after;
  };
  CHECK(wait_for("Sun, 06 Nov 1994 08:49:37 GMT") == 0s);
  CHECK(wait_for("Sun, 06 Nov 1994 08:49:47 GMT") == 10s);
  CHECK(wait_for("Sat, 05 Nov 1994 08:49:37 GMT") == 0s);
  CHECK(wait_for("Sunday, 06-Nov-94 08:49:47 GMT") == 10s); // the two obsolete forms
  CHECK(wait_for("Sun Nov  6 08:49:47 1994") == 10s);
  for (const auto* much :
       {"86401", "9223372036854775807", "99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT", "Fri, 3Dec 999685487"})
    CHECK(wait_for(much) == 24h);
  for (const auto* none : {"-5", "soon", "", "-99999999999999999999", "99999999999999999999 s"})
    CHECK(wait_for(none) == 0s);
}

TEST_CASE("202 says that the step ends later where it may, and otherwise that it is done") {
  const auto told = [](long status, bool may_end_later) {
    return answer_of(http_reply{status, "{}", "", ""}, {}, workflow::attempt_action::perform, {}, may_end_later).kind;
  };
  CHECK(told(202, true) == report_kind::taken_on);
  CHECK(told(202, false) == report_kind::succeeded);
  CHECK(told(200, true) == report_kind::succeeded);
}

TEST_CASE("P15: a probe is denied by an explicit no, and by nothing else") {
  const auto told = [](long status, const std::string& body, const std::string& header = "") {
    return answer_of(http_reply{status, body, "", header}, {}, workflow::attempt_action::probe, {});
  };
  for (const long status : {200, 404}) {
    CHECK(told(status, R"({"happened": false, "undone": true})").kind == report_kind::denied);
    CHECK(told(status, "", "no").kind == report_kind::denied);
    CHECK(told(status, R"({"happened": true})", "no").kind == report_kind::denied); // the header says it first
    CHECK(told(status, "{}", "perhaps").kind == report_kind::failed_transient);
  }
  for (const auto* other : {"", "<html>not found</html>", "{}", "[]", "null", R"({"happened": 0})",
                            R"({"happened": "no"})", R"({"error": {"happened": false}})", R"({"happened": true})"}) {
    INFO(other);
    const auto wrong_path = told(404, other);
    CHECK(wrong_path.kind == report_kind::failed_transient);
    CHECK_THAT(wrong_path.why, Catch::Contains("HTTP 404") && Catch::Contains("Steadfast-Happened: no"));
    CHECK(told(200, other).kind == report_kind::succeeded);
  }
  CHECK(told(404, R"({"happened": false})", "yes").kind == report_kind::failed_transient);
  CHECK(told(500, R"({"happened": false})", "no").kind == report_kind::failed_transient);
  CHECK(told(403, R"({"happened": false})", "no").kind == report_kind::failed_permanent);
}

TEST_CASE("P15: the word of a probe is read from its header") {
  service s{[](const httplib::Request&, httplib::Response& response) {
    response.status = 404;
    response.set_header("steadfast-happened", "no");
  }};
  auto c = call_with("{}");
  CHECK(http_bench{s.options()}.answer_to(c).kind == report_kind::failed_permanent); // to a step it says nothing
  c.action = workflow::attempt_action::probe;
  CHECK(http_bench{s.options()}.answer_to(c).kind == report_kind::denied);
}

TEST_CASE("a redirect is not followed, and leaves a doubt") {
  service s{[](const httplib::Request&, httplib::Response& response) { response.set_redirect("/elsewhere"); }};
  const auto a = http_bench{s.options()}.answer_to(call_with("{}"));
  CHECK(a.kind == report_kind::failed_permanent);
  CHECK(a.maybe_done);
  CHECK_THAT(a.why, Catch::Contains("302"));
  CHECK(s.calls == 1);
}

TEST_CASE("an answer that is too large fails for good and may have acted") {
  service s{says(200, std::string(2000, 'x'))};
  const auto a = http_bench{s.options()}.answer_to(call_with("{}"));
  CHECK(a.kind == report_kind::failed_permanent);
  CHECK(a.maybe_done);
  CHECK_THAT(a.why, Catch::Contains("result_size_max"));
}

TEST_CASE("a service that is not there was not reached") {
  http_options o;
  {
    service s{says(200)};
    o = s.options();
  }
  const auto a = http_bench{o}.answer_to(call_with("{}"));
  CHECK(a.kind == report_kind::failed_transient);
  CHECK_FALSE(a.maybe_done);
}

TEST_CASE("row 74: a call that is asked to end is heard out") {
  std::atomic<bool> works = true;
  service s{[&](const httplib::Request&, httplib::Response& response) {
    while (works)
      std::this_thread::sleep_for(5ms);
    response.set_content("{\"done\":true}", "application/json");
  }};
  http_bench b{s.options()};
  b.caller->start(1, call_with("{}"));
  REQUIRE(tests::comes_true([&] { return s.calls == 1; }));
  b.caller->ask_to_end(1);
  works = false;
  const auto a = b.answers.wait(1);
  REQUIRE(a);
  CHECK(a->kind == report_kind::succeeded);
  CHECK(a->result == "{\"done\":true}");
}

TEST_CASE("row 75: only the service's own answer settles a call, not that of a gateway") {
  for (const int status : {400, 409, 422, 429, 500, 501}) {
    INFO(status);
    CHECK_FALSE((answer_for(status).maybe_done && answer_for(status).unsettled));
  }
  for (const int status : {408, 499, 502, 503, 504, 520, 524, 599}) {
    INFO(status);
    const auto a = answer_for(status);
    CHECK(a.maybe_done);
    CHECK(a.unsettled);
  }
}

TEST_CASE("row 75: a gateway's answer is unsettled also where its status is configured as permanent") {
  service s{says(504)};
  auto o = s.options();
  o.permanent = {"504"};
  o.transient = {};
  const auto a = http_bench{o}.answer_to(call_with("{}"));
  CHECK(a.kind == report_kind::failed_permanent);
  CHECK(a.maybe_done);
  CHECK(a.unsettled);
}

TEST_CASE("row 75: a service whose answer is no HTTP may have acted") {
  for (const std::string answer : {"SORRY\r\n\r\n", "{\"done\":true}", "HTTP/9.9 200 OK\r\n\r\n"}) {
    INFO(answer);
    scripted_service s{{answer}};
    const auto a = http_bench{s.options}.answer_to(call_with("{}"));
    CHECK(s.requests == 1);
    CHECK(a.kind == report_kind::failed_transient);
    CHECK(a.maybe_done);
    CHECK(a.unsettled);
  }
}

// Clients of HTTP are free to send a request again when a connection that they kept is closed before a byte of an
// answer has come (RFC 9110, 9.2.2), and many do. The service may be at work on the first: what it says to the second
// would be taken as its word on both.
TEST_CASE("row 75: a request on a kept connection that is lost is not sent again unseen") {
  scripted_service s{
    {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", "", "HTTP/1.1 409 Conflict\r\nContent-Length: 0\r\n\r\n"}};
  http_bench b{s.options};
  REQUIRE(b.answer_to(call_with("{}"), 1).kind == report_kind::succeeded);
  const auto a = b.answer_to(call_with("{}"), 2);
  CHECK(s.requests == 2);
  CHECK(a.kind == report_kind::failed_transient);
  CHECK(a.maybe_done);
  CHECK(a.unsettled);
  CHECK_THAT(a.why, Catch::Contains("lost"));
  CHECK(b.answer_to(call_with("{}"), 3).kind == report_kind::failed_permanent); // the next try is ours
}

TEST_CASE("row 75: a service that is gone after it took the request may have acted") {
  scripted_service s{{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", ""}};
  http_bench b{s.options};
  REQUIRE(b.answer_to(call_with("{}"), 1).kind == report_kind::succeeded);
  const auto a = b.answer_to(call_with("{}"), 2);
  CHECK(s.requests == 2);
  CHECK(a.maybe_done);
  CHECK(a.unsettled);
}

TEST_CASE("a stopped call is over at once, whatever the service does") {
  std::atomic<bool> goes_on = true;
  service s{[&](const httplib::Request&, httplib::Response&) {
    while (goes_on)
      std::this_thread::sleep_for(5ms);
  }};
  http_bench b{s.options()};
  b.caller->start(1, call_with("{}"));
  CHECK(tests::comes_true([&] { return s.calls == 1; }));
  b.caller->stop(1);
  const auto a = b.answers.wait(1);
  goes_on = false;
  REQUIRE(a);
  CHECK(a->kind == report_kind::stopped);
  CHECK(a->maybe_done);
}

TEST_CASE("addresses where clouds keep credentials are refused in every form") {
  for (const std::string host : {"169.254.169.254", "[fe80::1]", "[::ffff:169.254.169.254]",
                                 "[64:ff9b::169.254.169.254]", "[fd00:ec2::254]", "100.100.100.200"}) {
    http_options o;
    o.url = "http://" + host + "/latest/meta-data";
    const auto a = http_bench{o}.answer_to(call_with("{}"));
    INFO(host << ": " << a.why);
    CHECK(a.kind == report_kind::failed_permanent);
    CHECK_FALSE(a.maybe_done);
  }
}
