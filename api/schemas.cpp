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
            {"title", text, "the name of the status"},
            {"status", number, "the HTTP status"},
            {"code", text, "what kind of problem it is, for programs, such as refused; it never changes"},
            {"detail", text, "a sentence for people"},
            maybe({"field", text, "the name of the parameter or header that is wrong"}),
            maybe({"retry_after_ms", number, "how long to wait before the next try, in milliseconds"})}},
          {"scope", "What the holder of a token may do", {}, texts_of({s::submits, s::read, s::operate, s::admin})},
          {"caller",
           "Who makes the request, by token or certificate",
           {{"name", text, "the name of the token or certificate; empty: the node asks for none"},
            {"scopes", texts, "what the caller may do", false, false, "scope"},
            {"workflows", texts, "the workflows whose tasks the caller may see; empty: all"},
            {"roles", texts, "the roles whose questions the caller sees and may answer"}}},
          {"batch_result", "What became of one of many submissions",
           joined({{"status", number, "the HTTP status that it would have had if submitted alone"},
                   maybe(object_of("problem", "problem", "why it was not submitted"))},
                  submitted)},
          {"task_event",
           "The data of an event in the stream of one task",
           {object_of("task", "task", "the task as it is now, without its payload"),
            list_of("explanation", "sentence", "why the task is in its state")}},
          {"change_event",
           "The data of an event in the stream of all tasks",
           {object_of("task", "task_summary", "the task as it is now")}},
          {"gap_event",
           "The data of a gap event: what happened meanwhile is not sent event by event",
           {{"since", moment, "the moment of the last event that was received"},
            {"purged", number, "at most how many tasks have been removed from the store since then"},
            {"is_cut", flag, "more tasks have changed than are listed"},
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
