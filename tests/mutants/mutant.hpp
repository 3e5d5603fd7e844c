#pragma once

#include <cstdlib>
#include <fstream>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

/// Every source of the copy that has the bugs built in begins with this file (tests/mutants/build_in).

/// The file STEADFAST_MUTANTS_REACHED, if it is named, gets the name of each bug that was asked for, once a process; so a process and
/// its forks may write the same one. No other bug can be found by that run.
inline void note_reached(std::string_view name) {
  static const char* const file = std::getenv("STEADFAST_MUTANTS_REACHED");
  if (file == nullptr)
    return;
  static std::mutex guard;
  static std::set<std::string, std::less<>> known;
  const std::lock_guard lock{guard};
  if (!known.contains(name)) {
    known.emplace(name);
    (std::ofstream{file, std::ios::app} << std::string{name} + "\n").flush();
  }
}

/// Whether the environment variable STEADFAST_MUTANT chooses the bug of that name.
inline bool mutant(std::string_view name) {
  static const char* const chosen = std::getenv("STEADFAST_MUTANT");
  note_reached(name);
  return chosen != nullptr && name == chosen;
}
