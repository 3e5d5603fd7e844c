#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast::apps {

enum class colour : std::uint8_t { plain, good, bad, warning, faint, strong };

/// Where output goes.
struct terminal {
  bool is_terminal = false;
  bool has_colours = false;
  std::size_t width = unlimited;  ///< columns
  std::size_t height = unlimited; ///< lines

  static constexpr std::size_t unlimited = 1'000'000;
};

/// Standard output. Colours only on a terminal, and not with NO_COLOR or TERM=dumb.
terminal standard_output();

/// Columns of UTF-8 text: East Asian letters and pictures take two, marks on letters none (wcwidth, UAX #11).
std::size_t columns_of(std::string_view text);

/// Bytes that fit into `columns`; a character is never cut in two.
std::size_t bytes_of(std::string_view text, std::size_t columns);

/// At most `columns` of it, the last one "…" if something was cut.
std::string cut(std::string_view text, std::size_t columns);

/// A painted line in parts of at most `columns`; a part that has colours ends without. At least one.
std::vector<std::string> folded(std::string_view line, std::size_t columns);

/// Without its colours.
std::string unpainted(std::string_view line);

/// Safe to print whatever it is: control characters, line ends among them, as \xNN, bytes that are not UTF-8 as "?".
std::string printable(std::string_view text);

std::string painted(std::string_view text, colour c, const terminal& to);

/// The colour in which the state of a task or a step is shown.
colour colour_of_state(std::string_view state);

} // namespace steadfast::apps
