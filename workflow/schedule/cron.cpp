#include "workflow/schedule/cron.hpp"

#include "workflow/text/name.hpp"
#include "workflow/text/split.hpp"
#include "workflow/time/zone.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

namespace steadfast::workflow {

namespace {

constexpr std::chrono::days searched_max{366 * 40}; // the 29th of February on a Sunday comes every 28 years, or 40
constexpr std::array<std::string_view, 12> cron_months{"jan", "feb", "mar", "apr", "may", "jun",
                                                       "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> cron_weekdays{"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> words_for{{{"@hourly", "0 * * * *"},
                                                                                  {"@daily", "0 0 * * *"},
                                                                                  {"@midnight", "0 0 * * *"},
                                                                                  {"@weekly", "0 0 * * 0"},
                                                                                  {"@monthly", "0 0 1 * *"},
                                                                                  {"@yearly", "0 0 1 1 *"},
                                                                                  {"@annually", "0 0 1 1 *"}}};

struct cron_field {
  std::string_view name;
  unsigned first = 0;
  unsigned last = 0;
  const std::string_view* names = nullptr;
  std::size_t names_count = 0;
};
constexpr std::array<cron_field, 5> cron_fields{
  {{"minute", 0, 59},
   {"hour", 0, 23},
   {"day of the month", 1, 31},
   {"month", 1, 12, cron_months.data(), cron_months.size()},
   {"day of the week", 0, 7, cron_weekdays.data(), cron_weekdays.size()}}};

std::optional<unsigned> cron_number(std::string_view text) {
  unsigned value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failed == std::errc{} && end == text.data() + text.size() && text.size() <= 4 ? std::optional{value}
                                                                                       : std::nullopt;
}

/// A number of the field, or a name for one.
std::optional<unsigned> cron_value(const cron_field& f, std::string_view text) {
  for (std::size_t i = 0; i < f.names_count; ++i)
    if (std::equal(text.begin(), text.end(), f.names[i].begin(), f.names[i].end(),
                   [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; }))
      return f.first + static_cast<unsigned>(i);
  const auto n = cron_number(text);
  return n && *n >= f.first && *n <= f.last ? n : std::nullopt;
}

/// `*`, `5`, `1-5`, `*/15`, `8-18/2`: a bit for each value; nothing: it is none of these.
std::optional<std::uint64_t> bits_of_range(const cron_field& f, std::string_view text) {
  const auto slash = text.find('/');
  const auto range = text.substr(0, slash);
  const auto dash = range.find('-');
  unsigned step = 1;
  if (slash != std::string_view::npos) {
    const auto n = cron_number(text.substr(slash + 1));
    if (!n || *n == 0 || *n > f.last || (range != "*" && dash == std::string_view::npos))
      return std::nullopt;
    step = *n;
  }
  auto from = std::optional{f.first};
  auto to = std::optional{f.last};
  if (range != "*") {
    from = cron_value(f, range.substr(0, dash));
    to = dash == std::string_view::npos ? from : cron_value(f, range.substr(dash + 1));
  }
  if (!from || !to || *from > *to)
    return std::nullopt;
  std::uint64_t bits = 0;
  for (auto v = *from; v <= *to; v += step)
    bits |= std::uint64_t{1} << v;
  return bits;
}

std::optional<std::uint64_t> bits_of_list(const cron_field& f, std::string_view text) {
  std::uint64_t bits = 0;
  for (const auto part : split(text, ',')) {
    const auto some = bits_of_range(f, part);
    if (!some)
      return std::nullopt;
    bits |= *some;
  }
  return bits;
}

bool has_bit_at(std::uint64_t bits, unsigned at) {
  return (bits >> at & 1) != 0;
}

bool comes_on(const cron& c, std::chrono::sys_days day, const std::chrono::year_month_day& date) {
  const bool by_date = has_bit_at(c.days, static_cast<unsigned>(date.day()));
  const bool by_weekday = has_bit_at(c.weekdays, std::chrono::weekday{day}.c_encoding());
  return c.either_day_counts ? by_date || by_weekday : by_date && by_weekday;
}

/// The first minute of the clocks from `from` on and before `to`.
std::optional<instant> first_shown(const cron& c, instant from, instant to) {
  using namespace std::chrono;
  if (from >= to)
    return std::nullopt;
  for (auto day = floor<days>(from); day < to;) {
    const year_month_day date{day};
    if (!has_bit_at(c.months, static_cast<unsigned>(date.month()))) {
      day = sys_days{date.year() / date.month() / 1} + days{28};
      while (year_month_day{day}.month() == date.month())
        day += days{1};
      continue;
    }
    if (comes_on(c, day, date))
      for (unsigned h = 0; h < 24; ++h) {
        if (!has_bit_at(c.hours, h) || day + hours{h + 1} <= from)
          continue;
        for (unsigned m = 0; m < 60; ++m)
          if (const instant t = day + hours{h} + minutes{m}; has_bit_at(c.minutes, m) && t >= from)
            return t < to ? std::optional{t} : std::nullopt;
      }
    day += days{1};
  }
  return std::nullopt;
}

} // namespace

cron_reading read_cron(std::string_view text) {
  const auto* const word =
    std::find_if(words_for.begin(), words_for.end(), [&](const auto& w) { return w.first == text; });
  if (word != words_for.end())
    text = word->second;
  std::vector<std::string_view> parts;
  for (const auto part : split(text, ' '))
    if (!part.empty())
      parts.push_back(part);
  if (parts.size() != cron_fields.size())
    return {std::nullopt, "a cron expression has five fields, `minute hour day month weekday`, or is one of @hourly, "
                          "@daily, @weekly, @monthly, @yearly: not "
                            + quoted(text)};
  std::array<std::uint64_t, cron_fields.size()> bits{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto& f = cron_fields[i];
    const auto some = bits_of_list(f, parts[i]);
    if (!some)
      return {std::nullopt, "the " + std::string{f.name} + " of a cron expression is a list of `*`, numbers"
                              + (f.names != nullptr ? ", names" : "") + " or ranges from " + std::to_string(f.first)
                              + " to " + std::to_string(f.last) + ", where `*` and ranges may have a step: not "
                              + quoted(parts[i])};
    bits[i] = *some;
  }
  if (has_bit_at(bits[4], 7))
    bits[4] |= 1; // Sunday has two numbers
  cron c;
  c.minutes = bits[0];
  c.hours = static_cast<std::uint32_t>(bits[1]);
  c.days = static_cast<std::uint32_t>(bits[2]);
  c.months = static_cast<std::uint16_t>(bits[3]);
  c.weekdays = static_cast<std::uint8_t>(bits[4] & 0x7f);
  c.any_hour = parts[1].starts_with('*');
  c.either_day_counts = !parts[2].starts_with('*') && !parts[4].starts_with('*');
  return {c, {}};
}

std::optional<instant> next_moment(const cron& c, std::string_view zone, instant after) {
  const auto last = std::min(after + searched_max, instant_max);
  for (auto from = after + span{1}; from < last;) {
    const auto in = stretch_at(zone, from);
    if (!in)
      return std::nullopt;
    // What the clocks show is an instant, too: of a place without a zone.
    const auto shown_before = in->begin + in->offset_before;
    if (!c.any_hour && from == in->begin && first_shown(c, shown_before, in->begin + in->offset))
      return in->begin;
    const auto first = c.any_hour ? from + in->offset : std::max(from + in->offset, shown_before);
    if (const auto shown = first_shown(c, first, std::min(in->end, last) + in->offset))
      return *shown - in->offset;
    from = in->end;
  }
  return std::nullopt;
}

} // namespace steadfast::workflow
