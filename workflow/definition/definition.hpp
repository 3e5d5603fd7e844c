#pragma once

#include "workflow/definition/definition_graph.hpp"
#include "workflow/definition/retry.hpp"
#include "workflow/priority.hpp"
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
    item = 4, ///< what a step over items gives to the task of each item
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
  bool optional = false; ///< if there is no such value the member is left out; otherwise the step cannot be carried out

  friend bool operator==(const input_member&, const input_member&) = default;
};

/// Input of a step: an object of these members. Without any member, it is the payload as it is, or with
/// `has_empty_input` the empty object.
using input_mapping = std::vector<input_member>;

/// The result of a task that is processed: one value, or an object of members. A missing value is null, and a missing
/// optional member is left out. It has no influence on how the task ends.
struct result_mapping {
  std::optional<source> value;
  input_mapping members; ///< without `value`

  /// Whether the task has no result.
  bool empty() const { return !value && members.empty(); }

  friend bool operator==(const result_mapping&, const result_mapping&) = default;
};

/// Compares a value in an earlier step's result, or in the payload, or consists of conditions. A step whose condition
/// does not hold is skipped. If there is no such value, because the earlier step was itself skipped or did not return
/// it, no comparison but `absent` holds.
struct condition {
  enum class test : std::uint8_t {
    equals = 1,
    differs = 2,
    present = 3,
    absent = 4,
    above = 5, ///< compares numbers, like those that follow up to at_most
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
  std::string literal; ///< JSON text in compact form, with which the value is compared
  std::vector<condition> parts{};

  friend bool operator==(const condition&, const condition&) = default;
};
inline constexpr std::string_view payload_word = "payload"; ///< in place of the name of a step; no step has that name
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
    event = 4,  ///< an event `name` with the key that `at` names, for at most `length`
    person = 5, ///< the answer of a person with the role `name` to `question`, for at most `length`
    child = 6,  ///< the end of a task of the workflow `name`, whose payload is what `at` names
    items = 7,  ///< the ends of such tasks, one for each item of the array that `at` names
  };
  kind what = kind::sleep;
  span length{0};
  source at;
  weekdays on = weekdays::all;
  span time_of_day{0}; ///< since midnight, as clocks show it
  std::string name;
  bool passes_at_limit = false; ///< for events and persons: completed at the end of `length`; otherwise it fails
  std::string question;
  std::vector<std::string> choices; ///< that the person has for the answer
  span remind_every{0};             ///< while nobody has answered, an alert is raised this often; 0: never
  // For items; without `name` their workflow is made from the step (item_workflow.hpp).
  std::uint32_t at_a_time = 0;         ///< how many tasks may be under way
  std::uint32_t may_fail = 0;          ///< how many items may fail; if more do, the step fails
  bool may_fail_is_percentage = false; ///< `may_fail` is a percentage of the items, rounded down

  friend bool operator==(const wait_rule&, const wait_rule&) = default;
};

/// An agent may answer that the step was begun and ends later. Then the step is ended with a token, which the agent
/// passed on with its call.
struct later_rule {
  span limit{0};     ///< from the beginning of the attempt, whatever is heard about it
  span heartbeat{0}; ///< after this time without a word it has expired; 0: only `limit` counts

  friend bool operator==(const later_rule&, const later_rule&) = default;
};

/// The step is called again until its result is as wanted. A call that succeeds with another result is no failure and
/// uses up no attempt.
struct repeat_rule {
  condition until; ///< compares the step's own result, which it does not name
  span every{0};
  std::uint32_t at_most = 0;    ///< calls
  bool passes_at_limit = false; ///< after the last call the step is completed with the last result; otherwise it fails

  friend bool operator==(const repeat_rule&, const repeat_rule&) = default;
};

/// The result must be so; otherwise the call has failed, although it succeeded for the service, and may have acted.
struct expect_rule {
  condition is;         ///< compares the step's own result, which it does not name
  bool retries = false; ///< the failure is transient; otherwise it is permanent

  friend bool operator==(const expect_rule&, const expect_rule&) = default;
};

/// The step that reverses a completed one (pattern "Compensating Transaction"). It must be harmless if the step never
/// happened, and the service must refuse the step if that arrives after its undo.
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
  std::optional<wait_rule> wait; ///< if set, there is no agent, and nothing that is about attempts
  std::optional<later_rule> later;
  std::optional<repeat_rule> repeat;
  std::optional<expect_rule> expect;

  friend bool operator==(const step_definition&, const step_definition&) = default;
};

/// At most `at_a_time` tasks of the workflow are under way at once with the same value at that place of their payloads.
struct limit_rule {
  std::string pointer; ///< JSON Pointer into the payload
  std::uint32_t at_a_time = 1;
  /// Each counts for at least so long from its beginning: so no more than at_a_time begin within any such span.
  span per{};

  friend bool operator==(const limit_rule&, const limit_rule&) = default;
};

/// The named, versioned description from which tasks are made. A task pins its version.
struct definition {
  std::string name;
  std::uint32_t version = 1;
  std::vector<step_definition> steps;
  span deadline{std::chrono::hours{24}}; ///< from submission to the end of the whole task
  span undo_reserve{60'000};             ///< of the deadline, kept for undo: forward work ends this much earlier
  span grace{1000};         ///< how long after complete-by messages of an attempt may still act; undo waits for that
  span alert_after{60'000}; ///< an alert is raised if no agent takes a step for this long
  std::uint32_t takeovers_max = 20; ///< how often a task may lose its scheduler without progress before it is set aside
  std::uint8_t priority = 5;        ///< 0 first, 9 last
  result_mapping result;
  std::vector<std::string> index; ///< JSON Pointers into payloads: tasks are found by the values (payload_index.hpp)
  std::optional<limit_rule> limit;

  /// Made once the definition no longer changes; without it every step is looked up by name, which takes longer.
  kept_graph graph;

  friend bool operator==(const definition&, const definition&) = default;
};

/// Bounds that keep every record and loop small.
inline constexpr std::size_t steps_max = 10'000;
inline constexpr std::uint32_t attempts_of_a_round_max = 1000;
inline constexpr std::uint64_t attempts_max = 1'000'000; ///< of a step, over all rounds and cool-offs
inline constexpr std::uint32_t factor_percent_max = 10'000;
inline constexpr std::size_t input_members_max = 256;
inline constexpr std::size_t text_size_max = 4096; ///< of a pointer or a literal
inline constexpr std::size_t event_key_size_max = 256;
inline constexpr std::size_t event_id_size_max = 256;
inline constexpr span limit_per_min{1000};
inline constexpr std::uint32_t at_a_time_max = 1000;            ///< tasks under a limit, or items of a step, under way
inline constexpr std::uint32_t at_a_time_usual = 10;            ///< items of a step
inline constexpr std::uint32_t repeats_max = 10'000;            ///< calls of a step that is repeated
inline constexpr std::size_t choices_max = 32;                  ///< of an answer
inline constexpr span span_max = std::chrono::hours{24 * 3653}; ///< ten years

/// Every mistake in the definition, one sentence each, naming the step and the field. Empty: it can be used.
std::vector<std::string> problems(const definition& d);

/// The position of the step of that name.
std::optional<std::size_t> find_step(const definition& d, std::string_view name);

/// Whether `holds`, a bool(std::size_t), is true of each step directly before `i`. REQUIRES: problems(d).empty().
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

/// Positions of the steps that step `i` directly comes after.
std::vector<std::size_t> predecessors(const definition& d, std::size_t i);

/// Calls f(std::size_t) for each step directly after step `i`, in order. REQUIRES: problems(d).empty().
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

/// Which steps must come before which, directly or through others; the steps of a cycle come before themselves.
class ancestry {
public:
  explicit ancestry(const definition_graph& g, std::size_t steps);

  /// row[j]: step j must come before the step of this row.
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
/// up and passes the values in with the result, so that the rules never parse JSON.
std::vector<std::string> pointers_asked(const definition& d, std::size_t i);

/// Names of all agents in the definition: those of steps, compensations and probes.
std::set<std::string> agents_of(const definition& d);

inline bool is_until_told(const wait_rule& w) {
  return w.what == wait_rule::kind::event || w.what == wait_rule::kind::person;
}

inline bool is_over_items(const step_definition& s) {
  return s.wait && s.wait->what == wait_rule::kind::items;
}
/// No input is given: an agent gets the payload, the task of an item gets the item. `Part`: a step or a compensation.
template <class Part>
bool is_without_input(const Part& x) {
  return x.input.empty() && !x.has_empty_input;
}
inline void forget_input(step_definition& s) {
  s.input.clear();
  s.has_empty_input = false;
}
/// The step starts a task, or one for each item: these are its children.
inline bool starts_child(const step_definition& s) {
  return s.wait && (s.wait->what == wait_rule::kind::child || is_over_items(s));
}
/// Something can reverse the step: an agent, or the undo of its children.
inline bool has_undo(const step_definition& s) {
  return s.compensation.has_value() || starts_child(s);
}

inline bool any_starts_child(const definition& d) {
  return d.graph ? d.graph->any_starts_child() : std::any_of(d.steps.begin(), d.steps.end(), starts_child);
}

/// What a node must know to read the definition, or with `schedules` to work with a store that has some. In the order
/// in which releases learnt it: whoever knows one also knows those before it.
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
/// Whether a node of some release cannot read the definition.
inline bool has_waits(const definition& d) {
  return needed_for(d) != knowledge::none;
}

/// The most forward attempts (without probes) that step `i` can use before it is exhausted, unless a person retries it.
std::uint64_t attempts_limit(const step_definition& s);

} // namespace steadfast::workflow
