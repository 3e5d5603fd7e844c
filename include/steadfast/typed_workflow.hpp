#pragma once

#include "steadfast/client.hpp"
#include "steadfast/workflow.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace steadfast {

/// A workflow with C++ types for its payload and its result. nlohmann's JSON converts both: give them to_json and
/// from_json, for instance by NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE.
///
///     const steadfast::typed_workflow<trip, seat> book_trip{"book_trip"};
///     const auto task = book_trip.submit(node, {.to = "Lisbon"}, {.id = "trip-1"});
///     if (const auto booked = book_trip.wait(node, task.id, 30s))
///       std::cout << booked->number;
///
/// `N` is a steadfast::node of this process or a steadfast::client; their errors pass through.
template <class Input, class Result = nlohmann::json>
class typed_workflow {
public:
  /// The name of a workflow that defines its result: workflow_builder::result, or `result` in a file.
  explicit typed_workflow(std::string name) : name_{std::move(name)} {}

  const std::string& name() const { return name_; }

  /// Durable when it returns.
  template <class N>
  submitted submit(N& to, const Input& input, const submit_options& options = {}) const {
    return to.submit(name_, nlohmann::json(input).dump(), options);
  }

  /// Blocks until the task has ended or the limit has passed. Empty: it was not processed by then (see `show`). Throws
  /// nlohmann::json::exception when the result cannot be converted.
  template <class N>
  std::optional<Result> wait(N& at, const std::string& id, std::chrono::milliseconds limit) const {
    if (at.wait(id, limit) != "processed")
      return std::nullopt;
    return at.result(id).template get<Result>();
  }

private:
  std::string name_;
};

} // namespace steadfast
