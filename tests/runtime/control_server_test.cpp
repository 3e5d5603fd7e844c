#include "runtime/control/control_server.hpp"
#include "steadfast/client.hpp"
#include "tests/support/processes/raw_socket.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

using namespace steadfast;
using namespace steadfast::tests;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

control_methods echo_methods() {
  control_methods m;
  m["echo"] = [](const json& params) { return params; };
  m["refuse"] = [](const json&) -> json { throw api::error{api::error::refused, "no: because"}; };
  m["busy"] = [](const json&) -> json { throw api::error{api::error::busy, "later", std::chrono::milliseconds{1500}}; };
  m["absent"] = [](const json&) -> json { throw api::error{api::error::not_found, "there is none"}; };
  m["typed"] = [](const json& params) -> json { return params.at("number").get<int>(); };
  m["task.show"] = [](const json&) -> json { return {{"job", 1}}; }; // not as a node says it
  m["task.state"] = [](const json&) -> json { return {{"process_state", 5}}; };
  m["submit"] = [](const json&) -> json { return json::array(); };
  m["broken"] = [](const json&) -> json { throw std::runtime_error{"a fault"}; };
  return m;
}

struct running_server {
  explicit running_server(std::size_t frame_max = 4 << 20, control_methods methods = echo_methods())
      : running_server{with_frames(frame_max), std::move(methods)} {}
  explicit running_server(control_options o, control_methods methods = echo_methods())
      : socket{folder.path() / "private" / "control.sock"} {
    o.socket = socket;
    server = std::make_unique<control_server>(o, std::move(methods));
  }
  static control_options with_frames(std::size_t max) {
    control_options o;
    o.frame_max = max;
    return o;
  }

  temp_folder folder;
  std::filesystem::path socket;
  std::unique_ptr<control_server> server;
};

unsigned mode_of(const std::filesystem::path& path) {
  struct stat s {};
  REQUIRE(lstat(path.c_str(), &s) == 0);
  return s.st_mode & 07777U;
}

int code_of(const std::string& answer) {
  return json::parse(answer).at("error").at("code");
}

client_error::kind kind_of(client& c, const std::string& method) {
  try {
    c.call(method, json::object());
  } catch (const client_error& e) {
    return e.why();
  }
  FAIL("there was no error");
  return client_error::kind::refused;
}

} // namespace

TEST_CASE("a request is answered with its id, and requests of a connection in order") {
  const running_server s;
  raw_socket c{s.socket};
  CHECK(json::parse(c.ask(R"({"jsonrpc":"2.0","id":7,"method":"echo","params":{"a":[1,2]}})"))
        == json{{"jsonrpc", "2.0"}, {"id", 7}, {"result", {{"a", {1, 2}}}}});
  c.send(R"({"jsonrpc":"2.0","id":1,"method":"echo"})"
         "\n"
         R"({"jsonrpc":"2.0","id":"x","method":"echo"})"
         "\n");
  CHECK(json::parse(*c.read_line()).at("id") == 1);
  CHECK(json::parse(*c.read_line()).at("id") == "x");
}

TEST_CASE("only the owner can open the socket, and enter the folder that was made for it") {
  const running_server s;
  CHECK(mode_of(s.socket) == 0600);
  CHECK(mode_of(s.socket.parent_path()) == 0700);
}

TEST_CASE("a request that makes no sense is answered with an error, and the connection lives on") {
  const running_server s;
  raw_socket c{s.socket};
  CHECK(code_of(c.ask("not json")) == -32700);
  CHECK(code_of(c.ask("")) == -32700);
  CHECK(code_of(c.ask("[]")) == -32600);
  CHECK_THAT(c.ask(R"([{"jsonrpc":"2.0","id":1,"method":"echo"}])"),
             Contains("-32600") && Contains("batches are not supported"));
  CHECK(code_of(c.ask("{}")) == -32600);
  CHECK(code_of(c.ask(R"({"jsonrpc":"2.0","id":1,"method":7})")) == -32600);
  CHECK(code_of(c.ask(R"({"jsonrpc":"1.0","id":1,"method":"echo"})")) == -32600);
  CHECK(code_of(c.ask(R"({"jsonrpc":2.0,"id":1,"method":"echo"})")) == -32600);
  CHECK(code_of(c.ask(R"({"jsonrpc":"2.0","id":1,"method":"nothing"})")) == -32601);
  CHECK(code_of(c.ask(R"({"jsonrpc":"2.0","id":1,"method":"typed","params":{"number":"seven"}})")) == -32602);
  CHECK(code_of(c.ask(R"({"jsonrpc":"2.0","id":1,"method":"typed"})")) == -32602);
  CHECK(code_of(c.ask(R"({"jsonrpc":"2.0","id":1,"method":"typed","params":[1]})")) == -32602);
  CHECK(code_of(c.ask(R"({"jsonrpc":"2.0","id":1,"method":"broken"})")) == -32603);
  CHECK(code_of(c.ask(std::string("\x00\xff\x01", 3))) == -32700);
  CHECK(json::parse(c.ask(R"({"jsonrpc":"2.0","id":2,"method":"echo","params":{}})")).at("result") == json::object());
}

TEST_CASE("row 81: a frame without an end is refused at its limit, others are served") {
  const running_server s{1000};
  raw_socket greedy{s.socket};
  greedy.send(std::string(5000, 'a'));
  const auto answer = greedy.read_line();
  REQUIRE(answer);
  CHECK_THAT(*answer, Contains("1000 bytes"));
  CHECK_FALSE(greedy.read_line());
  raw_socket other{s.socket};
  CHECK(json::parse(other.ask(R"({"jsonrpc":"2.0","id":1,"method":"echo"})")).contains("result"));
}

TEST_CASE("row 81: JSON nested without end is answered, not died of") {
  const running_server s;
  raw_socket c{s.socket};
  const std::string deep(1'000'000, '[');
  CHECK_THAT(c.ask(deep), Contains("error"));
  CHECK_THAT(
    c.ask(R"({"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":)" + deep + std::string(deep.size(), ']') + "}}"),
    Contains("error"));
  raw_socket other{s.socket};
  CHECK(json::parse(other.ask(R"({"jsonrpc":"2.0","id":1,"method":"echo"})")).contains("result"));
}

TEST_CASE("row 81: half a frame and then silence, or the end, holds nobody up") {
  const running_server s;
  const raw_socket silent{s.socket};
  silent.send(R"({"jsonrpc":"2.0","id":1,"meth)");
  const raw_socket gone{s.socket};
  gone.send(R"({"jsonrpc":"2.0","id":1,"meth)");
  gone.end_of_input();
  raw_socket other{s.socket};
  CHECK(json::parse(other.ask(R"({"jsonrpc":"2.0","id":1,"method":"echo"})")).contains("result"));
}

TEST_CASE("a connection above the bound is told that all are in use, and there is room again when others leave") {
  control_options o;
  o.connections_max = 2;
  o.idle_enough = std::chrono::hours{1};
  const running_server s{o};
  auto first = std::make_unique<raw_socket>(s.socket);
  raw_socket second{s.socket};
  CHECK_FALSE(first->ask(R"({"jsonrpc":"2.0","id":1,"method":"echo"})").empty());
  CHECK_FALSE(second.ask(R"({"jsonrpc":"2.0","id":1,"method":"echo"})").empty());
  raw_socket third{s.socket};
  const auto busy = json::parse(third.read_line().value()).at("error");
  CHECK(busy.at("code") == api::error::busy);
  CHECK(busy.at("message") == "all 2 connections are in use");
  CHECK(busy.at("data").at("retry_after_ms") > 0);
  CHECK_FALSE(third.read_line());
  client fourth{s.socket.string()};
  CHECK(kind_of(fourth, "echo") == client_error::kind::busy);
  first.reset();
  // The server learns of it on its own time.
  bool is_served = false;
  for (int i = 0; i < 1000 && !is_served; ++i)
    is_served =
      raw_socket{s.socket}.ask(R"({"jsonrpc":"2.0","id":1,"method":"echo"})").find("result") != std::string::npos;
  CHECK(is_served);
}

TEST_CASE("idle connections do not keep a person out: the one that was idle for longest gives way") {
  control_options o;
  o.connections_max = 3;
  o.idle_enough = std::chrono::milliseconds{0};
  control_reply kept;
  std::promise<void> begun;
  auto methods = echo_methods();
  methods["kept"] = [&](const json&, const control_reply& reply) {
    kept = reply;
    begun.set_value();
  };
  running_server s{o, std::move(methods)};
  raw_socket working{s.socket};
  working.send(R"({"jsonrpc":"2.0","id":1,"method":"kept"})"
               "\n");
  begun.get_future().wait();
  raw_socket half{s.socket};
  half.send(R"({"jsonrpc":"2.0","id":1,"meth)");
  raw_socket idle{s.socket};
  CHECK_FALSE(idle.ask(R"({"jsonrpc":"2.0","id":1,"method":"echo"})").empty());
  client person{s.socket.string()};
  CHECK(person.call("echo", {{"a", 1}}) == json{{"a", 1}});
  CHECK_FALSE(half.read_line());
  CHECK_FALSE(idle.ask(R"({"jsonrpc":"2.0","id":2,"method":"echo"})").empty());
  kept([]() -> json { return "done"; });
  kept = nullptr;
  CHECK_THAT(working.read_line().value(), Contains("done")); // a call under way is never hung up on
}

TEST_CASE("bytes that never become a request do not keep a person out") {
  control_options o;
  o.connections_max = 1;
  o.idle_enough = std::chrono::milliseconds{100};
  running_server s{o};
  raw_socket dripping{s.socket};
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{30};
  bool is_served = false;
  while (!is_served && std::chrono::steady_clock::now() < until) {
    dripping.send(" ");
    is_served = raw_socket{s.socket}.ask(R"({"jsonrpc":"2.0","id":1,"method":"echo","params":{"here":1}})").find("here")
                != std::string::npos;
  }
  CHECK(is_served);
}

TEST_CASE("one process leaves places for others") {
  control_options o;
  o.connections_max = 3;
  o.connections_of_process_max = 2;
  o.idle_enough = std::chrono::hours{1};
  const running_server s{o};
  const raw_socket first{s.socket};
  const raw_socket second{s.socket};
  raw_socket third{s.socket};
  CHECK_THAT(third.read_line().value(), Contains("this process has 2 connections"));
}

TEST_CASE("half requests of many connections hold no more memory than a limit") {
  control_options o;
  o.unfinished_max = 1 << 20;
  const running_server s{o};
  const std::string half(700'000, 'a');
  auto first = std::make_unique<raw_socket>(s.socket);
  first->send(half);
  raw_socket second{s.socket};
  second.send(half);
  // One of them is too much, whichever was read further by then.
  const auto is_refused = [&](raw_socket& c) {
    return c.read_line().value_or("").find("requests are unfinished") != std::string::npos;
  };
  CHECK((is_refused(second) || is_refused(*first)));
  raw_socket small{s.socket};
  first.reset();
  CHECK(json::parse(small.ask(R"({"jsonrpc":"2.0","id":1,"method":"echo"})")).contains("result"));
}

namespace {

/// While it lives this process can open no further file.
class no_files_left {
public:
  no_files_left() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
    taken_.push_back(next);
    const rlimit none{static_cast<rlim_t>(next) + 1, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
    for (int fd = 0; (fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;)
      taken_.push_back(fd);
  }
  ~no_files_left() {
    setrlimit(RLIMIT_NOFILE, &before_);
    for (const int fd : taken_)
      close(fd);
  }
  no_files_left(const no_files_left&) = delete;
  no_files_left& operator=(const no_files_left&) = delete;

private:
  rlimit before_{};
  std::vector<int> taken_;
};

/// A socket that is there before it is connected: connecting opens no file.
int connect_later() {
  return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

std::string told_at_the_door(int fd, const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return "not connected";
  std::string line(1000, ' ');
  const auto n = recv(fd, line.data(), line.size(), 0);
  return line.substr(0, static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
}

} // namespace

TEST_CASE("a server that has no file left says so to each in line, does not spin, and goes on when there are files") {
  const running_server s;
  const std::vector<int> clients{connect_later(), connect_later(), connect_later(), connect_later()};
  {
    const no_files_left now;
    const auto cpu = std::clock();
    const auto began = std::chrono::steady_clock::now();
    for (const int c : clients)
      CHECK_THAT(told_at_the_door(c, s.socket), Contains("as many files open as it may have"));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    CHECK(took.count() > 0.25); // a pause between them
    CHECK(static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC < took.count() / 2);
  }
  for (const int c : clients)
    close(c);
  client after{s.socket.string()};
  CHECK(after.call("echo", {{"a", 1}}) == json{{"a", 1}});
}

TEST_CASE("a request of another version of the protocol is refused") {
  const running_server s;
  raw_socket c{s.socket};
  for (const char* version : {R"("1.0")", "2.0", "null", "2"})
    CHECK(code_of(c.ask(std::string{R"({"jsonrpc":)"} + version + R"(,"id":1,"method":"echo"})")) == -32600);
  CHECK_THAT(c.ask(R"({"id":1,"method":"echo"})"), Contains("`jsonrpc` must be"));
}

TEST_CASE("a client is told that the path of a socket is too long, and how long it may be") {
  CHECK_THROWS_WITH(client{"/tmp/" + std::string(120, 'a')}, Contains("125 bytes") && Contains("107"));
}

TEST_CASE("a method that replies later keeps no thread: more calls are open than there are threads") {
  constexpr std::size_t calls = 32;
  std::mutex mutex;
  std::vector<control_reply> open;
  control_methods methods;
  methods["later"] = [&](const json&, const control_reply& reply) {
    const std::lock_guard lock{mutex};
    open.push_back(reply);
    if (open.size() == calls)
      for (const auto& each : std::exchange(open, {}))
        each([]() -> json { return 7; });
  };
  const running_server s{control_options{}, std::move(methods)};
  std::vector<std::future<json>> answers;
  for (std::size_t i = 0; i < calls; ++i)
    answers.push_back(std::async(std::launch::async, [&] { return client{s.socket.string()}.call("later", {}); }));
  for (auto& a : answers)
    CHECK(a.get() == 7);
}

TEST_CASE(
  "a call that nobody is left to answer is told so, and one that was begun is answered before the server ends") {
  control_reply kept;
  std::promise<void> begun;
  control_methods methods;
  methods["dropped"] = [](const json&, const control_reply&) {};
  methods["kept"] = [&](const json&, const control_reply& reply) {
    kept = reply;
    begun.set_value();
  };
  methods["throws"] = [](const json&, const control_reply&) {
    throw api::error{api::error::not_found, "there is none"};
  };
  running_server s{control_options{}, std::move(methods)};
  raw_socket c{s.socket};
  CHECK_THAT(c.ask(R"({"jsonrpc":"2.0","id":1,"method":"dropped"})"), Contains("outcome is unknown"));
  CHECK(code_of(c.ask(R"({"jsonrpc":"2.0","id":1,"method":"throws"})")) == api::error::not_found);
  c.send(R"({"jsonrpc":"2.0","id":2,"method":"kept"})"
         "\n");
  begun.get_future().wait();
  auto end = std::async(std::launch::async, [&] { s.server.reset(); });
  kept([]() -> json { return "in time"; });
  kept = nullptr;
  CHECK_THAT(c.read_line().value(), Contains("in time"));
  end.get();
}

TEST_CASE("a client hears why a call failed") {
  const running_server s;
  client c{s.socket.string()};
  CHECK(c.call("echo", {{"a", 1}}) == json{{"a", 1}});
  CHECK(kind_of(c, "refuse") == client_error::kind::refused);
  CHECK(kind_of(c, "absent") == client_error::kind::not_found);
  CHECK(kind_of(c, "nothing") == client_error::kind::refused);
  try {
    c.call("busy", json::object());
    FAIL("there was no error");
  } catch (const client_error& e) {
    CHECK(e.why() == client_error::kind::busy);
    CHECK(e.retry_after() == std::chrono::milliseconds{1500});
    CHECK(std::string{e.what()} == "later");
  }
  CHECK(c.call("echo", {{"b", 2}}) == json{{"b", 2}});
}

TEST_CASE("a client that is told nonsense says so, as any other error") {
  const running_server s;
  client c{s.socket.string()};
  for (const auto& ask : {std::function<void()>{[&] { c.show("t"); }},
                          std::function<void()>{[&] { c.wait("t", std::chrono::milliseconds{0}); }},
                          std::function<void()>{[&] { c.submit("w", "{}"); }}})
    CHECK_THROWS_AS(ask(), client_error);
  CHECK(c.call("echo", {{"a", 1}}) == json{{"a", 1}});
}

TEST_CASE("without a server a client says where it looked and how to start one") {
  const temp_folder folder;
  const auto socket = (folder.path() / "none.sock").string();
  CHECK_THROWS_WITH(client{socket}, Contains("no node answers at " + socket) && Contains("steadfast serve -c"));
}

TEST_CASE("row 80: a socket that a server listens at is refused, a stale one is replaced, other files are left alone") {
  const running_server s;
  control_options o;
  o.socket = s.socket;
  CHECK_THROWS_WITH((control_server{o, echo_methods()}), Contains(s.socket.string()) && Contains("in use"));
  raw_socket c{s.socket};
  CHECK(json::parse(c.ask(R"({"jsonrpc":"2.0","id":1,"method":"echo"})")).contains("result"));

  const auto stale = s.folder.path() / "stale.sock";
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, stale.c_str(), sizeof address.sun_path - 1);
  REQUIRE(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  close(fd);
  o.socket = stale;
  CHECK_NOTHROW((control_server{o, echo_methods()}));

  s.folder.write("notes.txt", "precious");
  o.socket = s.folder.path() / "notes.txt";
  CHECK_THROWS_WITH((control_server{o, echo_methods()}), Contains("notes.txt"));
  CHECK(std::filesystem::file_size(o.socket) == 8);
}

TEST_CASE("many clients at once each get their own answers") {
  const running_server s;
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      client c{s.socket.string()};
      for (int i = 0; i < 50; ++i)
        right += c.call("echo", {{"t", t}, {"i", i}}) == json{{"t", t}, {"i", i}} ? 1 : 0;
    });
  for (auto& t : threads)
    t.join();
  CHECK(right == 400);
}

TEST_CASE(
  "row 20: a server that is closed answers what is under way, and clients that ask without a pause do not hold it") {
  running_server s;
  std::atomic<bool> enough = false;
  std::atomic<int> answered = 0;
  std::atomic<int> otherwise_lost = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 8; ++i)
    clients.emplace_back([&] {
      try {
        client c{s.socket.string()};
        for (; !enough; ++answered)
          c.call("echo", json::object());
      } catch (const client_error& e) {
        otherwise_lost += e.why() == client_error::kind::unreachable ? 0 : 1;
      }
    });
  while (answered < 100)
    std::this_thread::yield();
  auto closed = std::async(std::launch::async, [&] { s.server.reset(); });
  CHECK(closed.wait_for(std::chrono::seconds{20}) == std::future_status::ready);
  enough = true;
  for (auto& c : clients)
    c.join();
  CHECK(otherwise_lost == 0);
}
