#pragma once

#include "workflow/definition/definition.hpp"
#include "workflow/task/task.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Values from the payload and the results of a task, mapped as its definition says.

namespace steadfast::workflow {

/// A value as JSON, written as in its source; or why there is none.
struct mapped_value {
  std::optional<std::string> value;
  std::string problem;
};
mapped_value value_of(const source& s, const task& t, const definition& d);

/// Values that the rules use while a task goes on, as they are written there: in the payload, or among the values that
/// are kept from a step's result. Nothing: there is no such value, or the payload is not JSON.
std::optional<std::string_view> payload_at(const task& t, std::string_view pointer);
std::optional<std::string_view> fact_at(const step& s, std::string_view pointer);
std::optional<std::string_view> fact_in(const std::vector<fact>& facts, std::string_view pointer);

/// Whether the source is the result of a skipped step, which has none: what depends on it sees null.
bool is_of_skipped(const source& s, const task& t, const definition& d);

/// An object with these members. Their values are JSON texts, so no digit is lost.
std::string object_of(const std::map<std::string, std::string>& members);

/// The result of the task, made as its workflow says (result_mapping): a JSON text. Empty: the task is not processed,
/// or the workflow defines no result. REQUIRES: the task has its large results.
std::string result_of(const task& t, const definition& d);

/// The values that conditions of the definition read from this result of step `step`; missing ones are left out.
std::vector<fact> facts_of(const definition& d, std::size_t step, std::string_view result);

} // namespace steadfast::workflow
