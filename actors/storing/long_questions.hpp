#pragma once

#include "actors/protocol/client_messages.hpp"
#include "actors/protocol/store_messages.hpp"

#include <caf/error.hpp>
#include <caf/typed_response_promise.hpp>

#include <memory>

namespace steadfast::actors {

/// A question about many tasks or workflows. It is answered in parts that take some milliseconds each, so that other
/// questions are answered in between.
class long_question {
public:
  virtual ~long_question() = default;
  /// Does one part; true: the question was answered. Throws store_error.
  virtual bool go_on(const store::state_store& store) = 0;
  virtual void fail(const caf::error& why) = 0;
};

using task_page_promise = caf::typed_response_promise<boxed<store::task_page>>;

std::unique_ptr<long_question> question_of(const list_tasks& m, task_page_promise promise);
std::unique_ptr<long_question> question_of(const count_tasks& m, caf::typed_response_promise<task_count> promise);
std::unique_ptr<long_question> question_of(const list_workflows& m, caf::typed_response_promise<workflow_page> promise);

} // namespace steadfast::actors
