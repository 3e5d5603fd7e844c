#include "examples/demo/run_checker.hpp"

#include "examples/demo/processes/node.hpp"
#include "examples/demo/processes/process.hpp"

#include <chrono>

namespace demo {

namespace {

constexpr std::chrono::seconds read_limit{120}; ///< for a program that reads everything

} // namespace

void dump_tasks(const node& with_store, const evidence& e) {
  with_store.run({"store", "dump", "-c", with_store.config()}, e.tasks(), read_limit);
}

checker_result run_checker(const std::filesystem::path& effect_checker, const evidence& e) {
  std::vector<std::string> command{effect_checker, "--tasks",   e.tasks(),  "--alerts",
                                   e.alerts(),     "--clients", e.clients()};
  if (e.has_wakes)
    command.insert(command.end(), {"--wakes", e.wakes()});
  command.emplace_back("--effects");
  for (const auto& log : e.effect_logs)
    command.push_back(log);
  const auto said = e.folder / "checker.txt";
  process checker{command, said};
  const auto code = checker.wait(read_limit);
  return {code == 0, read_file(said)};
}

} // namespace demo
