#include "apps/bench/load/watched_store.hpp"

#include "apps/bench/load/workload.hpp"
#include "workflow/overload.hpp"

#include <chrono>
#include <ctime>
#include <utility>
#include <variant>

namespace steadfast::bench {
namespace {

double cpu_of_this_thread() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

/// What one write of a batch did.
struct effect {
  std::uint64_t submitted = 0;
  std::uint64_t transitions = 0;
  const workflow::task* ended = nullptr;
  bool changed = false; ///< something was written at all
};

effect effect_of(const store::write& w, const store::outcome& o) {
  if (o.result != store::write_status::applied)
    return {};
  return std::visit(workflow::overload{
                      [&](const store::submit_task&) -> effect {
                        const bool created = o.as<store::submit_result>().created;
                        return {created, created, nullptr, created};
                      },
                      [&](const store::update_task& x) -> effect {
                        return {0, 1, workflow::has_ended(x.next) ? &x.next : nullptr, true};
                      },
                      [&](const store::claim_tasks&) -> effect {
                        const auto taken = o.as<store::claim_result>().tasks.size();
                        return {0, taken, nullptr, taken > 0};
                      },
                      [&](const store::free_locks&) -> effect {
                        const auto freed = o.as<store::free_result>().freed;
                        return {0, freed, nullptr, freed > 0};
                      },
                      [](const auto&) -> effect {
                        return {0, 0, nullptr, true};
                      },
                    },
                    w);
}

} // namespace

store::state_store::commit_end watched_store::begin_commit(const store::write_list& batch) {
  const auto begun = std::chrono::steady_clock::now();
  const auto cpu_before = cpu_of_this_thread();
  auto end = real_->begin_commit(batch);
  return [this, batch, begun, cpu = cpu_of_this_thread() - cpu_before, end = std::move(end)] {
    const auto cpu_before_end = cpu_of_this_thread();
    auto outcomes = end();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    count(batch, outcomes, took.count(), cpu + cpu_of_this_thread() - cpu_before_end);
    return outcomes;
  };
}

void watched_store::count(const store::write_list& batch, const std::vector<store::outcome>& outcomes, double seconds,
                          double cpu_seconds) {
  ended_tasks ended;
  const std::lock_guard lock{mutex_};
  bool changed = false;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto e = effect_of(*batch[i], outcomes[i]);
    figures_.submitted += e.submitted;
    figures_.transitions += e.transitions;
    changed = changed || e.changed;
    if (e.ended == nullptr)
      continue;
    ++figures_.ended;
    if (const auto index = index_of(e.ended->id))
      ended.push_back(*index);
  }
  ++figures_.commits;
  figures_.synced += changed ? 1 : 0;
  figures_.writes += batch.size();
  figures_.commit_seconds += seconds;
  figures_.commit_cpu_seconds += cpu_seconds;
  figures_.writer_cpu_seconds = cpu_of_this_thread();
  if (!ended.empty() && on_ended_)
    on_ended_(std::move(ended));
}

void watched_store::share(std::function<void()> wake) {
  if (shares_)
    real_->share(std::move(wake));
}

/// A sync of its own, if there was a commit to save.
void watched_store::save() {
  real_->save();
  const std::lock_guard lock{mutex_};
  figures_.synced += syncs_saves_ && figures_.commits > commits_saved_ ? 1 : 0;
  commits_saved_ = figures_.commits;
}

store_figures watched_store::figures() const {
  const std::lock_guard lock{mutex_};
  return figures_;
}

void watched_store::on_ended(std::function<void(ended_tasks)> call) {
  const std::lock_guard lock{mutex_};
  on_ended_ = std::move(call);
}

store_figures figures_of(const watched_stores& all) {
  store_figures sum;
  for (const auto& s : all) {
    const auto f = s->figures();
    sum.commits += f.commits;
    sum.synced += f.synced;
    sum.writes += f.writes;
    sum.submitted += f.submitted;
    sum.transitions += f.transitions;
    sum.ended += f.ended;
    sum.commit_seconds += f.commit_seconds;
    sum.commit_cpu_seconds += f.commit_cpu_seconds;
    sum.writer_cpu_seconds += f.writer_cpu_seconds;
  }
  return sum;
}

void on_ended(const watched_stores& all, const std::function<void(ended_tasks)>& call) {
  for (const auto& s : all)
    s->on_ended(call);
}

} // namespace steadfast::bench
