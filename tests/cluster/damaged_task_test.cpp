// A task whose records are damaged, in a running node: it is told of by name, and the node goes on.

#include "tests/support/processes/node_process.hpp"

#include <catch2/catch.hpp>

#include <csignal>
#include <fstream>
#include <iterator>
#include <string>

using namespace steadfast::tests;
using Catch::Matchers::Contains;

namespace {

constexpr const char* marker = "a payload to be damaged";

std::string payload_of_victim() {
  return std::string{R"({"x":")"} + marker + "\"}";
}

/// Flips a bit wherever the payload of the victim is.
void damage(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  std::string bytes{std::istreambuf_iterator<char>{in}, {}};
  std::size_t places = 0;
  for (auto at = bytes.find(marker); at != std::string::npos; at = bytes.find(marker, at + 1), ++places)
    bytes[at + 2] = static_cast<char>(bytes[at + 2] ^ 4);
  REQUIRE(places > 0);
  std::ofstream{file, std::ios::binary | std::ios::trunc} << bytes;
}

} // namespace

TEST_CASE("row 66: who asks for a task that was set aside is told so, and what to do, and the node goes on") {
  node_process node{STEADFAST_BINARY};
  node.start();
  REQUIRE(node.command({"submit", "one", "--id", "victim", "--data", payload_of_victim(), "--wait"}).code == 0);
  node.process().signal(SIGTERM);
  REQUIRE(node.process().wait(hang_limit).value_or(-1) == 0);
  damage(node.folder().path() / "store" / "data.mdb");
  node.start();

  for (int i = 0; i < 2; ++i) { // before and after it was set aside
    const auto shown = node.command({"task", "show", "victim"});
    CHECK(shown.code == 1);
    CHECK_THAT(shown.err, Contains("`victim` was set aside") && Contains("checksum") && Contains("restore a copy"));
  }
  const auto again = node.command({"submit", "one", "--id", "victim", "--data", payload_of_victim()});
  CHECK(again.code == 1);
  CHECK_THAT(again.err, Contains("victim was set aside") && Contains("another id"));
  CHECK_THAT(node.command({"task", "retry", "victim"}).err, Contains("was set aside"));
  CHECK_THAT(node.command({"store", "export", "victim", (node.folder().path() / "exported").string()}).err,
             Contains("was set aside"));
  CHECK_THAT(node.command({"alerts", "list"}).out, Contains("victim") && Contains("set_aside"));

  CHECK(node.command({"submit", "one", "--id", "other", "--data", "{}", "--wait"}).code == 0);
  node.process().signal(SIGTERM);
  CHECK(node.process().wait(hang_limit).value_or(-1) == 0);
  CHECK_THAT(node.process().err(), !Contains("unexpected message") && !Contains("did not drain"));
}
