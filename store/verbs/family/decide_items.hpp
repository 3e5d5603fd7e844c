#pragma once

#include "store/contract/state_store.hpp"
#include "store/records/stored.hpp"
#include "store/verbs/family/decide_child.hpp"
#include "workflow/children/fan_out.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

// Steps over items: which item's task is made or undone next, and what the step is told.

namespace steadfast::store {

/// Whether the step waits for its items, so that it can be told about them.
bool waits_for_items(const child_note& x, const workflow::task& parent);
/// Whether nothing new is begun for its items: not one is started, and of none is the undo begun.
bool do_items_rest(const workflow::task& parent);

/// What is done about a note.
enum class items_act : std::uint8_t {
  none,            ///< the note is out of date
  begin,           ///< the items are taken from the payload or result, and the first is started
  go_on,           ///< see next_to_start
  undo,            ///< see next_to_undo
  note_end,        ///< for the item that the note names, see noted_end
  take_back_start, ///< take back the note to start: if there is one the step ends undone, else as lost_items says
  end_undone,      ///< the step ends as never_begun says
};
/// `f`: the counts of the items of the step; null: it has begun none.
items_act act_of(const child_note& x, const workflow::task& parent, const workflow::definition& d,
                 const workflow::fan_out* f);
/// How a step ends when nothing is known of its items.
workflow::child_end lost_items();

// ---- one item ----

/// The item that is started now, and counted as started; 0: none. Some may have ended while the step did not wait.
std::uint32_t next_to_start(workflow::fan_out& f, const workflow::task& parent, std::size_t results_size_max);
/// The item that is undone now, because of a note to undo; 0: none.
std::uint32_t next_to_undo(workflow::fan_out& f, const child_note& x, const workflow::task& parent);

/// What becomes of the row of an item.
struct item_row {
  bool is_erased = false; ///< nothing of it is left
  item_record put{};
};
/// For an item that is started. `why_not`: why there is no task for it; absent: there is one.
item_record started(workflow::fan_out& f, std::uint32_t item, const std::optional<std::string>& why_not);
/// The task of the item stands as `end` says. Absent: that changes nothing.
std::optional<item_row> noted_end(workflow::fan_out& f, std::uint32_t item, workflow::item_state was,
                                  workflow::child_end end);

/// Whether the item may have had an effect. `there`: its row; null: it has none.
bool may_need_undo(const workflow::fan_out& f, const item_record* there);
/// Whether the task of such an item is told to undo. `child`: null: the item has none.
bool needs_undo(const workflow::task* child);
/// The state of an item that is told to undo what it did.
workflow::item_state told_to_undo(workflow::fan_out& f, std::uint32_t item, const item_record* there);
workflow::undo_requested undo_asked_by(const workflow::task& parent, const workflow::fan_out& f);
/// The item was told to undo, and its task stands as `end` says.
item_row noted_undo(workflow::fan_out& f, std::uint32_t item, workflow::item_state told,
                    const workflow::child_end& end);

/// What is asked of an item that was started.
struct item_questions {
  std::function<std::optional<item_record>(std::uint32_t item)> row;
  std::function<std::optional<workflow::task>(std::uint32_t item)> child; ///< asked where there is no row
};
/// What an undo that is under way, or began now, has to do.
items_undo undo_of_items(const workflow::fan_out& f, const item_questions& ask);

// ---- the step ----

/// What follows once something was counted, in the order of the fields.
struct items_news {
  bool is_put = false;         ///< the counts have changed and are stored
  bool is_next_undone = false; ///< an item is undone next, by a note to undo
  bool are_gathered = false;   ///< the results are gathered: it ends as end_with_results says, and no more follows
  std::optional<workflow::child_end> ended{};   ///< the step ends like this, and nothing else follows
  bool is_in_trouble = false;                   ///< the step is told of it as trouble_of says
  std::optional<workflow::child_end> counted{}; ///< the step is told how many have ended
  bool is_next_started = false;                 ///< an item is started next, by a note to start
};
/// To be called before the counts are looked at. `waits`: waits_for_items.
void turn_if_due(workflow::fan_out& f, bool waits, std::size_t results_size_max);
/// The first item in error is no longer known, and must be looked for among the rows (needs_person).
bool is_first_in_error_unknown(const workflow::fan_out& f);
/// `before`: the earlier counts. `rest`: do_items_rest. REQUIRES: the first item in error is known, if any row is in
/// error.
items_news news_of(const workflow::fan_out& before, workflow::fan_out& f, bool waits, bool rest);

/// Whether the step must be told anything when items get into error or out of it.
bool is_trouble_told(const workflow::fan_out& f, bool waits);
/// What the step is told then. `first`: how the first item in error stands; absent: it has no task, or there is none.
workflow::child_end trouble_of(const workflow::fan_out& f, bool waits, std::optional<workflow::child_end> first);

/// How the step ends with those results. From now on its items have no rows.
workflow::child_end end_with_results(workflow::fan_out& f, const workflow::definition& d, std::size_t step,
                                     std::string results);

} // namespace steadfast::store
