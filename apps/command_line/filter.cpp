#include "apps/command_line/filter.hpp"

#include "apps/terminal/failure.hpp"
#include "runtime/text/quantity.hpp"
#include "runtime/text/time_text.hpp"
#include "workflow/task/task.hpp"
#include "workflow/text/nearest.hpp"
#include "workflow/text/split.hpp"
#include "workflow/time/time_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <vector>

namespace steadfast::apps {
namespace {

using nlohmann::json;

const std::vector<std::string> alert_keys{"incident", "kind", "step", "task", "text", "before", "after"};
const std::vector<std::string> task_keys{"state", "workflow", "locked_by", "agent",        "step",       "cause",
                                         "text",  "before",   "after",     "ended_before", "ended_after"};
constexpr std::string_view payload_key = "payload:";
const std::vector<std::string> states{"pending", "processing", "processed", "undoing", "undone", "error", "suspended"};

/// At commas that are not within quotes, as in cause="used up, at last".
std::vector<std::string> conditions_of(std::string_view text) {
  std::vector<std::string> parts(1);
  bool is_quoted = false;
  for (const char c : text) {
    const bool opens = c == '"' && parts.back().ends_with('=');
    if (c == '"' && (is_quoted || opens))
      is_quoted = !is_quoted;
    else if (c == ',' && !is_quoted)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  if (is_quoted)
    throw failure{wrong_usage, "--where: a quote is left open"};
  return parts;
}

std::string suggestion(const std::string& name, const std::vector<std::string>& known) {
  if (const auto meant = workflow::nearest(name, known))
    return "; did you mean `" + *meant + "`?";
  std::string all;
  for (const auto& k : known)
    all += (all.empty() ? "" : ", ") + k;
  return "; there are " + all;
}

json states_of(const std::string& value) {
  json list = json::array();
  for (const std::string_view part : workflow::split(value, '|')) {
    const std::string name{part};
    if (!workflow::parse_process_state(name))
      throw failure{wrong_usage, "--where: there is no state `" + name + "`" + suggestion(name, states)};
    list.push_back(name);
  }
  return list;
}

struct condition {
  std::string key;
  std::string value;
};

/// As a person is told them.
std::vector<std::string> names_of(std::vector<std::string> keys) {
  if (keys == task_keys)
    keys.push_back(std::string{payload_key} + "/PLACE");
  return keys;
}

condition condition_of(const std::string& part, const std::vector<std::string>& keys) {
  const auto equals = part.find('=');
  const auto key = part.substr(0, equals);
  if (&keys == &task_keys && key.starts_with(payload_key) && equals != std::string::npos)
    return {key, part.substr(equals + 1)};
  if (equals == std::string::npos || std::find(keys.begin(), keys.end(), key) == keys.end())
    throw failure{wrong_usage, equals == std::string::npos
                                 ? "--where: `" + part + "` is not KEY=VALUE"
                                 : "--where: there is no key `" + key + "`" + suggestion(key, names_of(keys))};
  return {key, part.substr(equals + 1)};
}

void add_condition(json& params, const std::string& part, workflow::instant now) {
  const auto [key, value] = condition_of(part, task_keys);
  if (key == "state")
    params["states"] = states_of(value);
  else if (key == "before" || key == "after")
    params["submitted_" + key + "_ms"] = parse_moment(value, now, true, "--where " + key).time_since_epoch().count();
  else if (key == "ended_before" || key == "ended_after")
    params[key + "_ms"] = parse_moment(value, now, true, "--where " + key).time_since_epoch().count();
  else if (key.starts_with(payload_key))
    params["payload"][key.substr(payload_key.size())] = value;
  else
    params[key] = value;
}

} // namespace

json parse_where(std::string_view text, workflow::instant now) {
  json params = json::object();
  if (!text.empty())
    for (const auto& part : conditions_of(text))
      add_condition(params, part, now);
  return params;
}

json parse_alert_where(std::string_view text, workflow::instant now) {
  json params = json::object();
  if (text.empty())
    return params;
  for (const auto& part : conditions_of(text)) {
    const auto [key, value] = condition_of(part, alert_keys);
    if (key == "incident") {
      std::uint64_t number = 0;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
      if (error != std::errc{} || end != value.data() + value.size())
        throw failure{wrong_usage, "--where incident: `" + value + "` is not the number of an incident"};
      params[key] = number;
    } else if (key == "before" || key == "after")
      params[key + "_ms"] = parse_moment(value, now, true, "--where " + key).time_since_epoch().count();
    else
      params[key] = value;
  }
  return params;
}

workflow::instant parse_moment(const std::string& text, workflow::instant now, bool past, const std::string& what) {
  if (const auto span = runtime::parse_span(text))
    return past ? now - *span : now + *span;
  if (const auto moment = workflow::parse_moment(text)) // with its zone, as "+01:00"
    return *moment;
  if (const auto moment = parse_printed(text, now, past))
    return *moment;
  throw failure{wrong_usage,
                what + ": `" + text
                  + "` is neither a moment such as 2026-11-21T06:00:00Z, \"2026-11-21 06:00:00\" or 06:00, "
                    "nor a duration such as 2h"};
}

std::string why_no_number(const std::string& text) {
  const bool is_one = text.size() < 20 && text.find_first_not_of("0123456789") == std::string::npos
                      && text.find_first_not_of('0') != std::string::npos;
  return is_one ? "" : "`" + text + "` is not a number from 1 on";
}

std::string why_empty(const std::string& text) {
  return text.empty() ? "is empty" : "";
}

const std::vector<std::string>& task_filter_keys() {
  return task_keys;
}

const std::vector<std::string>& alert_filter_keys() {
  return alert_keys;
}

const std::vector<std::string>& state_names() {
  return states;
}

workflow::instant wall_clock() {
  return std::chrono::time_point_cast<workflow::span>(std::chrono::system_clock::now());
}

} // namespace steadfast::apps
