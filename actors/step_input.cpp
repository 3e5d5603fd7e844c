#include "actors/step_input.hpp"

#include "workflow/json_text.hpp"

#include <nlohmann/json.hpp>

namespace steadfast::actors {

namespace {

using nlohmann::json;

struct missing {
  std::string why;
};

/// Nothing if it is not JSON, or nested deeper than the rules allow: copies and dumps of the library recurse.
std::optional<json> parse(std::string_view text) {
  if (!workflow::is_json(text))
    return std::nullopt;
  auto document = json::parse(text, nullptr, false);
  return document.is_discarded() ? std::nullopt : std::optional{std::move(document)};
}

json parse(std::string_view text, const std::string& what) {
  auto document = parse(text);
  if (!document)
    throw missing{what + " is not JSON, or is nested too deep"};
  return *std::move(document);
}

/// The library throws for an index that no array can have, where there is just no such value.
std::optional<json> find_value(const json& document, const std::string& pointer) {
  try {
    const json::json_pointer at{pointer};
    if (document.contains(at))
      return document.at(at);
  } catch (const json::exception&) {
  }
  return std::nullopt;
}

json value_at(std::string_view text, const std::string& pointer, const std::string& what) {
  auto found = find_value(parse(text, what), pointer);
  if (!found)
    throw missing{what + " has no value at \"" + pointer + "\""};
  return *std::move(found);
}

/// A skipped step has no result; what depends on it sees null.
bool is_of_skipped(const workflow::source& s, const workflow::task& t, const workflow::definition& d) {
  if (s.from != workflow::source::kind::result)
    return false;
  const auto& earlier = t.steps[*workflow::find_step(d, s.step)];
  return earlier.state == workflow::step_state::skipped && earlier.result.empty();
}

json value_of(const workflow::source& s, const workflow::task& t, const workflow::definition& d) {
  switch (s.from) {
    case workflow::source::kind::payload: return value_at(t.payload.view(), s.pointer, "the payload");
    case workflow::source::kind::literal: return parse(s.literal, "the literal");
    case workflow::source::kind::result: break;
  }
  if (is_of_skipped(s, t, d))
    return nullptr;
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
  json object = json::object();
  for (const auto& member : mapping) {
    if (member.optional && is_of_skipped(member.value, t, d))
      continue;
    try {
      object[member.name] = value_of(member.value, t, d);
    } catch (const missing& m) {
      if (member.optional)
        continue;
      // The result that an undo would name may be unknown: the service knows the step by its key.
      if (action != workflow::attempt_action::compensate)
        return {{}, "input `" + member.name + "`: " + m.why};
      object[member.name] = nullptr;
    }
  }
  return {object.dump(-1, ' ', false, json::error_handler_t::replace), {}};
}

std::string result_of(const workflow::task& t, const workflow::definition& d) {
  const auto value_or_null = [&](const workflow::source& s) -> std::optional<json> {
    try {
      return value_of(s, t, d);
    } catch (const missing&) {
      return std::nullopt;
    }
  };
  if (t.state != workflow::process_state::processed || d.result.empty())
    return {};
  auto made = json::object();
  if (d.result.value)
    made = value_or_null(*d.result.value).value_or(json{});
  for (const auto& member : d.result.members) {
    const auto value = member.optional && is_of_skipped(member.value, t, d) ? std::nullopt : value_or_null(member.value);
    if (value || !member.optional)
      made[member.name] = value.value_or(json{});
  }
  return made.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::vector<workflow::fact> facts_of(const workflow::definition& d, std::size_t step, std::string_view result) {
  std::vector<workflow::fact> facts;
  const auto pointers = workflow::pointers_asked(d, step);
  if (pointers.empty())
    return facts;
  const auto document = parse(result);
  if (!document)
    return facts;
  for (const auto& pointer : pointers)
    if (const auto value = find_value(*document, pointer))
      facts.push_back({pointer, value->dump(-1, ' ', false, json::error_handler_t::replace)});
  return facts;
}

} // namespace steadfast::actors
