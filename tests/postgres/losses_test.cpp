// What a cluster on PostgreSQL loses: all of its nodes at once, the way to the server, the way to the other nodes.

#include "tests/postgres/nodes.hpp"
#include "tests/postgres/relay.hpp"
#include "tests/postgres/server.hpp"
#include "tests/support/skip.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <future>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

using namespace steadfast::tests;

namespace {

/// Clients, one for each node, that submit one task after the other, and keep what is acknowledged.
class clients {
public:
  explicit clients(const cluster_on_a_server& c) {
    for (std::size_t i = 0; i < c.nodes.size(); ++i)
      threads_.emplace_back([this, i, &node = *c.nodes[i]] {
        for (int n = 0; !is_over_; ++n)
          submit(node, "c" + std::to_string(i) + "-" + std::to_string(n));
      });
  }
  ~clients() { end(); }
  clients(const clients&) = delete;
  clients& operator=(const clients&) = delete;

  std::set<std::string> acknowledged() {
    const std::lock_guard lock{mutex_};
    return acknowledged_;
  }
  void end() {
    is_over_ = true;
    for (auto& t : threads_)
      if (t.joinable())
        t.join();
  }

private:
  void submit(const node_on_a_server& node, const std::string& id) {
    if (!node.submit(id))
      return;
    const std::lock_guard lock{mutex_};
    acknowledged_.insert(id);
  }

  std::mutex mutex_;
  std::set<std::string> acknowledged_;
  std::atomic<bool> is_over_{false};
  std::vector<std::thread> threads_;
};

/// All of these are processed, nothing else is unfinished, and no id is there twice.
bool all_have_ended(const node_on_a_server& node, const std::set<std::string>& acknowledged) {
  std::set<std::string> ended;
  for (const auto& t : node.json_of({"task", "list", "--json", "--limit", "1000"}))
    if (t.at("process_state") != "processed" || !ended.insert(t.at("id")).second)
      return false;
  return std::includes(ended.begin(), ended.end(), acknowledged.begin(), acknowledged.end());
}

/// The number of the task of that id, as a client is told it that begins at that node, and goes on to the next whenever
/// a node says that it is busy, that the outcome is unknown, or nothing.
std::int64_t number_told(const cluster_on_a_server& c, std::size_t first, const std::string& id) {
  std::int64_t number = 0;
  comes_true([&, at = first]() mutable {
    const auto& node = *c.nodes[at++ % c.nodes.size()];
    const auto end = node.command({"submit", "three", "--id", id, "--data", "{}", "--json"});
    if (end.code == 0)
      number = nlohmann::json::parse(end.out).at("number");
    else if (end.code != 75 && end.code != 69)
      throw std::runtime_error{end.err};
    return number != 0;
  });
  return number;
}

std::string url_at(std::uint16_t port) {
  return "postgresql://app@127.0.0.1:" + std::to_string(port) + "/postgres";
}

} // namespace

TEST_CASE("row 98: a node that is cut off from the others, and not from the server, keeps the store, and all heals") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  init_store(server.url());
  const auto at = [](std::uint16_t port) { return "127.0.0.1:" + std::to_string(port); };
  const auto ports = steadfast::runtime::free_ports(2);
  relay to_first{ports[0]};
  relay to_second{ports[1]};
  node_on_a_server first{"n1", server.url(), at(ports[0]), "", at(to_first.port())};
  node_on_a_server second{"n2", server.url(), at(ports[1]), "", at(to_second.port())};
  first.start();
  second.start();
  std::set<std::string> all{"a", "b", "c"};
  CHECK(comes_true([&] { return second.submit("a"); }));
  const auto epoch = [&] { return server.sql({"select epoch from steadfast.partition_owner"}); };
  const auto before = epoch();
  to_first.freeze();
  to_second.freeze();
  for (int i = 0; i < 2; ++i) // at first it does not know
    CHECK(second.command({"submit", "three", "--id", "b", "--data", "{}"}).code == 75);
  CHECK(first.submit("c"));
  CHECK(comes_true([&] { return first.processed() == std::set<std::string>{"a", "c"}; }));
  CHECK(epoch() == before);

  to_first.thaw();
  to_second.thaw();
  CHECK(comes_true([&] { return second.submit("b"); }));
  CHECK(comes_true([&] { return second.processed() == all; }));
  CHECK(epoch() == before);
}

TEST_CASE("row 99: all nodes are killed at once under work, and the half that comes back ends all tasks, each once") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  init_store(server.url());
  const cluster_on_a_server c{std::vector<std::string>(4, server.url())};
  clients at_work{c};
  REQUIRE(comes_true([&] { return at_work.acknowledged().size() >= 20; }));
  for (const auto& n : c.nodes)
    n->process().signal(SIGKILL);
  for (const auto& n : c.nodes)
    n->kill();
  at_work.end();
  const auto acknowledged = at_work.acknowledged();
  const auto epoch = [&] { return std::stoll(server.sql({"select epoch from steadfast.partition_owner"})); };
  const auto before = epoch();

  c.nodes[2]->start();
  auto took = std::async(std::launch::async, [&, back_at = std::chrono::steady_clock::now()] {
    comes_true([&] { return epoch() > before; });
    return std::chrono::steady_clock::now() - back_at;
  });
  c.nodes[3]->start();
  CHECK(took.get() < std::chrono::seconds{1 + 5}); // its lease, and 5 s
  CHECK(comes_true([&] { return all_have_ended(*c.nodes[2], acknowledged); }));
  CHECK(all_have_ended(*c.nodes[3], acknowledged));
  CHECK(c.nodes[c.owner({2, 3})]->command({"store", "check"}).code == 0);
}

TEST_CASE("row 105: one id submitted at two nodes at once while the store moves is one task, and both are told it") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  init_store(server.url());
  const cluster_on_a_server c{server.url()};
  std::set<std::string> ids;
  std::set<std::int64_t> numbers;
  /// Each id at the owner and at another, and again at the others after "busy", "unknown" or no answer.
  const auto submit_at_both = [&](const std::string& name, std::size_t owner, const std::function<void()>& lose_owner) {
    std::vector<std::future<std::int64_t>> told;
    for (int i = 0; i < 6; ++i) {
      const auto id = name + std::to_string(i);
      ids.insert(id);
      for (const auto first : {owner, (owner + 1) % 3})
        told.push_back(std::async(std::launch::async, [&c, id, first] { return number_told(c, first, id); }));
    }
    lose_owner();
    for (std::size_t i = 0; i < told.size(); i += 2) {
      const auto number = told[i].get();
      CHECK(told[i + 1].get() == number);
      CHECK(numbers.insert(number).second);
    }
  };
  const auto owner = [&] { // by the word of the server: the nodes' own is as old as their leases
    std::string name;
    REQUIRE(comes_true([&] { return !(name = holder(server)).empty(); }));
    return static_cast<std::size_t>(name.back() - '1');
  };
  const auto first = owner();
  submit_at_both("stopped", first, [&] { c.nodes[first]->process().signal(SIGTERM); });
  REQUIRE(c.nodes[first]->process().wait(hang_limit) == 0);
  c.nodes[first]->start();
  const auto second = owner();
  submit_at_both("killed", second, [&] { c.nodes[second]->kill(); });
  c.nodes[second]->start();
  const auto third = owner();
  const auto epoch = [&] { return server.sql({"select epoch from steadfast.partition_owner"}); };
  submit_at_both("frozen", third, [&, before = epoch()] {
    auto& frozen = c.nodes[third]->process();
    frozen.signal(SIGSTOP);
    CHECK(comes_true([&] { return epoch() != before; }));
    frozen.signal(SIGCONT);
    CHECK(frozen.wait(hang_limit) == 74);
  });
  CHECK(ids.size() == numbers.size());
  CHECK(comes_true([&] { return all_have_ended(*c.nodes[(third + 1) % 3], ids); }));
}

TEST_CASE("row 97: who is cut off from the server alone loses the store, and its agents only if it had the store") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  init_store(server.url());
  relay first_way{server.port()};
  relay third_way{server.port()};
  const cluster_on_a_server c{{url_at(first_way.port()), server.url(), url_at(third_way.port())}};
  REQUIRE(c.owner({0, 1}) == 0);
  std::set<std::string> all;
  const auto submit = [&](std::size_t to, const std::string& id, const std::string& workflow) {
    all.insert(id);
    return comes_true([&] { return c.nodes[to]->submit(id, workflow); });
  };
  third_way.freeze();
  REQUIRE(submit(2, "a", "everywhere"));
  CHECK(comes_true([&] { return c.nodes[2]->processed() == all; }));
  third_way.thaw();

  first_way.freeze();
  const auto holder = [&] { return server.sql({"select left(holder, 2) from steadfast.partition_owner"}); };
  const auto frozen_at = std::chrono::steady_clock::now();
  CHECK(comes_true([&] { return holder() != "n1"; }));
  CHECK(std::chrono::steady_clock::now() - frozen_at < std::chrono::seconds{1 + 5}); // its lease, and 5 s
  CHECK(c.nodes[0]->command({"submit", "three", "--id", "refused", "--data", "{}"}).code == 75);
  for (std::size_t i = 0; i < 6; ++i)
    REQUIRE(submit(1 + i % 2, "b" + std::to_string(i), "three"));
  CHECK(comes_true([&] { return c.nodes[1]->processed() == all; }));
  REQUIRE(submit(1, "c", "everywhere"));

  first_way.thaw();
  CHECK(c.nodes[0]->process().wait(hang_limit) == 74); // it finds out
  c.nodes[0]->start();
  CHECK(comes_true([&] { return c.nodes[2]->processed() == all; }));
}
