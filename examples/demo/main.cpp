// Plays the whole story with real processes: services that misbehave, a node that is killed while it works, clients
// that get no answer, and a checker that compares what happened with what was promised.

#include "examples/demo/processes/program.hpp"
#include "examples/demo/scenario.hpp"

#include <CLI/CLI.hpp>

int main(int argc, char** argv) {
  demo::scenario_options options;
  std::filesystem::path keep;
  std::int64_t seconds_max = options.limit.count();
  CLI::App app{"Deliveries and orders through misbehaving services, on a node that is killed while it works.",
               "steadfast_demo"};
  app.option_defaults()->take_last(); // a script's argument can be overridden
  app.add_option("--bin", options.programs, "folder of the build")->required();
  app.add_option("--workflows", options.workflows, "folder of the workflow files")->required();
  app.add_option("--deliveries", options.deliveries, "tasks of drone_delivery [1000]");
  app.add_option("--orders", options.orders, "tasks of order_processing [200]");
  app.add_option("--rate", options.rate, "submissions per second [120]")->check(CLI::Range(1, 100'000));
  app.add_option("--nodes", options.nodes, "nodes; the first has the store [1]")->check(CLI::Range(1, 9));
  app.add_option("--kills", options.kills, "SIGKILLs of a node; with --store-url, of the one that has the store [2]")
    ->check(CLI::Range(0, 100));
  app.add_option("--store-url", options.store_url, "store on PostgreSQL, made by `steadfast store init` and empty");
  app.add_option("--half-way", options.half_way, "command to run when half of the tasks are acknowledged");
  app.add_option("--seed", options.seed, "of the tasks and the faults [1]");
  app.add_option("--keep", keep, "folder for all files, which are left there");
  app.add_flag("--stay", options.stays, "run the nodes again at the end, until Ctrl-C, to look at the page");
  app.add_option("--seconds-max", seconds_max, "until the last task must have ended [110]");
  app.footer(
    "Exit codes: 0 every promise was kept, 1 not, 2 wrong command line, 3 it could not be played, 130 Ctrl-C.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  options.limit = std::chrono::seconds{seconds_max};
  options.workflows = std::filesystem::absolute(options.workflows);
  return demo::play_in_folder("steadfast_demo", keep, [&](const std::filesystem::path& folder) {
    options.folder = folder;
    return demo::play(options, demo::was_interrupted);
  });
}
