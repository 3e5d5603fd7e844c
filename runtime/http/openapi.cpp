#include "runtime/http/openapi.hpp"

#include "api/names.hpp"
#include "api/route.hpp"
#include "runtime/http/openapi_components.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace steadfast::runtime {

namespace {

using nlohmann::json;

bool has_error(const api::method& m, api::error::code c) {
  return std::find(m.errors.begin(), m.errors.end(), c) != m.errors.end();
}

json tagged(json response) {
  response["headers"]["ETag"] = reference_to("headers", "ETag");
  return response;
}

json responses_of(const api::route& r, const api::method& m) {
  const json good{{"description", m.meaning}, {"content", content_of(reference_to("schemas", name_of_answer(m)))}};
  const bool is_get = r.verb == api::verb::get;
  std::vector<std::string_view> refused{"400", "504"};
  if (!is_get)
    refused.insert(refused.end(), {"413", "415"});
  if (has_error(m, api::error::not_found))
    refused.emplace_back("404");
  if (has_error(m, api::error::refused))
    refused.emplace_back("409");
  if (m.name == api::submit)
    refused.emplace_back("422");
  auto all = refusals(refused);
  all["200"] = is_get ? tagged(good) : good;
  if (is_get)
    all["304"] = reference_to("responses", "not_modified");
  if (m.name != api::submit)
    return all;
  all["200"]["headers"]["Location"] = reference_to("headers", "Location");
  all["201"] = all["200"];
  all["200"]["description"] = "The task was there already";
  all["201"]["description"] = "The task was made, and is durable";
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
    parameters.push_back(reference_to("parameters", "wait"));
  if ((r.method == api::submit || r.method == api::event_send) && r.verb == api::verb::post)
    parameters.push_back(reference_to("parameters", "Idempotency-Key"));
  if (r.verb == api::verb::get)
    parameters.push_back(reference_to("parameters", "If-None-Match"));
  json o{{"operationId", name_of_operation(r)},
         {"summary", m.meaning},
         {"description", "Needs the scope `" + std::string{to_string(r.needs)} + "`"
                           + (r.is_for_roles ? ", or for questions to a role that role alone" : "")
                           + ". It is the method `" + r.method + "` of the control channel."},
         {"responses", responses_of(r, m)}};
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

// ---- what is no method of the table ----

/// With a 200 that has this content.
json other_operation(const char* id, const char* summary, const char* meaning, const json& content, json responses) {
  responses["200"] = {{"description", meaning}, {"content", content}};
  return {{"operationId", id}, {"summary", summary}, {"responses", std::move(responses)}};
}

json batch_operation() {
  const auto& submit = api::method_of(api::submit);
  const auto one = body_of({api::verb::post, "/v1/tasks", api::submit}, submit).at("content").at("application/json");
  const json tasks{{"type", "array"}, {"minItems", 1}, {"maxItems", 1000}, {"items", one.at("schema")}};
  const json results{{"type", "array"}, {"items", reference_to("schemas", "batch_result")}};
  auto o =
    other_operation("post_v1_tasks_batch", "Many submissions, each decided on its own; the answers are in their order",
                    "What became of each",
                    content_of({{"type", "object"}, {"required", {"results"}}, {"properties", {{"results", results}}}}),
                    refusals({"400", "413", "415"}));
  o["requestBody"] = {
    {"required", true},
    {"content", content_of({{"type", "object"}, {"required", {"tasks"}}, {"properties", {{"tasks", tasks}}}})}};
  return o;
}

json text_in_query(const char* name, const char* meaning) {
  return {{"name", name}, {"in", "query"}, {"description", meaning}, {"schema", {{"type", "string"}}}};
}

json events_operation(const char* id, const char* summary, const char* meaning, json parameters, json responses) {
  auto o =
    other_operation(id, summary, meaning, content_of({{"type", "string"}}, "text/event-stream"), std::move(responses));
  parameters.push_back(reference_to("parameters", "Last-Event-ID"));
  o["parameters"] = std::move(parameters);
  return o;
}

json events_of_task() {
  auto responses = refusals({"400", "404", "504"});
  responses["204"] = {{"description", "The task has ended and its last event was seen"}};
  const auto id = in_path(*api::method_of(api::task_show).find("id"));
  return events_operation("get_v1_tasks_id_events", "The task as server-sent events, until it has ended",
                          "An event `task` now and at each change that is seen; its data is a `task_event`",
                          json::array({id}), std::move(responses));
}

json events_of_all() {
  return events_operation(
    "get_v1_events", "What happens to all tasks, as server-sent events",
    "Events `submitted`, `changed` and `ended`, whose data is a `change_event`; and `gap`, a `gap_event`",
    {text_in_query("workflow", "only of these workflows, with commas between them"),
     text_in_query("kinds", "only these of submitted, changed and ended")},
    refusals({"400"}));
}

void add_others(json& paths) {
  const auto text = content_of({{"type", "string"}}, "text/plain");
  const auto get = [&](const char* path, json operation) { paths[path]["get"] = std::move(operation); };
  const auto tagged_get = [&](const char* path, json operation) {
    operation["responses"]["200"] = tagged(operation["responses"]["200"]);
    operation["responses"]["304"] = reference_to("responses", "not_modified");
    operation["parameters"] = json::array({reference_to("parameters", "If-None-Match")});
    get(path, std::move(operation));
  };
  paths["/v1/tasks/batch"]["post"] = batch_operation();
  get("/v1/tasks/{id}/events", events_of_task());
  get("/v1/events", events_of_all());
  tagged_get("/v1/me",
             other_operation("get_v1_me", "Who asks, by token or certificate, and what he may do",
                             "As the node sees it", content_of(reference_to("schemas", "caller")), refusals({})));
  tagged_get("/openapi.json", other_operation("get_openapi_json", "This document", "OpenAPI 3.1",
                                              content_of({{"type", "object"}}), refusals({})));
  tagged_get("/metrics", other_operation("get_metrics", "The metrics of this node", "As Prometheus reads them", text,
                                         refusals({})));
  tagged_get("/health/live",
             other_operation("get_health_live", "The process answers", "It does", text, json::object()));
  auto ready = refusals({});
  for (const auto* not_asked : {"401", "429"})
    ready.erase(not_asked);
  tagged_get("/health/ready",
             other_operation("get_health_ready", "The store answers and takes writes", "It does", text, ready));
  for (const auto* open : {"/health/live", "/health/ready"})
    paths[open]["get"]["security"] = json::array();
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
                        {"description", "A path answers a method that it does not take as `method_not_allowed` says. "
                                        "Answers may get more members, and lose none."},
                        {"version", version},
                        {"license", {{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}}}},
                      {"servers", {{{"url", "/"}}}},
                      {"security", {{{"bearer", json::array()}}, {{"certificate", json::array()}}, json::object()}},
                      {"paths", paths},
                      {"components", openapi_components()}};
  return document.dump();
}

} // namespace steadfast::runtime
