#include "apps/bench/figures/process_figures.hpp"
#include "apps/bench/runs/gateway.hpp"
#include "apps/bench/runs/overload.hpp"
#include "apps/bench/runs/scenario.hpp"

#include <fmt/format.h>

namespace steadfast::bench {
namespace {

using nlohmann::json;

constexpr double long_run = 20;     ///< seconds; in less time the store's file does not stop growing
constexpr double least_drain = 0.5; ///< seconds; less is what was just in flight

std::string times_text(const char* what, const json& measured, const char* key) {
  const auto found = measured.find(key);
  if (found == measured.end() || found->at("count") == 0)
    return {};
  const auto ms = [&](const char* p) { return found->at(p).get<double>(); };
  return fmt::format("  {:<13}p50 {:.2f}  p95 {:.2f}  p99 {:.2f}  p99.9 {:.2f}  longest {:.2f} ms\n", what, ms("p50"),
                     ms("p95"), ms("p99"), ms("p99.9"), ms("max"));
}

std::string costs_text(const json& measured) {
  const auto found = measured.find("per_task");
  if (found == measured.end())
    return {};
  const auto each = [&](const char* what) { return found->at(what).get<double>(); };
  return fmt::format("  {:<13}CPU {:.3f} ms, {:.0f} bytes written ({:.0f} by the disk), {:.3f} synced commits\n",
                     "per task", each("cpu_ms"), each("bytes_written"), measured.value("device_bytes_per_task", 0.0),
                     each("synced_commits"));
}

std::string server_text(const json& measured) {
  const auto found = measured.find("server");
  if (found == measured.end())
    return {};
  const auto cpu = found->find("cpu_ms_per_task");
  return fmt::format("  {:<13}per task {}, WAL {:.0f} bytes; {}\n", "server",
                     cpu == found->end() ? "CPU unknown" : fmt::format("CPU {:.3f} ms", cpu->get<double>()),
                     found->at("wal_bytes_per_task").get<double>(), found->at("about").get<std::string>());
}

std::string trouble_text(const json& m) {
  std::string text;
  for (const char* what : {"lost", "refused", "unanswered", "unfinished", "pushed_back"})
    if (const auto count = m.value(what, std::int64_t{0}); count > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  return text.empty() ? text : "  " + text + "\n";
}

/// "32.0 MiB after 10 s, 33.1 after 20 s"
std::string file_text(const json& m) {
  const auto found = m.find("store_file");
  if (found == m.end() || found->empty() || found->back().at("seconds") < long_run)
    return {};
  std::string text;
  for (const auto& x : *found)
    text += fmt::format("{}{:.1f}{} after {:.0f} s", text.empty() ? "" : ", ", x.at("bytes").get<double>() / mebibyte,
                        text.empty() ? " MiB" : "", x.at("seconds").get<double>());
  return fmt::format("  {:<13}{}\n", "store's file", text);
}

std::string line_of(const json& m, const char* what, const char* key, const char* unit, double unit_size = 1) {
  const auto found = m.find(key);
  return found == m.end() ? std::string{}
                          : fmt::format("  {:<13}{:.1f} {}\n", what, found->get<double>() / unit_size, unit);
}

/// Of a start, not of a stream of tasks.
std::string start_text(const json& m) {
  return m.at("name").get<std::string>() + "\n" + line_of(m, "found open", "open", "tasks")
         + line_of(m, "ready", "ready_ms", "ms") + line_of(m, "dispatches", "first_dispatch_ms", "ms")
         + line_of(m, "all done", "all_done_ms", "ms") + line_of(m, "memory", "resident_bytes", "MiB", mebibyte);
}

} // namespace

std::string text_of(const json& m) {
  if (m.contains("rate_back_s"))
    return overload_text(m);
  if (m.contains("more") || m.contains("live_ms") || m.contains("arrived_ms"))
    return gateway_text(m);
  if (!m.contains("submissions_per_second"))
    return start_text(m);
  const auto number = [&](const char* what) { return m.value(what, 0.0); };
  auto text = m.at("name").get<std::string>() + "\n"
              + fmt::format("  {:<13}{:.0f} tasks", "per second", number("tasks_per_second"));
  if (m.contains("transitions_per_second"))
    text += fmt::format(", {:.0f} transitions", number("transitions_per_second"));
  text += fmt::format(", {:.0f} submissions\n", number("submissions_per_second"));
  text += times_text("acknowledged", m, "acknowledged_ms");
  text += times_text("done", m, "completed_ms");
  text += times_text("listed", m, "listed_ms");
  text += times_text("scraped", m, "scraped_ms");
  text += costs_text(m);
  text += server_text(m);
  text += fmt::format("  {:<13}{:.0f} MiB (at most {:.0f}), store {:.1f} MiB\n", "memory",
                      number("resident_bytes") / mebibyte, number("resident_peak_bytes") / mebibyte,
                      number("store_bytes") / mebibyte);
  text += file_text(m);
  if (number("drain_seconds") >= least_drain)
    text += line_of(m, "drained in", "drain_seconds", "s");
  return text + trouble_text(m);
}

} // namespace steadfast::bench
