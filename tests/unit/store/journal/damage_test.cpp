// Bits flip, pages are zeroed, files are cut: nothing damaged is believed, and the rest goes on.

#include "tests/unit/store/support.hpp"
#include "tests/unit/store/support_process.hpp"

#include "store/records/record.hpp"
#include "store/records/stored.hpp"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <iterator>
#include <random>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t page_size = 4096;

std::string read_file(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream file{path, std::ios::binary | std::ios::trunc};
  file << bytes;
  REQUIRE(file.flush());
}

/// Flips a bit in every place where the marker is; old versions of a page are still in the file.
void damage(opened_store& store, const std::string& marker) {
  store.close();
  const auto path = store.path() / "data.mdb";
  auto bytes = read_file(path);
  std::size_t places = 0;
  for (auto at = bytes.find(marker); at != std::string::npos; at = bytes.find(marker, at + 1), ++places)
    bytes[at + 2] = static_cast<char>(bytes[at + 2] ^ 4);
  REQUIRE(places > 0);
  write_file(path, bytes);
  store.reopen();
}

/// Another record in the place of one, which checks. The store is closed meanwhile.
template <class Record>
void write_over(const opened_store& store, const std::string& table, const key& k, const Record& record) {
  lmdb::environment env{{store.path(), 1 << 26, false}};
  auto txn = lmdb::transaction::writing(env);
  txn.put(txn.open_table(table).value(), k, encode_record(k, record));
  txn.commit();
}

/// Tasks in several states, with small and large payloads and results.
std::vector<workflow::task> fill(opened_store& store) {
  for (int i = 0; i < 40; ++i)
    store.submit("task-" + std::to_string(i), std::string(i % 8 == 0 ? 9000 : 60, static_cast<char>('a' + i % 20)));
  for (int i = 0; i < 10; ++i)
    store.one(success_of(store.take(), 0, std::string(i % 3 == 0 ? 5000 : 20, 'r')));
  std::vector<workflow::task> all;
  for (std::uint64_t n = 1; n <= 40; ++n)
    all.push_back(store->find(n).value());
  return all;
}

enum answer { all_there = 0, some_missing = 10, refused = 11, believed_wrong = 12 };

/// Opens the damaged file and compares every task it is told with what it was.
int read_all(const store_options& options, const std::vector<workflow::task>& expected) {
  try {
    lmdb_engine store{options};
    std::size_t missing = 0;
    for (const auto& t : expected) {
      const auto by_number = store.find(t.number);
      const auto by_id = store.find(t.id);
      if ((by_number && *by_number != t) || (by_id && *by_id != t))
        return believed_wrong;
      missing += by_number ? 0 : 1;
    }
    for (const auto& t : store.list({}, {}, 1000).tasks)
      if (t.number == 0 || t.number > expected.size() || t.id != expected[t.number - 1].id)
        return believed_wrong;
    store.overdue(workflow::instant_max, {}, 1000);
    store.check();
    return missing == 0 ? all_there : some_missing;
  } catch (const store_error&) {
    return refused;
  }
}

enum class stop { killed, closed };

/// Runs read_all in a child on the file with these bytes.
int outcome_of(const store_options& options, const std::string& bytes, const std::vector<workflow::task>& expected,
               stop how = stop::killed) {
  const auto mark = read_file(options.path / "closed");
  write_file(options.path / "data.mdb", bytes);
  if (how == stop::killed)
    fs::remove(options.path / "closed");
  const auto e = in_child([&](const say&) { return read_all(options, expected); });
  CHECK(e.signal == 0);
  CHECK(e.lines == std::vector<std::string>{});
  CHECK(e.code != believed_wrong);
  if (how == stop::closed)
    write_file(options.path / "closed", mark); // the child may have taken it away
  return e.code;
}

} // namespace

TEST_CASE("row 66: a task with a damaged payload is told of once and not believed, the others go on") {
  opened_store store;
  store.submit("victim", "the payload of the victim");
  store.submit("other");
  damage(store, "the payload of the victim");

  CHECK_FALSE(store->find("victim"));
  CHECK_FALSE(store->find(1));
  const auto told = store->damaged();
  REQUIRE(told.size() == 1);
  CHECK(told[0].number == 1);
  CHECK(mentions(told[0].why, "checksum"));
  CHECK(store->damaged().empty());

  const auto o = store.one(claim_tasks{"s1", 10, at(1)});
  REQUIRE(o.tasks.size() == 1);
  CHECK(o.tasks[0].id == "other");
  CHECK_FALSE(o.more);
  CHECK(store->check().faults.size() == 1);
}

TEST_CASE("row 66: a large result that is not the one of its task is not believed, though the record checks") {
  opened_store store;
  store.submit("victim");
  const std::string result(5000, 'r');
  store.one(success_of(store.take(), 0, result));
  REQUIRE(store->find("victim")->steps[0].result.view() == result);
  store.close();
  write_over(store, "results", key{std::uint64_t{1}, std::uint32_t{0}},
             result_record{workflow::blob{std::string(result.size(), 's')}});
  store.reopen();
  CHECK_FALSE(store->find("victim"));
  const auto told = store->damaged();
  REQUIRE(told.size() == 1);
  CHECK(mentions(told[0].why, "a result is not the one recorded"));
}

TEST_CASE(
  "row 66: a payload that is not of the size recorded with its task is not believed, though the record checks") {
  opened_store store;
  store.submit("victim", "the payload of the victim");
  store.close();
  write_over(store, "payloads", key{std::uint64_t{1}}, payload_record{workflow::blob{"another"}});
  store.reopen();
  CHECK_FALSE(store->find("victim"));
  const auto told = store->damaged();
  REQUIRE(told.size() == 1);
  CHECK(mentions(told[0].why, "its payload has another size"));
}

TEST_CASE("row 66: damaged tasks at the head of the queue keep nobody behind them from being taken") {
  opened_store store;
  for (const auto* id : {"1", "2", "3", "4", "5"})
    store.submit(id, "the payload of a victim");
  for (const auto* id : {"a", "b", "c"})
    store.submit(id);
  damage(store, "the payload of a victim");

  const auto first = store.one(claim_tasks{"s1", 2, at(1)});
  REQUIRE(first.tasks.size() == 2);
  CHECK(first.tasks[0].id == "a");
  CHECK(first.tasks[1].id == "b");
  CHECK(first.more);
  const auto second = store.one(claim_tasks{"s1", 2, at(1)});
  REQUIRE(second.tasks.size() == 1);
  CHECK(second.tasks[0].id == "c");
  CHECK_FALSE(second.more);
}

TEST_CASE("row 66: a damaged task is set aside with an alert in one commit, and leaves every index") {
  opened_store store;
  auto victim = order("victim");
  victim.content_type = "type of the victim";
  victim.not_before = at(10);
  store->commit({submit_task{victim, at(0)}, submit_task{order("other"), at(0)}});
  damage(store, "type of the victim");
  CHECK(store->list({}, {}, 10).tasks.size() == 1);
  auto told = store->damaged();
  REQUIRE(told.size() == 1);
  told[0].now = at(5);
  CHECK(store.one(told[0]).result == write_status::applied);

  const auto alerts = store->alerts(true, 10);
  REQUIRE(alerts.size() == 1);
  CHECK(alerts[0].what.kind == "set_aside");
  CHECK(alerts[0].task_number == 1);
  CHECK(alerts[0].task_id == "victim");
  CHECK(alerts[0].what.at == at(5));
  const auto o = store.one(claim_tasks{"s1", 10, at(20)});
  CHECK(o.tasks.size() == 1);
  CHECK(o.next == workflow::never);
  CHECK(store->overdue(workflow::instant_max, {}, 10).tasks.size() == 1);
  CHECK(store->damaged().empty());
  CHECK(store->counts().tasks[workflow::process_state::pending] == 0);
  CHECK(store->check().faults == std::vector<std::string>{});

  // Its id is not free for another task: part of it may have run.
  const auto again = store.one(submit_task{victim, at(6)});
  CHECK(again.result == write_status::refused);
  CHECK(mentions(again.why, "set aside"));
  CHECK(store.one(told[0]).result == write_status::absent);
}

TEST_CASE("row 66: a damaged task that is set aside leaves the index of payloads, and its alert names it") {
  opened_store store;
  auto d = delivery(2);
  d.index = {"/customer"};
  store.one(register_definition{d});
  auto victim = order("victim", R"({"customer":"ada"})");
  victim.content_type = "type of the victim";
  store.one(submit_task{victim, at(0)});
  for (int i = 0; i < 20; ++i) // so that its id is not among the recent ones any more
    store.submit("other-" + std::to_string(i));
  damage(store, "type of the victim");
  REQUIRE_FALSE(store->find("victim"));
  auto told = store->damaged();
  REQUIRE(told.size() == 1);
  REQUIRE(store.one(told[0]).result == write_status::applied);
  CHECK(store->alerts(true, 10).at(0).task_id == "victim");
  CHECK(store->check().faults == std::vector<std::string>{});
}

TEST_CASE("row 66: a task that was set aside is told of by its id, before and after") {
  opened_store store;
  store.submit("victim", "the payload of the victim");
  store.submit("other");
  CHECK_FALSE(store->damage_of("victim"));
  damage(store, "the payload of the victim");
  CHECK(mentions(store->damage_of("victim").value(), "checksum"));
  REQUIRE(store.one(set_aside_damaged{1, "its payload is another", at(1)}).result == write_status::applied);
  CHECK(store->damage_of("victim") == "its payload is another");
  CHECK_FALSE(store->damage_of("other"));
  CHECK_FALSE(store->damage_of("nobody"));
  const auto again = store.one(submit_task{order("victim", "the payload of the victim"), at(2)});
  CHECK(again.result == write_status::refused);
  CHECK(mentions(again.why, "restore a copy"));
}

TEST_CASE("row 66: tasks of a damaged workflow stay as they are, one alert tells of it, and its file mends all") {
  opened_store store;
  for (const char* id : {"one", "two"})
    store.submit(id);
  const auto before = store->find("one").value();
  damage(store, delivery().steps[0].compensation->agent);
  CHECK_FALSE(store->find("one"));
  CHECK_FALSE(store->find("two"));
  CHECK_FALSE(store->check().faults.empty());
  const auto refused = store.one(submit_task{order("three"), at(1)});
  CHECK(refused.result == write_status::refused);
  CHECK(refused.why.find("workflow delivery version 1: ") != std::string::npos);
  CHECK(refused.why.find("start the node with the file of that version") != std::string::npos);
  auto found = store->damaged();
  REQUIRE(found.size() == 2);
  for (auto& task : found)
    CHECK(store.one(std::move(task)).result == write_status::refused); // a task that is well is not set aside
  const auto open = [&] { return store->incidents(true, {}, 100).incidents; };
  REQUIRE(open().size() == 1);
  CHECK(open().front().what.kind == "damaged_workflow");
  CHECK(open().front().alerts == 1);

  CHECK(store.one(register_definition{delivery(), "trip.toml", at(2)}).result == write_status::applied);
  CHECK(store->find("one") == before);
  CHECK(store.take().id == "one");
  CHECK(store->check().faults.empty());
  REQUIRE(open().size() == 1);
  CHECK(open().front().what.kind == "restored");
  CHECK(open().front().sample_text.find("from trip.toml") != std::string::npos);
}

TEST_CASE("row 66: updates of a damaged task are refused, not built upon") {
  opened_store store;
  auto victim = order("victim");
  victim.content_type = "type of the victim";
  store.one(submit_task{victim, at(0)});
  const auto t = store.take();
  damage(store, "type of the victim");
  const auto o = store.one(success_of(t, 0));
  CHECK(o.result == write_status::refused);
  CHECK(mentions(o.why, "damaged"));
  CHECK(store->damaged().size() == 1);
  CHECK(store.one(free_locks{"s1", 10, false, at(2)}).freed == 0);
}

TEST_CASE("row 66: a task that is set aside leaves the lists and the count of its state, whichever that is") {
  using state = workflow::process_state;
  opened_store store;
  for (const char* id : {"ended", "locked", "pending"})
    store.submit(id);
  auto later = order("later");
  later.not_before = at(1000);
  store.one(submit_task{later, at(0)});
  const auto ended = store->find("ended").value();
  REQUIRE(store.one(update_by(ended, delivery(), workflow::cancelled{{"ann", {}}}, at(1))).result
          == write_status::applied);
  REQUIRE(store.take().id == "locked");
  const std::array<state, 4> states{state::undone, state::processing, state::pending, state::pending};
  tamper(store, [&](lmdb::transaction& txn) {
    for (std::uint64_t n = 1; n <= states.size(); ++n)
      txn.put(txn.open_table("tasks").value(), key{n}, "damaged");
  });
  store.submit("well");
  for (std::uint64_t n = 1; n <= states.size(); ++n) {
    INFO("task " << n);
    const auto counted = [&] { return store->counts().tasks[states.at(n - 1)]; };
    const auto before = counted();
    REQUIRE(store.one(set_aside_damaged{n, "a test", at(2)}).result == write_status::applied);
    CHECK(counted() == before - 1);
  }
  CHECK(store->check().faults == std::vector<std::string>{});
  CHECK(store.take().id == "well");
}

TEST_CASE("a task that is well cannot be set aside") {
  opened_store store;
  store.submit("a");
  const auto o = store.one(set_aside_damaged{1, "I do not like it", at(1)});
  CHECK(o.result == write_status::refused);
  CHECK(store->find("a").has_value());
}

TEST_CASE("row 66: a damaged lease is replaced with an epoch above all former ones, and an alert") {
  opened_store store;
  for (int i = 0; i < 5; ++i)
    store.one(acquire_lease{"supervisor", "n1", "the note of the holder", workflow::span{1000}, at(i * 10)});
  damage(store, "the note of the holder");
  CHECK(store.one(renew_lease{"supervisor", "n1", 5, workflow::span{1000}, at(41)}).result == write_status::refused);
  const auto o = store.one(acquire_lease{"supervisor", "n2", "", workflow::span{1000}, at(41)});
  CHECK(o.result == write_status::applied);
  CHECK(o.epoch == 6);
  CHECK(store->alerts(true, 10).size() == 1);
}

TEST_CASE("row 66: an alert that nobody can read any more leaves the lists when it is acknowledged") {
  opened_store store;
  store.submit("a");
  auto u = success_of(store.take(), 0);
  u.alerts = {{"stuck", "the words of the alert", {}, at(2)}};
  store.one(u);
  damage(store, "the words of the alert");
  CHECK(store->counts().open_alerts == 1);
  CHECK(store.one(acknowledge_alert{1, "ann", at(3)}).result == write_status::applied);
  CHECK(store->counts().open_alerts == 0);
}

TEST_CASE("row 66: of many flipped bits, none is believed and none ends the reader") {
  opened_store store;
  const auto expected = fill(store);
  store.close();
  const auto bytes = read_file(store.path() / "data.mdb");
  std::mt19937_64 chance{1};
  int told = 0;
  for (int i = 0; i < 150; ++i) {
    auto flipped = bytes;
    const auto place = std::uniform_int_distribution<std::size_t>{2 * page_size, bytes.size() - 1}(chance);
    flipped[place] = static_cast<char>(flipped[place] ^ (1 << (chance() % 8)));
    INFO("bit flipped in byte " << place);
    told += outcome_of(store.options(), flipped, expected) == all_there ? 0 : 1;
  }
  CHECK(told > 10); // the others were in free pages or unused space
}

TEST_CASE("row 66: with any page zeroed the store is refused or tells only what is true, also after a clean stop") {
  const auto how = GENERATE(stop::killed, stop::closed);
  opened_store store;
  const auto expected = fill(store);
  store.close();
  const auto bytes = read_file(store.path() / "data.mdb");
  int told = 0;
  for (std::size_t at = 2 * page_size; at + page_size <= bytes.size(); at += page_size) {
    auto zeroed = bytes;
    zeroed.replace(at, page_size, page_size, '\0');
    INFO("page " << at / page_size << " zeroed");
    told += outcome_of(store.options(), zeroed, expected, how) == all_there ? 0 : 1;
  }
  CHECK(told > 10);
}

TEST_CASE("row 66: pages that are damaged under a store that is open end no check, and no reader without words") {
  opened_store store;
  const auto expected = fill(store);
  const auto options = store.options();
  store.close();
  const auto bytes = read_file(store.path() / "data.mdb");
  int told = 0;
  for (std::size_t at = 2 * page_size; at + page_size <= bytes.size(); at += page_size) {
    INFO("page " << at / page_size << " zeroed");
    write_file(store.path() / "data.mdb", bytes);
    const auto e = in_child([&](const say& speak) {
      dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
      auto to_look = options;
      to_look.read_only = true;
      const lmdb_engine engine{to_look};
      auto damaged = bytes;
      damaged.replace(at, page_size, page_size, '\0');
      std::fstream{to_look.path / "data.mdb", std::ios::in | std::ios::out | std::ios::binary} << damaged;
      const auto faults = engine.check().faults;
      for (const auto& f : faults)
        if (mentions(f, "steadfast store restore"))
          speak(f);
      return 0;
    });
    CHECK(e.signal == 0);
    CHECK(e.code == 0);
    told += e.lines.empty() ? 0 : 1;
  }
  CHECK(told > 10); // the others were free
}

TEST_CASE("row 66: a file that was cut is refused at open with what to do") {
  opened_store store;
  const auto expected = fill(store);
  store.close();
  const auto bytes = read_file(store.path() / "data.mdb");
  for (std::size_t size = 2 * page_size; size < bytes.size(); size += 7 * page_size + 100) {
    INFO("cut to " << size << " of " << bytes.size() << " bytes");
    const auto code = outcome_of(store.options(), bytes.substr(0, size), expected);
    if (size < bytes.size() / 2)
      CHECK(code == refused);
  }

  // Also when it was closed cleanly: the mark tells the size.
  write_file(store.path() / "data.mdb", bytes);
  store.reopen();
  store.close();
  fs::resize_file(store.path() / "data.mdb", 5 * page_size);
  try {
    store.reopen();
    FAIL("a cut file was opened");
  } catch (const store_error& e) {
    CHECK_FALSE(e.is_fatal());
    CHECK(mentions(e.what(), "is damaged"));
    CHECK(mentions(e.what(), "restore a copy"));
    CHECK(mentions(e.what(), "steadfast store check"));
  }
}

TEST_CASE("row 66: a store that lost a table or the record of its format is refused, not created again") {
  for (const std::string lost : {"payloads", "set_aside", "meta", "format", "journal"}) {
    opened_store store;
    store.submit("a");
    INFO(lost);
    CHECK_THROWS_WITH(damage(store, lost), Catch::Contains("restore a copy") && Catch::Contains("is missing"));
  }
}

TEST_CASE("row 66: a data file that is missing or empty is not created again where a store was, and is named") {
  for (const bool was_killed : {false, true}) {
    for (const bool is_emptied : {false, true}) {
      INFO((was_killed ? "killed, " : "closed, ") << (is_emptied ? "emptied" : "deleted"));
      opened_store store{commits::shared};
      store.submit("a");
      if (!was_killed)
        store->save();
      store.close();
      const auto file = store.path() / "data.mdb";
      if (is_emptied)
        fs::resize_file(file, 0);
      else
        fs::remove(file);
      auto options = store.options();
      for (const bool read_only : {true, false}) {
        options.read_only = read_only;
        const auto why = refusal(options);
        CHECK(mentions(why, read_only && is_emptied ? "it ends too early" : file.string()));
        CHECK(mentions(why, "steadfast store restore COPY --to FOLDER"));
      }
      CHECK(fs::exists(file) == is_emptied); // nothing was made
    }
  }
}

TEST_CASE("row 66: a store of which all files but the node's clock are gone is not created again") {
  opened_store store{commits::shared};
  store.submit("a");
  store.close();
  fs::remove(store.path() / "data.mdb");
  fs::remove(store.path() / "journal");
  fs::remove(store.path() / "closed"); // a node that was killed left none
  write_file(store.path() / "clock", "written by the node once its store was open");
  auto options = store.options();
  for (const bool read_only : {true, false}) {
    options.read_only = read_only;
    CHECK(mentions(refusal(options), "data.mdb, is missing, though a store was here"));
  }
  CHECK_FALSE(fs::exists(store.path() / "data.mdb"));
}

TEST_CASE("row 66: what lies in the place of a file of the store and is none is named") {
  for (const char* name : {"data.mdb", "journal"}) {
    opened_store store{commits::shared};
    store.submit("a");
    store.close();
    fs::remove(store.path() / name);
    fs::create_directory(store.path() / name);
    auto options = store.options();
    for (const bool read_only : {true, false}) {
      options.read_only = read_only;
      CHECK(mentions(refusal(options), (store.path() / name).string() + " is not a regular file"));
    }
  }
}

TEST_CASE("row 66: a store that was killed while it was made is made by the next start") {
  temporary_directory d;
  fs::create_directory(d.store());
  fs::permissions(d.store(), fs::perms::owner_all);
  write_file(d.store() / "data.mdb", "");
  fs::permissions(d.store() / "data.mdb", fs::perms::owner_read | fs::perms::owner_write);
  CHECK(refusal(small_options(d.store())).empty());
}

TEST_CASE("row 66: alerts and tasks that are not where they should be are told of") {
  opened_store store;
  store.submit("a");
  store.one(record_act{"ann", "what was done", "", at(1)});
  store.close();
  {
    lmdb::environment env{{store.path(), 1 << 26}};
    auto txn = lmdb::transaction::writing(env);
    txn.put(txn.make_table("open_alerts"), key{std::uint64_t{7}}, {});
    txn.erase(txn.make_table("alerts"), key{std::uint64_t{1}});
    txn.commit();
  }
  store.reopen();
  const auto faults = store->check().faults;
  REQUIRE(faults.size() == 2);
  CHECK(mentions(faults[0], "open_alerts"));
  CHECK(mentions(faults[1], "not as many alerts"));
}

TEST_CASE("row 66: a bit flipped in the meta pages never ends the reader") {
  opened_store store;
  const auto expected = fill(store);
  store.close();
  const auto bytes = read_file(store.path() / "data.mdb");
  std::mt19937_64 chance{2};
  for (int i = 0; i < 40; ++i) {
    auto flipped = bytes;
    const auto place = std::uniform_int_distribution<std::size_t>{0, 159}(chance) + (i % 2 == 0 ? 0 : page_size);
    flipped[place] = static_cast<char>(flipped[place] ^ (1 << (chance() % 8)));
    write_file(store.path() / "data.mdb", flipped);
    fs::remove(store.path() / "closed");
    INFO("bit flipped in byte " << place);
    const auto e = in_child([&](const say&) { return read_all(store.options(), expected); });
    CHECK(e.signal == 0);
  }
}
