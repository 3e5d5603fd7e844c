// Connections between nodes in one process: who gets in, who does not and is told why, and what a stranger costs.

#include "runtime/links/links.hpp"

#include "apps/certificates/cluster_certificates.hpp"
#include "runtime/links/door.hpp"
#include "runtime/links/greeting.hpp"
#include "runtime/tls/credentials.hpp"
#include "steadfast/node_error.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

#include <boost/asio/connect.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <sys/resource.h>
#include <sys/socket.h>

#include <condition_variable>
#include <deque>
#include <fstream>
#include <future>
#include <mutex>
#include <thread>

using namespace steadfast;
using namespace steadfast::runtime;
using boost::asio::ip::tcp;
using Catch::Matchers::Contains;
using std::chrono::seconds;
using workflow::peer_kind;

namespace {

namespace fs = std::filesystem;

constexpr seconds patience{20};

/// Certificates of a, which may have the store, of b and c, and of the client desk.
struct made_certificates {
  made_certificates() { apps::make_certificates({path(), {"b", "c"}, 825, {"a"}, {"desk"}}); }
  fs::path path() const { return folder.path() / "certs"; }

  cluster_options options(const std::string& name) const {
    cluster_options o;
    o.certificate = path() / (name + ".pem");
    o.key = path() / (name + ".key");
    o.authority = path() / "authority.pem";
    return o;
  }

  tests::temp_folder folder;
};

workflow::node_roles roles_of(peer_kind k) {
  const bool works = k != peer_kind::client;
  return {k == peer_kind::store, works, works, works};
}

/// What comes in at the links of a test, and what they log.
struct arrivals {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<link_end> ends;
  std::string log;

  std::optional<link_end> next() {
    std::unique_lock lock{mutex};
    if (!changed.wait_for(lock, patience, [this] { return !ends.empty(); }))
      return std::nullopt;
    auto end = std::move(ends.front());
    ends.pop_front();
    return end;
  }
  bool is_logged(const std::string& text) {
    std::unique_lock lock{mutex};
    return changed.wait_for(lock, patience, [&] { return log.find(text) != std::string::npos; });
  }
};

/// The links of one process, which says that it is `name`.
class party {
public:
  party(const std::string& name, peer_kind kind, const cluster_options& o, const std::string& protocol = "p-1")
      : links_{{o, name, roles_of(kind), protocol,
                [this](link_end end) {
                  const std::lock_guard lock{came_.mutex};
                  came_.ends.push_back(std::move(end));
                  came_.changed.notify_all();
                },
                [this](const std::string& level, const std::string& text) {
                  const std::lock_guard lock{came_.mutex};
                  came_.log += level + " " + text + "\n";
                  came_.changed.notify_all();
                }}} {}

  std::uint16_t listen() {
    const auto port = free_ports(1).front();
    links_.listen({"127.0.0.1", port});
    return port;
  }

  handshake_result dial(std::uint16_t port) {
    boost::asio::io_context io;
    std::promise<handshake_result> made;
    links_.dial(tcp::resolver{io}.resolve("127.0.0.1", std::to_string(port)),
                [&made](handshake_result r) { made.set_value(std::move(r)); });
    return made.get_future().get();
  }

  /// Why it is not connected; empty: it is.
  std::string why_not(std::uint16_t port) {
    auto r = dial(port);
    return std::holds_alternative<std::string>(r) ? std::get<std::string>(r) : "";
  }

  arrivals& came() { return came_; }
  links& all() { return links_; }

private:
  arrivals came_;
  links links_;
};

void send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto n = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0 && errno == EAGAIN)
      std::this_thread::yield();
    else if (n <= 0)
      return;
    else
      bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

/// So many bytes, or what there is until the end.
std::string receive(int socket, std::size_t size) {
  std::string got;
  char buffer[65536];
  const auto until = std::chrono::steady_clock::now() + patience;
  while (got.size() < size && std::chrono::steady_clock::now() < until) {
    const auto n = recv(socket, buffer, std::min(sizeof buffer, size - got.size()), MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN))
      break;
    if (n > 0)
      got.append(buffer, static_cast<std::size_t>(n));
    else
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  return got;
}

/// Whoever is no node and connects all the same.
struct stranger {
  explicit stranger(std::uint16_t port) : socket{io} {
    socket.connect({boost::asio::ip::address_v4::loopback(), port});
  }
  /// True: the other side has closed within the limit.
  bool is_closed() {
    const auto until = std::chrono::steady_clock::now() + patience;
    char byte = 0;
    while (std::chrono::steady_clock::now() < until) {
      const auto n = recv(socket.native_handle(), &byte, 1, MSG_DONTWAIT);
      if (n == 0 || (n < 0 && errno != EAGAIN))
        return true;
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    return false;
  }

  boost::asio::io_context io;
  tcp::socket socket;
};

std::chrono::microseconds cpu_time() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto of = [](const timeval& t) { return seconds{t.tv_sec} + std::chrono::microseconds{t.tv_usec}; };
  return of(used.ru_utime) + of(used.ru_stime);
}

} // namespace

TEST_CASE("links: what one side says the other hears, with certificates and without, to the last byte") {
  const made_certificates made;
  const bool certified = GENERATE(false, true);
  party a{"a", peer_kind::store, certified ? made.options("a") : cluster_options{}};
  party b{"b", peer_kind::node, certified ? made.options("b") : cluster_options{}};
  auto dialed = b.dial(a.listen());
  INFO((std::holds_alternative<std::string>(dialed) ? std::get<std::string>(dialed) : ""));
  REQUIRE(std::holds_alternative<link_end>(dialed));
  auto& near = std::get<link_end>(dialed);
  auto far = a.came().next();
  REQUIRE(far);
  CHECK(near.peer == workflow::peer_claim{"p-1", peer_kind::store, "a"});
  CHECK(far->peer == workflow::peer_claim{"p-1", peer_kind::node, "b"});
  CHECK(far->address == "127.0.0.1");
  const std::string much(5'000'000, 'x');
  std::jthread talker{[&] {
    send_all(near.socket.number(), much + "end");
    shutdown(near.socket.number(), SHUT_WR);
  }};
  CHECK(receive(far->socket.number(), much.size() + 100) == much + "end");
  send_all(far->socket.number(), "answer");
  far.reset(); // closes; what was said is still heard
  CHECK(receive(near.socket.number(), 100) == "answer");
}

TEST_CASE("links: a certificate for another name, or of a client, lets nobody be a node") {
  const made_certificates made;
  party a{"a", peer_kind::store, made.options("a")};
  const auto port = a.listen();
  SECTION("another name") {
    party c{"c", peer_kind::node, made.options("b")};
    CHECK_THAT(c.why_not(port), Contains("says that it is `c`, and its certificate is that of `b`"));
    CHECK(a.came().is_logged("refused a connection from 127.0.0.1: node c: it says that it is `c`"));
  }
  SECTION("a client as a node") {
    party desk{"desk", peer_kind::node, made.options("desk")};
    CHECK_THAT(desk.why_not(port), Contains("it says that it is a node, and its certificate is one of a client"));
  }
  SECTION("a node as the one with the store") {
    party b{"b", peer_kind::store, made.options("b")};
    CHECK_THAT(b.why_not(port), Contains("it says that it has the store, and its certificate is not for that"));
  }
  SECTION("a node poses as the store to one who dials it") {
    party b{"b", peer_kind::store, made.options("b")};
    party c{"c", peer_kind::node, made.options("c")};
    CHECK_THAT(c.why_not(b.listen()), Contains("it says that it has the store, and its certificate is not for that"));
  }
  SECTION("a client as a client") {
    party desk{"desk", peer_kind::client, made.options("desk")};
    CHECK(desk.why_not(port).empty());
    const auto far = a.came().next();
    REQUIRE(far);
    CHECK(far->peer.kind == peer_kind::client);
  }
}

TEST_CASE("links: who has no certificate, or one of another authority, is refused, and both are told why") {
  const made_certificates made;
  const made_certificates others;
  party a{"a", peer_kind::store, made.options("a")};
  const auto port = a.listen();
  SECTION("another authority") {
    party b{"b", peer_kind::node, others.options("b")};
    CHECK_THAT(b.why_not(port), Contains("its certificate, of `a`, is not accepted"));
    CHECK(a.came().is_logged("refused a connection from 127.0.0.1: "));
  }
  SECTION("its authority is trusted by who dials only") {
    auto o = others.options("b");
    o.authority = others.path() / "both.pem";
    std::ofstream{o.authority} << std::ifstream{others.path() / "authority.pem"}.rdbuf()
                               << std::ifstream{made.path() / "authority.pem"}.rdbuf();
    party b{"b", peer_kind::node, o};
    CHECK_THAT(b.why_not(port), Contains("it refuses our certificate: its authority is another one"));
    CHECK(a.came().is_logged("its certificate, of `b`, is not accepted"));
  }
  SECTION("none") {
    party b{"b", peer_kind::node, {}};
    CHECK_FALSE(b.why_not(port).empty());
    CHECK(a.came().is_logged("it does not speak TLS"));
  }
  SECTION("the one who is dialed has none") {
    party plain{"a", peer_kind::store, {}};
    party b{"b", peer_kind::node, made.options("b")};
    CHECK_FALSE(b.why_not(plain.listen()).empty());
    CHECK(plain.came().is_logged("it has certificates, and this node has none"));
  }
}

TEST_CASE("links: who speaks another protocol is refused, and both are told") {
  party a{"a", peer_kind::store, {}};
  party b{"b", peer_kind::node, {}, "p-2"};
  CHECK_THAT(b.why_not(a.listen()), Contains("it speaks another protocol than p-1"));
  CHECK(a.came().is_logged("node b: it speaks another protocol than p-1"));
}

TEST_CASE("links: silent strangers cost next to nothing, hold up nobody, and are gone after five seconds") {
  const made_certificates made;
  const bool certified = GENERATE(false, true);
  party a{"a", peer_kind::store, certified ? made.options("a") : cluster_options{}};
  party b{"b", peer_kind::node, certified ? made.options("b") : cluster_options{}};
  const auto port = a.listen();
  std::deque<stranger> silent;
  for (int i = 0; i < 10; ++i)
    silent.emplace_back(port);
  CHECK(b.why_not(port).empty());
  const auto began = std::chrono::steady_clock::now();
  const auto before = cpu_time();
  for (auto& s : silent)
    CHECK(s.is_closed());
  CHECK(std::chrono::steady_clock::now() - began < seconds{40}); // one after the other they would take 50
  CHECK(cpu_time() - before < std::chrono::milliseconds{500});   // a core for five seconds in the days of CAF's TLS
  CHECK(a.came().is_logged("it did not say who it is within 5 s"));
}

TEST_CASE("links: of one address only so many may be silent at a time, and room comes back") {
  party a{"a", peer_kind::store, {}};
  party b{"b", peer_kind::node, {}};
  const auto port = a.listen();
  std::deque<stranger> silent;
  for (std::size_t i = 0; i < door_limits{}.handshakes_of_address_max; ++i)
    silent.emplace_back(port);
  stranger one_more{port};
  CHECK(a.came().is_logged("16 others from there have not said yet who they are"));
  CHECK(one_more.is_closed());
  for (auto& s : silent)
    CHECK(s.is_closed());
  CHECK(b.why_not(port).empty());
}

TEST_CASE("links: a file that cannot be used changes nothing when certificates are reloaded, and the log says so") {
  const made_certificates made;
  party a{"a", peer_kind::store, made.options("a")};
  party b{"b", peer_kind::node, made.options("b")};
  const auto port = a.listen();
  const auto end_before = a.all().own_certificate()->not_after;
  SECTION("the key is emptied") {
    std::ofstream{made.path() / "a.key", std::ios::trunc}.flush();
    CHECK(b.why_not(port).empty()); // nobody reads it in between
    CHECK_NOTHROW(a.all().reload());
    CHECK(a.came().is_logged("error certificates stay as they were: cluster.key: "));
    CHECK(b.why_not(port).empty());
  }
  SECTION("it is another's") {
    fs::copy_file(made.path() / "b.pem", made.path() / "a.pem", fs::copy_options::overwrite_existing);
    fs::copy_file(made.path() / "b.key", made.path() / "a.key", fs::copy_options::overwrite_existing);
    CHECK_NOTHROW(a.all().reload());
    CHECK(a.came().is_logged("is that of `b`, and this node is named `a`"));
    CHECK(a.all().own_certificate()->vouches.name == "a");
  }
  SECTION("the authority is another") {
    const made_certificates others;
    fs::copy_file(others.path() / "authority.pem", made.path() / "authority.pem", fs::copy_options::overwrite_existing);
    CHECK_NOTHROW(a.all().reload());
    CHECK(a.came().is_logged("error certificates stay as they were: cluster.certificate: "));
    CHECK(b.why_not(port).empty());
  }
  SECTION("it is renewed") {
    apps::renew_certificates({made.path(), {"a"}, 1000});
    a.all().reload();
    CHECK(a.came().is_logged("info certificates reloaded"));
    CHECK(a.all().own_certificate()->not_after > end_before);
    CHECK(b.why_not(port).empty());
  }
}

TEST_CASE("links: nothing within reach of CAF is left when they stop, and what was said last is heard") {
  const made_certificates made;
  party a{"a", peer_kind::store, made.options("a")};
  party b{"b", peer_kind::node, made.options("b")};
  auto dialed = b.dial(a.listen());
  REQUIRE(std::holds_alternative<link_end>(dialed));
  auto far = a.came().next();
  REQUIRE(far);
  send_all(std::get<link_end>(dialed).socket.number(), "last words");
  std::get<link_end>(dialed) = {};
  b.all().stop(seconds{2});
  CHECK(receive(far->socket.number(), 100) == "last words");
}

namespace {

/// A head of CAF's binary protocol.
std::string frame(unsigned char kind, unsigned char flags, std::uint32_t payload, std::uint64_t receiver) {
  std::string head(32, '\0');
  head[0] = static_cast<char>(kind);
  head[3] = static_cast<char>(flags);
  for (int i = 0; i < 4; ++i)
    head[static_cast<std::size_t>(4 + i)] = static_cast<char>(payload >> (24 - 8 * i));
  for (int i = 0; i < 8; ++i)
    head[static_cast<std::size_t>(24 + i)] = static_cast<char>(receiver >> (56 - 8 * i));
  return head + std::string(payload, 'x');
}

constexpr unsigned char handshake = 1;
constexpr unsigned char message = 2;
constexpr unsigned char routed = 3;
constexpr unsigned char monitoring = 4;

} // namespace

TEST_CASE("links: a client may talk to the actors that are for clients, and is cut off when it tries others") {
  const made_certificates made;
  party a{"a", peer_kind::store, made.options("a")};
  a.all().allow_clients({{7, 9}, 1000});
  party desk{"desk", peer_kind::client, made.options("desk")};
  auto dialed = desk.dial(a.listen());
  REQUIRE(std::holds_alternative<link_end>(dialed));
  const auto far = a.came().next();
  REQUIRE(far);
  const auto good =
    frame(handshake, 0, 20, 0) + frame(message, 0, 5, 7) + frame(monitoring, 0, 0, 8) + frame(message, 1, 3, 1000);
  const int socket = std::get<link_end>(dialed).socket.number();
  send_all(socket, good);
  CHECK(receive(far->socket.number(), good.size()) == good);
  send_all(socket, frame(message, 0, 5, 8));
  CHECK(a.came().is_logged("client desk: it sent a message to an actor that is not for clients"));
  CHECK(receive(far->socket.number(), 1).empty()); // nothing of it, and the end
}

TEST_CASE("what a client says is checked frame by frame, however it is cut into pieces") {
  const client_rules rules{{7}, 1000, 100};
  const auto good = frame(message, 0, 99, 7) + frame(message, 0, 0, 7);
  for (const std::size_t piece : {1U, 7U, 31U, 32U, 33U, 1000U}) {
    frame_filter f{rules};
    for (std::size_t at = 0; at < good.size(); at += piece)
      CHECK(f.why_not(std::string_view{good}.substr(at, piece)).empty());
    CHECK_FALSE(f.why_not(frame(message, 0, 0, 8)).empty());
  }
  const auto why = [&](const std::string& bytes) { return frame_filter{rules}.why_not(bytes); };
  CHECK_THAT(why(frame(message, 0, 101, 7)), Contains("more than 100 bytes"));
  CHECK_THAT(why(frame(routed, 0, 0, 7)), Contains("what a client does not send"));
  CHECK_FALSE(why(frame(message, 1, 0, 7)).empty()); // an actor by its name
  CHECK_FALSE(why(frame(0, 0, 0, 7)).empty());       // as if it had been dialed
}

TEST_CASE("a key that other users can read is refused, and what cannot be used is named with its cure") {
  const made_certificates made;
  auto o = made.options("b");
  const auto problem = [&](const std::string& name, peer_kind kind) {
    const auto all = credential_problems(o, name, roles_of(kind));
    return all.empty() ? std::string{} : all.front();
  };
  CHECK(problem("b", peer_kind::node).empty());
  CHECK_THAT(problem("c", peer_kind::node), Contains("is that of `b`, and this node is named `c`"));
  CHECK_THAT(problem("b", peer_kind::store), Contains("is one of a node") && Contains("certs --store b"));
  fs::permissions(o.key, fs::perms{0640});
  CHECK_THAT(problem("b", peer_kind::node),
             Contains("cluster.key: ") && Contains("can be read by other users") && Contains("chmod 600"));
  fs::permissions(o.key, fs::perms{0600});
  o.key = made.path() / "c.key";
  CHECK_THAT(problem("b", peer_kind::node), Contains("is not the key of"));
  o.key = made.path() / "none.key";
  CHECK_THAT(problem("b", peer_kind::node), Contains("none.key cannot be read"));
  o.key = made.path() / "nowhere" / "b.key";
  CHECK_THAT(problem("b", peer_kind::node),
             Contains("there is no folder " + (made.path() / "nowhere").string()) && Contains("cluster certs`"));
  const made_certificates others;
  o = made.options("b");
  o.authority = others.path() / "authority.pem";
  CHECK_THAT(problem("b", peer_kind::node),
             Contains("b.pem is not one that ") && Contains("authority.pem vouches for"));
  o.authority = made.path() / "a.key";
  CHECK_THAT(problem("b", peer_kind::node), Contains("cluster.authority: ") && Contains("is not a certificate"));
}

TEST_CASE("thirty days before its end a certificate is to be renewed, and not earlier") {
  using std::chrono::days;
  const std::chrono::system_clock::time_point today{days{20'000}};
  const auto said = [&](auto left) {
    return why_renew({{"b", peer_kind::node}, today - days{1}, today + left}, today);
  };
  CHECK(said(days{31}).empty());
  CHECK_THAT(said(days{29}),
             Contains("the certificate of `b` ends on 2024-11-02, within 29 days: ") && Contains("renew"));
  CHECK_THAT(said(seconds{1}), Contains("within 1 day:"));
  CHECK_THAT(said(-days{1}), Contains("ended on 2024-10-03"));
}

TEST_CASE("the door counts who has not greeted, by address and in all, and who is in") {
  door d{{3, 2, 2}};
  CHECK(d.why_full("x").empty());
  CHECK(d.why_full("x").empty());
  CHECK_THAT(d.why_full("x"), Contains("2 others from there"));
  CHECK(d.why_full("y").empty());
  CHECK_THAT(d.why_full("z"), Contains("3 others have not said"));
  d.has_greeted("x", true);
  d.has_greeted("x", false);
  CHECK(d.why_full("x").empty());
  d.has_greeted("x", true);
  CHECK_THAT(d.why_full("z"), Contains("there are 2 connections"));
  d.has_left();
  CHECK(d.why_full("z").empty());
}

TEST_CASE("the same refusal is told once a minute, with how often it was not, and a flood in thirty lines") {
  refusal_log log;
  const refusal_log::instant start{std::chrono::hours{1}};
  CHECK(log.line("x", "no", start) == "refused a connection from x: no");
  CHECK_FALSE(log.line("x", "no", start + seconds{1}));
  CHECK_FALSE(log.line("x", "no", start + seconds{59}));
  CHECK(log.line("x", "no", start + seconds{60}) == "refused a connection from x: no (and 2 more since this was said)");
  int lines = 0;
  for (int i = 0; i < 1000; ++i)
    lines += log.line("address " + std::to_string(i), "no", start + seconds{61}) ? 1 : 0;
  CHECK(lines == 29);
}

TEST_CASE("a greeting says what it was made of, and what is none is known as such") {
  const workflow::peer_claim claim{"p-1", peer_kind::store, "a"};
  CHECK(parse_hello(hello_text(claim)) == claim);
  CHECK(std::get<workflow::peer_claim>(*parse_welcome(welcome_text(claim))) == claim);
  CHECK(std::get<runtime::refusal>(*parse_welcome(welcome_text(runtime::refusal{"it is late"}))).why == "it is late");
  for (const auto* text : {"", "hello", "hello p-1 store", "hello p-1 king a", "hello p-1 store a b", "hello  store a",
                           "welcome p-1 store a", "hello p-1 store a/b"})
    CHECK_FALSE(parse_hello(text));
  CHECK_FALSE(parse_welcome("refused \x1b[31m"));
  CHECK(text_size({0, 5}) == 5);
  CHECK_FALSE(text_size({0, 0}));
  CHECK_FALSE(text_size({0x16, 0x03}));
  CHECK_THAT(what_begins_so({0x16, 0x03}), Contains("it has certificates"));
  CHECK(framed("hello") == std::string{"\0\5hello", 7});
}
