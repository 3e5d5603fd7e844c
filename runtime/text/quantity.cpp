#include "runtime/text/quantity.hpp"

#include <array>
#include <charconv>

namespace steadfast::runtime {
namespace {

struct unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr std::array<unit, 5> span_units{{{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}}};
constexpr std::array<unit, 5> size_units{
  {{"B", 1}, {"KiB", 1ULL << 10}, {"MiB", 1ULL << 20}, {"GiB", 1ULL << 30}, {"TiB", 1ULL << 40}}};

constexpr std::uint64_t span_max_ms = 3653ULL * 86'400'000ULL;
constexpr std::uint64_t size_max = 1ULL << 60;

template <std::size_t N>
std::optional<std::uint64_t> parse(std::string_view text, const std::array<unit, N>& units, std::uint64_t max) {
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{})
    return std::nullopt;
  const std::string_view name{rest, static_cast<std::size_t>(text.data() + text.size() - rest)};
  for (const auto& u : units)
    if (u.name == name)
      return number <= max / u.factor ? std::optional{number * u.factor} : std::nullopt;
  return std::nullopt;
}

template <std::size_t N>
std::string shortest(std::uint64_t value, const std::array<unit, N>& units) {
  auto best = units.front();
  for (const auto& u : units)
    if (value > 0 && value % u.factor == 0)
      best = u;
  return std::to_string(value / best.factor) + std::string{best.name};
}

} // namespace

std::optional<workflow::span> parse_span(std::string_view text) {
  const auto ms = parse(text, span_units, span_max_ms);
  return ms ? std::optional{workflow::span{static_cast<std::int64_t>(*ms)}} : std::nullopt;
}

std::string span_text(workflow::span s) {
  return shortest(static_cast<std::uint64_t>(s.count()), span_units);
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  return parse(text, size_units, size_max);
}

std::string size_text(std::uint64_t bytes) {
  return shortest(bytes, size_units);
}

} // namespace steadfast::runtime
