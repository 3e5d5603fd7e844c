// JSON that clients and services send, and pointers into it: what a step gets as input, and what conditions see, is
// exactly what RFC 6901 says, or the problem is told. The input: a line with a pointer, then the document.

#include "actors/agents/step_input.hpp"
#include "runtime/text/json.hpp"
#include "tests/fuzz/support/fuzz.hpp"
#include "workflow/definition/payload_needs.hpp"
#include "workflow/text/canonical_json.hpp"
#include "workflow/text/json_place.hpp"
#include "workflow/text/json_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace steadfast;
using nlohmann::json;
using workflow::source;

namespace {

// ---- what is expected, told in another way than the product does ----

/// How deep the deepest value lies: 0 for a document that is no list and no object.
int depth_of(const json& j) {
  int deepest = 0;
  std::vector<std::pair<const json*, int>> left{{&j, 0}};
  while (!left.empty()) {
    const auto [at, depth] = left.back();
    left.pop_back();
    deepest = std::max(deepest, depth);
    if (at->is_structured())
      for (const auto& x : *at)
        left.emplace_back(&x, depth + 1);
  }
  return deepest;
}

/// One token of a pointer, unescaped (RFC 6901, 4).
std::string unescaped(const std::string& token) {
  std::string text;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool is_escape = token[i] == '~' && i + 1 < token.size();
    text += !is_escape ? token[i] : token[i + 1] == '1' ? '/' : '~';
    i += is_escape ? 1 : 0;
  }
  return text;
}

bool is_index(const std::string& token) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !token.empty() && token.size() < 10 && std::all_of(token.begin(), token.end(), is_digit)
         && (token == "0" || token[0] != '0');
}

const json* value_at(const json& document, std::string_view pointer) {
  const json* at = &document;
  if (pointer.empty())
    return at;
  for (const auto& token : fuzz::parts_of(pointer.substr(1), '/')) {
    if (at->is_object()) {
      const auto found = at->find(unescaped(token));
      at = found == at->end() ? nullptr : &*found;
    } else if (at->is_array() && is_index(token) && std::stoul(token) < at->size()) {
      at = &(*at)[std::stoul(token)];
    } else {
      return nullptr;
    }
    if (at == nullptr)
      return nullptr;
  }
  return at;
}

/// Without what the rules do not look at: UTF-8, and numbers that are too large.
bool is_plain(std::string_view text) {
  return text.find("\\u") == std::string_view::npos && std::all_of(text.begin(), text.end(), [](char c) {
           return static_cast<unsigned char>(c) < 0x80 && (c < '0' || c > '9');
         });
}

/// The library ends a text at a zero byte and passes over a byte order mark; RFC 8259 knows neither.
bool is_odd(std::string_view text) {
  return text.find('\0') != std::string_view::npos || text.starts_with("\xEF\xBB\xBF");
}

// ---- checks ----

void check_grammar(std::string_view text) {
  constexpr int depth_max = 64;
  const bool taken = workflow::is_json(text);
  const auto parsed = json::parse(text, nullptr, false);
  if (taken && is_plain(text))
    fuzz::expect(!parsed.is_discarded(), "what the rules take for JSON is JSON");
  if (!parsed.is_discarded() && !is_odd(text))
    fuzz::expect(taken == (depth_of(parsed) <= depth_max), "JSON is taken, unless it is nested too deep");
  if (workflow::is_compact_json(text))
    fuzz::expect(taken, "compact JSON is JSON");
}

void check_canonical(std::string_view text) {
  const auto canonical = workflow::canonical_json(text);
  fuzz::expect(canonical.has_value() == workflow::is_json(text), "JSON has a canonical text");
  if (!canonical)
    return;
  fuzz::expect(workflow::is_compact_json(*canonical), "a canonical text is compact JSON", *canonical);
  fuzz::expect(workflow::canonical_json(*canonical) == canonical, "a canonical text is its own", *canonical);
  const auto parsed = json::parse(text, nullptr, false);
  if (!parsed.is_discarded() && !is_odd(text))
    fuzz::expect(json::parse(*canonical) == parsed, "a canonical text says the same", *canonical);
}

/// The library takes no number that is too large for a double, the rules nothing that is nested deeper than theirs.
bool is_some_json(std::string_view text) {
  return json::accept(text) || workflow::is_json(text);
}

void check_shown(std::string_view text) {
  const auto shown = document_json(text);
  const auto line = json_line(shown);
  fuzz::expect(line.find('\n') == std::string::npos && is_some_json(line), "a document is shown as a line of JSON",
               line);
  fuzz::expect(text.empty() == shown.is_null() || text.find("null") != std::string_view::npos,
               "only a document that is not there is shown as null");
}

/// Steps `find` and `book`, which looks at the result of `find` and at the payload through the pointer.
workflow::definition booking(const std::string& pointer) {
  workflow::definition d;
  d.name = "trip";
  d.steps.resize(2);
  for (auto& s : d.steps)
    s.agent = "agent";
  d.steps[0].name = "find";
  d.steps[1].name = "book";
  d.steps[1].input = {{"of payload", {source::kind::payload, "", pointer, ""}},
                      {"of result", {source::kind::result, "find", pointer, ""}}};
  d.steps[1].when = workflow::condition{"find", pointer, workflow::condition::test::present, ""};
  return d;
}

workflow::task task_with(std::string_view document) {
  workflow::task t;
  t.payload = workflow::blob{std::string{document}};
  t.steps.resize(2);
  t.steps.change(0).state = workflow::step_state::completed;
  t.steps.change(0).result = t.payload;
  return t;
}

void check_input(const workflow::definition& d, std::string_view document, const json* expected) {
  const auto in = actors::make_input(task_with(document), d, 1, workflow::attempt_action::perform);
  fuzz::expect(in.problem.empty() == (expected != nullptr), "there is an input when there is a value", in.problem);
  if (expected == nullptr)
    return fuzz::expect(in.problem.starts_with("input `of payload`: the payload"), "a problem names its place",
                        in.problem);
  fuzz::expect(is_some_json(in.bytes), "an input is JSON", in.bytes);
  const auto made = json::parse(in.bytes);
  fuzz::expect(made == json{{"of payload", *expected}, {"of result", *expected}}, "the input has the values", in.bytes);
}

/// A submission is refused for what would stop a step.
void check_needs(const workflow::definition& d, std::string_view document, const json* expected) {
  const auto lacks = workflow::payload_needs{d}.problems(document);
  fuzz::expect(lacks.empty() == (expected != nullptr), "a payload is refused when it lacks a value",
               lacks.empty() ? "" : lacks.front());
}

void check_facts(const workflow::definition& d, std::string_view document, const json* expected) {
  const auto facts = actors::facts_of(d, 0, document);
  fuzz::expect(facts.size() == (expected == nullptr ? 0 : 1), "there is a fact when there is a value");
  if (expected == nullptr)
    return;
  fuzz::expect(workflow::is_compact_json(facts[0].json), "a fact is compact JSON", facts[0].json);
  fuzz::expect(json::parse(facts[0].json) == *expected, "a fact is the value", facts[0].json);
}

} // namespace

void fuzz::try_input(std::string_view input) {
  const std::string pointer{take_to(input, '\n')};
  check_grammar(input);
  check_canonical(input);
  check_shown(input);
  const auto d = booking(pointer);
  if (!workflow::problems(d).empty()) {
    expect(!workflow::is_json_pointer(pointer) || pointer.size() > workflow::text_size_max, "a pointer is taken");
    return;
  }
  const auto parsed = workflow::is_json(input) ? json::parse(input, nullptr, false) : json(json::value_t::discarded);
  // The library takes neither numbers that no double can hold nor halves of pairs of surrogates: both are handed on.
  if (parsed.is_discarded() && workflow::is_json(input) && workflow::is_utf8(input))
    return;
  const auto* expected = parsed.is_discarded() ? nullptr : value_at(parsed, pointer);
  check_input(d, input, expected);
  check_facts(d, input, expected);
  check_needs(d, input, expected);
}
