#include "tests/support/property.hpp"
#include "workflow/task/endings.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <random>

using namespace steadfast::workflow;

namespace {

/// `failed` of a hundred fail, spread evenly.
void end_some(endings& e, int count, int failed) {
  for (int i = 0; i < count; ++i)
    count_ending(e, (i * failed) % 100 < failed ? ending::failed : ending::well);
}

task ended_as(process_state s) {
  task t;
  t.state = s;
  return t;
}

} // namespace

TEST_CASE("a task ends well, or undone or in error, and one that a person undid or cancelled counts as neither") {
  CHECK(ending_of(process_state::processing, ended_as(process_state::processed)) == ending::well);
  CHECK(ending_of(process_state::undoing, ended_as(process_state::undone)) == ending::failed);
  CHECK(ending_of(process_state::processing, ended_as(process_state::error)) == ending::failed);
  CHECK_FALSE(ending_of(process_state::pending, ended_as(process_state::processing)));
  CHECK_FALSE(ending_of(process_state::undone, ended_as(process_state::undone)));
  auto t = ended_as(process_state::undone);
  t.acts = {{instant{}, "ann", "cancel", ""}};
  CHECK_FALSE(ending_of(process_state::undoing, t));
}

TEST_CASE("what ended last is counted exactly, the newest 256 of them") {
  endings e;
  end_some(e, 100, 0);
  for (int i = 0; i < 7; ++i)
    count_ending(e, ending::failed);
  CHECK(failed_of_last(e, 5).failed == 5);
  CHECK(failed_of_last(e, 64).failed == 7);
  CHECK(failed_of_last(e, 64).ended == 64);
  CHECK(failed_of_last(e, 256).ended == 107);
  end_some(e, 250, 0);
  CHECK(failed_of_last(e, 64).failed == 0);
  CHECK(failed_of_last(e, 256).failed == 6);
  CHECK(failed_of_last(e, 1000).ended == 256);
}

TEST_CASE("a service that begins to refuse everything is unusual soon, and until all goes well again") {
  endings e;
  end_some(e, 5000, 2);
  CHECK_FALSE(is_unusual(e, {}, false));
  int refused = 0;
  for (; !is_unusual(e, {}, false) && refused < 100; ++refused)
    count_ending(e, ending::failed);
  CHECK(refused > 10);
  CHECK(refused < 40);
  end_some(e, 2000, 100); // for hours
  CHECK(is_unusual(e, {}, true));
  CHECK(e.usual < whole_share / 2);
  end_some(e, 64, 0);
  CHECK_FALSE(is_unusual(e, {}, true));
  CHECK_FALSE(is_unusual(e, {}, false)); // and it does not begin anew at once
}

TEST_CASE("an outage of hours does not become what is usual") {
  endings e;
  end_some(e, 5000, 0);
  end_some(e, 20'000, 50);
  CHECK(is_unusual(e, {}, true));
  CHECK(is_unusual(e, {}, false));
}

TEST_CASE("a few tasks are no share: nothing is unusual before enough have ended") {
  endings e;
  for (std::uint32_t i = 1; i < share_rules{}.at_least; ++i) {
    count_ending(e, ending::failed);
    CHECK_FALSE(is_unusual(e, {}, false));
  }
  count_ending(e, ending::failed);
  CHECK(is_unusual(e, {}, false)); // a new workflow of which every task fails
}

TEST_CASE("a workflow that always fails for some is not unusual, nor does it flap at the border") {
  for (const int usual : {0, 3, 10, 30}) {
    INFO(usual);
    endings e;
    end_some(e, 5000, usual);
    CHECK_FALSE(is_unusual(e, {}, false));
    end_some(e, 300, usual + 5);
    CHECK_FALSE(is_unusual(e, {}, false));
  }
}

TEST_CASE("by chance alone a workflow is hardly ever unusual") {
  steadfast::tests::holds(100, 100, [] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    std::mt19937_64 draw{seed};
    const auto percent = static_cast<int>(draw() % 8);
    endings e;
    end_some(e, 4000, percent);
    for (int i = 0; i < 2000; ++i) {
      count_ending(e, static_cast<int>(draw() % 100) < percent ? ending::failed : ending::well);
      RC_ASSERT(!is_unusual(e, {}, false));
    }
  });
}

TEST_CASE("each of several partitions judges after its share of the tasks, and never after a handful") {
  const auto after = [](std::uint32_t of_all, std::uint32_t partitions) {
    share_rules r;
    r.at_least = of_all;
    return in_partition(r, partitions).at_least;
  };
  CHECK(after(50, 1) == 50);
  CHECK(after(50, 3) == 17);
  CHECK(after(50, 64) == 10);
  CHECK(after(5, 1) == 5);
  CHECK(after(5, 3) == 5); // as it was wanted
  CHECK(in_partition({50, 7}, 3).margin_percent == 7);
}
