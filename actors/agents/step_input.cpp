#include "actors/agents/step_input.hpp"

#include "workflow/text/json_place.hpp"
#include "workflow/text/json_text.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <optional>

namespace steadfast::actors {

namespace {

struct missing {
  std::string why;
};

/// What can be read and passed on: not what is nested deeper than the rules allow.
bool is_readable(std::string_view text) {
  return workflow::is_json(text) && workflow::is_utf8(text);
}

std::string value_at(std::string_view text, const std::string& pointer, const std::string& what) {
  if (!is_readable(text))
    throw missing{what + " is not JSON, or is nested too deep"};
  const auto found = workflow::json_value_at(text, pointer);
  if (!found)
    throw missing{what + " has no value at \"" + pointer + "\""};
  return workflow::compact_json(*found);
}

/// A text as JSON.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// An object of members whose values are JSON texts, so that no digit of theirs is lost.
std::string object_of(const std::map<std::string, std::string>& members) {
  std::string text{"{"};
  for (const auto& [name, value] : members)
    text.append(text.size() > 1 ? "," : "").append(quoted(name)).append(":").append(value);
  return text + "}";
}

/// A skipped step has no result; what depends on it sees null.
bool is_of_skipped(const workflow::source& s, const workflow::task& t, const workflow::definition& d) {
  if (s.from != workflow::source::kind::result)
    return false;
  const auto& earlier = t.steps[*workflow::find_step(d, s.step)];
  return earlier.state == workflow::step_state::skipped && earlier.result.empty();
}

/// As JSON, written as in its source.
std::string value_of(const workflow::source& s, const workflow::task& t, const workflow::definition& d) {
  switch (s.from) {
    case workflow::source::kind::payload: return value_at(t.payload.view(), s.pointer, "the payload");
    case workflow::source::kind::literal: return value_at(s.literal, "", "the literal");
    case workflow::source::kind::result: break;
  }
  if (is_of_skipped(s, t, d))
    return "null";
  const auto& earlier = t.steps[*workflow::find_step(d, s.step)];
  return value_at(earlier.result.view(), s.pointer, "the result of step `" + s.step + "`");
}

const workflow::input_mapping& mapping_of(const workflow::step_definition& s, workflow::attempt_action action) {
  return action == workflow::attempt_action::compensate ? s.compensation->input : s.input;
}

} // namespace

step_input make_input(const workflow::task& t, const workflow::definition& d, std::size_t step,
                      workflow::attempt_action action) {
  const auto& mapping = mapping_of(d.steps[step], action);
  if (mapping.empty())
    return {std::string{t.payload.view()}, {}};
  std::map<std::string, std::string> members;
  for (const auto& member : mapping) {
    if (member.optional && is_of_skipped(member.value, t, d))
      continue;
    try {
      members[member.name] = value_of(member.value, t, d);
    } catch (const missing& m) {
      if (member.optional)
        continue;
      // The result that an undo would name may be unknown: the service knows the step by its key.
      if (action != workflow::attempt_action::compensate)
        return {{}, "input `" + member.name + "`: " + m.why};
      members[member.name] = "null";
    }
  }
  return {object_of(members), {}};
}

std::string result_of(const workflow::task& t, const workflow::definition& d) {
  const auto value_or_null = [&](const workflow::source& s) -> std::optional<std::string> {
    try {
      return value_of(s, t, d);
    } catch (const missing&) {
      return std::nullopt;
    }
  };
  if (t.state != workflow::process_state::processed || d.result.empty())
    return {};
  if (d.result.value)
    return value_or_null(*d.result.value).value_or("null");
  std::map<std::string, std::string> members;
  for (const auto& member : d.result.members) {
    const auto value =
      member.optional && is_of_skipped(member.value, t, d) ? std::nullopt : value_or_null(member.value);
    if (value || !member.optional)
      members[member.name] = value.value_or("null");
  }
  return object_of(members);
}

std::vector<workflow::fact> facts_of(const workflow::definition& d, std::size_t step, std::string_view result) {
  std::vector<workflow::fact> facts;
  const auto pointers = workflow::pointers_asked(d, step);
  if (pointers.empty())
    return facts;
  if (!is_readable(result))
    return facts;
  for (const auto& pointer : pointers)
    if (const auto value = workflow::json_value_at(result, pointer))
      facts.push_back({pointer, workflow::compact_json(*value)});
  return facts;
}

} // namespace steadfast::actors
