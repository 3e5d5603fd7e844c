#pragma once

#include "store/snapshot.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace steadfast::store {

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
  std::uint32_t notices = 0; ///< sequence number of the last
  std::uint64_t payload_size = 0;
  std::vector<large_result> large;
  definition_cache::entry definition;
  placement place; ///< but for locked_by and workflow, which are views
  std::string locked_by;

  placement placed() const;
};
standing standing_of(const workflow::task& t, std::uint64_t revision, std::uint64_t payload_size,
                     std::vector<large_result> large, definition_cache::entry d);
standing standing_of(const snapshot::known_task& t);

/// The tasks in hand that were written last, so that the next change of one need not read it. Holds only what was committed,
/// and only for the one writer. Memory: at most tasks_max entries.
class standings {
public:
  static constexpr std::size_t tasks_max = 32'768;

  using changes = std::unordered_map<std::uint64_t, std::shared_ptr<const standing>>; ///< null: forget it

  std::shared_ptr<const standing> find(std::uint64_t number) const;
  void take_over(changes& committed);

private:
  std::unordered_map<std::uint64_t, std::shared_ptr<const standing>> entries_;
};

} // namespace steadfast::store
