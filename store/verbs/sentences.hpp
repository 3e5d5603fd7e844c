#pragma once

#include <string>
#include <vector>

namespace steadfast::store {

/// As one.
inline std::string joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const auto& s : sentences)
    text += (text.empty() ? "" : "; ") + s;
  return text;
}

} // namespace steadfast::store
