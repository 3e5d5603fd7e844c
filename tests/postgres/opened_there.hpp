#pragma once

#include "store/partitions/postgres_engine.hpp"
#include "tests/postgres/server.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/unit/store/support.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace steadfast::store::test {

using namespace tests;

/// A store in partition 0 of a server, with the workflow `delivery` in it, whose commits are shared.
class opened_there {
public:
  explicit opened_there(const std::string& url, std::size_t log_max = 20'000) {
    settings_.owner = owner(url, "n1");
    settings_.limits = small_options(folder_.path() / "memory");
    settings_.log_max = log_max;
    start();
    engine_->commit({register_definition{delivery()}});
  }

  postgres_engine* operator->() { return engine_.get(); }
  postgres_engine& operator*() { return *engine_; }
  postgres_store_settings& settings() { return settings_; }

  /// Another process, which takes the partition and reads what is there.
  void reopen() {
    engine_.reset();
    start();
  }
  void start() {
    settings_.owner.holder = "n" + std::to_string(++starts_);
    engine_ =
      std::make_unique<postgres_engine>(settings_, seen(settings_.owner.where.url), std::chrono::steady_clock::now);
    if (is_shared)
      engine_->share([] {});
  }
  bool is_shared = true; ///< else each commit may be of another thread

  template <class Write>
  answer<Write> one(Write w) {
    return engine_->commit_one(std::move(w));
  }
  answer<submit_task> submit(const std::string& id, const std::string& payload = "{}") {
    return one(submit_task{order(id, payload), at(0)});
  }
  /// New tasks, which fill the log: a<from> and so many in all.
  void submit_large(int count, int from = 0) {
    for (int i = from; i < from + count; ++i)
      REQUIRE(submit("a" + std::to_string(i), std::string(2000, 'x')).created);
  }

private:
  temp_folder folder_;
  postgres_store_settings settings_;
  int starts_ = 0;
  std::unique_ptr<postgres_engine> engine_;
};

inline std::string number_of(const postgres_server& server, const std::string& what) {
  return server.sql({"select " + what});
}

inline constexpr const char* rows_there = "count(*) from steadfast.kept_0";

inline constexpr const char* ended_rows_there = "count(*) from steadfast.kept_0 where ended is not null";

/// Until the rows were brought up to date once, or as long as it takes.
inline bool comes_up(opened_there& store, const postgres_server& server) {
  return comes_true([&] {
    store->save();
    return number_of(server, rows_there) != "0";
  });
}

} // namespace steadfast::store::test
