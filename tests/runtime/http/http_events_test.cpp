// Server-sent events over HTTP: of one task, and of all.

#include "runtime/http/access_tokens.hpp"
#include "tests/runtime/http/http_node.hpp"
#include "tests/support/comes_true.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace steadfast;
using tests::http_listener;
using tests::http_node;

namespace {

/// "ended a": kind and task.
std::string words_of(const http_listener::event& e) {
  return e.kind + (e.data.contains("task") ? " " + e.data.at("task").at("id").get<std::string>() : "");
}

std::uint64_t revision_of(const http_listener::event& e) {
  return e.data.at("task").at("revision");
}

/// With the answer's head read.
std::unique_ptr<http_listener> listener(const http_node& n, const std::string& target = "/v1/events",
                                        const tests::http_headers& headers = {}) {
  auto l = std::make_unique<http_listener>(n, target, headers);
  const auto head = l->next("\r\n\r\n");
  INFO(head);
  REQUIRE(head.find("text/event-stream") != std::string::npos);
  return l;
}

/// Those until one of these words, with it.
std::vector<http_listener::event> events_until(http_listener& l, const std::string& words) {
  std::vector<http_listener::event> all;
  do
    all.push_back(l.next_event());
  while (!all.back().kind.empty() && words_of(all.back()) != words);
  return all;
}

std::vector<std::string> words_of(const std::vector<http_listener::event>& all) {
  std::vector<std::string> words;
  for (const auto& e : all)
    words.push_back(words_of(e));
  return words;
}

bool has_ended(const http_node& n, const std::string& id) {
  return tests::comes_true(
    [&] { return n.get("/v1/tasks/" + id + "/state").json().at("process_state") == "processed"; });
}

} // namespace

TEST_CASE("row 107: the events of all tasks tell each submission, change and end once, and go on after any of them") {
  http_node n;
  const auto first = listener(n);
  n.put_trip("a");
  auto seen = events_until(*first, "changed a");
  CHECK(seen.front().kind == "submitted");
  n.put_trip("b");
  n.let_end();
  std::vector<std::string> ended;
  while (ended.size() < 2) {
    seen.push_back(first->next_event());
    REQUIRE_FALSE(seen.back().kind.empty());
    if (seen.back().kind == "ended")
      ended.push_back(words_of(seen.back()));
  }
  for (const auto* id : {"a", "b"}) {
    INFO(id);
    std::vector<std::uint64_t> revisions;
    std::size_t submitted = 0;
    for (const auto& e : seen)
      if (e.data.at("task").at("id") == id) {
        if (e.kind == "submitted")
          ++submitted;
        else
          revisions.push_back(revision_of(e));
      }
    CHECK(submitted == 1);
    CHECK(std::is_sorted(revisions.begin(), revisions.end(), std::less_equal<>{}));
  }
  const auto second = listener(n, "/v1/events", {{"Last-Event-ID", seen.front().id}});
  for (std::size_t i = 1; i < seen.size(); ++i)
    CHECK(second->next_event().id == seen[i].id);
  CHECK(n.get("/v1/events", {{"Last-Event-ID", "7"}}).field() == "Last-Event-ID");
}

TEST_CASE("row 107: who follows all tasks and comes back after a restart is told of all that changed meanwhile") {
  http_node n;
  std::string last;
  {
    const auto before = listener(n);
    n.put_trip("a");
    last = events_until(*before, "changed a").back().id;
  }
  n.let_end();
  REQUIRE(has_ended(n, "a"));
  n.put_trip("b");
  REQUIRE(has_ended(n, "b"));
  n.restart();
  n.put_trip("c");
  REQUIRE(has_ended(n, "c"));
  const auto after = listener(n, "/v1/events", {{"Last-Event-ID", last}});
  const auto told = events_until(*after, "ended c");
  CHECK(words_of(told)
        == std::vector<std::string>{"gap", "ended a", "submitted b", "ended b", "submitted c", "ended c"});
  CHECK(told.front().data.at("purged") == 0);
  CHECK(told.front().data.at("is_cut") == false);
  n.put_trip("d");
  CHECK(words_of(after->next_event()) == "submitted d");
}

TEST_CASE("row 142: the end of a task that only waited is told to who follows it, and to who waits for its outcome") {
  http_node n;
  const auto all = listener(n);
  const std::string file = "name = \"nap\"\n[[step]]\nname = \"rest\"\nsleep = \"300ms\"\n";
  REQUIRE(n.ask("POST", "/v1/workflows", nlohmann::json{{"text", file}, {"who", "ann"}}.dump()).status == 200);
  const auto begun = std::chrono::steady_clock::now();
  const auto outcome = n.ask("PUT", "/v1/tasks/a?wait=60s", R"({"workflow":"nap"})");
  CHECK(outcome.json().at("process_state") == "processed");
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds{50});
  CHECK(words_of(events_until(*all, "ended a")).back() == "ended a");
}

TEST_CASE("http: the events of all tasks can be limited to workflows and to kinds of events") {
  http_node n;
  const auto ends = listener(n, "/v1/events?workflow=other&kinds=ended");
  n.put_trip("a");
  n.ask("PUT", "/v1/tasks/b", R"({"workflow":"other"})");
  n.let_end();
  CHECK(words_of(ends->next_event()) == "ended b");
  CHECK(n.get("/v1/events?kinds=begun").field() == "kinds");
  CHECK(n.get("/v1/events?colour=red").field() == "colour");
}

TEST_CASE("http: who follows tasks is woken by their changes, and costs nothing while they rest") {
  http_node n;
  n.put_trip("a");
  REQUIRE(tests::comes_true([&] { return n.get("/v1/tasks/a/state").json().at("process_state") == "processing"; }));
  std::vector<std::unique_ptr<http_listener>> followers;
  for (std::size_t i = 0; i < 20; ++i) {
    followers.push_back(listener(n, i % 2 == 1 ? "/v1/tasks/a/events" : "/v1/events"));
    if (i % 2 == 1)
      CHECK_FALSE(followers.back()->next_event().kind.empty());
  }
  const auto questions = [&] {
    const auto actors = n.get("/v1/actors?kind=gateway").json().at("actors");
    return actors.at(0).at("handled").get<std::uint64_t>();
  };
  const auto before = questions();
  // If they polled, this would be 30 at least; news of the submission may be on their way. That nothing happens cannot
  // be waited for.
  std::this_thread::sleep_for(std::chrono::seconds{3});
  CHECK(questions() - before < 20);
  n.let_end();
  for (std::size_t i = 0; i < followers.size(); ++i)
    CHECK(words_of(events_until(*followers[i], i % 2 == 1 ? "task a" : "ended a").back())
          == (i % 2 == 1 ? "task a" : "ended a"));
}

TEST_CASE("http: a stream goes on for longer than a client may take for an answer") {
  http_server_options o;
  o.write_limit = std::chrono::milliseconds{200};
  const http_node n{o};
  const auto all = listener(n);
  std::this_thread::sleep_for(3 * o.write_limit); // what must not happen cannot be waited for
  n.put_trip("a");
  CHECK(words_of(all->next_event()) == "submitted a");
}

TEST_CASE("http: many follow a task each, and see each of its changes once and in order") {
  constexpr std::size_t count = 100;
  constexpr std::size_t rounds = 3;
  http_server_options o;
  o.connections_max = 2 * count;
  const http_node n{o};
  const auto act = [&](const char* what) {
    const auto body = std::string{R"({"act":")"} + what + R"(","workflow":"trip"})";
    const auto bulk = n.ask("POST", "/v1/bulk-acts", body).json().at("bulk").dump();
    REQUIRE(tests::comes_true([&] { return n.get("/v1/bulk-acts/" + bulk).json().at("bulk").at("done") == count; }));
  };
  std::vector<std::unique_ptr<http_listener>> followers;
  std::vector<std::vector<std::uint64_t>> revisions(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto id = std::to_string(i);
    REQUIRE(n.ask("PUT", "/v1/tasks/" + id, R"({"workflow":"trip","not_before_ms":4000000000000})").status == 201);
    followers.push_back(listener(n, "/v1/tasks/" + id + "/events"));
    revisions[i].push_back(revision_of(followers[i]->next_event()));
  }
  const auto all = listener(n, "/v1/events");
  for (std::size_t r = 0; r < rounds; ++r)
    for (const auto* what : {"suspend", "resume"}) {
      act(what);
      for (std::size_t i = 0; i < count; ++i)
        revisions[i].push_back(revision_of(followers[i]->next_event()));
    }
  std::map<std::string, std::vector<std::uint64_t>> told;
  for (std::size_t i = 0; i < 2 * rounds * count; ++i) {
    const auto e = all->next_event();
    REQUIRE(e.kind == "changed");
    told[e.data.at("task").at("id")].push_back(revision_of(e));
  }
  for (std::size_t i = 0; i < count; ++i) {
    INFO(i);
    for (std::size_t k = 1; k < revisions[i].size(); ++k)
      CHECK(revisions[i][k] == revisions[i][k - 1] + 1);
    CHECK(told[std::to_string(i)] == std::vector(revisions[i].begin() + 1, revisions[i].end()));
  }
}
