// The release before this build: in one cluster with it, and with its stores. scripts/rolling builds it and runs these
// tests.

#include "runtime/links/protocol.hpp"
#include "store/lmdb/schema.hpp"
#include "tests/support/clusters/node_cluster.hpp"
#include "tests/support/clusters/steady_load.hpp"
#include "tests/support/processes/node_process.hpp"
#include "tests/support/skip.hpp"

#include <catch2/catch.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

using namespace steadfast::tests;
using Catch::Matchers::Contains;
using std::chrono::milliseconds;

namespace {

struct release {
  std::string program;
  std::uint32_t format = 0;
  std::string protocol;
};

/// As tests/old/release says. Nothing: it is not built here, and the test is left out.
std::optional<release> old_release() {
  const std::filesystem::path sources = STEADFAST_SOURCE_DIR;
  release r;
  std::ifstream in{sources / "tests/old/release"};
  for (std::string word, value; in >> word && std::getline(in >> std::ws, value);)
    if (word == "commit")
      r.program = sources / "build/old" / value / "steadfast";
    else if (word == "format")
      r.format = static_cast<std::uint32_t>(std::stoul(value));
    else if (word == "protocol")
      r.protocol = value;
  if (std::filesystem::exists(r.program))
    return r;
  skip("left to scripts/rolling");
  return {};
}

} // namespace

TEST_CASE("old release: a cluster is brought to this build and back under load, node by node, and nothing is lost") {
  const auto old = old_release();
  if (!old)
    return;
  INFO("this build speaks another protocol than the release: a cluster cannot be brought to it node by node");
  REQUIRE(old->protocol == steadfast::runtime::protocol);

  node_cluster cluster{old->program};
  const std::vector<std::string> names{"c", "b", "a"};
  cluster.start();
  steady_load load{
    {{"a", cluster.socket("a")}, {"b", cluster.socket("b")}, {"c", cluster.socket("c")}}, "three", milliseconds{200}};
  const auto has_taken_more = [&](const std::string& name) {
    const auto before = load.acknowledged(name);
    return node_cluster::eventually([&] { return load.acknowledged(name) > before + 2; }, patience);
  };
  const auto is_all_there = [&](const std::string& name) {
    INFO(name << " is another program\n" << cluster.logs());
    CHECK(node_cluster::eventually([&] { return cluster.living("a") == 3 && cluster.living(name) == 3; }, patience));
    for (const auto& each : names)
      CHECK(has_taken_more(each));
  };
  for (const auto& name : names) {
    cluster.process(name).signal(SIGTERM);
    CHECK(cluster.process(name).wait(patience) == 0);
    cluster.set_program(name, STEADFAST_BINARY);
    cluster.start(name);
    is_all_there(name);
  }
  for (const auto& name : names) { // something was wrong with it, so nobody is asked
    if (name == "a" && old->format != steadfast::store::store_format)
      continue; // it has the store, which no former release opens any more
    cluster.kill(name);
    cluster.set_program(name, old->program);
    cluster.start(name);
    is_all_there(name);
  }
  const auto ids = load.stop();
  INFO(ids.size() << " tasks, " << load.repeated() << " submissions repeated\n" << cluster.logs());
  CHECK(ids.size() > 50);
  CHECK(load.repeated() > 0);
  CHECK(cluster.all_processed("b", static_cast<int>(ids.size())));
  const auto lines = cluster.json_of("c", {"task", "list", "--count"});
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].at("count") == ids.size());
}

TEST_CASE("old release: its store is opened by this build, with all that was acknowledged, and by it again") {
  const auto old = old_release();
  if (!old)
    return;
  constexpr int count = 20;
  node_process node{old->program};
  const auto submit = [&](const std::string& prefix) {
    for (int i = 0; i < count; ++i)
      REQUIRE(node
                .command({"submit", i % 4 == 0 ? "refused" : "three", "--id", prefix + std::to_string(i), "--data",
                          R"({"number": 1})"})
                .code
              == 0);
  };
  const auto all_have_ended = [&](const std::string& prefix) {
    for (int i = 0; i < count; ++i) {
      const auto id = prefix + std::to_string(i);
      const auto end = [&] {
        const auto shown = node.json_of({"task", "show", id, "--json"});
        return shown.at(0).at("process_state") == (i % 4 == 0 ? "undone" : "processed");
      };
      INFO(id << '\n' << node.command({"task", "show", id}).out);
      CHECK(node_cluster::eventually(end, patience));
    }
  };
  node.start();
  submit("before");
  all_have_ended("before");
  const auto told = node.json_of({"task", "show", "before1", "--json"}).at(0);
  submit("meanwhile");
  node.kill();

  node.set_program(STEADFAST_BINARY);
  const auto looked = node.command({"store", "check"}); // changes nothing
  if (old->format == steadfast::store::store_format)
    CHECK(looked.code == 0);
  else
    CHECK_THAT(looked.err, Contains("let a node open it, which brings it up to date"));
  node.start();
  all_have_ended("meanwhile");
  const auto tells = node.json_of({"task", "show", "before1", "--json"}).at(0);
  for (const auto* field : {"id", "number", "process_state", "payload", "submitted_at", "ended_at"}) {
    INFO(field << " in " << told.dump());
    CHECK(tells.value(field, nlohmann::json{}) == told.value(field, nlohmann::json{}));
  }
  submit("after");
  node.kill();

  node.set_program(old->program);
  if (old->format == steadfast::store::store_format) {
    node.start();
    all_have_ended("after");
    all_have_ended("before");
  } else {
    running_program refused{old->program, {"serve", "-c", node.config()}};
    CHECK(refused.wait(hang_limit) == 73);
    CHECK_THAT(refused.err(), Contains("newer"));
  }
}
