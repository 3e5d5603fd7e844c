#pragma once

#include "store/contract/options.hpp"
#include "store/verbs/tasks/task_change.hpp"
#include "workflow/children/child_payload.hpp"
#include "workflow/definition/payload_needs.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// A task that is submitted, or taken in.

namespace steadfast::store {

/// All that is stored for a task at first.
struct new_task {
  std::shared_ptr<const workflow::task> task;
  task_outline outline;
  std::vector<workflow::notice> notices;      ///< none if it has no observer
  std::vector<result_change> results;         ///< the large ones
  std::vector<workflow::payload_value> index; ///< the values of the payload by which it is found
  bool is_taken_in = false;                   ///< it began in another store
};
/// For a task that is taken in. REQUIRES: there is no problem_of it.
new_task new_task_of(const import_task& w, std::uint64_t number, definition_cache::entry d);

/// The workflow that a submission names, or the newest of that name.
struct known_workflow {
  definition_cache::entry definition; ///< null: there is none
  const workflow::payload_needs* needs = nullptr;
  std::uint32_t partitions = 1;   ///< of the store
  workflow::find_workflow find{}; ///< for the tasks that its steps start; empty: they are not looked at
};
/// Why no task of this workflow can begin with that payload, or one that its steps start; empty: they can.
std::string problem_of_payload(std::string_view payload, const known_workflow& of);

/// Why a task with this id and payload may not be in its partition. Each partition counts for itself, so all tasks with
/// one key of a limit must be in the same partition. Empty: it may.
std::string problem_of_partition(const std::string& id, std::string_view payload, const workflow::definition& of,
                                 std::uint32_t partitions);

/// Whether a write that is not its submission tells of the task, because it may be claimed.
bool is_news(const workflow::task& made);

struct submitted_task {
  answer<submit_task> said;
  bool lacks_room = false; ///< otherwise it could be made
  std::optional<new_task> put{};
};
/// For an id that is not in use. `number`: the one it gets. `has_room`: whether there is room for a payload of that
/// size; asked last. `parent`: the task whose step starts it. REQUIRES: there is no problem_of it.
submitted_task decide(const submit_task& w, const known_workflow& of, std::uint64_t number,
                      const std::function<bool(std::uint64_t payload_size)>& has_room,
                      const workflow::parent_link& parent = {});

/// For an id that stands for the same submission already. `there`: null: its task was set aside.
answer<submit_task> submitted_before(const submit_task& w, const workflow::task* there);

/// New work is refused, and an alert is raised.
struct no_room {
  decision said;
  raised_alert raised;
};
no_room no_room_for_work(const store_options& limits, bool is_disk_full, workflow::instant now);

} // namespace steadfast::store
