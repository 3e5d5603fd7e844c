#include "simulation/world/script.hpp"

#include "runtime/configuration/workflow_file.hpp"
#include "runtime/text/hex.hpp"
#include "store/records/record.hpp"

#include <nlohmann/json.hpp>

#include <stdexcept>

namespace steadfast::simulation {

NLOHMANN_JSON_SERIALIZE_ENUM(script::happening::kind, {{script::happening::kind::start, "start"},
                                                       {script::happening::kind::kill, "kill"},
                                                       {script::happening::kind::freeze, "freeze"},
                                                       {script::happening::kind::cut, "cut"},
                                                       {script::happening::kind::hang, "hang"},
                                                       {script::happening::kind::slow_store, "slow_store"},
                                                       {script::happening::kind::submit, "submit"},
                                                       {script::happening::kind::act, "act"}})
NLOHMANN_JSON_SERIALIZE_ENUM(script::call_fate::kind, {{script::call_fate::kind::good, "good"},
                                                       {script::call_fate::kind::refuses, "refuses"},
                                                       {script::call_fate::kind::busy, "busy"},
                                                       {script::call_fate::kind::hangs, "hangs"},
                                                       {script::call_fate::kind::acts_late, "acts_late"},
                                                       {script::call_fate::kind::silent, "silent"},
                                                       {script::call_fate::kind::fails, "fails"}})

namespace {

using happens = script::happening::kind;
using fate = script::call_fate::kind;

workflow::definition definition_of(const std::string& text) {
  if (text.starts_with("name"))
    return parse_workflow(text, "script");
  const auto bytes = runtime::bytes_of_hex(text);
  if (!bytes)
    throw std::runtime_error{"a workflow is not in hexadecimal digits"};
  return store::decode<workflow::definition>(*bytes);
}

std::string lines_of(const nlohmann::json& all) {
  std::string text;
  for (const auto& x : all)
    text += (text.empty() ? "\n  " : ",\n  ") + x.dump();
  return "[" + text + "]";
}

nlohmann::json json_of(const script::happening& h) {
  return {h.at.count(), nlohmann::json(h.what), h.who, h.other, h.time.count(), h.permille, h.flag};
}

script::happening happening_of(const nlohmann::json& j) {
  return {j.at(1).get<happens>(),
          workflow::span{j.at(0).get<std::int64_t>()},
          j.at(2),
          j.at(3),
          workflow::span{j.at(4).get<std::int64_t>()},
          j.at(5),
          j.at(6)};
}

} // namespace

std::string text_of(const script& s) {
  auto happenings = nlohmann::json::array();
  for (const auto& h : s.happenings)
    happenings.push_back(json_of(h));
  auto calls = nlohmann::json::array();
  for (const auto& [name, f] : s.calls)
    calls.push_back({name.first, name.second, nlohmann::json(f.what), f.latency.count(), f.later_share, f.is_silent});
  auto workflows = nlohmann::json::array();
  for (const auto& d : s.shape.workflows)
    workflows.push_back(runtime::hex_of(store::encode(d)));
  const nlohmann::json shape{{"nodes", s.shape.nodes},
                             {"store_moves", s.shape.store_moves},
                             {"partitions", s.shape.partitions},
                             {"in_flight_max", s.shape.in_flight_max},
                             {"agent_concurrency", s.shape.agent_concurrency},
                             {"agent_queue", s.shape.agent_queue},
                             {"call_limit_ms", s.shape.call_limit.count()},
                             {"review_max", s.shape.review_max},
                             {"faults_for_ms", s.faults_for.count()},
                             {"homes", s.homes}};
  return "{\"shape\": " + shape.dump() + ",\n\"happenings\": " + lines_of(happenings)
         + ",\n\"calls\": " + lines_of(calls) + ",\n\"workflows\": " + lines_of(workflows) + "}\n";
}

script parse_script(std::string_view text) {
  const auto j = nlohmann::json::parse(text);
  const auto& shape = j.at("shape");
  script s;
  s.shape.nodes = shape.at("nodes");
  s.shape.store_moves = shape.value("store_moves", false);
  s.shape.partitions = shape.value("partitions", 1U);
  s.shape.in_flight_max = shape.at("in_flight_max");
  s.shape.agent_concurrency = shape.at("agent_concurrency");
  s.shape.agent_queue = shape.at("agent_queue");
  s.shape.call_limit = workflow::span{shape.at("call_limit_ms").get<std::int64_t>()};
  s.shape.review_max = shape.value("review_max", s.shape.review_max);
  s.faults_for = workflow::span{shape.at("faults_for_ms").get<std::int64_t>()};
  shape.at("homes").get_to(s.homes);
  for (const auto& h : j.at("happenings"))
    s.happenings.push_back(happening_of(h));
  for (const auto& c : j.at("calls"))
    s.calls[{c.at(0), c.at(1)}] = {c.at(2).get<fate>(), workflow::span{c.at(3).get<std::int64_t>()}, c.at(4), c.at(5)};
  for (const auto& d : j.at("workflows"))
    s.shape.workflows.push_back(definition_of(d));
  return s;
}

} // namespace steadfast::simulation
