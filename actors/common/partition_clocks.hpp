#pragma once

#include "actors/common/clock.hpp"
#include "workflow/task/partition.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace steadfast::actors {

/// The clocks that a node uses: one for each partition of the store, which follows the clock of that partition's node.
/// All of them count on from the node's own clock.
class partition_clocks {
public:
  /// One clock for all partitions.
  partition_clocks(node_clock one = {}) : all_{std::move(one)} {}
  /// REQUIRES: there is one for each partition, in order.
  explicit partition_clocks(std::vector<node_clock> all) : all_{std::move(all)} {}

  const node_clock& operator[](std::size_t partition) const { return all_.size() == 1 ? all_[0] : all_[partition]; }
  const node_clock& of_task(std::uint64_t number) const { return all_[place_of(number)]; }
  std::size_t place_of(std::uint64_t number) const {
    return workflow::partition_of_number(number, static_cast<std::uint32_t>(all_.size()));
  }

  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

private:
  std::vector<node_clock> all_;
};

/// One even clock for an actor that works for all partitions: it is behind none of their clocks. None of those falls
/// far behind the others: when one begins to follow another clock, it is set to at least what the others have gained.
class even_clocks {
public:
  explicit even_clocks(const partition_clocks& of) : of_{of}, all_{of.begin(), of.end()} {}

  template <class Self>
  workflow::instant now(const Self* self) {
    const auto own = own_time(self);
    auto most = all_.front().gained();
    for (const auto& c : all_)
      most = std::max(most, c.gained());
    auto latest = workflow::instant::min();
    for (auto& c : all_)
      latest = std::max(latest, c.at_own(own, most));
    return latest;
  }

  /// The clock by which a task with that number is timed: as far as is known, not ahead of this one. REQUIRES: now()
  /// was called just before.
  const even_clock& of_task(std::uint64_t number) const { return all_[of_.place_of(number)]; }

  template <class Self>
  workflow::instant own_time(const Self* self) const {
    return all_.front().own_time(self);
  }
  workflow::span longest_wait() const { return all_.front().longest_wait(); }

private:
  partition_clocks of_;
  std::vector<even_clock> all_;
};

} // namespace steadfast::actors
