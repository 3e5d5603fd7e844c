// Makes a store on a PostgreSQL server, brings its schema up to date, looks at how the server is set up, and moves a
// store there or back.

#include "apps/command_line/commands.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/command_line/scratch_folder.hpp"
#include "apps/commands/stopped_store.hpp"
#include "apps/terminal/failure.hpp"
#include "apps/terminal/terminal.hpp"
#include "runtime/text/quantity.hpp"
#include "runtime/toml/config_error.hpp"
#include "runtime/toml/secret_file.hpp"
#include "store/joined/partition_files.hpp"
#include "store/partitions/move.hpp"
#include "store/postgres/doctor.hpp"
#include "store/postgres/partition.hpp"
#include "workflow/task/partition.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <random>
#include <string>

namespace steadfast::apps {
namespace {

namespace postgres = store::postgres;

constexpr std::chrono::seconds answer_limit{30}; ///< to make 64 partitions takes a while

struct server_arguments {
  postgres::place where;
  std::string password_file;
  std::int64_t partitions = postgres::partitions_default;
  std::string from; ///< a folder, that or the next
  std::string to;
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

postgres::place place_of(const server_arguments& g) {
  auto where = g.where;
  if (const auto wrong = problems(where); !wrong.empty())
    throw failure{wrong_usage, wrong.front()};
  if (!g.password_file.empty())
    where.password = password_in(g.password_file);
  return where;
}

constexpr const char* session_name = "steadfast store";
constexpr postgres::session_limits patience{std::chrono::seconds{5}, answer_limit};

postgres::connection connect_to(const server_arguments& g, const std::string& first = {}) {
  return postgres::connection::open(place_of(g), session_name, patience, std::chrono::steady_clock::now, first);
}

/// 128 bits: no two stores have the same.
std::string draw_identity() {
  std::random_device chance;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", chance(), chance(), chance(), chance());
}

void check_made(postgres::making result, const std::string& why) {
  if (result == postgres::making::refused)
    throw failure{refused, why};
  if (result == postgres::making::unknown)
    throw failure{try_again,
                  "the outcome is unknown (" + why + "): it is safe to repeat the same command, which finds out"};
}

int init(const server_arguments& g) {
  auto server = connect_to(g);
  const auto identity = draw_identity();
  const auto answer = make_store(server, g.where.schema, identity, g.partitions);
  check_made(answer.result, answer.why);
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
  check_made(answer.result, answer.why);
  if (g.json)
    print_json({{"schema", g.where.schema}, {"version", postgres::schema_version}});
  else
    std::cout << printable(answer.why) << '\n';
  return done;
}

int doctor(const server_arguments& g) {
  const auto there = postgres::look_at_servers(place_of(g), 0, session_name, patience, std::chrono::steady_clock::now);
  auto server = connect_to(g, there.empty() ? std::string{} : there.front().server);
  auto read = read_server(server, g.where.schema);
  for (const auto& x : there)
    read.with_store.push_back(x.server);
  const auto found = doctor_findings(read, g.where.schema);
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
    std::cout << "nothing to fix\n";
  return is_critical ? refused : done;
}

/// On a line of its own that is written over, where people watch.
class shown_progress {
public:
  explicit shown_progress(bool is_shown) : is_shown_{is_shown} {}
  ~shown_progress() {
    if (was_used_)
      std::cerr << "\r\033[K" << std::flush;
  }
  shown_progress(const shown_progress&) = delete;
  shown_progress& operator=(const shown_progress&) = delete;

  void operator()(const std::string& what) {
    if (!is_shown_)
      return;
    was_used_ = true;
    std::cerr << "\r\033[K" << what << std::flush;
  }

private:
  bool is_shown_;
  bool was_used_ = false;
};

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

/// Whole, and without a slash at its end: it is said to others, and a name is made of it.
std::filesystem::path folder_named(const std::string& text) {
  const auto whole = std::filesystem::absolute(text).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

store::move_answer carry_over(const server_arguments& g, const store::move_progress& tell) {
  const auto clock = std::chrono::steady_clock::now;
  if (!g.from.empty()) {
    store::store_options from;
    from.path = folder_named(g.from);
    if (const auto why = store::why_not_moved(store::partitions_at(from.path)); !why.empty())
      throw failure{refused, why};
    return store::move_to_server(from, place_of(g), draw_identity(), clock, tell);
  }
  const auto to = folder_named(g.to);
  const scratch_folder memory{to.parent_path()};
  store::postgres_store_options from;
  from.where = place_of(g);
  from.holder = holder_of_command();
  from.limits.path = memory.path();
  return store::move_to_files(from, to, host_name(), clock, wait_for_lease(from.lease), tell);
}

int move(const server_arguments& g) {
  if (g.from.empty() == g.to.empty())
    throw failure{wrong_usage, "give either --from, a folder whose store moves to the server, or --to, the folder to "
                               "make for the store that is on the server"};
  store::move_answer moved;
  {
    shown_progress progress{isatty(STDERR_FILENO) == 1};
    moved = carry_over(g, std::ref(progress));
  }
  check_made(moved.result, moved.why);
  if (g.json)
    print_json({{"moved_to", moved.where}, {"tasks", moved.tasks}, {"rows", moved.rows}});
  else if (moved.rows == 0)
    std::cout << "an earlier run has already moved the store to " << printable(moved.where) << '\n';
  else
    std::cout << "moved " << runtime::counted(moved.tasks, "task") << " to " << printable(moved.where)
              << "; nodes start on it from now on, and not on the old one\n";
  return done;
}

CLI::App* add_server_verb(CLI::App& to, const char* name, const char* help, const std::shared_ptr<server_arguments>& g,
                          command& chosen, int (*run)(const server_arguments&)) {
  auto* sub = to.add_subcommand(name, help);
  sub->add_option("--url", g->where.url, "URL of PostgreSQL, with one host or several; better without a password in it")
    ->required()
    ->type_name("URL");
  sub->add_option("--password-file", g->password_file, "File with the password [$PGPASSWORD, or ~/.pgpass]")
    ->type_name("FILE");
  sub->add_option("--schema", g->where.schema, "The schema of the store [steadfast]")->type_name("NAME");
  sub->add_flag("--json", g->json, "Print JSON");
  sub->footer(std::string{"Example: steadfast store "} + name
              + " --url 'postgresql://app@db1,db2,db3/work?sslmode=verify-full' --password-file pg.password\n"
                "docs/high-availability.md explains how nodes use it.");
  sub->callback([g, run, &chosen] { chosen = [g, run] { return run(*g); }; });
  return sub;
}

} // namespace

void add_store_servers(CLI::App& to, command& chosen) {
  const auto arguments = [] { return std::make_shared<server_arguments>(); };
  const auto made = arguments();
  auto* sub = add_server_verb(to, "init", "Make a store on a PostgreSQL server", made, chosen, init);
  sub
    ->add_option("--partitions", made->partitions,
                 "How many, each written by a thread of its own; fixed for as long as the store is there [1]")
    ->type_name("N")
    ->check(CLI::Range(1U, workflow::partitions_max), "");
  add_server_verb(to, "upgrade", "Upgrade the schema of a store on a PostgreSQL server to this release", arguments(),
                  chosen, upgrade);
  const auto moved = arguments();
  sub = add_server_verb(to, "move", "Move a store from files to a PostgreSQL server, or back, while no node runs",
                        moved, chosen, move);
  sub->footer("Example: steadfast store move --from /var/lib/steadfast --url postgresql://app@db1,db2/work\n"
              "The original is left intact, but nodes refuse to open it. If interrupted, run it again: "
              "docs/high-availability.md.");
  sub->add_option("--from", moved->from, "Folder of the store that moves to the server")->type_name("FOLDER");
  sub->add_option("--to", moved->to, "Folder to make of the store that is on the server")->type_name("FOLDER");
  add_server_verb(to, "doctor", "Check a PostgreSQL server for a store, and say how to fix what is wrong", arguments(),
                  chosen, doctor);
}

} // namespace steadfast::apps
