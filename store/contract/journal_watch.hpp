#pragma once

#include <cstdint>
#include <memory>

namespace steadfast::store {

/// Is told what a journal does, to measure it: a store knows no time. By the thread that commits.
class journal_watch {
public:
  virtual ~journal_watch() = default;

  virtual void begins_sync() = 0;
  /// Of so many bytes; with them the journal holds `held`.
  virtual void ends_sync(std::uint64_t bytes, std::uint64_t held) = 0;
  /// For a further journal of the same store, by the thread that opens it.
  virtual std::shared_ptr<journal_watch> another() = 0;
};

} // namespace steadfast::store
