#pragma once

#include "store/postgres/ownership.hpp"

#include <filesystem>
#include <mutex>
#include <string>

namespace steadfast::store::postgres {

/// What this node has seen of a partition, as its owner or while it waited, and on which server. A server that shows
/// less has lost commits, or is a former primary that came back. Kept in a file, so that a restarted node still knows
/// it. For any thread.
class known_commits {
public:
  /// No file: it is remembered as long as this object lives.
  explicit known_commits(std::filesystem::path file = {});

  /// What is known of the store with that identity.
  acknowledged of(const std::string& identity) const;
  /// The epoch counts first, then the commit; a lower value changes nothing. What was known of another store is
  /// forgotten.
  void raise(const std::string& identity, const acknowledged& seen, const std::string& server);
  /// The server that showed it last; empty: none since this object was made.
  std::string server() const;
  /// Writes the file if there is something new. It is not synced: after a loss of power, a little less may be known.
  void save();

private:
  const std::filesystem::path file_;
  mutable std::mutex mutex_;
  std::string identity_;
  acknowledged known_;
  std::string server_;
  bool is_saved_ = true;
};

} // namespace steadfast::store::postgres
