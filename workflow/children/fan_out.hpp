#pragma once

#include "workflow/children/child.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// A step that goes over items has a task for each. What is counted of them, and what becomes of the step.

namespace steadfast::workflow {

inline constexpr std::size_t items_max = 10'000;          ///< of one step
inline constexpr std::size_t items_size_max = 16'777'216; ///< bytes of the payloads of their tasks, together

/// How an item stands. Stored. A number is never changed and never used again.
enum class item_state : std::uint8_t {
  to_start = 1,
  at_work = 2,
  done = 3,
  failed = 4,        ///< nothing of it has happened
  in_error = 5,      ///< a person is needed; it may go on
  undoing = 6,       ///< its task was told
  undo_in_error = 7, ///< likewise, and what it did is in place
  undone = 8,
};

/// What is counted of the items of a step. It changes with each of them, and the task of the step hardly ever.
struct fan_out {
  std::uint32_t size = 0;
  std::uint32_t at_a_time = 0;
  std::uint32_t may_fail = 0;
  std::uint32_t generation = 0; ///< step::key_generation when it began: that of the ids
  std::uint32_t room = 0;       ///< parent_link::room of each
  std::uint32_t next = 0;       ///< items that were started
  std::uint32_t at_work = 0;    ///< of them, those that have not ended
  std::uint32_t done = 0;
  std::uint32_t failed = 0;
  std::uint32_t in_error = 0;       ///< of those at work; once it is turned, of those whose undo is left
  std::uint32_t first_in_error = 0; ///< the first of these, as parent_link::item; 0: there is none
  std::uint32_t told = 0;           ///< items that had ended when the step was last told
  std::uint64_t results_size = 0;
  bool is_gathered = false;    ///< the step has the results, and items have no records any more
  bool is_turned = false;      ///< no more are started, and those that were are undone
  std::uint32_t undo_next = 0; ///< then: of those that were started, the first so many have yet to be told
  std::uint32_t undo_left = 0; ///< were told, and have not ended
  std::string why;             ///< why the first that failed did, or why it was turned

  friend bool operator==(const fan_out&, const fan_out&) = default;
};

/// The payloads of the items' tasks, and an empty fan-out; or why there are none.
struct new_items {
  fan_out counts;
  std::vector<std::string> payloads;
  std::string problem;
};
/// REQUIRES: step `i` goes over items, and the task has its payload and large results.
new_items items_of(const task& t, const definition& d, std::size_t i);

/// What the store submits for one of them.
new_child child_for(const task& t, const definition& d, std::size_t i, const fan_out& f, std::uint32_t item,
                    std::string payload);

bool may_start_next(const fan_out& f); ///< one in error is not under way: it keeps no other from it
bool may_undo_next(const fan_out& f);  ///< likewise
bool have_ended(const fan_out& f);     ///< all of them, and none beyond those that may fail has failed
bool are_undone(const fan_out& f);     ///< all that were started
bool is_telling_due(const fan_out& f); ///< so many have ended that the step is told the counts

/// Before it is turned a person helps an item to go on, and afterwards to undo what it did.
bool needs_person(const fan_out& f, item_state s);

/// No more are started, and those that were are undone, the last one first.
void turn(fan_out& f, std::string why);
/// Does so if more failed than may, or if their results are larger than `results_size_max`. REQUIRES: the step waits:
/// of one that was passed over, what ended well stays.
void turn_if_failed(fan_out& f, std::size_t results_size_max);

/// One stands as `end` says. Returns its state; `was`: that before.
item_state note_item(fan_out& f, std::uint32_t item, item_state was, const child_end& end);
/// One was told that it is to be undone. REQUIRES: the fan-out is turned, and it was started.
item_state note_undo(fan_out& f, std::uint32_t item, item_state was);

/// Adds one that is in that state to what can be counted so, of a fan-out that is turned or is not.
void count(fan_out& f, item_state s);

/// "82 of 100 done, 1 failed"
std::string to_string(const fan_out& f);

/// An array of results in order; null where there is none.
class gathered_results {
public:
  void add(std::string_view result) {
    text_.append(text_.size() > 1 ? "," : "").append(result.empty() ? "null" : result);
  }
  std::string text() && { return std::move(text_) + "]"; }

private:
  std::string text_{"["};
};

} // namespace steadfast::workflow
