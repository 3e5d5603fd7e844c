#include "workflow/outward/trace.hpp"

#include "workflow/definition/retry.hpp"
#include "workflow/text/split.hpp"

#include <algorithm>
#include <charconv>

namespace steadfast::workflow {

namespace {

constexpr std::uint64_t sampled_bit = 1;

template <class Number>
std::optional<Number> hex_number(std::string_view text) {
  Number n = 0;
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (text.size() != 2 * sizeof(Number) || !std::all_of(text.begin(), text.end(), is_digit))
    return std::nullopt;
  std::from_chars(text.data(), text.data() + text.size(), n, 16);
  return n;
}

std::string hex_text(std::uint64_t n) {
  std::string text(16, '0');
  for (auto at = text.rbegin(); n != 0; ++at, n >>= 4U)
    *at = "0123456789abcdef"[n & 15U];
  return text;
}

/// FNV-1a.
std::uint64_t hash_of_text(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

/// No id is 0.
std::uint64_t id_of(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return std::max<std::uint64_t>(mixed(a, b, c), 1);
}

} // namespace

std::optional<trace_context> parse_traceparent(std::string_view text) {
  const auto parts = split(text, '-');
  if (parts.size() < 4 || parts[1].size() != 32)
    return std::nullopt;
  const auto version = hex_number<std::uint8_t>(parts[0]);
  const auto high = hex_number<std::uint64_t>(parts[1].substr(0, 16));
  const auto low = hex_number<std::uint64_t>(parts[1].substr(16));
  const auto span = hex_number<std::uint64_t>(parts[2]);
  const auto flags = hex_number<std::uint8_t>(parts[3]);
  if (!version || !high || !low || !span || !flags || *version == 0xFF || (*version == 0 && parts.size() > 4))
    return std::nullopt;
  if ((*high == 0 && *low == 0) || *span == 0)
    return std::nullopt;
  return trace_context{{*high, *low}, *span, (*flags & sampled_bit) != 0};
}

std::string trace_text(const trace_context& x) {
  return hex_text(x.trace[0]) + hex_text(x.trace[1]);
}

std::string span_text(std::uint64_t span) {
  return hex_text(span);
}

std::string traceparent_of(const trace_context& x) {
  return "00-" + trace_text(x) + "-" + span_text(x.span) + (x.is_sampled ? "-01" : "-00");
}

trace_context trace_of(const task& t, std::uint32_t sampled_percent) {
  if (const auto given = parse_traceparent(t.trace))
    return *given;
  const auto hash = hash_of_text(t.id);
  const auto at = static_cast<std::uint64_t>(t.submitted_at.time_since_epoch().count());
  trace_context own{{id_of(hash, t.number, at), id_of(at, hash, t.number)}, 0};
  own.is_sampled = own.trace[1] % 100 < sampled_percent;
  return own;
}

std::uint64_t span_of_task(const trace_context& x, std::uint64_t task_number) {
  return id_of(x.trace[0], x.trace[1], task_number);
}

std::uint64_t span_of_step(const trace_context& x, std::uint64_t task_number, std::size_t step) {
  return id_of(span_of_task(x, task_number), step, 0);
}

std::uint64_t span_of_attempt(const trace_context& x, std::uint64_t task_number, std::size_t step,
                              std::uint32_t attempt) {
  return id_of(span_of_task(x, task_number), step, attempt);
}

std::string traceparent_of_attempt(trace_context x, std::uint64_t task_number, std::size_t step,
                                   std::uint32_t attempt) {
  x.span = span_of_attempt(x, task_number, step, attempt);
  return traceparent_of(x);
}

} // namespace steadfast::workflow
