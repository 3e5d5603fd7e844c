#pragma once

#include "tests/support/workflow/definitions.hpp"
#include "workflow/transition/transition.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace steadfast::tests {

/// Some moment; the rules only compare moments.
inline constexpr workflow::instant start{workflow::span{1'700'000'000'000}};

/// One line for each command, such as "dispatch 0 attempt 1", so that two can be compared and shown.
std::string text_of(const workflow::command& c);
std::vector<std::string> texts_of(const std::vector<workflow::command>& commands);

/// One task driven by hand: applies events, checks the invariants after each, and gathers what was to be told.
class scenario {
public:
  explicit scenario(workflow::definition d);

  workflow::definition d;
  workflow::task t;
  workflow::instant now = start;
  workflow::change last;
  std::vector<workflow::notice> notices;
  std::vector<workflow::alert> alerts;

  workflow::event_status raise(const workflow::event& e);
  /// Raises the event, which must be applied.
  void must(const workflow::event& e);

  void take(const std::string& scheduler = "s1");
  void succeed(std::string_view step, std::string result = "{}");
  void fail(std::string_view step, bool maybe_done = false);
  void fail_for_good(std::string_view step, bool maybe_done = false);
  void decline(std::string_view step);
  /// Lets complete-by pass.
  void expire(std::string_view step);
  /// Lets complete-by pass and has the supervisor count it.
  void expire_round(std::string_view step);
  /// Goes on to the earliest wait of a step and says so.
  void wait();
  /// Applies what the supervisor finds, until it finds no more.
  void supervise();

  std::size_t number(std::string_view step) const;
  const workflow::step& at(std::string_view step) const;
  workflow::attempt_ref ref(std::string_view step) const;
  std::string state(std::string_view step) const { return std::string{to_string(at(step).state)}; }
  std::string state() const { return std::string{to_string(t.state)}; }
  std::vector<std::string> commands() const { return texts_of(last.commands); }
};

} // namespace steadfast::tests
