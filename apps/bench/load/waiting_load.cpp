#include "apps/bench/load/waiting_load.hpp"

#include "apps/terminal/failure.hpp"

#include <fmt/chrono.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace steadfast::bench {
namespace {

using apps::failure;
using nlohmann::json;

constexpr std::chrono::minutes patience{5};
constexpr std::uint64_t callers = 128;
constexpr std::int64_t submitted_a_millisecond = 2; ///< fewer than the callers do on a slow disk
constexpr int lone_tasks = 100;
constexpr const char* everybody = "everybody";

constexpr const char* workflows[] = {
  R"(name = "told"
deadline = "9d"
[[step]]
name = "first"
agent = "nothing"
[[step]]
name = "told"
wait = { event = "go", key = "payload:/key", limit = "3d" }
)",
  R"(name = "asleep"
deadline = "9d"
[[step]]
name = "sleep"
until = "payload:/at"
[[step]]
name = "late"
agent = "late"
input = { ms = "payload:/ms" }
)",
  R"(name = "ship_all"
deadline = "1h"
[[step]]
name = "ship"
agent = "nothing"
for_each = "payload:/items"
at_a_time = 1000
)",
  R"(name = "inner"
[[step]]
name = "work"
agent = "nothing"
)",
  R"(name = "outer"
deadline = "1h"
[[step]]
name = "inner"
workflow = "inner"
)",
  R"(name = "one_at_a_time"
deadline = "1h"
[[step]]
name = "work"
agent = "nothing"
[limit]
key = "payload:/customer"
at_a_time = 1
)",
};

void await(const std::function<bool()>& holds, const char* what) {
  for (const auto begun = steady::now(); !holds(); std::this_thread::sleep_for(std::chrono::milliseconds{2}))
    if (steady::now() - begun > patience)
      throw failure{apps::our_fault, std::string{what} + ", for minutes"};
}

double seconds_since(steady::time_point begun) {
  return std::chrono::duration<double>{steady::now() - begun}.count();
}

std::int64_t milliseconds_now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
    .count();
}

/// By all callers, each of which waits for its own call. Throws what the first that failed threw.
void for_each_number(std::uint64_t count, const std::function<void(std::uint64_t)>& call) {
  std::atomic<std::uint64_t> next{0};
  std::exception_ptr trouble;
  std::mutex guard;
  std::vector<std::thread> all;
  for (std::uint64_t i = 0; i < std::min(callers, count); ++i)
    all.emplace_back([&] {
      try {
        for (auto n = next++; n < count; n = next++)
          call(n);
      } catch (...) {
        const std::lock_guard lock{guard};
        trouble = std::current_exception();
        next = count;
      }
    });
  for (auto& t : all)
    t.join();
  if (trouble)
    std::rethrow_exception(trouble);
}

double rate_since(steady::time_point begun, std::uint64_t count) {
  return static_cast<double>(count) / seconds_since(begun);
}

} // namespace

waiting_load::waiting_load(const std::string& folder) : node_{{.name = "bench", .store = folder + "/store"}} {
  for (const auto* text : workflows)
    node_.add_workflow(workflow_builder::from_toml(text));
  node_.add_agent("nothing", quick_function{[this](const agent_call&) {
                    ++calls_;
                    return succeeded("{}");
                  }});
  node_.add_agent("late", quick_function{[this](const agent_call& c) {
                    note_lateness(json::parse(c.input).at("ms"));
                    return succeeded("{}");
                  }});
  node_.start();
}

void waiting_load::note_lateness(std::int64_t moment) {
  const auto late = milliseconds_now() - moment;
  const std::lock_guard lock{late_guard_};
  if (late >= 0)
    late_.add(std::chrono::milliseconds{late});
}

void waiting_load::submit(const std::string& workflow, const std::string& id, const json& payload) {
  node_.submit(workflow, payload.dump(), {.id = id});
}

void waiting_load::send_event(const std::string& key) {
  node_.send_event("go", key, "null", "bench");
}

json waiting_load::stats() {
  return node_.call("store.stats", json::object());
}

std::uint64_t waiting_load::processed() {
  return stats().at("tasks").value("processed", std::uint64_t{0});
}

void waiting_load::await_processed(std::uint64_t count) {
  await([&] { return processed() >= count; }, "tasks did not end");
}

void waiting_load::submit_waiters(std::uint64_t count, bool each_its_own) {
  const auto before = calls_.load();
  for_each_number(count, [&](auto n) {
    submit("told", "told-" + std::to_string(n), {{"key", each_its_own ? std::to_string(n) : everybody}});
  });
  await([&] { return calls_ == before + count && stats().at("tasks").value("processing", 0) == 0; },
        "tasks did not begin to wait");
}

json waiting_load::send_events(std::uint64_t count) {
  const auto before = processed();
  const auto begun = steady::now();
  for_each_number(count, [&](auto n) { send_event(std::to_string(n)); });
  const auto sent = rate_since(begun, count);
  await_processed(before + count);
  return {{"sent_per_second", sent}, {"events_per_second", rate_since(begun, count)}};
}

json waiting_load::release() {
  const auto waiting = stats().at("tasks").at("pending").get<std::uint64_t>();
  const auto before = processed();
  const auto begun = steady::now();
  send_event(everybody);
  await_processed(before + waiting);
  return {{"released", waiting}, {"seconds", seconds_since(begun)}};
}

json waiting_load::sleep(std::uint64_t per_second, std::uint64_t seconds) {
  const auto count = per_second * seconds;
  const auto first = milliseconds_now() + 1'000 + static_cast<std::int64_t>(count) / submitted_a_millisecond;
  const auto before = processed();
  for_each_number(count, [&](auto n) {
    const auto ms = first + static_cast<std::int64_t>(n * 1'000 / per_second);
    const auto at = fmt::format("{:%FT%T}.{:03}Z", fmt::gmtime(static_cast<std::time_t>(ms / 1'000)), ms % 1'000);
    submit("asleep", "asleep-" + std::to_string(n), {{"at", at}, {"ms", ms}});
  });
  if (milliseconds_now() >= first)
    throw failure{apps::our_fault, "the tasks were not submitted before the first was to wake"};
  await_processed(before + count);
  const std::lock_guard lock{late_guard_};
  return {{"late_ms", late_.json()}};
}

json waiting_load::run_items(std::uint64_t tasks, std::uint64_t items) {
  json payload = {{"items", json::array()}};
  for (std::uint64_t i = 0; i < items; ++i)
    payload["items"].push_back(i);
  const auto before = processed();
  const auto begun = steady::now();
  for_each_number(tasks, [&](auto n) { submit("ship_all", "ship-" + std::to_string(n), payload); });
  await_processed(before + tasks * (items + 1));
  return {{"items_per_second", rate_since(begun, tasks * items)}};
}

json waiting_load::run_children(std::uint64_t tasks) {
  const auto before = processed();
  const auto begun = steady::now();
  for_each_number(tasks, [&](auto n) { submit("outer", "outer-" + std::to_string(n), json::object()); });
  await_processed(before + 2 * tasks);
  return {{"children_per_second", rate_since(begun, tasks)}};
}

histogram waiting_load::run_alone(const std::string& name) {
  histogram took;
  for (int i = 0; i < lone_tasks; ++i) {
    const auto id = name + "-" + std::to_string(i);
    const auto begun = steady::now();
    submit("one_at_a_time", id, {{"customer", "small"}});
    await(
      [&] {
        return node_.call("task.state", {{"id", id}}).at("process_state") == "processed";
      },
      "a task did not end");
    took.add(steady::now() - begun);
  }
  return took;
}

json waiting_load::run_beside(std::uint64_t tasks) {
  const auto alone = run_alone("alone");
  for_each_number(tasks, [&](auto n) {
    submit("one_at_a_time", "large-" + std::to_string(n), {{"customer", "large"}});
  });
  const auto before = processed();
  const auto begun = steady::now();
  const auto beside = run_alone("beside");
  const auto others = processed() - before - lone_tasks;
  return {{"alone_ms", alone.json()},
          {"beside_ms", beside.json()},
          {"times_longer", beside.percentile(0.5) / alone.percentile(0.5)},
          {"others_per_second", rate_since(begun, others)}};
}

} // namespace steadfast::bench
