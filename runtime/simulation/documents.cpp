#include "runtime/simulation/documents.hpp"

#include <nlohmann/json.hpp>

namespace steadfast::simulation {

namespace {

using nlohmann::json;

constexpr const char* some_value = "simulated";

/// Pointers that contradict each other cannot all be met: the first stands.
void put(json& document, const std::string& pointer, const json& value) {
  try {
    if (!pointer.empty() && !document.contains(json::json_pointer{pointer}))
      document[json::json_pointer{pointer}] = value;
  } catch (const json::exception&) {
  }
}

void put_inputs(json& document, const workflow::input_mapping& input, workflow::source::kind from,
                const std::string& step) {
  for (const auto& member : input)
    if (member.value.from == from && member.value.step == step)
      put(document, member.value.pointer, some_value);
}

void put_all_inputs(json& document, const workflow::definition& d, workflow::source::kind from,
                    const std::string& step) {
  for (const auto& s : d.steps) {
    put_inputs(document, s.input, from, step);
    if (s.compensation)
      put_inputs(document, s.compensation->input, from, step);
  }
}

} // namespace

std::string sample_payload(const workflow::definition& d) {
  json document = json::object();
  put_all_inputs(document, d, workflow::source::kind::payload, {});
  return document.dump();
}

std::string sample_result(const workflow::definition& d, const std::string& step, chance& draw) {
  json document = json::object();
  for (const auto& s : d.steps)
    if (s.when && s.when->step == step) {
      const auto luck = draw.below(3);
      if (luck == 0 && !s.when->literal.empty())
        put(document, s.when->pointer, json::parse(s.when->literal, nullptr, false));
      else if (luck <= 1)
        put(document, s.when->pointer, some_value);
    }
  put_all_inputs(document, d, workflow::source::kind::result, step);
  return document.dump();
}

} // namespace steadfast::simulation
