#include "examples/checker/rules/rules.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

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
    case answer::replaced: return "`replaced`";
    case answer::begun: return "`there with another body, and has begun`";
    case answer::taken: return "`there, whatever it is`";
    case answer::kept: return "`in the store in the end`";
    case answer::found: return "`found at revision " + std::to_string(c.revision) + "`";
  }
  return {};
}

std::string text_of(const sorted_history& h, const lease_call& c) {
  return "epoch " + std::to_string(c.epoch)
         + (c.holder == 0 ? " held by nobody" : " held by " + h.text(static_cast<names::id>(c.holder - 1)));
}

void check_leases(const sorted_history& h, finding& e13) {
  for (const auto& [name, calls] : h.all().leases)
    e13.expect(linearizability<lease_model, lease_call>{calls}.holds(), [&, name = name, &calls = calls] {
      std::string text = "lease " + h.text(name) + ": no order explains";
      for (const auto& c : calls)
        text += (&c == calls.data() ? " " : ", ") + text_of(h, c);
      return text;
    });
}

/// And what the store has in the end, of a task whose submissions have marks.
std::vector<client_call> with_end(const sorted_history& h, names::id id, std::vector<client_call> calls) {
  const auto* t = h.find(id);
  const bool is_marked = std::any_of(calls.begin(), calls.end(), [](const client_call& c) { return c.mark != 0; });
  if (!t || !is_marked || t->acts > 0)
    return calls;
  client_call last;
  last.told = client_call::answer::kept;
  last.mark = t->mark;
  for (const auto& c : calls)
    last.span.began =
      std::max({last.span.began, c.span.began + 1, c.span.ended == span_of_call::unanswered ? 0 : c.span.ended + 1});
  last.span.ended = last.span.began + 1;
  calls.push_back(last);
  return calls;
}

} // namespace

void check_linearizable(const sorted_history& h, finding& e13) {
  check_leases(h, e13);
  for (const auto& [id, record] : h.all().clients) {
    if (record.calls.empty())
      continue;
    const auto calls = with_end(h, id, record.calls);
    e13.expect(linearizability<id_model, client_call>{calls}.holds(), [&, id = id] {
      std::string text = "task " + h.text(id) + ": no order explains";
      for (const auto& c : calls)
        text += (&c == calls.data() ? " " : ", ") + text_of(c);
      return text;
    });
  }
}

} // namespace checker
