// A connection that is encrypted, to a server whose certificate is verified.

#include "tests/postgres/nodes.hpp"
#include "tests/postgres/server.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/skip.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::tests;
using Catch::Matchers::Contains;

namespace {

/// The role has a password, which nobody may see.
std::string verified_url(const postgres_server& server, const std::string& host, const std::string& authority) {
  return "postgresql://app:sesame@" + host + ":" + std::to_string(server.port())
         + "/postgres?hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert=" + authority;
}

/// A command that must not be let in.
std::string refused(const std::vector<std::string>& command) {
  const auto end = run_program(STEADFAST_BINARY, command);
  CHECK(end.code == 73);
  CHECK(end.out.find("sesame") == std::string::npos);
  CHECK(end.err.find("sesame") == std::string::npos);
  return end.err;
}

} // namespace

TEST_CASE("a server is used only if an authority that is trusted says that it has the name in the URL") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  const postgres_server stranger; // whose certificate is as good, by another authority
  server.sql({"alter role app password 'sesame'"});
  server.ask_for_passwords_of("app");
  const auto others = stranger.encrypt_as("db1.test");
  const auto init = [&](const std::string& host, const std::string& authority) {
    return std::vector<std::string>{"store", "init", "--url", verified_url(server, host, authority)};
  };
  CHECK_THAT(refused(init("db1.test", others)), Contains("db1.test:") && Contains("server does not support SSL"));
  const auto authority = server.encrypt_as("db1.test");
  CHECK_THAT(refused(init("db1.test", others)), Contains("certificate verify failed"));
  CHECK_THAT(refused(init("db2.test", authority)),
             Contains(R"(server certificate for "db1.test" does not match host name "db2.test")"));
  CHECK_THAT(refused(init("db1.test", authority + ".none")), Contains(authority + ".none\" does not exist"));
  CHECK(server.sql({"select count(*) from pg_tables where schemaname = 'steadfast'"}) == "0");

  const auto url = verified_url(server, "db1.test", authority);
  REQUIRE(run_program(STEADFAST_BINARY, {"store", "init", "--url", url}).code == 0);
  const auto told = run_program(STEADFAST_BINARY, {"store", "doctor", "--url", url});
  CHECK_THAT(told.out, Contains("no commit waits for a standby") && !Contains("not encrypted"));
  CHECK_THAT(refused({"store", "doctor", "--url", verified_url(server, "db2.test", authority)}),
             Contains("does not match host name"));
}

TEST_CASE("a node works over an encrypted connection, and does not start with a server that is not the one it means") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  server.sql({"alter role app password 'sesame'"});
  server.ask_for_passwords_of("app");
  const auto authority = server.encrypt_as("db1.test");
  const auto url = verified_url(server, "db1.test", authority);
  init_store(url);
  node_on_a_server node{"n1", url};
  node.start();
  REQUIRE(node.submit("a"));
  CHECK(comes_true([&] { return node.processed().contains("a"); }));
  CHECK(server.sql({"select count(*) filter (where ssl) || ' of ' || count(*) from pg_stat_ssl join pg_stat_activity"
                    " using (pid) where usename = 'app' and application_name = 'steadfast steadfast partition 0'"})
        == "1 of 1");
  node.kill();

  const node_on_a_server other{"n1", verified_url(server, "db2.test", authority)};
  running_program refused{STEADFAST_BINARY, {"serve", "-c", other.config()}};
  CHECK(refused.wait(hang_limit).value_or(0) != 0);
  CHECK_THAT(refused.err(), Contains("does not match host name \"db2.test\"") && !Contains("sesame"));
  node.start();
  CHECK(node.processed().contains("a"));
}
