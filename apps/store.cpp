// Looks at a store: through the node that runs on it, or, where none does, at its files.

#include "apps/commands.hpp"
#include "apps/failure.hpp"
#include "apps/node_access.hpp"
#include "apps/table.hpp"
#include "runtime/json.hpp"
#include "runtime/quantity.hpp"
#include "store/lmdb_store.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace steadfast::apps {
namespace {

using nlohmann::json;

constexpr std::size_t page_size = 200;

struct store_arguments {
  node_choice node;
  std::string store;
  std::string to;
};

std::unique_ptr<store::state_store> open_files(const store_arguments& g) {
  store::store_options o;
  o.path = g.store.empty() ? places_of(g.node).store : std::filesystem::path{g.store};
  o.read_only = true;
  return store::open_lmdb_store(o);
}

/// The node that runs on the store; none when the store was named by its path, or nobody answers.
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
  const auto report = node ? node->call("store.check", json::object()) : check_json(open_files(g)->check());
  const auto& faults = report.at("faults");
  if (g.node.json)
    print_json(report);
  else {
    for (const auto& f : faults)
      std::cout << printable(f.get<std::string>()) << '\n';
    std::cout << report.at("records") << " records of " << report.at("tasks") << " tasks read, "
              << (faults.empty() ? "all is well" : std::to_string(faults.size()) + " faults") << '\n';
  }
  return faults.empty() ? done : refused;
}

int copy(const store_arguments& g) {
  const auto to = std::filesystem::absolute(g.to);
  if (auto node = running_node(g))
    node->call("store.copy", {{"to", to.string()}});
  else
    open_files(g)->copy(to);
  if (g.node.json)
    print_json({{"copied_to", to.string()}});
  else
    std::cout << "copied to " << to.string() << "; `steadfast store check --store " << to.string() << "` checks it\n";
  return done;
}

int stat(const store_arguments& g) {
  auto node = running_node(g);
  const auto s = node ? node->call("store.stats", json::object()) : stats_json(open_files(g)->stats());
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
            << s.at("bytes_used").get<std::uint64_t>() / 1024 << " KiB used, "
            << runtime::size_text(s.at("bytes_max").get<std::uint64_t>()) << " allowed\n";
  return done;
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

// Reads the files even while a node runs on them: a snapshot does not hold it up, and the node's threads stay free.
int dump(const store_arguments& g) {
  const auto store = open_files(g);
  definitions_seen definitions{*store};
  std::optional<std::uint64_t> before;
  do {
    const auto page = store->list({}, before, page_size);
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

std::shared_ptr<store_arguments> add_verb(CLI::App& to, const char* name, const char* help, command& chosen,
                                          int (*run)(const store_arguments&)) {
  auto g = std::make_shared<store_arguments>();
  auto* sub = to.add_subcommand(name, help);
  sub->add_option("--store", g->store, "Its directory [as the configuration says]")->type_name("PATH");
  if (std::string_view{name} == "copy")
    sub->add_option("to", g->to, "Directory to make")->required()->type_name("PATH");
  if (std::string_view{name} == "dump")
    add_node_choice(*sub, g->node, false);
  else
    add_node_choice(*sub, g->node);
  sub->footer("Example: steadfast store " + std::string{name} + " -c node.toml"
              + (std::string_view{name} == "copy" ? " /backup/2026-11-21" : ""));
  sub->callback([g, run, &chosen] { chosen = [g, run] { return run(*g); }; });
  return g;
}

} // namespace

void add_store(CLI::App& to, command& chosen) {
  auto* store = to.add_subcommand("store", "Check, copy and dump a store, of a running node or of one that is down");
  store->require_subcommand(1);
  add_verb(*store, "check", "Read every record and index and tell what is wrong", chosen, check);
  add_verb(*store, "copy", "Make a consistent copy, also beside a running node", chosen, copy);
  add_verb(*store, "dump", "Print every task as a line of JSON", chosen, dump);
  add_verb(*store, "stat", "Tasks by state, and how full it is", chosen, stat);
}

} // namespace steadfast::apps
