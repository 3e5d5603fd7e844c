// Which clock a node with a store goes by after a restart.

#include "runtime/assembly/boot_clock.hpp"
#include "steadfast/node_error.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <string>

using namespace steadfast;
using namespace std::chrono_literals;

namespace {

struct clock_file {
  tests::temp_folder folder;
  std::filesystem::path path = folder.path() / "clock";

  actors::node_clock start() const {
    return clock_of_this_boot(path, [](const std::string& what) { FAIL(what); });
  }

  void write(const std::string& boot, workflow::instant set_at, caf::actor_clock::time_point steady_at_set) const {
    std::ofstream{path} << boot << ' ' << set_at.time_since_epoch().count() << ' '
                        << steady_at_set.time_since_epoch().count() << '\n';
  }

  static std::string this_boot() {
    std::string id;
    std::ifstream{"/proc/sys/kernel/random/boot_id"} >> id;
    return id;
  }
};

} // namespace

TEST_CASE("a restart goes on with the clock of the life before") {
  const clock_file file;
  const auto first = file.start();
  const auto second = file.start();
  CHECK(second.set_at == first.set_at);
  CHECK(second.steady_at_set == first.steady_at_set);
}

TEST_CASE("a clock is set anew after a boot, when the wall clock was changed, and when nobody knows") {
  const clock_file file;
  const auto now = clock_set_now();
  SECTION("another boot") {
    file.write("another", now.set_at - 1h, now.steady_at_set - 1h);
  }
  SECTION("the wall clock was put forward") {
    file.write(clock_file::this_boot(), now.set_at - 2h, now.steady_at_set - 1h);
  }
  SECTION("the wall clock was put back") {
    file.write(clock_file::this_boot(), now.set_at, now.steady_at_set - 1h);
  }
  SECTION("the steady clock began anew") {
    file.write(clock_file::this_boot(), now.set_at + 1h, now.steady_at_set + 1h);
  }
  SECTION("the file is damaged") {
    std::ofstream{file.path} << "nonsense";
  }
  const auto clock = file.start();
  CHECK(clock.set_at >= now.set_at);
  CHECK(clock.set_at < now.set_at + 1min);
  CHECK(file.start().set_at == clock.set_at);
}

TEST_CASE("a clock that cannot be written down is set all the same, and the file is named") {
  std::string warned;
  const auto before = clock_set_now();
  const auto clock = clock_of_this_boot("/proc/clock", [&](const std::string& what) { warned = what; });
  CHECK(clock.set_at >= before.set_at);
  CHECK_THAT(warned, Catch::Contains("/proc/clock"));
}

TEST_CASE("a file that tells of another clock and cannot be removed ends the start") {
  const clock_file file;
  std::filesystem::create_directories(file.path / "in the way");
  CHECK_THROWS_AS(file.start(), node_error);
}
