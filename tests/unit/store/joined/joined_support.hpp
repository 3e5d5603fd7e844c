#pragma once

#include "store/joined/joined_store.hpp"
#include "tests/unit/store/support.hpp"
#include "workflow/task/partition.hpp"

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

} // namespace steadfast::store::test
