#include "examples/demo/faults.hpp"

#include "examples/demo/processes/services.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace demo {

namespace {

struct service_faults {
  std::string_view service;
  std::string_view switches;
  std::string_view words;
};

// The drone service hangs for longer than an attempt may take, so that its steps end with an unknown outcome.
constexpr std::array<service_faults, 10> plan = {{
  {"account", R"({"transient": 0.10})", "503 for 10 % of the calls"},
  {"package", R"({"error_after": 0.08, "lose": 0.02})",
   "500 for 8 %, after the effect took place; loses 2 % and acts later"},
  {"transport", R"({"transient": 0.10, "retry_after_seconds": 1})", "503 with Retry-After for 10 %"},
  {"drone", R"({"hang_before": 0.02, "hang_after": 0.02, "hang_seconds": 30})",
   "hangs for 4 %, half of them after the effect"},
  {"delivery", R"({"refuse": 0.04, "transient": 0.05, "lose": 0.02, "on_undo": false})",
   "refuses 4 % for good, 503 for 5 %, loses 2 % and acts later"},
  {"orders", R"({"late": 0.10, "late_min_ms": 200, "late_max_ms": 1500})", "answers 10 % late"},
  {"payment", R"({"error_after": 0.10, "lose": 0.03})",
   "500 for 10 %, after the effect took place; loses 3 % and acts later"},
  {"stock", R"({"twice": 0.10})", "gets 10 % of the calls twice"},
  {"shipping", R"({"refuse": 0.06, "transient": 0.10, "on_undo": false})", "refuses 6 % for good, 503 for 10 %"},
  {"screening", R"({"error_after": 0.05, "late": 0.10, "late_min_ms": 100, "late_max_ms": 800, "lose": 0.01})",
   "takes up to five calls or never ends, answers 10 % late, 500 for 5 %, loses 1 % and acts later"},
}};

constexpr std::string_view none = R"({"transient": 0, "error_after": 0, "hang_before": 0, "hang_after": 0, "late": 0,)"
                                  R"( "twice": 0, "lose": 0, "refuse": 0})";

bool runs(const services& all, std::string_view service) {
  const auto& names = all.names();
  return std::any_of(names.begin(), names.end(), [&](const service_name& n) { return n.name == service; });
}

void set(const services& all, std::string_view service, std::string_view switches) {
  if (runs(all, service) && !all.set_faults(service, std::string{switches}))
    throw std::runtime_error{fmt::format("the service {} does not take its fault switches", service)};
}

} // namespace

std::string fault_summary(const services& all) {
  std::string text;
  for (const auto& f : plan)
    if (runs(all, f.service))
      text += fmt::format("  {:<10} {}\n", f.service, f.words);
  return text;
}

void switch_faults_on(const services& all) {
  for (const auto& f : plan)
    set(all, f.service, f.switches);
}

void switch_faults_off(const services& all) {
  for (const auto& f : plan)
    set(all, f.service, none);
}

} // namespace demo
