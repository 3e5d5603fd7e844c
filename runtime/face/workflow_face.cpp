#include "runtime/face/workflow_face.hpp"

#include "runtime/configuration/workflow_file.hpp"
#include "runtime/configuration/workflow_places.hpp"
#include "runtime/toml/config_error.hpp"
#include "steadfast/node_error.hpp"
#include "workflow/definition/item_workflow.hpp"
#include "workflow/text/name.hpp"

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

using compares = workflow::condition::test;

workflow::condition made_of(compares is, std::vector<workflow::condition> parts) {
  return {{}, {}, is, {}, std::move(parts)};
}

/// Settings of an undo may come before its agent; if none is ever named, that is a problem.
workflow::compensation& undo_of(workflow::step_definition& s) {
  if (!s.compensation)
    s.compensation.emplace();
  return *s.compensation;
}

/// What a file refuses as well. It is not among the problems of the definition: those of older programs are stored.
void check_attempts_of_none(const workflow::step_definition& s, std::vector<std::string>& found) {
  if (!s.wait || workflow::has_item_workflow(s))
    return;
  const workflow::step_definition usual;
  for (const auto& [field, is_usual] : {std::pair{"complete_by", s.complete_by == usual.complete_by},
                                        {"retry", s.retry == usual.retry},
                                        {"threshold", s.threshold == usual.threshold},
                                        {"cool_off", s.cool_off == usual.cool_off},
                                        {"on_exhausted", s.exhausted == usual.exhausted}})
    if (!is_usual)
      found.push_back("step " + workflow::quoted(s.name) + ": " + field + " is not allowed in a step that "
                      + (workflow::starts_child(s) ? "starts a task" : "only waits"));
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

input_value input_value::of_item(std::string pointer) {
  return {kind::item, {}, std::move(pointer)};
}

input_value input_value::optional() const {
  auto v = *this;
  v.optional_ = true;
  return v;
}

// ---- conditions ----

condition::condition(workflow::condition what) : what_{std::make_shared<const workflow::condition>(std::move(what))} {}

condition condition::equals(std::string step, std::string pointer, std::string json) {
  return condition{{std::move(step), std::move(pointer), compares::equals, std::move(json)}};
}

condition condition::differs(std::string step, std::string pointer, std::string json) {
  return condition{{std::move(step), std::move(pointer), compares::differs, std::move(json)}};
}

condition condition::above(std::string step, std::string pointer, std::string number) {
  return condition{{std::move(step), std::move(pointer), compares::above, std::move(number)}};
}

condition condition::at_least(std::string step, std::string pointer, std::string number) {
  return condition{{std::move(step), std::move(pointer), compares::at_least, std::move(number)}};
}

condition condition::below(std::string step, std::string pointer, std::string number) {
  return condition{{std::move(step), std::move(pointer), compares::below, std::move(number)}};
}

condition condition::at_most(std::string step, std::string pointer, std::string number) {
  return condition{{std::move(step), std::move(pointer), compares::at_most, std::move(number)}};
}

condition condition::present(std::string step, std::string pointer) {
  return condition{{std::move(step), std::move(pointer), compares::present, {}}};
}

condition condition::absent(std::string step, std::string pointer) {
  return condition{{std::move(step), std::move(pointer), compares::absent, {}}};
}

std::vector<workflow::condition> condition::inner(const std::vector<condition>& all) {
  std::vector<workflow::condition> parts;
  for (const auto& c : all)
    parts.push_back(*c.what_);
  return parts;
}

condition condition::all(const std::vector<condition>& parts) {
  return condition{made_of(compares::all, inner(parts))};
}

condition condition::any(const std::vector<condition>& parts) {
  return condition{made_of(compares::any, inner(parts))};
}

condition condition::operator!() const {
  return condition{made_of(compares::negated, {*what_})};
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

step step::event(std::string name, const event_rule& rule) {
  step s{std::move(name), {}};
  auto& w = s.what_->wait.emplace();
  w.what = workflow::wait_rule::kind::event;
  w.name = rule.event;
  w.at = member({}, rule.key.value_or(input_value::always("\"\""))).value;
  w.length = rule.limit;
  w.passes_at_limit = rule.pass_at_limit;
  return s;
}

step step::question(std::string name, const question_rule& rule) {
  step s{std::move(name), {}};
  auto& w = s.what_->wait.emplace();
  w.what = workflow::wait_rule::kind::person;
  w.name = rule.role;
  w.question = rule.question;
  w.choices = rule.choices;
  w.length = rule.limit;
  w.remind_every = rule.remind_every;
  w.passes_at_limit = rule.pass_at_limit;
  return s;
}

step step::child(std::string name, std::string workflow, const input_value& payload) {
  step s{std::move(name), {}};
  auto& w = s.what_->wait.emplace();
  w.what = workflow::wait_rule::kind::child;
  w.name = std::move(workflow);
  w.at = member({}, payload).value;
  return s;
}

step step::children(std::string name, std::string workflow, const input_value& array) {
  step s{std::move(name), {}};
  s.for_each(array).items().name = std::move(workflow);
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
      case input_value::kind::item: return {workflow::source::kind::item, {}, v.text_, {}};
      default: return {workflow::source::kind::literal, {}, {}, v.text_};
    }
  };
  return {std::move(name), source(), v.optional_};
}

step& step::input(std::string name, const input_value& value) {
  what_->input.push_back(member(std::move(name), value));
  what_->has_empty_input = false;
  return *this;
}

step& step::empty_input() {
  what_->has_empty_input = what_->input.empty();
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

/// Settings of items may come before the array; if it is never named, that is a problem.
workflow::wait_rule& step::items() {
  if (!workflow::is_over_items(*what_)) {
    auto& w = what_->wait.emplace();
    w.what = workflow::wait_rule::kind::items;
    w.at.from = workflow::source::kind::literal;
    w.at_a_time = workflow::at_a_time_usual;
  }
  return *what_->wait;
}

step& step::for_each(const input_value& array) {
  items().at = member({}, array).value;
  return *this;
}

step& step::at_a_time(std::uint32_t under_way) {
  items().at_a_time = under_way;
  return *this;
}

step& step::may_fail(std::uint32_t number) {
  items().may_fail = number;
  items().may_fail_is_percentage = false;
  return *this;
}

step& step::may_fail_percent(std::uint32_t of_the_items) {
  items().may_fail = of_the_items;
  items().may_fail_is_percentage = true;
  return *this;
}

step& step::repeat(const repeat_rule& rule) {
  what_->repeat = workflow::repeat_rule{*rule.until.what_, rule.every, rule.at_most, rule.pass_at_limit};
  return *this;
}

step& step::expect(const condition& of_its_result) {
  what_->expect = workflow::expect_rule{*of_its_result.what_, false};
  return *this;
}

step& step::expect_or_retry(const condition& of_its_result) {
  what_->expect = workflow::expect_rule{*of_its_result.what_, true};
  return *this;
}

step& step::when(const condition& holds) {
  what_->when = *holds.what_;
  return *this;
}

step& step::when_equals(std::string earlier, std::string pointer, std::string json) {
  return when(condition::equals(std::move(earlier), std::move(pointer), std::move(json)));
}

step& step::when_differs(std::string earlier, std::string pointer, std::string json) {
  return when(condition::differs(std::move(earlier), std::move(pointer), std::move(json)));
}

step& step::when_present(std::string earlier, std::string pointer) {
  return when(condition::present(std::move(earlier), std::move(pointer)));
}

step& step::when_absent(std::string earlier, std::string pointer) {
  return when(condition::absent(std::move(earlier), std::move(pointer)));
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
  auto& undo = undo_of(*what_);
  undo.input.push_back(member(std::move(name), value));
  undo.has_empty_input = false;
  return *this;
}

step& step::empty_undo_input() {
  auto& undo = undo_of(*what_);
  undo.has_empty_input = undo.input.empty();
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

workflow_builder& workflow_builder::limit(std::string pointer, std::uint32_t at_a_time, std::chrono::milliseconds per) {
  what_->limit = workflow::limit_rule{std::move(pointer), at_a_time, per};
  return *this;
}

const std::string& workflow_builder::name() const {
  return what_->name;
}

std::uint32_t workflow_builder::version() const {
  return what_->version;
}

std::vector<std::string> workflow_builder::problems() const {
  auto found = workflow::problems(*what_);
  for (const auto& s : what_->steps)
    check_attempts_of_none(s, found);
  return found;
}

} // namespace steadfast
