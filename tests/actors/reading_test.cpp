// Reads that take long leave room for others.

#include "tests/actors/one_node.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using namespace std::chrono_literals;
using tests::one_node;

namespace {

void fill(one_node& node, int count) {
  std::vector<store::write> batch;
  for (int i = 0; i < count; ++i) {
    auto order = node.order_for("t" + std::to_string(i));
    order.not_before = node.now() + 24h;
    batch.emplace_back(store::submit_task{std::move(order), node.now()});
  }
  node.store().commit(batch);
}

actors::count_tasks count_of(const std::string& text, std::uint64_t limit) {
  store::task_filter f;
  f.text = text;
  return {actors::boxed<store::task_filter>{std::move(f)}, limit};
}

} // namespace

TEST_CASE("a count of many tasks answers other questions before it is done, and is right") {
  tests::node_settings settings;
  settings.schedulers.clear();
  settings.has_supervisor = false;
  one_node node{settings};
  constexpr int tasks = 9000;
  fill(node, tasks);
  node.run();
  auto& sys = node.system();
  const auto all = sys.begin_to_ask<actors::task_count>(node.reader, count_of("t", 1'000'000));
  const auto some = sys.begin_to_ask<actors::task_count>(node.reader, count_of("t", 50));
  const auto leases = sys.begin_to_ask<actors::lease_page>(node.reader, actors::list_leases{});
  while (!*leases)
    REQUIRE(sys.step());
  CHECK_FALSE(*all);
  sys.run();
  REQUIRE(*all);
  CHECK((*all)->count == tasks);
  REQUIRE(*some);
  CHECK((*some)->count == 50);
}

TEST_CASE("a count whose read fails is answered as failed, and the next one is right again") {
  tests::node_settings settings;
  settings.schedulers.clear();
  one_node node{settings};
  fill(node, 10);
  node.run();
  node.store().fail_reads(true);
  CHECK_FALSE(node.system().ask<actors::task_count>(node.reader, count_of("t1", 100)));
  node.store().fail_reads(false);
  CHECK(node.system().ask<actors::task_count>(node.reader, count_of("t1", 100))->count == 1);
}
