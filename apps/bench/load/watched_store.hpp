#pragma once

#include "store/contract/wrapped_store.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace steadfast::bench {

/// Since the store was opened.
struct store_figures {
  std::uint64_t commits = 0;     ///< batches
  std::uint64_t synced = 0;      ///< those that changed something, and so were synced; and each save of the data file
  std::uint64_t writes = 0;      ///< in all batches
  std::uint64_t submitted = 0;   ///< tasks made
  std::uint64_t transitions = 0; ///< states of tasks stored, that of a new task included
  std::uint64_t ended = 0;       ///< tasks that came to an end
  double commit_seconds = 0;     ///< spent in commits
  double commit_cpu_seconds = 0; ///< of it: the processor was at work
  double writer_cpu_seconds = 0; ///< of the thread that commits, all that it does
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(store_figures, commits, synced, writes, submitted, transitions, ended,
                                                commit_seconds, commit_cpu_seconds, writer_cpu_seconds)

/// Indexes of tasks whose end was just made durable.
using ended_tasks = std::vector<std::uint64_t>;

/// A wrapper of a node's real store that counts what is committed.
class watched_store final : public store::wrapped_store {
public:
  /// `shares` false: not only the node's store_actor commits. `syncs_saves` false: the data file is only its memory.
  watched_store(std::shared_ptr<store::local_store> real, bool shares, bool syncs_saves = true)
      : real_{std::move(real)},
        shares_{shares},
        syncs_saves_{syncs_saves} {}

  using state_store::commit;
  std::vector<store::outcome> commit(const store::write_list& batch) override { return begin_commit(batch)(); }
  commit_end begin_commit(const store::write_list& batch) override;
  std::size_t commits_at_once() const override { return real_->commits_at_once(); }
  void share(std::function<void()> wake) override;
  void save() override;

  store_figures figures() const;
  /// Called on the thread that commits, after the commit. Empty: nobody is.
  void on_ended(std::function<void(ended_tasks)> call);

protected:
  store::local_store& real() const override { return *real_; }

private:
  void count(const store::write_list& batch, const std::vector<store::outcome>& outcomes, double seconds,
             double cpu_seconds);

  std::shared_ptr<store::local_store> real_;
  bool shares_;
  bool syncs_saves_;
  mutable std::mutex mutex_;
  store_figures figures_;
  std::uint64_t commits_saved_ = 0; ///< of those in figures_
  std::function<void(ended_tasks)> on_ended_;
};

/// Of a node: one for each partition; none: it has no store.
using watched_stores = std::vector<std::shared_ptr<watched_store>>;
/// Of all together.
store_figures figures_of(const watched_stores& all);
/// Called likewise, by each on its thread.
void on_ended(const watched_stores& all, const std::function<void(ended_tasks)>& call);

} // namespace steadfast::bench
