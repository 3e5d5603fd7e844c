#pragma once

#include "workflow/definition/definition.hpp"
#include "workflow/task/task.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Values from the payload and the results of a task, as its definition maps them.

namespace steadfast::workflow {

/// A value as JSON, written as in its source; or why there is none.
struct mapped_value {
  std::optional<std::string> value;
  std::string problem;
};
mapped_value value_of(const source& s, const task& t, const definition& d);

/// What rules go by while a task goes on, as it is written there: of the payload, or of the values that are kept of a
/// step's result. Nothing: there is none, or the payload is no JSON.
std::optional<std::string_view> payload_at(const task& t, std::string_view pointer);
std::optional<std::string_view> fact_at(const step& s, std::string_view pointer);
std::optional<std::string_view> fact_in(const std::vector<fact>& facts, std::string_view pointer);

/// A skipped step has no result; what depends on it sees null.
bool is_of_skipped(const source& s, const task& t, const definition& d);

/// An object of members whose values are JSON texts, so that no digit of theirs is lost.
std::string object_of(const std::map<std::string, std::string>& members);

/// The result of the task, as its workflow maps it (result_mapping): a JSON text. Empty: it is not processed, or the
/// workflow defines no result. REQUIRES: the task with its large results.
std::string result_of(const task& t, const definition& d);

/// The values that conditions of the definition read from this result of step `step`; missing ones are left out.
std::vector<fact> facts_of(const definition& d, std::size_t step, std::string_view result);

} // namespace steadfast::workflow
