#pragma once

#include "actors/agents/agent_options.hpp"
#include "runtime/text/secret.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace steadfast {

/// Where a node tells of the spans of its tasks, and whether it hands traces on.
struct tracing_options {
  actors::http_options collector;                 ///< OTLP over HTTP; without a URL nothing is traced
  std::map<std::string, runtime::secret> secrets; ///< further headers, never shown
  std::uint32_t sampled_percent = 100;            ///< of traces that begin with a task; others say it themselves
  std::size_t tasks_max = 10'000; ///< ended tasks that wait to be told of; the spans of others are dropped

  bool is_used() const { return !collector.url.empty(); }
};

/// Its mistakes, a sentence each.
std::vector<std::string> problems(const tracing_options& o);

} // namespace steadfast
