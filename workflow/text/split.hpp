#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast::workflow {

/// The parts between the separators, also empty ones: one more than there are separators. They are views of `text`.
std::vector<std::string_view> split(std::string_view text, char separator);

/// The parts with the separator between them.
std::string joined(const std::vector<std::string>& parts, std::string_view separator);

/// "1 task", "2 tasks"
std::string counted(std::uint64_t n, std::string_view what);

} // namespace steadfast::workflow
