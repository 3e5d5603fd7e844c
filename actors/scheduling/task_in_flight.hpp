#pragma once

#include "actors/protocol/boxed.hpp"
#include "store/contract/state_store.hpp"
#include "workflow/definition/definition.hpp"
#include "workflow/task/task.hpp"
#include "workflow/transition/event.hpp"
#include "workflow/transition/transition.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <vector>

namespace steadfast::actors {

class state_tree;

/// A task that a scheduler has locked.
struct task_in_flight {
  std::shared_ptr<const workflow::task> stored; ///< the stored task, except for its revision
  std::uint64_t revision = 0;                   ///< in the store
  workflow::instant clock;                      ///< that decided or stored it last, as node_clock identifies it
  boxed<workflow::definition> definition;
  std::list<workflow::event> waiting;      ///< until the store has answered
  boxed<store::write> written;             ///< the change that is on its way to disk, if one is
  std::vector<workflow::command> commands; ///< to be carried out once it is there
  std::optional<workflow::event> cause;    ///< of the change that is on its way
  bool reload = false;                     ///< somebody else changed the task: read it before going on
  bool reading = false;

  const workflow::task& task() const { return *stored; }
};

/// Whether it is known how the step's attempt ended, and that waits to be applied.
bool has_answer(const task_in_flight& t, std::size_t step);

/// As it is shown to people who inspect the scheduler.
state_tree tree_of(const task_in_flight& t);

} // namespace steadfast::actors
