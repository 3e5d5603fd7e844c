#pragma once

#include "runtime/toml/toml_file.hpp"
#include "workflow/definition/retry.hpp"

#include <string_view>

// Tables that several readers know.

namespace steadfast::runtime {

/// A table `retry` of that key, if there is one.
void read_retry(toml_section& in, std::string_view key, workflow::retry_policy& into);

} // namespace steadfast::runtime
