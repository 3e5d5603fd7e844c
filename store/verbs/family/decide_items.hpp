#pragma once

#include "store/records/stored.hpp"
#include "store/verbs/family/decide_child.hpp"
#include "workflow/children/fan_out.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

// Steps that go over items: which of their tasks is made, or undone, next, and what their step is told.

namespace steadfast::store {

/// Whether the step waits for its items, and is told of them.
bool waits_for_items(const child_note& x, const workflow::task& parent);

/// What is done about a note.
enum class items_act : std::uint8_t {
  none,            ///< its time is over
  begin,           ///< the items are taken from the task, and the first is started
  go_on,           ///< see next_to_start
  undo,            ///< see next_to_undo
  note_end,        ///< of the item that the note names, see noted_end
  take_back_start, ///< the note of it: if there is one the step ends undone, else as lost_items says
  end_undone,      ///< the step ends as never_begun says
};
/// `f`: what is counted of the items of the step; null: it has not begun with any.
items_act act_of(const child_note& x, const workflow::task& parent, const workflow::definition& d,
                 const workflow::fan_out* f);
/// How a step ends of whose items nothing is known.
workflow::child_end lost_items();

// ---- one item ----

/// The one that is started now, and counted so; 0: none. Some may have ended while the step did not wait.
std::uint32_t next_to_start(workflow::fan_out& f, std::size_t results_size_max);
/// The one that is undone now, by a note to undo; 0: none.
std::uint32_t next_to_undo(workflow::fan_out& f, const child_note& x, const workflow::task& parent);

/// What becomes of the row of an item.
struct item_row {
  bool is_erased = false; ///< nothing of it is left
  item_record put{};
};
/// Of one that is started. `why_not`: there is no task for it; absent: there is.
item_record started(workflow::fan_out& f, std::uint32_t item, const std::optional<std::string>& why_not);
/// Its task stands as `end` says. Absent: that is no news.
std::optional<item_row> noted_end(workflow::fan_out& f, std::uint32_t item, workflow::item_state was,
                                  workflow::child_end end);

/// Whether something of it may have happened. `there`: its row; null: it has none.
bool may_need_undo(const workflow::fan_out& f, const item_record* there);
/// It is told to undo what it did; its state.
workflow::item_state told_to_undo(workflow::fan_out& f, std::uint32_t item, const item_record* there);
workflow::undo_requested undo_asked_by(const workflow::task& parent, const workflow::fan_out& f);
/// It was told so, and its task stands as `end` says.
item_row noted_undo(workflow::fan_out& f, std::uint32_t item, workflow::item_state told,
                    const workflow::child_end& end);

// ---- the step ----

/// What follows once something was counted, in this order.
struct items_news {
  bool is_put = false;         ///< what is counted
  bool is_next_undone = false; ///< by a note to undo
  bool are_gathered = false;   ///< the results: the step ends as end_with_results says, and nothing else follows
  std::optional<workflow::child_end> ended{};   ///< the step ends so, and nothing else follows
  bool is_in_trouble = false;                   ///< it is told as trouble_of says
  std::optional<workflow::child_end> counted{}; ///< it is told so
  bool is_next_started = false;                 ///< by a note to start
};
/// To be asked before what is counted is looked at. `waits`: waits_for_items.
void turn_if_due(workflow::fan_out& f, bool waits, std::size_t results_size_max);
/// The first of those in error is not known any more, and is looked for among the rows (needs_person).
bool is_first_in_error_unknown(const workflow::fan_out& f);
/// `before`: what was counted until then. REQUIRES: the first in error is known, if any row has one.
items_news news_of(const workflow::fan_out& before, workflow::fan_out& f, bool waits);

/// Whether the step has anything to be told when items have begun or ceased to be in error.
bool is_trouble_told(const workflow::fan_out& f, bool waits);
/// How the step stands then. `first`: how the first item in error does; absent: it has no task, or there is none.
workflow::child_end trouble_of(const workflow::fan_out& f, bool waits, std::optional<workflow::child_end> first);

/// How the step ends with those results, of which the items have no rows from now on.
workflow::child_end end_with_results(workflow::fan_out& f, const workflow::definition& d, std::size_t step,
                                     std::string results);

} // namespace steadfast::store
