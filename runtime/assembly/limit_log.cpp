#include "runtime/assembly/limit_log.hpp"

#include "runtime/logging/log.hpp"
#include "store/joined/limit_warnings.hpp"

namespace steadfast {

void log_limit_warnings(const store::state_store* store, const std::string& about) {
  if (const auto* joined = dynamic_cast<const store::joined_store*>(store))
    for (const auto& line : store::limit_warnings(*joined, about))
      log_line("warning", line);
}

} // namespace steadfast
