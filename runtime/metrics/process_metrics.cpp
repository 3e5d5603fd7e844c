#include "runtime/logging/log.hpp"
#include "runtime/metrics/process_figures.hpp"
#include "runtime/metrics/told.hpp"

namespace steadfast {

void write_process_metrics(page_writer& page, const std::string& node) {
  const auto f = read_process_figures();
  page.add("steadfast_log_lines_lost_total", static_cast<double>(log_lines_lost()));
  page.add("steadfast_build_info", 1, {node, STEADFAST_VERSION});
  page.add("process_cpu_seconds_total", f.cpu_seconds);
  page.add("process_open_fds", static_cast<double>(f.open_files));
  page.add("process_max_fds", static_cast<double>(f.open_files_max));
  page.add("process_virtual_memory_bytes", static_cast<double>(f.virtual_bytes));
  page.add("process_resident_memory_bytes", static_cast<double>(f.resident_bytes));
  page.add("process_start_time_seconds", f.start_seconds);
}

} // namespace steadfast
