// `steadfast store init`, `upgrade` and `doctor`.

#include "tests/postgres/server.hpp"
#include "tests/support/skip.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace steadfast::tests;
using Catch::Matchers::Contains;

namespace {

program_end store_command(std::vector<std::string> arguments, const std::vector<std::string>& environment = {}) {
  arguments.insert(arguments.begin(), "store");
  return run_program(STEADFAST_BINARY, arguments, "", environment);
}

} // namespace

TEST_CASE("the commands make a store, find nothing to bring up to date, and tell what is wrong with its server") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  const auto url = server.url();
  auto end = store_command({"upgrade", "--url", url});
  CHECK(end.code == 1);
  CHECK_THAT(end.err,
             Contains("there is no store in the schema steadfast: `steadfast store init --url URL` makes one"));
  end = store_command({"init", "--url", url, "--partitions", "3", "--json"});
  CHECK(end.code == 0);
  const auto made = nlohmann::json::parse(end.out);
  CHECK(made.at("store").get<std::string>().size() == 32);
  CHECK(server.sql({"select identity || ' ' || partitions from steadfast.store"})
        == made.at("store").get<std::string>() + " 3");
  end = store_command({"init", "--url", url});
  CHECK(end.code == 1);
  CHECK_THAT(end.err, Contains("already, of 3 partitions: nothing was changed"));
  end = store_command({"upgrade", "--url", url});
  CHECK(end.code == 0);
  CHECK_THAT(end.out, Contains("there is nothing to do"));
  end = store_command({"doctor", "--url", url});
  CHECK(end.code == 1);
  CHECK_THAT(end.out, Contains("CRITICAL  no commit waits for a standby"));
  CHECK_THAT(end.out, Contains("alter system set synchronous_standby_names"));
  end = store_command({"doctor", "--url", url, "--json"});
  CHECK(nlohmann::json::parse(end.out).at("findings").size() >= 3);
}

TEST_CASE("no store is made where the role has no rights") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  server.sql({"alter schema steadfast owner to postgres"});
  const auto end = store_command({"init", "--url", server.url()});
  CHECK(end.code == 1);
  CHECK_THAT(end.err, Contains("permission denied for schema steadfast"));
}

TEST_CASE("a store on a server is measured and compared with one in files, and nothing is left there") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  const temp_folder folder;
  const auto end = run_program("/bin/sh",
                               {"-c", R"(cd "$1" && exec "$0" bench --store "$2" --in-flight 8 --seconds 0.3 --json)",
                                STEADFAST_BINARY, folder.path().string(), server.url("postgres")},
                               "", {});
  REQUIRE(end.code == 0);
  const auto measured = nlohmann::json::parse(end.out).at("measured");
  REQUIRE(measured.size() == 2);
  CHECK_FALSE(measured[0].contains("server"));
  for (const auto& m : measured) {
    CHECK(m.at("tasks_per_second") > 0);
    CHECK(m.at("lost") == 0);
  }
  const auto& there = measured[1].at("server");
  CHECK(there.at("wal_bytes_per_task") > 500);
  CHECK(there.at("cpu_ms_per_task") > 0);
  CHECK_THAT(there.at("about").get<std::string>(), Contains("synchronous_commit on, fsync "));
  CHECK(server.sql({"select count(*) from pg_namespace where nspname like 'steadfast_bench%'"}) == "0");
}

TEST_CASE("a password comes from a file or the environment, and no output has it") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  server.sql({"create role locked login password 'open sesame'", "create schema locked authorization locked"});
  server.ask_for_passwords_of("locked");
  const temp_folder folder;
  folder.write("right", "open sesame\n");
  folder.write("wrong", "close sesame");
  folder.write("shown", "open sesame", std::filesystem::perms::all);
  const auto command = [&](const std::string& file, const std::vector<std::string>& environment = {}) {
    std::vector<std::string> arguments{"doctor", "--url", server.url("locked"), "--schema", "locked"};
    if (!file.empty())
      arguments.insert(arguments.end(), {"--password-file", (folder.path() / file).string()});
    auto end = store_command(arguments, environment);
    CHECK(end.out.find("sesame") == std::string::npos);
    CHECK(end.err.find("sesame") == std::string::npos);
    return end;
  };
  CHECK_THAT(command("right").out, Contains("there is no store in the schema locked"));
  CHECK_THAT(command("", {"PGPASSWORD=open sesame"}).out, Contains("there is no store in the schema locked"));
  auto end = command("wrong");
  CHECK(end.code == 73);
  CHECK_THAT(end.err, Contains("password authentication failed"));
  CHECK(command("", {"PGPASSWORD=close sesame"}).code == 73);
  end = command("shown");
  CHECK(end.code == 78);
  CHECK_THAT(end.err, Contains("can be read by everybody: chmod 600 it"));
  CHECK(command("none").code == 66);
}

TEST_CASE("a server that is not there is told by its name") {
  const auto end = store_command({"init", "--url", "postgresql://app:sesame@127.0.0.1:1/work"});
  CHECK(end.code == 73);
  CHECK_THAT(end.err, Contains("no PostgreSQL server that takes writes can be reached: 127.0.0.1:1: "));
  CHECK(end.err.find("\\x") == std::string::npos); // libpq's text has several lines
  CHECK(end.err.find("sesame") == std::string::npos);
}
