#pragma once

#include "workflow/definition/definition.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace steadfast::workflow {

struct wait_end {
  instant at;
  std::string problem; ///< "is no moment ..."; empty: there is none
};

/// When a wait that begins `now` is over. `value`: the JSON text that `rule.at` names; empty: there is none.
wait_end end_of(const wait_rule& rule, std::string_view value, instant now);

struct event_key {
  std::string text;
  std::string problem; ///< "is no text ..."; empty: there is none
};

/// The key that a JSON text stands for: a text itself, or a number as it is written; empty: there is none.
event_key event_key_of(std::string_view value);

/// Whether the step takes events that were sent without a key, and no others.
bool waits_without_key(const wait_rule& of_an_event);

/// What `until` may say besides moments and places: "next 08:00 Europe/Lisbon", "next workday 08:00 UTC", "next monday
/// 08:00 payload:/zone". The zone, as it is written, becomes the literal of `at`. Nothing: it has no such form.
std::optional<wait_rule> parse_next(std::string_view text);

/// "next workday 08:00 Europe/Lisbon", with that zone. REQUIRES: kind::next.
std::string text_of_next(const wait_rule& rule, std::string_view zone);

/// How long a step that its agent has begun may go on before a word about it must come.
span silence_of(const later_rule& rule);

} // namespace steadfast::workflow
