// What a disk may do to a file, and moments of the store that only such a disk shows. No test here is left to chance: a
// seed that shows something is found first.

#include "simulation/lying_disk/lying_disk.hpp"
#include "tests/support/fast_place.hpp"
#include "tests/unit/store/support.hpp"

#include "store/upkeep/restore.hpp"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <set>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;
using simulation::lying_disk;
namespace fs = std::filesystem;

namespace {

/// What the file holds after a power cut behind `work`, over many seeds; "none" where it is gone.
std::set<std::string> after_cuts(const std::function<void(const fs::path& folder)>& work) {
  std::set<std::string> all;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const tests::temp_folder place{tests::fast_place()};
    const auto folder = place.path() / "disk";
    lying_disk disk{folder, seed};
    work(folder);
    disk.stop();
    disk.start_again();
    std::string text(16, '\0');
    const int fd = open((folder / "a").c_str(), O_RDONLY);
    text.resize(fd < 0 ? 0 : static_cast<std::size_t>(std::max<ssize_t>(read(fd, text.data(), text.size()), 0)));
    all.insert(fd < 0 ? "none" : text);
    close(fd);
  }
  return all;
}

void write_to(const fs::path& path, const std::string& text, bool synced, std::int64_t at = 0) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT, 0600);
  REQUIRE(pwrite(fd, text.data(), text.size(), at) == static_cast<ssize_t>(text.size()));
  REQUIRE((!synced || fsync(fd) == 0));
  close(fd);
}

void sync_names(const fs::path& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  REQUIRE(fsync(fd) == 0);
  close(fd);
}

/// A place for stores, on a disk that lies.
struct lying_place {
  explicit lying_place(std::uint64_t seed = 1) : disk{folder.path() / "disk", seed} {}

  store_options options(const std::string& name = "store") const {
    auto o = small_options(folder.path() / "disk" / name);
    o.journal_max = 4096;
    return o;
  }

  tests::temp_folder folder{tests::fast_place()};
  lying_disk disk;
};

/// The ids of what was acknowledged, in one life that a failed sync may end.
std::vector<std::string> commit_while_it_works(const store_options& options) {
  std::vector<std::string> ids;
  try {
    lmdb_engine store{options};
    store.commit({register_definition{delivery()}});
    store.share([] {});
    for (const std::string id : {"a", "b", "c"}) {
      store.commit({submit_task{order(id), at(0)}});
      ids.push_back(id);
      store.save();
    }
  } catch (const store_error&) { // nothing is acknowledged any more
  }
  return ids;
}

} // namespace

TEST_CASE("lying disk: what was not synced is there after a power cut or not, and so is its name") {
  using strings = std::set<std::string>;
  CHECK(after_cuts([](const fs::path& f) {
          write_to(f / "a", "new", true);
          sync_names(f);
        })
        == strings{"new"});
  CHECK(after_cuts([](const fs::path& f) { write_to(f / "a", "new", true); }) == strings{"new", "none"});
  CHECK(after_cuts([](const fs::path& f) {
          write_to(f / "a", "old", true);
          sync_names(f);
          write_to(f / "a", "new", false);
          write_to(f / "a", "one", false);
        })
        == strings{"old", "new", "one"});
  CHECK(after_cuts([](const fs::path& f) {
          write_to(f / "b", "new", false);
          sync_names(f);
          fs::rename(f / "b", f / "a");
        })
        == strings{"", std::string(3, '\0'), "new", "none"});
  CHECK(after_cuts([](const fs::path& f) {
          write_to(f / "a", "old", true);
          sync_names(f);
          fs::remove(f / "a");
        })
        == strings{"old", "none"});
}

TEST_CASE("lying disk: sectors of a page come singly, and an end that was not synced is anywhere it was") {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    lying_place place{seed};
    const auto path = place.folder.path() / "disk" / "a";
    write_to(path, std::string(4096, '.'), true);
    sync_names(path.parent_path());
    write_to(path, std::string(1536, 'x'), false);
    place.disk.stop();
    place.disk.start_again();
    std::string text(1536, ' ');
    const int fd = open(path.c_str(), O_RDONLY);
    REQUIRE(read(fd, text.data(), text.size()) == 1536);
    close(fd);
    seen.insert({text[0], text[512], text[1024]});
  }
  CHECK(seen.size() == 8);
}

TEST_CASE("lying disk: what a failed sync did not write, no later sync writes") {
  bool is_lost = false;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    lying_place place{seed};
    const auto path = place.folder.path() / "disk" / "a";
    write_to(path, "old", true);
    sync_names(path.parent_path());
    write_to(path, "new", false);
    const int fd = open(path.c_str(), O_RDWR);
    place.disk.set_faults({1000, 0, 0, false});
    CHECK((fsync(fd) == -1 && errno == EIO));
    place.disk.set_faults({});
    CHECK(fsync(fd) == 0);
    std::string text(3, ' ');
    CHECK((pread(fd, text.data(), 3, 0) == 3 && text == "new"));
    close(fd);
    place.disk.stop();
    place.disk.start_again();
    const int again = open(path.c_str(), O_RDWR);
    CHECK(pread(again, text.data(), 3, 0) == 3);
    close(again);
    is_lost = is_lost || text == "old";
  }
  CHECK(is_lost);
}

TEST_CASE(
  "row 62: a new store is there after a power cut, though the process that made its folder died before it synced it") {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    for (std::uint64_t call = 1; call <= 8; ++call) {
      INFO("seed " << seed << ", killed at call " << call);
      lying_place place{seed};
      auto options = place.options("place/of/store");
      place.disk.stop_at(call);
      CHECK_FALSE(refusal(options).empty());
      place.disk.go_on();
      {
        lmdb_engine store{options};
        store.commit({register_definition{delivery()}});
        store.commit({submit_task{order("a"), at(0)}});
        place.disk.stop();
      }
      place.disk.start_again();
      CHECK(lmdb_engine{options}.find("a"));
    }
  }
}

TEST_CASE("row 62: a power cut at any moment of making a store leaves one that opens") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (std::uint64_t call = 1; call <= 25; ++call) {
      INFO("seed " << seed << ", power cut at call " << call);
      lying_place place{seed};
      auto options = place.options();
      place.disk.stop_at(call);
      refusal(options);
      place.disk.stop();
      place.disk.start_again();
      CHECK(refusal(options).empty());
    }
  }
}

TEST_CASE(
  "rows 62 and 63: killed, or without power, at each call of commits that changes a file, all that was said is there") {
  const bool is_power_cut = GENERATE(false, true);
  constexpr int batches = 4;
  std::uint64_t call = 1;
  for (bool is_reached = true; is_reached; ++call) {
    INFO((is_power_cut ? "power cut" : "killed") << " at call " << call);
    lying_place place{call};
    const auto options = place.options();
    lmdb_engine{options}.commit({register_definition{delivery()}});
    std::vector<std::string> said;
    place.disk.stop_at(call);
    try {
      lmdb_engine store{options};
      store.share([] {});
      for (int i = 0; i < batches; ++i) {
        if (i == 2)
          store.save();
        const auto n = std::to_string(i);
        store.commit({submit_task{order("a" + n), at(0)}, submit_task{order("b" + n, std::string(9000, 'x')), at(0)},
                      claim_tasks{"s1", 1, at(1)}});
        said.insert(said.end(), {"a" + n, "b" + n});
      }
    } catch (const store_error&) { // it ends as a process would
    }
    is_reached = place.disk.is_stopped();
    if (!is_reached)
      CHECK(said.size() == 2 * batches);
    place.disk.stop();
    if (is_power_cut)
      place.disk.start_again();
    else
      place.disk.go_on();
    lmdb_engine store{options};
    const auto report = store.check();
    CHECK(report.faults == std::vector<std::string>{});
    for (const auto& id : said)
      CHECK(store.find(id).has_value());
    CHECK(report.tasks % 2 == 0);
    CHECK(report.tasks <= said.size() + 2);
    CHECK(store.counts().tasks[workflow::process_state::processing] == report.tasks / 2);
    REQUIRE(call < 1000);
  }
  CHECK(call > 20);
}

TEST_CASE("row 61: a write that is cut short is finished or refused, and what was acknowledged is there") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    lying_place place{seed};
    auto options = place.options();
    options.journal_max = 256 << 10;
    std::vector<std::string> said;
    {
      lmdb_engine store{options};
      store.share([] {});
      store.commit({register_definition{delivery()}});
      place.disk.set_faults({0, 0, 1000, false});
      try {
        for (int i = 0; i < 4; ++i) {
          store.commit({submit_task{order("a" + std::to_string(i), std::string(20'000, 'x')), at(0)}});
          said.push_back("a" + std::to_string(i));
          if (i == 2)
            store.save();
        }
      } catch (const store_error& e) {
        CHECK(e.is_fatal());
      }
      place.disk.set_faults({});
      place.disk.stop();
    }
    place.disk.start_again();
    lmdb_engine store{options};
    CHECK(store.check().faults == std::vector<std::string>{});
    for (const auto& id : said)
      CHECK(store.find(id).has_value());
    CHECK(store.counts().tasks[workflow::process_state::pending] <= said.size() + 1);
  }
}

TEST_CASE("row 61: when a sync fails, also while the journal is made or for a copy, nothing is acknowledged any more") {
  lying_place place;
  const auto options = place.options();
  lmdb_engine store{options};
  store.commit({register_definition{delivery()}});
  const auto fails_from_now_on = [&] {
    place.disk.set_faults({});
    try {
      store.commit({submit_task{order("b"), at(0)}});
      return false;
    } catch (const store_error& e) {
      return e.is_fatal();
    }
  };
  SECTION("while it is made") {
    place.disk.set_faults({1000, 0, 0, false});
    CHECK_THROWS_AS(store.share([] {}), store_error);
    CHECK(fails_from_now_on());
  }
  SECTION("in a save") {
    store.share([] {});
    store.commit({submit_task{order("a"), at(0)}});
    place.disk.set_faults({1000, 0, 0, false});
    CHECK_THROWS_AS(store.save(), store_error);
    place.disk.set_faults({});
    CHECK_THROWS_AS(store.find("a"), store_error); // the data file does not have it yet
    CHECK(fails_from_now_on());
  }
  SECTION("in the save before a copy") {
    store.share([] {});
    store.commit({submit_task{order("a"), at(0)}});
    place.disk.set_faults({1000, 0, 0, false});
    CHECK_THROWS_AS(store.copy(place.folder.path() / "copy"), store_error);
    CHECK(fails_from_now_on());
  }
}

namespace {

/// One life in which that sync fails, a restart in whose call the power is cut, and what is there then. False: it had
/// fewer calls.
bool survives(std::uint64_t seed, std::uint64_t sync, std::uint64_t call, bool& has_failed) {
  lying_place place{seed};
  const auto options = place.options();
  place.disk.fail_sync(sync);
  const auto acknowledged = commit_while_it_works(options);
  has_failed = place.disk.failures() > 0;
  place.disk.stop();
  place.disk.go_on();
  place.disk.stop_at(call);
  refusal(options);
  const bool was_cut = place.disk.is_stopped();
  place.disk.stop();
  place.disk.start_again();
  REQUIRE(refusal(options) == "");
  const lmdb_engine store{options};
  CHECK(store.check().faults.empty());
  for (const auto& id : acknowledged)
    CHECK(store.find(id));
  return was_cut;
}

} // namespace

TEST_CASE("row 61: after a sync that failed, and a power cut at any moment of the restart, all that was acknowledged "
          "is there") {
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    bool has_failed = true;
    for (std::uint64_t sync = 1; has_failed; ++sync) {
      bool was_cut = true;
      for (std::uint64_t call = 1; was_cut; ++call) {
        INFO("seed " << seed << ", sync " << sync << " failed, power cut at call " << call << " of the restart");
        was_cut = survives(seed, sync, call, has_failed);
      }
    }
  }
}
