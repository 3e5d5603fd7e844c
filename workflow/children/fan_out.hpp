#pragma once

#include "workflow/children/child.hpp"
#include "workflow/definition/item_workflow.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// A step over items has a task for each. What is counted of these, and what becomes of the step.

namespace steadfast::workflow {

inline constexpr std::size_t items_size_max = 16'777'216; ///< bytes of the payloads of their tasks, all together

/// How an item stands. Stored. A number is never changed and never used again.
enum class item_state : std::uint8_t {
  to_start = 1,
  at_work = 2,
  done = 3,
  failed = 4,        ///< it never had any effect
  in_error = 5,      ///< a person is needed; it may go on
  undoing = 6,       ///< its task was told to undo
  undo_in_error = 7, ///< a person is needed; and what it did is still in place
  undone = 8,
};

/// The counts of the items of a step. They change with each item, while the task of the step hardly ever changes.
struct fan_out {
  std::uint32_t size = 0;
  std::uint32_t at_a_time = 0;
  std::uint32_t may_fail = 0;
  std::uint32_t generation = 0; ///< step::key_generation when it began: the one in the ids
  std::uint32_t room = 0;       ///< parent_link::room of each
  std::uint32_t next = 0;       ///< how many items were started
  std::uint32_t at_work = 0;    ///< how many of those have not ended
  std::uint32_t done = 0;
  std::uint32_t failed = 0;
  std::uint32_t in_error = 0;       ///< of those at work; once it is turned, of those whose undo is not done
  std::uint32_t first_in_error = 0; ///< the first of these, as parent_link::item; 0: there is none
  std::uint32_t told = 0;           ///< how many items had ended when the step was last told
  std::uint64_t results_size = 0;
  bool is_gathered = false;    ///< the step has the results, and the items have no records any more
  bool is_turned = false;      ///< no more items are started, and the started ones are undone
  std::uint32_t undo_next = 0; ///< once turned: how many of the started items, from the first on, were not told yet
  std::uint32_t undo_left = 0; ///< how many were told and have not ended
  std::string why;             ///< why the first failed item failed, or why the fan-out was turned

  friend bool operator==(const fan_out&, const fan_out&) = default;
};

/// The payloads of the items' tasks, and a fan-out that has begun none; or why there are none.
struct new_items {
  fan_out counts;
  std::vector<std::string> payloads;
  std::string problem;
};
/// REQUIRES: step `i` is over items, and the task has its payload and large results.
new_items items_of(const task& t, const definition& d, std::size_t i);

/// What the store submits for one item.
new_child child_for(const task& t, const definition& d, std::size_t i, const fan_out& f, std::uint32_t item,
                    std::string payload);

bool may_start_next(const fan_out& f); ///< an item in error is not under way: it keeps no other waiting
bool may_undo_next(const fan_out& f);  ///< the same rule
bool have_ended(const fan_out& f);     ///< all have ended, and no more failed than may fail
bool are_undone(const fan_out& f);     ///< all that were started
bool is_telling_due(const fan_out& f); ///< enough have ended since for the step to be told the counts

/// Before the fan-out is turned, a person helps an item to go on; afterwards, to undo what it did.
bool needs_person(const fan_out& f, item_state s);

/// No more items are started, and the started ones are undone, the last one first.
void turn(fan_out& f, std::string why);
/// Turns the fan-out if more items failed than may fail, or if their results are larger than `results_size_max`.
/// REQUIRES: the step waits; if it was passed over, items that ended well stay as they are.
void turn_if_failed(fan_out& f, std::size_t results_size_max);

/// The task of an item stands as `end` says. Returns the item's state; `was`: its state before.
item_state note_item(fan_out& f, std::uint32_t item, item_state was, const child_end& end);
/// An item was told to undo what it did. REQUIRES: the fan-out is turned, and the item was started.
item_state note_undo(fan_out& f, std::uint32_t item, item_state was);

/// Adds an item in that state to the counts that follow from states, for a fan-out that is turned or not.
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
