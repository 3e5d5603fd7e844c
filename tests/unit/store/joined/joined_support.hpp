#pragma once

#include "store/joined/joined_store.hpp"
#include "tests/unit/store/support.hpp"
#include "workflow/task/partition.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace steadfast::store::test {

/// Several stores in files, joined, with the workflow `delivery` in each.
class opened_partitions {
public:
  explicit opened_partitions(std::uint32_t count = 3) {
    for (std::uint32_t i = 0; i < count; ++i) {
      auto o = small_options(directory_.path() / ("p" + std::to_string(i)));
      o.partition = {i, count};
      options_.push_back(std::move(o));
    }
    open();
    joined_->commit({register_definition{delivery()}});
  }

  joined_store* operator->() { return joined_.get(); }
  joined_store& operator*() { return *joined_; }
  local_store& partition(std::uint32_t i) { return *partitions_[i]; }
  store_options& options(std::uint32_t i) { return options_[i]; }
  std::filesystem::path path() const { return directory_.path(); }
  void reopen() {
    joined_.reset();
    partitions_.clear();
    open();
  }

  outcome one(const store::write& w) { return joined_->commit({w}).at(0); }
  outcome submit(const std::string& id) { return one(submit_task{order(id), at(0)}); }
  /// Ids of tasks that are in that partition, the n-th of them.
  static std::string id_in(std::uint32_t partition, int n = 0, std::uint32_t count = 3) {
    for (int i = 0;; ++i)
      if (auto id = "t" + std::to_string(i); workflow::partition_of(id, count) == partition && n-- == 0)
        return id;
  }

private:
  void open() {
    for (auto& o : options_) {
      o.journal_name = fresh_journal_name();
      partitions_.push_back(std::make_shared<lmdb_engine>(o));
    }
    joined_ = std::make_unique<joined_store>(partitions_);
  }

  temporary_directory directory_;
  std::vector<store_options> options_;
  std::vector<std::shared_ptr<local_store>> partitions_;
  std::unique_ptr<joined_store> joined_;
};

/// Its first step has failed for good, and it is an error.
inline void fail_task(opened_partitions& s, const std::string& id, std::int64_t seconds = 2) {
  REQUIRE(s.submit(id).result == write_status::applied);
  const auto taken = update_by(*s->find(id), delivery(), workflow::taken{"s1"}, at(seconds));
  REQUIRE(s.one(taken).result == write_status::applied);
  auto u = update_task{};
  u.next = *s->find(id);
  u.lock_epoch_before = u.next.lock_epoch;
  auto& step = u.next.steps.change(0);
  step.doing = workflow::attempt_action::none;
  step.log.change().back().outcome = workflow::attempt_outcome::failed_permanent;
  step.log.change().back().ended_at = at(seconds);
  step.state = workflow::step_state::unknown;
  step.maybe_done = true;
  step.error = "HTTP 503";
  u.next.state = workflow::process_state::error;
  u.next.locked_by.clear();
  u.next.ended_at = at(seconds);
  u.next.cause = "step `package` used up its attempts: HTTP 503";
  u.alerts = {{"error", u.next.cause, {}, at(seconds)}};
  const auto o = s.one(u);
  INFO(o.why);
  REQUIRE(o.result == write_status::applied);
}

} // namespace steadfast::store::test
