#pragma once

#include "workflow/schedule/schedule.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// The progress of a schedule, as a value, and what becomes of it at a moment.

namespace steadfast::workflow {

/// Stored. What became of a moment.
enum class moment_fate : std::uint8_t {
  made = 1,    ///< a task
  skipped = 2, ///< the task of an earlier moment was not over
  queued = 3,  ///< it waits until that task is over
  missed = 4,  ///< it was too old when somebody served it, or too many came at once
  refused = 5, ///< its task was refused: `text` says why
  dropped = 6, ///< it was queued, and is no longer
};
std::string_view to_string(moment_fate x);

struct moment_note {
  instant moment;
  instant at;
  moment_fate fate = moment_fate::made;
  std::string text; ///< the id of the task for which it waits, or the reason

  friend bool operator==(const moment_note&, const moment_note&) = default;
};

inline constexpr std::size_t moment_notes_max = 16; ///< of a schedule, the newest
inline constexpr std::size_t schedules_max = 20'000;

struct schedule_state {
  instant settled_until; ///< no moment up to this one comes again
  schedule what;
  std::string file{};          ///< from which it was read; empty: it came by a command
  instant next_at = never;     ///< when somebody has to look at it
  instant queued{};            ///< the moment that waits for its turn; unset: none does
  std::uint64_t last_task = 0; ///< number of the last task that it made
  std::string last_id{};       ///< its id
  std::string paused_by{};     ///< empty: it is not paused
  std::string paused_why{};
  instant paused_at{};
  std::vector<moment_note> notes{}; ///< the oldest first
  std::uint64_t made = 0;           ///< how many tasks

  friend bool operator==(const schedule_state&, const schedule_state&) = default;
};

/// A schedule that replaces another goes on where that one was, unless its moments differ.
schedule_state begun(const schedule& s, std::string file, instant now, const schedule_state* before);

/// What is known of the task before.
struct task_before {
  bool is_open = false; ///< neither processed nor undone
  std::uint64_t number = 0;
  std::string id;
};
/// What became of the wish for a task.
struct made_task {
  bool is_made = false; ///< or it was there already
  bool has_room = true; ///< false: it may be made later
  task_before task;
  std::string why; ///< why it was refused
};
/// What a schedule needs from the store.
struct schedule_needs {
  std::function<task_before(std::uint64_t number)> before;
  std::function<made_task(const schedule& s, instant moment)> make;
  std::function<void(const task_before&)> cancel; ///< once more changes nothing
};

/// Serves the moments that are due; of a paused schedule, only the queued one.
void serve(schedule_state& s, instant now, const schedule_needs& needs);
/// Serves a moment that a person adds: now. The last note says what became of it. False: there is no room for its task.
bool serve_now(schedule_state& s, instant now, const schedule_needs& needs);

void pause(schedule_state& s, std::string who, std::string why, instant now);
/// Moments that came while it was paused are not made up for.
void resume(schedule_state& s, instant now);
/// The last task of the schedule is over. False: no moment waits for that.
bool note_end(schedule_state& s, std::uint64_t task, instant at);

/// The next `max` moments, with jitter; for a paused schedule, those that would come.
std::vector<instant> next_starts(const schedule_state& s, instant now, std::size_t max);

} // namespace steadfast::workflow
