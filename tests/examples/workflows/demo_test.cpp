#include "tests/support/processes/run_program.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

namespace steadfast::tests {

namespace {

/// The demo with these arguments besides those that every run needs.
void play(const std::vector<std::string>& more) {
  const temp_folder folder;
  std::vector<std::string> arguments{"--bin",        STEADFAST_EXAMPLES_DIR "/..",
                                     "--workflows",  STEADFAST_SOURCE_DIR "/config/workflows",
                                     "--deliveries", "100",
                                     "--orders",     "40",
                                     "--rate",       "40",
                                     "--keep",       folder.path() / "demo"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const auto demo = run_program(STEADFAST_EXAMPLES_DIR "/demo/steadfast_demo", arguments);
  INFO(demo.out << demo.err);
  CHECK(demo.code == 0);
}

} // namespace

TEST_CASE("a small demo with two SIGKILLs of the node keeps every promise") {
  play({"--kills", "2"});
}

TEST_CASE("row 85: a small demo with four SIGKILLs of the nodes of a cluster keeps every promise") {
  play({"--nodes", "3", "--kills", "4"});
}

} // namespace steadfast::tests
