// Tasks that wait, in a real node that is killed meanwhile.

#include "tests/support/comes_true.hpp"
#include "tests/support/processes/node_process.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <string>
#include <vector>

using namespace steadfast::tests;
using namespace std::chrono_literals;

namespace {

/// A node with a workflow `naps`: an agent, a sleep of that length, an agent.
struct napping_node : node_process {
  explicit napping_node(const std::string& length) : node_process{STEADFAST_BINARY} {
    folder().write("workflows/naps.toml", "name = \"naps\"\n[[step]]\nname = \"first\"\nagent = \"quick\"\n"
                                          "compensation = { agent = \"quick\" }\n[[step]]\nname = \"nap\"\nsleep = \""
                                            + length + "\"\n[[step]]\nname = \"last\"\nagent = \"quick\"\n");
    start();
  }

  nlohmann::json task() const { return json_of({"task", "show", "t", "--json"}).at(0); }
  std::string state_of_step(std::size_t i) const { return task().at("steps").at(i).at("state"); }
  void submit() const { REQUIRE(command({"submit", "naps", "--id", "t", "--data", "{}"}).code == 0); }
  bool sleeps() const {
    return comes_true([this] { return state_of_step(1) == "waiting"; });
  }
  std::string end() const {
    return command({"submit", "naps", "--id", "t", "--data", "{}", "--wait", "--limit", "60s"}).out;
  }
};

} // namespace

TEST_CASE("row 111: a task whose node is killed while it sleeps wakes at its time") {
  napping_node node{"4s"};
  node.submit();
  REQUIRE(node.sleeps());
  const auto until = node.task().at("steps").at(1).at("not_before");
  CHECK(node.task().at("process_state") == "pending"); // no scheduler has it
  node.kill();
  node.start();
  CHECK(node.task().at("steps").at(1).at("not_before") == until);
  CHECK_THAT(node.end(), Catch::Contains("processed"));
  const auto nap = node.task().at("steps").at(1);
  CHECK(nap.at("state") == "completed");
  CHECK(nap.at("completed_at") >= until);
  CHECK(nap.at("log").size() == 1);
}

TEST_CASE("row 111: a task whose time to wake comes while its node is down goes on when that is back") {
  napping_node node{"1s"};
  node.submit();
  REQUIRE(node.sleeps());
  node.kill();
  const auto since = std::chrono::steady_clock::now();
  REQUIRE(comes_true([&] { return std::chrono::steady_clock::now() - since > 1s; }));
  node.start();
  CHECK_THAT(node.end(), Catch::Contains("processed"));
}

TEST_CASE("a sleeping task is explained, woken, skipped and cancelled by a person") {
  napping_node node{"10h"};
  node.submit();
  REQUIRE(node.sleeps());
  CHECK_THAT(node.command({"task", "explain", "t"}).out, Catch::Contains("sleeping: step `nap` until"));
  CHECK_THAT(node.command({"task", "show", "t"}).out, Catch::Contains("sleeps, wakes"));
  REQUIRE(node.command({"task", "retry", "t", "--step", "nap", "--why", "test"}).code == 0);
  CHECK_THAT(node.end(), Catch::Contains("processed"));
  for (const std::string act : {"skip", "cancel"}) {
    INFO(act);
    REQUIRE(node.command({"submit", "naps", "--id", act, "--data", "{}"}).code == 0);
    const auto task = [&] { return node.json_of({"task", "show", act, "--json"}).at(0); };
    REQUIRE(comes_true([&] { return task().at("steps").at(1).at("state") == "waiting"; }));
    std::vector<std::string> words{"task", act, act, "--why", "test"};
    if (act == "skip")
      words.insert(words.end(), {"--step", "nap"});
    REQUIRE(node.command(words).code == 0);
    CHECK(comes_true([&] { return task().at("process_state") == (act == "skip" ? "processed" : "undone"); }));
  }
}

TEST_CASE("who follows a task goes on when the node is back, and Ctrl-C ends it also while the node is away") {
  napping_node node{"10h"};
  node.submit();
  REQUIRE(node.sleeps());
  const std::vector<std::string> words{
    // standard output is heard with the errors
    "-c", "exec \"$0\" \"$@\" 1>&2", STEADFAST_BINARY, "task", "follow", "t", "-c", node.config()};
  running_program patient{"/bin/sh", words};
  running_program hasty{"/bin/sh", words};
  for (auto* onlooker : {&patient, &hasty})
    REQUIRE(onlooker->says("waiting at nap until ", hang_limit));
  node.kill();
  for (auto* onlooker : {&patient, &hasty})
    CHECK(onlooker->says("the node does not answer; it is asked again for 30s", hang_limit));
  hasty.signal(SIGINT);
  CHECK(hasty.wait(5s) == 130);
  node.start();
  REQUIRE(node.command({"task", "skip", "t", "--step", "nap", "--why", "test"}).code == 0);
  CHECK(patient.wait(hang_limit) == 0);
  CHECK(patient.says("processed", 1s));
  CHECK_THAT(patient.err(), !Catch::Contains("may have been done"));
}
