#include "apps/bench/load/callers.hpp"

#include "api/names.hpp"
#include "apps/bench/figures/histogram.hpp"
#include "steadfast/client.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

namespace steadfast::bench {
namespace {

/// What all connections share.
struct common {
  const call_plan& plan;
  steady::time_point until;
  std::atomic<std::uint64_t> next;
  std::mutex mutex{};
  histogram acknowledged{};
  histogram listed{};
  std::uint64_t pushed_back = 0;
};

/// Says whether it is in the store.
bool submit(client& node, common& c, std::uint64_t index) {
  const auto s = submission_of(c.plan.load, index);
  const auto begun = steady::now();
  try {
    submit_options o;
    o.id = s.id;
    node.submit(s.workflow, std::string{s.payload.view()}, o);
  } catch (const client_error& e) {
    if (e.why() != client_error::kind::busy)
      throw;
    const std::lock_guard lock{c.mutex};
    ++c.pushed_back;
    return false;
  }
  const std::lock_guard lock{c.mutex};
  c.acknowledged.add(steady::now() - begun);
  return true;
}

void submit_all(common& c) {
  client node{c.plan.socket};
  while (steady::now() < c.until)
    for (const auto index = c.next++; !submit(node, c, index) && steady::now() < c.until;)
      std::this_thread::sleep_for(std::chrono::milliseconds{100});
}

void list_all(common& c) {
  client node{c.plan.socket};
  const std::chrono::duration<double> every{1 / c.plan.lists_per_second};
  for (auto due = steady::now(); due < c.until; due += std::chrono::duration_cast<steady::duration>(every)) {
    std::this_thread::sleep_until(due);
    node.call(api::task_list, {{"max", 100}});
    const std::lock_guard lock{c.mutex};
    c.listed.add(steady::now() - due);
  }
}

} // namespace

nlohmann::json call_node(const call_plan& plan) {
  const auto begun = steady::now();
  common c{plan, begun + std::chrono::duration_cast<steady::duration>(std::chrono::duration<double>{plan.seconds}),
           plan.first};
  std::vector<std::future<void>> callers;
  callers.reserve(plan.connections + 1);
  for (std::uint32_t i = 0; i < plan.connections; ++i)
    callers.push_back(std::async(std::launch::async, [&c] { submit_all(c); }));
  if (plan.lists_per_second > 0)
    callers.push_back(std::async(std::launch::async, [&c] { list_all(c); }));
  for (auto& x : callers)
    x.get();
  const auto seconds = std::chrono::duration<double>(steady::now() - begun).count();
  return {{"seconds", seconds},
          {"submissions_per_second", static_cast<double>(c.acknowledged.count()) / seconds},
          {"acknowledged", c.acknowledged.count()},
          {"acknowledged_ms", c.acknowledged.json()},
          {"listed_ms", c.listed.json()},
          {"pushed_back", c.pushed_back}};
}

} // namespace steadfast::bench
