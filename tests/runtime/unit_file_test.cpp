#include "tests/support/processes/run_program.hpp"
#include "tests/support/skip.hpp"

#include <catch2/catch.hpp>

#include <unistd.h>

#include <string>

using namespace steadfast::tests;

TEST_CASE("the unit file for systemd leaves little to attack: an exposure of 2.0 at most") {
  const std::string analyse = "/usr/bin/systemd-analyze";
  if (access(analyse.c_str(), X_OK) != 0) {
    skip("there is no systemd-analyze on this machine");
    return;
  }
  const auto unit = std::string{STEADFAST_SOURCE_DIR} + "/config/systemd/steadfast.service";
  const auto said = run_program(analyse, {"security", "--offline=true", "--no-pager", "--threshold=20", unit});
  INFO(said.out << said.err);
  CHECK_THAT(said.out, Catch::Contains("Overall exposure level"));
  CHECK(said.code == 0);
}
