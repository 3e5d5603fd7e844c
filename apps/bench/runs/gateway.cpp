#include "apps/bench/runs/gateway.hpp"

#include "apps/bench/figures/process_figures.hpp"
#include "apps/bench/load/gateway_load.hpp"
#include "apps/bench/runs/part.hpp"
#include "runtime/text/address.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <thread>

namespace steadfast::bench {
namespace {

using nlohmann::json;

constexpr std::chrono::seconds until_at_rest{3};
constexpr std::uint32_t rounds = 10; ///< in which all tasks that are followed change once

part_setup setup_with_port(const std::filesystem::path& folder, bool has_port = true) {
  std::filesystem::create_directories(folder);
  part_setup p;
  p.folder = folder.string();
  p.load.steps = 1;
  p.http_port = has_port ? runtime::free_ports(1).front() : std::uint16_t{0};
  return p;
}

std::uint64_t resident_at_rest(const std::filesystem::path& folder, bool has_port) {
  part node{setup_with_port(folder, has_port)};
  std::this_thread::sleep_for(until_at_rest);
  return node.call("figures").at("resident");
}

std::uint64_t tasks_in(const json& figures) {
  std::uint64_t sum = 0;
  for (const auto& [state, count] : figures.at("tasks").items())
    sum += count.get<std::uint64_t>();
  return sum;
}

} // namespace

json measure_idle_gateway(const std::filesystem::path& folder) {
  const auto without = resident_at_rest(folder / "without", false);
  const auto with = resident_at_rest(folder / "with", true);
  return {{"with", with}, {"without", without}, {"more", with - std::min(with, without)}};
}

json measure_flood(const std::filesystem::path& folder, std::uint32_t per_second) {
  const auto setup = setup_with_port(folder / "node");
  part node{setup};
  part caller{part_setup{.kind = "caller"}};
  flood_plan plan;
  plan.http_port = setup.http_port;
  plan.rate = per_second;
  auto measured = caller.call("flood", plan);
  const auto there = tasks_in(node.call("figures"));
  const auto acknowledged = measured.at("acknowledged").get<std::uint64_t>();
  measured["in_store"] = there;
  measured["lost"] = acknowledged - std::min(acknowledged, there);
  measured["peak_resident"] = node.call("figures").at("resident_peak");
  return measured;
}

namespace {

/// What the caller measures meanwhile, with the node's processor time for each event.
json measure_streams(const std::filesystem::path& folder, const std::string& what,
                     const std::function<json(std::uint16_t http_port)>& plan) {
  const auto setup = setup_with_port(folder / "node");
  part node{setup};
  part caller{part_setup{.kind = "caller"}};
  const auto cpu = [&] { return node.call("figures").at("cpu_seconds").get<double>(); };
  const auto before = cpu();
  auto measured = caller.call(what, plan(setup.http_port));
  measured["cpu_ms"] = 1000 * (cpu() - before) / measured.at("events").get<double>();
  return measured;
}

} // namespace

json measure_followers(const std::filesystem::path& folder, std::uint32_t streams) {
  return measure_streams(folder, "follow", [&](auto port) { return json(follow_plan{port, streams, rounds}); });
}

json measure_followers_of_all(const std::filesystem::path& folder, std::uint32_t streams) {
  return measure_streams(folder, "follow_all", [&](auto port) {
    follow_all_plan p;
    p.http_port = port;
    p.streams = streams;
    p.rounds = rounds;
    return json(p);
  });
}

std::string gateway_text(const json& m) {
  auto text = m.at("name").get<std::string>() + "\n";
  if (m.contains("more"))
    return text + fmt::format("  {:<13}{:.1f} MiB\n", "port", m.at("more").get<double>() / mebibyte);
  if (m.contains("lost"))
    return text
           + fmt::format("  {:<13}{:.0f}/s: {} acknowledged, {} lost, {} pushed back, {} without an answer\n",
                         "offered", m.at("offered_per_second").get<double>(), m.at("acknowledged").get<std::uint64_t>(),
                         m.at("lost").get<std::uint64_t>(), m.at("pushed_back").get<std::uint64_t>(),
                         m.at("unanswered").get<std::uint64_t>())
           + fmt::format("  {:<13}p50 {:.1f} ms, p99 {:.1f} ms\n", "/health/live",
                         m.at("live_ms").at("p50").get<double>(), m.at("live_ms").at("p99").get<double>());
  return text
         + fmt::format("  {:<13}{:.0f}/s: {} missed, {} repeated, {:.3f} ms of CPU each\n", "events",
                       m.at("events_per_second").get<double>(), m.at("missed").get<std::uint64_t>(),
                       m.at("repeated").get<std::uint64_t>(), m.at("cpu_ms").get<double>())
         + fmt::format("  {:<13}p50 {:.1f} ms, p99 {:.1f} ms after the commit\n", "arrived",
                       m.at("arrived_ms").at("p50").get<double>(), m.at("arrived_ms").at("p99").get<double>());
}

} // namespace steadfast::bench
