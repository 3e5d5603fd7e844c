#pragma once

#include "actors/agents/caller.hpp"
#include "runtime/assembly/trace_figures.hpp"
#include "runtime/configuration/tracing_options.hpp"
#include "store/contract/state_store.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace steadfast {

/// Tells a collector of the spans of tasks that have ended, as OTLP over HTTP with JSON
/// (https://opentelemetry.io/docs/specs/otlp/). It is never in the way: what the collector does not take in time is
/// dropped and counted. The destructor gives it one more second.
class span_exporter {
public:
  span_exporter(tracing_options options, std::string node, std::shared_ptr<const store::state_store> store,
                std::shared_ptr<trace_figures> figures);
  ~span_exporter();
  span_exporter(const span_exporter&) = delete;
  span_exporter& operator=(const span_exporter&) = delete;

  /// The task of that number has ended. From any thread; returns at once.
  void on_end(std::uint64_t number);

private:
  void serve(const std::stop_token& end);
  bool send_all(const std::vector<std::uint64_t>& tasks, std::chrono::milliseconds limit);
  std::string request_for(const std::vector<std::uint64_t>& tasks) const;
  bool send(const std::string& request, std::chrono::milliseconds limit);

  const tracing_options options_;
  const std::string node_;
  const std::shared_ptr<const store::state_store> store_;
  const std::shared_ptr<trace_figures> figures_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::uint64_t> waiting_;
  std::map<actors::call_ticket, std::shared_ptr<std::promise<actors::answer>>> answers_; ///< that are waited for
  bool is_away_ = false; ///< the last request failed; of the thread, as is the next
  actors::call_ticket last_ticket_ = 0;
  std::unique_ptr<actors::caller> collector_;
  std::jthread thread_; ///< last: it uses the rest
};

/// One request with the spans of these tasks, those that are not sampled left out; empty: there are none.
std::string otlp_request(const std::vector<std::pair<workflow::task, workflow::definition>>& tasks,
                         const std::string& node, std::uint32_t sampled_percent);

} // namespace steadfast
