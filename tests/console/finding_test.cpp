// Finding and counting tasks at a real node.

#include "tests/support/processes/node_process.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace steadfast::tests;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using nlohmann::json;
using id_texts = std::vector<std::string>;

namespace {

constexpr const char* orders = R"(name = "orders"
index = ["payload:/customer"]
[[step]]
name = "book"
agent = "quick"
compensation = { agent = "quick" }
[[step]]
name = "fetch"
agent = "AGENT"
compensation = { agent = "quick" }
)";

/// A node with the workflow `orders`, whose step `fetch` is carried out by that agent.
struct node_with_orders {
  explicit node_with_orders(const std::string& agent) {
    std::string text = orders;
    text.replace(text.find("AGENT"), 5, agent);
    node.folder().write("workflows/orders.toml", text);
    node.start();
  }

  void submit(const std::string& id, const std::string& customer) const {
    node.command({"submit", "orders", "--id", id, "--data", R"({"customer":")" + customer + "\"}", "--wait"});
  }

  id_texts ids(id_texts arguments) const {
    arguments.insert(arguments.begin(), {"task", "list"});
    arguments.emplace_back("--json");
    id_texts found;
    for (const auto& t : node.json_of(arguments))
      found.push_back(t.at("id"));
    return found;
  }

  node_process node{STEADFAST_BINARY};
};

} // namespace

TEST_CASE("tasks are found by a value of their payload, where the workflow has an index on it") {
  const node_with_orders n{"quick"};
  n.submit("o-1", "c-77");
  n.submit("o-2", "c-78");
  n.submit("o-3", "c-77");
  CHECK(n.ids({"--where", "payload:/customer=c-77"}) == id_texts{"o-3", "o-1"});
  CHECK(n.ids({"--where", "workflow=orders,payload:/customer=c-78"}) == id_texts{"o-2"});
  CHECK(n.node.command({"tasks", "--count", "--where", "payload:/customer=c-77"}).out == "2\n");

  const auto nowhere = n.node.command({"tasks", "--where", "payload:/region=1"});
  CHECK(nowhere.code == 1);
  CHECK_THAT(nowhere.err, Contains("no workflow has an index on `payload:/region`: add it to `index`"));
  const auto not_there = n.node.command({"tasks", "--where", "workflow=one,payload:/customer=c-77"});
  CHECK_THAT(not_there.err, Contains("the newest version of workflow `one` does not have an index"));
}

TEST_CASE("tasks are counted in groups, and each group says in which states they are") {
  const node_with_orders n{"broken"};
  n.submit("o-1", "a");
  n.submit("o-2", "b");
  n.node.command({"submit", "one", "--id", "x-1", "--wait"});
  const auto by_workflow = n.node.json_of({"tasks", "--by", "workflow", "--json"});
  REQUIRE(by_workflow.size() == 2);
  CHECK(by_workflow[0].at("group") == "orders");
  CHECK(by_workflow[0].at("count") == 2);
  CHECK(by_workflow[0].at("states") == json{{"undone", 2}});
  CHECK(by_workflow[1].at("states") == json{{"processed", 1}});
  CHECK(n.node.json_of({"tasks", "--by", "step", "--where", "state=undone", "--json"}).at(0).at("group") == "fetch");
  CHECK(n.node.json_of({"tasks", "--by", "agent", "--where", "state=undone", "--json"}).at(0).at("count") == 2);
  CHECK(n.node.json_of({"tasks", "--by", "hour", "--json"}).size() <= 2);

  const auto by_cause = n.node.json_of({"tasks", "--by", "cause", "--where", "state=undone", "--json"});
  REQUIRE(by_cause.size() == 1);
  const auto cause = by_cause[0].at("group").get<std::string>();
  CHECK(n.ids({"--where", "cause=\"" + cause + "\""}) == id_texts{"o-2", "o-1"});
  const auto table = n.node.command({"tasks", "--by", "workflow"});
  CHECK_THAT(table.out, StartsWith("tasks  processed  undone  oldest") && Contains("orders"));
}

TEST_CASE("a list has another order, page by page, and more columns") {
  const node_with_orders n{"quick"};
  for (const char* id : {"b", "d", "a", "c"})
    n.submit(id, "x");
  CHECK(n.ids({"--sort", "id"}) == id_texts{"a", "b", "c", "d"});
  CHECK(n.ids({"--sort", "id", "--reverse"}) == id_texts{"d", "c", "b", "a"});
  CHECK(n.ids({"--reverse"}) == id_texts{"b", "d", "a", "c"});
  CHECK(n.ids({"--sort", "ended"}) == id_texts{"c", "a", "d", "b"});

  for (const id_texts& order : {id_texts{}, id_texts{"--sort", "id"}}) {
    id_texts words{"tasks", "--limit", "3"};
    words.insert(words.end(), order.begin(), order.end());
    const auto page = n.node.command(words);
    const auto begin = page.out.find("--from ") + 7;
    REQUIRE(begin != std::string::npos + 7);
    id_texts rest{"--from", page.out.substr(begin, page.out.find(' ', begin) - begin)};
    rest.insert(rest.end(), order.begin(), order.end());
    CHECK(n.ids(rest) == (order.empty() ? id_texts{"b"} : id_texts{"d"}));
  }
  CHECK_THAT(n.node.command({"tasks", "--wide"}).out, Contains("deadline") && Contains("took"));
  CHECK(n.node.command({"tasks", "--sort", "sideways"}).code == 64);
  CHECK(n.node.command({"tasks", "--by", "workflow", "--count"}).code == 64);
  for (const auto* sort : {"id", ""})
    for (const auto* wrong : {"not-a-place", "zzz", "7-xy", "7-a", "99999999999999999999"}) {
      std::vector<std::string> command{"tasks", "--from", wrong};
      if (*sort != '\0')
        command.insert(command.end(), {"--sort", sort});
      const auto end = n.node.command(command);
      CHECK(end.code == 64);
      CHECK_THAT(end.err, Contains("--from: `" + std::string{wrong} + "` is not a position in a list"));
    }
  const auto unsorted = n.node.command({"tasks", "--from", "7-6162"});
  CHECK(unsorted.code == 64);
  CHECK_THAT(unsorted.err, Contains("give its --sort"));
}

TEST_CASE("times that tables print are taken where a time is asked for") {
  const node_with_orders n{"quick"};
  n.submit("o-1", "x");
  const auto wide = n.node.command({"tasks", "--wide"}).out;
  const auto at = wide.find("20", wide.find('\n'));
  const auto printed = wide.substr(at, 19); // when it was submitted, cut to the second
  CHECK(n.ids({"--where", "after=" + printed}) == id_texts{"o-1"});
  CHECK(n.ids({"--where", "before=" + printed}).empty());
  CHECK(n.ids({"--where", "ended_after=" + printed.substr(11)}) == id_texts{"o-1"});
}

TEST_CASE("what undos that failed have left in place is listed with agent, key and since when") {
  node_process node{STEADFAST_BINARY};
  node.folder().write("workflows/stays.toml", R"(name = "stays"
[[step]]
name = "charge"
agent = "quick"
compensation = { agent = "broken" }
[[step]]
name = "fetch"
agent = "broken"
compensation = { agent = "quick" }
)");
  node.start();
  CHECK_THAT(node.command({"in-place"}).out, Contains("no failed undo has left"));
  node.command({"submit", "stays", "--id", "s-1", "--wait"});
  node.command({"submit", "refused", "--id", "r-1", "--wait"});
  const auto left = node.json_of({"task", "in-place", "--json"});
  REQUIRE(left.size() == 1);
  CHECK(left[0].at("task") == "s-1");
  CHECK(left[0].at("step") == "charge");
  CHECK(left[0].at("agent") == "quick");
  CHECK(left[0].at("key") == "s-1/charge");
  CHECK(left[0].at("why") == "undo_failed");
  CHECK(left[0].at("since").is_string());
  CHECK_THAT(node.command({"in-place"}).out, Contains("s-1/charge") && Contains("its undo failed: "));
  CHECK(node.json_of({"in-place", "--json", "--where", "workflow=refused"}).empty());
  CHECK(node.command({"skip", "s-1", "--step", "charge", "--result", "{}", "--why", "by hand"}).code == 0);
  CHECK(node.json_of({"in-place", "--json"}).empty());
}
