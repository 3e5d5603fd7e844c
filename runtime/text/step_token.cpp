#include "runtime/text/step_token.hpp"

#include "runtime/text/random_text.hpp"

#include <charconv>

namespace steadfast::runtime {

namespace {

constexpr std::size_t secret_bytes = 32;

/// The number up to the next dot, which leave `text`.
template <class Number>
bool take(std::string_view& text, Number& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  if (error != std::errc{} || end == text.data() + text.size() || *end != '.')
    return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return true;
}

} // namespace

actors::issued_token issue_step_token(const std::string& prefix) {
  return step_token_of(prefix, random_hex(secret_bytes));
}

actors::issued_token step_token_of(const std::string& prefix, const std::string& secret) {
  auto token = prefix + secret;
  auto digest = sha256(token);
  return {std::move(token), std::move(digest)};
}

std::optional<step_token> read_step_token(std::string_view text) {
  step_token t;
  auto left = text;
  if (!take(left, t.task_number) || !take(left, t.step) || !take(left, t.attempt) || left.size() != 2 * secret_bytes)
    return std::nullopt;
  t.digest = sha256(text);
  return t;
}

} // namespace steadfast::runtime
