// Formats: older ones are brought up step by step, newer ones are refused. The formats after the present one exist only
// here; what the real steps make of old stores: records/golden_test.cpp.

#include "tests/unit/store/support.hpp"
#include "tests/unit/store/support_process.hpp"

#include "store/journal/directory.hpp"
#include "store/records/record.hpp"

#include <catch2/catch.hpp>

#include <fcntl.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

constexpr auto format_now = store_format;
constexpr auto format_next = store_format + 1;

/// To the next format: a table `colours` is added and every lease gets another note. To the one after it: nothing.
migration to_next_format() {
  return {format_now, [](lmdb::transaction& txn) {
            txn.put(txn.make_table("colours"), "red", "1");
            const auto leases = txn.open_table("leases").value();
            std::vector<lease_record> all;
            {
              lmdb::cursor c{txn, leases};
              for (bool more = c.first(); more; more = c.next())
                all.push_back(decode_record<lease_record>(c.key(), c.value()));
            }
            for (auto& x : all) {
              x.what.note = "the next format";
              txn.put(leases, x.what.name, encode_record(x.what.name, x));
            }
          }};
}

engine_settings settings_of_format(std::uint32_t format) {
  engine_settings s;
  s.format = format;
  s.migrations = {to_next_format(), {format_next, [](lmdb::transaction&) {}}};
  return s;
}

/// A store of the present format with a task and a lease, closed.
void fill_old_store(opened_store& store) {
  store.submit("a");
  store.one(acquire_lease{"supervisor", "n1", "the present format", workflow::span{1000}, at(0)});
  store.close();
}

/// Makes the store of format 1 that has the same tasks and alerts, with no page to spare in its file.
void bring_down_to_format_1(const store_options& options) {
  const auto compact = options.path / "compact.mdb";
  {
    lmdb::environment env{{options.path, options.size_max}};
    auto txn = lmdb::transaction::writing(env);
    for (const char* name : {"ended", "ended_counts", "task_alerts"}) {
      std::vector<std::string> keys;
      {
        lmdb::cursor c{txn, txn.open_table(name).value()};
        for (bool more = c.first(); more; more = c.next())
          keys.emplace_back(c.key());
      }
      for (const auto& k : keys)
        txn.erase(txn.open_table(name).value(), k);
    }
    set_format(txn, 1);
    txn.commit();
    const store::file_handle to{open(compact.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)};
    env.copy_to(to.get());
  }
  std::filesystem::rename(compact, options.path / "data.mdb");
}

/// So many tasks that were undone before they began.
void end_many(opened_store& store, int count) {
  constexpr int batch_size = 1000;
  for (int first = 0; first < count; first += batch_size) {
    std::vector<store::write> batch;
    for (int i = first; i < std::min(count, first + batch_size); ++i)
      batch.emplace_back(submit_task{order("t" + std::to_string(i)), at(0)});
    store->commit(batch);
    batch.clear();
    for (int i = first; i < std::min(count, first + batch_size); ++i)
      batch.emplace_back(update_by(*store->find("t" + std::to_string(i)), delivery(),
                                   workflow::cancelled{{"ann", "no longer wanted"}}, at(i)));
    store->commit(batch);
  }
}

std::uint32_t format_on_disk(const store_options& options) {
  const lmdb::environment env{{options.path, 1 << 30, true}};
  const auto txn = lmdb::transaction::reading(env);
  return format_of(txn).value();
}

} // namespace

TEST_CASE("row 70: a store of this format is opened by a program of the next, with all that was in it") {
  opened_store store;
  fill_old_store(store);
  CHECK(format_on_disk(store.options()) == format_now);
  {
    lmdb_engine newer{store.options(), settings_of_format(format_next)};
    CHECK(newer.find("a").has_value());
    REQUIRE(newer.leases({workflow::never}).size() == 1);
    CHECK(newer.leases({workflow::never})[0].note == "the next format");
    CHECK(newer.commit_one(submit_task{order("b"), at(1)}).number == 2);
  }
  CHECK(format_on_disk(store.options()) == format_next);
  lmdb_engine again{store.options(), settings_of_format(format_next)};
  CHECK(again.counts().last_number == 2);
}

TEST_CASE("row 70: several steps are taken one after the other") {
  opened_store store;
  fill_old_store(store);
  CHECK(refusal(store.options(), settings_of_format(format_next + 1)).empty());
  CHECK(format_on_disk(store.options()) == format_next + 1);
}

TEST_CASE("row 70: a store of a newer format is refused, and not touched") {
  opened_store store;
  fill_old_store(store);
  CHECK(refusal(store.options(), settings_of_format(format_next)).empty());
  const auto words = refusal(store.options(), {});
  CHECK(words.find("has format " + std::to_string(format_next)) != std::string::npos);
  CHECK(words.find("newer version") != std::string::npos);
  auto to_look = store.options();
  to_look.read_only = true;
  CHECK(refusal(to_look, {}).find("has format " + std::to_string(format_next)) != std::string::npos);
  CHECK(format_on_disk(store.options()) == format_next);
}

TEST_CASE("a store whose format no step leads from is refused") {
  opened_store store;
  fill_old_store(store);
  auto s = settings_of_format(format_next);
  s.migrations.clear();
  CHECK(refusal(store.options(), s).find("no way leads") != std::string::npos);
  CHECK(format_on_disk(store.options()) == format_now);
}

TEST_CASE("an older store can only be looked at after it was brought up") {
  opened_store store;
  fill_old_store(store);
  auto to_look = store.options();
  to_look.read_only = true;
  CHECK(refusal(to_look, settings_of_format(format_next)).find("has format " + std::to_string(format_now))
        != std::string::npos);
  CHECK(format_on_disk(store.options()) == format_now);
}

TEST_CASE("row 70: killed in the middle of a step, the store is still of the older format and is brought up again") {
  opened_store store;
  fill_old_store(store);
  auto s = settings_of_format(format_next);
  s.migrations[0].run = [](lmdb::transaction& txn) {
    to_next_format().run(txn);
    raise(SIGKILL);
  };
  const auto e = in_child([&](const say&) {
    const lmdb_engine never{store.options(), s};
    return 0;
  });
  CHECK(e.signal == SIGKILL);
  CHECK(format_on_disk(store.options()) == format_now);
  lmdb_engine brought_up{store.options(), settings_of_format(format_next)};
  CHECK(brought_up.leases({workflow::never}).at(0).note == "the next format");
  CHECK(brought_up.check().faults.empty());
}

TEST_CASE("row 70: a step that fails leaves the store as it was") {
  opened_store store;
  fill_old_store(store);
  auto s = settings_of_format(format_next);
  s.migrations[0].run = [](lmdb::transaction& txn) {
    to_next_format().run(txn);
    throw store_error{"I cannot", false};
  };
  CHECK(refusal(store.options(), s) == "I cannot");
  CHECK(format_on_disk(store.options()) == format_now);
  CHECK(refusal(store.options(), {}).empty());
}

TEST_CASE("row 70: many ended tasks of format 1 are listed and counted, though the step needs a larger map") {
  constexpr int count = 10'500; // more than are read before something is written
  engine_settings small;
  small.map_initial = 1 << 16;
  opened_store store{small};
  end_many(store, count);
  REQUIRE(store->find("t7")->state == workflow::process_state::undone);
  store.submit("open");
  store.close();
  bring_down_to_format_1(store.options());
  store.reopen();
  CHECK(format_on_disk(store.options()) == store_format);
  CHECK(store->check().faults == std::vector<std::string>{});
  const auto o = store.one(purge_ended{"delivery", {{}, count - 10}, 100, {}, at(count)});
  CHECK(o.purged == 10);
  CHECK_FALSE(store->find("t7"));
  CHECK(store->find("t10"));
  CHECK(store->check().faults == std::vector<std::string>{});
}
