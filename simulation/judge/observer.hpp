#pragma once

#include "actors/protocol/messages.hpp"
#include "actors/protocol/protocols.hpp"
#include "workflow/task/task.hpp"

#include <caf/actor_system.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace steadfast::simulation {

/// A client that wants the progress of its tasks. It listens at one node after the other, and remembers over all of
/// them what it was told.
class observer {
public:
  static constexpr const char* name = "watcher";

  /// Listens there, until that node ends or it listens elsewhere. Progress it has seen is acknowledged.
  void listen(caf::actor_system& sys, const actors::gateway_actor& gateway);

  /// Sequence number of the last progress that it was told of a task; 0: none.
  std::uint32_t heard_of(std::uint64_t task) const;
  /// Progress that came too early in the sequence, a sentence each.
  const std::vector<std::string>& complaints() const { return complaints_; }
  /// Outcomes of that task, in the order in which it was told.
  std::vector<workflow::process_state> outcomes_of(std::uint64_t task) const;
  /// Progress from before it listened at a node, which was the first that it got there.
  std::uint64_t caught_up() const { return caught_up_; }

private:
  void hear(std::uint64_t life, const actors::progress& p);

  std::map<std::uint64_t, std::uint32_t> heard_; ///< by number: an id may be used again
  std::map<std::uint64_t, std::vector<workflow::process_state>> outcomes_;
  std::vector<std::string> complaints_;
  std::uint64_t life_ = 0;
  bool is_first_ = false; ///< nothing was told yet where it listens now
  std::uint64_t caught_up_ = 0;
};

} // namespace steadfast::simulation
