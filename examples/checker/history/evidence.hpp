#pragma once

#include "examples/checker/history/history.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace checker {

/// What the effect logs say of one attempt's number, do or undo.
struct seen_attempt {
  std::uint32_t number = 0;
  std::uint64_t epoch_min = 0; ///< 0: none was sent
  std::uint64_t epoch_max = 0;
};

/// What the effect logs say of one step, in the order of its service's log. Of a step that started tasks, the moments
/// are those of all these tasks; of one that waited, when what it took was sent.
struct evidence {
  std::vector<names::id> do_keys;    ///< each once
  std::vector<names::id> undo_keys;  ///< each once
  std::vector<names::id> in_place;   ///< keys of effects that took place and were not reversed
  std::vector<names::id> tombstones; ///< keys that were undone, or are never to take place
  std::vector<seen_attempt> do_attempts;
  std::vector<seen_attempt> undo_attempts;
  std::vector<std::uint32_t> denying_probes; ///< attempts that were last answered: it did not happen
  std::vector<std::uint32_t> later;          ///< attempts that were answered: it ends later
  std::vector<std::uint32_t> not_later;      ///< attempts that were answered: it is done
  std::vector<std::uint32_t> finished;       ///< attempts that were answered: no other call is needed
  std::vector<std::uint32_t> unfinished;     ///< attempts that were answered: another one is
  std::optional<std::int64_t> first_do_ns;
  std::optional<std::int64_t> first_effect_ns; ///< the first line that shows it took place
  std::optional<std::int64_t> first_undo_ns;
  std::optional<std::int64_t> first_good_undo_ns; ///< the first undo that was answered well
  std::uint32_t created = 0;
  std::uint32_t created_after_undo = 0;
  bool undo_of_unknown_key = false; ///< an undo names an effect that no do of the step named
};

/// One task of the dump, with all that the logs say of it.
struct task_case {
  const checker::task* task = nullptr;
  std::span<const effect> effects;
  std::vector<evidence> steps;           ///< as task->steps
  std::vector<std::vector<bool>> before; ///< before[i][j]: step j comes before step i, directly or not
  bool alerted = false;
  bool is_child_disturbed = false; ///< a child has an alert, or a person acted on it
};

/// Whether that may have ended the step: it was not refused, and says what the step has.
bool may_have_woken(const wake& w, const step& s);

/// The step of `parent` that started the task; nullptr: none has the name in the task's id.
const step* step_that_started(const history& h, const task& parent, const task& child);

/// The history put in order: the effects by task, the tasks by name.
class sorted_history {
public:
  sorted_history(const history& h, const settings& s);

  const history& all() const { return h_; }
  const checker::settings& settings() const { return settings_; }
  std::string text(names::id n) const { return h_.names.text(n); }

  std::span<const effect> effects_of(names::id task) const;
  const std::vector<const task*>& children_of(names::id task) const;
  const std::vector<wake>& wakes_of(names::id task) const;
  const task* find(names::id id) const;  ///< the first of that id
  bool is_logged(const step& s) const;   ///< its service writes an effect log
  bool is_unlogged(const step& s) const; ///< its service writes none
  task_case case_of(const task& t) const;

private:
  void sort_effects();
  void add_children(task_case& c) const;
  void add_wakes(task_case& c) const;

  const history& h_;
  const checker::settings& settings_;
  std::vector<effect> effects_;         ///< by task; the order of the files is kept
  std::vector<std::size_t> task_begin_; ///< of the effects, by task name
  std::unordered_map<names::id, const task*> tasks_;
  std::unordered_map<names::id, std::vector<const task*>> children_;
  std::unordered_set<std::string> unlogged_;
};

} // namespace checker
