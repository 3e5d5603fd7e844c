#pragma once

#include "store/contract/state_store.hpp"

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast::fuzz {

/// All that a store tells by its reading verbs: what it is ("task 3", "lease supervisor") and the bytes of it.
using told = std::map<std::string, std::string>;
told all_of(const store::state_store& s);

/// Every state that the store of base_store() was in, the last of them the one in the file.
struct history {
  std::vector<told> states;
  std::map<std::string, std::set<std::string>> ever; ///< all values of a thing

  void add(told now);
  /// The first thing that was never told in that way; empty: there is none.
  std::string never_told(const told& now) const;
  bool knows(const told& now) const; ///< as one of the states as a whole
  /// The first thing that was otherwise, or was not there, in the last state; empty: there is none.
  std::string changed_in(const told& now) const;
};

/// A small store, always the same: tasks in several states, with small and large payloads and results, leases, alerts,
/// notices and late replies, over several commits, so that the file has free pages and older versions of pages too.
struct base_store {
  std::string bytes;  ///< of the data file
  std::string closed; ///< of the mark that it was closed in good order
  history past;
};
const base_store& base();

/// Writes a file that only its owner can reach, in place of one that is there.
void put_private(const std::filesystem::path& path, std::string_view bytes);

/// Makes the directory of a store: the data file with these bytes, the mark if it is not empty, and no more.
void lay_down(const std::filesystem::path& directory, std::string_view data, std::string_view closed = {});

} // namespace steadfast::fuzz
