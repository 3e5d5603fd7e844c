// The schemas joined, and those of answers to no method: docs/http.md.

#include "api/methods.hpp"
#include "api/names.hpp"
#include "api/route.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace steadfast::api {

std::vector<field> joined(std::vector<field> some, std::vector<field> more) {
  std::move(more.begin(), more.end(), std::back_inserter(some));
  return some;
}

std::vector<schema> schemas_of_http() {
  using enum kind;
  using s = scope;
  auto submitted = method_of(submit).result;
  for (auto& f : submitted)
    f.may_lack = true;
  return {{"problem",
           "Problem details (RFC 9457)",
           {{"type", text, "about:blank"},
            {"title", text, "the words of the status"},
            {"status", number, "of HTTP"},
            {"code", text, "such as refused; it never changes"},
            {"detail", text, "a sentence for people"},
            maybe({"field", text, "the parameter or header that is wrong"}),
            maybe({"retry_after_ms", number, "as the header Retry-After, in milliseconds"})}},
          {"scope", "What the holder of a token may do", {}, texts_of({s::submits, s::read, s::operate, s::admin})},
          {"caller",
           "Who asks, by token or certificate",
           {{"name", text, "of the token or certificate; empty: callers need none"},
            {"scopes", texts, "what the caller may do", false, false, "scope"},
            {"workflows", texts, "only tasks of these; empty: of all"},
            {"roles", texts, "the caller sees and answers the questions to these"}}},
          {"batch_result", "What became of one of many submissions",
           joined({{"status", number, "of HTTP, as if it had been submitted alone"},
                   maybe(object_of("problem", "problem", "it was not submitted"))},
                  submitted)},
          {"task_event",
           "Data of an event of one task",
           {object_of("task", "task", "as it is now, without its payload"),
            list_of("explanation", "sentence", "why it is in its state")}},
          {"change_event", "Data of an event of all tasks", {object_of("task", "task_summary", "as it is now")}},
          {"gap_event",
           "Data of an event gap: what happened meanwhile is not told one by one",
           {{"since", moment, "the moment of the last event that was seen"},
            {"purged", number, "tasks that have left the store since, at most"},
            {"is_cut", flag, "more have changed than are told"},
            {"detail", text, "a sentence for people"}}}};
}

const std::vector<schema>& schemas() {
  static const auto all = [] {
    std::vector<schema> table;
    for (auto* const part :
         {schemas_of_tasks, schemas_of_acts, schemas_of_workflows, schemas_of_nodes, schemas_of_http}) {
      auto some = part();
      std::move(some.begin(), some.end(), std::back_inserter(table));
    }
    return table;
  }();
  return all;
}

const schema& schema_of(std::string_view name) {
  const auto& all = schemas();
  const auto found = std::find_if(all.begin(), all.end(), [&](const schema& s) { return s.name == name; });
  if (found == all.end())
    throw std::out_of_range{"there is no schema `" + std::string{name} + "`"};
  return *found;
}

} // namespace steadfast::api
