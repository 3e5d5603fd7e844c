#include "tests/support/run_program.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

namespace steadfast::tests {

using namespace std::chrono_literals;

TEST_CASE("a small demo with two SIGKILLs of the node keeps every promise") {
  temp_folder folder;
  running_program demo{STEADFAST_EXAMPLES_DIR "/demo/steadfast_demo",
                       {"--bin", STEADFAST_EXAMPLES_DIR "/..", "--workflows", STEADFAST_SOURCE_DIR "/config/workflows",
                        "--deliveries", "100", "--orders", "40", "--rate", "40", "--kills", "2", "--keep",
                        folder.path() / "demo"}};
  const auto code = demo.wait(170s);
  INFO(demo.err());
  CHECK(code == 0);
}

} // namespace steadfast::tests
