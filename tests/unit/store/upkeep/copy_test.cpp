// Checks, copies and readers.

#include "tests/unit/store/support.hpp"
#include "tests/unit/store/support_process.hpp"

#include "store/journal/restored.hpp"

#include <catch2/catch.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <future>
#include <thread>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;
namespace fs = std::filesystem;

TEST_CASE("row 69: a copy taken under load is one consistent state and opens as a store") {
  opened_store store;
  for (int i = 0; i < 200; ++i)
    store.submit("before-" + std::to_string(i), std::string(2000, 'x'));
  const auto to = store.path().parent_path() / "copy";
  std::atomic<bool> is_copied{false};
  std::thread copier{[&] {
    store->copy(to);
    is_copied = true;
  }};
  int during = 0;
  while (!is_copied) {
    // Both or none of them: one batch.
    store->commit({submit_task{order("left-" + std::to_string(during)), at(1)},
                   submit_task{order("right-" + std::to_string(during)), at(1)}, claim_tasks{"s1", 1, at(2)}});
    ++during;
  }
  copier.join();

  struct stat s {};
  REQUIRE(stat(to.c_str(), &s) == 0);
  CHECK((s.st_mode & 0777) == 0700);
  REQUIRE(stat((to / "data.mdb").c_str(), &s) == 0);
  CHECK((s.st_mode & 0777) == 0600);

  lmdb_engine copy{small_options(to)};
  const auto report = copy.check();
  CHECK(report.faults == std::vector<std::string>{});
  CHECK(report.tasks >= 200);
  for (int i = 0; i < during; ++i)
    CHECK(copy.find("left-" + std::to_string(i)).has_value() == copy.find("right-" + std::to_string(i)).has_value());
  CHECK(copy.find("before-7")->payload == store->find("before-7")->payload);
  CHECK(copy.commit_one(submit_task{order("new"), at(3)}).created);
}

TEST_CASE(
  "row 69: a restored copy starts above every epoch of the store it was made from, and says what may run again") {
  opened_store store;
  store.submit("ended");
  store.one(success_of(store.take(), 0));
  store.one(success_of(*store->find("ended"), 1));
  store.submit("running");
  store.take();
  store.submit("suspended");
  store.one(update_by(store.take(), delivery(), workflow::suspended{{"ann", "to look at it"}}, at(2)));
  const auto suspended_at = store->find("suspended")->lock_epoch;
  store.submit("waiting", "[1]");
  store.one(acquire_lease{"supervisor", "n1", "", workflow::span{1'000'000}, at(0)});
  const auto to = store.path().parent_path() / "copy";
  store->copy(to);
  for (int i = 0; i < 20; ++i) { // the original goes on
    store.one(free_locks{"s1", 1, false, at(2)});
    store.take("s1", 3);
    store.one(acquire_lease{"supervisor", "n1", "", workflow::span{1'000'000}, at(3)});
  }
  const auto last_of_original = store->leases({workflow::never}).at(0).epoch;
  for (int i = 0; i < 20; ++i)
    store.one(acquire_lease{"node/later", "later", "", workflow::span{1'000'000}, at(3)});

  for (int opening = 0; opening < 2; ++opening) { // it leaps once
    INFO("opening " << opening);
    lmdb_engine restored{small_options(to)};
    CHECK(restored.check().faults == std::vector<std::string>{});
    CHECK(restored.find("running")->lock_epoch == 1 + epoch_step);
    CHECK(restored.find("waiting")->lock_epoch == epoch_step);
    CHECK(restored.find("suspended")->lock_epoch == suspended_at + epoch_step);
    CHECK(restored.find("waiting")->payload.view() == "[1]");
    CHECK(restored.find("ended")->lock_epoch == 1);
    REQUIRE(restored.alerts(true, 10).size() == 1);
    const auto text = restored.alerts(true, 10)[0].what.text;
    CHECK(text.find("3 unfinished tasks (waiting, running, suspended)") != std::string::npos);
    CHECK(restored.find("running")->lock_epoch > store->find("running")->lock_epoch);
  }
  lmdb_engine restored{small_options(to)};
  const auto o = restored.commit({acquire_lease{"supervisor", "n2", "", workflow::span{1000}, at(4)}});
  CHECK(o[0].result == write_status::applied);
  CHECK(o[0].as<lease_result>().epoch > last_of_original);
  CHECK(restored.commit_one(acquire_lease{"node/later", "later", "", workflow::span{1000}, at(4)}).epoch > 20);
}

TEST_CASE("a copy goes to a new directory only, and leaves nothing behind when it fails") {
  opened_store store;
  const auto parent = store.path().parent_path();
  fs::create_directory(parent / "there");
  CHECK_THROWS_AS(store->copy(parent / "there"), store_error);
  CHECK(fs::is_empty(parent / "there"));
  CHECK_THROWS_AS(store->copy(parent / "no" / "such" / "place"), store_error);
}

TEST_CASE("a copy is compact: what was freed is not in it") {
  opened_store store;
  auto s = order("a");
  s.reply_to = "shop";
  store.one(submit_task{s, at(0)});
  auto u = success_of(store.take(), 0);
  u.next.notices = 1100;
  for (std::uint32_t i = 100; i < 1100; ++i)
    u.notices.push_back({i, workflow::notice_kind::step_started, std::string(1000, 'n'), "", at(1)});
  store.one(u);
  store.one(acknowledge_notices{"shop", 1, 2000});
  store->copy(store.path().parent_path() / "copy");
  CHECK(fs::file_size(store.path().parent_path() / "copy" / "data.mdb") * 4 < fs::file_size(store.path() / "data.mdb"));
}

TEST_CASE("a check reads every record of a store that is well, and finds nothing") {
  opened_store store;
  auto s = order("a", std::string(1000, 'p'));
  s.reply_to = "shop";
  store.one(submit_task{s, at(0)});
  store.submit("b");
  store.one(success_of(store.take(), 0, std::string(1000, 'r')));
  const auto report = store->check();
  CHECK(report.faults == std::vector<std::string>{});
  CHECK(report.tasks == 2);
  CHECK(report.records >= 10);
}

TEST_CASE("a check finds an index that does not fit its tasks, both ways") {
  opened_store store;
  store.submit("a");
  store.submit("b");
  store.close();
  {
    lmdb::environment env{{store.path(), 1 << 26, false}};
    auto txn = lmdb::transaction::writing(env);
    const auto ready = txn.open_table("ready").value();
    CHECK(txn.erase(ready, ready_key(5, "delivery", 1)));
    txn.put(ready, ready_key(5, "delivery", 77), {});
    txn.put(txn.open_table("locked").value(), locked_key("nobody", 2), {});
    CHECK(txn.erase(txn.open_table("recent_ids").value(), key{std::uint64_t{2}}));
    txn.commit();
  }
  store.reopen();
  const auto faults = store->check().faults;
  const auto has = [&](const std::string& fault) {
    return std::find(faults.begin(), faults.end(), fault) != faults.end();
  };
  CHECK(has("task 1 (a): missing in tables ready and delayed"));
  CHECK(has("table locked has 1 entries where there should be 0"));
  CHECK(has("task 2 (b): its id is not known"));
  CHECK(has("table ready has 2 entries where there should be 1"));
}

TEST_CASE("row 68: the reader slot of a killed process is cleared, and the file does not grow because of it") {
  opened_store store;
  const auto options = store.options();
  const acquire_lease lease{"supervisor", "n1", std::string(3000, 'n'), workflow::span{1000}, at(0)};
  const auto grown_by = [&](int commits) {
    const auto before = fs::file_size(store.path() / "data.mdb");
    for (int i = 0; i < commits; ++i)
      store.one(lease);
    return fs::file_size(store.path() / "data.mdb") - before;
  };
  grown_by(50);
  CHECK(grown_by(50) == 0);

  const auto e = in_child([&](const say&) {
    const lmdb::environment env{{options.path, options.size_max, true}};
    const auto txn = lmdb::transaction::reading(env);
    raise(SIGKILL); // with its snapshot open
    return 0;
  });
  CHECK(e.signal == SIGKILL);
  CHECK(grown_by(50) > 0); // nothing is freed while it seems to be read
  grown_by(300);
  CHECK(grown_by(1000) == 0);
}

namespace {

std::atomic<bool> is_held{false};
std::atomic<bool> may_go_on{false};

/// A thread that gets the signal stands still, whatever it does.
void stand_still(int) {
  is_held = true;
  while (!may_go_on)
    usleep(1000);
}

/// Copies a store on a thread that stands still in the midst of it, until it is let go.
class slow_copy {
public:
  slow_copy(const local_store& store, const fs::path& to, std::uint64_t begun_at) {
    std::signal(SIGUSR2, stand_still);
    is_held = may_go_on = false;
    thread_ = std::thread{[this, &store, to] {
      store.copy(to);
      is_over_ = true;
    }};
    std::error_code none_yet;
    while (fs::file_size(to / "data.mdb", none_yet) < begun_at || none_yet)
      std::this_thread::yield();
    pthread_kill(thread_.native_handle(), SIGUSR2);
    while (!is_held)
      std::this_thread::yield();
  }
  ~slow_copy() { end(); }
  slow_copy(const slow_copy&) = delete;
  slow_copy& operator=(const slow_copy&) = delete;

  bool is_over() const { return is_over_; }
  void end() {
    may_go_on = true;
    if (thread_.joinable())
      thread_.join();
  }

private:
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

} // namespace

TEST_CASE("row 69: commits that make the file larger do not wait for a copy that takes its time") {
  auto options = small_options({});
  options.size_max = 512 << 20;
  opened_store store{options};
  const std::string large(1 << 20, 'x');
  constexpr int before = 24;
  for (int i = 0; i < before; ++i)
    store.submit("before-" + std::to_string(i), large);
  const auto to = store.path().parent_path() / "copy";
  slow_copy copy{*store, to, 1 << 20};
  auto work = std::async(std::launch::async, [&] {
    for (int i = 0; i < 60; ++i) // past 64 MiB
      if (!store.submit("during-" + std::to_string(i), large).created)
        return false;
    return true;
  });
  const auto went_on = work.wait_for(std::chrono::seconds{40}) == std::future_status::ready;
  CHECK(went_on);
  CHECK_FALSE(copy.is_over());
  copy.end();
  CHECK(work.get());
  lmdb_engine copied{small_options(to)};
  CHECK(copied.counts().last_number == before);
  CHECK(copied.check().faults.empty());
}

TEST_CASE("readers in other threads see whole commits while the map grows under them") {
  engine_settings s;
  s.map_initial = 1 << 20;
  opened_store store{s};
  std::atomic<bool> is_done{false};
  std::atomic<int> torn{0};
  std::atomic<int> reads{0};
  std::vector<std::thread> readers;
  for (int r = 0; r < 2; ++r)
    readers.emplace_back([&] {
      while (!is_done) {
        const auto stats = store->counts();
        if (stats.last_number % 2 != 0)
          ++torn;
        for (const auto& t : store->list({}, {}, 5).tasks)
          if (const auto whole = store->find(t.number); !whole || whole->payload.size() != 50'000)
            ++torn;
        ++reads;
      }
    });
  for (int i = 0; i < 60; ++i)
    store->commit({submit_task{order("a" + std::to_string(i), std::string(50'000, 'x')), at(0)},
                   submit_task{order("b" + std::to_string(i), std::string(50'000, 'x')), at(0)}});
  is_done = true;
  for (auto& r : readers)
    r.join();
  CHECK(torn == 0);
  CHECK(reads > 0);
  CHECK(store->sizes().bytes_mapped >= 8 << 20);
}
