#pragma once

#include "workflow/definition/definition.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast::workflow {

inline constexpr std::size_t index_places_max = 4;
inline constexpr std::size_t index_place_size_max = 128;
/// A longer text is in no index.
inline constexpr std::size_t index_value_size_max = 256;

/// A value of a payload and its place. Texts are without quotes and escapes; numbers, true and false are as written. So
/// the number 77 and the text "77" are the same.
struct payload_value {
  std::string place; ///< a JSON Pointer
  std::string value;

  friend bool operator==(const payload_value&, const payload_value&) = default;
};

/// The values by which a task of that workflow with this payload is found. Places that are missing, or have null, a
/// list or an object, are left out.
std::vector<payload_value> indexed_values(const definition& d, std::string_view payload);

/// What is wrong with the places of an index, one sentence each.
std::vector<std::string> problems_of_index(const std::vector<std::string>& places);

} // namespace steadfast::workflow
