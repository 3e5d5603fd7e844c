#include "workflow/task/mapped.hpp"

#include "workflow/text/json_place.hpp"
#include "workflow/text/json_text.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::workflow {

namespace {

/// What can be read and passed on: not what is nested deeper than the rules allow.
bool is_readable(std::string_view text) {
  return is_json(text) && is_utf8(text);
}

mapped_value value_at(std::string_view text, const std::string& pointer, const std::string& what) {
  if (!is_readable(text))
    return {std::nullopt, what + " is not JSON, or is nested too deep"};
  const auto found = json_value_at(text, pointer);
  if (!found)
    return {std::nullopt, what + " has no value at \"" + pointer + "\""};
  return {compact_json(*found), {}};
}

} // namespace

bool is_of_skipped(const source& s, const task& t, const definition& d) {
  if (s.from != source::kind::result)
    return false;
  const auto& earlier = t.steps[*find_step(d, s.step)];
  return earlier.state == step_state::skipped && earlier.result.empty();
}

mapped_value value_of(const source& s, const task& t, const definition& d) {
  switch (s.from) {
    case source::kind::payload: return value_at(t.payload.view(), s.pointer, "the payload");
    case source::kind::literal: return value_at(s.literal, "", "the literal");
    case source::kind::item: return {std::nullopt, "there is no item"};
    case source::kind::result: break;
  }
  if (is_of_skipped(s, t, d))
    return {"null", {}};
  const auto& earlier = t.steps[*find_step(d, s.step)];
  return value_at(earlier.result.view(), s.pointer, "the result of step `" + s.step + "`");
}

std::optional<std::string_view> payload_at(const task& t, std::string_view pointer) {
  const auto payload = t.payload.view();
  return is_json(payload) ? json_value_at(payload, pointer) : std::nullopt;
}

std::optional<std::string_view> fact_at(const step& s, std::string_view pointer) {
  return fact_in(s.facts, pointer);
}

std::optional<std::string_view> fact_in(const std::vector<fact>& facts, std::string_view pointer) {
  const auto found =
    std::find_if(facts.begin(), facts.end(), [pointer](const fact& f) { return f.pointer == pointer; });
  return found == facts.end() ? std::nullopt : std::optional<std::string_view>{found->json};
}

std::string object_of(const std::map<std::string, std::string>& members) {
  std::string text{"{"};
  for (const auto& [name, value] : members)
    text.append(text.size() > 1 ? "," : "").append(json_string(name)).append(":").append(value);
  return text + "}";
}

std::string result_of(const task& t, const definition& d) {
  if (t.state != process_state::processed || d.result.empty())
    return {};
  if (d.result.value)
    return value_of(*d.result.value, t, d).value.value_or("null");
  std::map<std::string, std::string> members;
  for (const auto& member : d.result.members) {
    auto value =
      member.optional && is_of_skipped(member.value, t, d) ? std::nullopt : value_of(member.value, t, d).value;
    if (value || !member.optional)
      members[member.name] = std::move(value).value_or("null");
  }
  return object_of(members);
}

std::vector<fact> facts_of(const definition& d, std::size_t step, std::string_view result) {
  std::vector<fact> facts;
  const auto pointers = pointers_asked(d, step);
  if (pointers.empty() || !is_readable(result))
    return facts;
  for (const auto& pointer : pointers)
    if (const auto value = json_value_at(result, pointer))
      facts.push_back({pointer, compact_json(*value)});
  return facts;
}

} // namespace steadfast::workflow
