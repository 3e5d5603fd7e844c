// Tasks that start tasks, in a real node that is killed meanwhile.

#include "tests/support/comes_true.hpp"
#include "tests/support/processes/node_process.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace steadfast::tests;

namespace {

struct flag {
  temp_folder place;
  std::string path() const { return (place.path() / "returns-taken").string(); }
};

/// A node with a workflow `trip`: a `conference`, which is a task of its own, the event `go`, and a hotel, that refuses
/// with the event's data {"full": true}. Tickets are taken back once `let_return` was called.
class agency : private flag, public node_process {
public:
  agency()
      : node_process{STEADFAST_BINARY, "\n[[agent]]\nname = \"returns\"\nprogram = \"/bin/sh\"\narguments = [\"-c\", "
                                       "\"test -e "
                                         + flag::path() + "\"]\nallow_root = true\n"} {
    folder().write("workflows/conference.toml",
                   "name = \"conference\"\nresult = \"ticket:\"\n[[step]]\nname = \"ticket\"\nagent = \"quick\"\n"
                   "compensation = { agent = \"returns\" }\n");
    folder().write("workflows/trip.toml",
                   "name = \"trip\"\ndeadline = \"10d\"\n[[step]]\nname = \"conference\"\nworkflow = \"conference\"\n"
                   "payload = \"payload:/inside\"\n[[step]]\nname = \"go\"\nwait = { event = \"go\", key = "
                   "\"payload:/id\", limit = \"3d\" }\n[[step]]\nname = \"hotel\"\nagent = \"broken\"\n"
                   "when = { step = \"go\", pointer = \"/full\", equals = true }\n");
    start();
  }

  void let_return() { place.write("returns-taken", ""); }
  void submit(const std::string& id) const {
    REQUIRE(
      command({"submit", "trip", "--id", id, "--data", "{\"id\":\"" + id + "\",\"inside\":{\"seat\":\"" + id + "\"}}"})
        .code
      == 0);
  }
  nlohmann::json task(const std::string& id) const { return json_of({"task", "show", id, "--json"}).at(0); }
  bool step_becomes(const std::string& id, std::size_t step, const std::string& state) const {
    return comes_true([&] { return task(id).at("steps").at(step).at("state") == state; });
  }
  bool becomes(const std::string& id, const std::string& state) const {
    return comes_true([&] { return task(id).at("process_state") == state; });
  }
  void go(const std::string& id, bool is_full) const {
    REQUIRE(command({"event", "send", "go", "--key", id, "--data", is_full ? "{\"full\":true}" : "{}"}).code == 0);
  }
  std::string told(const std::string& id) const { return command({"task", "explain", id}).out; }
};

} // namespace

TEST_CASE("row 124: a task starts a task and has its result, over a kill of the node") {
  agency node;
  node.submit("t1");
  REQUIRE(node.step_becomes("t1", 1, "waiting"));
  CHECK(node.task("t1").at("steps").at(0).at("result") == nlohmann::json{{"seat", "t1"}});
  CHECK(node.task("t1").at("steps").at(0).at("child") == "t1/conference");
  CHECK(node.task("t1/conference").at("parent") == "t1");
  CHECK_THAT(node.command({"task", "show", "t1/conference"}).out, Catch::Contains("parent"));
  node.kill();
  node.start();
  node.go("t1", false);
  CHECK(node.becomes("t1", "processed"));
  CHECK(node.command({"store", "check"}).code == 0);
}

TEST_CASE("row 125: what a child did is undone with its parent, long after it ended, and the preview says so") {
  agency node;
  node.let_return();
  node.submit("t1");
  REQUIRE(node.step_becomes("t1", 1, "waiting"));
  CHECK_THAT(node.command({"task", "undo", "t1", "--dry-run"}).out,
             Catch::Contains("undo step `conference`")
               && Catch::Contains("with its task `t1/conference`, of which 1 step would be undone"));
  node.kill();
  node.start();
  node.go("t1", true);
  CHECK(node.becomes("t1", "undone"));
  CHECK(node.becomes("t1/conference", "undone"));
  node.submit("t2");
  REQUIRE(node.step_becomes("t2", 1, "waiting"));
  REQUIRE(node.command({"task", "cancel", "t2", "--why", "ill"}).code == 0);
  CHECK(node.becomes("t2", "undone"));
  CHECK(node.task("t2/conference").at("process_state") == "undone");
  CHECK_THAT(node.command({"task", "show", "t2/conference"}).out, Catch::Contains("its parent `t2`"));
  CHECK(node.command({"store", "check"}).code == 0);
}

TEST_CASE(
  "row 126: a child whose undo fails puts its parent into error, one incident names both, and a retry helps both") {
  agency node;
  node.submit("t1");
  REQUIRE(node.step_becomes("t1", 1, "waiting"));
  node.go("t1", true);
  REQUIRE(node.becomes("t1", "error"));
  CHECK(node.task("t1/conference").at("process_state") == "error");
  const auto incidents = node.json_of({"incidents", "--json"});
  REQUIRE(incidents.size() == 1);
  CHECK(incidents[0].at("tasks") == 2);
  CHECK_THAT(node.told("t1"), Catch::Contains("task `t1/conference` could not be undone"));
  CHECK_THAT(node.told("t1/conference"), Catch::Contains("started by a step of task `t1`"));
  node.let_return();
  REQUIRE(node.command({"task", "retry", "t1/conference", "--step", "ticket", "--why", "they take it now"}).code == 0);
  CHECK(node.becomes("t1/conference", "undone"));
  CHECK(node.becomes("t1", "undone"));
  CHECK(node.json_of({"incidents", "--json"}).empty());
  CHECK(node.command({"store", "check"}).code == 0);
}
