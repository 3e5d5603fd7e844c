// A cluster file: any text is either refused with what is wrong, or becomes configurations that nodes take.

#include "runtime/configuration/cluster_file.hpp"

#include "runtime/configuration/config_file.hpp"
#include "runtime/toml/config_error.hpp"
#include "tests/fuzz/support/fuzz.hpp"
#include "tests/fuzz/support/scratch.hpp"

#include <set>

using namespace steadfast;

void fuzz::try_input(std::string_view input) {
  const auto file = fuzz::scratch_file("cluster.toml", input);
  try {
    std::set<std::string> names;
    std::size_t stores = 0;
    for (const auto& n : plan_cluster(file)) {
      const auto parsed = parse_config(n.config, "node.toml");
      expect(parsed.options.name == n.name, "a node's configuration has its name", n.name);
      expect(names.insert(n.name).second, "no two nodes have one name", n.name);
      expect(n.folder.filename() == n.name, "a node has a folder of its own", n.folder.string());
      stores += parsed.options.roles.store ? 1 : 0;
    }
    expect(stores == 1, "one node has the store");
  } catch (const runtime::config_error& e) {
    expect(!e.problems().empty(), "a refusal says why");
    for (const auto& p : e.problems())
      expect(p.starts_with(file.string()), "a mistake is told with its file", p);
  }
}
