#pragma once

#include "store/outline/task_outline.hpp"
#include "store/records/key.hpp"
#include "store/verbs/decide.hpp"
#include "workflow/children/child.hpp"
#include "workflow/transition/event.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

// Tasks that are started by steps of others, and what parents and children are told of each other.

namespace steadfast::store {

/// What is to be said between a task and the child of one of its steps. It says where to look, not what is there: said
/// late or twice it does no harm. What a write cannot say itself it leaves to claims, in table child_notes.
struct child_note {
  std::uint64_t parent = 0;
  std::uint32_t step = 0;
  workflow::child_duty what = workflow::child_duty::none;
  workflow::instant at;   ///< when it became so
  std::uint32_t item = 0; ///< as parent_link::item; 0 of a step over items: all of them

  friend bool operator==(const child_note&, const child_note&) = default;
};

/// Its key in table child_notes: of one step what children are told comes before what their parent is.
key key_of(const child_note& x);
/// Of such a key. Absent: it is none.
std::optional<child_note> note_of(std::string_view table_key, workflow::instant at);

/// What the change of a task to `next` asks for of its children. `before`: its steps then, if they are known; `waited`:
/// those of them that waited.
void add_notes_to_children(const workflow::task& next, const workflow::definition& d, const workflow::step_list& before,
                           const std::vector<waiting_step>& waited, std::deque<child_note>& into);
/// The same of a task that is taken in: what began elsewhere does not begin anew.
void add_notes_of_import(const workflow::task& t, const workflow::definition& d, std::deque<child_note>& into);
/// Whether the parent of a task is to be told that it came from `before` to the state of `next`.
bool is_news_for_parent(const workflow::task& next, workflow::process_state before);

/// The request by which a child is undone.
workflow::undo_requested undo_asked_by(const workflow::task& parent);

/// How a child that does not let itself be made, or be undone, ends for its parent.
workflow::child_end not_made(std::string why);
workflow::child_end lost_child(std::string_view id);
workflow::child_end damaged_child();

} // namespace steadfast::store
