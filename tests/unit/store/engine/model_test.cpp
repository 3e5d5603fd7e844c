// Random sequences of writes against a model. A seed replays a failure: STEADFAST_SEED=n.

#include "tests/unit/store/random_families.hpp"
#include "tests/unit/store/random_writes.hpp"

#include <cstdlib>

using namespace steadfast::store::test;

TEST_CASE("random writes give what a simple model says, and every index stays right") {
  std::uint64_t first = 1;
  std::uint64_t last = 3;
  if (const char* seed = std::getenv("STEADFAST_SEED"))
    first = last = std::strtoull(seed, nullptr, 10);
  for (auto seed = first; seed <= last; ++seed) {
    for (const auto how : {commits::alone, commits::shared}) {
      INFO("replay with STEADFAST_SEED=" << seed << (how == commits::shared ? ", commits shared" : ""));
      opened_store store{how};
      random_writes writes{seed, store};
      writes.ends_often = seed % 2 == 0;
      writes.run(150);
    }
  }
}

TEST_CASE("random writes to families of tasks give the same however their commits are saved") {
  std::uint64_t first = 1;
  std::uint64_t last = 2;
  if (const char* seed = std::getenv("STEADFAST_SEED"))
    first = last = std::strtoull(seed, nullptr, 10);
  for (auto seed = first; seed <= last; ++seed) {
    INFO("replay with STEADFAST_SEED=" << seed);
    opened_store store{commits::shared};
    random_families{seed, store}.run(200);
  }
}
