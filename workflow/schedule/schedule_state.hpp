#pragma once

#include "workflow/schedule/schedule.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// How far a schedule is: a value, and what becomes of it at a moment.

namespace steadfast::workflow {

/// Stored. What became of a moment.
enum class moment_fate : std::uint8_t {
  made = 1,    ///< a task
  skipped = 2, ///< the task of an earlier one was not over
  queued = 3,  ///< it waits for that
  missed = 4,  ///< it was too old when somebody served it, or too many came at once
  refused = 5, ///< its task was: `text` says why
  dropped = 6, ///< it was queued, and is not any more
};
std::string_view to_string(moment_fate x);

struct moment_note {
  instant moment;
  instant at;
  moment_fate fate = moment_fate::made;
  std::string text; ///< the id of the task that it waits for, or why

  friend bool operator==(const moment_note&, const moment_note&) = default;
};

inline constexpr std::size_t moment_notes_max = 16; ///< of a schedule, the newest
inline constexpr std::size_t schedules_max = 20'000;

struct schedule_state {
  instant settled_until; ///< no moment up to it comes again
  schedule what;
  std::string file{};          ///< that it was read from; empty: it came by command
  instant next_at = never;     ///< when somebody has to look at it
  instant queued{};            ///< the moment that waits for its task; unset: none does
  std::uint64_t last_task = 0; ///< number of the last task that it made
  std::string last_id{};       ///< its id
  std::string paused_by{};     ///< empty: it goes on
  std::string paused_why{};
  instant paused_at{};
  std::vector<moment_note> notes{}; ///< the oldest first
  std::uint64_t made = 0;           ///< tasks

  friend bool operator==(const schedule_state&, const schedule_state&) = default;
};

/// One that is put in place of another goes on where that one is, unless its moments are others.
schedule_state begun(const schedule& s, std::string file, instant now, const schedule_state* before);

/// What there is of the task before.
struct task_before {
  bool is_open = false; ///< neither processed nor undone
  std::uint64_t number = 0;
  std::string id;
};
/// What became of the wish for a task.
struct made_task {
  bool is_made = false; ///< or it was there
  bool has_room = true; ///< else it may be made later
  task_before task;
  std::string why; ///< it was refused
};
/// What it asks of the store.
struct schedule_needs {
  std::function<task_before(std::uint64_t number)> before;
  std::function<made_task(const schedule& s, instant moment)> make;
  std::function<void(const task_before&)> cancel;
};

/// Serves the moments that are due; of one that is paused, only what was queued.
void serve(schedule_state& s, instant now, const schedule_needs& needs);
/// A moment that a person adds: now. The last note says what became of it. False: there is no room for its task.
bool serve_now(schedule_state& s, instant now, const schedule_needs& needs);

void pause(schedule_state& s, std::string who, std::string why, instant now);
/// What was due meanwhile is over.
void resume(schedule_state& s, instant now);
/// Its last task is over. False: nothing waits for that.
bool note_end(schedule_state& s, std::uint64_t task, instant at);

/// The next `max` moments, with jitter; of one that is paused, those that would come.
std::vector<instant> next_starts(const schedule_state& s, instant now, std::size_t max);

} // namespace steadfast::workflow
