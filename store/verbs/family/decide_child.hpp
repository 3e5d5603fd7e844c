#pragma once

#include "store/outline/task_outline.hpp"
#include "store/records/key.hpp"
#include "store/verbs/decide.hpp"
#include "store/verbs/tasks/new_task.hpp"
#include "workflow/children/child.hpp"
#include "workflow/transition/event.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Tasks that are started by steps of others, and what parents and children tell each other.

namespace steadfast::store {

/// Something to be said between a task and the child of one of its steps. A note says where to look, not what is there,
/// so it does no harm late or twice. Notes that a write does not act on itself are left to claims (child_notes).
struct child_note {
  std::uint64_t parent = 0;
  std::uint32_t step = 0;
  workflow::child_duty what = workflow::child_duty::none;
  workflow::instant at;   ///< when it became due
  std::uint32_t item = 0; ///< as parent_link::item; of a step over items, 0: all items

  friend bool operator==(const child_note&, const child_note&) = default;
};

/// Its key in table child_notes. Of one step, what children are told comes before what the parent is told.
key key_of(const child_note& x);
/// The note with that key. Absent: the text is no such key.
std::optional<child_note> note_of(std::string_view table_key, workflow::instant at);

/// Adds what the change of a task to `next` asks of its children. `before`: its steps before the change, if they are
/// known; `waited`: those of them that waited.
void add_notes_to_children(const workflow::task& next, const workflow::definition& d, const workflow::step_list& before,
                           const std::vector<waiting_step>& waited, std::deque<child_note>& into);
/// The same for a task that is taken in: children that began elsewhere are not started again.
void add_notes_of_import(const workflow::task& t, const workflow::definition& d, std::deque<child_note>& into);
/// The same for a task that a person has resumed: its items did not go on meanwhile.
void add_notes_of_resumed(const workflow::task& t, const workflow::definition& d, std::deque<child_note>& into);
/// Whether the parent of a task must be told that the task went from state `before` to that of `next`.
bool is_news_for_parent(const workflow::task& next, workflow::process_state before);
/// The note by which the parent is told. `parent`: the number of the parent.
child_note note_for_parent(const workflow::task& child, std::uint64_t parent);

/// The request that the child be undone.
workflow::undo_requested undo_asked_by(const workflow::task& parent);

// ---- acting on notes, for a step that starts one task ----

inline constexpr std::size_t notes_said_at_once = 200; ///< in one write; later claims go on with the rest

/// Whether the note is about a step that starts a task, or several.
bool is_about_children(const child_note& x, const workflow::definition& d);

/// What is done about a note.
enum class child_act : std::uint8_t {
  none,            ///< the note is out of date, or a person has suspended the child since it was asked
  make,            ///< make the child
  tell,            ///< tell the parent how its child stands, see told_of
  take_back_start, ///< take back the note to start: if there is one the step ends undone, else its child is lost
  ask_undo,        ///< ask the child to be undone, see undo_asked_by; if that changes nothing, see tells_after_undo
  end_undone,      ///< the step ends as never_begun says
  end_lost,        ///< the step ends as lost_child says
};

/// For a note to start. `is_id_taken`: there is a task with the id of the child.
child_act act_of_start(const child_note& x, const workflow::task& parent, bool is_id_taken);
/// Whether a note to undo is in time.
bool is_undo_due(const child_note& x, const workflow::task& parent, const workflow::definition& d);
/// For a note to undo. `child`: the task with that id; null: there is none. REQUIRES: is_undo_due.
child_act act_of_undo(const child_note& x, const workflow::task& parent, const workflow::task* child);
/// Whether a child that the request to undo did not change is undone already, so that the parent is told again.
bool tells_after_undo(const workflow::task& child);
/// What the step is told about the task with the id of its child. `child`: with its large results; null: there is none.
/// Absent: the step is told nothing.
std::optional<workflow::child_end> told_of(const child_note& x, const workflow::task& parent,
                                           const workflow::definition& d, const known_task* child);
/// What the step is told when records of its child are damaged. Absent: nothing, and it goes on waiting.
std::optional<workflow::child_end> told_of_damage(const child_note& x);

/// How a step ends whose child has not begun anything.
workflow::child_end never_begun();
/// How a child that cannot be made, or cannot be undone, ends for its parent.
workflow::child_end not_made(std::string why);
workflow::child_end lost_child(std::string_view id);
/// Why a step cannot start that task, whatever its workflow is; absent: it can. `is_id_taken`: a task has its id.
std::optional<std::string> problem_of_child(const submit_task& w, bool is_id_taken, const store_options& limits);
/// The task that a step starts. A full store makes it too, since its parent was let in. REQUIRES: there is no
/// problem_of_child.
submitted_task decide_child(const submit_task& w, const known_workflow& of, std::uint64_t number,
                            const workflow::parent_link& parent);

} // namespace steadfast::store
