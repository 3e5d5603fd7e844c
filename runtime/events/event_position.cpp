#include "runtime/events/event_position.hpp"

#include "workflow/text/split.hpp"

#include <array>
#include <charconv>

namespace steadfast::runtime {

std::string to_text(const event_position& p) {
  std::string text;
  for (const auto n :
       {p.run, p.place, static_cast<std::uint64_t>(p.at.time_since_epoch().count()), p.last_number, p.purged})
    text += (text.empty() ? "" : "-") + std::to_string(n);
  return text;
}

std::optional<event_position> parse_event_position(std::string_view text) {
  std::array<std::uint64_t, 5> numbers{};
  std::size_t count = 0;
  for (const auto part : workflow::split(text, '-')) {
    if (count == numbers.size())
      return std::nullopt;
    const auto [at, error] = std::from_chars(part.data(), part.data() + part.size(), numbers[count++]);
    if (error != std::errc{} || at != part.data() + part.size())
      return std::nullopt;
  }
  const auto& [run, place, at, last_number, purged] = numbers;
  constexpr auto latest = static_cast<std::uint64_t>(workflow::instant_max.time_since_epoch().count());
  if (count != numbers.size() || at > latest)
    return std::nullopt;
  return event_position{run, place, workflow::instant{workflow::span{static_cast<workflow::span::rep>(at)}},
                        last_number, purged};
}

} // namespace steadfast::runtime
