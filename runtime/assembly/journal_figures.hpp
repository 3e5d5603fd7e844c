#pragma once

#include "actors/common/figures.hpp"
#include "store/contract/journal_watch.hpp"

#include <chrono>
#include <cstdint>

namespace steadfast {

/// How long the journal of a store takes to be synced, and what is in it. For any thread to read.
class journal_figures final : public store::journal_watch {
public:
  void begins_sync() override { began_ = std::chrono::steady_clock::now(); }
  void ends_sync(std::uint64_t bytes, std::uint64_t held) override {
    const auto took = std::chrono::steady_clock::now() - began_;
    syncs_.count(std::chrono::duration_cast<std::chrono::microseconds>(took).count());
    written_.add(bytes);
    held_.set(held);
  }

  actors::histogram::reading syncs() const { return syncs_.read(); } ///< in microseconds
  std::uint64_t bytes_written() const { return written_.value(); }
  std::uint64_t bytes_held() const { return held_.value(); } ///< when it was synced last

private:
  std::chrono::steady_clock::time_point began_; ///< of the thread that commits
  actors::histogram syncs_{actors::disk_times};
  actors::counter written_;
  actors::counter held_;
};

} // namespace steadfast
