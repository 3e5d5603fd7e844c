// Tasks over HTTP: submitted, waited for, followed, acted on.

#include "tests/runtime/http/http_node.hpp"
#include "tests/support/comes_true.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cstdio>
#include <string>
#include <thread>

using namespace steadfast;
using nlohmann::json;
using tests::http_listener;
using tests::http_node;

namespace {

constexpr const char* trip_body = R"({"workflow":"trip","payload":{"guest":"ann"}})";

} // namespace

TEST_CASE("http: a submission makes a task once, and says so by its status") {
  const http_node n;
  const auto made = n.put_trip("a%2Fb+c");
  CHECK(made.status == 201);
  CHECK(made.headers.at("location") == "/v1/tasks/a%2Fb%2Bc");
  CHECK(made.json().at("id") == "a/b+c");
  CHECK(n.put_trip("a%2Fb%2Bc").status == 200);
  CHECK(n.get("/v1/tasks/a%2Fb%2Bc").json().at("task").at("id") == "a/b+c");

  const auto other = n.ask("PUT", "/v1/tasks/a%2Fb%2Bc", R"({"workflow":"trip","payload":{"guest":"bob"}})");
  CHECK(other.status == 409);
  CHECK(other.headers.at("content-type") == "application/problem+json");
  CHECK(other.code() == "other_task");

  const auto unknown = n.ask("PUT", "/v1/tasks/c", R"({"workflow":"no"})");
  CHECK(unknown.status == 422);
  CHECK(unknown.code() == "no_such_workflow");
  CHECK(unknown.field() == "workflow");
}

TEST_CASE("http: Idempotency-Key is the id of the task") {
  const http_node n;
  CHECK(n.ask("POST", "/v1/tasks", trip_body, {{"Idempotency-Key", "k1"}}).status == 201);
  CHECK(n.ask("POST", "/v1/tasks", trip_body, {{"Idempotency-Key", "k1"}}).status == 200);
  CHECK(n.ask("POST", "/v1/tasks", R"({"id":"k2","workflow":"trip"})").status == 201);
  const auto none = n.ask("POST", "/v1/tasks", trip_body);
  CHECK(none.status == 400);
  CHECK(none.field() == "id");
  const auto two = n.ask("POST", "/v1/tasks", R"({"id":"k3","workflow":"trip"})", {{"Idempotency-Key", "k4"}});
  CHECK(two.status == 400);
  CHECK(two.field() == "id");
  CHECK(n.ask("PUT", "/v1/tasks/k5", R"({"id":"k6","workflow":"trip"})").field() == "id");
  CHECK(n.get("/v1/counts").json().at("count") == 2);
}

TEST_CASE("http: of a batch, each submission is decided on its own, and answered in its place") {
  const http_node n;
  n.put_trip("there");
  const auto answer = n.ask("POST", "/v1/tasks/batch", R"({"tasks":[
    {"id":"one","workflow":"trip"}, {"id":"two","workflow":"no"}, 7,
    {"id":"there","workflow":"trip","payload":{"guest":"ann"}}, {"id":"there","workflow":"trip"}]})");
  REQUIRE(answer.status == 200);
  const auto results = answer.json().at("results");
  std::vector<int> statuses;
  for (const auto& r : results)
    statuses.push_back(r.at("status"));
  CHECK(statuses == std::vector<int>{201, 422, 400, 200, 409});
  CHECK(results[4].at("problem").at("code") == "other_task");
  CHECK(results[2].at("problem").at("detail") == "a submission must be an object");

  json many{{"tasks", json::array()}};
  for (int i = 0; i < 1001; ++i)
    many["tasks"].push_back({{"id", "m" + std::to_string(i)}, {"workflow", "trip"}});
  CHECK(n.ask("POST", "/v1/tasks/batch", many.dump()).field() == "tasks");
  many["tasks"].erase(0);
  const auto numbered = n.ask("POST", "/v1/tasks/batch", many.dump()).json().at("results");
  REQUIRE(numbered.size() == 1000);
  CHECK(std::is_sorted(numbered.begin(), numbered.end(),
                       [](const json& a, const json& b) { return a.at("number") < b.at("number"); }));
  CHECK(n.ask("POST", "/v1/tasks/batch", R"({"tasks":[]})").status == 400);
  CHECK(n.get("/v1/counts").json().at("count") == 1002);
}

TEST_CASE("http: a client may wait for the outcome") {
  http_node n;
  const auto early = n.put_trip("a", "?wait=50ms");
  CHECK(early.status == 201);
  CHECK(early.json().at("process_state") != "processed");
  std::thread later{[&] { n.let_end(); }};
  const auto ended = n.put_trip("a", "?wait=30s");
  later.join();
  CHECK(ended.status == 200);
  CHECK(ended.json().at("process_state") == "processed");
  CHECK(n.get("/v1/tasks/a/state?wait=30s").json().at("process_state") == "processed");
  CHECK(n.put_trip("b", "?wait=61s").field() == "wait");
  CHECK(n.put_trip("b", "?wait=soon").field() == "wait");
  CHECK(n.get("/v1/nodes?wait=1s").field() == "wait");
}

TEST_CASE("http: the events of a task come in order, and a client that comes back gets what it has not seen") {
  http_node n;
  n.put_trip("a");
  REQUIRE(tests::comes_true([&] { return n.get("/v1/tasks/a/state").json().at("process_state") == "processing"; }));
  http_listener first{n, "/v1/tasks/a/events"};
  const auto head = first.next("\r\n\r\n");
  CHECK_THAT(head, Catch::Matchers::Contains("200 OK") && Catch::Matchers::Contains("text/event-stream"));
  const auto event = first.next();
  REQUIRE_THAT(event, Catch::Matchers::StartsWith("id: "));
  const auto revision = std::stoull(event.substr(4));
  CHECK_THAT(event, Catch::Matchers::Contains("\"process_state\":\"processing\""));

  http_listener second{n, "/v1/tasks/a/events", {{"Last-Event-ID", std::to_string(revision)}}};
  second.next("\r\n\r\n");
  n.let_end();
  auto last = first.next();
  CHECK_THAT(last, Catch::Matchers::Contains("\"process_state\":\"processed\""));
  CHECK(std::stoull(last.substr(4)) > revision);
  CHECK(first.next().empty());  // it ends with the task
  CHECK(second.next() == last); // and begins with what it has not seen

  const auto end = last.substr(4, last.find('\n') - 4);
  CHECK(n.get("/v1/tasks/a/events", {{"Last-Event-ID", end}}).status == 204);
  CHECK(n.get("/v1/tasks/a/events", {{"Last-Event-ID", "x"}}).field() == "Last-Event-ID");
  CHECK(n.get("/v1/tasks/none/events").status == 404);
}

TEST_CASE("http: acts on tasks are refused with their reason, and kept with who did them") {
  http_node n;
  n.put_trip("a");
  const auto refused = n.ask("POST", "/v1/tasks/a/actions", R"({"act":"resume"})");
  CHECK(refused.status == 409);
  CHECK(refused.code() == "refused");
  CHECK(n.ask("POST", "/v1/tasks/a/actions", R"({"act":"explode"})").field() == "act");
  CHECK(n.ask("POST", "/v1/tasks/none/actions", R"({"act":"undo"})").status == 404);
  const auto would = n.ask("POST", "/v1/tasks/a/actions", R"({"act":"suspend","dry_run":true})");
  CHECK(would.json() == json{{"process_state", "suspended"}});
  CHECK(n.ask("POST", "/v1/tasks/a/actions", R"({"act":"resume","dry_run":true})").body == refused.body);
  CHECK(n.ask("POST", "/v1/tasks/a/actions", R"({"act":"suspend","who":"ann","why":"tea"})").body == would.body);
  const auto acts = n.get("/v1/tasks/a").json().at("task").at("acts");
  REQUIRE(acts.size() == 1);
  CHECK(acts[0].at("who") == "ann");
  const auto planned =
    n.ask("POST", "/v1/bulk-acts", R"({"act":"resume","workflow":"trip","states":["suspended"],"dry_run":true})");
  CHECK(planned.json().at("would") == 1);
  CHECK(planned.json().at("states_after").at(0).at("tasks") == 1);
  const auto begun = n.ask("POST", "/v1/bulk-acts", R"({"act":"resume","workflow":"trip","states":["suspended"]})");
  CHECK(begun.json().at("bulk") == 1);
  CHECK(n.get("/v1/bulk-acts/1").status == 200);
  CHECK(n.get("/v1/bulk-acts/x").field() == "bulk");
}

TEST_CASE("http: lists have filters in the query, and pages") {
  const http_node n;
  for (const auto* id : {"a", "b", "c"})
    n.put_trip(id);
  n.ask("PUT", "/v1/tasks/d", R"({"workflow":"other"})");
  const auto page = n.get("/v1/tasks?workflow=trip&states=pending,processing&max=2").json();
  CHECK(page.at("tasks").size() == 2);
  const auto rest = n.get("/v1/tasks?workflow=trip&max=2&before=" + page.at("next").dump()).json();
  CHECK(rest.at("tasks").size() == 1);
  const auto sorted = n.get("/v1/tasks?sort=id&reverse&max=2").json();
  CHECK(sorted.at("tasks")[0].at("id") == "d");
  CHECK(n.get("/v1/tasks?sort=id&reverse=true&max=2&before=" + sorted.at("next").get<std::string>())
          .json()
          .at("tasks")[1]
          .at("id")
        == "a");
  CHECK(n.get("/v1/counts?by=workflow").json().at("groups").size() == 2);
  CHECK(n.get("/v1/tasks?max=0").field() == "max");
  CHECK(n.get("/v1/tasks?max=two").field() == "max");
  CHECK(n.get("/v1/tasks?colour=red").field() == "colour");
  CHECK(n.get("/v1/tasks?states=red").field() == "states");
  CHECK(n.get("/v1/tasks?payload:/guest=ann").status == 400); // the workflow has no index for it
}

TEST_CASE("http: workflows are listed page by page, or only the newest version of each") {
  const http_node n;
  for (const char* version : {"1", "2", "3"}) {
    const auto file = std::string{"name = 'many'\nversion = "} + version + "\n[[step]]\nname = 'a'\nagent = 'b'\n";
    REQUIRE(n.ask("POST", "/v1/workflows", file, {{"Content-Type", "application/toml"}}).status == 200);
  }
  std::vector<std::string> listed;
  std::string path = "/v1/workflows?max=1";
  for (json next = "first"; !next.is_null();) {
    const auto page = n.get(path).json();
    for (const auto& w : page.at("workflows"))
      listed.push_back(w.at("name").get<std::string>() + "/" + w.at("version").dump());
    next = page.at("next");
    if (!next.is_null())
      path = "/v1/workflows?max=1&after=" + next.get<std::string>();
  }
  CHECK(listed == std::vector<std::string>{"many/1", "many/2", "many/3", "other/1", "trip/1"});
  const auto newest = n.get("/v1/workflows?newest=true").json().at("workflows");
  REQUIRE(newest.size() == 3);
  CHECK(newest[0].at("version") == 3);
  CHECK(n.get("/v1/workflows?after=many").status == 400);
}

TEST_CASE("http: a parameter in the query of a change counts as one of the body does, and none is passed over") {
  const http_node n;
  REQUIRE(n.put_trip("a").status == 201);
  const auto file = json{{"text", "name = 'b'\n[[step]]\nname = 'c'\nagent = 'd'\n"}, {"who", "ann"}}.dump();
  CHECK(n.ask("POST", "/v1/workflows?dry_run", file).status == 200);
  CHECK(n.get("/v1/workflows/b").status == 404);
  const auto undo = json{{"act", "undo"}, {"who", "ann"}}.dump();
  const auto before = n.get("/v1/tasks/a").json().at("task").at("acts");
  CHECK(n.ask("POST", "/v1/tasks/a/actions?dry_run=true", undo).status == 200);
  CHECK(n.get("/v1/tasks/a").json().at("task").at("acts") == before);
  CHECK(n.ask("POST", "/v1/bulk-acts?dry_run=true", undo).json().contains("would"));
  CHECK(n.get("/v1/bulk-acts?all").json().at("bulk_acts").empty());
  CHECK(n.ask("POST", "/v1/tasks/a/actions?act=retry", undo).field() == "act");
  CHECK(n.get("/v1/tasks/a").json().at("task").at("acts") == before);

  CHECK(n.put_trip("c", "?wiat=5s").status == 400);
  CHECK(n.put_trip("c", "?wiat=5s").field() == "wiat");
  CHECK(n.get("/v1/tasks/c").status == 404);
  for (const auto* path : {"/v1/me?wait=1s", "/v1/tasks/a/events?kinds=ended"})
    CHECK(n.get(path).status == 400);
  CHECK(n.ask("POST", "/v1/tasks/batch?dry_run", R"({"tasks":[{"id":"c","workflow":"trip"}]})").field() == "dry_run");
}

TEST_CASE("http: a workflow is registered from its file, or refused with its mistakes") {
  const http_node n;
  const std::string file = "name = \"order\"\nversion = 1\n[[step]]\nname = \"pay\"\nagent = \"bank\"\n";
  const tests::http_headers toml{{"Content-Type", "application/toml"}};
  const auto planned = n.ask("POST", "/v1/workflows?dry_run", file, toml);
  CHECK(planned.status == 200);
  CHECK(planned.json().at("created") == true);
  CHECK(planned.json().at("agents_missing") == json{"bank"});
  CHECK(n.get("/v1/workflows/order").status == 404);
  CHECK(n.ask("PUT", "/v1/tasks/o", R"({"workflow":"order"})").status == 422);

  CHECK(n.ask("POST", "/v1/workflows", json{{"text", file}, {"who", "ann"}, {"why", "new"}}.dump()).status == 200);
  CHECK(n.get("/v1/workflows/order").json().at("workflow").at("version") == 1);
  CHECK(n.ask("PUT", "/v1/tasks/o", R"({"workflow":"order"})").status == 201);
  CHECK(n.ask("POST", "/v1/workflows", file, toml).json().at("created") == false);
  const auto acts = n.get("/v1/alerts?all&kind=act").json().at("alerts");
  REQUIRE(acts.size() == 1);
  CHECK(acts[0].at("text") == "registered workflow `order` version 1: new");
  CHECK_THAT(acts[0].dump(), Catch::Matchers::Contains("ann"));

  const auto changed = n.ask("POST", "/v1/workflows", file + "complete_by = \"9s\"\n", toml);
  CHECK(changed.status == 409);
  CHECK_THAT(changed.body, Catch::Matchers::Contains("raise its version"));
  const auto wrong = n.ask("POST", "/v1/workflows", file + "colour = \"red\"\n", toml);
  CHECK(wrong.status == 400);
  CHECK(wrong.field() == "text");
  CHECK_THAT(wrong.body, Catch::Matchers::Contains(":6: step `pay`: colour"));
}

TEST_CASE("http: who sends a file without saying so is told which header says it") {
  const http_node n;
  for (const auto* const path : {"/v1/workflows?dry_run", "/v1/schedules"}) {
    const auto a = n.ask("POST", path, "name = \"order\"\n");
    CHECK(a.status == 400);
    CHECK(a.field() == "Content-Type");
    CHECK_THAT(a.json().at("detail"), Catch::Matchers::Contains("Content-Type: application/toml"));
    CHECK(n.ask("POST", path).field() == "text");
  }
}

TEST_CASE("http: the client of the examples, in Python, submits a task and follows it to its end") {
  http_node n;
  n.let_end();
  const auto run = [&](const std::string& id) {
    const auto command = "python3 " + std::string{STEADFAST_SOURCE_DIR}
                         + "/examples/http/trip.py http://localhost:" + std::to_string(n.port()) + " " + id + " 2>&1";
    std::string said;
    auto* const out = popen(command.c_str(), "r");
    std::array<char, 4096> piece{};
    while (const auto size = fread(piece.data(), 1, piece.size(), out))
      said.append(piece.data(), size);
    pclose(out);
    return said;
  };
  CHECK_THAT(run("p1"),
             Catch::Matchers::StartsWith("made\n") && Catch::Matchers::Contains("processed   ride completed"));
  CHECK_THAT(run("p1"), Catch::Matchers::StartsWith("it was there\n"));
  CHECK_THAT(run("'p 1'"), Catch::Matchers::Contains("id must be 1 to 128 printable characters"));
}

TEST_CASE("http: the client of the examples, in Python, says why the node is busy, and asks again") {
  http_server_options o;
  o.connections_max = 1;
  http_node n{o};
  n.put_trip("a");
  auto follows = std::make_unique<tests::http_listener>(n, "/v1/tasks/a/events");
  follows->next();
  const auto command = "python3 " + std::string{STEADFAST_SOURCE_DIR}
                       + "/examples/http/trip.py http://localhost:" + std::to_string(n.port()) + " p1 2>&1";
  auto* const out = popen(command.c_str(), "r");
  std::array<char, 4096> line{};
  CHECK(std::string{fgets(line.data(), line.size(), out)}
        == "all connections are in use (`http.connections_max`); trying again\n");
  n.let_end();
  follows.reset();
  std::string last;
  while (fgets(line.data(), line.size(), out) != nullptr)
    last = line.data();
  CHECK(pclose(out) == 0);
  CHECK(last == "processed   ride completed\n");
}

TEST_CASE("row 136: an event sent again with its Idempotency-Key changes nothing") {
  const http_node n;
  const std::string file = "name = \"order\"\n[[step]]\nname = \"payment\"\n"
                           "wait = { event = \"paid\", key = \"payload:/order\", limit = \"1h\" }\n";
  REQUIRE(n.ask("POST", "/v1/workflows", file, {{"Content-Type", "application/toml"}}).status == 200);
  const auto send = [&](const char* key, const char* data) {
    return n.ask("POST", "/v1/events", json{{"event", "paid"}, {"key", key}, {"data", json::parse(data)}}.dump(),
                 {{"Idempotency-Key", "evt-1"}});
  };
  const auto first = send("o-1", R"({"euros":20})");
  REQUIRE(first.status == 200);
  CHECK(first.json().at("again") == false);
  const auto second = send("o-1", R"({"euros":20})");
  CHECK(second.status == 200);
  CHECK(second.json().at("again") == true);
  CHECK(second.json().at("event") == first.json().at("event"));
  CHECK(send("o-1", R"({"euros":21})").status == 409);
  CHECK(send("o-2", R"({"euros":20})").status == 409);
  const auto two_ids =
    n.ask("POST", "/v1/events", R"({"event":"paid","key":"o-1","id":"evt-2"})", {{"Idempotency-Key", "evt-1"}});
  CHECK(two_ids.status == 400);
  CHECK(two_ids.field() == "id");
  // An id that was meant and is not there: without it the event could be taken twice.
  const auto no_id = n.ask("POST", "/v1/events", R"({"event":"paid","key":"o-1"})", {{"Idempotency-Key", ""}});
  CHECK(no_id.status == 400);
  CHECK(no_id.field() == "Idempotency-Key");
}

TEST_CASE("http: an event that is wrong by itself is a wrong request, and names what is wrong") {
  const http_node n;
  const auto wrong = [&](const json& event) {
    const auto a = n.ask("POST", "/v1/events", event.dump());
    CHECK(a.status == 400);
    return a.field();
  };
  CHECK(wrong({{"event", "paid"}, {"key", "o-1"}, {"id", ""}}) == "id");
  CHECK(wrong({{"event", "paid"}, {"key", "o-1"}, {"id", std::string(257, 'x')}}) == "id");
  CHECK(wrong({{"event", "paid"}, {"task", ""}}) == "task");
  CHECK(wrong({{"event", "paid"}, {"key", "o-1"}, {"task", "t"}}) == "task");
  CHECK(wrong({{"event", "paid"}, {"key", std::string(257, 'k')}}) == "key");
  CHECK(wrong({{"event", "paid"}, {"key", "o-1"}, {"data", "no json"}}) == "data");
  CHECK(wrong({{"event", "not a name"}, {"key", "o-1"}}) == "event");
}
