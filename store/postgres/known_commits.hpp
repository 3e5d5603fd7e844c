#pragma once

#include "store/postgres/ownership.hpp"

#include <filesystem>
#include <mutex>
#include <string>

namespace steadfast::store::postgres {

/// What this node has seen of a partition, as its owner or while it waited, and where: a server that shows less has
/// lost commits, or is a former primary that came back. Kept in a file, so that a node that is restarted knows it
/// still. For any thread.
class known_commits {
public:
  /// No file: it is known as long as this lives.
  explicit known_commits(std::filesystem::path file = {});

  /// Of the store of that identity.
  acknowledged of(const std::string& identity) const;
  /// The epoch counts first, then the commit; what is lower changes nothing.
  /// What was known of another store is forgotten.
  void raise(const std::string& identity, const acknowledged& seen, const std::string& server);
  /// Where it was seen last; empty: nowhere in this life.
  std::string server() const;
  /// Writes the file if there is something new. It is not synced: a machine that loses power may know a little less.
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
