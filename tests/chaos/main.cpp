// Real nodes under real faults: killed, stopped, frozen, cut off, with clocks that are wrong, while work comes in; then
// all is healed, and the checker compares what happened with what was promised.

#include "examples/demo/processes/program.hpp"
#include "tests/chaos/chaos.hpp"
#include "tests/chaos/patroni.hpp"
#include "tests/postgres/server.hpp"

#include <CLI/CLI.hpp>

#include <iostream>

namespace {

constexpr int skipped = 77; ///< to CTest

} // namespace

int main(int argc, char** argv) {
  chaos::options options;
  std::filesystem::path keep;
  std::int64_t seconds = options.lasts.count();
  std::int64_t quiet_max = options.quiet_max.count();
  CLI::App app{"Nodes of a cluster that are killed, frozen and cut off under load.\n"
               "As root each node is on a network of its own, which can be cut; otherwise all are on loopback.",
               "steadfast_chaos"};
  app.option_defaults()->take_last(); // a script's argument can be overridden
  app.add_option("--bin", options.programs, "folder of the build")->required();
  app.add_option("--workflows", options.workflows, "folder with the workflows of tests/chaos")->required();
  app.add_option("--nodes", options.nodes, "nodes; the first has the store in files [3]")->check(CLI::Range(2, 9));
  app.add_flag("--postgres", options.postgres,
               "the store is on PostgreSQL, a primary and a standby, which are killed, lost, frozen and cut off too");
  app.add_flag("--patroni", options.patroni,
               "the same, and Patroni promotes the standby; sometimes it is told to switch over");
  app.add_option("--partitions", options.partitions, "of the store [1]")->check(CLI::Range(1, 64));
  app.add_flag("--certificates", options.certificates,
               "the nodes know each other by certificates; no clock is set then");
  app.add_option("--rate", options.rate, "submissions per second [200]")->check(CLI::Range(1, 100'000));
  app
    .add_option("--orders", options.orders_percent,
                "share of the submissions, in percent, that are orders, whose steps wait; the others are parcels [50]")
    ->check(CLI::Range(0, 100));
  app
    .add_option("--drafts", options.drafts_percent,
                "share of the parcels, in percent, in whose place a task is submitted that others replace [10]")
    ->check(CLI::Range(0, 100));
  app.add_option("--seconds", seconds, "under faults [30]")->check(CLI::Range(1, 86'400));
  app.add_option("--seed", options.seed, "of the faults and the work [1]");
  app.add_option("--quiet-max", quiet_max, "seconds until the last task must have ended after the faults [180]");
  app.add_option("--keep", keep, "folder for all files, which are left there");
  app.footer(
    "Exit codes: 0 every promise was kept, 1 not, 2 wrong command line, 3 it could not be played, 130 Ctrl-C.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  options.postgres = options.postgres || options.patroni;
  const auto why = options.patroni    ? chaos::servers_by_patroni::why_not()
                   : options.postgres ? steadfast::tests::postgres_server::why_not()
                                      : "";
  if (!why.empty()) {
    std::cout << "SKIPPED: " << why << '\n';
    return skipped;
  }
  options.lasts = std::chrono::seconds{seconds};
  options.quiet_max = std::chrono::seconds{quiet_max};
  options.workflows = std::filesystem::absolute(options.workflows);
  return demo::play_in_folder("steadfast_chaos", keep, [&](const std::filesystem::path& folder) {
    options.folder = folder;
    return chaos::play(options, demo::was_interrupted);
  });
}
