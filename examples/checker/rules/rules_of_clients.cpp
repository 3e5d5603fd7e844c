#include "examples/checker/rules/rules.hpp"

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

} // namespace

void check_linearizable(const sorted_history& h, finding& e13) {
  check_leases(h, e13);
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
