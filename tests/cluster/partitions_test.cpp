// A real node whose store has three partitions, and that is killed while it works.

#include "tests/support/clusters/steady_load.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/processes/node_process.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace steadfast::tests {

namespace {

struct effects {
  temp_folder place;
};

/// Its workflow `marked` has two steps, each of which leaves a folder for its key; `gated` waits for the event `go`,
/// with the key of its payload, and then starts a task of `marked`.
class node_of_three : private effects, public node_process {
public:
  node_of_three()
      : node_process{STEADFAST_BINARY,
                     "partitions = 3\n\n[[agent]]\nname = \"mark\"\nprogram = \"/bin/sh\"\n"
                     "arguments = [\"-c\", \"mkdir -p '"
                       + place.path().string()
                       + "'/$(echo $STEADFAST_TASK.$STEADFAST_KEY | tr / -)\"]\nallow_root = true\n"} {
    folder().write("workflows/marked.toml", "name = \"marked\"\n[[step]]\nname = \"first\"\nagent = \"mark\"\n"
                                            "[[step]]\nname = \"second\"\nagent = \"mark\"\n");
    folder().write("workflows/gated.toml", "name = \"gated\"\ndeadline = \"10d\"\n[[step]]\nname = \"go\"\nwait = { "
                                           "event = \"go\", key = \"payload:/gate\", "
                                           "limit = \"3d\" }\n[[step]]\nname = \"inner\"\nworkflow = \"marked\"\n");
  }

  std::string socket() const { return (folder().path() / "store" / "control.sock").string(); }
  bool becomes(const std::string& id, const std::string& state) const {
    return comes_true([&] { return json_of({"task", "show", id, "--json"}).at(0).at("process_state") == state; });
  }
  /// What steps of that task have left.
  std::size_t effects_of(const std::string& id) const {
    const std::filesystem::directory_iterator all{place.path()};
    return static_cast<std::size_t>(std::count_if(
      begin(all), end(all), [&](const auto& x) { return x.path().filename().string().starts_with(id + "."); }));
  }
};

} // namespace

TEST_CASE("row 147: a store of three partitions loses nothing and does nothing twice while its node is killed") {
  node_of_three node;
  node.start();
  steady_load load{{{"test", node.socket()}}, "marked", std::chrono::milliseconds{2}};
  for (int kills = 0; kills < 3; ++kills) {
    const auto before = load.acknowledged("test");
    REQUIRE(comes_true([&] { return load.acknowledged("test") > before + 30; }));
    node.kill();
    node.start();
  }
  const auto ids = load.stop();
  CHECK(ids.size() > 90);
  CHECK(load.repeated() > 0); // the kills met it at work
  const auto is_over = [&] {
    const auto all = node.json_of({"task", "list", "--json", "--limit", "100000"});
    return std::count_if(all.begin(), all.end(), [](const auto& t) { return t.at("process_state") == "processed"; })
           == static_cast<std::ptrdiff_t>(ids.size());
  };
  CHECK(comes_true(is_over));
  for (const auto& id : ids) {
    INFO(id);
    CHECK(node.effects_of(id) == 2);
  }
  const auto store = node.json_of({"store", "stat", "--json"}).at(0);
  CHECK(store.at("last_number") == ids.size());
  CHECK(store.at("last_numbers").size() == 3);
  CHECK(node.json_of({"node", "list", "--json"}).at(0).at("partitions") == nlohmann::json{0, 1, 2});
  CHECK(node.command({"store", "check"}).code == 0);
}

TEST_CASE("row 147: an event reaches who waits for its key in whatever partition, and their children are with them") {
  node_of_three node;
  node.start();
  const std::vector<std::string> ids{"a", "b", "c", "d", "e", "f", "g", "h"};
  for (const auto& id : ids)
    REQUIRE(node.command({"submit", "gated", "--id", id, "--data", "{\"gate\":\"north\"}"}).code == 0);
  for (const auto& id : ids)
    REQUIRE(comes_true([&] {
      return node.json_of({"task", "show", id, "--json"}).at(0).at("steps").at(0).at("state") == "waiting";
    }));
  node.kill();
  node.start();
  CHECK_THAT(node.command({"event", "send", "go", "--key", "north", "--data", "{}"}).out,
             Catch::Contains("8 tasks took it"));
  for (const auto& id : ids) {
    CHECK(node.becomes(id, "processed"));
    CHECK(node.effects_of(id + "-inner") == 2);
    CHECK(node.json_of({"task", "show", id + "/inner", "--json"}).at(0).at("parent") == id);
  }
  const auto copy = (node.folder().path() / "copy").string();
  CHECK(node.command({"store", "copy", copy}).code == 0);
  node.kill();
  CHECK(run_program(STEADFAST_BINARY, {"store", "check", "--store", copy}).code == 0);
}

TEST_CASE("a task that is imported before the first start makes a store of as many partitions as are configured") {
  node_of_three old;
  old.start();
  REQUIRE(old.command({"submit", "marked", "--id", "a", "--wait"}).code == 0);
  const auto file = (old.folder().path() / "a.task").string();
  REQUIRE(old.command({"store", "export", "a", file}).code == 0);
  node_of_three fresh;
  const auto end = fresh.command({"store", "import", file, "--why", "test"});
  INFO(end.err);
  REQUIRE(end.code == 0);
  fresh.start();
  CHECK(fresh.becomes("a", "processed"));
  CHECK(fresh.json_of({"node", "list", "--json"}).at(0).at("partitions") == nlohmann::json{0, 1, 2});

  old.folder().write("other.toml", "workflows = [\"absent.toml\"]\n[store]\npath = \"other\"\n"
                                   "partitions = 2\n"); // it needs nothing else of the file
  CHECK(run_program(STEADFAST_BINARY,
                    {"store", "import", file, "-c", (old.folder().path() / "other.toml").string(), "--why", "test"})
          .code
        == 0);
  CHECK(std::filesystem::exists(old.folder().path() / "other" / "partition-1"));
}

TEST_CASE("row 147: a node is not started on a store with another number of partitions, and is told how many it has") {
  node_of_three node;
  node.start();
  node.kill();
  const auto set = [&](const std::string& from, const std::string& to) {
    std::ifstream in{node.config()};
    std::string text{std::istreambuf_iterator<char>{in}, {}};
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
    node.folder().write("node.toml", text);
  };
  set("partitions = 3\n", "partitions = 2\n");
  const auto end = run_program(STEADFAST_BINARY, {"serve", "-c", node.config()});
  CHECK(end.code != 0);
  CHECK(run_program(STEADFAST_BINARY, {"serve", "--check", "-c", node.config()}).code == 78);
  CHECK_THAT(end.err, Catch::Contains("3 partitions"));
  set("partitions = 2\n", "");
  node.start(); // as it is
  CHECK(node.json_of({"store", "stat", "--json"}).at(0).at("last_numbers").size() == 3);
}

} // namespace steadfast::tests
