// The two logs of a partition, written in turn.

#include "tests/postgres/server.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/skip.hpp"

#include <catch2/catch.hpp>
#include <libpq-fe.h>

using namespace steadfast;
using namespace steadfast::store::postgres;
using namespace steadfast::tests;

namespace {

using session = std::unique_ptr<PGconn, decltype(&PQfinish)>;

void ask(const session& s, const char* command) {
  const std::unique_ptr<PGresult, decltype(&PQclear)> r{PQexec(s.get(), command), PQclear};
  REQUIRE((PQresultStatus(r.get()) == PGRES_COMMAND_OK || PQresultStatus(r.get()) == PGRES_TUPLES_OK));
}

} // namespace

TEST_CASE("a log has what was written since the rotation before the last") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  auto p = owned(owner(server.url(), "n1"));
  CHECK(p->read_log().empty());
  REQUIRE(p->append(std::string_view{"\0c", 2}).result == appending::applied);
  REQUIRE(p->append("").result == appending::applied);
  REQUIRE(p->rotate().result == appending::applied);
  REQUIRE(p->append(one(8, "d")).result == appending::applied);
  CHECK(p->read_log() == std::vector<log_record>{{1, {"\0c", 2}}, {4, one(8, "d")}});
  REQUIRE(p->rotate().result == appending::applied); // the first log is emptied
  CHECK(p->read_log() == std::vector<log_record>{{4, one(8, "d")}});
  REQUIRE(p->rotate().result == appending::applied);
  CHECK(p->read_log().empty());
  CHECK(p->known() == acknowledged{1, 6});

  auto next = owned(owner(server.url(), "n2")); // it goes on in the right log, with the next number
  CHECK(next->known() == acknowledged{2, 6});
  REQUIRE(next->append(one(9, "e")).result == appending::applied);
  CHECK(next->read_log() == std::vector<log_record>{{7, one(9, "e")}});
  CHECK(p->rotate().result == appending::lost);
  CHECK(next->read_log().size() == 1);
}

TEST_CASE("a rotation waits for a reader no longer than its limit, and commits go on") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  auto p = owned(owner(server.url(), "n1"));
  REQUIRE(p->append(one(1, "a")).result == appending::applied);
  REQUIRE(p->rotate().result == appending::applied);
  const session reader{PQconnectdb(server.url("postgres").c_str()), PQfinish};
  ask(reader, "begin");
  ask(reader, "select * from steadfast.log_0_0"); // as pg_dump does, for hours

  const auto refused = p->rotate();
  CHECK(refused.result == appending::not_made);
  CHECK(refused.is_passing);
  CHECK(p->append(one(1, "b")).result == appending::applied);
  CHECK(p->read_log() == std::vector<log_record>{{1, one(1, "a")}, {3, one(1, "b")}});
  ask(reader, "commit");
  CHECK(p->rotate().result == appending::applied);
}

TEST_CASE("a commit that the server refuses leaves nothing, and the next one has its number") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  auto p = owned(owner(server.url(), "n1"));
  server.sql({"alter table steadfast.log_0_0 add check (changes <> '13')"});
  const auto refused = p->append("13");
  CHECK(refused.result == appending::not_made);
  CHECK_FALSE(refused.is_passing);
  CHECK(p->append(one(14, "c")).result == appending::applied);
  CHECK(p->read_log() == std::vector<log_record>{{1, one(14, "c")}});
  const std::string large(append_bytes_max + 1, 'x');
  CHECK(p->append(large).result == appending::not_made);
  CHECK(p->append(std::string_view{large}.substr(0, large.size() / 16)).result == appending::applied);
}
