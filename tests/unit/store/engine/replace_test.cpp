// Submissions with an id that is taken.

#include "store/records/record.hpp"
#include "tests/unit/store/support.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

submit_task replacing(const std::string& payload, std::int64_t seconds = 1, std::optional<std::uint8_t> priority = {}) {
  auto s = order("one", payload);
  s.conflict = workflow::on_conflict::replace;
  s.priority = priority;
  return {s, at(seconds)};
}

submit_task debounced(const std::string& payload, std::int64_t seconds) {
  auto w = replacing(payload, seconds);
  w.what.debounce = std::chrono::seconds{5};
  return w;
}

std::string payload_of(opened_store& store) {
  return std::string{store->find("one")->payload.view()};
}

std::vector<std::string> faults_now(opened_store& store) {
  return store->check().faults;
}

} // namespace

TEST_CASE("row 134: a submission takes the place of one that has not begun, as a whole") {
  opened_store store;
  REQUIRE(store.one(replacing(R"({"n":1})", 0)).created);
  const auto o = store.one(replacing(R"({"n":2})", 7, std::uint8_t{0}));
  CHECK(o.result == write_status::applied);
  CHECK_FALSE(o.created);
  CHECK(o.why == "replaced");
  const auto t = *store->find("one");
  CHECK(t.number == 1);
  CHECK(t.payload.view() == R"({"n":2})");
  CHECK(t.priority == 0);
  CHECK(t.submitted_at == at(0));
  CHECK(t.complete_by == at(7) + delivery().deadline);
  REQUIRE(t.acts.size() == 1);
  CHECK(t.acts[0].what == "replace");
  CHECK(faults_now(store).empty());
  store.reopen();
  CHECK(store->find("one") == t);
  CHECK(store.take().payload.view() == R"({"n":2})");
  CHECK(faults_now(store).empty());
}

TEST_CASE("row 134: the same replacement again changes nothing, also once the task has begun") {
  opened_store store;
  store.submit("one", R"({"n":1})");
  REQUIRE(store.one(replacing(R"({"n":2})")).why == "replaced");
  const auto t = *store->find("one");
  const auto again = store.one(replacing(R"({ "n": 2.0 })", 9));
  CHECK(again.result == write_status::applied);
  CHECK(again.why.empty());
  CHECK(store->find("one") == t);
  store.take();
  const auto late = store.one(replacing(R"({"n":2})", 10));
  CHECK(late.result == write_status::applied);
  CHECK(late.why.empty());
  CHECK(late.state == workflow::process_state::processing);
  CHECK(store.submit("one", R"({"n":2})").result == write_status::applied); // what it is now
  CHECK(store.submit("one", R"({"n":1})").result == write_status::applied); // an answer that was lost
  CHECK(store.submit("one", R"({"n":3})").result == write_status::refused);
}

TEST_CASE("row 134: what has begun is not replaced, and goes on as it was") {
  opened_store store;
  store.submit("one", R"({"n":1})");
  store.take();
  const auto before = *store->find("one");
  const auto o = store.one(replacing(R"({"n":2})"));
  CHECK(o.result == write_status::refused);
  CHECK(mentions(o.why, "`one` has begun"));
  CHECK(store->find("one") == before);
  const auto taken = store->commit({replacing(R"({"n":2})"), claim_tasks{"s1", 1, at(3)}});
  CHECK(taken[0].result == write_status::refused);
  CHECK(faults_now(store).empty());
}

TEST_CASE("row 134: a replacement and a claim in one commit are one after the other") {
  opened_store store;
  store.submit("one", R"({"n":1})");
  const auto o = store->commit({replacing(R"({"n":2})"), claim_tasks{"s1", 1, at(3)}, replacing(R"({"n":3})")});
  CHECK(o[0].result == write_status::applied);
  CHECK(o[1].as<claim_result>().tasks.at(0).payload.view() == R"({"n":2})");
  CHECK(o[2].result == write_status::refused);
  CHECK(payload_of(store) == R"({"n":2})");
}

TEST_CASE("row 134: a submission that refuses a taken id is refused, and names it") {
  opened_store store;
  auto w = replacing("{}");
  w.what.conflict = workflow::on_conflict::refuse;
  CHECK(store.one(w).created);
  const auto o = store.one(w);
  CHECK(o.result == write_status::refused);
  CHECK(mentions(o.why, "`one`"));
}

TEST_CASE("row 134: a replacement of another workflow or version is refused") {
  opened_store store;
  store.submit("one", R"({"n":1})");
  REQUIRE(store.one(register_definition{delivery(2)}).result == write_status::applied);
  auto other = replacing(R"({"n":2})");
  other.what.version = 2;
  CHECK(store.one(other).result == write_status::refused);
  other.what.version = 0; // of the version that it has
  CHECK(store.one(other).why == "replaced");
  CHECK(store->find("one")->version == 1);
}

TEST_CASE("row 134: a task that is replaced waits by its new key, and is found by its new values") {
  opened_store store;
  auto d = delivery(2);
  d.limit = workflow::limit_rule{"/customer", 1};
  d.index = {"/customer"};
  REQUIRE(store.one(register_definition{d}).result == write_status::applied);
  store.submit("zero", R"({"customer":"ada"})");
  REQUIRE(store.take().id == "zero");
  store.submit("one", R"({"customer":"ada"})");
  CHECK(store.one(claim_tasks{"s1", 1, at(1)}).tasks.empty());
  REQUIRE(store.one(replacing(R"({"customer":"bob"})", 2)).why == "replaced");
  CHECK(faults_now(store).empty());
  CHECK(store.take("s1", 3).id == "one");
  CHECK(faults_now(store).empty());
}

TEST_CASE("row 134: a task with a key that is replaced to begin now gets its place now, or waits for it") {
  opened_store store;
  auto d = delivery(2);
  d.limit = workflow::limit_rule{"/customer", 1};
  REQUIRE(store.one(register_definition{d}).result == write_status::applied);
  auto later = replacing(R"({"customer":"ada"})", 0);
  later.what.not_before = at(100);
  REQUIRE(store.one(later).created);
  store.submit("two", R"({"customer":"ada"})");
  CHECK(store.one(replacing(R"({"customer":"ada"})")).why == "replaced");
  CHECK(faults_now(store).empty());
  CHECK(store.take().id == "one"); // which was submitted first
  CHECK(store.one(claim_tasks{"s1", 1, at(2)}).tasks.empty());
  CHECK(faults_now(store).empty());
}

TEST_CASE("row 135: a task that is debounced begins in the end, with the last payload") {
  opened_store store;
  REQUIRE(store.one(debounced(R"({"n":0})", 0)).created);
  CHECK(store->find("one")->not_before == at(5));
  for (int i = 1; i < 50; ++i)
    CHECK(store.one(debounced("{\"n\":" + std::to_string(i) + "}", i)).result == write_status::applied);
  CHECK(store->find("one")->not_before == at(50));
  CHECK(store->find("one")->acts.size() == 1);
  CHECK(store.one(claim_tasks{"s1", 1, at(49)}).tasks.empty());
  const auto taken = store.take("s1", 50);
  CHECK(taken.payload.view() == R"({"n":49})");
  CHECK(faults_now(store).empty());
}

TEST_CASE("row 135: the same payload again puts a debounced task off, too") {
  opened_store store;
  store.one(debounced("{}", 0));
  CHECK(store.one(debounced("{}", 3)).why == "replaced");
  CHECK(store->find("one")->not_before == at(8));
  CHECK(store.one(claim_tasks{"s1", 1, at(7)}).tasks.empty());
  CHECK(store.take("s1", 8).id == "one");
}

TEST_CASE("row 134: a submission that replaces reaches the store of another node as it is, and others as ever") {
  const auto w = debounced(R"({"n":1})", 0);
  CHECK(decode<workflow::submission>(encode(w.what)) == w.what);
  auto usual = w.what;
  usual.conflict = workflow::on_conflict::same;
  usual.debounce = workflow::span{0};
  CHECK(decode<workflow::submission>(encode(usual)) == usual);
  CHECK(encode(usual) == encode(order("one", R"({"n":1})"))); // which older nodes read
}

TEST_CASE("a debounce needs to replace, and is bounded") {
  opened_store store;
  auto w = debounced("{}", 0);
  w.what.debounce = std::chrono::hours{25};
  CHECK(mentions(store.one(w).why, "debounce must be at most a day"));
  w = debounced("{}", 0);
  w.what.conflict = workflow::on_conflict::same;
  CHECK(mentions(store.one(w).why, "debounce means"));
}
