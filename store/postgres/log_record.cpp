#include "store/postgres/log_record.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace steadfast::store::postgres {

std::string why_no_commit(const std::vector<log_entry>& entries) {
  if (entries.size() > append_records_max)
    return std::to_string(entries.size()) + " records are more than the " + std::to_string(append_records_max)
           + " of one commit";
  const auto bytes = std::accumulate(entries.begin(), entries.end(), std::size_t{0},
                                     [](std::size_t sum, const log_entry& e) { return sum + e.record.size(); });
  if (bytes > append_bytes_max)
    return std::to_string(bytes) + " bytes are more than the " + std::to_string(append_bytes_max) + " of one commit";
  if (std::any_of(entries.begin(), entries.end(), [](const log_entry& e) { return e.task <= 0; }))
    return "a task has a number from 1";
  return {};
}

std::vector<log_record> last_of_each(std::vector<log_record> all) {
  std::sort(all.begin(), all.end(), [](const log_record& a, const log_record& b) {
    return std::tie(a.task, b.commit, b.revision) < std::tie(b.task, a.commit, a.revision); // of a task the last first
  });
  all.erase(
    std::unique(all.begin(), all.end(), [](const log_record& a, const log_record& b) { return a.task == b.task; }),
    all.end());
  if (!all.empty() && all.front().task == 0)
    all.erase(all.begin());
  return all;
}

} // namespace steadfast::store::postgres
