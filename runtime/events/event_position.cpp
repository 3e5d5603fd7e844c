#include "runtime/events/event_position.hpp"

#include "workflow/task/partition.hpp"
#include "workflow/text/split.hpp"

#include <array>
#include <charconv>

namespace steadfast::runtime {

namespace {

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && at == text.data() + text.size() ? std::optional{number} : std::nullopt;
}

} // namespace

std::string to_text(const newest_numbers& n) {
  std::string text;
  for (const auto number : n.all_)
    text += (text.empty() ? "" : ".") + std::to_string(number);
  return text;
}

std::optional<newest_numbers> newest_numbers::parse(std::string_view text) {
  std::vector<std::uint64_t> all;
  for (const auto part : workflow::split(text, '.')) {
    const auto number = number_in(part);
    if (!number || all.size() == workflow::partitions_max)
      return std::nullopt;
    all.push_back(*number);
  }
  return all.empty() ? std::nullopt : std::optional{newest_numbers{std::move(all)}};
}

std::string to_text(const event_position& p) {
  return std::to_string(p.run) + "-" + std::to_string(p.place) + "-" + std::to_string(p.at.time_since_epoch().count())
         + "-" + to_text(p.submitted) + "-" + std::to_string(p.purged);
}

std::optional<event_position> parse_event_position(std::string_view text) {
  const auto parts = workflow::split(text, '-');
  if (parts.size() != 5)
    return std::nullopt;
  const auto run = number_in(parts[0]);
  const auto place = number_in(parts[1]);
  const auto at = number_in(parts[2]);
  auto submitted = newest_numbers::parse(parts[3]);
  const auto purged = number_in(parts[4]);
  constexpr auto latest = static_cast<std::uint64_t>(workflow::instant_max.time_since_epoch().count());
  if (!run || !place || !at || *at > latest || !submitted || !purged)
    return std::nullopt;
  return event_position{*run, *place, workflow::instant{workflow::span{static_cast<workflow::span::rep>(*at)}},
                        *std::move(submitted), *purged};
}

} // namespace steadfast::runtime
