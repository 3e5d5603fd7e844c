#pragma once

#include "store/snapshot.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast::store {

/// A placement that does not end with its task.
class kept_placement {
public:
  kept_placement() = default;
  explicit kept_placement(const placement& p) { *this = p; }
  kept_placement& operator=(const placement& p);

  /// Valid as long as this and the name are.
  placement of(std::string_view workflow_name) const;

private:
  placement place_; ///< without its views
  std::string locked_by_;
};

/// What a writer has to know of a stored task to replace it: a small part of its record.
struct standing {
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
  kept_placement place;

  placement placed() const { return place.of(workflow); }

  /// Takes over what the next change of the task may have changed, but for payload_size and large.
  void follow(const workflow::task& next, std::uint64_t its_revision, const placement& its_place);
};
standing standing_of(const workflow::task& t, std::uint64_t revision, std::uint64_t payload_size,
                     std::vector<large_result> large, definition_cache::entry d);
standing standing_of(const snapshot::known_task& t);

} // namespace steadfast::store
