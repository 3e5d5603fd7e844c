#pragma once

#include "store/outline/task_outline.hpp"
#include "store/records/key.hpp"
#include "store/verbs/decide.hpp"
#include "workflow/children/child.hpp"
#include "workflow/transition/event.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
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
/// By which it is told. `parent`: its number.
child_note note_for_parent(const workflow::task& child, std::uint64_t parent);

/// The request by which a child is undone.
workflow::undo_requested undo_asked_by(const workflow::task& parent);

// ---- what is said, about a step that starts one task ----

inline constexpr std::size_t notes_said_at_once = 200; ///< by one write; claims go on with the rest

/// Whether it is about a step that starts a task, or several.
bool is_about_children(const child_note& x, const workflow::definition& d);

/// What is done about a note.
enum class child_act : std::uint8_t {
  none,            ///< its time is over, or a person has suspended the child since it was asked
  make,            ///< the task of the step
  tell,            ///< the parent how its child stands, see told_of
  take_back_start, ///< the note of it: if there is one the step ends undone, else it is lost
  ask_undo,        ///< of the child, see undo_asked_by; if that changes nothing, see tells_after_undo
  end_undone,      ///< the step ends as never_begun says
  end_lost,        ///< it ends as lost_child says
};

/// Of a note to start. `is_id_taken`: there is a task that has the id of the child.
child_act act_of_start(const child_note& x, const workflow::task& parent, bool is_id_taken);
/// Whether a note to undo is in time.
bool is_undo_due(const child_note& x, const workflow::task& parent, const workflow::definition& d);
/// Of such a note. `child`: the task of that id; null: there is none. REQUIRES: is_undo_due.
child_act act_of_undo(const child_note& x, const workflow::task& parent, const workflow::task* child);
/// The child that did not let itself be undone has done so before, and the parent is told again.
bool tells_after_undo(const workflow::task& child);
/// What the step is told of the task that has the id of its child. `child`: with its large results; null: there is
/// none. Absent: nothing.
std::optional<workflow::child_end> told_of(const child_note& x, const workflow::task& parent,
                                           const workflow::definition& d, const known_task* child);
/// What the step is told when records of its child are damaged. Absent: nothing, and it goes on to wait.
std::optional<workflow::child_end> told_of_damage(const child_note& x);

/// How the step ends of which nothing has happened.
workflow::child_end never_begun();
/// How a child that does not let itself be made, or be undone, ends for its parent.
workflow::child_end not_made(std::string why);
workflow::child_end lost_child(std::string_view id);
/// Why no child is made under an id that a task has already.
std::string has_another_task(std::string_view id);

} // namespace steadfast::store
