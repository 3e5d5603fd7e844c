#include "actors/agents/agent_options.hpp"

#include "workflow/text/name.hpp"

#include <cstdint>

namespace steadfast::actors {
namespace {

constexpr std::uint32_t tries_max = 1000;
constexpr std::uint32_t concurrency_max = 100'000;
constexpr std::uint32_t queue_max = 1'000'000;

void check_retry(const workflow::retry_policy& r, std::vector<std::string>& found) {
  if (r.attempts == 0 || r.attempts > tries_max)
    found.push_back("retry.attempts must be 1 to " + std::to_string(tries_max));
  if (r.initial < workflow::span::zero())
    found.push_back("retry.initial must not be negative");
  if (r.cap < r.initial)
    found.push_back("retry.cap must not be below retry.initial");
  if (r.factor_percent < 100)
    found.push_back("retry.factor must be at least 1");
  if (r.jitter_percent > 100)
    found.push_back("retry.jitter must be at most 1");
}

void check_circuit(const circuit_options& c, std::vector<std::string>& found) {
  if (c.open_for <= workflow::span::zero())
    found.push_back("circuit.open_for must be above zero");
  if (c.trials == 0)
    found.push_back("circuit.trials must be at least 1");
}

} // namespace

std::vector<std::string> problems(const agent_options& o) {
  std::vector<std::string> found;
  if (!workflow::is_name(o.name))
    found.push_back("name must be " + std::string{workflow::name_rule});
  check_retry(o.retry, found);
  check_circuit(o.circuit, found);
  if (o.concurrency == 0 || o.concurrency > concurrency_max)
    found.push_back("concurrency must be 1 to " + std::to_string(concurrency_max));
  if (o.queue == 0 || o.queue > queue_max)
    found.push_back("queue must be 1 to " + std::to_string(queue_max));
  if (o.burst == 0)
    found.push_back("burst must be at least 1");
  if (o.call_limit < workflow::span::zero())
    found.push_back("call_limit must not be negative");
  if (o.result_size_max == 0)
    found.push_back("result_size_max must be above zero");
  if (o.inputs_size_max == 0)
    found.push_back("inputs_size_max must be above zero");
  return found;
}

} // namespace steadfast::actors
