#include "examples/checker/rules.hpp"

#include <string>

// E13: what clients were told.

namespace checker {

namespace {

std::string text_of(const client_call& c) {
  using answer = client_call::answer;
  switch (c.told) {
    case answer::none: return "a submission without an answer";
    case answer::created: return "`created`";
    case answer::there: return "`already there`";
    case answer::stored: return "`stored`";
    case answer::conflict: return "`there with another body`";
    case answer::absent: return "`no such task`";
    case answer::found: return "`found at revision " + std::to_string(c.revision) + "`";
  }
  return {};
}

} // namespace

void check_linearizable(const sorted_history& h, finding& e13) {
  for (const auto& [id, record] : h.all().clients) {
    if (record.calls.empty())
      continue;
    e13.expect(linearizability<id_model, client_call>{record.calls}.holds(), [&, id = id, &calls = record.calls] {
      std::string text = "task " + h.text(id) + ": no order explains";
      for (const auto& c : calls)
        text += (&c == calls.data() ? " " : ", ") + text_of(c);
      return text;
    });
  }
}

} // namespace checker
