// A store is made by `init`, changed by `upgrade`, and refused by name where it is not the right one.

#include "store/postgres/schema.hpp"
#include "tests/postgres/server.hpp"
#include "tests/support/skip.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using namespace steadfast::store::postgres;
using namespace steadfast::tests;

namespace {

connection open(const std::string& url, const std::string& schema = "steadfast") {
  return connection::open({url, {}, schema}, "the test", {hang_limit / 2, hang_limit / 2},
                          std::chrono::steady_clock::now);
}

} // namespace

TEST_CASE("a store is made once, whole or not at all, by a role that owns one schema and nothing else") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  auto c = open(server.url());
  CHECK(find_store(c, "steadfast") == found_store{true, false, std::nullopt, {}, {}});
  CHECK(make_store(c, "steadfast", "first", 3).result == making::made);
  const store_card card{"steadfast", schema_version, "first", 3};
  CHECK(find_store(c, "steadfast").card == card);
  CHECK(who_holds_what(c) == std::vector<holding>{{0, 0, ""}, {1, 0, ""}, {2, 0, ""}});
  const auto again = make_store(c, "steadfast", "second", 3);
  CHECK(again.result == making::refused);
  CHECK(again.why.find("already") != std::string::npos);
  CHECK(find_store(c, "steadfast").card == card);
  CHECK(upgrade_store(c, "steadfast").why.find("nothing to do") != std::string::npos);

  const std::string tables =
    "select string_agg(table_name || column_name || data_type, ' ' order by table_name, column_name)"
    " from information_schema.columns where table_schema = 'steadfast'";
  const auto now = server.sql({tables});
  server.sql({"alter table steadfast.log_2_1 add column revision bigint", "drop table steadfast.kept_until",
              "drop table steadfast.kept_0, steadfast.kept_1, steadfast.kept_2",
              "update steadfast.store set version = 1"}); // as version 1 made it
  CHECK(why_not_usable(find_store(c, "steadfast"), "steadfast").find("store upgrade") != std::string::npos);
  CHECK(upgrade_store(c, "steadfast").result == making::made);
  CHECK(find_store(c, "steadfast").card == card);
  CHECK(server.sql({tables}) == now);

  auto elsewhere = open(server.url(), "other");
  const auto refused = make_store(elsewhere, "other", "x", 1); // the role may not make schemas
  CHECK(refused.result == making::refused);
  CHECK(refused.why.find("create schema other authorization") != std::string::npos);
  auto as_superuser = open(server.url("postgres"), "other");
  server.sql({"create schema other", "create table other.log_1_1()"}); // in its way, in the middle
  CHECK(make_store(as_superuser, "other", "x", 2).result == making::refused);
  CHECK_FALSE(find_store(as_superuser, "other").has_tables);
  CHECK(server.sql({"select count(*) from pg_tables where schemaname = 'other'"}) == "1");
}

TEST_CASE("row 103: who cannot use a store says so before it writes, and changes nothing") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  const auto why_not_taken = [&](const owner_settings& s) {
    partition p{0, s, std::chrono::steady_clock::now};
    const auto answer = p.take({0, 0, ""});
    CHECK(answer.result == taking::server_lost);
    return answer.why;
  };
  const auto says = [&](const std::string& words) {
    return why_not_taken(owner(server.url(), "n1")).find(words) != std::string::npos;
  };
  CHECK(says("steadfast store init"));
  make_store(server.url());
  server.sql({"update steadfast.store set version = version + 1"});
  CHECK(says("run the newer release"));
  server.sql({"update steadfast.store set version = version - 2"});
  CHECK(says("steadfast store upgrade"));
  server.sql({"update steadfast.store set version = version + 1, product = 'webshop'"});
  CHECK(says("another product"));
  server.sql({"alter table steadfast.store rename column product to brand"});
  CHECK(says("another product"));
  server.sql(
    {"alter table steadfast.store rename column brand to product", "update steadfast.store set product = 'steadfast'"});
  auto other = owner(server.url(), "n1");
  other.identity = "another store";
  CHECK(why_not_taken(other).find("has another store") != std::string::npos);
  server.sql({"create role stranger login"});
  CHECK(why_not_taken(owner(server.url("stranger"), "n1")).find("role stranger may not read") != std::string::npos);
  CHECK(server.sql({"select sum(epoch) from steadfast.partition_owner"}) == "0");
  CHECK(owned(owner(server.url(), "n1"))->is_owned());
}
