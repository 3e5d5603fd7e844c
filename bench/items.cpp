// How many items of a step (`for_each`) the store makes, hands out and counts in a second.
//
//     bench_items [TASKS] [ITEMS] [AT_A_TIME]
//
// A store in a folder under the working directory gets TASKS tasks (20) with ITEMS items (1000), AT_A_TIME under way
// (1000). One scheduler claims what is ready and completes each item, as many changes in a commit as the store's actor
// puts into one (256). All commits are durable. Whole tasks count: from the first claim until the last step over items
// has its results. It is the store's part, without agents and messages.

#include "bench/report.hpp"
#include "bench/scratch.hpp"
#include "store/engine/lmdb_engine.hpp"
#include "workflow/transition/transition.hpp"

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace store = steadfast::store;
namespace workflow = steadfast::workflow;

constexpr std::size_t changes_of_a_commit = 256;
constexpr double target_per_second = 15'000;

std::size_t argument(int argc, char** argv, int i, std::size_t otherwise) {
  return argc > i ? std::strtoul(argv[i], nullptr, 10) : otherwise;
}

workflow::clock_reading now() {
  return workflow::instant{
    std::chrono::duration_cast<workflow::span>(std::chrono::system_clock::now().time_since_epoch())};
}

workflow::definition parcels(std::uint32_t at_a_time) {
  workflow::definition d;
  d.name = "parcels";
  auto& s = d.steps.emplace_back();
  s.name = "ship";
  s.agent = "carrier";
  s.wait.emplace();
  s.wait->what = workflow::wait_rule::kind::items;
  s.wait->at.pointer = "/items";
  s.wait->at_a_time = at_a_time;
  return d;
}

std::string payload_of(std::size_t items) {
  std::string text = R"({"items":[)";
  for (std::size_t i = 0; i < items; ++i)
    text += (i == 0 ? "" : ",") + std::string{R"({"number":)"} + std::to_string(i) + "}";
  return text + "]}";
}

class run {
public:
  run(const std::filesystem::path& folder, std::size_t tasks, std::size_t items, std::uint32_t at_a_time)
      : engine_{options_in(folder)} {
    engine_.share([] {});
    engine_.commit_one(store::register_definition{parcels(at_a_time)});
    for (std::size_t i = 0; i < tasks; ++i) {
      workflow::submission s;
      s.id = "t" + std::to_string(i);
      s.workflow = "parcels";
      s.payload = workflow::blob{payload_of(items)};
      engine_.commit_one(store::submit_task{std::move(s), now().now});
    }
    item_ = *engine_.find_definition("parcels--ship", 1);
  }

  /// Seconds until all of them were processed.
  double seconds(std::size_t tasks) {
    const auto begin = std::chrono::steady_clock::now();
    while (engine_.counts().tasks[workflow::process_state::processed] < total_ + tasks)
      complete(claim());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  void expect(std::size_t items) { total_ = items; }

private:
  static store::store_options options_in(const std::filesystem::path& folder) {
    store::store_options o;
    o.path = folder / "store";
    o.journal_name = 1;
    return o;
  }

  std::vector<workflow::task> claim() {
    return engine_.commit_one(store::claim_tasks{"s1", changes_of_a_commit, now()}).tasks;
  }

  void complete(const std::vector<workflow::task>& taken) {
    std::vector<store::write> all;
    for (const auto& t : taken) {
      const workflow::attempt_succeeded e{{0, t.steps[0].attempt, t.lock_epoch}, workflow::blob{R"({"ok":true})"}, {}};
      auto change = workflow::apply(t, item_, e, now());
      if (change.result != workflow::event_status::applied)
        throw std::runtime_error{change.reason};
      store::update_task u;
      u.next = std::move(change.next);
      u.lock_epoch_before = t.lock_epoch;
      all.emplace_back(std::move(u));
    }
    if (!all.empty())
      engine_.commit(all);
  }

  store::lmdb_engine engine_;
  workflow::definition item_;
  std::size_t total_ = 0;
};

} // namespace

int main(int argc, char** argv) {
  const auto tasks = argument(argc, argv, 1, 20);
  const auto items = argument(argc, argv, 2, 1000);
  const auto at_a_time = static_cast<std::uint32_t>(argument(argc, argv, 3, 1000));
  const bench::scratch folder;
  run r{folder.path(), tasks, items, at_a_time};
  r.expect(tasks * items);
  const auto seconds = r.seconds(tasks);
  const auto rate = static_cast<double>(tasks * items) / seconds;
  std::cout << bench::machine_text() << "\n"
            << tasks << " tasks with " << items << " items, " << at_a_time << " at a time: " << seconds << " s, "
            << static_cast<std::size_t>(rate) << " items/s (at least " << target_per_second << ")\n";
  return rate >= target_per_second ? 0 : 1;
}
