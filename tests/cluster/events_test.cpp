// Tasks that wait for events and persons, in a real node that is killed meanwhile.

#include "tests/support/comes_true.hpp"
#include "tests/support/processes/node_process.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace steadfast::tests;

namespace {

/// A node with a workflow `orders`: `quick`, the event `paid` for the order, a person who approves, `quick`.
class order_node : public node_process {
public:
  order_node() : node_process{STEADFAST_BINARY} {
    folder().write(
      "workflows/orders.toml",
      "name = \"orders\"\ndeadline = \"10d\"\n[[step]]\nname = \"reserve\"\nagent = \"quick\"\n"
      "compensation = { agent = \"quick\" }\n[[step]]\nname = \"payment\"\n"
      "wait = { event = \"paid\", key = \"payload:/order\", limit = \"3d\" }\n[[step]]\nname = \"approval\"\n"
      "agent = \"person\"\nrole = \"sales\"\nquestion = \"Ship it?\"\nlimit = \"2d\"\n[[step]]\n"
      "name = \"ship\"\nagent = \"quick\"\nwhen = { step = \"approval\", pointer = \"/choice\", equals = \"yes\" }\n");
    start();
  }

  void submit(const std::string& id) const {
    REQUIRE(command({"submit", "orders", "--id", id, "--data", "{\"order\":\"" + id + "\"}"}).code == 0);
  }
  nlohmann::json task(const std::string& id) const { return json_of({"task", "show", id, "--json"}).at(0); }
  bool step_becomes(const std::string& id, std::size_t step, const std::string& state) const {
    return comes_true([&] { return task(id).at("steps").at(step).at("state") == state; });
  }
  bool becomes(const std::string& id, const std::string& state) const {
    return comes_true([&] { return task(id).at("process_state") == state; });
  }
  program_end pay(const std::string& id) const {
    return command({"event", "send", "paid", "--key", id, "--data", "{\"euros\": 20}"});
  }
};

} // namespace

TEST_CASE("row 113: an event is taken whether it came before its task, or while that waits and its node was killed") {
  order_node node;
  CHECK_THAT(node.pay("early").out, Catch::Contains("is kept, and no task waited for it"));
  node.submit("early");
  CHECK(node.step_becomes("early", 1, "completed"));
  node.submit("late");
  REQUIRE(node.step_becomes("late", 1, "waiting"));
  CHECK_THAT(node.command({"task", "explain", "late"}).out,
             Catch::Contains("waiting: step `payment` for an event `paid` with the key `late`"));
  CHECK_THAT(node.command({"task", "show", "late"}).out, Catch::Contains("waits for event paid"));
  node.kill();
  node.start();
  CHECK_THAT(node.pay("late").out, Catch::Contains("1 task took it"));
  CHECK(node.step_becomes("late", 1, "completed"));
  CHECK(node.task("late").at("steps").at(1).at("result") == nlohmann::json{{"euros", 20}});
  CHECK(node.command({"store", "check"}).code == 0);
  CHECK_THAT(node.command({"event", "send", "payed", "--key", "x"}).err,
             Catch::Contains("no workflow has a step that waits for an event `payed`"));
  CHECK(node.command({"event", "send", "paid", "--task", "nobody"}).code != 0);
  for (const std::string option : {"--key", "--task", "--id"}) // such as a variable of a script that was not set
    CHECK(node.command({"event", "send", "paid", option, ""}).code == 64);
}

TEST_CASE("row 136: an event is recognised by its id after its node was killed") {
  order_node node;
  const auto send = [&](const std::string& key) {
    return node.command({"event", "send", "paid", "--key", key, "--id", "evt-1", "--data", "{\"euros\": 20}"});
  };
  CHECK_THAT(send("o").out, Catch::Contains("event 1 is kept"));
  node.kill();
  node.start();
  CHECK_THAT(send("o").out, Catch::Contains("event 1 was sent before with this id; nothing has changed"));
  CHECK_THAT(send("other").err, Catch::Contains("the id `evt-1` was already sent with an event"));
  CHECK(node.command({"store", "check"}).code == 0);
}

TEST_CASE(
  "row 114: a person is asked, and who answered and why is in the story, though the node was killed meanwhile") {
  order_node node;
  node.pay("o");
  node.submit("o");
  REQUIRE(node.step_becomes("o", 2, "waiting"));
  node.kill();
  node.start();
  const auto asked = node.json_of({"approvals", "list", "--json"});
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].at("id") == "o");
  CHECK(asked[0].at("step") == "approval");
  CHECK(asked[0].at("question") == "Ship it?");
  CHECK(node.json_of({"approvals", "--json"}) == asked);
  CHECK(node.json_of({"approvals", "list", "--role", "finance", "--json"}).empty());
  CHECK(node.json_of({"approvals", "--role", "finance", "--json"}).empty());
  CHECK_THAT(node.command({"approvals", "answer", "o", "approval", "perhaps"}).err,
             Catch::Contains("`perhaps` is none of the choices"));
  REQUIRE(node.command({"approvals", "answer", "o", "approval", "yes", "--why", "paid in full"}).code == 0);
  CHECK(node.becomes("o", "processed"));
  const auto t = node.task("o");
  CHECK(t.at("steps").at(2).at("result").at("choice") == "yes");
  CHECK(t.at("steps").at(2).at("result").at("why") == "paid in full");
  CHECK(t.at("steps").at(3).at("state") == "completed");
  CHECK_THAT(node.command({"task", "show", "o"}).out, Catch::Contains("paid in full"));
  CHECK_THAT(node.command({"approvals", "answer", "o", "approval", "no"}).err, Catch::Contains("does not wait"));
}

TEST_CASE("a check against the node tells which version it has, and how many tasks have not ended") {
  order_node node;
  node.submit("o");
  REQUIRE(node.step_becomes("o", 1, "waiting"));
  const auto file = (node.folder().path() / "workflows" / "newer.toml").string();
  node.folder().write("workflows/newer.toml",
                      "name = \"orders\"\nversion = 2\n[[step]]\nname = \"a\"\nagent = \"quick\"\n");
  const auto newer = node.command({"workflow", "check", "--against-node", file});
  INFO(newer.err);
  CHECK_THAT(newer.out, Catch::Contains("workflow orders v2 can be registered")
                          && Catch::Contains("newest version 1; tasks that have not ended: 1,"));
  node.folder().write("workflows/newer.toml", "name = \"other\"\n[[step]]\nname = \"a\"\nagent = \"quick\"\n");
  CHECK_THAT(node.command({"workflow", "check", "--against-node", file}).out,
             Catch::Contains("the node has no version of it"));
}

TEST_CASE("the command lists all questions, however many pages they fill") {
  node_process node{STEADFAST_BINARY};
  node.folder().write("workflows/survey.toml",
                      "name = \"survey\"\n[[step]]\nname = \"ask\"\nagent = \"person\"\nrole = \"sales\"\n"
                      "question = \"Well?\"\nlimit = \"2h\"\n");
  node.folder().write("workflows/all.toml", "name = \"all\"\n[[step]]\nname = \"each\"\nfor_each = \"payload:/of\"\n"
                                            "workflow = \"survey\"\nat_a_time = 1000\n");
  node.start();
  std::string of;
  for (int i = 0; i < 600; ++i)
    of += (i == 0 ? "[" : ",") + std::to_string(i);
  REQUIRE(node.command({"submit", "all", "--id", "a", "--data", "{\"of\":" + of + "]}"}).code == 0);
  CHECK(comes_true([&] { return node.json_of({"approvals", "list", "--json"}).size() == 600; }));
}

TEST_CASE("row 114: an answer of no skips what is only done after a yes, and cancel ends a question") {
  order_node node;
  for (const std::string id : {"no", "cancelled"}) {
    node.pay(id);
    node.submit(id);
    REQUIRE(node.step_becomes(id, 2, "waiting"));
  }
  REQUIRE(node.command({"approvals", "answer", "no", "approval", "no"}).code == 0);
  CHECK(node.becomes("no", "processed"));
  CHECK(node.task("no").at("steps").at(3).at("state") == "skipped");
  REQUIRE(node.command({"task", "cancel", "cancelled", "--why", "test"}).code == 0);
  CHECK(node.becomes("cancelled", "undone"));
  CHECK(node.json_of({"approvals", "list", "--json"}).empty());
}
