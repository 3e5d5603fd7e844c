// Users' functions that wait although they must not: the node goes on around them.

#include "steadfast/client.hpp"
#include "steadfast/node.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/fast_place.hpp"
#include "tests/support/processes/proc_files.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace steadfast;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

using steady = std::chrono::steady_clock;

constexpr auto hang = 60s; ///< no busy machine takes so long

std::size_t threads_of_this_process() {
  const std::filesystem::directory_iterator all{"/proc/self/task"};
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

/// What functions wait at, a minute at most.
class gate {
public:
  void wait() {
    std::unique_lock lock{mutex_};
    ++waiting_;
    opens_.wait_for(lock, 60s, [this] { return is_open_; });
    --waiting_;
  }
  void open() {
    const std::lock_guard lock{mutex_};
    is_open_ = true;
    opens_.notify_all();
  }
  std::size_t waiting() {
    const std::lock_guard lock{mutex_};
    return waiting_;
  }

private:
  std::mutex mutex_;
  std::condition_variable opens_;
  bool is_open_ = false;
  std::size_t waiting_ = 0;
};

/// A client at the socket that asks all the time, and how long each answer took: without what this process could have
/// run and had no processor, which says how busy the machine is.
class asker {
public:
  explicit asker(std::string socket)
      : thread_{[this, socket = std::move(socket)](const std::stop_token& stop) {
          client c{socket};
          while (!stop.stop_requested()) {
            const auto waited_before = tests::waited_for_processors();
            const auto began = steady::now();
            const auto leases = asked(c);
            const auto took = steady::now() - began;
            const auto waited = std::max(tests::waited_for_processors() - waited_before, 0ns);
            {
              const std::lock_guard lock{mutex_};
              took_.push_back(took - waited);
              for (const auto& lease : leases)
                see(lease);
            }
            std::this_thread::sleep_for(2ms);
          }
        }} {}

  /// From the shortest to the longest.
  std::vector<steady::duration> took() {
    const std::lock_guard lock{mutex_};
    auto all = took_;
    std::sort(all.begin(), all.end());
    return all;
  }
  /// What was seen of the lease: its epochs, and how often it was renewed.
  std::pair<std::set<std::uint64_t>, std::size_t> seen(const std::string& lease) {
    const std::lock_guard lock{mutex_};
    return {epochs_[lease], ends_[lease].size()};
  }

private:
  /// None when there was no answer in time, which took long.
  static json asked(client& c) {
    try {
      return c.call("lease.list", json::object()).at("leases");
    } catch (const client_error&) {
      return json::array();
    }
  }

  void see(const json& lease) {
    const auto name = lease.at("name").get<std::string>();
    epochs_[name].insert(lease.at("epoch").get<std::uint64_t>());
    ends_[name].insert(lease.at("expires_at").dump());
  }

  std::mutex mutex_;
  std::vector<steady::duration> took_;
  std::map<std::string, std::set<std::uint64_t>> epochs_;
  std::map<std::string, std::set<std::string>> ends_;
  std::jthread thread_;
};

workflow_builder one_step(const std::string& agent) {
  workflow_builder w{"use_" + agent};
  w.add(step{"only", agent}.complete_by(120s));
  return w;
}

/// A node on two threads, with agents of which every third is an async function; all of them wait at the gate.
class stuck_node {
public:
  explicit stuck_node(std::size_t agents, const std::string& drain_limit = "100ms") : node_{made(drain_limit)} {
    for (std::size_t i = 0; i < agents; ++i) {
      names_.push_back("waits_" + std::to_string(i));
      if (i % 3 == 2)
        node_.add_agent(names_.back(), async_function{[this](const agent_call&, const answer_to& answer) {
                          gate_.wait();
                          answer(succeeded());
                        }});
      else
        node_.add_agent(names_.back(), quick_function{[this](const agent_call&) {
                          gate_.wait();
                          return succeeded();
                        }});
      node_.add_workflow(one_step(names_.back()));
    }
    node_.add_agent("echo", quick_function{[](const agent_call& c) { return succeeded(c.input); }});
    node_.add_workflow(one_step("echo"));
    node_.start();
  }
  ~stuck_node() { gate_.open(); }
  stuck_node(const stuck_node&) = delete;
  stuck_node& operator=(const stuck_node&) = delete;

  /// So many tasks for each of the agents that wait.
  std::vector<std::string> submit(std::size_t each) {
    std::vector<std::string> tasks;
    for (std::size_t i = 0; i < each; ++i)
      for (const auto& name : names_)
        tasks.push_back(node_.submit("use_" + name, "{}").id);
    return tasks;
  }

  node& node_inside() { return node_; }
  gate& functions() { return gate_; }
  std::string socket() const { return (folder_.path() / "store" / "control.sock").string(); }
  std::string log() const {
    std::stringstream text;
    text << std::ifstream{folder_.path() / "log"}.rdbuf();
    return text.str();
  }

private:
  node made(const std::string& drain_limit) {
    const std::string lease = "ttl = \"2s\"\nrenew_every = \"500ms\"\nmargin = \"500ms\"\n";
    folder_.write("node.toml", "name = \"mine\"\nthreads = 2\n[store]\npath = \"" + path("store")
                                 + "\"\n[cluster.lease]\n" + lease
                                 + "[supervisor]\nperiod = \"200ms\"\n[supervisor.lease]\n" + lease
                                 + "[log]\nlevel = \"warning\"\nfile = \"" + path("log")
                                 + "\"\n[shutdown]\ndrain_limit = \"" + drain_limit + "\"\n");
    return node::from_config(folder_.path() / "node.toml");
  }

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  tests::temp_folder folder_{tests::fast_place()};
  gate gate_;
  std::vector<std::string> names_;
  node node_;
};

std::string in_milliseconds(steady::duration d) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(d).count()) + " ms";
}

} // namespace

TEST_CASE("functions that wait, however many begin at once, hold up nobody but their agents") {
  const auto agents = GENERATE(std::size_t{3}, std::size_t{10}, std::size_t{50});
  INFO(agents << " agents");
  {
    const stuck_node first{1}; // what stays for all nodes of a process
  }
  const auto threads_before = threads_of_this_process();
  stuck_node s{agents};
  auto& n = s.node_inside();
  std::optional<asker> asks{std::in_place, s.socket()};
  REQUIRE(tests::comes_true([&] { return asks->seen("supervisor").second > 0 && asks->took().size() > 20; }));

  const auto began = steady::now();
  auto tasks = s.submit(3);
  REQUIRE(tests::comes_true([&] { return s.functions().waiting() == agents; }));
  INFO("all of them waited after " << in_milliseconds(steady::now() - began));
  for (int i = 0; i < 20; ++i)
    CHECK(n.wait(n.submit("use_echo", "{}").id, hang) == "processed");
  for (const std::string lease : {"supervisor", "node/mine"}) {
    const auto renewed = asks->seen(lease).second;
    CHECK(tests::comes_true([&] { return asks->seen(lease).second > renewed + 4; })); // longer than it lasts
    CHECK(asks->seen(lease).first.size() == 1);
  }
  const auto took = asks->took();
  INFO("asked " << took.size() << " times, p95 " << in_milliseconds(took[took.size() * 95 / 100]) << ", longest "
                << in_milliseconds(took.back()));
  CHECK(took[took.size() * 95 / 100] < 100ms);
  CHECK(took.back() < 1s);
  CHECK(threads_of_this_process() < threads_before + agents + 40);
  CHECK(s.log().find("agent `waits_0`: its function has kept the agent for") != std::string::npos);
  CHECK(s.log().find("agent `echo`") == std::string::npos);

  s.functions().open();
  for (const auto& t : tasks)
    CHECK(n.wait(t, hang) == "processed");
  asks.reset();
  n.stop();
  CHECK(tests::comes_true([&] { return threads_of_this_process() <= threads_before; }));
}

TEST_CASE("stop waits for a function that has begun and must not wait, says whose it is, and stores what was done") {
  stuck_node s{7};
  const auto tasks = s.submit(1);
  REQUIRE(tests::comes_true([&] { return s.functions().waiting() == 7; }));
  std::atomic<bool> is_stopped{false};
  std::jthread stopper{[&] {
    s.node_inside().stop();
    is_stopped = true;
  }};
  CHECK(tests::comes_true([&] {
    return s.log().find("`waits_1`: its function has kept") != std::string::npos
           && s.log().find("the node ends when it returns") != std::string::npos;
  }));
  CHECK_FALSE(is_stopped);
  const auto opened = steady::now();
  s.functions().open();
  stopper.join();
  CHECK(steady::now() - opened < hang);

  s.node_inside().start(); // what was cut off is done again
  for (const auto& t : tasks)
    CHECK(s.node_inside().wait(t, hang) == "processed");
}
