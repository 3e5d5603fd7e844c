// What happens when the map or the disk is used up.

#include "tests/support/file_limit.hpp"
#include "tests/support/skip.hpp"
#include "tests/unit/store/support.hpp"
#include "tests/unit/store/support_process.hpp"

#include <catch2/catch.hpp>

#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;
namespace fs = std::filesystem;

namespace {

const std::string large_payload(100'000, 'x');

/// Submits until it is told that there is no room; how many were taken.
std::size_t fill(opened_store& store, const std::string& prefix) {
  for (std::size_t i = 0; i < 10'000; ++i) {
    const auto o = store.submit(prefix + std::to_string(i), large_payload);
    if (o.result == write_status::full)
      return i;
    REQUIRE(o.created);
  }
  FAIL("the store never was full");
  return 0;
}

/// A file system of its own, so that the disk can be filled.
class small_disk {
public:
  small_disk() {
    const auto options = "size=" + std::to_string(24 << 20);
    is_mounted_ = mount("tmpfs", directory_.path().c_str(), "tmpfs", 0, options.c_str()) == 0;
  }
  ~small_disk() {
    if (is_mounted_)
      umount2(directory_.path().c_str(), MNT_DETACH);
  }
  small_disk(const small_disk&) = delete;
  small_disk& operator=(const small_disk&) = delete;

  explicit operator bool() const { return is_mounted_; }
  fs::path store() const { return directory_.store(); }
  fs::path other_file() const { return directory_.path() / "other"; }

  /// Somebody else takes all the room that is left.
  void fill_up() const {
    std::ofstream file{other_file(), std::ios::binary};
    const std::string block(4096, 'x');
    while (file.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
    }
  }

private:
  temporary_directory directory_;
  bool is_mounted_ = false;
};

} // namespace

TEST_CASE("row 60: of a batch that is larger than the room that is left, the first are taken") {
  opened_store store;
  std::vector<store::write> batch;
  for (int i = 0; i < 1000; ++i)
    batch.emplace_back(submit_task{order("t" + std::to_string(i), large_payload), at(0)});
  const auto outcomes = store->commit(batch);
  const auto is_taken = [](const outcome& o) { return o.as<submit_result>().created; };
  const auto taken = std::count_if(outcomes.begin(), outcomes.end(), is_taken);
  const auto room = (store.options().size_max - store.options().size_reserve) / large_payload.size();
  CHECK(taken <= static_cast<std::ptrdiff_t>(room));
  CHECK(taken >= static_cast<std::ptrdiff_t>(room * 9 / 10));
  CHECK(std::is_partitioned(outcomes.begin(), outcomes.end(), is_taken));
  CHECK(outcomes.back().result == write_status::full);
}

TEST_CASE("the map grows by itself up to its limit, in the middle of a batch too") {
  engine_settings s;
  s.map_initial = 1 << 20;
  opened_store store{s};
  CHECK(store->sizes().bytes_mapped == 1 << 20);
  std::vector<store::write> batch;
  for (int i = 0; i < 100; ++i)
    batch.emplace_back(submit_task{order("t" + std::to_string(i), large_payload), at(0)});
  for (const auto& o : store->commit(batch))
    CHECK(o.as<submit_result>().created);
  CHECK(store->sizes().bytes_mapped >= 16 << 20);
  CHECK(store->sizes().bytes_mapped <= store.options().size_max);
  CHECK(store->find("t99")->payload.view() == large_payload);
  CHECK(store->counts().last_number == 100);
}

TEST_CASE("row 60: a full store refuses new work and still records running work") {
  auto options = small_options({});
  options.size_max = 16 << 20;
  set_reserve(options, 4 << 20);
  opened_store store{options};
  const auto count = fill(store, "t");
  CHECK(count > 50);

  CHECK(store.submit("one-more").result == write_status::full);
  CHECK(store.submit("t0", large_payload).result == write_status::applied);
  CHECK(store.one(acquire_lease{"supervisor", "n1", "", workflow::span{1000}, at(0)}).result == write_status::applied);
  const auto tasks = store.one(claim_tasks{"s1", count, at(1)}).tasks;
  CHECK(tasks.size() == count);
  for (const auto& t : tasks) {
    CHECK(store.one(success_of(t, 0, std::string(1000, 'r'))).result == write_status::applied);
    CHECK(store.one(success_of(*store->find(t.number), 1)).result == write_status::applied);
  }
  CHECK(store.submit("one-more").result == write_status::full);
  store.reopen();
  CHECK(store->counts().tasks[workflow::process_state::processed] == count);
  CHECK(store->check().faults.empty());
}

TEST_CASE("row 60: what fills the reserve too is refused as a whole, and the store lives on") {
  auto options = small_options({});
  options.size_max = 16 << 20;
  set_reserve(options, 1 << 20);
  opened_store store{options};
  fill(store, "t");
  const auto tasks = store.one(claim_tasks{"s1", 20, at(1)}).tasks;
  std::size_t recorded = 0;
  try {
    for (; recorded < tasks.size(); ++recorded) {
      const auto o = store.one(success_of(tasks[recorded], 0, std::string(900'000, 'r')));
      REQUIRE(o.result == write_status::applied);
    }
  } catch (const store_error& e) {
    CHECK_FALSE(e.is_fatal());
    CHECK(std::string{e.what()}.find("store.size_max") != std::string::npos);
  }
  REQUIRE(recorded < tasks.size());
  CHECK(store->find(tasks[recorded].id) == tasks[recorded]);
  CHECK(store.one(success_of(tasks[recorded], 0)).result == write_status::applied);
  CHECK(store->check().faults.empty());
}

TEST_CASE("row 60: in a store that is nearly full all that is acknowledged is saved, read, and there after a kill") {
  const auto reserve = GENERATE(std::uint64_t{1}, std::uint64_t{4}) << 20;
  auto options = small_options({});
  options.size_max = 16 << 20;
  set_reserve(options, reserve);
  engine_settings settings;
  settings.map_initial = 1 << 20;
  temporary_directory d;
  options.path = d.store();
  std::map<std::string, workflow::task> acknowledged;
  {
    lmdb_engine store{options, settings};
    store.commit({register_definition{delivery()}});
    store.share([] {});
    bool is_full = false;
    for (int i = 0; !is_full; ++i) { // small ones, whose tables fill the map
      std::vector<store::write> batch;
      for (int j = 0; j < 100; ++j)
        batch.emplace_back(submit_task{order(std::to_string(i * 7919 + j) + std::string(100, 'i')), at(0)});
      for (const auto& o : store.commit(batch))
        is_full = is_full || o.result == write_status::full;
      REQUIRE(i < 1000);
    }
    int refused = 0;
    for (int i = 0; i < 100'000 && refused < 3; ++i) {
      try {
        const auto taken = store.commit({claim_tasks{"s1", 50, at(1)}});
        for (const auto& t : taken[0].as<claim_result>().tasks) {
          auto done = success_of(t, 0, std::string(5000, 'r'));
          const auto o = store.commit({done});
          REQUIRE(o[0].result == write_status::applied);
          acknowledged[t.id] = done.next;
        }
      } catch (const store_error& e) {
        CHECK_FALSE(e.is_fatal());
        CHECK(mentions(e.what(), "store.size_max"));
        ++refused;
      }
    }
    CHECK(refused == 3);
    REQUIRE(acknowledged.size() > 20);
    CHECK(store.find(acknowledged.begin()->first)->steps[0].state == workflow::step_state::completed);
    CHECK(store.sizes().bytes_mapped <= options.size_max);
    // and killed, with the last commits only in the journal
  }
  CHECK(refusal(options, settings).empty());
  options.journal_name = fresh_journal_name();
  lmdb_engine again{options, settings};
  for (const auto& [id, t] : acknowledged) {
    const auto found = again.find(id);
    REQUIRE(found);
    REQUIRE(found->steps[0].state == workflow::step_state::completed);
  }
  CHECK(again.check().faults.empty());
  CHECK(fs::file_size(options.path / "data.mdb") <= options.size_max);
}

TEST_CASE("row 60: a store that is full says so to who asks, and once to people until they have seen it") {
  auto options = small_options({});
  options.size_max = 16 << 20;
  set_reserve(options, 4 << 20);
  opened_store store{options};
  fill(store, "t");
  CHECK(mentions(store.submit("more").why, "the store is full"));
  CHECK(mentions(store.submit("more").why, "store.size_max, 16 MiB"));
  const auto alerts = store->alerts(true, 10);
  REQUIRE(alerts.size() == 1);
  CHECK(alerts[0].what.kind == "store_full");
  CHECK(mentions(alerts[0].what.text, "store.size_max"));
  CHECK(store.one(acknowledge_alert{alerts[0].number, "ann", at(1)}).result == write_status::applied);
  CHECK(store.submit("more").result == write_status::full); // it is the same time of need
  CHECK(store->alerts(true, 10).empty());
  CHECK(store->check().faults.empty());
}

TEST_CASE(
  "row 60: on a full disk new work is refused, running work goes on, and it recovers when there is room again") {
  small_disk disk;
  if (!disk) {
    tests::skip("a file system for the test cannot be mounted here");
    return;
  }
  auto options = small_options(disk.store());
  set_reserve(options, 4 << 20);
  lmdb_engine store{options};
  store.commit({register_definition{delivery()}, submit_task{order("a"), at(0)}, submit_task{order("b"), at(0)}});
  disk.fill_up();

  write_status result = write_status::applied;
  for (int i = 0; i < 500 && result == write_status::applied; ++i)
    result = store.commit({submit_task{order("x" + std::to_string(i), large_payload), at(0)}})[0].result;
  CHECK(result == write_status::full);
  CHECK(mentions(store.commit({submit_task{order("x"), at(0)}})[0].why, "the disk of the store is full"));
  REQUIRE(store.alerts(true, 10).size() == 1);
  CHECK(store.alerts(true, 10)[0].what.kind == "disk_full");

  // A batch is decided write by write: what is running is recorded, though other writes are refused.
  const auto mixed = store.commit({submit_task{order("y", large_payload), at(0)}, claim_tasks{"s1", 1, at(1)}});
  CHECK(mixed[0].result == write_status::full);
  REQUIRE(mixed[1].as<claim_result>().tasks.size() == 1);
  const auto t = mixed[1].as<claim_result>().tasks[0];
  CHECK(store.commit({success_of(t, 0, std::string(200'000, 'r'))})[0].result == write_status::applied);
  CHECK(store.commit({success_of(*store.find(t.number), 1)})[0].result == write_status::applied);

  fs::remove(disk.other_file());
  CHECK(store.commit_one(submit_task{order("y", large_payload), at(0)}).created);
  CHECK(store.check().faults.empty());
}

TEST_CASE("row 60: of a copy for which there is no room nothing is left") {
  opened_store store;
  for (int i = 0; i < 20; ++i)
    store.submit("t" + std::to_string(i), large_payload);
  const auto to = store.path().parent_path() / "copy";
  const auto options = store.options();
  store.close();
  const auto e = in_child([&](const say& speak) {
    lmdb_engine engine{options};
    const tests::file_limit limit{64 << 10};
    try {
      engine.copy(to);
    } catch (const store_error& x) {
      speak(x.what());
    }
    return 0;
  });
  REQUIRE(e.lines.size() == 1);
  CHECK(mentions(e.lines[0], "cannot copy the store to " + to.string()));
  CHECK_FALSE(fs::exists(to));
}

TEST_CASE("row 60: a store that may not have a larger file by the limit of its process is full, and says why") {
  temporary_directory d;
  auto options = small_options(d.store());
  const auto e = in_child([&](const say& speak) {
    const tests::file_limit limit{16 << 20};
    lmdb_engine store{options};
    store.commit({register_definition{delivery()}});
    store.share([] {});
    outcome refused;
    int count = 0;
    for (; count < 1000 && refused.result != write_status::full; ++count)
      refused = store.commit({submit_task{order("t" + std::to_string(count), large_payload), at(0)}})[0];
    speak(refused.why);
    const auto taken = store.commit_one(claim_tasks{"s1", 20, at(1)}).tasks;
    for (const auto& t : taken)
      if (store.commit({success_of(t, 0, std::string(50'000, 'r'))})[0].result != write_status::applied)
        return 2;
    store.save();
    return count > 20 && store.check().faults.empty() ? 0 : 3;
  });
  CHECK(e.signal == 0);
  CHECK(e.code == 0);
  REQUIRE(e.lines.size() == 1);
  CHECK(mentions(e.lines[0], "of the largest file that this process may write (ulimit -f), 16 MiB, 8 MiB are kept"));
  CHECK(fs::file_size(options.path / "data.mdb") <= 16 << 20);

  options.journal_name = fresh_journal_name();
  const auto small = in_child([&](const say& speak) {
    const tests::file_limit limit{4 << 20};
    speak(refusal(options));
    return 0;
  });
  REQUIRE(small.lines.size() == 1);
  CHECK(mentions(small.lines[0], "and this process may write none above 4 MiB (ulimit -f)"));
  CHECK(refusal(options).empty());
}

TEST_CASE(
  "row 60: where the limit of file sizes is met all the same, nothing is lost and work goes on when it is raised") {
  temporary_directory d;
  const auto options = small_options(d.store());
  const auto e = in_child([&](const say& speak) {
    lmdb_engine store{options};
    store.commit({register_definition{delivery()}, submit_task{order("a"), at(0)}});
    store.share([] {});
    const tests::file_limit limit{1000}; // less than there is
    const auto refused = store.commit({submit_task{order("b"), at(0)}, claim_tasks{"s1", 1, at(0)}});
    speak(std::to_string(static_cast<int>(refused[0].result)) + refused[0].why);
    return 0;
  });
  CHECK(e.signal == 0);
  REQUIRE(e.lines.size() == 1);
  CHECK(mentions(e.lines[0], "this process may write (ulimit -f): raise that limit"));
}
