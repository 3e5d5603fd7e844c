#pragma once

#include "store/contract/local_store.hpp"
#include "workflow/definition/definition.hpp"
#include "workflow/task/explain.hpp"
#include "workflow/task/task.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

// What `--json`, the control channel and `store dump` print. docs/cli.md lists the fields; a field is never renamed.

namespace steadfast {

/// RFC 3339 in UTC with milliseconds; null if it is unset or never.
nlohmann::json instant_json(workflow::instant t);

/// The value if the bytes are a JSON text, else the bytes as a string; null if there are none. Its numbers keep their
/// digits (client/exact_json.hpp), so it is written by json_line().
nlohmann::json document_json(std::string_view bytes);

/// The whole task: a line of `store dump`.
nlohmann::json task_json(const workflow::task& t, const workflow::definition& d);

/// The same without its steps and its payload, for lists.
nlohmann::json task_summary_json(const workflow::task& t);

nlohmann::json definition_json(const workflow::definition& d);
nlohmann::json explanation_json(const std::vector<workflow::explanation>& sentences);
nlohmann::json alert_json(const store::alert_entry& a);
nlohmann::json incident_json(const store::incident& x);
nlohmann::json bulk_json(const workflow::bulk_act& b);
nlohmann::json lease_json(const store::lease& l);
nlohmann::json late_reply_json(const store::late_reply_entry& r);
nlohmann::json notice_json(const store::notice_entry& n);
nlohmann::json stats_json(const store::store_stats& s);
/// The result of an import.
nlohmann::json imported_json(const std::string& id, const store::import_result& o);
nlohmann::json check_json(const store::check_report& r);

/// One line of text, with invalid UTF-8 replaced, so that it can be printed whatever a payload contains; numbers keep
/// their digits.
std::string json_line(const nlohmann::json& j);

} // namespace steadfast
