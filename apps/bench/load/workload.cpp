#include "apps/bench/load/workload.hpp"

#include "workflow/definition/retry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace steadfast::bench {
namespace {

constexpr std::size_t order_digits = 16; ///< of an id, before the number of the task
constexpr std::uint32_t agents_max = 5;  ///< an agent has threads, and the steps are what is measured
constexpr std::string_view fixed_part = R"({"filler":""})";

} // namespace

std::uint32_t agents_of(const workload& w) {
  return std::min(w.steps, agents_max);
}

std::string agent_name(std::uint32_t number) {
  return "agent-" + std::to_string(number);
}

workflow::definition definition_of(const workload& w) {
  workflow::definition d;
  d.name = workflow_name;
  for (std::uint32_t i = 1; i <= w.steps; ++i) {
    auto& s = d.steps.emplace_back();
    s.name = "step-" + std::to_string(i);
    s.agent = agent_name((i - 1) % agents_max + 1);
    s.complete_by = workflow::span{w.complete_by_ms};
    s.compensation = workflow::compensation{};
    s.compensation->agent = s.agent;
  }
  return d;
}

std::string text_of_size(std::size_t bytes) {
  auto text = std::string{fixed_part};
  if (bytes > text.size())
    text.insert(text.size() - 2, bytes - text.size(), 'x');
  return text;
}

workflow::submission submission_of(const workload& w, std::uint64_t index) {
  workflow::submission s;
  s.id = fmt::format("{:016x}-{}", w.ordered_ids ? index : workflow::mixed(index, 0, 0), index);
  s.workflow = workflow_name;
  s.payload = workflow::blob{text_of_size(w.payload)};
  return s;
}

std::optional<std::uint64_t> index_of(std::string_view id) {
  std::uint64_t index = 0;
  if (id.size() < order_digits + 2)
    return std::nullopt;
  const auto digits = id.substr(order_digits + 1);
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  return read.ec == std::errc{} ? std::optional{index} : std::nullopt;
}

actors::agent_function agent_of(const workload& w) {
  const std::string failing = w.fail_step == 0 ? "" : "step-" + std::to_string(w.fail_step);
  return actors::quick_function{[failing, result = text_of_size(w.result)](const actors::call& c) {
    if (c.step == failing && c.action == workflow::attempt_action::perform)
      return actors::failed_for_good("it fails by request");
    return actors::succeeded(result);
  }};
}

actors::agent_function silent_agent() {
  struct kept {
    std::mutex mutex;
    std::vector<actors::answer_to> answers; ///< destroying one says that the call failed
  };
  return actors::async_function{[k = std::make_shared<kept>()](const actors::call&, actors::answer_to to) {
    const std::lock_guard lock{k->mutex};
    k->answers.push_back(std::move(to));
  }};
}

} // namespace steadfast::bench
