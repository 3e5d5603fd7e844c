#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace checker {

inline constexpr std::size_t examples_max = 5;
inline constexpr std::size_t rules_count = 24;

/// What the check of one rule found.
struct finding {
  std::string_view name; ///< "E3"
  std::string_view says;
  std::uint64_t checked = 0;
  std::uint64_t violations = 0;
  std::vector<std::string> examples; ///< of violations, at most examples_max
  std::string not_checked;           ///< why it was not checked; empty when it was

  /// Counts a violation; `describe` is only called when its text is kept.
  template <class F>
  void violated(F describe) {
    if (++violations <= examples_max)
      examples.push_back(describe());
  }

  /// Counts one check, and a violation unless it holds.
  template <class F>
  void expect(bool as_it_must_be, F describe) {
    ++checked;
    if (!as_it_must_be)
      violated(describe);
  }
};

using findings = std::array<finding, rules_count>;

inline std::uint64_t violations_of(const findings& all) {
  std::uint64_t sum = 0;
  for (const auto& f : all)
    sum += f.violations;
  return sum;
}

} // namespace checker
