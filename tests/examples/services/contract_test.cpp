#include "tests/examples/services/running_service.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <iostream>
#include <map>
#include <thread>

using namespace tests;
using strings = std::vector<std::string>;

namespace {

const json alice{{"customer", "alice"}};

/// A body that each service accepts.
const std::map<std::string, json> good_bodies = {
  {"account", alice},
  {"package", {{"customer", "alice"}, {"weight_kg", 2.5}}},
  {"transport", {{"from", "depot"}, {"to", "north"}}},
  {"drone", {{"package_id", "pkg-1"}, {"from", "depot"}, {"to", {{"lat", 52.5}, {"lon", 13.3}}}}},
  {"delivery", {{"customer", "alice"}, {"package_id", "pkg-1"}}},
  {"orders", {{"order_id", "o-1"}, {"customer", "alice"}, {"items", {{{"sku", "tea"}, {"quantity", 2}}}}}},
  {"payment", {{"order_id", "o-1"}, {"amount", 12.5}, {"currency", "EUR"}}},
  {"stock", {{"order_id", "o-1"}, {"items", {{{"sku", "tea"}, {"quantity", 2}}}}}},
  {"shipping", {{"order_id", "o-1"}, {"address", "1 Harbour Street"}}},
  {"screening", alice},
};

} // namespace

TEST_CASE("the first request makes the effect and a repeated one gets the same result") {
  const temp_folder data;
  const running_service account{"account", data};
  const auto first = account.perform("t1/account", alice);
  const auto again = account.perform("t1/account", alice);
  CHECK(first.status == 201);
  CHECK(first.body.at("status") == "active");
  CHECK(again.status == 200);
  CHECK(again.body == first.body);
  CHECK(account.logged() == strings{"do created", "do repeated"});
}

TEST_CASE("a key that was used with another body is refused") {
  const temp_folder data;
  const running_service account{"account", data};
  account.perform("t1/account", alice);
  const auto other = account.perform("t1/account", {{"customer", "bob"}});
  CHECK(other.status == 422);
  CHECK(other.body.at("field") == "Idempotency-Key");
  CHECK(account.logged() == strings{"do created", "do refused"});
}

TEST_CASE("the order of a body's members is no difference") {
  const temp_folder data;
  const running_service package{"package", data};
  const httplib::Headers headers{{"Idempotency-Key", "k"}};
  CHECK(package.post_plain("/create", R"({"customer": "alice", "weight_kg": 1})", headers).status == 201);
  CHECK(package.post_plain("/create", R"({"weight_kg":1,"customer":"alice"})", headers).status == 200);
}

TEST_CASE("an undo reverses the effect, and a do after it is refused") {
  const temp_folder data;
  const running_service package{"package", data};
  const auto& body = good_bodies.at("package");
  CHECK(package.perform("t1/p", body).status == 201);
  CHECK(package.undo("t1/p").status == 200);
  CHECK(package.undo("t1/p").status == 200);
  CHECK(package.perform("t1/p", body).status == 409);
  CHECK(package.logged() == strings{"do created", "undo undone", "undo undo_repeated", "do refused"});
}

TEST_CASE("an undo of what never happened is harmless and keeps it from happening") {
  const temp_folder data;
  const running_service package{"package", data};
  CHECK(package.undo("t1/p").status == 200);
  CHECK(package.perform("t1/p", good_bodies.at("package")).status == 409);
  CHECK(package.logged() == strings{"undo undo_of_nothing", "do refused"});
}

TEST_CASE("a probe tells whether the effect is in place") {
  const temp_folder data;
  const running_service package{"package", data};
  const auto no = package.probe("t1/p");
  CHECK(no.status == 404);
  CHECK(no.body.at("happened") == false);
  const auto made = package.perform("t1/p", good_bodies.at("package"));
  const auto yes = package.probe("t1/p");
  CHECK(yes.status == 200);
  CHECK(yes.body == made.body);
  package.undo("t1/p");
  CHECK(package.probe("t1/p").status == 404);
  CHECK(package.logged()
        == strings{"probe probe_no", "do created", "probe probe_yes", "undo undone", "probe probe_no"});
}

TEST_CASE("undo and probe find the effect by their own key when no other is named") {
  const temp_folder data;
  const running_service account{"account", data};
  account.perform("t1/a", alice);
  CHECK(account.post_plain("/probe", "", {{"Idempotency-Key", "t1/a/probe"}}).status == 200);
  CHECK(account.post_plain("/undo", "", {{"Idempotency-Key", "t1/a/undo"}}).status == 200);
  CHECK(account.probe("t1/a").status == 404);
  CHECK(account.post_plain("/undo", "", {{"Idempotency-Key", "t1/a"}}).status == 400);
}

TEST_CASE("a request that cannot be understood is answered 400 and leaves no line") {
  const temp_folder data;
  const running_service account{"account", data};
  CHECK(account.post_plain("/check", alice.dump()).status == 400);
  CHECK(account.post_plain("/check", "[1", {{"Idempotency-Key", "k"}}).status == 400);
  CHECK(account.post_plain("/check", "[]", {{"Idempotency-Key", "k"}}).status == 400);
  CHECK(account.post_plain("/check", "{}", {{"Idempotency-Key", "k"}, {"Steadfast-Epoch", "one"}}).status == 400);
  CHECK(account.post_plain("/schedule", "{}", {{"Idempotency-Key", "k"}}).status == 404);
  CHECK(account.logged().empty());
}

TEST_CASE("every service accepts what is good and names the field of what is not") {
  for (const auto& [name, good] : good_bodies) {
    INFO("service " << name);
    const temp_folder data;
    const running_service service{name, data};
    CHECK(service.perform("good", good).status == 201);
    for (const auto& [field, value] : good.items()) {
      auto bad = good;
      bad[field] = json::array();
      const auto refused = service.perform("bad/" + field, bad);
      CHECK(refused.status == 422);
      CHECK(refused.body.at("field") == field);
      CHECK(refused.body.at("error").get<std::string>().find("`" + field + "`") != std::string::npos);
      CHECK(service.probe("bad/" + field).status == 404);
    }
  }
}

TEST_CASE("unknown and suspended customers, sold-out goods and far places are refused") {
  const temp_folder data;
  const running_service account{"account", data};
  const running_service stock{"stock", data};
  const running_service drone{"drone", data};
  CHECK(account.perform("a", {{"customer", "unknown-7"}}).status == 422);
  CHECK(account.perform("b", {{"customer", "suspended-7"}}).status == 422);
  CHECK(stock.perform("c", {{"order_id", "o"}, {"items", {{{"sku", "sold-out-tea"}, {"quantity", 1}}}}}).status == 422);
  CHECK(drone.perform("d", {{"package_id", "p"}, {"from", "depot"}, {"to", "island"}}).status == 422);
}

TEST_CASE("a third-party carrier is needed where no drone flies") {
  const temp_folder data;
  const running_service transport{"transport", data};
  CHECK(transport.perform("near", {{"from", "depot"}, {"to", "west"}}).body["third_party"] == false);
  CHECK(transport.perform("far", {{"from", "north"}, {"to", "airport"}}).body["third_party"] == true);
  const json munich{{"lat", 48.14}, {"lon", 11.58}};
  const auto far = transport.perform("munich", {{"from", "depot"}, {"to", munich}});
  CHECK(far.body.at("third_party") == true);
  CHECK(far.body.at("distance_km").get<double>() == Approx(504).margin(3));
}

TEST_CASE("a line says who asked for what") {
  const temp_folder data;
  const running_service account{"account", data};
  account.perform("t1/a", alice);
  account.undo("t1/a");
  const auto lines = account.log_lines();
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].at("seq") == 1);
  CHECK(lines[0].at("service") == "account");
  CHECK(lines[0].at("key") == "t1/a");
  CHECK(lines[0].at("reverses") == "");
  CHECK(lines[0].at("task") == "t1");
  CHECK(lines[0].at("step") == "step");
  CHECK(lines[0].at("epoch") == 7);
  CHECK(lines[0].at("attempt") == 1);
  CHECK(lines[0].at("try") == 1);
  CHECK(lines[1].at("seq") == 2);
  CHECK(lines[1].at("key") == "t1/a/undo");
  CHECK(lines[1].at("reverses") == "t1/a");
  CHECK(lines[1].at("args") != lines[0].at("args"));
  CHECK(lines[1].at("steady_ns").get<std::int64_t>() > lines[0].at("steady_ns").get<std::int64_t>());
}

TEST_CASE("a service that takes several calls under one key says when it has finished") {
  const temp_folder data;
  const running_service screening{"screening", data};
  const auto body = json{{"customer", "alice"}, {"mark", "first"}};
  auto answered = screening.perform("t1/s", body);
  auto left = answered.body.at("calls_left").get<int>();
  REQUIRE(left < 5);
  for (; left > 0; --left) {
    CHECK(answered.body.at("state") == "running");
    answered = screening.perform("t1/s", body);
    CHECK(answered.body.at("calls_left") == left - 1);
  }
  CHECK(answered.body.at("state") == "done");
  CHECK(screening.perform("t1/s", body).body == answered.body);
  const auto lines = screening.log_lines();
  for (const auto& line : lines) {
    CHECK(line.at("mark") == "first");
    CHECK(line.at("finished") == (&line >= &lines.back() - 1));
  }
  CHECK(lines.front().at("result") == "created");
  CHECK(lines.back().at("result") == "repeated");
}

TEST_CASE("of many requests at once under one key a single one makes the effect") {
  const temp_folder data;
  const running_service account{"account", data};
  std::atomic<int> made = 0;
  std::atomic<int> repeated = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 16; ++i)
    callers.emplace_back([&] {
      const auto status = account.perform("t1/a", alice).status;
      made += status == 201;
      repeated += status == 200;
    });
  for (auto& c : callers)
    c.join();
  CHECK(made == 1);
  CHECK(repeated == 15);
}

TEST_CASE("how many requests a service takes is printed") {
  const temp_folder data;
  const running_service account{"account", data};
  constexpr int callers_count = 16;
  constexpr int calls_each = 50;
  const auto begin = std::chrono::steady_clock::now();
  std::atomic<int> made = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < callers_count; ++i)
    callers.emplace_back([&, i] {
      for (int n = 0; n < calls_each; ++n)
        made += account.perform("t" + std::to_string(i) + "/" + std::to_string(n), alice).status == 201;
    });
  for (auto& c : callers)
    c.join();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  CHECK(made == callers_count * calls_each);
  std::cout << "example_service: " << made / took.count() << " effects per second over new connections\n";
}
