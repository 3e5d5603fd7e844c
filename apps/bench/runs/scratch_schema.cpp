#include "apps/bench/runs/scratch_schema.hpp"

#include "apps/bench/figures/process_figures.hpp"
#include "apps/terminal/failure.hpp"
#include "store/postgres/schema.hpp"

#include <fmt/format.h>

#include <iostream>
#include <random>

namespace steadfast::bench {
namespace {

namespace postgres = store::postgres;

/// To drop a schema waits for those who still use it.
constexpr postgres::session_limits limits{std::chrono::seconds{5}, std::chrono::seconds{60}};

std::string by_chance() {
  std::random_device chance;
  return fmt::format("{:08x}", chance());
}

postgres::connection connected(const postgres::place& where) {
  return postgres::connection::open(where, "steadfast bench", limits, std::chrono::steady_clock::now);
}

} // namespace

scratch_schema::scratch_schema(const std::string& url, std::uint32_t partitions)
    : where_{url, {}, "steadfast_bench_" + by_chance()},
      session_{connected(where_)} {
  if (const auto made = make_store(session_, name(), by_chance(), partitions); made.result != postgres::making::made)
    throw apps::failure{apps::refused, "no store can be made for the measurement: " + made.why};
}

scratch_schema::~scratch_schema() {
  std::string why;
  try {
    why = postgres::why(connected(where_).run({{"drop schema " + name() + " cascade", {}}}));
  } catch (const std::exception& e) {
    why = e.what();
  }
  if (!why.empty())
    std::cerr << "the schema " << name() << " is left on the server: " << why << '\n';
}

std::string scratch_schema::about() {
  const auto shown = session_.read({{"select current_setting('server_version') || ', synchronous_commit '"
                                     " || current_setting('synchronous_commit') || ', fsync '"
                                     " || current_setting('fsync') || case current_setting('synchronous_standby_names')"
                                     " when '' then ', no standby is waited for' else ', with a standby' end",
                                     {}}});
  return "PostgreSQL " + shown.front().text(0, 0);
}

nlohmann::json scratch_schema::figures() {
  const auto shown = session_.read({{"select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::int8, pg_backend_pid(),"
                                     " coalesce(host(inet_client_addr()) = host(inet_server_addr()), true)",
                                     {}}});
  nlohmann::json j{{"wal_bytes", shown.front().number(0, 0)}};
  const bool is_here = shown.front().number(0, 2) != 0;
  if (const auto cpu = cpu_of_siblings(static_cast<int>(shown.front().number(0, 1)), "postgres"); is_here && cpu)
    j["cpu_seconds"] = *cpu;
  return j;
}

} // namespace steadfast::bench
