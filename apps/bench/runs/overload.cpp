#include "apps/bench/runs/overload.hpp"

#include "api/names.hpp"
#include "apps/bench/load/driver.hpp"
#include "apps/bench/runs/part.hpp"
#include "steadfast/client.hpp"

#include <fmt/format.h>

#include <numeric>
#include <vector>

namespace steadfast::bench {
namespace {

using nlohmann::json;

constexpr double well_before = 2; ///< seconds
constexpr double slow = 10;
constexpr double well_after = 20;
constexpr double share_wanted = 0.95;

part_setup setup_in(const std::filesystem::path& folder) {
  part_setup p;
  p.folder = folder.string();
  p.agents = "paced";
  p.load.steps = 1;
  p.load.complete_by_ms = 5000;
  p.pace = {20, 4000, well_before, slow};
  return p;
}

/// From which second after `from` on, of windows of a second, so many end in one. -1: in none.
double back_after(const std::vector<std::uint32_t>& ended, double from, double wanted) {
  const auto slots = static_cast<std::size_t>(1 / load_plan::slot_seconds + 0.5);
  const auto first = static_cast<std::size_t>(from / load_plan::slot_seconds + 0.5);
  for (std::size_t i = first; i + slots <= ended.size(); ++i) {
    const auto begin = ended.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(slots), 0.0) >= wanted)
      return static_cast<double>(i - first) * load_plan::slot_seconds;
  }
  return -1;
}

std::uint64_t declined_at(const std::filesystem::path& socket) {
  std::uint64_t declined = 0;
  const auto described = client{socket.string()}.call(api::node_describe, json::object());
  for (const auto& agent : described.at("agents"))
    declined += agent.at("declined").get<std::uint64_t>();
  return declined;
}

} // namespace

json measure_overload(const std::filesystem::path& folder, std::uint32_t per_second) {
  part node{setup_in(folder)};
  load_plan plan;
  plan.rate = per_second;
  plan.warm_up = 0;
  plan.seconds = well_before + slow + well_after;
  const auto driven = node.call("drive", plan);
  const auto tasks = node.call("figures").at("tasks");
  const auto in = [&](const char* state) { return tasks.value(state, std::uint64_t{0}); };
  return {{"offered", driven.at("submitted")},
          {"done", in("processed")},
          {"declined", declined_at(folder / "control.sock")},
          {"in_error", in("error")},
          {"undone", in("undone")},
          {"unfinished", driven.at("unfinished")},
          {"slow_seconds", slow},
          {"drain_seconds", driven.at("drain_seconds")},
          {"rate_back_s", back_after(driven.at("ended_in_slots"), well_before + slow, share_wanted * per_second)}};
}

std::string overload_text(const json& m) {
  const auto count = [&](const char* what) { return m.at(what).get<std::uint64_t>(); };
  const auto back = m.at("rate_back_s").get<double>();
  return m.at("name").get<std::string>() + "\n"
         + fmt::format("  {:<13}{} tasks: {} done, {} in error, {} undone, {} unfinished; {} orders declined\n",
                       "offered", count("offered"), count("done"), count("in_error"), count("undone"),
                       count("unfinished"), count("declined"))
         + fmt::format("  {:<13}{}\n", "rate back",
                       back < 0 ? "never" : fmt::format("{:.1f} s after the service was well again", back));
}

} // namespace steadfast::bench
