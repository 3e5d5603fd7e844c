#include "actors/common/figures.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

using namespace steadfast::actors;

namespace {

constexpr std::array<std::int64_t, 3> bounds{10, 20, 50};

} // namespace

TEST_CASE("a histogram counts a value with the first bound that is not below it") {
  histogram h{bounds};
  for (const auto value : {-5, 0, 10, 11, 20, 50, 51, 1000})
    h.count(value);
  const auto r = h.read();
  CHECK(r.counts == std::vector<std::uint64_t>{3, 2, 1, 2});
  CHECK(r.sum == 10 + 11 + 20 + 50 + 51 + 1000);
  CHECK(std::vector<std::int64_t>(r.bounds.begin(), r.bounds.end()) == std::vector<std::int64_t>{10, 20, 50});
}

TEST_CASE("a histogram has as many bounds as it can hold, and the rest is above them") {
  std::array<std::int64_t, histogram::bounds_max + 5> many{};
  std::iota(many.begin(), many.end(), 1);
  histogram h{many};
  h.count(histogram::bounds_max + 3);
  const auto r = h.read();
  CHECK(r.bounds.size() == histogram::bounds_max);
  CHECK(r.counts.back() == 1);
}

TEST_CASE("the bounds of the figures ascend") {
  CHECK(std::is_sorted(call_times.begin(), call_times.end()));
  CHECK(std::is_sorted(disk_times.begin(), disk_times.end()));
  CHECK(std::is_sorted(batch_sizes.begin(), batch_sizes.end()));
  CHECK(call_times.size() <= histogram::bounds_max);
}

TEST_CASE("the first names have figures of their own, and all later ones share some") {
  figures_by_name<counter, 2> by_name;
  by_name.of("a").add();
  by_name.of("b").add(2);
  by_name.of("c").add(3);
  by_name.of("d").add(4);
  by_name.of("a").add(10);
  std::map<std::string, std::uint64_t> seen;
  by_name.each([&](std::string_view name, const counter& c) { seen[std::string{name}] = c.value(); });
  CHECK(seen == std::map<std::string, std::uint64_t>{{"a", 11}, {"b", 2}, {"other", 7}});
}

TEST_CASE("figures can be read while they are counted") {
  figures_by_name<counter, 100> by_name;
  histogram h{bounds};
  std::thread counting{[&] {
    for (int i = 0; i < 10'000; ++i) {
      by_name.of("w" + std::to_string(i % 100)).add();
      h.count(i);
    }
  }};
  std::uint64_t before = 0;
  for (int i = 0; i < 100; ++i) {
    std::uint64_t now = 0;
    by_name.each([&](std::string_view name, const counter& c) { now += name.empty() ? 1'000'000 : c.value(); });
    CHECK(now >= before);
    CHECK(now <= 10'000);
    before = now;
  }
  counting.join();
  const auto r = h.read();
  CHECK(std::accumulate(r.counts.begin(), r.counts.end(), std::uint64_t{0}) == 10'000);
}
