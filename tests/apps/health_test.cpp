// The one sentence that tells how the cluster is.

#include "apps/terminal/table.hpp"
#include "apps/terminal/terminal.hpp"
#include "apps/views/health.hpp"
#include "runtime/text/health.hpp"
#include "runtime/text/json.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using namespace steadfast::apps;
using Catch::Matchers::Contains;
using nlohmann::json;
using runtime::health;
using runtime::health_sentence;
using runtime::is_well;
using namespace std::chrono_literals;

namespace {

const workflow::instant at_night{std::chrono::milliseconds{1'767'268'800'000}};

json incident(std::uint64_t number, const std::string& agent, std::uint64_t tasks) {
  store::incident x;
  x.number = number;
  x.what = {"error", agent, "orders", "pay", "HTTP 503"};
  x.tasks = tasks;
  x.first_at = at_night - 30s + 700ms;
  return incident_json(x);
}

health one_node() {
  health h;
  h.nodes = {{{"name", "a"}, {"alive", true}, {"state", "alive"}}};
  return h;
}

} // namespace

TEST_CASE("when nobody has to do anything, the sentence says so") {
  auto h = one_node();
  CHECK(is_well(h, at_night));
  CHECK(health_sentence(h, at_night) == "All is well: no incident, 1 of 1 node alive.");
  h.stuck_report = {{"stuck", json::array()},
                    {"waits", {{{"since", instant_json(at_night - 12min)}, {"longest", "t-1"}, {"tasks", 3}}}}};
  CHECK_THAT(health_sentence(h, at_night), Contains("Oldest wait 12 min (t-1)"));
  h.stuck_report["waits"][0]["meant"] = true; // as of one that sleeps, or that a person suspended
  CHECK_THAT(health_sentence(h, at_night), !Contains("Oldest wait"));
}

TEST_CASE("not all is well while no node has its lease") {
  auto h = one_node();
  h.nodes[0]["alive"] = false;
  h.nodes[0]["state"] = "alive";
  for (const auto& nodes : {h.nodes, json::array()}) {
    h.nodes = nodes;
    CHECK(!is_well(h, at_night));
    CHECK(health_sentence(h, at_night) == "no node has its lease, so none takes tasks.");
  }
}

TEST_CASE("the sentence names what fails, since when and for how many tasks, the worst first") {
  auto h = one_node();
  h.incidents = {incident(1, "stock", 2), incident(2, "payment", 418)};
  CHECK_FALSE(is_well(h, at_night));
  const auto said = health_sentence(h, at_night);
  CHECK_THAT(said, Contains("2 incidents: payment: HTTP 503 since 2026-01-01T11:59:30Z"));
  CHECK_THAT(said, Contains("(418 tasks); stock: HTTP 503"));
}

TEST_CASE("what a store tells while it is opened is since a start, not since the beginning of time") {
  auto h = one_node();
  auto x = incident(1, "", 0);
  x["kind"] = "restored";
  x["first_at"] = x["last_at"] = nullptr;
  h.incidents = json::array({x});
  CHECK_THAT(health_sentence(h, at_night), Contains("restored: HTTP 503 since a start"));
  CHECK_THAT(incident_table(h.incidents, at_night, 10).text(terminal{}), Contains("a start") && !Contains("1970"));
}

TEST_CASE("a muted incident does not count, until its time is over") {
  auto h = one_node();
  auto x = incident(1, "stock", 2);
  x["muted"] = true;
  x["muted_until"] = instant_json(at_night + 1h);
  h.incidents = json::array({x});
  CHECK(is_well(h, at_night));
  CHECK_THAT(health_sentence(h, at_night), Contains("no incident but 1 muted"));
  CHECK_FALSE(is_well(h, at_night + 2h));
  h.incidents[0]["muted_until"] = nullptr;
  CHECK(is_well(h, at_night + 2h));
}

TEST_CASE("when each node that could take tasks is drained, somebody should look, and they are named") {
  auto h = one_node();
  h.nodes = {{{"name", "a"}, {"alive", true}, {"state", "alive"}, {"roles", "store,supervisor"}},
             {{"name", "b"}, {"alive", true}, {"state", "drained"}, {"roles", "scheduler,agents"}},
             {{"name", "c"}, {"alive", true}, {"state", "alive"}, {"roles", "scheduler"}}};
  CHECK(is_well(h, at_night));
  h.nodes[2]["state"] = "drained";
  CHECK_FALSE(is_well(h, at_night));
  CHECK(health_sentence(h, at_night) == "no node takes tasks until one is restarted; drained: node b, node c.");
}

TEST_CASE("a node that was lost counts, one that stopped in good order does not") {
  auto h = one_node();
  h.nodes.push_back({{"name", "b"}, {"alive", false}, {"state", "gone"}, {"expires_at", nullptr}});
  CHECK(is_well(h, at_night));
  h.nodes.push_back({{"name", "c"}, {"alive", false}, {"state", "gone"}, {"expires_at", instant_json(at_night - 60s)}});
  CHECK_FALSE(is_well(h, at_night));
  CHECK_THAT(health_sentence(h, at_night), Contains("node c has been gone since "));
}

TEST_CASE("a condition is told in its own words up to the semicolon, and a lost node once") {
  auto h = one_node();
  store::incident failing;
  failing.number = 1;
  failing.is_condition = true;
  failing.what = {"failing", "payment", "orders", "pay", "HTTP 402"};
  failing.sample_text =
    "agent `payment`: 31 % of `orders` end undone or in error (20 of the last 64); 79 of the last 256; usually 3 % do";
  failing.first_at = at_night - 30s;
  auto lost = failing;
  lost.number = 2;
  lost.what = {"node_lost", "", "", "", "node `c` is silent"};
  lost.sample_text = "node `c` is silent; its lease ended";
  h.incidents = json::array({incident_json(failing), incident_json(lost)});
  h.nodes.push_back({{"name", "c"}, {"alive", false}, {"state", "gone"}, {"expires_at", instant_json(at_night - 60s)}});
  const auto said = health_sentence(h, at_night);
  CHECK_THAT(
    said, Contains("2 incidents: agent `payment`: 31 % of `orders` end undone or in error (20 of the last 64) since "));
  CHECK_THAT(said, Contains("; node `c` is silent since 2026-01-01T11:59:00Z")); // and not since that was noticed
  CHECK_THAT(said, !Contains("node c gone"));
  CHECK_THAT(said, !Contains("task"));
  h.incidents[0]["muted"] = h.incidents[1]["muted"] = true;
  CHECK(is_well(h, at_night));
}

TEST_CASE("a node that was drained before it went does not count as lost") {
  auto h = one_node();
  h.nodes.push_back({{"name", "c"},
                     {"alive", false},
                     {"state", "gone"},
                     {"drained", true},
                     {"expires_at", instant_json(at_night - 60s)}});
  CHECK(is_well(h, at_night));
}
