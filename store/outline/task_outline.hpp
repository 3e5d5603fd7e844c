#pragma once

#include "store/records/stored.hpp"
#include "store/verbs/definition_cache.hpp"
#include "store/verbs/index_position.hpp"
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
  std::uint64_t payload_size = 0;
  std::vector<large_result> large;
  definition_cache::entry definition;
  kept_index_position place;
  workflow::sound_task sound; ///< the task, where a change of one is much less than all of it; else nothing

  index_position placed() const { return place.of(workflow); }

  /// Takes over what the next change of the task may have changed, but for payload_size and large.
  void follow(const workflow::task& next, std::uint64_t its_revision, const index_position& its_place);
};
task_outline outline_of(const workflow::task& t, std::uint64_t revision, std::uint64_t payload_size,
                        std::vector<large_result> large, definition_cache::entry d);

/// A task that was read, and its definition.
struct known_task {
  task_state state;
  definition_cache::entry definition;

  index_position place() const { return index_position_of(state.task, *definition); }
};
task_outline outline_of(const known_task& t);

} // namespace steadfast::store
