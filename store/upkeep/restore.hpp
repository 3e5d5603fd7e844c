#pragma once

#include "store/contract/options.hpp"
#include "store/contract/state_store.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace steadfast::store {

struct restored_store {
  check_report report;            ///< of what was restored
  std::string what_may_run_again; ///< a sentence; the store has it as an alert
};

/// Makes a store of a copy, or of a store that nobody has open: with all that is in its journal, and with epochs above
/// all of those that the store it was made from can have. `from` is only read. `to` must not hold a store yet; it is
/// durable on return, and holds none when this throws. `without_journal`: what is only in the journal of `from` is
/// given up. Throws store_error.
restored_store restore(const std::filesystem::path& from, const store_options& to, bool without_journal);

} // namespace steadfast::store
