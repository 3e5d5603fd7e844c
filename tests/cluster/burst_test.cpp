// Ten times the usual load for ten seconds: what comes in waits in the store, what is too much is pushed back, and all
// of it is done in the end.

#include "runtime/node/node_inside.hpp"
#include "steadfast/client.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

using namespace steadfast;
using namespace std::chrono_literals;

namespace {

constexpr int usual_rate = 10; ///< submissions per second
constexpr int burst_rate = 10 * usual_rate;
constexpr int burst_seconds = 10;
constexpr std::uint32_t agent_rate = 50; ///< calls per second: half of what the burst brings
constexpr int clients = 32;

class node_under_burst {
public:
  node_under_burst() : node_{options()} {
    workflow::definition d;
    d.name = "one";
    d.steps.resize(1);
    d.steps[0].name = "step";
    d.steps[0].agent = "worker";
    d.steps[0].complete_by = 10s;
    node_.add_workflow(d);
    actors::agent_options limited;
    limited.rate_per_second = agent_rate;
    limited.queue = 32;
    node_inside{node_}.add_agent("worker", actors::quick_function{[this](const actors::call&) {
                                   ++calls;
                                   return actors::succeeded();
                                 }},
                                 limited);
    node_.start();
  }

  std::string socket() const { return folder_.path() / "socket"; }

  /// Tasks in that state.
  int count(const char* state) const {
    client c{socket()};
    return c.call("store.stats", nlohmann::json::object()).at("tasks").value(state, 0);
  }

  std::atomic<int> calls = 0;

private:
  node_options options() const {
    node_options o;
    o.store.path = folder_.path() / "store";
    o.socket = socket();
    o.in_flight_max = 128;
    o.backlog_max = 8; // of submissions waiting for the disk
    o.log.level = "warning";
    return o;
  }

  tests::temp_folder folder_;
  assembled_node node_;
};

/// Submits its share of the burst, all clients at the same moments, each until it is acknowledged. How often it was
/// pushed back.
int submit_share(const std::string& socket, int number, std::chrono::steady_clock::time_point begun) {
  client c{socket};
  int pushed_back = 0;
  for (int i = number; i < burst_rate * burst_seconds; i += clients) {
    std::this_thread::sleep_until(begun + 1000ms * (i - number) / burst_rate);
    submit_options how;
    how.id = "t" + std::to_string(i);
    for (bool accepted = false; !accepted;)
      try {
        c.submit("one", "{}", how);
        accepted = true;
      } catch (const client_error& e) {
        if (e.why() != client_error::kind::busy)
          throw;
        ++pushed_back;
        std::this_thread::sleep_for(e.retry_after());
      }
  }
  return pushed_back;
}

} // namespace

TEST_CASE("a burst of ten times the usual load for ten seconds loses nothing and drains") {
  node_under_burst node;
  std::atomic<int> pushed_back = 0;
  std::vector<std::thread> threads;
  const auto begun = std::chrono::steady_clock::now() + 100ms;
  for (int i = 0; i < clients; ++i)
    threads.emplace_back([&, i] { pushed_back += submit_share(node.socket(), i, begun); });
  for (auto& t : threads)
    t.join();
  constexpr int all = burst_rate * burst_seconds;
  INFO("pushed back " << pushed_back << " times, " << node.count("pending") << " waiting after the burst");
  CHECK(pushed_back > 0);
  CHECK(node.count("pending") > 0); // the rest waited in the store
  CHECK(tests::comes_true([&] { return node.count("processed") == all; }));
  CHECK(node.calls == all);
}
