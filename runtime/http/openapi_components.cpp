#include "runtime/http/openapi_components.hpp"

#include "api/names.hpp"

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

json schema_of(const api::field& f) {
  auto s = schema_of(f.is);
  if (!f.of.empty())
    (s.contains("items") ? s["items"] : s) = reference_to("schemas", f.of);
  if (f.may_be_null && s.contains("$ref"))
    s = {{"oneOf", {s, {{"type", "null"}}}}};
  else if (f.may_be_null)
    if (const auto type = s.find("type"); type != s.end()) {
      if (!type->is_array())
        *type = json::array({*type});
      type->push_back("null");
    }
  if (!f.meaning.empty())
    s["description"] = f.meaning;
  return s;
}

json object_schema(const std::vector<api::field>& fields, const std::string& meaning) {
  json properties = json::object();
  json required = json::array();
  for (const auto& f : fields) {
    properties[f.name] = schema_of(f);
    if (!f.may_lack)
      required.push_back(f.name);
  }
  json s{{"type", "object"}, {"description", meaning}, {"properties", properties}};
  if (!required.empty())
    s["required"] = required;
  return s;
}

/// Over HTTP a submission can wait for what the state of the task then tells.
std::vector<api::field> answered_by(const api::method& m) {
  auto fields = m.result;
  if (m.name == api::submit)
    for (const auto& f : api::method_of(api::task_state).result)
      if (f.name == "cause" || f.name == "result")
        fields.push_back(api::maybe(f));
  return fields;
}

json all_schemas() {
  json all;
  for (const auto& s : api::schemas())
    all[s.name] = s.texts.empty() ? object_schema(s.fields, s.meaning)
                                  : json{{"type", "string"}, {"description", s.meaning}, {"enum", s.texts}};
  for (const auto& m : api::methods())
    all[name_of_answer(m)] = object_schema(answered_by(m), "The answer of `" + m.name + "`");
  return all;
}

struct problem_response {
  std::string_view status;
  const char* name;
  const char* meaning;
  bool is_of_all = false;
};

constexpr problem_response problem_responses[] = {
  {"400", "invalid", "A parameter or the body is wrong; `field` names it"},
  {"401", "unauthorized", "There is no token, or it is not known", true},
  {"403", "forbidden",
   "The token lacks the scope, the role or the workflow, or the request comes from a page of another origin", true},
  {"404", "not_found", "There is no such thing"},
  {"405", "method_not_allowed", "The path does not take this method"},
  {"408", "request_timeout", "The request did not come to its end within 20 seconds; nothing was done for it", true},
  {"409", "refused", "It cannot be done in the current state; of a submission: another task has that id"},
  {"413", "too_large", "The body has more bytes than `http.body_size_max`"},
  {"415", "unsupported_encoding", "The body is compressed"},
  {"421", "wrong_host", "The node does not answer to this host name", true},
  {"422", "wrong_submission", "The submission itself is refused"},
  {"429", "too_many_requests", "More requests a second than `http.rate_max`", true},
  {"431", "header_too_large", "More than 16 KiB of headers", true},
  {"500", "fault", "The node has a fault", true},
  {"503", "busy",
   "The node is too busy, or cannot reach the store. Nothing was done, unless `detail` says that the outcome is "
   "unknown",
   true},
  {"504", "outcome_unknown",
   "There was no answer in time, or the store's answer was lost. It is safe to send the same submission again; before "
   "you repeat an act, look at what became of it"},
};

json shared_responses() {
  json all;
  for (const auto& p : problem_responses)
    all[p.name] = {{"description", p.meaning},
                   {"content", content_of(reference_to("schemas", "problem"), "application/problem+json")}};
  all["method_not_allowed"]["headers"]["Allow"] = reference_to("headers", "Allow");
  for (const auto* name : {"too_many_requests", "busy"})
    all[name]["headers"]["Retry-After"] = reference_to("headers", "Retry-After");
  all["not_modified"] = {{"description", "Nothing has changed since the answer that `If-None-Match` names"},
                         {"headers", {{"ETag", reference_to("headers", "ETag")}}}};
  return all;
}

json text_header(const char* meaning) {
  return {{"description", meaning}, {"schema", {{"type", "string"}}}};
}

json shared_headers() {
  return {{"Allow", text_header("the methods that the path takes")},
          {"ETag", text_header("a name for this answer, for If-None-Match")},
          {"Location", text_header("the path of the task")},
          {"Retry-After", {{"description", "seconds to wait before the next try"}, {"schema", {{"type", "integer"}}}}}};
}

json shared_parameters() {
  const auto header = [](const char* name, const char* meaning) {
    auto p = text_header(meaning);
    p.update({{"name", name}, {"in", "header"}});
    return p;
  };
  return {{"wait",
           {{"name", "wait"},
            {"in", "query"},
            {"description", "answer when the task has ended, or after this duration, up to 60s"},
            {"schema", {{"type", "string"}, {"pattern", "^[0-9.]+(ms|s|m)$"}}}}},
          {"Idempotency-Key", header("Idempotency-Key", "the id of the task, unless the body has it")},
          {"If-None-Match",
           header("If-None-Match", "the ETag of an earlier answer; if nothing has changed since, the answer is 304")},
          {"Last-Event-ID",
           header("Last-Event-ID", "the id of the last event that was received; the stream continues after it")}};
}

} // namespace

json reference_to(const std::string& kind, const std::string& name) {
  return {{"$ref", "#/components/" + kind + "/" + name}};
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

std::string name_of_answer(const api::method& m) {
  auto name = m.name + "_answer";
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

json content_of(const json& schema, const char* type) {
  return {{type, {{"schema", schema}}}};
}

json refusals(const std::vector<std::string_view>& more) {
  json all = json::object();
  for (const auto& p : problem_responses)
    if (p.is_of_all || std::find(more.begin(), more.end(), p.status) != more.end())
      all[std::string{p.status}] = reference_to("responses", p.name);
  return all;
}

json openapi_components() {
  return {
    {"schemas", all_schemas()},
    {"responses", shared_responses()},
    {"headers", shared_headers()},
    {"parameters", shared_parameters()},
    {"securitySchemes",
     {{"bearer", {{"type", "http"}, {"scheme", "bearer"}, {"description", "a token made by `steadfast token create`"}}},
      {"certificate",
       {{"type", "mutualTLS"}, {"description", "a client certificate of the authority that the node trusts"}}}}}};
}

} // namespace steadfast::runtime
