#include "runtime/http/openapi.hpp"

#include "api/names.hpp"
#include "api/route.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

namespace steadfast::runtime {

namespace {

using nlohmann::json;

json schema_of(api::kind k) {
  switch (k) {
    case api::kind::text: return {{"type", "string"}};
    case api::kind::number: return {{"type", "integer"}};
    case api::kind::fraction: return {{"type", "number"}};
    case api::kind::flag: return {{"type", "boolean"}};
    case api::kind::moment: return {{"type", "string"}, {"format", "date-time"}};
    case api::kind::value: return json::object(); // anything
    case api::kind::texts: return {{"type", "array"}, {"items", {{"type", "string"}}}};
    case api::kind::places: return {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}};
    case api::kind::place: return {{"type", json::array({"integer", "string"})}};
    case api::kind::object: return {{"type", "object"}};
    case api::kind::list: return {{"type", "array"}, {"items", {{"type", "object"}}}};
  }
  return json::object();
}

json schema_of(const api::parameter& p) {
  auto s = schema_of(p.is);
  if (p.is == api::kind::moment)
    s = {{"type", "integer"}, {"format", "int64"}};
  if (p.is == api::kind::number) {
    s["minimum"] = p.min;
    if (p.max != std::numeric_limits<std::uint64_t>::max())
      s["maximum"] = p.max;
  }
  if (p.size_max != std::numeric_limits<std::size_t>::max())
    s["maxLength"] = p.size_max;
  if (!p.choices.empty())
    (p.is == api::kind::texts ? s["items"] : s)["enum"] = p.choices;
  if (!p.absent.is_null())
    s["default"] = p.absent;
  s["description"] = p.meaning;
  return s;
}

json schema_of(const api::field& f) {
  auto s = schema_of(f.is);
  if (f.may_be_null || f.is == api::kind::moment)
    if (auto type = s.find("type"); type != s.end()) {
      if (!type->is_array())
        *type = json::array({*type});
      type->push_back("null");
    }
  if (!f.meaning.empty())
    s["description"] = f.meaning;
  return s;
}

json result_schema(const std::vector<api::field>& fields) {
  json properties = json::object();
  json required = json::array();
  for (const auto& f : fields) {
    properties[f.name] = schema_of(f);
    if (!f.may_lack)
      required.push_back(f.name);
  }
  json s{{"type", "object"}, {"properties", properties}};
  if (!required.empty())
    s["required"] = required;
  return s;
}

json content_of(const json& schema, const char* type = "application/json") {
  return {{type, {{"schema", schema}}}};
}

json problem_response(const char* meaning) {
  return {{"description", meaning},
          {"content", content_of({{"$ref", "#/components/schemas/problem"}}, "application/problem+json")}};
}

bool has_error(const api::method& m, api::error::code c) {
  return std::find(m.errors.begin(), m.errors.end(), c) != m.errors.end();
}

json responses_of(const api::method& m) {
  json all;
  const json good{{"description", m.meaning}, {"content", content_of(result_schema(m.result))}};
  all["200"] = good;
  if (m.name == api::submit) {
    all["200"]["description"] = "The task already existed";
    all["201"] = good;
    all["201"]["description"] = "The task was made, and is durable";
    all["422"] = problem_response("The submission is refused");
  }
  all["400"] = problem_response("A parameter is wrong; `field` names it");
  all["401"] = problem_response("No token, or one that is not known");
  all["403"] = problem_response("The token has not the scope, or not the role");
  all["429"] = problem_response("Too many requests: retry after Retry-After");
  if (has_error(m, api::error::not_found))
    all["404"] = problem_response("There is none");
  if (has_error(m, api::error::refused))
    all["409"] = problem_response(m.name == api::submit ? "There is another task of that id" : "It cannot be done");
  all["500"] = problem_response("A fault of the node");
  all["503"] = problem_response("Busy: retry after Retry-After");
  all["504"] = problem_response("No answer in time: the outcome is unknown; the same request again is safe");
  return all;
}

std::string name_of_operation(const api::route& r) {
  auto name = std::string{to_string(r.verb)};
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const char c : r.path)
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

bool is_in_path(const api::route& r, const std::string& name) {
  return r.path.find("{" + name + "}") != std::string::npos;
}

json in_path(const api::parameter& p) {
  auto schema = schema_of(p);
  schema.erase("default");
  return {{"name", p.name}, {"in", "path"}, {"required", true}, {"description", p.meaning}, {"schema", schema}};
}

/// A list is one text with commas.
json in_query(const api::parameter& p) {
  json q{{"name", p.name}, {"in", "query"}, {"description", p.meaning}, {"schema", schema_of(p)}};
  if (p.is_required)
    q["required"] = true;
  if (p.is == api::kind::texts) {
    q["style"] = "form";
    q["explode"] = false;
  }
  return q;
}

json wait_parameter() {
  return {{"name", "wait"},
          {"in", "query"},
          {"description", "answer when the task has ended, at the latest after this time: a duration up to 60s"},
          {"schema", {{"type", "string"}, {"pattern", "^[0-9.]+(ms|s|m)$"}}}};
}

json key_parameter() {
  return {{"name", "Idempotency-Key"},
          {"in", "header"},
          {"description", "the id, unless the body has it"},
          {"schema", {{"type", "string"}}}};
}

json body_of(const api::route& r, const api::method& m) {
  json properties = json::object();
  json required = json::array();
  for (const auto& p : m.parameters) {
    if (is_in_path(r, p.name))
      continue;
    properties[p.name] = schema_of(p);
    const bool may_be_elsewhere = p.name == "who" || (m.name == api::submit && p.name == "id");
    if (p.is_required && !may_be_elsewhere)
      required.push_back(p.name);
  }
  json schema{{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!required.empty())
    schema["required"] = required;
  return {{"required", !required.empty()}, {"content", content_of(schema)}};
}

json operation_of(const api::route& r) {
  const auto& m = api::method_of(r.method);
  json parameters = json::array();
  for (const auto& p : m.parameters)
    if (is_in_path(r, p.name))
      parameters.push_back(in_path(p));
    else if (r.verb == api::verb::get && p.is != api::kind::places)
      parameters.push_back(in_query(p));
  if (r.method == api::submit || r.method == api::task_state)
    parameters.push_back(wait_parameter());
  if ((r.method == api::submit || r.method == api::event_send) && r.verb == api::verb::post)
    parameters.push_back(key_parameter());
  json o{{"operationId", name_of_operation(r)},
         {"summary", m.meaning},
         {"description", "Needs the scope `" + std::string{to_string(r.needs)} + "`"
                           + (r.is_for_roles ? ", or for questions to a role that role alone" : "")
                           + ". It is the method `" + r.method + "` of the control channel."},
         {"responses", responses_of(m)}};
  if (!parameters.empty())
    o["parameters"] = parameters;
  if (r.verb != api::verb::get)
    o["requestBody"] = body_of(r, m);
  return o;
}

std::string key_of(api::verb v) {
  auto key = std::string{to_string(v)};
  std::transform(key.begin(), key.end(), key.begin(), [](unsigned char c) { return std::tolower(c); });
  return key;
}

json problem_schema() {
  return {{"type", "object"},
          {"description", "Problem details (RFC 9457). `code` never changes"},
          {"required", {"title", "status", "code", "detail"}},
          {"properties",
           {{"type", {{"type", "string"}}},
            {"title", {{"type", "string"}}},
            {"status", {{"type", "integer"}}},
            {"code", {{"type", "string"}}},
            {"detail", {{"type", "string"}}},
            {"field", {{"type", "string"}, {"description", "the parameter or header that is wrong"}}},
            {"retry_after_ms", {{"type", "integer"}}}}}};
}

json text_response(const char* meaning) {
  return {{"description", meaning}, {"content", content_of({{"type", "string"}}, "text/plain")}};
}

/// What is no method of the table.
void add_others(json& paths) {
  const auto& submit = api::method_of(api::submit);
  auto each = result_schema(submit.result);
  each.erase("required");
  each["properties"]["status"] = {{"type", "integer"}, {"description", "as if it had been submitted alone"}};
  each["properties"]["problem"] = {{"$ref", "#/components/schemas/problem"}};
  const auto one =
    body_of({api::verb::post, "/v1/tasks", api::submit}, submit)["content"]["application/json"]["schema"];
  paths["/v1/tasks/batch"]["post"] = {
    {"operationId", "post_v1_tasks_batch"},
    {"summary", "Many submissions, each decided on its own; the answers are in their order"},
    {"requestBody",
     {{"required", true},
      {"content",
       content_of(
         {{"type", "object"},
          {"required", {"tasks"}},
          {"properties", {{"tasks", {{"type", "array"}, {"minItems", 1}, {"maxItems", 1000}, {"items", one}}}}}})}}},
    {"responses",
     {{"200",
       {{"description", "What became of each"},
        {"content", content_of({{"type", "object"},
                                {"required", {"results"}},
                                {"properties", {{"results", {{"type", "array"}, {"items", each}}}}}})}}},
      {"400", problem_response("The body is wrong")}}}};
  paths["/v1/tasks/{id}/events"]["get"] = {
    {"operationId", "get_v1_tasks_id_events"},
    {"summary", "The task as server-sent events, until it has ended: one event `task` for each change that is seen"},
    {"parameters",
     {{{"name", "id"}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}}}},
      {{"name", "Last-Event-ID"}, {"in", "header"}, {"schema", {{"type", "string"}}}}}},
    {"responses",
     {{"200", {{"description", "Events"}, {"content", content_of({{"type", "string"}}, "text/event-stream")}}},
      {"204", {{"description", "The task has ended and its last event was seen"}}},
      {"404", problem_response("There is no such task")}}}};
  paths["/v1/me"]["get"] = {
    {"operationId", "get_v1_me"},
    {"summary", "Who asks, by token or certificate, and what he may do"},
    {"responses",
     {{"200",
       {{"description", "As the node sees it"},
        {"content", content_of({{"type", "object"},
                                {"required", {"name", "scopes", "workflows", "roles"}},
                                {"properties",
                                 {{"name", {{"type", "string"}, {"description", "empty: nobody has to say who he is"}}},
                                  {"scopes", {{"type", "array"}, {"items", {{"type", "string"}}}}},
                                  {"workflows",
                                   {{"type", "array"},
                                    {"items", {{"type", "string"}}},
                                    {"description", "only tasks of these; empty: of all"}}},
                                  {"roles",
                                   {{"type", "array"},
                                    {"items", {{"type", "string"}}},
                                    {"description", "the roles whose questions it sees and answers"}}}}}})}}}}}};
  paths["/v1/events"]["get"] = {
    {"operationId", "get_v1_events"},
    {"summary", "What happens to all tasks, as server-sent events `submitted`, `changed` and `ended`; `gap` tells of "
                "events may be missing here"},
    {"parameters",
     {{{"name", "workflow"},
       {"in", "query"},
       {"description", "only of these workflows, with commas between them"},
       {"schema", {{"type", "string"}}}},
      {{"name", "kinds"},
       {"in", "query"},
       {"description", "only these of submitted, changed and ended"},
       {"schema", {{"type", "string"}}}},
      {{"name", "Last-Event-ID"}, {"in", "header"}, {"schema", {{"type", "string"}}}}}},
    {"responses",
     {{"200", {{"description", "Events"}, {"content", content_of({{"type", "string"}}, "text/event-stream")}}},
      {"400", problem_response("A parameter is wrong")},
      {"503", problem_response("The store cannot be asked")}}}};
  paths["/health/live"]["get"] = {{"operationId", "get_health_live"},
                                  {"summary", "The process answers"},
                                  {"security", json::array()},
                                  {"responses", {{"200", text_response("It does")}}}};
  paths["/health/ready"]["get"] = {
    {"operationId", "get_health_ready"},
    {"summary", "The store answers and takes writes"},
    {"security", json::array()},
    {"responses", {{"200", text_response("It does")}, {"503", problem_response("It does not")}}}};
}

} // namespace

std::string openapi_document(const std::string& version) {
  json paths = json::object();
  for (const auto& r : api::routes())
    paths[r.path][key_of(r.verb)] = operation_of(r);
  add_others(paths);
  const json document{{"openapi", "3.1.0"},
                      {"info",
                       {{"title", "Steadfast"},
                        {"version", version},
                        {"license", {{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}}}},
                      {"servers", {{{"url", "/"}}}},
                      {"security", {{{"bearer", json::array()}}, json::object()}},
                      {"paths", paths},
                      {"components",
                       {{"schemas", {{"problem", problem_schema()}}},
                        {"securitySchemes", {{"bearer", {{"type", "http"}, {"scheme", "bearer"}}}}}}}};
  return document.dump();
}

} // namespace steadfast::runtime
