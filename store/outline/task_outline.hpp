#pragma once

#include "store/outline/definition_cache.hpp"
#include "store/outline/index_position.hpp"
#include "store/records/stored.hpp"
#include "workflow/task/invariants.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast::store {

/// An index position that does not end with its task.
class kept_index_position {
public:
  kept_index_position() = default;
  explicit kept_index_position(const index_position& p) { *this = p; }
  kept_index_position& operator=(const index_position& p);

  /// Valid as long as this and the name are.
  index_position of(std::string_view workflow_name) const;

private:
  index_position place_; ///< without its views
  std::string locked_by_;
};

/// A step that waits, for whatever its definition says.
struct waiting_step {
  std::size_t step = 0;
  std::uint32_t attempt = 0;
  std::string event_key;

  friend bool operator==(const waiting_step&, const waiting_step&) = default;
};
std::vector<waiting_step> waiting_steps(const workflow::task& t);

/// What a writer has to know of a stored task to replace it: a small part of its record.
struct task_outline {
  std::string id;
  std::string workflow;
  std::uint32_t version = 0;
  std::uint8_t priority = 0;
  std::string reply_to;
  workflow::process_state state = workflow::process_state::pending;
  std::uint64_t lock_epoch = 0;
  std::uint64_t revision = 0;
  std::uint32_t notices = 0;  ///< sequence number of the last
  bool is_in_trouble = false; ///< workflow::is_in_trouble
  bool has_parent = false;
  std::uint64_t payload_size = 0;
  std::vector<large_result> large; ///< by step
  step_rows rows;
  definition_cache::entry definition;
  kept_index_position place;
  workflow::sound_task sound; ///< the task, where a change of it is expected or much less than all of it; else nothing

  index_position placed() const { return place.of(workflow); }

  /// Takes over what the next change of the task may have changed, but for payload_size and large.
  void follow(const workflow::task& next, std::uint64_t its_revision, const index_position& its_place);
  std::vector<waiting_step> waiting{};
};
task_outline outline_of(const workflow::task& t, std::uint64_t revision, std::uint64_t payload_size,
                        std::vector<large_result> large, const step_rows& rows, definition_cache::entry d);

/// Whether it has so many that they have rows of their own.
inline bool have_rows(const workflow::step_list& steps) {
  return steps.size() > workflow::step_list::stretch_size;
}
/// Nothing has happened to them, and they need no row.
bool are_untouched(const workflow::few_steps& steps);
/// The first of that step or a later one.
std::vector<large_result>::const_iterator first_from(const std::vector<large_result>& by_step, std::size_t step);
/// Those of the stretch that begins with that step.
std::vector<large_result> large_from(const std::vector<large_result>& all, std::size_t first);

/// A task that was read, and its definition.
struct known_task {
  task_state state; ///< with all steps, wherever they are stored
  definition_cache::entry definition;

  index_position place() const { return index_position_of(state.task, *definition); }
};
task_outline outline_of(const known_task& t);

} // namespace steadfast::store
