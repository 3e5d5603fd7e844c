// A copy becomes a store again.

#include "tests/unit/store/support.hpp"

#include "store/journal/restored.hpp"
#include "store/upkeep/restore.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <map>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;
namespace fs = std::filesystem;

namespace {

std::string why_not(const fs::path& from, const fs::path& to, bool without_journal = false) {
  try {
    restore(from, small_options(to), without_journal);
    return {};
  } catch (const store_error& e) {
    return e.what();
  }
}

/// Every file, by its name and size.
std::map<fs::path, std::uintmax_t> files_in(const fs::path& folder) {
  std::map<fs::path, std::uintmax_t> files;
  for (const auto& f : fs::directory_iterator{folder})
    files[f.path()] = f.file_size();
  return files;
}

} // namespace

TEST_CASE("row 69: a copy that is restored is a store that starts above every epoch, and the copy stays as it is") {
  opened_store store;
  store.submit("running");
  store.take();
  store.submit("waiting");
  const auto copy = store.path().parent_path() / "copy";
  const auto to = store.path().parent_path() / "new" / "place";
  store->copy(copy);
  const auto before = files_in(copy);
  for (const char* name : {"first", "second"}) { // as often as one likes
    const auto made = restore(copy, small_options(to / name), false);
    CHECK(made.report.faults.empty());
    CHECK(made.report.tasks == 2);
    CHECK(mentions(made.what_may_run_again, "2 unfinished tasks (waiting, running)"));
    lmdb_engine restored{small_options(to / name)};
    CHECK(restored.find("running")->lock_epoch == 1 + epoch_step);
    CHECK(restored.commit_one(submit_task{order("new"), at(1)}).created);
  }
  CHECK(files_in(copy) == before);
}

TEST_CASE("row 69: schedules of a copy that is restored are paused, since the original may have gone on with them") {
  opened_store store;
  workflow::schedule s;
  s.name = "often";
  s.workflow = "delivery";
  s.every = std::chrono::hours{1};
  REQUIRE(store.one(put_schedule{s, {}, at(0)}).changed);
  const auto copy = store.path().parent_path() / "copy";
  const auto to = store.path().parent_path() / "new";
  store->copy(copy);
  CHECK(restore(copy, small_options(to), false).report.faults.empty());
  lmdb_engine restored{small_options(to)};
  CHECK(restored.find_schedule("often")->paused_by == "(restored)");
  CHECK(restored.commit_one(fire_schedules{10, {}, at(10'000)}).made == 0);
  REQUIRE(restored.commit_one(act_on_schedule{"often", schedule_act::resume, "ann", {}, at(10'001)}).changed);
  CHECK(restored.commit_one(fire_schedules{10, {}, at(10'002)}).made == 0);
  CHECK(restored.commit_one(fire_schedules{10, {}, at(10'000 + 3600)}).made == 1);
  CHECK(restored.check().faults.empty());
}

TEST_CASE("row 69: what a restore that was killed has left is in nobody's way") {
  opened_store store;
  store.submit("a");
  const auto copy = store.path().parent_path() / "copy";
  const auto to = store.path().parent_path() / "new";
  store->copy(copy);
  fs::create_directories(to / "restoring");
  fs::permissions(to, fs::perms::owner_all);
  std::ofstream{to / "restoring" / "data.mdb"} << "half of one";
  CHECK(why_not(copy, to).empty());
  CHECK_FALSE(fs::exists(to / "restoring"));
  CHECK(lmdb_engine{small_options(to)}.find("a"));
}

TEST_CASE("row 69: a store that was killed is restored with what is only in its journal, and is not touched") {
  opened_store store{commits::shared};
  store.submit("a");
  store->save();
  store.submit("b");
  store.close();
  const auto to = store.path().parent_path() / "restored";
  const auto before = files_in(store.path());
  CHECK(restore(store.path(), small_options(to), false).report.tasks == 2);
  CHECK(files_in(store.path()) == before);
  lmdb_engine restored{small_options(to)};
  CHECK(restored.find("b"));
  store.reopen(); // which has its own
  CHECK(store->find("b"));
}

TEST_CASE("row 66: a store that lost its journal is restored without it only if that is asked for") {
  opened_store store{commits::shared};
  store.submit("a");
  store->save();
  store.submit("b");
  store.close();
  fs::remove(store.path() / "journal");
  const auto to = store.path().parent_path() / "restored";
  const auto why = why_not(store.path(), to);
  CHECK(mentions(why, "is missing"));
  CHECK(mentions(why, "--without-journal"));
  CHECK_FALSE(fs::exists(to / "data.mdb"));
  CHECK(restore(store.path(), small_options(to), true).report.tasks == 1);
}

TEST_CASE("what cannot be restored, or not there, is refused by name, and nothing is left that looks like a store") {
  opened_store store;
  store.submit("a");
  const auto parent = store.path().parent_path();
  const auto to = parent / "to";
  CHECK(mentions(why_not(store.path(), to), "is in use"));
  CHECK(mentions(why_not(parent / "nowhere", to), "there is no store at"));
  store->copy(parent / "copy");
  CHECK(mentions(why_not(parent / "copy", store.path()), "a store is there already"));
  store.close();
  for (const char* left : {"journal", "closed"}) {
    fs::create_directory(to);
    fs::permissions(to, fs::perms::owner_all);
    std::ofstream{to / left} << "x";
    CHECK(mentions(why_not(parent / "copy", to), "a store is there already, with its file `" + std::string{left}));
    fs::remove_all(to);
  }
  fs::resize_file(parent / "copy" / "data.mdb", 5 * 4096);
  CHECK(mentions(why_not(parent / "copy", to), "is damaged"));
  CHECK_FALSE(fs::exists(to / "data.mdb"));
}

TEST_CASE("row 70: copies of each format are restored") {
  for (const std::string format : {"format-1", "format-4", "format-5", "format-6"}) {
    INFO(format);
    temporary_directory d;
    const auto from = fs::path{STEADFAST_SOURCE_DIR} / "tests" / "golden" / format / "store";
    CHECK(restore(from, small_options(d.store()), false).report.tasks == 4);
  }
}

TEST_CASE(
  "row 69: of two stores that were restored from one copy, the later one starts above every epoch of the other") {
  opened_store store;
  store.submit("running");
  store.take();
  store.one(acquire_lease{"supervisor", "n1", "", workflow::span{1000}, at(0)});
  const auto copy = store.path().parent_path() / "copy";
  store->copy(copy);
  std::uint64_t highest = 0;
  for (const std::uint64_t seconds : {1'800'000'000UL, 1'800'003'600UL, 0UL}) { // at the last, the clock is wrong
    auto to = small_options(store.path().parent_path() / std::to_string(seconds));
    to.epochs_from = epochs_at(seconds);
    restore(copy, to, false);
    lmdb_engine restored{to};
    const auto task = restored.find("running");
    REQUIRE(task);
    CHECK(task->lock_epoch > epoch_step);
    for (int i = 0; i < 3; ++i) {
      const auto o = restored.commit(
        {acquire_lease{"supervisor", "n1", "", workflow::span{1000}, at(i)}, free_locks{"s1", 10, false, at(i)}});
      CHECK((seconds == 0 || o[0].as<lease_result>().epoch > highest));
      highest = std::max(highest, o[0].as<lease_result>().epoch);
    }
    CHECK((seconds == 0 || task->lock_epoch >= epochs_at(seconds)));
  }
}
