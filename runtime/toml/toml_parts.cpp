#include "runtime/toml/toml_parts.hpp"

#include "workflow/definition/definition.hpp"

namespace steadfast::runtime {

void read_retry(toml_section& in, std::string_view key, workflow::retry_policy& into) {
  auto retry = in.section(key);
  if (!retry)
    return;
  retry->read_count("attempts", into.attempts, 1U, workflow::attempts_of_a_round_max);
  retry->read("initial", into.initial);
  retry->read_share("factor", into.factor_percent, 1.0, workflow::factor_percent_max / 100.0);
  retry->read("cap", into.cap);
  retry->read_share("jitter", into.jitter_percent, 0.0, 1.0);
  retry->end();
}

} // namespace steadfast::runtime
