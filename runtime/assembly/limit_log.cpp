#include "runtime/assembly/limit_log.hpp"

#include "runtime/assembly/assembly.hpp"
#include "runtime/logging/log.hpp"
#include "store/joined/limit_warnings.hpp"

#include <set>

namespace steadfast {

void log_limit_warnings(const store::state_store& s, std::size_t partitions, const std::string& about) {
  for (const auto& line : store::limit_warnings(s, partitions, about))
    log_line("warning", line);
}

void log_limit_warnings(const store_parts& own, const std::string& about) {
  std::set<std::string> lines; // each partition knows all workflows
  for (const auto& p : own.partitions)
    if (p.store)
      for (auto& line : store::limit_warnings(*p.store, own.partitions.size(), about))
        lines.insert(std::move(line));
  for (const auto& line : lines)
    log_line("warning", line);
}

} // namespace steadfast
