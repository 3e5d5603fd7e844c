// Makes a store on a PostgreSQL server, brings its schema up to date, and looks at how the server is set up.

#include "apps/command_line/commands.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/terminal/failure.hpp"
#include "apps/terminal/terminal.hpp"
#include "runtime/configuration/config_error.hpp"
#include "runtime/configuration/secret_file.hpp"
#include "store/postgres/doctor.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <random>
#include <string>

namespace steadfast::apps {
namespace {

namespace postgres = store::postgres;

constexpr std::chrono::seconds answer_limit{30}; ///< to make 1,024 partitions takes a while

struct server_arguments {
  postgres::place where;
  std::string password_file;
  std::int64_t partitions = postgres::partitions_default;
  bool json = false;
};

std::string password_in(const std::filesystem::path& path) {
  if (const auto refused = runtime::why_no_secret(path); !refused.empty())
    throw failure{wrong_config, refused};
  try {
    return runtime::read_secret_file(path);
  } catch (const runtime::config_error& e) {
    throw failure{no_input, e.what()};
  }
}

postgres::connection connect_to(const server_arguments& g) {
  auto where = g.where;
  if (const auto wrong = problems(where); !wrong.empty())
    throw failure{wrong_usage, wrong.front()};
  if (!g.password_file.empty())
    where.password = password_in(g.password_file);
  return postgres::connection::open(where, "steadfast store", {std::chrono::seconds{5}, answer_limit},
                                    std::chrono::steady_clock::now);
}

/// 128 bits: no two stores have the same.
std::string draw_identity() {
  std::random_device chance;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", chance(), chance(), chance(), chance());
}

void check_made(const postgres::making_answer& answer) {
  if (answer.result == postgres::making::refused)
    throw failure{refused, answer.why};
  if (answer.result == postgres::making::unknown)
    throw failure{try_again, "it is not known whether it was done (" + answer.why
                               + "): the same command is safe to repeat, and finds out"};
}

int init(const server_arguments& g) {
  auto server = connect_to(g);
  const auto identity = draw_identity();
  check_made(make_store(server, g.where.schema, identity, g.partitions));
  if (g.json)
    print_json({{"schema", g.where.schema}, {"store", identity}, {"partitions", g.partitions}});
  else
    std::cout << "made the store " << identity << " of "
              << runtime::counted(static_cast<std::size_t>(g.partitions), "partition") << " in the schema "
              << g.where.schema << "; `steadfast store doctor` with the same URL looks at its server\n";
  return done;
}

int upgrade(const server_arguments& g) {
  auto server = connect_to(g);
  const auto answer = upgrade_store(server, g.where.schema);
  check_made(answer);
  if (g.json)
    print_json({{"schema", g.where.schema}, {"version", postgres::schema_version}});
  else
    std::cout << printable(answer.why) << '\n';
  return done;
}

int doctor(const server_arguments& g) {
  auto server = connect_to(g);
  const auto found = doctor_findings(read_server(server, g.where.schema), g.where.schema);
  bool is_critical = false;
  auto list = nlohmann::json::array();
  for (const auto& f : found) {
    is_critical = is_critical || f.is_critical;
    list.push_back({{"critical", f.is_critical}, {"what", f.what}, {"cure", f.cure}});
    if (!g.json)
      std::cout << (f.is_critical ? "CRITICAL  " : "advice    ") << printable(f.what) << "\n          "
                << printable(f.cure) << '\n';
  }
  if (g.json)
    print_json({{"server", server.server()}, {"findings", list}});
  else if (found.empty())
    std::cout << "all is as it should be\n";
  return is_critical ? refused : done;
}

CLI::App* add_server_verb(CLI::App& to, const char* name, const char* help, const std::shared_ptr<server_arguments>& g,
                          command& chosen, int (*run)(const server_arguments&)) {
  auto* sub = to.add_subcommand(name, help);
  sub->add_option("--url", g->where.url, "PostgreSQL's, also with several hosts; better without a password in it")
    ->required()
    ->type_name("URL");
  sub->add_option("--password-file", g->password_file, "File with the password [$PGPASSWORD, or ~/.pgpass]")
    ->type_name("FILE");
  sub->add_option("--schema", g->where.schema, "Where in the database the store is [steadfast]")->type_name("NAME");
  sub->add_flag("--json", g->json, "Print JSON");
  sub->footer(std::string{"Example: steadfast store "} + name
              + " --url 'postgresql://app@db1,db2,db3/work?sslmode=verify-full' --password-file pg.password\n"
                "docs/high-availability.md tells how nodes use it.");
  sub->callback([g, run, &chosen] { chosen = [g, run] { return run(*g); }; });
  return sub;
}

} // namespace

void add_store_servers(CLI::App& to, command& chosen) {
  const auto arguments = [] { return std::make_shared<server_arguments>(); };
  const auto made = arguments();
  auto* sub = add_server_verb(to, "init", "Make a store on a PostgreSQL server", made, chosen, init);
  sub->add_option("--partitions", made->partitions, "Nodes run on a store of one; never changed later [1]")
    ->type_name("N")
    ->check(CLI::Range(std::int64_t{1}, postgres::partitions_max), "");
  add_server_verb(to, "upgrade", "Bring the schema of a store on a PostgreSQL server up to this release", arguments(),
                  chosen, upgrade);
  add_server_verb(to, "doctor", "Tell what is wrong with a PostgreSQL server for a store, each with its cure",
                  arguments(), chosen, doctor);
}

} // namespace steadfast::apps
