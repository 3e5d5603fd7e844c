#pragma once

#include "store/contract/state_store.hpp"
#include "workflow/time/time.hpp"
#include "workflow/transition/event.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace steadfast::tests {

/// What was acknowledged, in memory: a model that is too simple to be wrong.
struct book {
  std::map<std::string, workflow::task> tasks;
  std::map<std::string, std::uint64_t> lease_epochs;
  std::uint64_t last_number = 0;
};

/// A write, and what it makes of a book; `no_room`: new work is refused.
struct planned {
  store::write what;
  std::function<void(book&, bool no_room)> effect;
};

/// Empty: the store holds what the book says.
std::string difference(const store::state_store& s, const book& b);

/// Draws writes. What one does to tasks is what workflow::apply makes of them.
class planner {
public:
  /// REQUIRES: `draw` outlives it.
  explicit planner(std::mt19937_64& draw) : draw_{draw} {}

  /// One more for the batch, of what is acknowledged until now.
  void plan(std::vector<planned>& batch, const book& known, workflow::instant now);

private:
  std::uint64_t below(std::uint64_t bound) { return draw_() % bound; }
  std::string text(std::size_t max) { return std::string(below(max) + 1, static_cast<char>('a' + below(26))); }

  void plan_submission(std::vector<planned>& batch, const book& known, workflow::instant now);
  void plan_claim(std::vector<planned>& batch, workflow::instant now);
  void plan_freeing(std::vector<planned>& batch, workflow::instant now);
  void plan_update(std::vector<planned>& batch, const book& known, workflow::instant now);
  workflow::event event_for(const workflow::task& t);

  std::mt19937_64& draw_;
  std::uint64_t ids_ = 0;
};

} // namespace steadfast::tests
