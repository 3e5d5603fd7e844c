#include "tests/examples/services/running_service.hpp"

#include "examples/services/front/faults.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <thread>

using namespace tests;
using namespace std::chrono_literals;
using strings = std::vector<std::string>;

namespace {

json alice_with(const std::string& field, const json& wish) {
  return {{"customer", "alice"}, {field, wish}};
}

const json plain_alice{{"customer", "alice"}};

services::call call_of(const std::string& key, std::uint64_t attempt = 1) {
  services::call c;
  c.key = key;
  c.attempt = attempt;
  return c;
}

} // namespace

TEST_CASE("a transient fault comes before the effect and says when to try again") {
  const temp_folder data;
  const running_service account{"account", data, {"--retry-after-seconds", "2"}};
  const auto body = alice_with("fault", "transient:2");
  const auto first = account.perform("t1/a", body);
  CHECK(first.status == 503);
  CHECK(first.retry_after == "2");
  CHECK(account.perform("t1/a", body).status == 503);
  CHECK(account.perform("t1/a", body).status == 201);
  CHECK(account.logged() == strings{"do failed", "do failed", "do created"});
}

TEST_CASE("an error after the effect leaves the effect in place") {
  const temp_folder data;
  const running_service account{"account", data};
  const auto body = alice_with("fault", "error_after:1");
  CHECK(account.perform("t1/a", body).status == 500);
  CHECK(account.probe("t1/a").status == 200);
  CHECK(account.perform("t1/a", body).status == 200);
  CHECK(account.logged() == strings{"do created", "do failed_after_effect", "probe probe_yes", "do repeated"});
}

TEST_CASE("a step with a token is carried out, answered 202, and the token written down") {
  const temp_folder data;
  const running_service account{"account", data, {"--later", "1"}};
  const auto body = plain_alice.dump();
  httplib::Headers headers{{"Idempotency-Key", "t1/a"}, {"Steadfast-Task", "t1"}, {"Steadfast-Attempt", "2"}};
  CHECK(account.post_plain("/check", body, headers).status == 201); // nobody could end it later
  headers.emplace("Steadfast-Token", "secret");
  CHECK(account.post_plain("/check", body, headers).status == 202);
  CHECK(account.logged() == strings{"do created", "do repeated"});
  CHECK_FALSE(account.log_lines()[0].contains("later"));
  CHECK(account.log_lines()[1].at("later") == true);
  std::ifstream tokens{data.path() / "account.tokens.jsonl"};
  CHECK(json::parse(tokens) == json{{"task", "t1"}, {"step", ""}, {"attempt", 2}, {"token", "secret"}});
}

TEST_CASE("a do that was held and wakes after its undo is refused") {
  const temp_folder data;
  const running_service account{"account", data, {"--hang-seconds", "3"}};
  request slow;
  slow.key = "t1/a";
  slow.body = alice_with("fault", "hang_before");
  CHECK(account.post("/check", slow, 100ms).status == 0);
  CHECK(account.undo("t1/a").status == 200);
  CHECK(comes_true([&] { return account.logged().size() == 2; }));
  CHECK(account.logged() == strings{"undo undo_of_nothing", "do refused"});
}

TEST_CASE("a request held after its effect is answered at last") {
  const temp_folder data;
  const running_service account{"account", data, {"--hang-seconds", "0.3"}};
  const auto begin = std::chrono::steady_clock::now();
  CHECK(account.perform("t1/a", alice_with("fault", "hang_after")).status == 201);
  CHECK(std::chrono::steady_clock::now() - begin >= 300ms);
}

TEST_CASE("a lost request is carried out when its connection is gone, before its attempt and the grace are over") {
  const temp_folder data;
  const running_service account{"account", data};
  request lost;
  lost.key = "t1/a";
  lost.body = alice_with("fault", "lose");
  lost.time_left_ms = 1000;
  const auto begin = std::chrono::steady_clock::now();
  CHECK(account.post("/check", lost).status == 0);
  const auto heard = std::chrono::steady_clock::now() - begin;
  CHECK(comes_true([&] { return account.logged() == strings{"do created"}; }));
  CHECK(heard < patience);
}

TEST_CASE("a held request may end with a closed connection") {
  const temp_folder data;
  const running_service account{"account", data, {"--hang-seconds", "0.1", "--hang-then-close", "on"}};
  CHECK(account.perform("t1/a", alice_with("fault", "hang_before")).status == 0);
  CHECK(account.perform("t2/a", alice_with("fault", "hang_after")).status == 0);
  CHECK(account.probe("t1/a").status == 404);
  CHECK(account.probe("t2/a").status == 200);
  CHECK(account.logged("t1/a") == strings{"do failed", "probe probe_no"});
}

TEST_CASE("a late answer takes its time, after the effect") {
  const temp_folder data;
  const running_service account{"account", data, {"--late-min-ms", "250", "--late-max-ms", "300"}};
  const auto begin = std::chrono::steady_clock::now();
  CHECK(account.perform("t1/a", alice_with("fault", "late")).status == 201);
  CHECK(std::chrono::steady_clock::now() - begin >= 250ms);
}

TEST_CASE("a request that arrives twice makes one effect") {
  const temp_folder data;
  const running_service account{"account", data};
  CHECK(account.perform("t1/a", alice_with("fault", "twice")).status == 200);
  CHECK(account.logged() == strings{"do created", "do repeated"});
}

TEST_CASE("a refusal is for good and makes nothing") {
  const temp_folder data;
  const running_service account{"account", data};
  CHECK(account.perform("t1/a", alice_with("fault", "refuse")).status == 422);
  CHECK(account.probe("t1/a").status == 404);
}

TEST_CASE("what was created is not refused afterwards") {
  const temp_folder data;
  const running_service account{"account", data};
  CHECK(account.perform("t1/a", plain_alice).status == 201);
  CHECK(account.post_plain("/faults", R"({"refuse": 1})").status == 200);
  CHECK(account.perform("t1/a", plain_alice).status == 200);
  CHECK(account.perform("t2/a", plain_alice).status == 422);
}

TEST_CASE("the body of a do says what is to happen to its undo and its probe") {
  const temp_folder data;
  const running_service account{"account", data};
  auto body = alice_with("undo_fault", "transient:1");
  body["probe_fault"] = "transient:1";
  CHECK(account.perform("t1/a", body).status == 201);
  CHECK(account.probe("t1/a").status == 503);
  CHECK(account.probe("t1/a").status == 200);
  CHECK(account.undo("t1/a").status == 503);
  CHECK(account.undo("t1/a").status == 200);
  CHECK(account.undo("t2/a", {{"fault", "refuse"}}).status == 422);
}

TEST_CASE("several faults can be asked for at once") {
  const temp_folder data;
  const running_service account{"account", data};
  CHECK(account.perform("t1/a", alice_with("fault", {"twice", "error_after"})).status == 500);
  CHECK(account.logged() == strings{"do created", "do repeated", "do failed_after_effect"});
}

TEST_CASE("a service that ignores the key makes the effect again, even after its undo") {
  const temp_folder data;
  const running_service account{"account", data, {"--dedup", "off"}};
  CHECK(account.perform("t1/a", plain_alice).status == 201);
  CHECK(account.perform("t1/a", plain_alice).status == 201);
  CHECK(account.undo("t1/a").status == 200);
  CHECK(account.perform("t1/a", plain_alice).status == 201);
  CHECK(account.logged() == strings{"do created", "do created", "undo undone", "do created"});
}

TEST_CASE("switches are shown and changed while the service runs, all or none") {
  const temp_folder data;
  const running_service account{"account", data, {"--transient", "0.25"}};
  CHECK(account.get("/faults").body["transient"] == 0.25);
  CHECK(account.post_plain("/faults", R"({"transient": 1, "on_undo": false})").status == 200);
  CHECK(account.perform("t1/a", plain_alice).status == 503);
  CHECK(account.undo("t1/a").status == 200);
  const auto unknown = account.post_plain("/faults", R"({"transient": 0, "trnsient": 0})");
  CHECK(unknown.status == 422);
  CHECK(unknown.body.at("error") == "there is no switch `trnsient`");
  CHECK(account.post_plain("/faults", R"({"transient": 1.5})").status == 422);
  CHECK(account.post_plain("/faults", R"({"late_min_ms": 5000})").status == 422);
  CHECK(account.post_plain("/faults", "no JSON").status == 422);
  CHECK(account.get("/faults").body["transient"] == 1);
}

TEST_CASE("requests that hang do not keep others from being served") {
  const temp_folder data;
  running_service account{"account", data, {"--hang-seconds", "60"}};
  std::vector<std::thread> hanging;
  for (int i = 0; i < 40; ++i)
    hanging.emplace_back([&, i] {
      request r;
      r.key = "hang-" + std::to_string(i) + "/a";
      r.body = alice_with("fault", "hang_before");
      account.post("/check", r);
    });
  CHECK(comes_true([&] { return account.get("/stats").body.value("held", 0) == 40; }));
  CHECK(account.perform("t1/a", plain_alice).status == 201);
  CHECK(account.terminate() == 0);
  for (auto& h : hanging)
    h.join();
}

TEST_CASE("the same seed gives the same fates, whatever the order of requests") {
  services::fault_switches f;
  f.transient = f.hang_before = f.refuse = 0.5;
  const services::fault_box one{f, 7};
  const services::fault_box other{f, 7};
  const services::fault_box third{f, 8};
  int differences = 0;
  for (int i = 0; i < 100; ++i) {
    const auto forward = call_of("k" + std::to_string(i));
    const auto backward = call_of("k" + std::to_string(99 - i));
    CHECK(one.draw(forward, 0) == other.draw(forward, 0));
    other.draw(backward, 0);
    differences += one.draw(forward, 0) != third.draw(forward, 0);
  }
  CHECK(differences > 20);
}

TEST_CASE("shares are met, and a refusal holds for all tries of a key") {
  services::fault_switches f;
  f.transient = f.refuse = 0.2;
  const services::fault_box box{f, 1};
  int transient = 0;
  int refused = 0;
  for (int i = 0; i < 5000; ++i) {
    const auto key = "k" + std::to_string(i);
    const auto first = box.draw(call_of(key), 0);
    CHECK(first.refuse == box.draw(call_of(key, 2), 1).refuse);
    transient += first.transient;
    refused += first.refuse;
  }
  CHECK(transient == Approx(1000).margin(120));
  CHECK(refused == Approx(1000).margin(120));
}
