#pragma once

#ifdef STEADFAST_MUTANTS
#include "workflow/reached_mutants.hpp"
#include <string_view>
#endif

namespace steadfast::workflow {

/// Whether the bug of that name is in this program. The tests must find each: tests/mutants/mutants.txt, scripts/mutants.
#ifdef STEADFAST_MUTANTS
inline bool mutant(std::string_view name) {
  static const char* const chosen = std::getenv("STEADFAST_MUTANT");
  return note_reached(name) && chosen != nullptr && name == chosen;
}
#else
consteval bool mutant(const char* /*name*/) {
  return false; // known to the compiler: the bug is not in the program at all
}
#endif

} // namespace steadfast::workflow
