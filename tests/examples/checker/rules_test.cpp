#include "tests/examples/checker/story.hpp"

#include <catch2/catch.hpp>

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

TEST_CASE("E1: a task that is in the store twice") {
  auto s = clean_story();
  s.tasks.push_back(s.task("good"));
  CHECK(broken_rules(s) == rules{"E1"});
}

TEST_CASE("E2: a task that nobody submitted") {
  auto s = clean_story();
  std::erase_if(s.clients, [](const json& c) { return c["task"] == "good"; });
  CHECK(broken_rules(s) == rules{"E2"});
  s.with_clients = false;
  CHECK(broken_rules(s).empty());
  CHECK_FALSE(check(s)[1].not_checked.empty());
}

TEST_CASE("E2: a task whose every submission was refused") {
  auto s = clean_story();
  std::erase_if(s.clients, [](const json& c) { return c["task"] == "good"; });
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
