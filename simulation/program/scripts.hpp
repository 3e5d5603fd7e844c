#pragma once

#include "simulation/run/run.hpp"
#include "simulation/world/script.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace steadfast::simulation {

/// Throws std::exception if it was not written by `steadfast-sim --record`.
inline script script_in(const std::filesystem::path& file) {
  std::ifstream in{file};
  return parse_script(std::string{std::istreambuf_iterator<char>{in}, {}});
}

/// With these the events of the run come from the script, and its seed decides only their order. REQUIRES: the script
/// outlives the run.
inline void play(run_options& o, const script& s) {
  o.play = &s;
  o.workflows = s.shape.workflows;
}

} // namespace steadfast::simulation
