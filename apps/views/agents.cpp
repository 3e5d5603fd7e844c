#include "apps/views/agents.hpp"

#include "apps/views/story.hpp"
#include "runtime/text/quantity.hpp"
#include "runtime/text/time_text.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace steadfast::apps {
namespace {

using nlohmann::json;

std::uint64_t figure_of(const json& x, const char* name) {
  return x.value(name, std::uint64_t{0});
}

std::string word_of(const json& x, const char* name) {
  return x.value(name, std::string{});
}

std::string circuit_of(const json& agent) {
  return agent.value("answers", true) ? word_of(agent, "circuit") : "no answer";
}

std::uint64_t calls_of(const json& agent) {
  return figure_of(agent, "lately_succeeded") + figure_of(agent, "lately_refused") + figure_of(agent, "lately_failed");
}

cell success_cell(const json& agent) {
  const auto calls = calls_of(agent);
  if (calls == 0)
    return {"-", colour::faint};
  const auto percent = figure_of(agent, "lately_succeeded") * 100 / calls;
  return {std::to_string(percent) + " %", percent >= 90   ? colour::plain
                                          : percent >= 50 ? colour::warning
                                                          : colour::bad};
}

std::string length_of(const json& agent, const char* name) {
  const auto ms = agent.value(name, std::int64_t{0});
  return calls_of(agent) == 0 ? "-" : ms == 0 ? "<1ms" : runtime::span_text(workflow::span{ms});
}

std::string clock_of(const json& at, workflow::instant now) {
  const auto moment = instant_of(at);
  const auto text = local_text(moment, false);
  return text.substr(0, 10) == local_text(now, false).substr(0, 10) ? text.substr(11) : text;
}

/// The later of the last failure and the last refusal.
std::string last_error(const json& agent, workflow::instant now) {
  const auto failed_at = instant_of(agent.value("last_failure_at", json{}));
  const auto refused_at = instant_of(agent.value("last_refusal_at", json{}));
  if (failed_at == workflow::unset && refused_at == workflow::unset)
    return {};
  const bool refused = refused_at > failed_at;
  return clock_of(agent.at(refused ? "last_refusal_at" : "last_failure_at"), now) + " "
         + word_of(agent, refused ? "last_refusal" : "last_failure");
}

std::uint64_t share_of_bad(const json& agent) {
  const auto calls = calls_of(agent);
  return calls == 0 ? 0 : (calls - figure_of(agent, "lately_succeeded")) * 1000 / calls;
}

} // namespace

table agent_table(const json& agents, workflow::instant now, std::size_t max, std::size_t error_columns) {
  auto sorted = agents;
  std::stable_sort(sorted.begin(), sorted.end(), [](const json& a, const json& b) {
    const bool a_is_closed = circuit_of(a) == "closed";
    return a_is_closed != (circuit_of(b) == "closed") ? !a_is_closed : share_of_bad(a) > share_of_bad(b);
  });
  table rows{
    {"agent", "node", "service", "circuit", "calls", "success", "p50", "p99", "in flight", "waiting", "last error"}};
  for (const auto& a : sorted) {
    if (max-- == 0)
      break;
    const auto circuit = circuit_of(a);
    const auto service = word_of(a, "service");
    rows.add({word_of(a, "name"),
              word_of(a, "node"),
              service.empty() ? word_of(a, "kind") : service,
              {circuit, circuit == "closed" ? colour::good : colour::bad},
              std::to_string(calls_of(a)),
              success_cell(a),
              length_of(a, "p50_ms"),
              length_of(a, "p99_ms"),
              std::to_string(figure_of(a, "in_flight")) + "/" + std::to_string(figure_of(a, "in_flight_max")),
              std::to_string(figure_of(a, "queued")),
              cut(printable(last_error(a, now)), error_columns)});
  }
  return rows;
}

std::string circuit_words(const json& agent, workflow::instant now) {
  const auto circuit = word_of(agent, "circuit");
  if (circuit.empty() || circuit == "closed")
    return {};
  const auto until = agent.value("circuit_open_until", json{});
  const auto by = agent.value("circuit_held_open_by", std::string{});
  auto words = "circuit " + circuit
               + (!by.empty()        ? ", held open by " + by
                  : !until.is_null() ? " until " + clock_of(until, now)
                                     : "");
  if (const auto at = agent.value("last_failure_at", json{}); !at.is_null())
    words += "; last failure " + clock_of(at, now) + ": " + word_of(agent, "last_failure");
  return words;
}

} // namespace steadfast::apps
