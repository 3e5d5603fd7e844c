#pragma once

#include "runtime/events/task_watch.hpp"
#include "runtime/http/http_callers.hpp"
#include "runtime/http/messages/http_message.hpp"
#include "runtime/http/messages/http_text.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace steadfast::runtime {

/// Submissions, one and many at a time. So many may be under way; while there are more, all others are pushed back
/// before anything is read of them, so that those are answered in time.
class http_submissions {
public:
  using on_result = std::function<void(nlohmann::json)>;
  using on_problem = std::function<void(const http_problem&)>;

  /// `log`: gets a line about each task that was made; empty: none.
  http_submissions(watch_parts p, std::function<void(const log_entry&)> log)
      : watch_{std::move(p)},
        log_{std::move(log)} {}

  /// Why another request is not taken now.
  std::optional<http_problem> why_full() const;

  /// With a `wait`, tells also how the task ended, or how it is after that time.
  void submit(const http_caller& caller, nlohmann::json params, std::optional<std::chrono::milliseconds> wait,
              const on_result& done, const on_problem& fails) const;

  /// Counts a batch that is still to be read.
  std::shared_ptr<void> count_unread(const std::string& body) const;

  /// Those of the body of a batch: each is decided on its own, and the answers are in their order. Throws api::error if
  /// it is no batch.
  void submit_all(const http_request& r, const http_caller& caller, const on_result& done) const;

private:
  void submit_one(const http_caller& caller, const nlohmann::json& params, const on_result& done,
                  const on_problem& fails) const;
  void tell_refusal(const http_caller& caller, const nlohmann::json& id, std::string why,
                    const on_problem& fails) const;

  const task_watch watch_;
  const std::function<void(const log_entry&)> log_;
  const std::shared_ptr<std::atomic<std::size_t>> under_way_ = std::make_shared<std::atomic<std::size_t>>(0);
};

/// The id may be given as Idempotency-Key. Throws api::error if it is another one.
void take_key(const http_request& r, nlohmann::json& params);
/// The same; throws if there is none, too.
void take_id(const http_request& r, nlohmann::json& params);

/// The trace of the caller may be given as traceparent; one that is wrong is as good as none (Trace Context, 3.2.2).
void take_trace(const http_request& r, nlohmann::json& params);

/// 201 when a task was made, 200 when it was there.
unsigned status_of_submission(const nlohmann::json& result);

std::string location_of(const std::string& id);

} // namespace steadfast::runtime
