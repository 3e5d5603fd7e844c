#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Workflows built in C++. docs/workflows.md gives the meaning and the default of each part; what is built here is the
// same definition as one from a file. Nothing here throws except bad_alloc, unless it says so: problems() lists
// mistakes.

namespace steadfast {

namespace workflow {
struct condition;
struct definition;
struct input_member;
struct step_definition;
struct wait_rule;
} // namespace workflow

/// Where a member of a step's input, or another value, comes from.
class input_value {
public:
  /// A JSON Pointer (RFC 6901) into what the task was submitted with; "" is all of it.
  static input_value of_payload(std::string pointer = {});
  /// The same, into the result of an earlier step.
  static input_value of_result(std::string step, std::string pointer = {});
  /// Always this JSON text.
  static input_value always(std::string json);
  /// A place in the item, for the input of a step over items.
  static input_value of_item(std::string pointer = {});
  /// For a member: if there is no such value, it is left out; without this call, the step could not be carried out.
  input_value optional() const;

private:
  friend class step;
  friend class workflow_builder;
  enum class kind : std::uint8_t { payload, result, literal, item };
  input_value(kind from, std::string step, std::string text);
  kind from_;
  std::string step_;
  std::string text_;
  bool optional_ = false;
};

/// Whether a value is as wanted. It is at that place, a JSON Pointer, in the result of an earlier step, or with the
/// step "payload" in the payload. In a repeat_rule and in expect() the step is "": the step's own result is meant.
class condition {
public:
  static condition equals(std::string step, std::string pointer, std::string json);
  static condition differs(std::string step, std::string pointer, std::string json);
  static condition above(std::string step, std::string pointer, std::string number);
  static condition at_least(std::string step, std::string pointer, std::string number);
  static condition below(std::string step, std::string pointer, std::string number);
  static condition at_most(std::string step, std::string pointer, std::string number);
  static condition present(std::string step, std::string pointer);
  static condition absent(std::string step, std::string pointer);

  static condition all(const std::vector<condition>& parts);
  static condition any(const std::vector<condition>& parts);
  condition operator!() const;

private:
  friend class step;
  explicit condition(workflow::condition what);
  static std::vector<workflow::condition> inner(const std::vector<condition>& all);
  std::shared_ptr<const workflow::condition> what_;
};

/// The attempts of one round and the waits between them: each wait is `factor` times the one before, up to `cap`,
/// shortened by a random share up to `jitter`.
struct retry_rule {
  std::uint32_t attempts = 5;
  std::chrono::milliseconds initial{1000};
  double factor = 2.0; ///< 1 to 100
  std::chrono::milliseconds cap{60'000};
  double jitter = 0.2; ///< 0 to 1
};

/// What a step waits for: an event with this key, for at most `limit`.
struct event_rule {
  std::string event;
  std::optional<input_value> key{}; ///< a text or a number; without it, events without a key
  std::chrono::milliseconds limit{};
  bool pass_at_limit = false; ///< the step is completed with the result null; else it fails for good
};

/// What a person is asked, for at most `limit`. The result is {"choice": ..., "who": ..., "why": ...}.
struct question_rule {
  std::string role;
  std::string question;
  std::vector<std::string> choices{"yes", "no"};
  std::chrono::milliseconds limit{};
  std::chrono::milliseconds remind_every{}; ///< while nobody answers, an alert; 0: none
  bool pass_at_limit = false;               ///< the step is completed with the result null; else it fails for good
};

/// How long a step is called again. A call that succeeds before that uses up no attempt.
struct repeat_rule {
  condition until;
  std::chrono::milliseconds every{};
  std::uint32_t at_most = 0;  ///< calls, 2 to 10,000
  bool pass_at_limit = false; ///< after that many, it is completed with the last result; else it fails for good
};

/// One step, carried out by one agent. A step comes after the one before it in the list unless it says otherwise.
class step {
public:
  step(std::string name, std::string agent);
  /// A step that only waits. The settings for agents and attempts cannot be used on it.
  static step sleep(std::string name, std::chrono::milliseconds how_long);
  /// The same until a moment, or until "next 08:00 Europe/Lisbon": docs/workflows.md says what `until` may be. A
  /// mistake in it is listed among the workflow's problems.
  static step until(std::string name, std::string_view when);
  // The same until an event comes, or a person answers.
  static step event(std::string name, const event_rule& rule);
  static step question(std::string name, const question_rule& rule);
  /// A step that starts a task of that workflow with this payload, and waits for its end. The settings for agents and
  /// attempts cannot be used on it either.
  static step child(std::string name, std::string workflow, const input_value& payload = input_value::of_payload());
  /// The same for each item of the array there: at_a_time(), may_fail() and input() can be used on it too.
  static step children(std::string name, std::string workflow, const input_value& array);
  step(const step&);
  step(step&&) noexcept;
  step& operator=(const step&);
  step& operator=(step&&) noexcept;
  ~step();

  /// One member of the step's input. Without any, the input is the payload as it is.
  step& input(std::string member, const input_value& value);
  /// The input is `{}`, as with `input = {}` in a file. A later input() adds members to it.
  step& empty_input();
  /// Names of the steps that must be done before it, as with `after = [...]` in a file. `after({})`: it waits for none.
  step& after(std::vector<std::string> steps);
  step& complete_by(std::chrono::milliseconds of_one_attempt);
  step& retry(const retry_rule& rule);
  /// The step's agent may answer later(): then the step takes at most `limit`, and has failed after a `heartbeat`
  /// without a word about it. 0: only the limit counts.
  step& may_end_later(std::chrono::milliseconds limit, std::chrono::milliseconds heartbeat = {});

  /// The step is carried out for each item of the array there, at most 10,000, each as a task of its own. Its result is
  /// an array of their results. Without input(), the input is the item.
  step& for_each(const input_value& array);
  step& at_a_time(std::uint32_t items); ///< under way, 1 to 1000; 10 without it
  // How many items may fail, or what share of them, rounded down; without this, none.
  step& may_fail(std::uint32_t items);
  step& may_fail_percent(std::uint32_t of_the_items);

  /// The step is called again `every` so often, until the condition holds for its result.
  step& repeat(const repeat_rule& rule);

  /// A result for which this does not hold is a permanent failure: the service may have acted, and the step is undone.
  step& expect(const condition& of_its_result);
  /// The same, but the failure is transient: the step is tried again.
  step& expect_or_retry(const condition& of_its_result);

  /// The step is skipped unless this holds.
  step& when(const condition& holds);
  // The same with one comparison of an earlier step's result.
  step& when_equals(std::string earlier, std::string pointer, std::string json);
  step& when_differs(std::string earlier, std::string pointer, std::string json);
  step& when_present(std::string earlier, std::string pointer);
  step& when_absent(std::string earlier, std::string pointer);

  /// Failed rounds before a long wait, and the number of long waits before the step is given up.
  step& threshold(std::uint32_t rounds);
  step& cool_off(std::chrono::milliseconds wait, std::uint32_t count);
  /// When a step is given up, the task is left in error for a person, instead of being undone.
  step& ask_a_person();

  /// The agent that undoes the step. Its input is the payload unless undo_input() gives it members.
  step& undo_with(std::string agent);
  step& undo_input(std::string member, const input_value& value);
  step& empty_undo_input();
  step& undo_complete_by(std::chrono::milliseconds of_one_attempt);
  step& undo_retry(const retry_rule& rule);

  /// The agent that is asked whether the step happened, when nobody knows.
  step& probe_with(std::string agent, std::chrono::milliseconds complete_by = std::chrono::seconds{10});

private:
  friend class workflow_builder;
  static workflow::input_member member(std::string name, const input_value& value);
  workflow::wait_rule& items();
  std::unique_ptr<workflow::step_definition> what_;
};

/// A workflow in the making. A value: copies are independent.
class workflow_builder {
public:
  explicit workflow_builder(std::string name, std::uint32_t version = 1);
  /// From a workflow file, or from its text. They throw node_error with every mistake.
  static workflow_builder from_file(const std::filesystem::path& file);
  static workflow_builder from_toml(std::string_view text);
  workflow_builder(const workflow_builder&);
  workflow_builder(workflow_builder&&) noexcept;
  workflow_builder& operator=(const workflow_builder&);
  workflow_builder& operator=(workflow_builder&&) noexcept;
  ~workflow_builder();

  workflow_builder& add(step s); ///< the next in the list
  /// The result of a processed task: one value, or an object of members. A missing value is null; a missing optional
  /// member is left out.
  workflow_builder& result(const input_value& value);
  workflow_builder& result_member(std::string name, const input_value& value);
  workflow_builder& deadline(std::chrono::milliseconds of_the_whole_task);
  workflow_builder& undo_reserve(std::chrono::milliseconds of_the_deadline);
  workflow_builder& grace(std::chrono::milliseconds after_complete_by);
  workflow_builder& alert_after(std::chrono::milliseconds without_agent);
  workflow_builder& takeovers(std::uint32_t most);
  workflow_builder& priority(std::uint8_t zero_first);
  /// Makes tasks searchable by the value at this place of their payload, a JSON Pointer. At most 4 places.
  workflow_builder& index(std::string pointer);
  /// At most `at_a_time` tasks are under way at once with the same value at this place of their payloads, a JSON
  /// Pointer. `per`: and no more than that begin within any such span.
  workflow_builder& limit(std::string pointer, std::uint32_t at_a_time = 1, std::chrono::milliseconds per = {});

  const std::string& name() const;
  std::uint32_t version() const;
  /// Every mistake, one sentence each, naming the step and the field. Empty: a node accepts the workflow.
  std::vector<std::string> problems() const;

private:
  friend class workflow_access;
  std::unique_ptr<workflow::definition> what_;
};

} // namespace steadfast
