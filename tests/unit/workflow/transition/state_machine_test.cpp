// docs/state-machine.md against the rules, cell by cell. STEADFAST_WRITE_TABLES=FILE appends what the rules say to a
// file.

#include "tests/support/workflow/scenario.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>

using namespace steadfast;
using namespace steadfast::workflow;
using namespace steadfast::tests;

namespace {

/// A place in a task's life: how to get there, in two steps `a` and `b`. The events are about `a`.
struct place {
  std::string name;
  std::function<void(scenario&)> reach;
  std::function<definition()> of = two_steps;
};

struct row {
  std::string name;
  std::function<event(scenario&)> make; ///< may move time
};

const by person{"ann", "so"};

void turn_round(scenario& s) {
  s.take();
  s.succeed("a");
  s.fail_for_good("b");
}

void undo_fails(scenario& s) {
  turn_round(s);
  s.fail_for_good("a");
}

void expire(scenario& s) {
  s.take();
  s.expire("a");
}

/// Step `a` only waits.
definition sleeper() {
  auto d = two_steps();
  d.steps[0] = sleep_named("a", std::chrono::hours{2});
  d.steps[1].after = {"a"};
  return d;
}

/// Step `a` may end later.
definition later() {
  auto d = two_steps();
  d.steps[0].later = later_rule{std::chrono::hours{2}, span{0}};
  return d;
}

/// Step `a` waits for an event.
definition expecting() {
  auto d = sleeper();
  d.steps[0].wait->what = wait_rule::kind::event;
  d.steps[0].wait->name = "paid";
  d.steps[0].wait->at = {source::kind::literal, {}, {}, "\"k\""};
  return d;
}

/// Step `a` asks a person.
definition asking() {
  auto d = sleeper();
  d.steps[0].wait->what = wait_rule::kind::person;
  d.steps[0].wait->name = "sales";
  d.steps[0].wait->question = "yes?";
  d.steps[0].wait->choices = {"yes", "no"};
  return d;
}

/// Step `a` starts a task.
definition starting() {
  auto d = sleeper();
  d.steps[0].wait->what = wait_rule::kind::child;
  d.steps[0].wait->name = "child";
  return d;
}

/// Step `a` goes over items.
definition going_over_items() {
  auto d = starting();
  d.steps[0].wait->what = wait_rule::kind::items;
  d.steps[0].wait->at_a_time = 1;
  return d;
}

/// Step `a` is called until its result is as wanted.
definition called_again() {
  auto d = two_steps();
  d.steps[0].repeat = repeat_rule{{"", "/ok", condition::test::present, ""}, std::chrono::hours{1}, 3, false};
  return d;
}

event of_child(child_state how) {
  return child_ended{0, {how, "so", blob{"1"}, {}, 0, how == child_state::counted ? "1 of 2 done" : ""}};
}

token_use token(const scenario& s) {
  return {0, s.at("a").attempt, "digest"};
}

void skip(scenario& s) {
  s.must(step_skipped{0, blob{"1"}, {}, person});
}

const std::vector<place> task_places = {
  {"pending", [](scenario&) {}},
  {"processing", [](scenario& s) { s.take(); }},
  {"processed",
   [](scenario& s) {
     s.take();
     s.succeed("a");
     s.succeed("b");
   }},
  {"undoing", turn_round},
  {"undone",
   [](scenario& s) {
     turn_round(s);
     s.succeed("a");
   }},
  {"error", undo_fails},
  {"suspended",
   [](scenario& s) {
     s.take();
     s.must(suspended{person});
   }},
};

const std::vector<place> step_places = {
  {"not_started",
   [](scenario& s) {
     s.take();
     s.decline("a");
   }},
  {"running", [](scenario& s) { s.take(); }},
  {"completed",
   [](scenario& s) {
     s.take();
     s.succeed("a");
   }},
  {"failed",
   [](scenario& s) {
     s.take();
     s.fail_for_good("a");
   }},
  {"unknown", expire},
  {"compensating", turn_round},
  {"compensated",
   [](scenario& s) {
     turn_round(s);
     s.succeed("a");
   }},
  {"compensation_failed", undo_fails},
  {"skipped", skip},
  {"waiting", [](scenario& s) { s.take(); }, sleeper},
  {"waiting for a token",
   [](scenario& s) {
     s.take();
     s.must(attempt_taken_on{s.ref("a"), "digest"});
   },
   later},
  {"waiting for an event", [](scenario& s) { s.take(); }, expecting},
  {"waiting for a person", [](scenario& s) { s.take(); }, asking},
  {"waiting for its task", [](scenario& s) { s.take(); }, starting},
  {"its task is undone",
   [](scenario& s) {
     s.take();
     s.must(undo_requested{person});
     s.take();
   },
   starting},
  {"waiting for its items", [](scenario& s) { s.take(); }, going_over_items},
  {"waiting for its next call",
   [](scenario& s) {
     s.take();
     s.must(attempt_succeeded{s.ref("a"), blob{"1"}, {}});
   },
   called_again},
};

attempt_ref other_attempt(const scenario& s) {
  auto r = s.ref("a");
  ++r.attempt;
  return r;
}

attempt_ref older_lock(const scenario& s) {
  auto r = s.ref("a");
  --r.epoch;
  return r;
}

const std::vector<row> attempt_rows = {
  {"attempt_succeeded",
   [](scenario& s) {
     return attempt_succeeded{s.ref("a"), blob{"1"}, {}};
   }},
  {"attempt_succeeded, not as expected",
   [](scenario& s) {
     s.d.steps[0].expect = expect_rule{{"", "/ok", condition::test::present, ""}};
     return attempt_succeeded{s.ref("a"), blob{"1"}, {}};
   }},
  {"attempt_failed",
   [](scenario& s) {
     return attempt_failed{s.ref("a"), false, false, span{0}, "no luck"};
   }},
  {"attempt_failed, permanent",
   [](scenario& s) {
     return attempt_failed{s.ref("a"), true, false, span{0}, "no"};
   }},
  {"attempt_declined",
   [](scenario& s) {
     return attempt_declined{s.ref("a"), span{0}, "full"};
   }},
  {"attempt_stopped",
   [](scenario& s) {
     return attempt_stopped{s.ref("a"), false};
   }},
  {"probe_denied", [](scenario& s) { return probe_denied{s.ref("a")}; }},
  {"attempt_taken_on",
   [](scenario& s) {
     return attempt_taken_on{s.ref("a"), "digest"};
   }},
  {"later_completed",
   [](scenario& s) {
     return later_completed{token(s), blob{"1"}, {}};
   }},
  {"later_completed, at the end of its time",
   [](scenario& s) {
     s.now = std::max(s.now, s.at("a").not_before);
     return later_completed{token(s), blob{"1"}, {}};
   }},
  {"later_failed",
   [](scenario& s) {
     return later_failed{token(s), false, false, span{0}, "no luck"};
   }},
  {"later_failed, permanent",
   [](scenario& s) {
     return later_failed{token(s), true, false, span{0}, "no"};
   }},
  {"later_extended",
   [](scenario& s) {
     return later_extended{token(s), std::chrono::minutes{1}, "half"};
   }},
  {"event_came",
   [](scenario&) {
     return event_came{0, 7, blob{"1"}, {}, {}};
   }},
  {"answered", [](scenario& s) { return answered{0, s.at("a").attempt, "yes", blob{"1"}, {}, person}; }},
  {"child_ended, processed", [](scenario&) { return of_child(child_state::processed); }},
  {"child_ended, undone", [](scenario&) { return of_child(child_state::undone); }},
  {"child_ended, in error", [](scenario&) { return of_child(child_state::in_error); }},
  {"child_ended, its undo failed", [](scenario&) { return of_child(child_state::undo_failed); }},
  {"child_ended, could not be made", [](scenario&) { return of_child(child_state::refused); }},
  {"child_ended, items are counted", [](scenario&) { return of_child(child_state::counted); }},
  {"attempt_expired, at complete-by",
   [](scenario& s) {
     s.now = std::max(s.now, s.at("a").complete_by);
     return attempt_expired{s.ref("a")};
   }},
  {"attempt_expired, earlier", [](scenario& s) { return attempt_expired{s.ref("a")}; }},
  {"attempt_succeeded, at complete-by",
   [](scenario& s) {
     s.now = std::max(s.now, s.at("a").complete_by);
     return attempt_succeeded{s.ref("a"), blob{"1"}, {}};
   }},
  {"attempt_succeeded, of another attempt",
   [](scenario& s) {
     return attempt_succeeded{other_attempt(s), blob{"1"}, {}};
   }},
  {"attempt_succeeded, under an older lock",
   [](scenario& s) {
     return attempt_succeeded{older_lock(s), blob{"1"}, {}};
   }},
  {"attempt_succeeded, of a step that is not there",
   [](scenario&) {
     return attempt_succeeded{{7, 1, 1}, blob{"1"}, {}};
   }},
  {"round_failed",
   [](scenario& s) {
     return round_failed{0, s.at("a").attempt};
   }},
  {"wait_noticed",
   [](scenario& s) {
     s.now += s.d.alert_after;
     return wait_noticed{0};
   }},
  {"taken, when its wait is over",
   [](scenario& s) {
     s.now = std::max(s.now, s.at("a").not_before);
     return taken{"s2"};
   }},
  {"step_retried",
   [](scenario&) {
     return step_retried{0, false, person};
   }},
  {"step_skipped",
   [](scenario&) {
     return step_skipped{0, blob{"1"}, {}, person};
   }},
};

const std::vector<row> task_rows = {
  {"taken", [](scenario&) { return taken{"s2"}; }},
  {"time_passed", [](scenario&) { return time_passed{}; }},
  {"deadline_passed",
   [](scenario& s) {
     s.now = std::max(s.now, s.t.complete_by);
     return deadline_passed{};
   }},
  {"deadline_passed, too early", [](scenario&) { return deadline_passed{}; }},
  {"lock_released", [](scenario&) { return lock_released{}; }},
  {"lock_lapsed", [](scenario&) { return lock_lapsed{}; }},
  {"payload_edited",
   [](scenario&) {
     return payload_edited{blob{"2"}, person};
   }},
  {"undo_requested", [](scenario&) { return undo_requested{person}; }},
  {"cancelled", [](scenario&) { return cancelled{person}; }},
  {"suspended", [](scenario&) { return suspended{person}; }},
  {"resumed", [](scenario&) { return resumed{person}; }},
};

/// The state it is in now: of the task, or of the step, and of the task where that changed too.
std::string became(const scenario& before, const scenario& s, bool of_step) {
  if (!of_step)
    return s.state();
  return s.state("a") + (s.state() == before.state() ? "" : ", task " + s.state());
}

std::string cell(const place& p, const row& r, bool of_step) {
  scenario s{p.of()};
  p.reach(s);
  const auto before = s;
  const auto result = s.raise(r.make(s));
  switch (result) {
    case event_status::applied: return "**" + became(before, s, of_step) + "**";
    case event_status::ignored: return "ignored: " + s.last.reason;
    case event_status::refused: return "refused: " + s.last.reason + (s.last.evidence ? " (kept)" : "");
  }
  return "?";
}

/// The lines of the table that follows a heading of the document.
std::vector<std::string> documented(const std::string& heading) {
  std::ifstream in{std::string{STEADFAST_SOURCE_DIR} + "/docs/state-machine.md"};
  std::vector<std::string> lines;
  bool here = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#"))
      here = line == "## " + heading;
    else if (here && line.starts_with("|"))
      lines.push_back(line);
  }
  return lines;
}

void check_table(const std::string& heading, const std::vector<place>& places, const std::vector<row>& rows,
                 bool of_step) {
  std::vector<std::string> lines;
  std::string head = "| event | ";
  std::string rule = "|---|";
  for (const auto& p : places) {
    head += p.name + " | ";
    rule += "---|";
  }
  head.pop_back();
  lines.push_back(head);
  lines.push_back(rule);
  for (const auto& r : rows) {
    auto line = "| " + r.name + " |";
    for (const auto& p : places)
      line += " " + cell(p, r, of_step) + " |";
    lines.push_back(line);
  }
  const auto told = documented(heading);
  std::string all;
  for (const auto& line : lines)
    all += line + "\n";
  if (const char* to = std::getenv("STEADFAST_WRITE_TABLES"))
    std::ofstream{to, std::ios::app} << "## " << heading << "\n\n" << all << "\n";
  INFO("the rules say:\n" << all);
  REQUIRE(told.size() == lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i)
    CHECK(told[i] == lines[i]);
}

} // namespace

TEST_CASE("every event in every state of the task has the event_status that is documented") {
  check_table("The task", task_places, task_rows, false);
}

TEST_CASE("every event about an attempt in every state of its step has the event_status that is documented") {
  check_table("A step", step_places, attempt_rows, true);
}

TEST_CASE("the tables of states name every event") {
  std::string names;
  for (const auto* rows : {&task_rows, &attempt_rows})
    for (const auto& r : *rows) {
      scenario s{two_steps()};
      s.take();
      names += std::string{name_of(r.make(s))} + " ";
    }
  const std::vector<event> all = {
    taken{},        time_passed{},     attempt_succeeded{}, attempt_failed{},  attempt_declined{}, attempt_stopped{},
    probe_denied{}, attempt_expired{}, round_failed{},      deadline_passed{}, attempt_taken_on{}, later_completed{},
    later_failed{}, later_extended{},  event_came{},        answered{},        lock_released{},    lock_lapsed{},
    wait_noticed{}, step_retried{},    step_skipped{},      payload_edited{},  undo_requested{},   cancelled{},
    suspended{},    resumed{},         child_ended{}};
  CHECK(all.size() == std::variant_size_v<event>);
  for (const auto& e : all)
    CHECK_THAT(names, Catch::Contains(std::string{name_of(e)} + " "));
}
