// Looks at a store: through the node that runs on it, or, if there is none, at its files or on its server.

#include "api/names.hpp"
#include "apps/command_line/commands.hpp"
#include "apps/command_line/filter.hpp"
#include "apps/command_line/node_access.hpp"
#include "apps/commands/stopped_store.hpp"
#include "apps/terminal/failure.hpp"
#include "apps/terminal/table.hpp"
#include "runtime/text/json.hpp"
#include "runtime/text/quantity.hpp"
#include "store/upkeep/export_file.hpp"
#include "store/upkeep/restore.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace steadfast::apps {
namespace {

using nlohmann::json;

constexpr std::size_t tasks_at_a_time = 200;

struct store_arguments {
  node_choice node;
  std::string store;
  std::string id;
  std::string file; ///< or directory
  std::string why;
  bool without_journal = false;
};

stopped_store opened(const store_arguments& g, bool read_only = true) {
  return open_stopped(g.node, g.store, read_only);
}

/// The node that runs on the store; none if the store was named by its path, or nobody answers.
std::optional<client> running_node(const store_arguments& g) {
  if (!g.store.empty())
    return std::nullopt;
  try {
    return connect(g.node);
  } catch (const client_error& e) {
    if (e.why() != client_error::kind::unreachable || !g.node.socket.empty())
      throw;
    return std::nullopt;
  }
}

int check(const store_arguments& g) {
  auto node = running_node(g);
  const auto report = node ? node->call(api::store_check, json::object()) : check_json(opened(g)->check());
  const auto& faults = report.at("faults");
  if (g.node.json)
    print_json(report);
  else {
    for (const auto& f : faults)
      std::cout << printable(f.get<std::string>()) << '\n';
    std::cout << runtime::counted(report.at("records").get<std::uint64_t>(), "record") << " of "
              << runtime::counted(report.at("tasks").get<std::uint64_t>(), "task") << " read, "
              << (faults.empty() ? "all is well" : runtime::counted(faults.size(), "fault")) << '\n';
    for (const auto& p : report.value("partitions_elsewhere", json::array()))
      std::cout << "partition " << p << " is at another node: check it there\n";
  }
  return faults.empty() ? done : refused;
}

int copy(const store_arguments& g) {
  const auto to = std::filesystem::absolute(g.file);
  if (auto node = running_node(g))
    node->call(api::store_copy, {{"to", to.string()}});
  else
    opened(g)->copy(to);
  if (g.node.json)
    print_json({{"copied_to", to.string()}});
  else
    std::cout << "copied to " << to.string() << "; `steadfast store check --store " << to.string()
              << "` checks it, `steadfast store restore` makes a store from it\n";
  return done;
}

int export_task(const store_arguments& g) {
  const auto to = std::filesystem::absolute(g.file);
  if (auto node = running_node(g)) {
    node->call(api::store_export, {{"id", g.id}, {"to", to.string()}});
  } else {
    const auto task = opened(g)->export_task(g.id);
    if (!task)
      throw failure{not_found, "there is no task `" + g.id + "`"};
    store::write_export(to, *task);
  }
  if (g.node.json)
    print_json({{"exported_to", to.string()}});
  else
    std::cout << "exported to " << to.string() << "; `steadfast store import " << to.string()
              << "` takes it into another store\n";
  return done;
}

json import_into_stopped(const store_arguments& g, const std::filesystem::path& from) {
  store::import_task what{store::read_export(from), who_acts(), g.why, wall_clock()};
  const auto id = what.what.task.id;
  const auto outcome = opened(g, false)->commit_one(std::move(what));
  if (outcome.result != store::write_status::applied)
    throw failure{refused, outcome.why};
  return imported_json(id, outcome);
}

int import_task(const store_arguments& g) {
  const auto from = std::filesystem::absolute(g.file);
  auto node = running_node(g);
  const auto done_as = node
                         ? node->call(api::store_import, {{"from", from.string()}, {"who", who_acts()}, {"why", g.why}})
                         : import_into_stopped(g, from);
  if (g.node.json) {
    print_json(done_as);
    return done;
  }
  const auto id = done_as.at("id").get<std::string>();
  const auto state = done_as.at("process_state").get<std::string>();
  std::cout << "imported " << printable(id) << ": " << state
            << (state == "suspended" ? "; it continues after `steadfast task resume " + printable(id) + "`" : "")
            << '\n';
  return done;
}

int stat(const store_arguments& g) {
  auto node = running_node(g);
  const auto shown = [](const store::local_store& s) { return stats_json(stats_of(s, &s)); };
  const auto s = node ? node->call(api::store_stats, json::object()) : shown(*opened(g));
  if (g.node.json) {
    print_json(s);
    return done;
  }
  const auto to = standard_output();
  table rows{{"tasks", "state"}};
  for (const auto& [state, count] : s.at("tasks").items())
    rows.add({count.dump(), {state, colour_of_state(state)}});
  std::cout << (rows.empty() ? "no task\n" : rows.text(to)) << '\n'
            << s.at("claimable") << " can be taken by a scheduler, " << s.at("open_alerts") << " open alerts\n"
            << (s.at("tasks_purged") == 0 ? ""
                                          : s.at("tasks_purged").dump() + " ended tasks were removed by retention\n")
            << s.at("bytes_used").get<std::uint64_t>() / 1024 << " KiB used, "
            << runtime::size_text(s.at("bytes_max").get<std::uint64_t>()) << " allowed\n";
  return done;
}

int restore(const store_arguments& g) {
  const auto places = places_of(g.node);
  if (g.store.empty() && !places.server_config.empty())
    throw failure{refused, "the store of " + places.server_config.string()
                             + " is on a server, which has backups of its own: name a directory with --to"};
  store::store_options to;
  to.path = g.store.empty() ? places.store : std::filesystem::path{g.store};
  to.path = std::filesystem::absolute(to.path);
  to.epochs_from = store::epochs_at(static_cast<std::uint64_t>(std::time(nullptr)));
  const auto made = store::restore_all(std::filesystem::absolute(g.file), to, g.without_journal);
  const auto& faults = made.report.faults;
  if (g.node.json) {
    print_json({{"restored_to", to.path.string()},
                {"tasks", made.report.tasks},
                {"faults", faults},
                {"alert", made.what_may_run_again}});
    return faults.empty() ? done : refused;
  }
  for (const auto& f : faults)
    std::cout << printable(f) << '\n';
  std::cout << "restored to " << to.path.string() << ": " << runtime::counted(made.report.tasks, "task") << ", "
            << (faults.empty() ? "all is well" : runtime::counted(faults.size(), "fault")) << '\n'
            << printable(made.what_may_run_again) << '\n';
  return faults.empty() ? done : refused;
}

/// Definitions by name and version, read once each.
class definitions_seen {
public:
  explicit definitions_seen(const store::state_store& s) : store_{s} {}

  const workflow::definition& of(const workflow::task& t) {
    auto [place, is_new] = seen_.try_emplace({t.workflow, t.version});
    if (is_new)
      place->second = store_.find_definition(t.workflow, t.version).value_or(workflow::definition{});
    return place->second;
  }

private:
  const store::state_store& store_;
  std::map<std::pair<std::string, std::uint32_t>, workflow::definition> seen_;
};

// Reads files even while a node runs on them: a snapshot does not delay it, and the node's threads stay free.
int dump(const store_arguments& g) {
  const auto store = opened(g);
  definitions_seen definitions{*store};
  std::optional<std::uint64_t> before;
  do {
    const auto page = store->list({}, before, tasks_at_a_time);
    for (const auto& entry : page.tasks)
      if (const auto t = store->find(entry.number))
        print_json(task_json(*t, definitions.of(*t)));
    before = page.next;
  } while (before && std::cout);
  int code = done;
  for (const auto& damaged : store->damaged()) {
    std::cerr << "steadfast: task number " << damaged.number << " cannot be read: " << damaged.why << '\n';
    code = refused;
  }
  return code;
}

struct verb {
  CLI::App* sub;
  std::shared_ptr<store_arguments> arguments;
};

verb add_verb(CLI::App& to, const char* name, const char* help, const char* example, command& chosen,
              int (*run)(const store_arguments&)) {
  auto g = std::make_shared<store_arguments>();
  auto* sub = to.add_subcommand(name, help);
  sub->add_option("--store", g->store, "Its directory [$STEADFAST_STORE, or as the configuration says]")
    ->type_name("PATH");
  add_node_choice(*sub, g->node, std::string_view{name} != "dump");
  sub->footer(std::string{"Example: steadfast store "} + name + " " + example);
  sub->callback([g, run, &chosen] { chosen = [g, run] { return run(*g); }; });
  return {sub, g};
}

void add_restore(CLI::App& to, command& chosen) {
  auto g = std::make_shared<store_arguments>();
  auto* sub = to.add_subcommand("restore", "Make a store from a copy, for a node to work on; the copy is only read");
  sub->add_option("from", g->file, "Directory that `store copy` made, or a store that nobody has open")
    ->required()
    ->type_name("COPY");
  sub->add_option("--to", g->store, "Directory to make [$STEADFAST_STORE, or as the configuration says]")
    ->type_name("FOLDER");
  sub->add_flag("--without-journal", g->without_journal,
                "For a store whose journal is lost: continue without the last acknowledged commits");
  add_node_choice(*sub, g->node, true);
  sub->footer("Example: steadfast store restore /backup/2026-11-21 --to steadfast-store\n"
              "Every step that was under way may run again, with the same idempotency key: docs/backup.md.");
  sub->callback([g, &chosen] { chosen = [g] { return restore(*g); }; });
}

} // namespace

void add_store(CLI::App& to, command& chosen) {
  auto* store =
    to.add_subcommand("store", "Check, copy and dump a store, also of a node that is down; make one on a server");
  store->require_subcommand(1);
  add_verb(*store, "check", "Read every record and index, and report faults", "-c node.toml", chosen, check);
  add_verb(*store, "stat", "Tasks by state, and how full it is", "-c node.toml", chosen, stat);
  add_verb(*store, "dump", "Print every task as a line of JSON", "-c node.toml", chosen, dump);

  const auto copied = add_verb(*store, "copy", "Make a consistent copy, also while the node runs",
                               "-c node.toml /backup/2026-11-21", chosen, copy);
  copied.sub->add_option("to", copied.arguments->file, "Directory to make")->required()->type_name("PATH");

  add_restore(*store, chosen);

  const auto out = add_verb(*store, "export", "Write one task, with all its data, to a file",
                            "order-4711 order-4711.task", chosen, export_task);
  out.sub->add_option("id", out.arguments->id, "The task")->required()->check(why_empty, "")->type_name("ID");
  out.sub->add_option("to", out.arguments->file, "File to make")->required()->type_name("PATH");

  const auto in = add_verb(*store, "import", "Add an exported task; one that has not ended is suspended",
                           "order-4711.task --why 'moved from the old cluster'", chosen, import_task);
  in.sub->add_option("from", in.arguments->file, "File that export made")->required()->type_name("PATH");
  in.sub->add_option("--why", in.arguments->why, "Reason, kept among the alerts")->type_name("TEXT");

  add_store_servers(*store, chosen);
}

} // namespace steadfast::apps
