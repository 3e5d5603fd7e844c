#pragma once

#include "workflow/transition/transition.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace steadfast::tests {

/// Watches one task from outside and keeps its own account of what may have acted and what was undone. It shares no
/// code with the rules but the definition's graph, so that both would have to be wrong in the same way.
class witness {
public:
  witness(const workflow::definition& d, const workflow::task& t);

  /// One event and what the rules made of it.
  void saw(const workflow::task& before, const workflow::event& e, const workflow::change& c, workflow::instant now);

  /// What went against the promises, a sentence each.
  const std::vector<std::string>& complaints() const { return complaints_; }

private:
  struct step_account {
    std::set<std::uint32_t> may_have_acted;              ///< attempts, until they are undone or denied
    std::set<std::uint32_t> ordered_twice;               ///< attempts: how one order ended tells nothing of the other
    std::map<std::uint32_t, workflow::instant> quiet_at; ///< from when an attempt that nobody confirmed cannot act
    std::uint64_t performs = 0;                          ///< since a person last touched the task
    bool refused_for_good = false;
  };

  void expect(bool holds, const std::string& sentence);
  void hear(std::size_t i, const workflow::step& before, const workflow::event& e, workflow::instant now);
  void look_at_step(std::size_t i, const workflow::task& before, const workflow::change& c, workflow::instant now);
  void look_at_perform(std::size_t i, const workflow::task& before, const workflow::task& next);
  void look_at_compensation(std::size_t i, const workflow::task& next, workflow::instant now);
  void look_at_task(const workflow::task& before, const workflow::event& e, const workflow::change& c);
  void look_at_commands(const workflow::change& c);
  void look_at_messages(const workflow::task& before, const workflow::change& c);

  const workflow::definition& d_;
  workflow::ancestry before_;
  std::vector<step_account> accounts_;
  std::vector<std::string> complaints_;
};

} // namespace steadfast::tests
