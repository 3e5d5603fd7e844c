#include "apps/terminal/terminal.hpp"

#include "workflow/text/utf8.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cwchar>

namespace steadfast::apps {
namespace {

constexpr std::size_t width_least = 40;
constexpr const char* plain_again = "\x1b[0m";

bool is_control(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence[0]);
  return sequence.size() == 1 ? first < 0x20 || first == 0x7F : workflow::steers_terminal(sequence);
}

/// Of what `painted` puts around a text; 0: the text does not begin with it.
std::size_t size_of_colours(std::string_view text) {
  return text.starts_with("\x1b[") ? std::min(text.find('m'), text.size() - 1) + 1 : 0;
}

std::string in_hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    std::array<char, 8> one{};
    std::snprintf(one.data(), one.size(), "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
    text += one.data();
  }
  return text;
}

/// The C library knows how wide letters are, in a UTF-8 locale, whatever the locale of the process.
class widths_of_letters {
public:
  widths_of_letters() : before_{uselocale(utf8())} {}
  ~widths_of_letters() { uselocale(before_); }
  widths_of_letters(const widths_of_letters&) = delete;
  widths_of_letters& operator=(const widths_of_letters&) = delete;

  std::size_t of(std::string_view sequence) const {
    if (sequence.size() == 1)
      return 1;
    const int width = wcwidth(static_cast<wchar_t>(workflow::code_point(sequence)));
    return width < 0 ? 1 : static_cast<std::size_t>(width);
  }

private:
  static locale_t utf8() {
    static const locale_t found = newlocale(LC_CTYPE_MASK, "C.UTF-8", locale_t{});
    return found == locale_t{} ? LC_GLOBAL_LOCALE : found;
  }
  locale_t before_;
};

winsize terminal_size() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
    return {24, 80, 0, 0};
  return size;
}

} // namespace

terminal standard_output() {
  terminal t;
  t.is_terminal = isatty(STDOUT_FILENO) == 1;
  if (!t.is_terminal)
    return t;
  const char* no_colour = std::getenv("NO_COLOR");
  const char* kind = std::getenv("TERM");
  t.has_colours = (no_colour == nullptr || *no_colour == '\0') && (kind == nullptr || std::string_view{kind} != "dumb");
  const auto size = terminal_size();
  t.width = std::max<std::size_t>(size.ws_col, width_least);
  t.height = size.ws_row;
  return t;
}

std::size_t columns_of(std::string_view text) {
  const widths_of_letters widths;
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto size = std::max<std::size_t>(workflow::utf8_size(text.substr(at)), 1);
    columns += widths.of(text.substr(at, size));
    at += size;
  }
  return columns;
}

std::size_t bytes_of(std::string_view text, std::size_t columns) {
  const widths_of_letters widths;
  std::size_t at = 0;
  for (std::size_t taken = 0; at < text.size();) {
    const auto size = std::max<std::size_t>(workflow::utf8_size(text.substr(at)), 1);
    taken += widths.of(text.substr(at, size));
    if (taken > columns)
      break;
    at += size;
  }
  return at;
}

std::string cut(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns)
    return std::string{text};
  return columns == 0 ? std::string{} : std::string{text.substr(0, bytes_of(text, columns - 1))} + "…";
}

std::string printable(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const auto size = workflow::utf8_size(text);
    const auto sequence = text.substr(0, size == 0 ? 1 : size);
    if (size == 0)
      safe += '?';
    else if (is_control(sequence))
      safe += in_hex(sequence);
    else
      safe += sequence;
    text.remove_prefix(sequence.size());
  }
  return safe;
}

std::vector<std::string> folded(std::string_view line, std::size_t columns) {
  const widths_of_letters widths;
  std::vector<std::string> parts(1);
  std::size_t taken = 0;
  for (std::size_t at = 0; at < line.size();) {
    const auto colours = size_of_colours(line.substr(at));
    const auto size = colours > 0 ? colours : std::max<std::size_t>(workflow::utf8_size(line.substr(at)), 1);
    const auto width = colours > 0 ? 0 : widths.of(line.substr(at, size));
    if (taken + width > columns && taken > 0) {
      parts.emplace_back();
      taken = 0;
    }
    taken += width;
    parts.back() += line.substr(at, size);
    at += size;
  }
  for (auto& part : parts)
    if (part.find('\x1b') != std::string::npos)
      part += plain_again;
  return parts;
}

std::string unpainted(std::string_view line) {
  std::string plain;
  for (std::size_t at = 0; at < line.size();)
    if (const auto colours = size_of_colours(line.substr(at)); colours > 0)
      at += colours;
    else
      plain += line[at++];
  return plain;
}

std::string painted(std::string_view text, colour c, const terminal& to) {
  static constexpr std::array<const char*, 6> codes{"", "32", "31", "33", "2", "1"};
  if (!to.has_colours || c == colour::plain || text.empty())
    return std::string{text};
  return std::string{"\x1b["} + codes[static_cast<std::size_t>(c)] + "m" + std::string{text} + plain_again;
}

colour colour_of_state(std::string_view state) {
  if (state == "processed" || state == "completed" || state == "succeeded" || state == "alive")
    return colour::good;
  if (state == "error" || state == "failed" || state == "compensation_failed")
    return colour::bad;
  if (state == "undoing" || state == "undone" || state == "unknown" || state == "compensating" || state == "compensated"
      || state == "suspended" || state == "drained" || state == "silent" || state == "gone")
    return colour::warning;
  if (state == "not_started" || state == "skipped")
    return colour::faint;
  return colour::plain;
}

} // namespace steadfast::apps
