// Commits that share one of the data file: what the journal has, what is made of it, and what of it is not believed.

#include "tests/support/property.hpp"
#include "tests/unit/store/support.hpp"

#include "store/journal/change_log.hpp"
#include "store/journal/journal.hpp"
#include "store/records/frame.hpp"
#include "store/records/patch.hpp"
#include "tests/support/skip.hpp"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include <chrono>
#include <fstream>
#include <future>
#include <iterator>
#include <thread>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;
namespace fs = std::filesystem;

namespace {

std::string bytes_of(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

void overwrite(const fs::path& path, const std::string& bytes) {
  std::ofstream{path, std::ios::binary | std::ios::trunc} << bytes;
}

/// The places at which the entries of a journal begin, and where the last one ends.
std::vector<std::size_t> entries_in(const std::string& bytes, std::size_t count) {
  constexpr std::size_t head_size = 4096;
  std::vector<std::size_t> places{head_size};
  while (places.size() <= count) {
    std::uint32_t body = 0;
    std::memcpy(&body, bytes.data() + places.back() + frame_head_size - sizeof body, sizeof body);
    places.push_back(places.back() + frame_head_size + body);
  }
  return places;
}

/// A store that was killed after these tasks were submitted, one in each commit, with all of them only in the journal.
struct killed_store {
  explicit killed_store(int tasks) {
    store->save();
    for (int i = 0; i < tasks; ++i)
      store.submit("t" + std::to_string(i));
    store.close();
    file = store.path() / "journal";
    bytes = bytes_of(file);
  }

  opened_store store{commits::shared};
  fs::path file;
  std::string bytes;
};

/// Pieces of the file that are on disk only as room for it. Absent: the file system does not say.
std::optional<std::size_t> unwritten_pieces(const fs::path& path) {
  constexpr std::size_t most = 256;
  const store::file_handle file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  std::vector<char> memory(sizeof(fiemap) + most * sizeof(fiemap_extent));
  auto* map = new (memory.data()) fiemap; // all zeros
  map->fm_length = FIEMAP_MAX_OFFSET;
  map->fm_extent_count = most;
  if (ioctl(file.get(), FS_IOC_FIEMAP, map) != 0)
    return std::nullopt;
  const auto* first = static_cast<fiemap_extent*>(map->fm_extents);
  return std::count_if(first, first + map->fm_mapped_extents, [](const fiemap_extent& e) {
    return (e.fe_flags & (FIEMAP_EXTENT_UNWRITTEN | FIEMAP_EXTENT_DELALLOC)) != 0;
  });
}

std::string patch_of(const std::string& before, const std::string& after) {
  std::string patch;
  append_patch(patch, before, after);
  return patch;
}

} // namespace

// ---- patches ----

TEST_CASE("property: a patch makes of the bytes before the bytes after, and of no others") {
  tests::holds(2000, 300, [] {
    const auto pool =
      *rc::gen::container<std::vector<std::string>>(rc::gen::container<std::string>(rc::gen::inRange('a', 'd')));
    const auto some = [&] {
      std::string text;
      for (const auto at : *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 20)))
        text += at < pool.size() ? pool[at] : std::string(at * 5, 'x');
      return text;
    };
    const auto before = some();
    const auto after = some();
    RC_ASSERT(patched(before, patch_of(before, after)) == after);
    RC_ASSERT_THROWS_AS(patched(before + "x", patch_of(before, after)), damaged_record);
  });
}

TEST_CASE("a patch of a long record of which little changed is short") {
  std::string before;
  for (int i = 0; i < 100; ++i)
    before += std::to_string(i * 7919) + " ";
  auto after = before;
  after.insert(3, "more at the front");
  after.erase(200, 20);
  after += "and at the back";
  CHECK(patch_of(before, after).size() < 60);
  CHECK(patch_of(before, before).size() < 10);
}

TEST_CASE("a patch that was cut, or reaches too far, is refused") {
  const std::string before(100, 'a');
  const auto patch = patch_of(before, before + "b");
  for (std::size_t size = 1; size < patch.size(); ++size)
    CHECK_THROWS_AS(patched(before, patch.substr(0, size)), damaged_record);
  CHECK_THROWS_AS(patched("other", patch), damaged_record);
}

// ---- the journal ----

TEST_CASE("row 63: killed before anything was saved, every acknowledged submission is made again from the journal") {
  killed_store killed{5};
  CHECK(entries_in(killed.bytes, 5).back() <= killed.bytes.size());
  killed.store.reopen();
  for (int i = 0; i < 5; ++i)
    CHECK(killed.store->find("t" + std::to_string(i)));
  CHECK(killed.store->check().faults.empty());
  killed.store.close();
  killed.store.reopen(); // and again: nothing is made twice
  CHECK(killed.store->counts().last_number == 5);
}

TEST_CASE("commits that are not saved are read, and saved when the journal is full") {
  const auto room = GENERATE(std::size_t{3000}, std::size_t{0});
  auto options = small_options({});
  options.journal_max = room;
  opened_store store{options};
  store->share([] {});
  for (int i = 0; i < 40; ++i) {
    store.submit("t" + std::to_string(i));
    CHECK(store->find("t" + std::to_string(i)));
  }
  CHECK(store.submit("large", std::string(10'000, 'x')).created); // more than the journal takes
  store.close();
  CHECK(fs::file_size(store.path() / "journal") == 4096 + room);
  store.reopen();
  CHECK(store->counts().last_number == 41);
  CHECK(store->check().faults.empty());
}

TEST_CASE("who measures a journal is told when each sync begins and ends, and what the journal holds") {
  struct counting final : journal_watch {
    void begins_sync() override { ++begun; }
    void ends_sync(std::uint64_t bytes, std::uint64_t now_held) override {
      ++ended;
      CHECK(ended == begun);
      CHECK(bytes > 100);
      written += bytes;
      held = now_held;
    }
    std::shared_ptr<journal_watch> another() override { return nullptr; }
    int begun = 0;
    int ended = 0;
    std::uint64_t written = 0;
    std::uint64_t held = 0;
  };
  const auto watch = std::make_shared<counting>();
  auto options = small_options({});
  options.watch = watch;
  opened_store store{options};
  store->share([] {});
  CHECK(watch->begun == 0);
  store.submit("a");
  CHECK(watch->ended == 1);
  store.submit("b");
  CHECK(watch->ended == 2);
  CHECK(watch->held == watch->written);
  store->save();
  store.submit("c");
  CHECK(watch->ended == 3);
  CHECK(watch->held < watch->written);
}

TEST_CASE("row 86: when nobody saves any more, whoever waits to read is not left waiting") {
  opened_store store;
  std::promise<void> waits;
  store->share([&] { waits.set_value(); });
  store.submit("a");
  auto read = std::async(std::launch::async, [&] { return store->find("a").has_value(); });
  REQUIRE(waits.get_future().wait_for(std::chrono::seconds{10}) == std::future_status::ready);
  store->share({});
  const bool is_answered = read.wait_for(std::chrono::seconds{5}) == std::future_status::ready;
  store->save(); // or the test would not end
  CHECK(is_answered);
  CHECK_THROWS_WITH(read.get(), Catch::Matchers::Contains("cannot be read"));
  CHECK(store->find("a"));
}

TEST_CASE("where no journal can be made, that is told, and each commit is saved by itself") {
  opened_store store;
  fs::create_directory(store.path() / "journal"); // so that no file can be
  CHECK_THROWS_WITH(store->share([] {}), Catch::Matchers::StartsWith("there is no journal: "));
  CHECK(store.submit("t1").created);
  fs::remove(store.path() / "journal");
  store.close();
  store.reopen();
  CHECK(store->find("t1"));
}

TEST_CASE("row 63: an entry that was cut off in writing is not believed, those before are") {
  killed_store killed{3};
  const auto places = entries_in(killed.bytes, 3);
  for (const auto size : {places[2], places[2] + 5, places[2] + frame_head_size, places[3] - 1}) {
    INFO("written up to " << size);
    auto cut = killed.bytes.substr(0, size);
    cut.resize(killed.bytes.size(), '\xff');
    overwrite(killed.file, cut);
    // A copy, so that each cut finds the same data file.
    const auto copy = killed.store.path().parent_path() / std::to_string(size);
    fs::copy(killed.store.path(), copy, fs::copy_options::recursive);
    fs::permissions(copy, fs::perms::owner_all);
    lmdb_engine opened{small_options(copy)};
    CHECK(opened.find("t1"));
    CHECK_FALSE(opened.find("t2"));
    CHECK(opened.check().faults.empty());
  }
}

TEST_CASE("row 66: an entry that is damaged, with others behind it, is told of and nothing is made of the journal") {
  killed_store killed{3};
  const auto places = entries_in(killed.bytes, 3);
  for (std::size_t at = places[0]; at < places[2]; at += 3) {
    INFO("byte " << at);
    auto damaged = killed.bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    overwrite(killed.file, damaged);
    const auto why = refusal(killed.store.options());
    CHECK(mentions(why, "the journal of the store, " + killed.file.string()));
    CHECK(mentions(why, "does not check, and others follow"));
    CHECK(mentions(why, "steadfast store restore"));
  }
  overwrite(killed.file, killed.bytes);
  CHECK(refusal(killed.store.options()).empty());
}

TEST_CASE(
  "row 66: whatever is overwritten in a journal, what was acknowledged behind it is there or the store is refused") {
  killed_store killed{12};
  const auto places = entries_in(killed.bytes, 12);
  for (std::size_t from = 0; from < 11; from += 2) {
    for (std::size_t to = from + 1; to < 12; to += 3) {
      INFO("entries " << from << " to " << to << " overwritten");
      auto damaged = killed.bytes;
      damaged.replace(places[from], places[to] - places[from], places[to] - places[from], '\0');
      overwrite(killed.file, damaged);
      CHECK(mentions(refusal(killed.store.options()), "does not check, and others follow"));
    }
  }
}

TEST_CASE("row 66: after a kill, a journal that is missing, empty, cut, another one or damaged at its head is refused "
          "by name") {
  killed_store killed{3};
  const auto refused = [&](const std::string& what) {
    INFO(what);
    auto options = killed.store.options();
    for (const bool read_only : {true, false}) { // `store check`, and a node
      options.read_only = read_only;
      const auto why = refusal(options);
      CHECK(mentions(why, "the journal of the store, " + killed.file.string()));
      CHECK(mentions(why, what));
      CHECK(mentions(why, "steadfast store restore COPY --to FOLDER"));
    }
  };
  fs::remove(killed.file);
  refused("is missing");
  overwrite(killed.file, "");
  fs::permissions(killed.file, fs::perms::owner_read | fs::perms::owner_write);
  refused("is empty");
  overwrite(killed.file, killed.bytes.substr(0, 5000));
  refused("was cut");
  for (const auto at : {std::size_t{0}, std::size_t{9}, std::size_t{17}, std::size_t{24}}) {
    auto damaged = killed.bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    overwrite(killed.file, damaged);
    refused("is damaged at its beginning");
  }
  auto overwritten = killed.bytes;
  overwritten.replace(0, 8192, 8192, '\0');
  overwrite(killed.file, overwritten);
  refused("is damaged at its beginning");

  const killed_store other{3};
  overwrite(killed.file, other.bytes);
  refused("belongs to another time, or to another store");

  overwrite(killed.file, killed.bytes);
  CHECK(refusal(killed.store.options()).empty());
  killed.store.reopen();
  CHECK(killed.store->find("t2"));
}

TEST_CASE("a store that was closed cleanly needs no journal") {
  opened_store store{commits::shared};
  store.submit("a");
  store->save();
  store.close();
  fs::remove(store.path() / "journal");
  auto to_look = store.options();
  to_look.read_only = true;
  CHECK(refusal(to_look).empty());
  store.reopen();
  CHECK(store->find("a"));
}

TEST_CASE("a journal that was read at the start of a store is not needed any more") {
  killed_store killed{3};
  killed.store.close();
  CHECK(refusal(killed.store.options()).empty()); // opened, and killed before its first commit
  fs::remove(killed.file);
  fs::remove(killed.store.path() / "closed");
  CHECK(refusal(killed.store.options()).empty());
  killed.store.reopen();
  CHECK(killed.store->find("t2"));
}

TEST_CASE("row 66: a data file that is older than its journal is refused") {
  opened_store store{commits::shared};
  store.submit("a");
  store->save();
  const auto older = bytes_of(store.path() / "data.mdb");
  store.submit("b");
  store->save();
  store.submit("c"); // only in the journal
  store.close();
  overwrite(store.path() / "data.mdb", older);
  CHECK(mentions(refusal(store.options()), "is older than its journal"));
}

TEST_CASE("a journal that goes on from another state of the data file is not read") {
  opened_store store{commits::shared};
  for (const auto* id : {"a", "b", "c"})
    store.submit(id);
  store->save();
  store.close();
  fs::remove(store.path() / "closed"); // as after a kill
  store.reopen();
  CHECK(store->counts().last_number == 3);
  CHECK(store->check().faults.empty());
}

TEST_CASE(
  "row 69: of a copy that is put in place twice, nothing of the first time comes back, and it is not lost either") {
  opened_store original;
  original.submit("old");
  const auto copy = original.path().parent_path() / "copy";
  const auto place = original.path().parent_path() / "place";
  original->copy(copy);
  const auto put_in_place = [&] {
    fs::create_directories(place);
    fs::permissions(place, fs::perms::owner_all);
    fs::copy_file(copy / "data.mdb", place / "data.mdb", fs::copy_options::overwrite_existing);
    fs::remove(place / "closed");
  };
  const auto killed_after = [&](const std::string& id) {
    lmdb_engine engine{small_options(place)};
    engine.share([] {});
    CHECK(engine.commit_one(submit_task{order(id), at(0)}).created);
  };
  put_in_place();
  killed_after("first-run");
  put_in_place();
  killed_after("another-id");

  lmdb_engine second{small_options(place)};
  CHECK_FALSE(second.find("first-run"));
  CHECK(second.find("another-id"));
  CHECK(second.check().faults.empty());
  const auto alerts = second.alerts(true, 10);
  REQUIRE(alerts.size() == 2);
  CHECK(alerts[0].what.kind == "journal_set_aside");
  CHECK(mentions(alerts[0].what.text, "is now the file journal.set-aside-1"));
  CHECK(fs::exists(place / "journal.set-aside-1"));
}

TEST_CASE("a start is quick, whatever the payloads in the journal look like") {
  opened_store store{commits::shared};
  const auto name = store.options().journal_name;
  std::string payload;
  while (payload.size()
         < 900'000) { // heads of entries: of the formats before, and of this one with a name that was guessed
    const std::uint64_t label[] = {0, name + 1, 1, payload.size()};
    const std::string_view head{"\x01\x00\x10\x00\x00\x00\x40\x00", 8};
    payload.append(reinterpret_cast<const char*>(label), 8).append(head);
    payload.append(reinterpret_cast<const char*>(label) + 8, 24);
  }
  for (int i = 0; i < 8; ++i)
    CHECK(store.submit("t" + std::to_string(i), payload).created);
  store.close();
  const auto begun = std::chrono::steady_clock::now();
  store.reopen();
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds{10});
  CHECK(store->find("t7"));
}

TEST_CASE("a commit that changes nothing writes nothing to the journal") {
  opened_store store{commits::shared};
  store->save();
  store.submit("a");
  const auto before = bytes_of(store.path() / "journal");
  CHECK(store.submit("a").result == write_status::applied); // the same again
  CHECK(store.one(claim_tasks{"s1", 0, at(1)}).tasks.empty());
  CHECK(bytes_of(store.path() / "journal") == before);
  CHECK(store.submit("b").created);
  store.close();
  store.reopen();
  CHECK(store->find("b"));
}

TEST_CASE("row 66: changes that do not fit the data file are refused") {
  opened_store store;
  store.close();
  lmdb::environment env{{store.path(), 1 << 26, false}};
  auto txn = lmdb::transaction::writing(env);
  for (const std::string changes : {"\x04\x01\x00", "\x01\x63\x00\x00",
                                    "\x02\x01\x03"
                                    "abc\x02\x05\x01",
                                    "\x01"})
    CHECK_THROWS_AS(change_maker{txn}.make(changes), damaged_record);
  std::string patch;
  append_patch(patch, {}, "no record");
  change_maker maker{txn};
  maker.make("\x04\x07" + std::string(1, static_cast<char>(patch.size())) + patch);
  CHECK_THROWS_AS(maker.finish(), damaged_record);
}

TEST_CASE("who only looks at a store that was killed sees what was only in its journal, and a damaged one is told of") {
  killed_store killed{3};
  auto to_look = killed.store.options();
  to_look.read_only = true;
  CHECK(lmdb_engine{to_look}.find("t2"));
  CHECK(lmdb_engine{to_look}.check().faults.empty());
}

TEST_CASE(
  "row 62: the journal is written in full when it is made: ext4 may lose an entry in a block that was only allocated") {
  const opened_store store{commits::shared};
  const auto file = store.path() / "journal";
  CHECK(fs::file_size(file) == 4096 + store.options().journal_max);
  const auto unwritten = unwritten_pieces(file);
  if (!unwritten)
    tests::skip("the file system does not tell its extents");
  CHECK(unwritten.value_or(0) == 0);
}

TEST_CASE("shared commits are those of one thread") {
  opened_store store{commits::shared};
  store.submit("a");
  std::thread{[&] { CHECK_THROWS_AS(store.submit("b"), store_error); }}.join();
  CHECK(store.submit("c").created);
  CHECK_FALSE(store->find("b"));
}

TEST_CASE("a copy has what is not saved yet") {
  opened_store store{commits::shared};
  store.submit("a");
  const auto to = store.path().parent_path() / "copy";
  store->copy(to);
  CHECK(lmdb_engine{small_options(to)}.find("a"));
}
