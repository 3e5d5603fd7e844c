#pragma once

#include "actors/common/figures.hpp"
#include "store/contract/journal_watch.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace steadfast {

/// How long the journals of a store take to be synced, and what is in them. For any thread to read.
class journal_figures final : public store::journal_watch {
public:
  std::shared_ptr<store::journal_watch> another() override {
    const std::lock_guard lock{mutex_};
    return others_.emplace_back(std::make_shared<journal_figures>());
  }

  void begins_sync() override { began_ = std::chrono::steady_clock::now(); }
  void ends_sync(std::uint64_t bytes, std::uint64_t held) override {
    const auto took = std::chrono::steady_clock::now() - began_;
    syncs_.count(std::chrono::duration_cast<std::chrono::microseconds>(took).count());
    written_.add(bytes);
    held_.set(held);
  }

  /// In microseconds.
  actors::histogram::reading syncs() const {
    auto all = syncs_.read();
    each([&](const journal_figures& f) { all += f.syncs(); });
    return all;
  }
  std::uint64_t bytes_written() const {
    auto all = written_.value();
    each([&](const journal_figures& f) { all += f.bytes_written(); });
    return all;
  }
  /// When they were synced last.
  std::uint64_t bytes_held() const {
    auto all = held_.value();
    each([&](const journal_figures& f) { all += f.bytes_held(); });
    return all;
  }

private:
  template <class Use>
  void each(Use use) const {
    const std::lock_guard lock{mutex_};
    for (const auto& f : others_)
      use(*f);
  }

  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<journal_figures>> others_;
  std::chrono::steady_clock::time_point began_; ///< of the thread that commits
  actors::histogram syncs_{actors::disk_times};
  actors::counter written_;
  actors::counter held_;
};

} // namespace steadfast
