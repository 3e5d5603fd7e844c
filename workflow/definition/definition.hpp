#pragma once

#include "workflow/definition/definition_graph.hpp"
#include "workflow/definition/retry.hpp"
#include "workflow/time/time.hpp"
#include "workflow/time/zone.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast::workflow {

/// Where a member of a step's input comes from.
struct source {
  enum class kind : std::uint8_t {
    payload = 1,
    result = 2,
    literal = 3,
    item = 4, ///< what a step over items gives to the task of each
  };
  kind from = kind::payload;
  std::string step;    ///< with kind::result: the name of an earlier step
  std::string pointer; ///< JSON Pointer (RFC 6901) into the payload, result or item; "" is all of it
  std::string literal; ///< with kind::literal: a JSON text

  friend bool operator==(const source&, const source&) = default;
};

/// One member of the JSON object that a step gets as its input.
struct input_member {
  std::string name;
  source value;
  bool optional = false; ///< where there is no such value the member is left out; else the step cannot be carried out

  friend bool operator==(const input_member&, const input_member&) = default;
};

/// Input of a step: an object of these members. With no member at all it is the payload as it is, or with
/// `has_empty_input` the object without members.
using input_mapping = std::vector<input_member>;

/// What a task gives when it is processed: one value, or an object of members. A value that is not there is null, an
/// optional member left out. It changes nothing of how the task ends.
struct result_mapping {
  std::optional<source> value;
  input_mapping members; ///< without `value`

  /// The task has no result.
  bool empty() const { return !value && members.empty(); }

  friend bool operator==(const result_mapping&, const result_mapping&) = default;
};

/// Compares a value in an earlier step's result, or in the payload, or is made of conditions. A step whose condition
/// does not hold is skipped. Where there is no such value, because the earlier step was itself skipped or did not give
/// it, no comparison holds but `absent`.
struct condition {
  enum class test : std::uint8_t {
    equals = 1,
    differs = 2,
    present = 3,
    absent = 4,
    above = 5, ///< a number, as all that follow up to at_most
    at_least = 6,
    below = 7,
    at_most = 8,
    all = 9, ///< of `parts`
    any = 10,
    negated = 11, ///< its one part does not hold
  };
  std::string step; ///< payload_word: a value in the payload
  std::string pointer;
  test is = test::equals;
  std::string literal; ///< JSON text in compact form, of what it is compared with
  std::vector<condition> parts{};

  friend bool operator==(const condition&, const condition&) = default;
};
inline constexpr std::string_view payload_word = "payload"; ///< where a step is named; no step has that name
inline constexpr std::size_t condition_depth_max = 8;
inline constexpr std::size_t condition_parts_max = 64; ///< comparisons of one step

/// As files write it: "equals", "at_least" and so on; empty: it compares with nothing.
std::string_view name_of_comparison(condition::test t);

inline bool is_made_of_parts(const condition& c) {
  return c.is == condition::test::all || c.is == condition::test::any || c.is == condition::test::negated;
}

/// Calls f(condition) for each comparison in it.
template <class F>
void each_comparison(const condition& c, F f) {
  if (!is_made_of_parts(c))
    return f(c);
  for (const auto& part : c.parts)
    each_comparison(part, f);
}

/// What a step waits for, instead of being carried out by an agent.
struct wait_rule {
  enum class kind : std::uint8_t {
    sleep = 1,  ///< for `length`
    until = 2,  ///< the moment that `at` names
    next = 3,   ///< a time of day, on the clocks of the zone that `at` names
    event = 4,  ///< an event `name` with the key that `at` names, for `length` at most
    person = 5, ///< the answer of a person with the role `name` to `question`, for `length` at most
    child = 6,  ///< the end of a task of the workflow `name`, whose payload is what `at` names
    items = 7,  ///< the ends of such tasks, one for each item of the array that `at` names
  };
  kind what = kind::sleep;
  span length{0};
  source at;
  weekdays on = weekdays::all;
  span time_of_day{0}; ///< since midnight, as clocks show it
  std::string name;
  bool passes_at_limit = false; ///< of an event or a person: at the end of `length` it is completed; else it fails
  std::string question;
  std::vector<std::string> choices; ///< of the answer
  span remind_every{0};             ///< as long as nobody has answered, an alert; 0: none
  // Of items; without `name` their workflow is made of the step (item_workflow.hpp).
  std::uint32_t at_a_time = 0;         ///< tasks under way
  std::uint32_t may_fail = 0;          ///< items that may fail; more fail the step
  bool may_fail_is_percentage = false; ///< of the items, rounded down

  friend bool operator==(const wait_rule&, const wait_rule&) = default;
};

/// An agent may answer that the step was begun and ends later. Then it ends by a token, which the agent gave away with
/// its call.
struct later_rule {
  span limit{0};     ///< from the beginning of the attempt, whatever is heard of it
  span heartbeat{0}; ///< without a word for so long it has expired; 0: only `limit` counts

  friend bool operator==(const later_rule&, const later_rule&) = default;
};

/// The step is called again until its result is as wanted. A call that succeeds without that is no failure and uses up
/// no attempt.
struct repeat_rule {
  condition until; ///< compares the step's own result, which it does not name
  span every{0};
  std::uint32_t at_most = 0;    ///< calls
  bool passes_at_limit = false; ///< after so many it is completed with the last result; else it fails

  friend bool operator==(const repeat_rule&, const repeat_rule&) = default;
};

/// The result must be so, or the call has failed, although the service says that it succeeded; it may have acted.
struct expect_rule {
  condition is;         ///< compares the step's own result, which it does not name
  bool retries = false; ///< the failure is one for now; else one for good

  friend bool operator==(const expect_rule&, const expect_rule&) = default;
};

/// The step that reverses a completed one (pattern "Compensating Transaction"). It must be harmless when the step never
/// happened, and the service must refuse the step when it arrives after its undo.
struct compensation {
  std::string agent;
  input_mapping input;
  bool has_empty_input = false; ///< then `input` has no members
  span complete_by{30'000};
  retry_policy retry;

  friend bool operator==(const compensation&, const compensation&) = default;
};

/// Asks the remote side whether a step whose outcome is unknown happened.
struct probe {
  std::string agent;
  span complete_by{10'000};

  friend bool operator==(const probe&, const probe&) = default;
};

enum class on_exhausted : std::uint8_t {
  undo = 1,  ///< undo the task
  error = 2, ///< leave it as it is and ask a person
};

struct step_definition {
  std::string name;
  std::string agent;
  input_mapping input;
  bool has_empty_input = false;                  ///< then `input` has no members
  std::optional<std::vector<std::string>> after; ///< absent: the step before it in the list; empty: none
  std::optional<condition> when;
  span complete_by{30'000}; ///< of one attempt, counted from its dispatch
  retry_policy retry;
  std::uint32_t threshold = 3; ///< failed rounds before a cool-off, at least 1
  cool_off_policy cool_off;
  workflow::on_exhausted exhausted = workflow::on_exhausted::undo;
  std::optional<workflow::compensation> compensation;
  std::optional<workflow::probe> probe;
  std::optional<wait_rule> wait; ///< then there is neither agent nor anything else that is about attempts
  std::optional<later_rule> later;
  std::optional<repeat_rule> repeat;
  std::optional<expect_rule> expect;

  friend bool operator==(const step_definition&, const step_definition&) = default;
};

/// At most so many tasks of the workflow are under way at a time whose payloads have the same value at that place.
struct limit_rule {
  std::string pointer; ///< JSON Pointer into the payload
  std::uint32_t at_a_time = 1;
  /// Each counts at least so long from when it began: so no more than at_a_time begin within any such time.
  span per{};

  friend bool operator==(const limit_rule&, const limit_rule&) = default;
};

/// The named, versioned description that tasks are made from. A task pins its version.
struct definition {
  std::string name;
  std::uint32_t version = 1;
  std::vector<step_definition> steps;
  span deadline{std::chrono::hours{24}}; ///< from submission to the end of the whole task
  span undo_reserve{60'000};             ///< of the deadline, kept for undo: forward work ends this much earlier
  span grace{1000};         ///< after complete-by, until no message of an attempt can act any more; undo waits for it
  span alert_after{60'000}; ///< a step that waits this long because no agent takes it raises an alert
  std::uint32_t takeovers_max = 20; ///< times a task may lose its scheduler without progress before it is set aside
  std::uint8_t priority = 5;        ///< 0 first, 9 last
  result_mapping result;
  std::vector<std::string> index; ///< JSON Pointers into payloads: tasks are found by the values (payload_index.hpp)
  std::optional<limit_rule> limit;

  /// Made once the definition does not change any more; without it everything is found by name, which takes longer.
  kept_graph graph;

  friend bool operator==(const definition&, const definition&) = default;
};

/// Bounds that keep every record and loop small.
inline constexpr std::size_t steps_max = 10'000;
inline constexpr std::uint8_t priority_max = 9;
inline constexpr std::uint32_t attempts_of_a_round_max = 1000;
inline constexpr std::uint64_t attempts_max = 1'000'000; ///< of a step, over all rounds and cool-offs
inline constexpr std::uint32_t factor_percent_max = 10'000;
inline constexpr std::size_t input_members_max = 256;
inline constexpr std::size_t text_size_max = 4096; ///< of a pointer or a literal
inline constexpr std::size_t event_key_size_max = 256;
inline constexpr std::size_t event_id_size_max = 256;
inline constexpr span limit_per_min{1000};
inline constexpr std::uint32_t at_a_time_max = 1000;            ///< tasks of a limit, or items of a step, under way
inline constexpr std::uint32_t at_a_time_usual = 10;            ///< items of a step
inline constexpr std::uint32_t repeats_max = 10'000;            ///< calls of a step that is repeated
inline constexpr std::size_t choices_max = 32;                  ///< of an answer
inline constexpr span span_max = std::chrono::hours{24 * 3653}; ///< ten years

/// Every mistake in the definition, one sentence each, naming the step and the field. Empty: it can be used.
std::vector<std::string> problems(const definition& d);

/// The position of the step of that name.
std::optional<std::size_t> find_step(const definition& d, std::string_view name);

/// Whether it holds, bool(std::size_t), of each step that step `i` directly comes after. REQUIRES: problems(d).empty().
template <class F>
bool all_predecessors(const definition& d, std::size_t i, F holds) {
  const auto& after = d.steps[i].after;
  if (!after)
    return i == 0 || holds(i - 1);
  if (d.graph) {
    const auto before = d.graph->before(i);
    return std::all_of(before.begin(), before.end(), holds);
  }
  for (const auto& name : *after)
    if (const auto p = find_step(d, name); p && !holds(*p))
      return false;
  return true;
}

/// Positions of these steps.
std::vector<std::size_t> predecessors(const definition& d, std::size_t i);

/// Calls f(std::size_t) for each step that directly comes after step `i`, in order. REQUIRES: problems(d).empty().
template <class F>
void each_successor(const definition& d, std::size_t i, F f) {
  if (d.graph) {
    for (const auto j : d.graph->after(i))
      f(j);
    return;
  }
  for (std::size_t j = 0; j < d.steps.size(); ++j)
    if (!all_predecessors(d, j, [i](std::size_t p) { return p != i; }))
      f(j);
}

/// Which steps must come before which, directly or through others; those of a cycle come before themselves.
class ancestry {
public:
  explicit ancestry(const definition_graph& g, std::size_t steps);

  /// row[j]: step j must come before that of the row.
  struct row {
    const std::uint64_t* words;
    bool operator[](std::size_t j) const { return (words[j / 64] >> j % 64 & 1U) != 0; }
  };
  row operator[](std::size_t i) const { return {words_.data() + i * row_size_}; }

private:
  void add(std::size_t i, std::size_t p);
  void add_all_before(std::size_t i, const definition_graph& g);

  std::size_t row_size_;
  std::vector<std::uint64_t> words_;
};
ancestry ancestors(const definition& d);

/// The pointers into step `i`'s result that conditions and waits of later steps read. The caller of apply() looks them
/// up and hands them in with the result, so that the rules never parse JSON.
std::vector<std::string> pointers_asked(const definition& d, std::size_t i);

/// Names of the agents that it speaks of: those of steps, compensations and probes.
std::set<std::string> agents_of(const definition& d);

inline bool is_until_told(const wait_rule& w) {
  return w.what == wait_rule::kind::event || w.what == wait_rule::kind::person;
}

inline bool is_over_items(const step_definition& s) {
  return s.wait && s.wait->what == wait_rule::kind::items;
}
/// None is given: the agent gets the payload, and the task of an item that item. `Part`: a step, or a compensation.
template <class Part>
bool is_without_input(const Part& x) {
  return x.input.empty() && !x.has_empty_input;
}
inline void forget_input(step_definition& s) {
  s.input.clear();
  s.has_empty_input = false;
}
/// A task, or one for each item: they are its children.
inline bool starts_child(const step_definition& s) {
  return s.wait && (s.wait->what == wait_rule::kind::child || is_over_items(s));
}
/// Something reverses it: an agent, or its children are undone.
inline bool has_undo(const step_definition& s) {
  return s.compensation.has_value() || starts_child(s);
}

inline bool any_starts_child(const definition& d) {
  return d.graph ? d.graph->any_starts_child() : std::any_of(d.steps.begin(), d.steps.end(), starts_child);
}

/// What a node must know to read the definition, or with `schedules` to work with a store that has some. In the order
/// in which releases learnt it: each knows what is before.
enum class knowledge : std::uint8_t {
  none = 0,
  waits = 1,
  events = 2,
  schedules = 3,
  children = 4,
  limits = 5,
  for_each = 6,
  rates = 7, ///< and ids and lists of events
  expectations = 8,
  empty_inputs = 9,
};
inline constexpr auto newest_knowledge = knowledge::empty_inputs;
knowledge needed_for(const definition& d);
/// A node of some release cannot read it.
inline bool has_waits(const definition& d) {
  return needed_for(d) != knowledge::none;
}

/// The most forward attempts (probes apart) that step `i` can use before it is exhausted, unless a person retries it.
std::uint64_t attempts_limit(const step_definition& s);

} // namespace steadfast::workflow
