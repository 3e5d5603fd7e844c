#include "workflow/supervision/shares.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

using namespace steadfast::workflow;

namespace {

using shares = std::vector<std::uint32_t>;

/// Nodes of which each acts on its own share, in any order.
class nodes {
public:
  nodes(std::size_t n, std::uint32_t partitions, std::uint32_t seed) : has_(n), random_{seed} {
    for (std::uint32_t p = 0; p < partitions; ++p)
      ++has_[random_() % n];
  }

  const shares& has() const { return has_; }
  void die(std::size_t node) {
    free_ += has_[node];
    has_.erase(has_.begin() + static_cast<std::ptrdiff_t>(node));
  }
  void take_what_is_free() {
    while (free_ > 0) {
      const auto free_before = free_;
      for (const auto i : in_any_order())
        if (free_ > 0 && may_take_share(has_[i], others(i), 0)) {
          ++has_[i];
          --free_;
        }
      REQUIRE(free_ < free_before);
    }
  }
  /// Until nobody lets one go any more. How many were let go. `at_once`: all look before one acts.
  std::uint32_t settle(bool at_once) {
    std::uint32_t moved = 0;
    for (auto let_go = who_let_go(at_once); !let_go.empty(); let_go = who_let_go(at_once)) {
      for (const auto i : let_go)
        --has_[i];
      free_ += static_cast<std::uint32_t>(let_go.size());
      moved += free_;
      REQUIRE(moved < 100);
      take_what_is_free();
    }
    return moved;
  }

private:
  std::vector<std::size_t> in_any_order() {
    std::vector<std::size_t> all(has_.size());
    std::iota(all.begin(), all.end(), 0U);
    std::shuffle(all.begin(), all.end(), random_);
    return all;
  }
  shares others(std::size_t of) const {
    auto all = has_;
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(of));
    return all;
  }
  std::vector<std::size_t> who_let_go(bool at_once) {
    std::vector<std::size_t> who;
    for (const auto i : in_any_order())
      if (should_let_go(has_[i], others(i)) && (at_once || who.empty()))
        who.push_back(i);
    return who;
  }

  shares has_;
  std::uint32_t free_ = 0;
  std::mt19937 random_;
};

/// That must move until shares differ by at most one.
std::uint32_t needed(const shares& has) {
  const auto n = static_cast<std::uint32_t>(has.size());
  const auto all = std::accumulate(has.begin(), has.end(), 0U);
  std::uint32_t too_many = 0;
  std::uint32_t too_few = 0;
  for (const auto own : has) {
    too_many += own - std::min(own, (all + n - 1) / n);
    too_few += all / n - std::min(own, all / n);
  }
  return std::max(too_many, too_few);
}

bool are_even(const shares& has) {
  const auto [fewest, most] = std::minmax_element(has.begin(), has.end());
  return *most - *fewest <= 1;
}

void for_all_starts(const std::function<void(nodes&)>& check) {
  for (std::size_t n = 1; n <= 8; ++n)
    for (std::uint32_t partitions = 1; partitions <= 8; ++partitions)
      for (std::uint32_t seed = 0; seed < 20; ++seed) {
        INFO(n << " nodes, " << partitions << " partitions, seed " << seed);
        nodes all{n, partitions, seed};
        check(all);
      }
}

} // namespace

TEST_CASE("a free partition is for those who have the fewest, and after two looks for anybody") {
  CHECK(may_take_share(0, {}, 0));
  CHECK(may_take_share(3, {}, 0));
  CHECK(may_take_share(1, {1, 2}, 0)); // of two the fence decides
  CHECK_FALSE(may_take_share(2, {3, 1}, 0));
  CHECK_FALSE(may_take_share(2, {3, 1}, 1));
  CHECK(may_take_share(2, {3, 1}, 2));
}

TEST_CASE("a node lets a partition go for who has two fewer, unless another has more than this one") {
  CHECK_FALSE(should_let_go(3, {}));
  CHECK_FALSE(should_let_go(1, {0}));
  CHECK_FALSE(should_let_go(2, {1, 2}));
  CHECK(should_let_go(2, {0}));
  CHECK(should_let_go(3, {3, 1}));
  CHECK_FALSE(should_let_go(3, {4, 1}));
  CHECK_FALSE(should_let_go(0, {UINT32_MAX}));
}

TEST_CASE("shares come to differ by at most one, and no more partitions move than must") {
  for_all_starts([](nodes& all) {
    const auto must = needed(all.has());
    CHECK(all.settle(false) == must);
    CHECK(are_even(all.has()));
  });
}

TEST_CASE("shares come to differ by at most one also if all nodes look before one of them acts") {
  for_all_starts([](nodes& all) {
    all.settle(true);
    CHECK(are_even(all.has()));
  });
}

TEST_CASE("what a node had that died goes to those who have the fewest, and nothing else moves") {
  for_all_starts([](nodes& all) {
    all.settle(false);
    if (all.has().size() == 1)
      return;
    all.die(0);
    all.take_what_is_free();
    CHECK(are_even(all.has()));
    CHECK(all.settle(false) == 0);
  });
}
