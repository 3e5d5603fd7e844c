// The store on a disk that lies as disks do (simulation/lying_disk). A seed replays a failure: STEADFAST_SEED=n; more
// of them: STEADFAST_RUNS=n.

#include "tests/disk/storm.hpp"
#include "tests/support/fast_place.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <iostream>
#include <random>

using namespace steadfast;
using tests::fast_place;

namespace {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

void ride_out_all(std::uint64_t first, std::uint64_t runs) {
  std::cout << "seeds from " << first << "\n"
            << std::flush; // at once: it may be all that is told of a run that never ends
  tests::storm_report all;
  for (auto seed = first; seed < first + runs; ++seed) {
    INFO("replay with STEADFAST_SEED=" << seed);
    const tests::temp_folder folder{fast_place()};
    try {
      tests::add(all, tests::ride_out(seed, folder.path()));
    } catch (const std::exception& e) {
      FAIL_CHECK("seed " << seed << ": " << e.what());
      if (number_from("STEADFAST_ALL", 0) == 0)
        return;
    }
  }
  std::cout << "seeds " << first << " to " << first + runs - 1 << ": " << all.lives << " lives, " << all.commits
            << " commits, " << all.power_cuts << " power cuts, " << all.failed_calls << " lives with a failed call, "
            << all.full << " batches on a full disk, " << all.restored << " restored copies; of " << all.damaged
            << " damaged stores " << all.refused << " were refused, in the others " << all.set_aside
            << " tasks set aside\n";
}

} // namespace

TEST_CASE("rows 60 to 69: on a disk that lies as disks do the store has what was acknowledged, or says what is wrong") {
  if (const auto given = number_from("STEADFAST_SEED", 0); given > 0)
    return ride_out_all(given, number_from("STEADFAST_RUNS", 1));
  ride_out_all(1, 150); // the same for everybody
}

TEST_CASE("rows 60 to 69: on a disk that lies, with fresh seeds too, the store has what was acknowledged") {
  ride_out_all(std::random_device{}(), number_from("STEADFAST_RUNS", 150));
}

TEST_CASE("row 69: a copy of a store that has no room left opens") {
  const tests::temp_folder folder{fast_place()};
  CHECK_NOTHROW(tests::ride_out(2917631179, folder.path())); // opened it, and was refused for want of room
}
