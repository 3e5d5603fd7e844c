#include "apps/bench/load/seen_events.hpp"

#include "runtime/text/time_text.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace steadfast::bench {

namespace {

/// What follows this in the text, as a number.
std::optional<std::uint64_t> number_after(std::string_view text, std::string_view what) {
  const auto at = text.find(what);
  if (at == std::string_view::npos)
    return std::nullopt;
  std::uint64_t n = 0;
  std::from_chars(text.data() + at + what.size(), text.data() + text.size(), n);
  return n;
}

std::optional<workflow::instant> changed_at(std::string_view text) {
  constexpr std::string_view name = "\"changed_at\":\"";
  constexpr std::size_t length = 24; // 2027-01-01T00:00:00.000Z
  const auto at = text.find(name);
  return at == std::string_view::npos ? std::nullopt : parse_utc(text.substr(at + name.size(), length));
}

} // namespace

void seen_events::take(std::string_view message, std::chrono::system_clock::time_point now) {
  if (message.find("id: ") == std::string_view::npos)
    return; // a sign of life
  counts_.began += std::exchange(has_begun_, true) ? 0 : 1;
  const auto task = number_after(message, "\"id\":\"follow-");
  const auto revision = number_after(message, "\"revision\":");
  if (!task || !revision)
    return; // where the stream stands
  const auto [newest, is_first] = newest_.try_emplace(*task, *revision);
  if (is_first) {
    ++counts_.ready;
    return;
  }
  ++counts_.events;
  counts_.missed += *revision > newest->second + 1 ? *revision - newest->second - 1 : 0;
  counts_.repeated += *revision <= newest->second ? 1 : 0;
  if (const auto changed = changed_at(message))
    counts_.arrived.add(now - *changed);
  newest->second = std::max(newest->second, *revision);
}

} // namespace steadfast::bench
