#include "tests/unit/store/support.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

TEST_CASE("a submission makes a pending task with a number, and is told as created") {
  opened_store store;
  const auto o = store.submit("order-1", R"({"to":"Oslo"})");
  CHECK(o.result == write_status::applied);
  CHECK(o.created);
  CHECK(o.number == 1);
  CHECK(o.state == workflow::process_state::pending);

  const auto t = store->find("order-1");
  REQUIRE(t);
  CHECK(t->number == 1);
  CHECK(t->revision == 1);
  CHECK(t->payload.view() == R"({"to":"Oslo"})");
  CHECK(store->find(1) == t);
}

TEST_CASE("row 3: two submissions of one id in one batch are one task, told to both") {
  opened_store store;
  const auto o = store->commit({submit_task{order("same"), at(0)}, submit_task{order("same"), at(1)}});
  CHECK(o[0].as<submit_result>().created);
  CHECK_FALSE(o[1].as<submit_result>().created);
  CHECK(o[1].result == write_status::applied);
  CHECK(o[0].as<submit_result>().number == o[1].as<submit_result>().number);
  CHECK(store->list({}, {}, 10).tasks.size() == 1);
}

TEST_CASE("row 2: the same submission after a restart is the same task, with its state") {
  opened_store store;
  store.submit("order-1");
  store.take();
  store.reopen();
  const auto again = store.submit("order-1");
  CHECK(again.result == write_status::applied);
  CHECK_FALSE(again.created);
  CHECK(again.number == 1);
  CHECK(again.state == workflow::process_state::processing);
}

TEST_CASE("row 2: the same JSON in other words is the same submission, also after a restart") {
  opened_store store;
  store.submit("order-1", R"({"to":"Oslo","n":100,"door":{"a":1,"b":"\u00e9"}})");
  for (const bool is_restarted : {false, true}) {
    if (is_restarted)
      store.reopen();
    for (const auto* again :
         {R"({ "n" : 1e2, "door": {"b":"é", "a":1.0}, "to":"Oslo" })",
          "{\n \"door\": {\"a\": 1, \"b\": \"\xc3\xa9\"},\n \"n\": 100.0, \"to\": \"\\u004fslo\"}"}) {
      INFO(again);
      const auto o = store.submit("order-1", again);
      CHECK(o.result == write_status::applied);
      CHECK_FALSE(o.created);
    }
    CHECK(store.submit("order-1", R"({"to":"Oslo","n":100.0000000000000000001,"door":{"a":1,"b":"é"}})").result
          == write_status::refused);
  }
  CHECK(store->find("order-1")->payload.view() == R"({"to":"Oslo","n":100,"door":{"a":1,"b":"\u00e9"}})");
}

TEST_CASE("row 4: what is not JSON is compared byte by byte") {
  opened_store store;
  auto text = order("order-1", "[1, 2]");
  text.content_type = "text/plain";
  CHECK(store.one(submit_task{text, at(0)}).created);
  CHECK(store.one(submit_task{text, at(0)}).result == write_status::applied);
  text.payload = workflow::blob{"[1,2]"};
  CHECK(store.one(submit_task{text, at(0)}).result == write_status::refused);
  CHECK(store.submit("order-2", "{oops").created);
  CHECK(store.submit("order-2", "{oops").result == write_status::applied);
  CHECK(store.submit("order-2", "{ oops").result == write_status::refused);
}

TEST_CASE("a payload that lacks what the workflow needs is refused and makes no task") {
  opened_store store;
  auto d = delivery();
  d.version += 1;
  d.steps[1].input = {{"to", {workflow::source::kind::payload, "", "/to", ""}},
                      {"door", {workflow::source::kind::payload, "", "/door", ""}, true}};
  store.one(register_definition{d});
  const auto o = store.submit("order-1", R"({"form":"Oslo"})");
  CHECK(o.result == write_status::refused);
  CHECK(o.why
        == "payload has no value at \"/to\", which step `" + d.steps[1].name + "` needs for its input member `to`");
  CHECK_FALSE(store->find("order-1"));
  CHECK(store.submit("order-1", R"({"to":"Oslo"})").created);

  auto of_the_old = order("order-2", "{}");
  of_the_old.version = d.version - 1;
  CHECK(store.one(submit_task{of_the_old, at(0)}).created); // its own version counts
  CHECK(store->check().faults.empty());
}

TEST_CASE("a stored definition says whether an input is empty, or the whole payload") {
  opened_store store;
  auto d = delivery();
  d.version += 1;
  d.steps[0].input.clear();
  d.steps[1].input.clear();
  d.steps[1].has_empty_input = true;
  d.steps[1].compensation.emplace().agent = "undo";
  d.steps[1].compensation->has_empty_input = true;
  CHECK(store.one(register_definition{d}).result == write_status::applied);
  CHECK(*store->find_definition(d.name, d.version) == d);
  d.steps[1].has_empty_input = false;
  CHECK(store.one(register_definition{d}).result == write_status::refused);
}

TEST_CASE("row 4: the same id with another body is a key_conflict and changes nothing") {
  opened_store store;
  store.submit("order-1", "{}");
  const auto before = store->find("order-1");

  auto other_type = order("order-1");
  other_type.content_type = "text/plain";
  auto other_version = order("order-1");
  other_version.version = 1;
  for (const auto& s : {order("order-1", "[]"), other_type, other_version}) {
    const auto o = store.one(submit_task{s, at(5)});
    CHECK(o.result == write_status::refused);
    CHECK(o.why.starts_with("key_conflict"));
  }
  CHECK(store->find("order-1") == before);
  CHECK(store->counts().last_number == 1);
}

TEST_CASE("a submission that differs only in when, how urgent and who is told is the same") {
  opened_store store;
  store.submit("order-1");
  auto s = order("order-1");
  s.priority = 0;
  s.not_before = at(100);
  s.reply_to = "somebody";
  CHECK(store.one(submit_task{s, at(5)}).result == write_status::applied);
  CHECK(store->find("order-1")->priority == 5);
}

TEST_CASE("a submission that is not proper is refused with the field and the limit") {
  opened_store store;
  auto no_id = order("");
  CHECK(store.one(submit_task{no_id, at(0)}).result == write_status::refused);
  auto large = order("large", std::string((1 << 20) + 1, 'x'));
  const auto o = store.one(submit_task{large, at(0)});
  CHECK(o.result == write_status::refused);
  CHECK(o.why.find("1048576") != std::string::npos);
  CHECK(store->counts().last_number == 0);
}

TEST_CASE("a submission to an unknown workflow or version is answered as absent") {
  opened_store store;
  auto s = order("a");
  s.workflow = "nothing";
  CHECK(store.one(submit_task{s, at(0)}).result == write_status::absent);
  s = order("b");
  s.version = 2;
  CHECK(store.one(submit_task{s, at(0)}).result == write_status::absent);
}

TEST_CASE("without a version the newest definition is used, and the task keeps it") {
  opened_store store;
  store.submit("old");
  store.one(register_definition{delivery(3)});
  store.one(register_definition{delivery(2)});
  store.submit("new");
  CHECK(store->find("old")->version == 1);
  CHECK(store->find("new")->version == 3);
}

TEST_CASE("a definition that is registered between two submissions of a commit is the newest for the second one") {
  opened_store store;
  store->commit({submit_task{order("old"), at(0)}, register_definition{delivery(2)}, submit_task{order("new"), at(0)}});
  CHECK(store->find("old")->version == 1);
  CHECK(store->find("new")->version == 2);
}

TEST_CASE("an observer finds the note that its task was accepted") {
  opened_store store;
  auto s = order("order-1");
  s.reply_to = "shop";
  store.one(submit_task{s, at(7)});
  const auto found = store->notices("shop", 0, 0, 10);
  REQUIRE(found.size() == 1);
  CHECK(found[0].task_id == "order-1");
  CHECK(found[0].what.sequence == 1);
  CHECK(found[0].what.kind == workflow::notice_kind::accepted);
  CHECK(found[0].what.at == at(7));
}

TEST_CASE("a definition is kept for ever: the same again is fine, another content is refused") {
  opened_store store;
  CHECK(store.one(register_definition{delivery()}).result == write_status::applied);
  auto other = delivery();
  other.grace = workflow::span{7};
  const auto o = store.one(register_definition{other});
  CHECK(o.result == write_status::refused);
  CHECK(store->find_definition("delivery", 1) == delivery());

  auto broken = delivery(2);
  broken.steps.clear();
  CHECK(store.one(register_definition{broken}).result == write_status::refused);
  CHECK(store->definitions({}, 1000).size() == 1);
}

TEST_CASE("a definition registered in the same batch serves the submissions after it") {
  opened_store store;
  auto s = order("a");
  s.version = 2;
  const auto o = store->commit({submit_task{s, at(0)}, register_definition{delivery(2)}, submit_task{s, at(0)}});
  CHECK(o[0].result == write_status::absent);
  CHECK(o[1].as<register_result>().created);
  CHECK(o[2].as<submit_result>().created);
}
