#pragma once

#include "simulation/run/run.hpp"
#include "simulation/world/script.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace steadfast::tests {

/// Throws std::exception when it is not what `steadfast-sim --record` writes.
inline simulation::script script_in(const std::filesystem::path& file) {
  std::ifstream in{file};
  return simulation::parse_script(std::string{std::istreambuf_iterator<char>{in}, {}});
}

/// So that the script befalls the run, and its seed decides only in which order things happen. REQUIRES: it outlives
/// the run.
inline void play(simulation::run_options& o, const simulation::script& s) {
  o.play = &s;
  o.workflows = s.shape.workflows;
}

} // namespace steadfast::tests
