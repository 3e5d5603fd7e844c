#pragma once

#include "actors/report_kind.hpp"
#include "workflow/task.hpp"
#include "workflow/time.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <variant>

// Agents that are C++ functions, as their author sees them: no CAF in here.

namespace steadfast::actors {

/// What a function agent is asked to do; views and references are valid during the call.
struct call {
  std::string task_id;
  std::string workflow;
  std::string step;
  workflow::attempt_action action = workflow::attempt_action::perform;
  std::uint32_t attempt = 0;
  std::uint64_t epoch = 0;
  std::string key;
  std::string reverses;
  std::string input;
  workflow::instant complete_by;
};

/// What it answers.
struct answer {
  report_kind kind = report_kind::succeeded;
  std::string result; ///< with succeeded: a JSON text, or bytes
  std::string why;    ///< otherwise
  bool maybe_done = true; ///< with failed_transient: the remote side may have acted
  workflow::span retry_after{0};
};
answer succeeded(std::string result = "null");
answer failed_for_good(std::string why);
answer failed_for_now(std::string why, bool maybe_done = true);
answer did_not_happen(); ///< for probes

/// Called at most once, from any thread; a second call has no effect.
using answer_to = std::function<void(answer)>;

/// How a function agent is run.
struct quick_function { std::function<answer(const call&)> run; };    ///< on the agent's own turn: must not block
struct blocking_function { std::function<answer(const call&)> run; }; ///< on a thread of the agent's own pool
struct async_function { std::function<void(const call&, answer_to)> run; };
using agent_function = std::variant<quick_function, blocking_function, async_function>;

} // namespace steadfast::actors
