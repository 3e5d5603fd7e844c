#include "workflow/definition/payload_needs.hpp"

#include "workflow/definition/item_workflow.hpp"
#include "workflow/definition/wait_end.hpp"
#include "workflow/text/json_place.hpp"
#include "workflow/text/json_scan.hpp"
#include "workflow/text/json_text.hpp"
#include "workflow/text/name.hpp"

namespace steadfast::workflow {
namespace {

constexpr std::size_t problems_max = 5;
constexpr std::size_t value_told_max = 80; ///< bytes

bool is_of_payload(const wait_rule& w) {
  if (w.what == wait_rule::kind::child && w.at.pointer.empty())
    return false; // all of it, whatever it is
  return w.what != wait_rule::kind::sleep && w.what != wait_rule::kind::person && w.at.from == source::kind::payload;
}

std::string why_no_items(std::string_view value) {
  json_scan in{value};
  if (in.next() != '[')
    return "is " + clipped(value, value_told_max) + ", and not an array";
  std::size_t size = 0;
  for (bool more = in.enter(); more; more = in.more(), ++size)
    in.skip_value();
  return size <= items_max
           ? std::string{}
           : "has " + std::to_string(size) + " items, and at most " + std::to_string(items_max) + " are allowed";
}

/// Why no wait can go by that value, whenever it begins; empty: one can.
std::string why_useless(const wait_rule& w, std::string_view value) {
  switch (w.what) {
    case wait_rule::kind::items: return why_no_items(value);
    case wait_rule::kind::until:
    case wait_rule::kind::next: return end_of(w, value, unset).problem;
    case wait_rule::kind::event: {
      const auto key = event_key_of(value);
      return key.problem.empty() && key.text.empty() ? "is empty" : key.problem;
    }
    default: return {};
  }
}

} // namespace

/// Goes through a payload once, whatever there is to find.
class payload_needs::finder {
public:
  finder(const std::vector<place>& places, std::string_view text)
      : places_{places},
        in_{text},
        is_there_(places.size()) {
    visit(0);
  }

  bool is_there(std::size_t place) const { return is_there_[place]; }

private:
  void visit(std::size_t at) {
    forget(at);
    is_there_[at] = true;
    const char c = in_.next();
    if (places_[at].below.empty() || (c != '{' && c != '['))
      return in_.skip_value();
    std::size_t index = 0;
    for (bool more = in_.enter(); more; more = in_.more(), ++index)
      visit_if_wanted(at, c == '{' ? in_.name() : std::to_string(index));
  }

  void visit_if_wanted(std::size_t at, const std::string& token) {
    const auto found = places_[at].below.find(token);
    if (found == places_[at].below.end())
      in_.skip_value();
    else
      visit(found->second);
  }

  /// Of members with one name the last counts.
  void forget(std::size_t at) {
    if (!is_there_[at])
      return;
    is_there_[at] = false;
    for (const auto& [token, place] : places_[at].below)
      forget(place);
  }

  const std::vector<place>& places_;
  json_scan in_;
  std::vector<bool> is_there_;
};

payload_needs::payload_needs(const definition& d) {
  for (const auto& s : d.steps) {
    add(s.input, "step " + quoted(s.name) + " needs for its input member ");
    if (s.compensation && !is_over_items(s))
      add(s.compensation->input, "the undo of step " + quoted(s.name) + " needs for its input member ");
    if (s.wait && is_of_payload(*s.wait))
      needs_.push_back({"step " + quoted(s.name)
                          + (is_over_items(s)  ? " goes over"
                             : starts_child(s) ? " gives to its task"
                                               : " waits by"),
                        s.wait->at.pointer, place_of(s.wait->at.pointer), s.when ? std::nullopt : s.wait});
  }
  if (d.limit)
    needs_.push_back({"is the key of the workflow's limit", d.limit->pointer, place_of(d.limit->pointer)});
  add(d.result.members, "the workflow's result needs for its member ");
  if (d.result.value && d.result.value->from == source::kind::payload)
    needs_.push_back({"is the workflow's result", d.result.value->pointer, place_of(d.result.value->pointer)});
}

void payload_needs::add(const input_mapping& members, const std::string& who) {
  for (const auto& m : members)
    if (m.value.from == source::kind::payload && !m.optional)
      needs_.push_back({who + quoted(m.name), m.value.pointer, place_of(m.value.pointer)});
}

std::size_t payload_needs::place_of(std::string_view pointer) {
  std::size_t at = 0;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const auto token = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(token.size());
    const auto [found, is_new] = places_[at].below.try_emplace(unescaped_token(token), places_.size());
    at = found->second;
    if (is_new)
      places_.emplace_back();
  }
  return at;
}

std::vector<std::string> payload_needs::problems(std::string_view payload) const {
  if (needs_.empty())
    return {};
  if (!is_json(payload) || !is_utf8(payload))
    return {"payload is not JSON in UTF-8, or is nested too deep, and has no value at \"" + needs_.front().pointer
            + "\", which " + needs_.front().who};
  const finder found{places_, payload};
  std::vector<std::string> sentences;
  std::size_t missing = 0;
  for (const auto& n : needs_) {
    if (!found.is_there(n.place)) {
      if (++missing <= problems_max)
        sentences.push_back("payload has no value at \"" + n.pointer + "\", which " + n.who);
    } else if (n.wait && sentences.size() < problems_max) {
      if (const auto why = why_useless(*n.wait, json_value_at(payload, n.pointer).value_or("")); !why.empty())
        sentences.push_back("payload value at \"" + n.pointer + "\", which " + n.who + ", " + why);
    }
  }
  if (missing > problems_max)
    sentences.push_back("and it lacks " + std::to_string(missing - problems_max) + " more");
  return sentences;
}

std::vector<std::string> problems(const schedule& s, const definition& d, instant moment) {
  return payload_needs{d}.problems(payload_for(s, moment).view());
}

bool is_for(const schedule& s, const definition& d) {
  return s.workflow == d.name && (s.version == 0 || s.version == d.version);
}

} // namespace steadfast::workflow
