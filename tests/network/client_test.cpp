// A client program on a node of its own, which is killed and started again while the cluster works for it.

#include "tests/support/clusters/node_cluster.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <map>
#include <string>
#include <vector>

using namespace steadfast::tests;
using nlohmann::json;
using std::chrono::seconds;

namespace {

constexpr int tasks = 40;

/// The example cluster_client with a configuration and a journal of its own.
class client_program {
public:
  explicit client_program(const node_cluster& cluster) {
    folder_.write("client.toml", "name = \"desk\"\nroles = []\n[control]\nsocket = \"\"\n[cluster]\njoin = \""
                                   + cluster.address("a") + "\"\n" + cluster.certificate_options("desk"));
  }

  std::unique_ptr<running_program> start() const {
    return std::make_unique<running_program>(
      STEADFAST_EXAMPLES_DIR "/cpp/cluster_client",
      std::vector<std::string>{folder_.path() / "client.toml", journal(), "three", std::to_string(tasks)});
  }

  /// What it was told so far.
  std::vector<json> told() const {
    std::vector<json> all;
    std::ifstream in{journal()};
    for (std::string line; std::getline(in, line);)
      if (auto entry = json::parse(line, nullptr, false); entry.is_object())
        all.push_back(std::move(entry));
    return all;
  }

  bool has_heard_of(std::size_t count) const {
    return node_cluster::eventually([&] { return told().size() >= count; }, seconds{60});
  }

private:
  std::string journal() const { return folder_.path() / "desk.jsonl"; }

  temp_folder folder_;
};

bool ends_well(running_program& client) {
  const auto code = client.wait(seconds{90});
  if (code != 0)
    WARN("exit code " << code.value_or(-1) << ": " << client.err());
  return code == 0;
}

/// Each task was told of from its first progress to its end without a gap, and what was told twice is marked.
void check_story(const std::vector<json>& told) {
  std::map<std::string, std::vector<std::uint32_t>> heard;
  for (const auto& entry : told) {
    auto& of_task = heard[entry.at("task")];
    const auto sequence = entry.at("sequence").get<std::uint32_t>();
    const bool known = std::find(of_task.begin(), of_task.end(), sequence) != of_task.end();
    CHECK(entry.value("again", false) == known);
    if (!known)
      of_task.push_back(sequence);
  }
  CHECK(heard.size() == tasks);
  for (const auto& [task, sequences] : heard) {
    INFO(task);
    CHECK(sequences.back() == sequences.size());
    CHECK(std::is_sorted(sequences.begin(), sequences.end()));
  }
}

} // namespace

TEST_CASE("row 13: a client actor on a node of its own is killed twice and has missed nothing when all has ended") {
  node_cluster cluster{STEADFAST_BINARY, nullptr, {}, GENERATE(trust::plain, trust::certified)};
  cluster.start();
  const client_program client{cluster};
  for (const std::size_t heard : {20U, 120U}) {
    const auto running = client.start();
    REQUIRE(client.has_heard_of(heard));
    running->signal(SIGKILL);
    running->wait(seconds{10});
  }
  const auto last = client.start();
  INFO(cluster.logs());
  CHECK(ends_well(*last));
  check_story(client.told());
}

TEST_CASE("row 2: a client actor submits through the loss of the store's node and is told of every task") {
  node_cluster cluster{STEADFAST_BINARY};
  cluster.start();
  const client_program client{cluster};
  const auto running = client.start();
  REQUIRE(client.has_heard_of(20));
  cluster.kill("a");
  cluster.start("a");
  INFO(cluster.logs());
  CHECK(ends_well(*running));
  check_story(client.told());
  CHECK(cluster.count("b", "processed") == tasks);
}
