#pragma once

#include "workflow/time/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What a person does to many tasks at once, and its progress: which tasks it reaches, what an answer means, when it is
// over. It walks from the newest task that was there when it began down to the oldest, a page at a time, and reaches
// each task at most once.

namespace steadfast::workflow {

/// Stored. A number is never changed and never used again.
enum class task_act : std::uint8_t { retry = 1, skip = 2, edit = 3, undo = 4, cancel = 5, suspend = 6, resume = 7 };
std::string_view to_string(task_act a);
std::optional<task_act> parse_task_act(std::string_view text);

/// Stored in the same way.
enum class bulk_state : std::uint8_t { open = 1, ended = 2, stopped = 3 };
std::string_view to_string(bulk_state s);

inline constexpr std::size_t bulk_refusals_max = 1000; ///< kept for one bulk act; further ones are only counted
inline constexpr std::size_t bulk_acts_kept = 100;     ///< above that, the oldest ones that are over are removed
inline constexpr std::size_t bulk_page_max = 64;       ///< tasks reached between two looks at all open acts
inline constexpr std::size_t bulk_text_size_max =
  4096;                                   ///< for a skipped step's result, and for the conditions as they were typed
inline constexpr int bulk_tries_max = 10; ///< for one task that keeps changing

struct bulk_act {
  std::uint64_t number = 0;
  task_act act = task_act::retry;
  std::string step;     ///< with retry and skip
  std::string document; ///< with skip: the result
  bool new_key = false; ///< with retry
  std::string who;
  std::string why;
  std::string where;              ///< the conditions, as they are shown to people
  std::string filter;             ///< the same, as the store asks for them; only the store knows its content
  std::uint64_t about = 0;        ///< tasks that matched when it began
  std::uint64_t beyond = 0;       ///< tasks with this number or a higher one were submitted after it began
  std::uint64_t position = 0;     ///< tasks with this number or a higher one were reached, or never matched
  std::vector<std::uint64_t> met; ///< tasks below the position that have taken the act already
  std::uint64_t done = 0;
  std::uint64_t refused = 0;
  std::uint64_t skipped = 0; ///< tasks that matched when it began, but no longer when their turn came
  bulk_state state = bulk_state::open;
  instant started_at;
  instant ended_at; ///< unset: it is open
  std::string stopped_by;
  std::string stopped_why;

  friend bool operator==(const bulk_act&, const bulk_act&) = default;
};

/// Why one task did not take the act.
struct bulk_refusal {
  std::uint64_t task_number = 0;
  std::string task_id;
  std::string why;

  friend bool operator==(const bulk_refusal&, const bulk_refusal&) = default;
};

/// What is wrong with an act that is to begin, one sentence each.
std::vector<std::string> problems(const bulk_act& b);

bool is_open(const bulk_act& b);

/// Whether that task may still take the act as part of this bulk act.
bool has_yet_to_meet(const bulk_act& b, std::uint64_t task);
/// The task took it. REQUIRES: has_yet_to_meet().
void note_done(bulk_act& b, std::uint64_t task);

/// What became of a page, apart from the tasks where the act was done.
struct bulk_page_passed {
  std::uint64_t position = 0; ///< the next page begins below this number
  bool is_last = false;
  std::uint64_t refused = 0;
  std::uint64_t skipped = 0;
};
/// Counts a page, even if the act was stopped meanwhile; ends the act after the last page.
void pass(bulk_act& b, const bulk_page_passed& page, instant now);
/// Does nothing if the act is over.
void stop(bulk_act& b, std::string who, std::string why, instant now);

/// Whether an act that is over has been kept long enough.
bool may_leave(const bulk_act& b, span keep_for, instant now);

/// Why a task did not take an act.
enum class act_refusal : std::uint8_t {
  by_rule = 1, ///< the task cannot take it in its present state
  changed = 2, ///< the task is no longer as it was when it was chosen
  gone = 3,    ///< there is no such task, or the bulk act has reached it before or is over
  not_now = 4, ///< the store cannot write, or it is too early; it may work later
  unknown = 5, ///< the task may have taken it: the answer of the store was lost
};

/// What follows from the answer of one task.
enum class bulk_step : std::uint8_t { count_done, count_refused, look_again, leave_out, wait };
/// `why`: if not done. `tries`: how many with this task so far.
bulk_step step_after(bool done, act_refusal why, int tries);

/// Which of the open acts has its turn after the one with number `last`: they take turns. Absent: there is none.
std::optional<std::size_t> next_turn(const std::vector<bulk_act>& open, std::uint64_t last);

/// How long to leave the store alone after a page of `tasks` tasks that took `took`: bulk acts get at most half of the
/// time, and reach at most `rate` tasks in a second.
span pause_after_page(std::size_t tasks, span took, std::uint32_t rate);

} // namespace steadfast::workflow
