#include "simulation/world/documents.hpp"

#include "simulation/world/process.hpp"
#include "workflow/definition/item_workflow.hpp"
#include "workflow/time/time_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace steadfast::simulation {

namespace {

using nlohmann::json;
using definitions = std::vector<workflow::definition>;

constexpr const char* some_value = "simulated";

/// Makes only objects, even for an index: a pointer leads through both. What is there already stays.
void put(json& document, json::json_pointer pointer, const json& value) {
  std::vector<std::string> tokens; // the last one first
  for (; !pointer.empty(); pointer.pop_back())
    tokens.push_back(pointer.back());
  auto* at = &document;
  for (; !tokens.empty() && at->is_object(); tokens.pop_back())
    at = &*at->emplace(tokens.back(), tokens.size() == 1 ? value : json::object()).first;
}

/// Pointers that lead from there into a document; those of optional members now and then.
class pointers_asked {
public:
  pointers_asked(const workflow::definition& d, workflow::source::kind from, const std::string& step, chance& draw)
      : from_{from},
        step_{step},
        draw_{draw} {
    for (const auto& s : d.steps) {
      add(s.input);
      if (s.compensation)
        add(s.compensation->input);
    }
    add(d.result.members);
    if (d.result.value)
      add({{"", *d.result.value, false}});
  }

  /// Pointers that lead through others come before those.
  std::vector<std::string> found() && {
    std::stable_sort(pointers_.begin(), pointers_.end(),
                     [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
    return std::move(pointers_);
  }

private:
  void add(const workflow::input_mapping& members) {
    for (const auto& m : members)
      if (m.value.from == from_ && m.value.step == step_ && (!m.optional || draw_.below(2) == 0))
        pointers_.push_back(m.value.pointer);
  }

  workflow::source::kind from_;
  const std::string& step_;
  chance& draw_;
  std::vector<std::string> pointers_;
};

/// The payload of a task that a step starts, of which the newest definition counts.
void put_child(json& document, const std::string& pointer, const std::string& name, chance& draw,
               const definitions& all, const std::string& limit_key) {
  const auto child = std::find_if(all.rbegin(), all.rend(), [&](const auto& d) { return d.name == name; });
  if (child == all.rend())
    return put(document, json::json_pointer{pointer}, some_value);
  definitions others = all;
  std::erase_if(others, [&](const auto& d) { return d.name == name; }); // one that starts itself ends somewhere
  const auto payload = json::parse(sample_payload(*child, draw, others, limit_key));
  if (!pointer.empty())
    return put(document, json::json_pointer{pointer}, payload);
  for (const auto& [member, value] : payload.items())
    document.emplace(member, value);
}

/// The array that a step goes over: payloads of the tasks of its items, or now and then what is none.
void put_items(json& document, const workflow::step_definition& s, chance& draw, const definitions& all,
               const std::string& limit_key) {
  json items = json::array();
  for (auto left = draw.below(5); left > 0; --left) {
    json one = json::object();
    if (!s.wait->name.empty())
      put_child(one, {}, s.wait->name, draw, all, limit_key);
    for (const auto& m : s.input)
      if (m.value.from == workflow::source::kind::item && (!m.optional || draw.below(2) == 0))
        put(one, json::json_pointer{m.value.pointer}, some_value);
    items.push_back(std::move(one));
  }
  const bool may_be_none = s.when || s.wait->at.from != workflow::source::kind::payload; // else it would be refused
  const bool is_none = draw.below(20) == 0 && may_be_none;
  put(document, json::json_pointer{s.wait->at.pointer}, is_none ? json(some_value) : items);
}

/// What waits go by: a moment soon after the runs of a simulation begin, a zone.
void put_waits(json& document, const workflow::definition& d, workflow::source::kind from, const std::string& step,
               chance& draw, const definitions& all, const std::string& limit_key = {}) {
  for (const auto& s : d.steps) {
    if (workflow::is_over_items(s) && s.wait->at.from == from && s.wait->at.step == step) {
      put_items(document, s, draw, all, limit_key);
      continue;
    }
    if (workflow::starts_child(s) && s.wait->at.from == from && s.wait->at.step == step) {
      put_child(document, s.wait->at.pointer, s.wait->name, draw, all, limit_key);
      continue;
    }
    if (!s.wait || s.wait->what == workflow::wait_rule::kind::sleep || s.wait->at.from != from
        || s.wait->at.step != step)
      continue;
    const auto soon = midnight + std::chrono::minutes{draw.below(60)};
    const bool is_zone = s.wait->what == workflow::wait_rule::kind::next;
    put(document, json::json_pointer{s.wait->at.pointer}, is_zone ? "Europe/Lisbon" : workflow::utc_text(soon));
  }
}

/// What makes the condition hold, if one value at each of its places can.
void put_meeting(json& document, const workflow::condition& c) {
  using test = workflow::condition::test;
  if (c.is == test::all || (c.is == test::any && !c.parts.empty()))
    for (std::size_t i = 0; i < (c.is == test::all ? c.parts.size() : 1); ++i)
      put_meeting(document, c.parts[i]);
  if (workflow::is_made_of_parts(c) || c.is == test::absent)
    return;
  json value = c.literal.empty() || c.is == test::differs ? json(some_value) : json::parse(c.literal, nullptr, false);
  if (c.is == test::above || c.is == test::below)
    value = value.get<double>() + (c.is == test::above ? 1 : -1);
  put(document, json::json_pointer{c.pointer}, value);
}

/// What conditions compare: the same, another value, or none.
void put_compared(json& document, const workflow::definition& d, std::string_view step, chance& draw) {
  const auto put_one = [&](const workflow::condition& c) {
    if (c.step != step)
      return;
    const auto luck = draw.below(3);
    if (luck == 0 && !c.literal.empty())
      put(document, json::json_pointer{c.pointer}, json::parse(c.literal, nullptr, false));
    else if (luck <= 1)
      put(document, json::json_pointer{c.pointer}, some_value);
  };
  for (const auto& s : d.steps) {
    if (s.when)
      workflow::each_comparison(*s.when, put_one);
    if (s.repeat && s.name == step)
      workflow::each_comparison(s.repeat->until, [&](workflow::condition c) {
        c.step = step;
        put_one(c);
      });
    if (s.expect && s.name == step && draw.below(20) != 0) // else it may be a success that is none
      put_meeting(document, s.expect->is);
  }
}

/// In other words: with blanks, and its members the other way round.
std::string respelled_value(const json& value) {
  if (!value.is_object() || value.empty())
    return value.dump();
  std::string text;
  for (const auto& [name, member] : value.items())
    text = json(name).dump() + " : " + respelled_value(member) + (text.empty() ? "" : ",\n " + text);
  return "{ " + text + " }";
}

} // namespace

definitions with_those_of_items(definitions all) {
  definitions made;
  for (const auto& d : all)
    for (auto& of_items : workflow::item_workflows(d))
      made.push_back(std::move(of_items));
  all.insert(all.end(), made.begin(), made.end());
  return all;
}

std::string sample_payload(const workflow::definition& d, chance& draw, const definitions& all,
                           const std::string& limit_key) {
  json document = json::object();
  if (d.limit) {
    const auto drawn = "key" + std::to_string(draw.below(3));
    put(document, json::json_pointer{d.limit->pointer}, limit_key.empty() ? drawn : limit_key);
  }
  put_compared(document, d, workflow::payload_word, draw);
  put_waits(document, d, workflow::source::kind::payload, {}, draw, all, limit_key);
  for (const auto& pointer : pointers_asked{d, workflow::source::kind::payload, {}, draw}.found())
    put(document, json::json_pointer{pointer}, some_value);
  return document.dump();
}

std::string respelled(const std::string& document) {
  return respelled_value(json::parse(document));
}

std::string sample_result(const workflow::definition& d, const std::string& step, chance& draw,
                          const definitions& all) {
  json document = json::object();
  put_waits(document, d, workflow::source::kind::result, step, draw, all);
  put_compared(document, d, step, draw);
  for (const auto& pointer : pointers_asked{d, workflow::source::kind::result, step, draw}.found())
    put(document, json::json_pointer{pointer}, some_value);
  return document.dump();
}

} // namespace steadfast::simulation
