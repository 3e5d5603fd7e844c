#pragma once

#include "workflow/time/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What a person does to many tasks at once, and how far it is: which tasks it meets, what an answer means, when it is
// over. It walks from the newest task that was there when it began down to the oldest, a page at a time, and meets each
// at most once.

namespace steadfast::workflow {

/// Stored. A number is never changed and never used again.
enum class task_act : std::uint8_t { retry = 1, skip = 2, edit = 3, undo = 4, cancel = 5, suspend = 6, resume = 7 };
std::string_view to_string(task_act a);
std::optional<task_act> parse_task_act(std::string_view text);

/// Stored likewise.
enum class bulk_state : std::uint8_t { open = 1, ended = 2, stopped = 3 };
std::string_view to_string(bulk_state s);

inline constexpr std::size_t bulk_refusals_max = 1000; ///< that are kept, of one bulk act; the others are counted
inline constexpr std::size_t bulk_acts_kept = 100;     ///< above that, the oldest that are over leave
inline constexpr std::size_t bulk_page_max = 64;       ///< tasks met between two looks at the whole
inline constexpr std::size_t bulk_text_size_max =
  4096;                                   ///< of a skipped step's result, and of the conditions as they were typed
inline constexpr int bulk_tries_max = 10; ///< at one task that keeps changing

struct bulk_act {
  std::uint64_t number = 0;
  task_act act = task_act::retry;
  std::string step;     ///< of retry and skip
  std::string document; ///< of skip: the result
  bool new_key = false; ///< of retry
  std::string who;
  std::string why;
  std::string where;              ///< the conditions, as people are shown them
  std::string filter;             ///< the same as the store asks for them; what is in it is the store's
  std::uint64_t about = 0;        ///< tasks that matched when it began
  std::uint64_t beyond = 0;       ///< tasks from this number on were submitted after it began
  std::uint64_t position = 0;     ///< tasks from this number on were met, or never matched
  std::vector<std::uint64_t> met; ///< those below the position that have taken the act already
  std::uint64_t done = 0;
  std::uint64_t refused = 0;
  std::uint64_t skipped = 0; ///< tasks that matched when it began and did not any more when it was their turn
  bulk_state state = bulk_state::open;
  instant started_at;
  instant ended_at; ///< unset: it is open
  std::string stopped_by;
  std::string stopped_why;

  friend bool operator==(const bulk_act&, const bulk_act&) = default;
};

/// How one task did not take the act.
struct bulk_refusal {
  std::uint64_t task_number = 0;
  std::string task_id;
  std::string why;

  friend bool operator==(const bulk_refusal&, const bulk_refusal&) = default;
};

/// What is wrong with one that is to begin, a sentence each.
std::vector<std::string> problems(const bulk_act& b);

bool is_open(const bulk_act& b);

/// Whether that task may still take the act as a part of it.
bool has_yet_to_meet(const bulk_act& b, std::uint64_t task);
/// It took it. REQUIRES: has_yet_to_meet().
void note_done(bulk_act& b, std::uint64_t task);

/// What became of a page, but for what was done.
struct bulk_page_passed {
  std::uint64_t position = 0; ///< the next page begins below this number
  bool is_last = false;
  std::uint64_t refused = 0;
  std::uint64_t skipped = 0;
};
/// Counts it, also when it was stopped meanwhile; ends it after the last page.
void pass(bulk_act& b, const bulk_page_passed& page, instant now);
/// Does nothing to one that is over.
void stop(bulk_act& b, std::string who, std::string why, instant now);

/// Whether one that is over has been kept for long enough.
bool may_leave(const bulk_act& b, span keep_for, instant now);

/// Why a task did not take an act.
enum class act_refusal : std::uint8_t {
  by_rule = 1, ///< it cannot, as it stands
  changed = 2, ///< it is not as it was when it was chosen
  gone = 3,    ///< there is no such task, or the bulk act has met it before or is over
  not_now = 4, ///< the store cannot write, or it is too early; later it may
  unknown = 5, ///< it may have taken it: the answer of the store was lost
};

/// What comes of the answer of one task.
enum class bulk_step : std::uint8_t { count_done, count_refused, look_again, leave_out, wait };
/// `why`: with !done. `tries`: so many with this one.
bulk_step step_after(bool done, act_refusal why, int tries);

/// Which of the open ones has its turn, given which had the last one: each in its turn. Absent: there is none.
std::optional<std::size_t> next_turn(const std::vector<bulk_act>& open, std::uint64_t last);

/// How long to leave the store alone after a page of so many tasks, which took so long: at most half of the time goes
/// to bulk acts, and at most `rate` tasks are met in a second.
span pause_after_page(std::size_t tasks, span took, std::uint32_t rate);

} // namespace steadfast::workflow
