#include "workflow/schedule/schedule_state.hpp"
#include "workflow/time/time_text.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace steadfast::workflow;
using namespace std::chrono_literals;

namespace {

instant hour(int n) {
  return parse_moment("2026-11-26T00:00Z").value() + n * 1h;
}

/// A schedule of one moment an hour, and the tasks that it made.
class hourly {
public:
  explicit hourly(overlap rule) {
    schedule s;
    s.name = "hourly";
    s.workflow = "w";
    s.every = 1h;
    s.rule = rule;
    state = begun(s, {}, hour(0), nullptr);
  }

  void serve_at(instant now) { serve(state, now, needs()); }
  void end_last(instant now) {
    open = false;
    note_end(state, state.last_task, now);
  }

  schedule_needs needs() {
    return {[this](std::uint64_t number) {
              return number == 0 ? task_before{} : task_before{open, number, state.last_id};
            },
            [this](const schedule& s, instant moment) {
              if (!has_room)
                return made_task{false, false, {}, "full"};
              if (!refusal.empty())
                return made_task{false, true, {}, refusal};
              made.push_back(moment);
              open = true;
              return made_task{true, true, {true, made.size(), task_id_of(s.name, moment)}, {}};
            },
            [this](const task_before& t) {
              cancelled.push_back(t.id);
              open = open && has_begun;
            }};
  }

  moment_fate last_fate() const { return state.notes.back().fate; }

  schedule_state state;
  bool open = false;     ///< the last task
  bool has_begun = true; ///< it: else its cancel ends it at once
  bool has_room = true;
  std::string refusal;
  std::vector<instant> made;
  std::vector<std::string> cancelled;
};

} // namespace

TEST_CASE("a moment makes one task, and the next one is waited for") {
  hourly s{overlap::skip};
  CHECK(s.state.next_at == hour(1));
  s.serve_at(hour(1) - 1ms);
  CHECK(s.made.empty());
  s.serve_at(hour(1) + 3ms);
  s.serve_at(hour(1) + 4ms);
  CHECK(s.made == std::vector{hour(1)});
  CHECK(s.state.next_at == hour(2));
  CHECK(s.state.settled_until == hour(1));
  CHECK(s.state.last_id == "hourly@2026-11-26T01:00:00Z");
}

TEST_CASE("a moment that meets an open task is skipped, with the id of that") {
  hourly s{overlap::skip};
  s.serve_at(hour(1));
  s.serve_at(hour(2));
  CHECK(s.made.size() == 1);
  CHECK(s.last_fate() == moment_fate::skipped);
  CHECK(s.state.notes.back().text == "hourly@2026-11-26T01:00:00Z");
  s.end_last(hour(2) + 1min);
  CHECK(s.state.next_at == hour(3));
  s.serve_at(hour(3));
  CHECK(s.made == std::vector{hour(1), hour(3)});
}

TEST_CASE("one moment is queued, the first, and has its turn as soon as the task before is over") {
  hourly s{overlap::queue};
  s.serve_at(hour(1));
  s.serve_at(hour(2));
  s.serve_at(hour(3));
  CHECK(s.state.queued == hour(2));
  CHECK(s.last_fate() == moment_fate::skipped);
  CHECK(s.state.next_at == hour(4));
  s.end_last(hour(3) + 1min);
  CHECK(s.state.next_at == hour(3) + 1min);
  s.serve_at(hour(3) + 1min);
  CHECK(s.made == std::vector{hour(1), hour(2)});
  CHECK(s.state.queued == unset);
  CHECK(s.state.next_at == hour(4));
}

TEST_CASE("tasks run at the same time if the schedule says so") {
  hourly s{overlap::allow};
  s.serve_at(hour(1));
  s.serve_at(hour(2));
  CHECK(s.made == std::vector{hour(1), hour(2)});
}

TEST_CASE("the task before is cancelled at each moment, and the last one has its turn when that is over") {
  hourly s{overlap::cancel};
  s.serve_at(hour(1));
  s.serve_at(hour(2));
  s.serve_at(hour(3));
  CHECK(s.cancelled == std::vector<std::string>(2, "hourly@2026-11-26T01:00:00Z")); // it may have been in error first
  CHECK(s.made.size() == 1);
  CHECK(s.state.queued == hour(3));
  s.end_last(hour(3) + 5min);
  s.serve_at(hour(3) + 5min);
  CHECK(s.made == std::vector{hour(1), hour(3)});
}

TEST_CASE("a moment for whose task there is no room is served when there is, and not lost") {
  hourly s{overlap::skip};
  s.has_room = false;
  s.serve_at(hour(1));
  CHECK(s.state.settled_until == hour(0));
  CHECK(s.state.next_at > hour(1));
  CHECK(s.state.next_at < hour(1) + 1min);
  s.has_room = true;
  s.serve_at(s.state.next_at);
  CHECK(s.made == std::vector{hour(1)});
}

TEST_CASE("a moment whose task is refused is over, and says why") {
  hourly s{overlap::skip};
  s.refusal = "there is no workflow w";
  s.serve_at(hour(1));
  s.serve_at(hour(2));
  CHECK(s.last_fate() == moment_fate::refused);
  CHECK(s.state.notes.back().text == "there is no workflow w");
  CHECK(s.state.notes.size() == 1); // the same again takes its place
  CHECK(s.state.settled_until == hour(2));
  CHECK(s.state.made == 0);
}

TEST_CASE("row 122: what was due while nobody served is made up for as far as the schedule says, and told") {
  hourly s{overlap::allow};
  s.state.what.catch_up = 2h;
  s.state.what.catch_up_max = 3;
  s.serve_at(hour(10) + 1min);
  CHECK(s.made == std::vector{hour(9), hour(10)});
  REQUIRE(s.state.notes.front().fate == moment_fate::missed);
  CHECK(s.state.notes.front().moment == hour(1));
  CHECK(s.state.next_at == hour(11));
}

TEST_CASE("a schedule that is paused makes nothing, and nothing of that time when it goes on") {
  hourly s{overlap::queue};
  s.serve_at(hour(1));
  s.serve_at(hour(2));
  pause(s.state, "ann", "stocktaking", hour(2) + 1min);
  CHECK(s.state.next_at == never);
  CHECK(s.state.queued == unset);
  s.end_last(hour(2) + 2min);
  s.serve_at(hour(5));
  CHECK(s.made.size() == 1);
  CHECK(next_starts(s.state, hour(5), 2) == std::vector{hour(6), hour(7)});
  resume(s.state, hour(5) + 1min);
  s.serve_at(hour(5) + 1min);
  CHECK(s.made.size() == 1);
  s.serve_at(hour(6));
  CHECK(s.made == std::vector{hour(1), hour(6)});
}

TEST_CASE("P45: moments that were due before a schedule is paused, and were not met, are shown as missed") {
  hourly s{overlap::allow};
  s.serve_at(hour(1));
  pause(s.state, "ann", {}, hour(4) + 1min); // after a time without a supervisor
  REQUIRE_FALSE(s.state.notes.empty());
  const auto& last = s.state.notes.front().moment == hour(2) ? s.state.notes.front() : s.state.notes.back();
  CHECK(last.moment == hour(2));
  CHECK(last.fate == moment_fate::missed);
  CHECK(last.text == "and those after it: the schedule was paused first");
  resume(s.state, hour(4) + 2min);
  s.serve_at(hour(5));
  CHECK(s.made == std::vector{hour(1), hour(5)});
}

TEST_CASE("a moment that was met before a schedule is paused is not shown as missed") {
  hourly s{overlap::allow};
  s.serve_at(hour(1));
  const auto notes = s.state.notes.size();
  pause(s.state, "ann", {}, hour(1) + 1min);
  CHECK(s.state.notes.size() == notes);
}

TEST_CASE("row 123: a clock that was put forward and back makes no moment come twice, and none before its time") {
  hourly s{overlap::allow};
  s.serve_at(hour(1));
  s.serve_at(hour(100)); // forward
  const auto after_jump = s.made;
  REQUIRE(after_jump.size() == 2);
  for (int n = 2; n <= 100; ++n) // back
    s.serve_at(hour(n));
  CHECK(s.made == after_jump);
  s.serve_at(hour(101));
  CHECK(s.made.back() == hour(101));
}

TEST_CASE("a schedule that is put again goes on where it is, and one with other moments from now on") {
  hourly s{overlap::skip};
  s.serve_at(hour(1));
  auto changed = s.state.what;
  changed.jitter = 1min;
  const auto same = begun(changed, "a.toml", hour(3) + 1min, &s.state);
  CHECK(same.settled_until == hour(1));
  CHECK(same.last_task == s.state.last_task);
  CHECK(same.file == "a.toml");
  changed.every = 30min;
  const auto other = begun(changed, "a.toml", hour(3) + 1min, &s.state);
  CHECK(other.settled_until == hour(3) + 1min);
  CHECK(other.last_task == s.state.last_task);
}

TEST_CASE("a task that has not begun is over when it is cancelled for the next moment, which has its turn at once") {
  hourly s{overlap::cancel};
  s.serve_at(hour(1));
  s.has_begun = false;
  s.serve_at(hour(2));
  CHECK(s.cancelled == std::vector<std::string>{"hourly@2026-11-26T01:00:00Z"});
  CHECK(s.made == std::vector{hour(1), hour(2)});
  CHECK(s.state.queued == unset);
  CHECK(serve_now(s.state, hour(2) + 1min, s.needs()));
  CHECK(s.last_fate() == moment_fate::made);
  CHECK(s.made.back() == hour(2) + 1min);
  SECTION("and waits for room if there is none") {
    s.has_room = false;
    s.serve_at(hour(3));
    CHECK(s.cancelled.size() == 3);
    CHECK(s.state.settled_until == hour(2));
    CHECK(s.state.queued == unset);
    s.has_room = true;
    s.serve_at(s.state.next_at);
    CHECK(s.made.back() == hour(3));
  }
}

TEST_CASE("with overlap cancel a moment that is due takes the place of the one that is queued") {
  hourly s{overlap::cancel};
  s.serve_at(hour(1));
  s.serve_at(hour(2));
  REQUIRE(s.state.queued == hour(2));
  s.end_last(hour(2) + 1min); // nobody has come yet for what is queued
  SECTION("by its time") {
    s.serve_at(hour(3));
    CHECK(s.made == std::vector{hour(1), hour(3)});
  }
  SECTION("by a person") {
    CHECK(serve_now(s.state, hour(2) + 2min, s.needs()));
    CHECK(s.made == std::vector{hour(1), hour(2) + 2min});
  }
  CHECK(s.state.queued == unset);
  CHECK(s.state.notes[s.state.notes.size() - 2].fate == moment_fate::dropped);
  CHECK(s.last_fate() == moment_fate::made);
}

TEST_CASE("a moment that a person adds does not go before the one that is queued") {
  hourly s{overlap::queue};
  s.serve_at(hour(1));
  s.serve_at(hour(2));
  REQUIRE(s.state.queued == hour(2));
  s.end_last(hour(2) + 1min); // nobody has come yet for what is queued
  CHECK(serve_now(s.state, hour(2) + 2min, s.needs()));
  CHECK(s.made == std::vector{hour(1), hour(2)});
  CHECK(s.last_fate() == moment_fate::queued);
  CHECK(s.state.queued == hour(2) + 2min);
}

TEST_CASE("a person adds a moment, also while the schedule is paused, and by its rule for overlap") {
  hourly s{overlap::skip};
  pause(s.state, "ann", {}, hour(0));
  CHECK(serve_now(s.state, hour(0) + 5min, s.needs()));
  CHECK(s.made == std::vector{hour(0) + 5min});
  CHECK(serve_now(s.state, hour(0) + 6min, s.needs()));
  CHECK(s.last_fate() == moment_fate::skipped);
  s.has_room = false;
  s.open = false;
  CHECK_FALSE(serve_now(s.state, hour(0) + 7min, s.needs()));
}
