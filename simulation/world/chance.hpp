#pragma once

#include "workflow/time/time.hpp"

#include <cstdint>
#include <random>

namespace steadfast::simulation {

/// Everything that a run leaves to chance is drawn here, from one seed. Raw draws only: the distributions of the
/// standard library differ between platforms. Draw once per statement: the order of arguments is not defined.
class chance {
public:
  explicit chance(std::uint64_t seed) : draw_{seed} {}

  std::uint64_t below(std::uint64_t bound) { return draw_() % bound; } ///< REQUIRES: bound > 0
  bool happens(std::uint32_t per_mille) { return below(1000) < per_mille; }
  /// REQUIRES: least <= most. Both are possible.
  workflow::span between(workflow::span least, workflow::span most) {
    return least
           + workflow::span{
             static_cast<workflow::span::rep>(below(static_cast<std::uint64_t>((most - least).count()) + 1))};
  }

private:
  std::mt19937_64 draw_;
};

} // namespace steadfast::simulation
