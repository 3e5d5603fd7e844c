// The commands against a running node.

#include "runtime/tls/certificate.hpp"
#include "tests/support/processes/node_process.hpp"
#include "tests/support/processes/raw_socket.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::tests;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

/// One node for the checks of a test; starting one takes the most time.
struct running_node : node_process {
  running_node() : node_process{STEADFAST_BINARY} { start(); }
};

} // namespace

TEST_CASE("submit makes a task once, waits for it and tells progress") {
  running_node node;
  const auto first =
    node.command({"submit", "one", "--id", "t-1", "--payload", "-", "--wait", "--limit", "30s"}, R"({"a": 1})");
  INFO(first.err);
  CHECK(first.code == 0);
  CHECK_THAT(first.out, Contains("t-1  accepted") && Contains("running step1, attempt 1") && Contains("processed"));
  CHECK(first.out.find('\x1b') == std::string::npos);

  const auto again = node.command({"submit", "one", "--id", "t-1", "--payload", "-"}, R"({"a": 1})");
  CHECK(again.code == 0);
  CHECK(again.out == "t-1  already exists, processed\n");

  const auto other = node.command({"submit", "one", "--id", "t-1", "--payload", "-"}, R"({"a": 2})");
  CHECK(other.code == 1);
  CHECK(other.out.empty());

  const auto replaced = node.command({"submit", "one", "--id", "t-1", "--replace", "--data", "{}"});
  CHECK(replaced.code == 1);
  CHECK_THAT(replaced.err, Contains("has begun"));
  CHECK(node.command({"submit", "one", "--id", "t-1", "--replace", "--debounce", "5s"}).code == 64);

  const auto made = node.json_of({"submit", "one", "--json"});
  REQUIRE(made.size() == 1);
  CHECK(made[0].at("created") == true);
  CHECK(made[0].at("id").get<std::string>().size() == 36);

  const auto unknown = node.command({"submit", "nothing"});
  CHECK((unknown.code == 1 || unknown.code == 5));
  CHECK_THAT(unknown.err, Contains("nothing"));
}

TEST_CASE("a refused task is undone, its story says so, and waiting for it ends with 2") {
  running_node node;
  const auto end = node.command({"submit", "refused", "--id", "t-1", "--wait", "--limit", "30s"});
  INFO(end.out << end.err);
  CHECK(end.code == 2);
  const auto story = node.command({"task", "show", "t-1"});
  CHECK(story.code == 0);
  CHECK_THAT(story.out, Contains("t-1  refused v1  undone") && Contains("2 undo") && Contains("failed permanent"));
  const auto shown = node.json_of({"task", "show", "t-1", "--json"});
  REQUIRE(shown.size() == 1);
  CHECK(shown[0].at("steps").at(0).at("state") == "compensated");
  const auto why = node.command({"task", "explain", "t-1"});
  CHECK_THAT(why.out, Contains("undone: "));
  CHECK(node.json_of({"task", "explain", "t-1", "--json"}).at(0).at("explanation").size() >= 1);
  CHECK(node.command({"task", "show", "nothing"}).code == 5);
}

TEST_CASE(
  "the payload of a task in error is edited while something is left to do with it, and is refused with why after") {
  running_node node;
  REQUIRE(node.command({"submit", "refused", "--id", "t-1", "--wait", "--limit", "30s"}).code == 2);
  const auto undone = node.command({"task", "edit", "t-1", "--payload", "-"}, "{}");
  CHECK(undone.code == 1);
  CHECK_THAT(undone.err, Contains("the task is undone"));
  CHECK(node.command({"task", "edit", "t-1", "--payload", "-"}, "{").code == 65);
  CHECK(node.command({"task", "edit", "nothing", "--payload", "-"}, "{}").code == 5);
}

TEST_CASE("a person's acts are done, refused where they make no sense, and kept in the story") {
  running_node node;
  REQUIRE(node.command({"submit", "one", "--id", "t-1", "--not-before", "1h"}).code == 0);
  const auto suspended = node.command({"task", "suspend", "t-1", "--why", "wait for kim"});
  INFO(suspended.err);
  CHECK(suspended.code == 0);
  CHECK(suspended.out == "t-1: suspend done, now suspended\n");
  CHECK(node.command({"task", "suspend", "t-1"}).code == 1);
  CHECK(node.command({"task", "resume", "t-1", "--json"}).code == 0);
  CHECK(node.command({"task", "edit", "t-1", "--payload", "-"}, R"({"b": 2})").code == 0);
  CHECK(node.json_of({"task", "show", "t-1", "--json"}).at(0).at("payload") == json{{"b", 2}});
  CHECK(node.command({"task", "cancel", "t-1", "--why", "not needed"}).code == 0);
  const auto task = node.json_of({"task", "show", "t-1", "--json"}).at(0);
  REQUIRE(task.at("acts").size() == 4);
  CHECK(task.at("acts").at(0).at("what") == "suspend");
  CHECK(task.at("acts").at(0).at("why") == "wait for kim");
  CHECK_FALSE(task.at("acts").at(0).at("who").get<std::string>().empty());
  for (const char* act : {"cancel", "retry", "undo", "suspend", "resume"})
    CHECK(node.command({"task", act, "nothing"}).code == 5);
}

TEST_CASE("acts on many tasks are previewed, want a confirmation, and tell who did not take them") {
  running_node node;
  for (const auto* id : {"a-1", "a-2", "a-3"})
    REQUIRE(node.command({"submit", "one", "--id", id, "--not-before", "1h"}).code == 0);
  const auto preview = node.command({"task", "suspend", "--where", "workflow=one", "--dry-run"});
  CHECK(preview.code == 0);
  CHECK(preview.out == "would suspend 3 tasks\n  then suspended: 3 tasks\n  tasks: a-3, a-2, a-1\n");
  CHECK(node.json_of({"task", "list", "--where", "state=suspended", "--count", "--json"}).at(0).at("count") == 0);

  const auto unconfirmed = node.command({"task", "suspend", "--where", "workflow=one"});
  CHECK(unconfirmed.code == 64);
  CHECK_THAT(unconfirmed.err, Contains("would change 3 tasks: add --yes"));

  REQUIRE(node.command({"task", "suspend", "a-2"}).code == 0);
  const auto done = node.command({"task", "suspend", "--where", "workflow=one", "--yes"});
  CHECK(done.code == 1);
  CHECK(done.out == "suspend: 2 done, 1 refused, 0 skipped of about 3\n");
  CHECK_THAT(done.err, Contains("a-2: ") && Contains("1 of 3 tasks refused it"));
  CHECK(node.json_of({"task", "list", "--where", "state=suspended", "--count", "--json"}).at(0).at("count") == 3);

  const auto none = node.command({"task", "resume", "--where", "text=nothing", "--yes"});
  CHECK(none.code == 5);
}

TEST_CASE("lists are tables for people and lines of JSON for programs") {
  running_node node;
  for (const auto* id : {"a-1", "a-2"})
    REQUIRE(node.command({"submit", "one", "--id", id, "--wait", "--limit", "30s"}).code == 0);
  const auto table = node.command({"task", "list"});
  CHECK_THAT(table.out, Contains("id ") && Contains("a-1") && Contains("processed") && Contains("1/1"));
  const auto lines = node.json_of({"task", "list", "--json", "--limit", "1"});
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].at("id") == "a-2");
  CHECK_THAT(node.command({"task", "list", "--where", "state=error"}).out, Contains("no task matches"));

  CHECK_THAT(node.command({"alerts", "list"}).out, Contains("there is no open alert"));
  CHECK(node.command({"alerts", "ack", "7"}).code == 5);
  CHECK_THAT(node.command({"workflow", "list"}).out, Contains("three"));
  CHECK_THAT(node.command({"workflow", "show", "three"}).out,
             Contains("three v1") && Contains("step2") && Contains("slow"));
  CHECK(node.json_of({"workflow", "show", "three", "--json"}).at(0).at("steps").size() == 3);
  CHECK(node.command({"workflow", "show", "nothing"}).code == 5);
  CHECK_THAT(node.command({"lease", "list"}).out, Contains("supervisor"));
  CHECK_THAT(node.command({"node", "show"}).out, Contains("scheduler   test") && Contains("quick") && Contains("exec"));
  CHECK(node.json_of({"node", "show", "--json"}).at(0).at("agents").size() == 3);
}

TEST_CASE("a store is looked at through the running node, and in its files when the node is down") {
  running_node node;
  REQUIRE(node.command({"submit", "one", "--id", "t-1", "--data", "{\"x\": 1}", "--wait", "--limit", "30s"}).code == 0);
  const auto copy = node.folder().path() / "copy";
  const auto look = [&] {
    CHECK_THAT(node.command({"store", "check"}).out, Contains("all is well"));
    CHECK(node.json_of({"store", "stat", "--json"}).at(0).at("tasks").at("processed") == 1);
    const auto dump = node.json_of({"store", "dump"});
    REQUIRE(dump.size() == 1);
    CHECK(dump[0].at("id") == "t-1");
    CHECK(dump[0].at("steps").at(0).at("result") == json{{"x", 1}});
  };
  look();
  CHECK(node.command({"store", "copy", copy.string()}).code == 0);
  CHECK(node.command({"store", "copy", copy.string()}).code != 0);
  node.process().signal(SIGTERM);
  REQUIRE(node.process().wait(hang_limit) == 0);
  look();
  const auto of_copy = run_program(STEADFAST_BINARY, {"store", "dump", "--store", copy.string()});
  CHECK(of_copy.code == 0);
  CHECK_THAT(of_copy.out, Contains("\"id\":\"t-1\""));
}

TEST_CASE("numbers keep their digits from the command line to the program, to its result, and back") {
  running_node node;
  const std::string odd = R"({"big":123456789012345678901234567890,"huge":1e400,"none":-0.0,"price":1.10})";
  const auto made = node.command({"submit", "one", "--id", "t-1", "--data", odd, "--wait", "--limit", "30s"});
  INFO(made.err);
  REQUIRE(made.code == 0);
  const auto told = node.command({"task", "show", "t-1", "--json"}).out;
  CHECK_THAT(told, Contains("\"payload\":" + odd) && Contains("\"result\":" + odd));
  CHECK_THAT(node.command({"store", "dump"}).out, Contains("\"payload\":" + odd));

  // A client may send the payload as a value too.
  raw_socket raw{node.folder().path() / "store/control.sock"};
  REQUIRE(raw.send(R"({"jsonrpc":"2.0","id":1,"method":"submit","params":{"id":"t-2","workflow":"one","payload":)" + odd
                   + "}}\n"));
  CHECK_THAT(raw.read_line().value_or("nothing"), Contains("\"created\":true"));
  CHECK_THAT(node.command({"task", "show", "t-2", "--json"}).out, Contains("\"payload\":" + odd));
}

TEST_CASE("names that follow the one of a client or of a node with the store are nodes") {
  temp_folder folder;
  const auto certs = (folder.path() / "certs").string();
  const auto made = run_program(STEADFAST_BINARY, {"cluster", "certs", "--folder", certs, "--store", "a", "--store",
                                                   "c", "--client", "desk", "b", "--client", "till"});
  INFO(made.err);
  REQUIRE(made.code == 0);
  const auto kind_of = [&](const std::string& name) {
    const auto facts = steadfast::runtime::facts_in(folder.path() / "certs" / (name + ".pem"));
    REQUIRE(facts);
    return facts->vouches.highest;
  };
  CHECK(kind_of("a") == steadfast::workflow::peer_kind::store);
  CHECK(kind_of("c") == steadfast::workflow::peer_kind::store);
  CHECK(kind_of("b") == steadfast::workflow::peer_kind::node);
  CHECK(kind_of("desk") == steadfast::workflow::peer_kind::client);
  CHECK(kind_of("till") == steadfast::workflow::peer_kind::client);
}
