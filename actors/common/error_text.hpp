#pragma once

#include <caf/actor_system.hpp>
#include <caf/error.hpp>
#include <caf/sec.hpp>

#include <optional>
#include <string>

namespace steadfast::actors {

/// The text with which the error was made, if there is one: the errors of our actors have one.
inline std::optional<std::string> words_of(const caf::error& e) {
  const auto& words = e.context();
  return words.match_elements<std::string>() ? std::optional{words.get_as<std::string>(0)} : std::nullopt;
}

/// Why one of our actors refused a question. Nothing: the error is CAF's, and there is no answer.
inline std::optional<std::string> refusal_in(const caf::error& e) {
  return e == caf::sec::runtime_error ? words_of(e) : std::nullopt;
}

/// The error's own text, or else CAF's.
inline std::string text_of(const caf::error& e, const caf::actor_system& sys) {
  auto words = words_of(e);
  return words ? *std::move(words) : sys.render(e);
}

} // namespace steadfast::actors
