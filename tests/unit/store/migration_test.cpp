// Formats: older ones are brought up step by step, newer ones are refused. Format 2 exists only here.

#include "support.hpp"
#include "support_process.hpp"

#include "store/record.hpp"

#include <catch2/catch.hpp>

#include <csignal>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

/// From 1 to 2: a table `colours` is added and every lease gets another note. From 2 to 3: nothing.
migration to_format_2() {
  return {1, [](lmdb::transaction& txn) {
            txn.put(txn.make_table("colours"), "red", "1");
            const auto leases = txn.open_table("leases").value();
            std::vector<lease_record> all;
            {
              lmdb::cursor c{txn, leases};
              for (bool more = c.first(); more; more = c.next())
                all.push_back(decode_record<lease_record>(c.key(), c.value()));
            }
            for (auto& x : all) {
              x.what.note = "format 2";
              txn.put(leases, x.what.name, encode_record(x.what.name, x));
            }
          }};
}

engine_settings settings_of_format(std::uint32_t format) {
  engine_settings s;
  s.format = format;
  s.migrations = {to_format_2(), {2, [](lmdb::transaction&) {}}};
  return s;
}

/// A store of format 1 with a task and a lease, closed.
void fill_old_store(opened_store& store) {
  store.submit("a");
  store.one(acquire_lease{"supervisor", "n1", "format 1", workflow::span{1000}, at(0)});
  store.close();
}

std::uint32_t format_on_disk(const store_options& options) {
  const lmdb::environment env{{options.path, 1 << 30, true}};
  const auto txn = lmdb::transaction::reading(env);
  return format_of(txn).value();
}

} // namespace

TEST_CASE("row 70: a store of format 1 is opened by a program of format 2, with all that was in it") {
  opened_store store;
  fill_old_store(store);
  CHECK(format_on_disk(store.options()) == 1);
  {
    lmdb_engine newer{store.options(), settings_of_format(2)};
    CHECK(newer.find("a").has_value());
    REQUIRE(newer.leases().size() == 1);
    CHECK(newer.leases()[0].note == "format 2");
    CHECK(newer.commit({submit_task{order("b"), at(1)}})[0].number == 2);
  }
  CHECK(format_on_disk(store.options()) == 2);
  lmdb_engine again{store.options(), settings_of_format(2)};
  CHECK(again.stats().last_number == 2);
}

TEST_CASE("row 70: several steps are taken one after the other") {
  opened_store store;
  fill_old_store(store);
  CHECK(refusal(store.options(), settings_of_format(3)).empty());
  CHECK(format_on_disk(store.options()) == 3);
}

TEST_CASE("row 70: a store of a newer format is refused, and not touched") {
  opened_store store;
  fill_old_store(store);
  CHECK(refusal(store.options(), settings_of_format(2)).empty());
  const auto words = refusal(store.options(), {});
  CHECK(words.find("has format 2") != std::string::npos);
  CHECK(words.find("newer version") != std::string::npos);
  auto to_look = store.options();
  to_look.read_only = true;
  CHECK(refusal(to_look, {}).find("has format 2") != std::string::npos);
  CHECK(format_on_disk(store.options()) == 2);
}

TEST_CASE("a store whose format no step leads from is refused") {
  opened_store store;
  fill_old_store(store);
  auto s = settings_of_format(2);
  s.migrations.clear();
  CHECK(refusal(store.options(), s).find("no way leads") != std::string::npos);
  CHECK(format_on_disk(store.options()) == 1);
}

TEST_CASE("an older store can only be looked at after it was brought up") {
  opened_store store;
  fill_old_store(store);
  auto to_look = store.options();
  to_look.read_only = true;
  CHECK(refusal(to_look, settings_of_format(2)).find("has format 1") != std::string::npos);
  CHECK(format_on_disk(store.options()) == 1);
}

TEST_CASE("row 70: killed in the middle of a step, the store is still of the older format and is brought up again") {
  opened_store store;
  fill_old_store(store);
  auto s = settings_of_format(2);
  s.migrations[0].run = [](lmdb::transaction& txn) {
    to_format_2().run(txn);
    raise(SIGKILL);
  };
  const auto e = in_child([&](const say&) {
    const lmdb_engine never{store.options(), s};
    return 0;
  });
  CHECK(e.signal == SIGKILL);
  CHECK(format_on_disk(store.options()) == 1);
  lmdb_engine brought_up{store.options(), settings_of_format(2)};
  CHECK(brought_up.leases().at(0).note == "format 2");
  CHECK(brought_up.check().faults.empty());
}

TEST_CASE("row 70: a step that fails leaves the store as it was") {
  opened_store store;
  fill_old_store(store);
  auto s = settings_of_format(2);
  s.migrations[0].run = [](lmdb::transaction& txn) {
    to_format_2().run(txn);
    throw store_error{"I cannot", false};
  };
  CHECK(refusal(store.options(), s) == "I cannot");
  CHECK(format_on_disk(store.options()) == 1);
  CHECK(refusal(store.options(), {}).empty());
}
