// A node whose store has several partitions: what it shares between them, and what it warns of.

#include "runtime/node/node_inside.hpp"
#include "tests/support/fast_place.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

namespace steadfast::tests::parted {

using Catch::Matchers::Contains;

TEST_CASE("a limit of which a partition would have nothing is refused") {
  node_options o;
  o.partitions = 3;
  CHECK(problems(o).empty());
  o.in_flight_max = o.bulk_rate = 2;
  o.backlog_max = 1;
  const auto found = problems(o);
  REQUIRE(found.size() == 3);
  CHECK(found[0]
        == "scheduler.in_flight_max is 2, and is shared by the 3 partitions of the store: it must be at least 3");
  CHECK(found[2].ends_with("it must be at least 3, or 0 for no limit"));
  o.backlog_max = 0; // none
  CHECK(problems(o).size() == 2);

  const tests::temp_folder folder{tests::fast_place()};
  node_options made;
  made.store.path = folder.path() / "store";
  made.socket.clear();
  made.partitions = 3;
  {
    assembled_node first{made};
    first.start();
  }
  made.partitions = 0; // as many as there are
  made.in_flight_max = 2;
  assembled_node again{made};
  CHECK_THROWS_WITH(again.start(), Contains("scheduler.in_flight_max is 2, and is shared by the 3 partitions"));
}

} // namespace steadfast::tests::parted
