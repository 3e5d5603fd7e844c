#pragma once

#include "examples/checker/history/history.hpp"
#include "examples/checker/reading/json_lines.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace checker {

std::optional<action> parse_action(std::string_view word);
std::optional<result> parse_result(std::string_view word);
std::optional<process_state> parse_process_state(std::string_view word);
std::optional<step_state> parse_step_state(std::string_view word);
std::optional<client_call::answer> parse_answer(std::string_view word);
std::optional<on_conflict> parse_conflict(std::string_view word);

std::optional<wake::kind> parse_wake(std::string_view word);

/// A choice and who made it, as one text.
std::string text_of_answer(std::string_view choice, std::string_view who);

template <class T>
std::optional<T> parse_word(std::string_view word);
template <>
inline std::optional<action> parse_word(std::string_view word) {
  return parse_action(word);
}
template <>
inline std::optional<result> parse_word(std::string_view word) {
  return parse_result(word);
}
template <>
inline std::optional<process_state> parse_word(std::string_view word) {
  return parse_process_state(word);
}
template <>
inline std::optional<step_state> parse_word(std::string_view word) {
  return parse_step_state(word);
}
template <>
inline std::optional<client_call::answer> parse_word(std::string_view word) {
  return parse_answer(word);
}
template <>
inline std::optional<on_conflict> parse_word(std::string_view word) {
  return parse_conflict(word);
}
template <>
inline std::optional<wake::kind> parse_word(std::string_view word) {
  return parse_wake(word);
}

/// The field's word as a T; complains of an unknown one.
template <class T>
T read_word(const json_line& line, const char* field) {
  const auto word = line.text(field);
  if (const auto known = parse_word<T>(word))
    return *known;
  line.complain("field `" + std::string{field} + "` holds an unknown word: " + std::string{word});
}

} // namespace checker
