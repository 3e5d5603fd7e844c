#include "tests/examples/checker/story.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

using namespace tests;
using rules = std::set<std::string>;

namespace {

json act() {
  return {{"at", "2026-01-31T12:00:20.000Z"}, {"who", "ann"}, {"what", "retry"}, {"why", ""}};
}

json client(const std::string& op, const std::string& task, const json& outcome = nullptr) {
  return {{"op", op}, {"task", task}, {"workflow", "w"}, {"outcome", outcome}};
}

void forget_outcomes(story& s) {
  std::erase_if(s.clients, [](const json& c) { return c.contains("outcome") && !c["outcome"].is_null(); });
}

} // namespace

TEST_CASE("a clean history breaks no rule, and every rule looked at something") {
  const auto found = check(clean_story());
  for (const auto& f : found) {
    INFO("rule " << f.name << (f.examples.empty() ? "" : ": " + f.examples[0]));
    CHECK(f.violations == 0);
    CHECK(f.checked > 0);
    CHECK(f.not_checked.empty());
  }
}

TEST_CASE("E1: an acknowledged task that the store lost") {
  auto s = clean_story();
  s.clients.push_back(client("invoke", "lost"));
  s.clients.push_back(client("info", "lost"));
  CHECK(broken_rules(s).empty());
  s.clients.push_back(client("ok", "lost"));
  CHECK(broken_rules(s) == rules{"E1"});
}

TEST_CASE("E1: a task without an outcome, unless that is allowed") {
  auto s = clean_story();
  forget_outcomes(s);
  s.task("good")["process_state"] = "processing";
  CHECK(broken_rules(s) == rules{"E1"});
  s.settings.allow_open = true;
  CHECK(broken_rules(s).empty());
}

TEST_CASE("E1: a client was told another outcome, unless a person changed it") {
  auto s = clean_story();
  s.clients.push_back(client("ok", "bad", "processed"));
  CHECK(broken_rules(s) == rules{"E1"});
  s.task("bad")["acts"] = json::array({act()});
  CHECK(broken_rules(s).empty());
}

TEST_CASE("E1: a client was told of an error that is over, because an act on a child reopened the task") {
  auto s = clean_story();
  s.clients.push_back(client("ok", "bad", "error"));
  CHECK(broken_rules(s) == rules{"E1"});
  s.task("bad")["generation"] = 2;
  CHECK(broken_rules(s).empty());
  s.clients.push_back(client("ok", "bad", "processed"));
  CHECK(broken_rules(s) == rules{"E1"});
}

TEST_CASE("E1: a task that is in the store twice") {
  auto s = clean_story();
  s.tasks.push_back(s.task("good"));
  CHECK(broken_rules(s) == rules{"E1"});
}

TEST_CASE("E2: a task that nobody submitted") {
  auto s = clean_story();
  std::erase_if(s.clients, [](const json& c) { return c.value("task", "") == "good"; });
  CHECK(broken_rules(s) == rules{"E2"});
  s.with_clients = false;
  CHECK(broken_rules(s).empty());
  CHECK_FALSE(check(s)[1].not_checked.empty());
}

TEST_CASE("E2: a task whose every submission was refused") {
  auto s = clean_story();
  std::erase_if(s.clients, [](const json& c) { return c.value("task", "") == "good"; });
  s.clients.push_back(client("invoke", "good"));
  s.clients.push_back(client("fail", "good"));
  CHECK(broken_rules(s) == rules{"E2"});
  s.clients.push_back(client("invoke", "good"));
  s.clients.push_back(client("info", "good"));
  CHECK(broken_rules(s).empty());
}

TEST_CASE("E3: two effects under one key") {
  auto s = clean_story();
  s.repeat("good/a", "created");
  CHECK(broken_rules(s) == rules{"E3"});
}

TEST_CASE("E3: one effect undone twice") {
  auto s = clean_story();
  s.repeat("bad/a/undo", "undone");
  CHECK(broken_rules(s) == rules{"E3"});
}

TEST_CASE("E4: a completed step of a processed task has no effect") {
  auto s = clean_story();
  s.remove("good/d");
  CHECK(broken_rules(s) == rules{"E4"});
  s.settings.unlogged = {"elsewhere"};
  CHECK(broken_rules(s) == rules{"E4"});
  s.step("good", "d")["agent"] = "elsewhere";
  CHECK(broken_rules(s).empty());
}

TEST_CASE("E4: a repetition alone is no effect") {
  auto s = clean_story();
  s.line("good/b", "created")["result"] = "failed_after_effect";
  CHECK(broken_rules(s) == rules{"E4"});
}

TEST_CASE("E4: a processed task with a step that did not complete") {
  auto s = clean_story();
  s.step("good", "d")["state"] = "unknown";
  CHECK(broken_rules(s) == rules{"E4"});
}

TEST_CASE("E5: an undone task with an effect that was not undone") {
  auto s = clean_story();
  s.line("bad/a/undo", "undone")["result"] = "failed";
  CHECK(broken_rules(s) == rules{"E5"});
}

TEST_CASE("E5: an effect of a step that the store believes failed") {
  auto s = clean_story();
  s.line("bad/c", "refused")["result"] = "created";
  CHECK(broken_rules(s) == rules{"E5"});
}

TEST_CASE("E5: an effect that comes after its undo") {
  auto s = clean_story();
  s.move_to_back("bad/b");
  CHECK(broken_rules(s) == rules{"E5"});
  s.task("bad")["process_state"] = "error";
  forget_outcomes(s);
  s.alerts.push_back({{"task", "bad"}});
  CHECK(broken_rules(s) == rules{"E5"});
}

TEST_CASE("E5: a step whose outcome nobody knows must be undone too") {
  auto s = clean_story();
  s.step("bad", "b")["state"] = "unknown";
  CHECK(broken_rules(s) == rules{"E5"});
}

TEST_CASE("E5: a compensated step without an undo, unless a person skipped it") {
  auto s = clean_story();
  s.remove("bad/b");
  s.remove("bad/b/undo");
  CHECK(broken_rules(s) == rules{"E5"});
  s.task("bad")["acts"] = json::array({act()});
  CHECK(broken_rules(s).empty());
}

TEST_CASE("E5: a read-only step needs no undo") {
  auto s = clean_story();
  s.step("bad", "d")["compensation"] = true;
  CHECK(broken_rules(s) == rules{"E5"});
}

TEST_CASE("E6: the store tells of an attempt after the completion") {
  auto s = clean_story();
  auto& a = s.step("good", "a");
  a["log"].push_back(a["log"][0]);
  a["log"][1]["attempt"] = 2;
  a["log"][1]["ended_at"] = "2026-01-31T12:00:03.000Z";
  a["attempt"] = 2;
  CHECK(broken_rules(s) == rules{"E6"});
}

TEST_CASE("E6: a service saw an attempt after the completion") {
  auto s = clean_story();
  s.repeat("good/a", "created")["result"] = "repeated";
  CHECK(broken_rules(s).empty());
  s.line("good/a", "repeated")["attempt"] = 2;
  s.step("good", "a")["attempt"] = 2;
  CHECK(broken_rules(s) == rules{"E6"});
}

TEST_CASE("E6: a step that a probe completed") {
  auto s = clean_story();
  s.repeat("bad/b", "created")["result"] = "repeated";
  CHECK(broken_rules(s).empty());
  s.line("bad/b", "repeated")["attempt"] = 4;
  s.step("bad", "b")["attempt"] = 4;
  CHECK(broken_rules(s) == rules{"E6"});
}

TEST_CASE("E6: a probe that found nothing, and the attempt after it, in the millisecond of the completion") {
  auto s = clean_story();
  auto& a = s.step("good", "a");
  const auto completed = a["completed_at"];
  auto probe = a["log"][0];
  probe["action"] = "probe";
  probe["ended_at"] = completed;
  a["log"][0]["attempt"] = 2;
  a["log"][0]["ended_at"] = completed;
  a["log"].insert(a["log"].begin(), probe);
  a["attempt"] = 2;
  s.line("good/a", "created")["attempt"] = 2;
  s.effects.insert(s.effects.begin(), effect_line("good", "a", "probe", "probe_no", 1));
  CHECK(broken_rules(s).empty());
  s.effects.front()["result"] = "probe_yes";
  CHECK(broken_rules(s).contains("E6"));
}

TEST_CASE("E7: a step that was sent before the steps before it were done") {
  auto s = clean_story();
  s.move_to_front("good/d");
  CHECK(broken_rules(s) == rules{"E7"});
}

TEST_CASE("E7: a step behind one that a person skipped and that is undone since, for it may have acted") {
  auto s = clean_story();
  s.move_to_front("good/d");
  s.task("good")["acts"] = json::array({act()});
  CHECK(broken_rules(s) == rules{"E7"});
  for (const auto* before : {"a", "b", "c"})
    s.step("good", before)["completed_at"] = nullptr;
  CHECK(broken_rules(s).empty());
}

TEST_CASE("E7: an undo that came before the undo of a later step, unless an undo failed for good") {
  auto s = clean_story();
  s.move_to_back("bad/b/undo");
  CHECK(broken_rules(s) == rules{"E7"});
  s.alerts.push_back({{"task", "bad"}});
  CHECK(broken_rules(s).empty());
}

TEST_CASE("E7: the store's times stand in for the log of an unlogged service") {
  auto s = clean_story();
  s.settings.unlogged = {"elsewhere"};
  s.step("good", "a")["agent"] = "elsewhere";
  s.remove("good/a");
  CHECK(broken_rules(s).empty());
  s.step("good", "a")["completed_at"] = "2026-01-31T12:00:03.500Z";
  CHECK(broken_rules(s) == rules{"E7"});
}

TEST_CASE("E8: more attempts than the limit, a person's acts apart") {
  auto s = clean_story();
  s.step("good", "b")["attempts_limit"] = 1;
  CHECK(broken_rules(s) == rules{"E8"});
  s.task("good")["acts"] = json::array({act()});
  CHECK(broken_rules(s).empty());
}

TEST_CASE("E8: the services' count stands although the store tells of no attempt, unless they gave way there") {
  auto s = clean_story();
  s.step("good", "b")["attempts_limit"] = 1;
  s.step("good", "b")["log"] = json::array();
  CHECK(broken_rules(s) == rules{"E8"});
  s.step("good", "b")["log_dropped"] = 2;
  CHECK(broken_rules(s).empty());
}

TEST_CASE("E8: attempts that were declined or stopped use up nothing") {
  const auto outcome = GENERATE("declined", "stopped");
  auto s = clean_story();
  s.step("good", "b")["attempts_limit"] = 1;
  s.step("good", "b")["log"][0]["outcome"] = outcome;
  CHECK(broken_rules(s).empty());
}

TEST_CASE("E9: an epoch that falls in the store") {
  auto s = clean_story();
  s.step("good", "b")["log"][0]["epoch"] = 5;
  CHECK(broken_rules(s) == rules{"E9"});
}

TEST_CASE("E9: an epoch that falls in the effect logs") {
  auto s = clean_story();
  s.line("good/b", "created")["epoch"] = 2;
  CHECK(broken_rules(s) == rules{"E9"});
}

TEST_CASE("E9: an undo under an older epoch than the do") {
  auto s = clean_story();
  s.line("bad/b/undo", "undone")["epoch"] = 2;
  CHECK(broken_rules(s) == rules{"E9"});
}

TEST_CASE("E10: tries of a step under two keys, unless a person asked for a new one") {
  auto s = clean_story();
  s.line("good/b", "created")["key"] = "good/b#2";
  s.line("good/b", "repeated")["key"] = "good/b#2";
  CHECK(broken_rules(s) == rules{"E10"});
  s.task("good")["acts"] = json::array({act()});
  CHECK(broken_rules(s).empty());
}

TEST_CASE("E10: one key for two steps") {
  auto s = clean_story();
  s.line("bad/c", "refused")["key"] = "bad/d";
  CHECK(broken_rules(s) == rules{"E10"});
}

TEST_CASE("E10: one key for a do and its undo") {
  auto s = clean_story();
  s.line("stuck/a/undo", "failed")["key"] = "stuck/a";
  CHECK(broken_rules(s) == rules{"E10"});
}

TEST_CASE("E10: two keys for one undo") {
  auto s = clean_story();
  s.line("bad/a/undo", "failed")["key"] = "bad/a/undo-again";
  CHECK(broken_rules(s) == rules{"E10"});
}

TEST_CASE("E10: an undo of a key that no try carried") {
  auto s = clean_story();
  s.line("stuck/a/undo", "failed")["reverses"] = "stuck/b";
  CHECK(broken_rules(s) == rules{"E10"});
}

TEST_CASE("E11: a task in error without an alert") {
  auto s = clean_story();
  s.alerts.clear();
  s.alerts.push_back({{"task", "good"}});
  CHECK(broken_rules(s) == rules{"E11"});
  s.with_alerts = false;
  CHECK(broken_rules(s).empty());
  CHECK_FALSE(check(s)[10].not_checked.empty());
}

TEST_CASE("E12: an effect of a task that the store does not have") {
  auto s = clean_story();
  s.effects.push_back(effect_line("ghost", "a", "do", "failed", 1));
  CHECK(broken_rules(s) == rules{"E12"});
}

TEST_CASE("E12: an effect of a step that the task does not have") {
  auto s = clean_story();
  s.effects.push_back(effect_line("good", "e", "do", "failed", 1));
  CHECK(broken_rules(s) == rules{"E12"});
}

TEST_CASE("E12: an attempt that the store never made") {
  const auto attempt = GENERATE(0, 2);
  auto s = clean_story();
  s.line("bad/c", "refused")["attempt"] = attempt;
  CHECK(broken_rules(s) == rules{"E12"});
}

TEST_CASE("E12: an attempt that was for something else") {
  auto s = clean_story();
  s.line("bad/b/probe", "probe_yes")["attempt"] = 1;
  CHECK(broken_rules(s) == rules{"E12"});
}

TEST_CASE("E12: an attempt under an epoch that the store never had") {
  auto s = clean_story();
  s.line("good/d", "created")["epoch"] = 4;
  CHECK(broken_rules(s) == rules{"E12"});
}

namespace {

json call(int number, const std::string& op, const std::string& task, json more = json::object()) {
  more["op"] = op;
  more["task"] = task;
  more["call"] = number;
  return more;
}

} // namespace

TEST_CASE("E13: an id that was made twice") {
  auto s = clean_story();
  s.clients.push_back(call(71, "invoke", "good", {{"body", "a"}}));
  s.clients.push_back(call(72, "invoke", "good", {{"body", "a"}}));
  s.clients.push_back(call(71, "ok", "good", {{"told", "there"}}));
  CHECK(broken_rules(s).empty()); // the other one made it
  s.clients.push_back(call(72, "ok", "good", {{"told", "there"}}));
  CHECK(broken_rules(s) == rules{"E13"}); // so nobody did
  s.clients.back()["told"] = "created";
  CHECK(broken_rules(s).empty());
  s.clients.push_back(call(73, "invoke", "good", {{"body", "a"}}));
  s.clients.push_back(call(73, "ok", "good", {{"told", "created"}}));
  CHECK(broken_rules(s) == rules{"E13"});
}

TEST_CASE("E13: a look after the acknowledgement that finds nothing, or less than one before") {
  auto s = clean_story();
  s.clients.push_back(call(71, "look", "good"));
  s.clients.push_back(call(72, "invoke", "good", {{"body", "a"}}));
  s.clients.push_back(call(72, "ok", "good", {{"told", "created"}}));
  s.clients.push_back(call(71, "saw", "good", {{"told", "absent"}})); // it began before
  s.clients.push_back(call(73, "look", "good"));
  s.clients.push_back(call(73, "saw", "good", {{"told", "found"}, {"revision", 4}}));
  s.clients.push_back(call(74, "look", "good"));
  s.clients.push_back(call(74, "saw", "good")); // without an answer
  CHECK(broken_rules(s).empty());

  s.clients.push_back(call(75, "look", "good"));
  s.clients.push_back(call(75, "saw", "good", {{"told", "found"}, {"revision", 3}}));
  CHECK(broken_rules(s) == rules{"E13"});
  s.clients.back()["revision"] = 4;
  CHECK(broken_rules(s).empty());
  s.clients.back()["told"] = "absent";
  CHECK(broken_rules(s) == rules{"E13"});
}

TEST_CASE("E13: another body is a conflict with one that may have been there, and with no other") {
  auto s = clean_story();
  s.clients.push_back(call(71, "invoke", "good", {{"body", "a"}}));
  s.clients.push_back(call(71, "info", "good", {{"told", "none"}}));
  s.clients.push_back(call(72, "invoke", "good", {{"body", "b"}}));
  s.clients.push_back(call(72, "fail", "good", {{"told", "conflict"}}));
  CHECK(broken_rules(s).empty()); // the first one came after all
  s.clients[s.clients.size() - 2]["body"] = "a";
  CHECK(broken_rules(s) == rules{"E13"});
}

TEST_CASE("E13: a lease that goes back to an earlier holder, or has two under one epoch") {
  auto s = clean_story();
  const auto saw = [&](int number, const std::string& holder, int epoch) {
    s.clients.push_back({{"call", number}, {"op", "look"}, {"lease", "supervisor"}});
    s.clients.push_back({{"call", number},
                         {"op", "saw"},
                         {"lease", "supervisor"},
                         {"told", "lease"},
                         {"holder", holder},
                         {"epoch", epoch}});
  };
  saw(71, "a:1", 1);
  saw(72, "", 1);
  saw(73, "b:1", 2);
  s.clients.push_back({{"call", 74}, {"op", "look"}, {"lease", "supervisor"}});
  s.clients.push_back({{"call", 74}, {"op", "saw"}, {"lease", "supervisor"}}); // without an answer
  CHECK(broken_rules(s).empty());
  saw(75, "a:1", 1);
  CHECK(broken_rules(s) == rules{"E13"});
  s.clients.back()["epoch"] = 2;
  CHECK(broken_rules(s) == rules{"E13"});
  s.clients.back()["holder"] = "b:1";
  CHECK(broken_rules(s).empty());
}

TEST_CASE("E2: a child that no step of a stored task started") {
  auto s = clean_story();
  s.task("k/2/bill")["parent"] = "k/9";
  CHECK(broken_rules(s).contains("E2"));
  s.task("k/2/bill")["parent"] = "good"; // its id is not below that
  CHECK(broken_rules(s).contains("E2"));
}

TEST_CASE("E7: a step that was sent before what its task waited for") {
  auto s = clean_story();
  for (const auto call : {1, 2}) {
    auto broken = s;
    broken.wake(call)["steady_ns"] = 1'000'000;
    broken.answer(call)["steady_ns"] = 1'000'000;
    CHECK(broken_rules(broken).contains("E7"));
  }
}

TEST_CASE("E7: an undo before the undo of a child that was started later") {
  auto s = clean_story();
  s.move_to_back("k/2/bill/x/undo");
  CHECK(broken_rules(s) == rules{"E7"});
  s.alerts.push_back({{"task", "k/2/bill"}});
  CHECK(broken_rules(s).empty());
}

TEST_CASE("E7: a step that was sent before all items of the one before it were done") {
  auto s = clean_story();
  auto last = s.step("k/1", "pack");
  last["name"] = "last";
  last["after"] = {"items"};
  last["result"] = nullptr;
  s.task("k/1")["steps"].push_back(last);
  s.effects.push_back(effect_line("k/1", "last", "do", "created", 1));
  for (auto& c : s.clients) // the two overlap now
    if (c.contains("limit"))
      c["limit"] = 2;
  CHECK(broken_rules(s).empty());
  s.move_to_back("k/1/items/1/x");
  CHECK(broken_rules(s) == rules{"E7"});
}

TEST_CASE("E14: an event that nobody sent, or not to that task, or that was refused") {
  auto s = clean_story();
  SECTION("another") {
    s.step("k/1", "pay")["result"] = {{"paid", 2}};
  }
  SECTION("of another task") {
    s.wake(1)["tasks"] = {"k/2"};
  }
  SECTION("refused") {
    s.answer(1)["op"] = "fail";
  }
  CHECK(broken_rules(s) == rules{"E14"});
}

TEST_CASE("E14: an event whose sender got no answer may be taken") {
  auto s = clean_story();
  SECTION("unknown") {
    s.answer(1)["op"] = "info";
  }
  SECTION("none") {
    s.wakes.erase(s.wakes.begin() + 1);
  }
  CHECK(broken_rules(s).empty());
}

TEST_CASE("E14: an event that two steps of a task took") {
  auto s = clean_story();
  s.wake(1)["steps"] = {"pay", "pay_again"};
  s.task("k/1")["steps"].push_back(s.step("k/1", "pay"));
  s.task("k/1")["steps"].back()["name"] = "pay_again";
  CHECK(broken_rules(s) == rules{"E14"});
}

TEST_CASE("E14: a step came to its limit, and the event was there before it began") {
  auto s = clean_story();
  auto& pay = s.step("k/2", "pay");
  pay.update({{"result", nullptr}, {"event", 0}});
  const auto state = GENERATE("failed", "completed");
  pay["state"] = state;
  CHECK(broken_rules(s) == rules{"E14"});
  s.answer(1)["steady_ns"] = 1'000'000; // it may have come too late
  CHECK(broken_rules(s).empty());
  s.answer(1)["taken"] = 2;
  CHECK(broken_rules(s) == rules{"E14"});
}

TEST_CASE("E15: an attempt that ended as nobody said") {
  auto s = clean_story();
  SECTION("with another result") {
    s.step("k/1", "pack")["result"] = {{"box", 5}};
  }
  SECTION("by a token of another attempt") {
    s.wake(4)["attempt"] = 2;
  }
  SECTION("by a use that was refused") {
    s.answer(4)["op"] = "fail";
  }
  CHECK(broken_rules(s) == rules{"E15"});
}

TEST_CASE("E15: an attempt that its service ended itself needs no token") {
  auto s = clean_story();
  s.answer(4)["op"] = "fail";
  s.repeat("k/1/pack", "created")["result"] = "repeated";
  s.line("k/1/pack", "repeated")["later"] = false;
  CHECK(broken_rules(s).empty());
}

TEST_CASE("E15: a token that was used twice, or extended after its end") {
  auto s = clean_story();
  auto again = s.wake(4);
  again.update({{"call", 5}, {"steady_ns", 1'000'000}});
  SECTION("another result") {
    again["says"] = {{"box", 5}};
  }
  SECTION("a failure") {
    again.update({{"wake", "fail"}, {"says", nullptr}});
  }
  SECTION("more time") {
    again.update({{"wake", "extend"}, {"says", nullptr}});
  }
  s.wakes.push_back(again);
  s.wakes.push_back({{"op", "fail"}, {"call", 5}, {"steady_ns", 1'000'000}});
  CHECK(broken_rules(s).empty());
  s.answer(5)["op"] = "ok";
  CHECK(broken_rules(s).contains("E15"));
}

TEST_CASE("E15: a failure that was acknowledged, and the step completed or was tried again") {
  auto s = clean_story();
  auto& pack = s.step("k/1", "pack");
  s.wake(4).update({{"wake", "fail"}, {"says", nullptr}, {"for_good", true}});
  CHECK(broken_rules(s) == rules{"E15"});
  pack["log"][0]["outcome"] = "failed_permanent";
  s.repeat("k/1/pack", "created").update({{"result", "repeated"}, {"attempt", 2}, {"later", false}});
  auto second = s.step("k/1", "reserve")["log"][0];
  second["attempt"] = 2;
  pack["log"].push_back(second);
  pack["attempt"] = 2;
  CHECK(broken_rules(s) == rules{"E15"});
  s.wake(4)["for_good"] = false;
  CHECK(broken_rules(s).empty());
}

TEST_CASE("E16: an answer that nobody gave, and one that was acknowledged and is not there") {
  auto s = clean_story();
  SECTION("another choice") {
    s.step("k/1", "ask")["result"]["choice"] = "no";
  }
  SECTION("another person") {
    s.step("k/1", "ask")["result"]["who"] = "bob";
  }
  SECTION("none") {
    s.step("k/1", "ask")["result"] = nullptr;
  }
  SECTION("refused") {
    s.answer(2)["op"] = "fail";
  }
  CHECK(broken_rules(s) == rules{"E16"});
}

TEST_CASE("E16: two answers that were acknowledged") {
  auto s = clean_story();
  auto again = s.wake(2);
  again.update({{"call", 5}, {"choice", "no"}});
  s.wakes.push_back(again);
  s.wakes.push_back({{"op", "fail"}, {"call", 5}, {"steady_ns", 1}});
  CHECK(broken_rules(s).empty());
  s.answer(5)["op"] = "ok";
  CHECK(broken_rules(s) == rules{"E16"});
}

TEST_CASE("E17: a child that did not end as its parent did, unless a person acted on it") {
  auto s = clean_story();
  const auto* child = GENERATE("k/1/items/1", "k/2/bill");
  s.task(child)["process_state"] = "error";
  s.alerts.push_back({{"task", child}});
  CHECK(broken_rules(s).contains("E17"));
  s.task(child)["acts"].push_back(act());
  if (s.task(child)["parent"] == "k/2")
    CHECK(broken_rules(s).empty());
}

TEST_CASE("E17: an item of a processed task that was never carried out") {
  auto s = clean_story();
  std::erase_if(s.tasks, [](const json& t) { return t["id"] == "k/1/items/1"; });
  s.remove("k/1/items/1/x");
  CHECK(broken_rules(s) == rules{"E17"});
}

TEST_CASE("E18: two tasks of a key at a time, where one is allowed") {
  auto s = clean_story();
  SECTION("the second begins before an item of the first was carried out") {
    s.move_to_back("k/1/items/1/x");
  }
  SECTION("the first is in error and keeps its place") {
    s.task("k/1")["process_state"] = "error";
    s.alerts.push_back({{"task", "k/1"}});
  }
  CHECK(broken_rules(s) == rules{"E18"});
  for (auto& c : s.clients)
    if (c.contains("limit"))
      c["limit"] = 2;
  CHECK(broken_rules(s).empty());
}

TEST_CASE("without a wake log nothing is said of waits") {
  auto s = clean_story();
  s.with_wakes = false;
  CHECK(broken_rules(s).empty());
  CHECK_FALSE(check(s)[13].not_checked.empty());
}

TEST_CASE("E19: a step that woke before its time, unless a person ended its sleep") {
  auto s = clean_story();
  s.step("k/1", "rest")["log"][0]["ended_at"] = "2026-01-31T12:00:02.999Z";
  CHECK(broken_rules(s) == rules{"E19"});
  s.step("k/1", "rest")["log"][0]["outcome"] = "stopped";
  CHECK(broken_rules(s).empty());
  s.step("k/1", "rest")["log"][0]["outcome"] = "succeeded";
  s.task("k/1")["acts"].push_back(act());
  CHECK(broken_rules(s).empty());
}

TEST_CASE("E20: more tasks of a key that began within a time than may") {
  auto s = clean_story();
  s.task("k/2")["began_at"] = "2026-01-31T12:00:04.999Z";
  CHECK(broken_rules(s) == rules{"E20"});
  for (auto& c : s.clients)
    if (c.contains("limit_per_ms"))
      c["limit_per_ms"] = 3999;
  CHECK(broken_rules(s).empty());
  s.task("k/2").erase("began_at");
  CHECK(broken_rules(s) == rules{"E20"});
}

TEST_CASE("E2: a task that looks like one of a schedule that nobody made") {
  auto s = clean_story();
  std::erase_if(s.clients, [](const json& c) { return c["op"] == "schedule"; });
  CHECK(broken_rules(s) == rules{"E2"});
}

TEST_CASE("E21: a task of a schedule that is not of one of its moments") {
  auto s = clean_story();
  auto& second = s.task("tick@2026-01-31T12:00:04Z");
  SECTION("made before it") {
    second["submitted_at"] = "2026-01-31T12:00:03.999Z";
  }
  SECTION("of another workflow") {
    second["workflow"] = "v";
  }
  SECTION("with another one in its payload") {
    second["payload"]["moment"] = "2026-01-31T12:00:02Z";
  }
  SECTION("of a moment between two") {
    for (auto& c : s.clients)
      if (c["op"] == "schedule")
        c["every_ms"] = 4001;
  }
  CHECK(broken_rules(s) == rules{"E21"});
}

TEST_CASE("E21: a moment that made two tasks") {
  auto s = clean_story();
  auto again = s.task("tick@2026-01-31T12:00:04Z");
  again["id"] = "tick@2026-01-31T12:00:04.000Z";
  s.tasks.push_back(again);
  s.effects.push_back(effect_line(again["id"], "a", "do", "created", 1));
  CHECK(broken_rules(s) == rules{"E21"});
  again["id"] = "tick@noon";
  s.tasks.back() = again;
  s.effects.back() = effect_line(again["id"], "a", "do", "created", 1);
  CHECK(broken_rules(s) == rules{"E21"});
}

TEST_CASE("E22: two tasks of a schedule at a time, unless it allows that") {
  auto s = clean_story();
  SECTION("the second begins before the first has acted") {
    s.move_to_back("tick@2026-01-31T12:00:02Z/a");
    s.effects.insert(s.effects.begin(), effect_line("tick@2026-01-31T12:00:02Z", "a", "do", "failed", 1));
  }
  SECTION("the first is in error") {
    s.task("tick@2026-01-31T12:00:02Z")["process_state"] = "error";
    s.alerts.push_back({{"task", "tick@2026-01-31T12:00:02Z"}});
  }
  CHECK(broken_rules(s) == rules{"E22"});
  for (auto& c : s.clients)
    if (c["op"] == "schedule")
      c["overlap"] = "allow";
  CHECK(broken_rules(s).empty());
}

TEST_CASE("E23: a step that was completed before its service had finished, unless at its limit") {
  auto s = clean_story();
  s.line("draft/ask", "repeated")["finished"] = false;
  CHECK(broken_rules(s).empty());
  for (auto& c : s.clients)
    if (c.contains("calls"))
      c["calls"]["ask"] = 3;
  CHECK(broken_rules(s) == rules{"E23"});
  s.task("draft")["acts"].push_back(act());
  CHECK(broken_rules(s).empty());
}

TEST_CASE("E23: a step that was called again after its service had finished") {
  auto s = clean_story();
  s.line("draft/ask", "created")["finished"] = true;
  CHECK(broken_rules(s) == rules{"E23"});
  s.step("draft", "ask")["log"][0]["outcome"] = "expired"; // that answer did not arrive
  CHECK(broken_rules(s).empty());
}

TEST_CASE("E23: a step that was called more often than it may be") {
  auto s = clean_story();
  for (auto& c : s.clients)
    if (c.contains("calls"))
      c["calls"]["ask"] = 1;
  CHECK(broken_rules(s) == rules{"E23"});
}

TEST_CASE("E24: a call for what was replaced") {
  auto s = clean_story();
  const auto* result = GENERATE("created", "repeated");
  s.line("draft/ask", result)["mark"] = "one";
  CHECK(broken_rules(s) == rules{"E24"});
}

TEST_CASE("E13: a submission that replaced the task, and is lost") {
  auto s = clean_story();
  s.task("draft")["payload"]["mark"] = "one";
  CHECK(broken_rules(s) == rules{"E13", "E24"});
}

TEST_CASE("E13: a submission that nobody acknowledged may have replaced the task, or not") {
  auto s = clean_story();
  auto& answer = *std::find_if(s.clients.begin(), s.clients.end(),
                               [](const json& c) { return c.value("call", 0) == 12 && c["op"] == "ok"; });
  answer.update({{"op", "info"}, {"told", "none"}});
  CHECK(broken_rules(s).empty());
  s.task("draft")["payload"]["mark"] = "one";
  CHECK(broken_rules(s) == rules{"E24"});
  answer.update({{"op", "fail"}, {"told", "begun"}}); // refused, and yet it ran
  s.task("draft")["payload"]["mark"] = "two";
  CHECK(broken_rules(s) == rules{"E13"});
}

TEST_CASE("E13: nothing replaces a task that has begun") {
  auto s = clean_story();
  const auto at =
    std::find_if(s.clients.begin(), s.clients.end(), [](const json& c) { return c.value("call", 0) == 12; });
  const std::vector<json> before{
    {{"op", "invoke"}, {"task", "draft"}, {"call", 13}, {"body", "3"}, {"mark", "three"}, {"on_conflict", "replace"}},
    {{"op", "fail"}, {"task", "draft"}, {"call", 13}, {"told", "begun"}}};
  s.clients.insert(at, before.begin(), before.end());
  CHECK(broken_rules(s) == rules{"E13"});
}

TEST_CASE("E13: the submission with which a task was made finds it, and one that wants it new is refused") {
  auto s = clean_story();
  s.clients.push_back({{"op", "invoke"}, {"task", "draft"}, {"call", 13}, {"body", "1"}, {"mark", "one"}});
  s.clients.push_back({{"op", "ok"}, {"task", "draft"}, {"call", 13}, {"told", "there"}});
  s.clients.push_back({{"op", "invoke"}, {"task", "draft"}, {"call", 14}, {"body", "9"}, {"on_conflict", "refuse"}});
  s.clients.push_back({{"op", "fail"}, {"task", "draft"}, {"call", 14}, {"told", "taken"}});
  CHECK(broken_rules(s).empty());
  s.clients.back() = {{"op", "ok"}, {"task", "draft"}, {"call", 14}, {"told", "created"}};
  CHECK(broken_rules(s) == rules{"E13"});
}
