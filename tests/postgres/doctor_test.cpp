// What is wrong with a server, and the cure.

#include "store/postgres/doctor.hpp"
#include "tests/postgres/server.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/skip.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace steadfast;
using namespace steadfast::store::postgres;
using namespace steadfast::tests;

namespace {

server_readings as_it_should_be() {
  server_readings r;
  r.version = 150018;
  r.settings = {{"fsync", "on"},
                {"full_page_writes", "on"},
                {"data_checksums", "on"},
                {"autovacuum", "on"},
                {"synchronous_commit", "on"},
                {"synchronous_standby_names", "ANY 1 (s1, s2)"},
                {"idle_in_transaction_session_timeout", "60000"},
                {"tcp_keepalives_idle", "5"},
                {"client_connection_check_interval", "1000"},
                {"max_connections", "200"},
                {"superuser_reserved_connections", "3"}};
  r.standbys = {{"s1", true, true, 0}, {"s2", true, true, 0}};
  r.role = "app";
  r.store = {true, true, store_card{"steadfast", schema_version, "a store", 64}, {}, {}};
  return r;
}

/// The one finding that there is.
doctor_finding found_in(const server_readings& r) {
  const auto all = doctor_findings(r, "steadfast");
  REQUIRE(all.size() == 1);
  CHECK_FALSE(all[0].cure.empty());
  return all[0];
}

bool says(const std::vector<doctor_finding>& all, const std::string& words) {
  return std::any_of(all.begin(), all.end(),
                     [&](const doctor_finding& f) { return f.what.find(words) != std::string::npos; });
}

} // namespace

TEST_CASE("the doctor finds nothing on a server that is as it should be") {
  CHECK(doctor_findings(as_it_should_be(), "steadfast").empty());
}

TEST_CASE("the doctor names each setting that is wrong, and whether commits can be lost") {
  struct wrong {
    std::string name, value, says;
    bool is_critical;
  };
  for (const auto& w : {
         wrong{"fsync", "off", "fsync is off", true},
         wrong{"full_page_writes", "off", "full_page_writes is off", true},
         wrong{"autovacuum", "off", "autovacuum is off", true},
         wrong{"data_checksums", "off", "no data checksums", false},
         wrong{"synchronous_commit", "local", "synchronous_commit is local", false},
         wrong{"synchronous_standby_names", "", "no commit waits for a standby", true},
         wrong{"idle_in_transaction_session_timeout", "0", "idle_in_transaction_session_timeout is 0", false},
         wrong{"tcp_keepalives_idle", "7200", "tcp_keepalives_idle is 7200 s", false},
         wrong{"client_connection_check_interval", "0", "client_connection_check_interval is 0", false},
         wrong{"max_connections", "86", "each of 64 partitions", true},
       }) {
    auto r = as_it_should_be();
    r.settings[w.name] = w.value;
    const auto f = found_in(r);
    CHECK(f.what.find(w.says) != std::string::npos);
    CHECK(f.is_critical == w.is_critical);
  }
  auto r = as_it_should_be();
  r.settings["max_connections"] = "87";
  CHECK(doctor_findings(r, "steadfast").empty());
}

TEST_CASE("the doctor tells a standby that is missing, alone, behind or not to be seen") {
  auto r = as_it_should_be();
  r.standbys = {{"s1", false, true, 0}, {"s3", true, false, 0}};
  CHECK(found_in(r).what.find("no commit returns") != std::string::npos);
  CHECK(found_in(r).is_critical);
  r.standbys = {{"s1", true, true, 0}};
  CHECK(found_in(r).what.find("only one standby") != std::string::npos);
  r.standbys = {{"s1", true, true, std::int64_t{65} << 20U}, {"s2", true, true, 0}};
  CHECK(found_in(r).what == "the standby s1 is 65 MiB behind");
  r.standbys = {{"s1", false, false, 0}};
  r.may_see_standbys = false;
  CHECK(found_in(r).cure == "grant pg_read_all_stats to app;");
}

TEST_CASE("row 90: the doctor tells when two servers take writes, and which of them to stop") {
  auto r = as_it_should_be();
  r.with_store = {"db2:5432"};
  CHECK(doctor_findings(r, "steadfast").empty());
  r.with_store = {"db2:5432", "db1:5432"};
  CHECK(found_in(r).what.find("db2:5432 and db1:5432 both take writes") != std::string::npos);
  CHECK(found_in(r).cure.find("stop db1:5432") != std::string::npos);
  CHECK(found_in(r).is_critical);
}

TEST_CASE("the doctor tells of a role that may too much, a plain connection, an old server and a missing store") {
  auto r = as_it_should_be();
  r.powers = {"make roles"};
  CHECK(found_in(r).what == "the role app may make roles, which a store has no use for");
  r = as_it_should_be();
  r.more_schemas = {"public"};
  CHECK(found_in(r).what.find("also owns the schema public") != std::string::npos);
  r = as_it_should_be();
  r.owns_schema = false;
  CHECK(found_in(r).cure == "alter schema steadfast owner to app;");
  r = as_it_should_be();
  r.is_encrypted = false;
  CHECK(found_in(r).cure.find("verify-full") != std::string::npos);
  r = as_it_should_be();
  r.version = 130022;
  CHECK(found_in(r).is_critical);
  r = as_it_should_be();
  r.store = {true, false, std::nullopt, {}, {}};
  CHECK(
    found_in(r)
    == doctor_finding{true, "there is no store in the schema steadfast", "`steadfast store init --url URL` makes one"});
}

TEST_CASE("the doctor reads what a server says of itself, not what our sessions set") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server{"fsync = off\nsynchronous_commit = off\n"};
  auto c =
    connection::open({server.url(), {}}, "the test", {hang_limit / 2, hang_limit / 2}, std::chrono::steady_clock::now);
  auto r = read_server(c, "steadfast");
  CHECK(r.version >= 140000);
  CHECK(r.role == "app");
  CHECK(r.powers.empty());
  CHECK(r.owns_schema);
  CHECK(r.more_schemas.empty());
  CHECK(r.is_encrypted);
  auto all = doctor_findings(r, "steadfast");
  REQUIRE(!all.empty());
  CHECK(all.front().is_critical);
  for (const auto* words : {"there is no store", "fsync is off", "synchronous_commit is off", "no commit waits",
                            "idle_in_transaction_session_timeout is 0"})
    CHECK(says(all, words));
  CHECK_FALSE(says(all, "checksums"));

  make_store(server.url());
  server.set("synchronous_standby_names", "s1");
  auto as_superuser = connection::open({server.url("postgres"), {}}, "the test", {hang_limit / 2, hang_limit / 2},
                                       std::chrono::steady_clock::now);
  r = read_server(as_superuser, "steadfast");
  CHECK(r.powers.size() == 5);
  CHECK_FALSE(r.owns_schema);
  all = doctor_findings(r, "steadfast");
  CHECK(says(all, "none of them is connected"));
  CHECK_FALSE(says(all, "there is no store"));
}
