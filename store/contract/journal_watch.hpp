#pragma once

#include <cstdint>
#include <memory>

namespace steadfast::store {

/// Is told what a journal does, in order to measure it: a store knows no time. Called by the thread that commits.
class journal_watch {
public:
  virtual ~journal_watch() = default;

  virtual void begins_sync() = 0;
  /// `bytes` were written and synced; with them the journal holds `held` bytes.
  virtual void ends_sync(std::uint64_t bytes, std::uint64_t held) = 0;
  /// A watch for another journal of the same store. Called by the thread that opens that journal.
  virtual std::shared_ptr<journal_watch> another() = 0;
};

} // namespace steadfast::store
