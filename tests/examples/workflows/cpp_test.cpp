// The programs of examples/cpp, run as a reader would run them.

#include "examples/demo/processes/node.hpp"
#include "examples/demo/processes/services.hpp"
#include "tests/support/processes/run_program.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

namespace steadfast::tests {

namespace {

using Catch::Matchers::Contains;
using namespace std::chrono_literals;

const std::string examples = STEADFAST_EXAMPLES_DIR;

program_end run_example(const std::string& name, const std::vector<std::string>& arguments) {
  return run_program(examples + "/cpp/" + name, arguments);
}

} // namespace

TEST_CASE("an embedded node books one trip, undoes the other and tells its client actor of both") {
  temp_folder folder;
  const auto end = run_example("embedded_node", {folder.path() / "store"});
  INFO(end.err);
  CHECK(end.code == 0);
  CHECK_THAT(end.out, Contains("trip-1: step_completed flight"));
  CHECK_THAT(end.out, Contains("trip-1: processed"));
  CHECK_THAT(end.out, Contains("trip-2: undone"));
}

TEST_CASE("an embedded node that is started again finds its trips ended") {
  temp_folder folder;
  run_example("embedded_node", {folder.path() / "store"});
  const auto end = run_example("embedded_node", {folder.path() / "store"});
  INFO(end.err);
  CHECK(end.code == 0);
  CHECK_THAT(end.out, Contains("trip-1: already exists, processed"));
  CHECK_THAT(end.out, Contains("trip-2: already exists, undone"));
}

TEST_CASE("a client in another process submits a delivery, and the same id again is the same task") {
  temp_folder folder;
  demo::services services{examples + "/services/example_service", folder.path(), 1};
  demo::node node{{STEADFAST_BINARY, STEADFAST_SOURCE_DIR "/config/workflows", folder.path(), {}}, services};
  node.start();
  REQUIRE(node.waits_for_calls(30s));

  const std::vector<std::string> delivery{node.socket(), "d-1", "customer-1", "depot", "north"};
  const auto first = run_example("submit_delivery", delivery);
  INFO(first.err);
  CHECK(first.code == 0);
  CHECK_THAT(first.out, Contains("d-1 is accepted") && Contains("d-1 is processed"));
  CHECK_THAT(run_example("submit_delivery", delivery).out, Contains("d-1 already exists"));

  const auto refused = run_example("submit_delivery", {node.socket(), "d-2", "suspended-1", "depot", "north"});
  CHECK(refused.code == 1);
  CHECK_THAT(refused.out, Contains("d-2 is undone"));
  CHECK(node.stop(20s) == 0);
  CHECK(run_example("submit_delivery", delivery).code == 4);
}

} // namespace steadfast::tests
