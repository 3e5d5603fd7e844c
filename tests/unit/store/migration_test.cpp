// Formats: older ones are brought up step by step, newer ones are refused. The formats after the present one exist only here;
// what the real steps make of old stores: golden_test.cpp.

#include "support.hpp"
#include "support_process.hpp"

#include "store/record.hpp"

#include <catch2/catch.hpp>

#include <csignal>

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
    REQUIRE(newer.leases().size() == 1);
    CHECK(newer.leases()[0].note == "the next format");
    CHECK(newer.commit({submit_task{order("b"), at(1)}})[0].number == 2);
  }
  CHECK(format_on_disk(store.options()) == format_next);
  lmdb_engine again{store.options(), settings_of_format(format_next)};
  CHECK(again.stats().last_number == 2);
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
  CHECK(brought_up.leases().at(0).note == "the next format");
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
