#include "workflow/definition/wait_end.hpp"

#include "workflow/text/json_place.hpp"
#include "workflow/text/json_scan.hpp"
#include "workflow/text/json_text.hpp"
#include "workflow/text/name.hpp"
#include "workflow/text/split.hpp"
#include "workflow/time/time_text.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

namespace steadfast::workflow {

namespace {

constexpr std::string_view weekday_names[] = {"workday",  "monday", "tuesday",  "wednesday",
                                              "thursday", "friday", "saturday", "sunday"};
constexpr auto first_named = static_cast<std::size_t>(weekdays::workdays);

std::optional<weekdays> parse_weekdays(std::string_view text) {
  const auto* const found = std::find(std::begin(weekday_names), std::end(weekday_names), text);
  if (found == std::end(weekday_names))
    return std::nullopt;
  return static_cast<weekdays>(first_named + static_cast<std::size_t>(found - std::begin(weekday_names)));
}

/// "08:00"
std::optional<span> parse_time_of_day(std::string_view text) {
  const auto digit = [&](std::size_t i) { return text[i] - '0'; };
  const bool has_shape = text.size() == 5 && text[2] == ':'
                         && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= ':'; });
  if (!has_shape)
    return std::nullopt;
  const auto hour = digit(0) * 10 + digit(1);
  const auto minute = digit(3) * 10 + digit(4);
  if (hour > 23 || minute > 59 || std::count(text.begin(), text.end(), ':') != 1)
    return std::nullopt;
  return std::chrono::hours{hour} + std::chrono::minutes{minute};
}

wait_end wrong(std::string_view value, const std::string& what) {
  return {unset, value.empty() ? "has no value" : "is " + clipped(value, 80) + ", and not " + what};
}

wait_end end_of_next(const wait_rule& rule, std::string_view value, const std::string& zone, instant now) {
  const auto at = next_time_of_day(zone, rule.time_of_day, rule.on, now);
  return at ? wait_end{*at, {}} : wrong(value, "a time zone such as \"Europe/Lisbon\"");
}

} // namespace

wait_end end_of(const wait_rule& rule, std::string_view value, instant now) {
  if (rule.what == wait_rule::kind::sleep)
    return {now + rule.length, {}};
  std::string text;
  if (is_json(value))
    if (json_scan in{value}; in.next() == '"')
      text = in.string();
  if (rule.what == wait_rule::kind::next)
    return end_of_next(rule, value, text, now);
  const auto at = parse_moment(text);
  return at ? wait_end{*at, {}} : wrong(value, "a moment such as \"2026-12-24T18:00:00+01:00\"");
}

event_key event_key_of(std::string_view value) {
  const auto no = [&value](const std::string& what) {
    return event_key{{}, value.empty() ? "has no value" : "is " + clipped(value, 80) + ", and not " + what};
  };
  if (!is_json(value))
    return no("a text or a number");
  json_scan in{value};
  const char first = in.next();
  const bool is_number = first == '-' || (first >= '0' && first <= '9');
  if (first != '"' && !is_number)
    return no("a text or a number");
  auto text = is_number ? compact_json(value) : in.string();
  const bool is_plain = std::none_of(text.begin(), text.end(), [](char c) { return c >= 0 && c < ' '; });
  if (text.size() > event_key_size_max || !is_plain)
    return no("at most " + std::to_string(event_key_size_max) + " bytes without control characters");
  return {std::move(text), {}};
}

bool waits_without_key(const wait_rule& of_an_event) {
  return of_an_event.at.from == source::kind::literal && event_key_of(of_an_event.at.literal).text.empty();
}

std::optional<wait_rule> parse_next(std::string_view text) {
  auto words = split(text, ' ');
  if (words.size() < 3 || words.size() > 4 || words[0] != "next")
    return std::nullopt;
  wait_rule rule;
  rule.what = wait_rule::kind::next;
  const auto on = words.size() == 4 ? parse_weekdays(words[1]) : weekdays::all;
  const auto time = parse_time_of_day(words[words.size() - 2]);
  if (!on || !time)
    return std::nullopt;
  rule.on = *on;
  rule.time_of_day = *time;
  rule.at.from = source::kind::literal;
  rule.at.literal = words.back();
  return rule;
}

std::string text_of_next(const wait_rule& rule, std::string_view zone) {
  std::string text = "next ";
  if (const auto on = static_cast<std::size_t>(rule.on); on >= first_named)
    text.append(weekday_names[on - first_named]) += ' ';
  return text + utc_text(instant{rule.time_of_day}).substr(11, 5) + ' ' + std::string{zone};
}

span silence_of(const later_rule& rule) {
  return rule.heartbeat > span{0} ? rule.heartbeat : rule.limit;
}

} // namespace steadfast::workflow
