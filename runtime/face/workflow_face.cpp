#include "runtime/configuration/workflow_file.hpp"
#include "runtime/configuration/workflow_places.hpp"
#include "runtime/toml/config_error.hpp"
#include "steadfast/node_error.hpp"
#include "steadfast/workflow.hpp"
#include "workflow/definition/definition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace steadfast {

namespace {

/// A factor such as 2.0 or 0.2 in percent; one that makes no sense becomes a number that `problems` refuses.
std::uint32_t percent(double share) {
  constexpr auto most = std::numeric_limits<std::uint32_t>::max();
  const auto rounded = std::round(share * 100);
  return rounded >= 0 && rounded < most ? static_cast<std::uint32_t>(rounded) : most;
}

workflow::retry_policy inner(const retry_rule& r) {
  return {r.attempts, r.initial, percent(r.factor), r.cap, percent(r.jitter)};
}

workflow::condition condition_on(std::string step, std::string pointer, workflow::condition::test is,
                                 std::string json = {}) {
  return {std::move(step), std::move(pointer), is, std::move(json)};
}

/// Settings of an undo may come before its agent; if none is ever named, that is a problem.
workflow::compensation& undo_of(workflow::step_definition& s) {
  if (!s.compensation)
    s.compensation.emplace();
  return *s.compensation;
}

template <class Read>
workflow::definition read_or_explain(Read read) {
  try {
    return read();
  } catch (const runtime::config_error& e) {
    throw node_error{e.what()};
  }
}

} // namespace

// ---- where input comes from ----

input_value::input_value(kind from, std::string step, std::string text)
    : from_{from},
      step_{std::move(step)},
      text_{std::move(text)} {}

input_value input_value::of_payload(std::string pointer) {
  return {kind::payload, {}, std::move(pointer)};
}

input_value input_value::of_result(std::string step, std::string pointer) {
  return {kind::result, std::move(step), std::move(pointer)};
}

input_value input_value::always(std::string json) {
  return {kind::literal, {}, std::move(json)};
}

input_value input_value::optional() const {
  auto v = *this;
  v.optional_ = true;
  return v;
}

// ---- a step ----

step::step(std::string name, std::string agent) : what_{std::make_unique<workflow::step_definition>()} {
  what_->name = std::move(name);
  what_->agent = std::move(agent);
}

step step::sleep(std::string name, std::chrono::milliseconds how_long) {
  step s{std::move(name), {}};
  s.what_->wait.emplace();
  s.what_->wait->length = how_long;
  return s;
}

step step::until(std::string name, std::string_view when) {
  step s{std::move(name), {}};
  workflow::wait_rule senseless;
  senseless.what = workflow::wait_rule::kind::until;
  senseless.at = {workflow::source::kind::literal, {}, {}, "null"};
  s.what_->wait = parse_until(when).value_or(senseless);
  return s;
}

step::step(const step& other) : what_{std::make_unique<workflow::step_definition>(*other.what_)} {}
step::step(step&&) noexcept = default;
step& step::operator=(const step& other) {
  *this = step{other};
  return *this;
}
step& step::operator=(step&&) noexcept = default;
step::~step() = default;

workflow::input_member step::member(std::string name, const input_value& v) {
  const auto source = [&v]() -> workflow::source {
    switch (v.from_) {
      case input_value::kind::payload: return {workflow::source::kind::payload, {}, v.text_, {}};
      case input_value::kind::result: return {workflow::source::kind::result, v.step_, v.text_, {}};
      default: return {workflow::source::kind::literal, {}, {}, v.text_};
    }
  };
  return {std::move(name), source(), v.optional_};
}

step& step::input(std::string name, const input_value& value) {
  what_->input.push_back(member(std::move(name), value));
  return *this;
}

step& step::after(std::vector<std::string> steps) {
  what_->after.emplace(std::move(steps));
  return *this;
}

step& step::complete_by(std::chrono::milliseconds of_one_attempt) {
  what_->complete_by = of_one_attempt;
  return *this;
}

step& step::retry(const retry_rule& rule) {
  what_->retry = inner(rule);
  return *this;
}

step& step::may_end_later(std::chrono::milliseconds limit, std::chrono::milliseconds heartbeat) {
  what_->later = workflow::later_rule{limit, heartbeat};
  return *this;
}

step& step::when_equals(std::string earlier, std::string pointer, std::string json) {
  what_->when =
    condition_on(std::move(earlier), std::move(pointer), workflow::condition::test::equals, std::move(json));
  return *this;
}

step& step::when_differs(std::string earlier, std::string pointer, std::string json) {
  what_->when =
    condition_on(std::move(earlier), std::move(pointer), workflow::condition::test::differs, std::move(json));
  return *this;
}

step& step::when_present(std::string earlier, std::string pointer) {
  what_->when = condition_on(std::move(earlier), std::move(pointer), workflow::condition::test::present);
  return *this;
}

step& step::when_absent(std::string earlier, std::string pointer) {
  what_->when = condition_on(std::move(earlier), std::move(pointer), workflow::condition::test::absent);
  return *this;
}

step& step::threshold(std::uint32_t rounds) {
  what_->threshold = rounds;
  return *this;
}

step& step::cool_off(std::chrono::milliseconds wait, std::uint32_t count) {
  what_->cool_off = {wait, count};
  return *this;
}

step& step::ask_a_person() {
  what_->exhausted = workflow::on_exhausted::error;
  return *this;
}

step& step::undo_with(std::string agent) {
  undo_of(*what_).agent = std::move(agent);
  return *this;
}

step& step::undo_input(std::string name, const input_value& value) {
  undo_of(*what_).input.push_back(member(std::move(name), value));
  return *this;
}

step& step::undo_complete_by(std::chrono::milliseconds of_one_attempt) {
  undo_of(*what_).complete_by = of_one_attempt;
  return *this;
}

step& step::undo_retry(const retry_rule& rule) {
  undo_of(*what_).retry = inner(rule);
  return *this;
}

step& step::probe_with(std::string agent, std::chrono::milliseconds complete_by) {
  what_->probe = workflow::probe{std::move(agent), complete_by};
  return *this;
}

// ---- the whole ----

workflow_builder::workflow_builder(std::string name, std::uint32_t version)
    : what_{std::make_unique<workflow::definition>()} {
  what_->name = std::move(name);
  what_->version = version;
}

workflow_builder workflow_builder::from_file(const std::filesystem::path& file) {
  workflow_builder b{{}};
  *b.what_ = read_or_explain([&] { return load_workflow(file); });
  return b;
}

workflow_builder workflow_builder::from_toml(std::string_view text) {
  workflow_builder b{{}};
  *b.what_ = read_or_explain([&] { return parse_workflow(text, "workflow"); });
  return b;
}

workflow_builder::workflow_builder(const workflow_builder& other)
    : what_{std::make_unique<workflow::definition>(*other.what_)} {}
workflow_builder::workflow_builder(workflow_builder&&) noexcept = default;
workflow_builder& workflow_builder::operator=(const workflow_builder& other) {
  *this = workflow_builder{other};
  return *this;
}
workflow_builder& workflow_builder::operator=(workflow_builder&&) noexcept = default;
workflow_builder::~workflow_builder() = default;

workflow_builder& workflow_builder::add(step s) {
  what_->steps.push_back(std::move(*s.what_));
  return *this;
}

workflow_builder& workflow_builder::result(const input_value& value) {
  what_->result.value = step::member({}, value).value;
  return *this;
}

workflow_builder& workflow_builder::result_member(std::string name, const input_value& value) {
  what_->result.members.push_back(step::member(std::move(name), value));
  return *this;
}

workflow_builder& workflow_builder::deadline(std::chrono::milliseconds of_the_whole_task) {
  what_->deadline = of_the_whole_task;
  return *this;
}

workflow_builder& workflow_builder::undo_reserve(std::chrono::milliseconds of_the_deadline) {
  what_->undo_reserve = of_the_deadline;
  return *this;
}

workflow_builder& workflow_builder::grace(std::chrono::milliseconds after_complete_by) {
  what_->grace = after_complete_by;
  return *this;
}

workflow_builder& workflow_builder::alert_after(std::chrono::milliseconds without_agent) {
  what_->alert_after = without_agent;
  return *this;
}

workflow_builder& workflow_builder::takeovers(std::uint32_t most) {
  what_->takeovers_max = most;
  return *this;
}

workflow_builder& workflow_builder::priority(std::uint8_t zero_first) {
  what_->priority = zero_first;
  return *this;
}

workflow_builder& workflow_builder::index(std::string pointer) {
  what_->index.push_back(std::move(pointer));
  return *this;
}

workflow_builder& workflow_builder::limit(std::string pointer, std::uint32_t at_a_time) {
  what_->limit = workflow::limit_rule{std::move(pointer), at_a_time};
  return *this;
}

const std::string& workflow_builder::name() const {
  return what_->name;
}

std::uint32_t workflow_builder::version() const {
  return what_->version;
}

std::vector<std::string> workflow_builder::problems() const {
  return workflow::problems(*what_);
}

} // namespace steadfast
