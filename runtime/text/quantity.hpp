#pragma once

#include "workflow/text/split.hpp"
#include "workflow/time/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Lengths of time, sizes and numbers of things as people write them.

namespace steadfast::runtime {

inline constexpr std::string_view span_rule =
  "a number and a unit, such as \"250ms\", \"5s\", \"2m\", \"1h\" or \"7d\"";
inline constexpr std::string_view size_rule = "a number and a unit, such as \"512B\", \"64KiB\", \"1MiB\" or \"8GiB\"";

/// By span_rule, at most ten years.
std::optional<workflow::span> parse_span(std::string_view text);

/// The shortest text that parse_span reads as the same span.
std::string span_text(workflow::span s);

/// By size_rule, at most 1 EiB; bytes.
std::optional<std::uint64_t> parse_size(std::string_view text);

/// The shortest text that parse_size reads as the same size.
std::string size_text(std::uint64_t bytes);

using workflow::counted;

} // namespace steadfast::runtime
