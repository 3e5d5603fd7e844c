// Questions that wait for a person, page by page.

#include "tests/runtime/http/http_node.hpp"
#include "tests/support/comes_true.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <string>
#include <vector>

using namespace steadfast;
using nlohmann::json;
using tests::http_node;

namespace {

constexpr const char* survey =
  "name = \"survey\"\n[[step]]\nname = \"ask\"\nagent = \"person\"\nrole = \"sales\"\nquestion = \"Well?\"\n"
  "limit = \"2h\"\n";

/// `count` tasks named by the letter and a number; they rest if they have a moment to begin.
void submit_many(const http_node& n, const char* workflow, char letter, int count, std::int64_t not_before_ms = 0) {
  constexpr int batch_max = 1000;
  for (int begun = 0; begun < count;) {
    json tasks = json::array();
    for (; begun < count && tasks.size() < batch_max; ++begun) {
      tasks.push_back({{"id", letter + std::to_string(begun)}, {"workflow", workflow}});
      if (not_before_ms != 0)
        tasks.back()["not_before_ms"] = not_before_ms;
    }
    REQUIRE(n.ask("POST", "/v1/tasks/batch", json{{"tasks", tasks}}.dump()).status == 200);
  }
}

struct pages {
  std::vector<std::string> ids;
  std::vector<std::size_t> sizes;
};

pages all_pages(const http_node& n, std::size_t max) {
  pages all;
  for (json before = 0; !before.is_null();) {
    const auto page = n.get("/v1/approvals?max=" + std::to_string(max) + "&before=" + before.dump()).json();
    for (const auto& a : page.at("approvals"))
      all.ids.push_back(a.at("id"));
    all.sizes.push_back(page.at("approvals").size());
    before = page.at("next");
  }
  return all;
}

} // namespace

TEST_CASE("questions come page by page, each once, those of the newest tasks first") {
  const http_node n;
  REQUIRE(n.ask("POST", "/v1/workflows", json{{"text", survey}}.dump()).status == 200);
  submit_many(n, "survey", 's', 7);
  REQUIRE(tests::comes_true([&] { return all_pages(n, 100).ids.size() == 7; }));
  const auto asked = all_pages(n, 3);
  CHECK(asked.ids == std::vector<std::string>{"s6", "s5", "s4", "s3", "s2", "s1", "s0"});
  CHECK(asked.sizes == std::vector<std::size_t>{3, 3, 1});
  CHECK(n.get("/v1/approvals?workflow=trip").json() == json{{"approvals", json::array()}, {"next", nullptr}});
  CHECK(n.get("/v1/approvals?workflow=survey").json().at("approvals").size() == 7);
  CHECK(n.get("/v1/approvals?role=finance").json().at("approvals").empty());
  CHECK(n.get("/v1/approvals?roles=finance,sales").json().at("approvals").size() == 7);
  CHECK(n.get("/v1/approvals?max=0").status == 400);
}

TEST_CASE("one page of questions looks at no more than so many tasks") {
  const http_node n;
  REQUIRE(n.ask("POST", "/v1/workflows", json{{"text", survey}}.dump()).status == 200);
  submit_many(n, "survey", 's', 1);
  submit_many(n, "trip", 't', 10'500, 4'000'000'000'000);
  REQUIRE(tests::comes_true([&] { return all_pages(n, 100).ids.size() == 1; }));
  CHECK(all_pages(n, 100).sizes == std::vector<std::size_t>{0, 1});
}
