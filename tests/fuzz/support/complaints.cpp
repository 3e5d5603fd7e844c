#include "tests/fuzz/support/complaints.hpp"

#include "tests/fuzz/support/fuzz.hpp"

#include <algorithm>
#include <charconv>

namespace steadfast::fuzz {

namespace {

bool names_a_line(std::string_view sentence, std::size_t lines, const std::string& file) {
  if (!sentence.starts_with(file + ":"))
    return false;
  sentence.remove_prefix(file.size() + 1);
  std::size_t line = 0;
  const auto [rest, error] = std::from_chars(sentence.data(), sentence.data() + sentence.size(), line);
  sentence.remove_prefix(static_cast<std::size_t>(rest - sentence.data()));
  return error == std::errc{} && line >= 1 && line <= lines && sentence.starts_with(": ") && sentence.size() > 2;
}

} // namespace

void check_complaints(const runtime::config_error& e, std::string_view text, const std::string& file) {
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  expect(!e.problems().empty(), "a refusal says why");
  for (const auto& p : e.problems())
    expect(names_a_line(p, lines, file), "a mistake is told with its place", p);
}

} // namespace steadfast::fuzz
