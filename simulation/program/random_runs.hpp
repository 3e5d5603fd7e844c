#pragma once

#include "simulation/program/lying_medium.hpp"
#include "simulation/run/run.hpp"
#include "tests/support/fast_place.hpp"
#include "tests/support/workflow/definitions.hpp"
#include "tests/support/workflow/random_workflow.hpp"

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace steadfast::simulation {

/// Workflows that the seed draws. Deadlines are short enough to pass now and then.
inline std::vector<workflow::definition> random_workflows(std::uint64_t seed) {
  std::mt19937_64 draw{seed ^ 0x5eed'0f'0f1'0e5ULL};
  std::vector<std::uint32_t> choices(400);
  for (auto& c : choices)
    c = static_cast<std::uint32_t>(draw());
  tests::chooser choose{std::move(choices)};
  std::vector<workflow::definition> all;
  for (std::uint32_t i = 0; i <= choose.below(2); ++i) {
    all.push_back(tests::random_definition(choose, i > 0, i > 0)); // one always ends soon
    for (auto& s : all.back().steps)
      if (workflow::starts_child(s)) {
        s.wait->name = "w0";
        if (workflow::is_over_items(s)) {
          s.wait->at.pointer = "/list/" + s.name;
          if (choose.one_in(2)) { // an agent carries out each item
            auto own = tests::step_named(s.name);
            own.after = s.after;
            own.when = s.when;
            own.wait = s.wait;
            own.wait->name.clear();
            s = own;
          }
        }
      }
    all.back().name = "w" + std::to_string(i);
    if (draw() % 3 == 0) {
      const auto luck = draw();
      all.back().limit = workflow::limit_rule{"/key", static_cast<std::uint32_t>(1 + luck % 2)};
      if (luck / 2 % 3 == 0)
        all.back().limit->per = std::chrono::seconds{5};
    }
  }
  return all;
}

inline run_options random_run(std::uint64_t seed, const std::filesystem::path& folder) {
  run_options o;
  o.seed = seed;
  o.workflows = random_workflows(seed);
  o.folder = folder;
  o.make_medium = make_lying_medium;
  return o;
}

} // namespace steadfast::simulation
