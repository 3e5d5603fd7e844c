// A workflow file that was changed without a new version: the node goes on by what is stored, and says so.

#include "tests/support/processes/node_process.hpp"

#include <catch2/catch.hpp>

#include <fstream>

using namespace steadfast::tests;
using Catch::Matchers::Contains;

namespace {

void append(const node_process& node, const std::string& text) {
  std::ofstream{node.folder().path() / "workflows/one.toml", std::ios::app} << text;
}

void restart(node_process& node) {
  node.process().signal(SIGTERM);
  REQUIRE(node.process().wait(hang_limit) == 0);
  node.start();
}

} // namespace

TEST_CASE("a changed file of a stored version is an incident and not the end of the node, until it is mended") {
  node_process node{STEADFAST_BINARY};
  node.start();
  REQUIRE(node.command({"serve", "--check"}).code == 0);
  const std::string more = "[[step]]\nname = \"more\"\nagent = \"quick\"\n";
  const auto file = (node.folder().path() / "workflows/one.toml").string();
  append(node, more);

  const auto checked = node.command({"serve", "--check"}); // while the node runs
  CHECK(checked.code == 78);
  CHECK_THAT(checked.err, Contains(file + ": workflow `one` differs from what is stored as version 1")
                            && Contains("raise its version, or revert the change"));

  restart(node);
  CHECK_THAT(node.process().err(), Contains(file + " differs from what is stored as workflow `one` version 1"));
  REQUIRE(node.command({"submit", "one", "--id", "t-1", "--wait", "--limit", "30s"}).code == 0);
  CHECK(node.json_of({"task", "show", "t-1", "--json"}).at(0).at("steps").size() == 1);
  const auto open = node.json_of({"incidents", "list", "--json"});
  REQUIRE(open.size() == 1);
  CHECK(open[0].at("kind") == "changed_workflow");
  CHECK(open[0].at("workflow") == "one");
  CHECK_THAT(open[0].at("sample_text").get<std::string>(), Contains(file) && Contains("raise the `version`"));
  CHECK(node.command({"status"}).code == 1);
  const auto number = open[0].at("number").dump();
  CHECK(node.command({"incidents", "note", number, "seen"}).out == "note added to incident " + number + "\n");

  restart(node); // it is not told twice
  CHECK(node.json_of({"incidents", "list", "--json"}).at(0).at("alerts") == 1);

  std::ofstream{file} << "name = \"one\"\nversion = 2\n[[step]]\nname = \"step1\"\nagent = \"quick\"\n" << more;
  CHECK(node.command({"serve", "--check"}).code == 0);
  restart(node);
  CHECK(node.json_of({"incidents", "list", "--json"}).empty());
  REQUIRE(node.command({"submit", "one", "--id", "t-2", "--wait", "--limit", "30s"}).code == 0);
  CHECK(node.json_of({"task", "show", "t-2", "--json"}).at(0).at("steps").size() == 2);
}
