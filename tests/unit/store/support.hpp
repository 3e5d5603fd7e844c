#pragma once

#include "store/engine/lmdb_engine.hpp"
#include "tests/support/temp_folder.hpp"
#include "workflow/transition/transition.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What the tests of the store share: a directory that goes away, builders of definitions and submissions, and the few
/// writes that most tests begin with.
namespace steadfast::store::test {

/// Removed with all in it at the end of the test.
class temporary_directory : public tests::temp_folder {
public:
  std::filesystem::path store() const { return path() / "store"; }
};

/// Seconds after a fixed moment.
inline workflow::instant at(std::int64_t seconds) {
  return workflow::instant{workflow::span{1'700'000'000'000 + seconds * 1000}};
}

inline workflow::step_definition step_named(const std::string& name) {
  workflow::step_definition s;
  s.name = name;
  s.agent = name;
  s.compensation = workflow::compensation{};
  s.compensation->agent = "undo-" + name;
  return s;
}

inline workflow::definition delivery(std::uint32_t version = 1) {
  workflow::definition d;
  d.name = "delivery";
  d.version = version;
  d.steps = {step_named("package"), step_named("drone")};
  return d;
}

inline workflow::submission order(const std::string& id, const std::string& payload = "{}") {
  workflow::submission s;
  s.id = id;
  s.workflow = "delivery";
  s.payload = workflow::blob{payload};
  return s;
}

/// Of an opening: no two of a test and its children are the same.
inline std::uint64_t fresh_journal_name() {
  static std::atomic<std::uint64_t> last{0xabcd};
  return static_cast<std::uint64_t>(getpid()) << 32U | ++last;
}

/// With a journal that it can take.
inline void set_reserve(store_options& o, std::uint64_t bytes) {
  o.size_reserve = bytes;
  o.journal_max = bytes / journal_growth;
}

inline store_options small_options(const std::filesystem::path& path) {
  store_options o;
  o.path = path;
  o.size_max = 64 << 20;
  set_reserve(o, 8 << 20);
  o.recent_ids_max = 4; // so that they are moved in tests
  o.journal_name = fresh_journal_name();
  return o;
}

/// Whether each commit is one of the data file, or several share one (store_files::share).
enum class commits { alone, shared };

/// A store with the workflow `delivery` in it.
class opened_store {
public:
  explicit opened_store(commits how) : how_{how} { open(small_options(directory_.store())); }
  opened_store() : opened_store{engine_settings{}} {}
  explicit opened_store(const engine_settings& settings) : settings_{settings} {
    open(small_options(directory_.store()));
  }
  explicit opened_store(store_options options) {
    options.path = directory_.store();
    open(options);
  }

  local_store* operator->() { return engine_.get(); }
  local_store& operator*() { return *engine_; }

  const store_options& options() const { return options_; }
  std::filesystem::path path() const { return options_.path; }

  /// As when the process is killed: what is only in the journal stays there.
  void close() { engine_.reset(); }
  void reopen() {
    close();
    start();
  }
  void reopen(const store_options& options) {
    options_ = options;
    reopen();
  }

  std::atomic<bool> is_awaited = false; ///< a read waits for save()

  template <class Write>
  answer<Write> one(Write w) {
    return engine_->commit_one(std::move(w));
  }
  outcome one(const store::write& w) { return engine_->commit({w}).at(0); }
  answer<submit_task> submit(const std::string& id, const std::string& payload = "{}") {
    return one(submit_task{order(id, payload), at(0)});
  }
  /// The next task in line, taken by this scheduler.
  workflow::task take(const std::string& scheduler = "s1", std::int64_t seconds = 1) {
    return one(claim_tasks{scheduler, 1, at(seconds)}).tasks.at(0);
  }

private:
  void open(const store_options& options) {
    options_ = options;
    start();
    engine_->commit({register_definition{delivery()}});
  }
  void start() {
    options_.journal_name = fresh_journal_name();
    engine_ = std::make_unique<lmdb_engine>(options_, settings_);
    if (how_ == commits::shared)
      engine_->share([this] { is_awaited = true; });
  }

  temporary_directory directory_;
  store_options options_;
  engine_settings settings_;
  commits how_ = commits::alone;
  std::unique_ptr<local_store> engine_;
};

/// Changes the file of the store behind its back.
template <class F>
void tamper(opened_store& store, F f) {
  store.close();
  {
    lmdb::environment env{{store.path(), 1 << 26}};
    auto txn = lmdb::transaction::writing(env);
    f(txn);
    txn.commit();
  }
  store.reopen();
}

/// What opening says when it refuses, which must not be fatal; empty when it does not.
inline std::string refusal(const store_options& options, const engine_settings& settings = {}) {
  try {
    const lmdb_engine opened{options, settings};
    return {};
  } catch (const store_error& e) {
    return e.is_fatal() ? "fatal: " + std::string{e.what()} : e.what();
  }
}

inline bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The write that an event makes of a task as it was read. REQUIRES: the event is applied.
inline update_task update_by(const workflow::task& t, const workflow::definition& d, const workflow::event& e,
                             workflow::instant now) {
  auto change = workflow::apply(t, d, e, now);
  if (change.result != workflow::event_status::applied)
    throw std::logic_error{"the event was not applied: " + change.reason};
  update_task u;
  u.next = std::move(change.next);
  u.lock_epoch_before = t.lock_epoch;
  u.notices = std::move(change.notices);
  u.alerts = std::move(change.alerts);
  u.evidence = std::move(change.evidence);
  u.payload_changed = std::holds_alternative<workflow::payload_edited>(e);
  return u;
}

/// The open attempt of step `i` succeeds.
inline update_task success_of(const workflow::task& t, std::size_t i, const std::string& result = "{}",
                              std::int64_t seconds = 2) {
  workflow::attempt_succeeded e;
  e.ref = {i, t.steps.at(i).attempt, t.lock_epoch};
  e.result = workflow::blob{result};
  return update_by(t, delivery(), e, at(seconds));
}

} // namespace steadfast::store::test
