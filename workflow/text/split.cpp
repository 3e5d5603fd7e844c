#include "workflow/text/split.hpp"

namespace steadfast::workflow {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos)
      return parts;
    text.remove_prefix(end + 1);
  }
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const auto& part : parts)
    text.append(text.empty() ? "" : separator).append(part);
  return text;
}

std::string counted(std::uint64_t n, std::string_view what) {
  return std::to_string(n) + " " + std::string{what} + (n == 1 ? "" : "s");
}

} // namespace steadfast::workflow
