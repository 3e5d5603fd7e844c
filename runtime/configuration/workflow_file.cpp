#include "runtime/configuration/workflow_file.hpp"
#include "runtime/configuration/schedule_file.hpp"

#include "runtime/configuration/workflow_places.hpp"
#include "runtime/toml/config_error.hpp"
#include "runtime/toml/toml_json.hpp"
#include "runtime/toml/toml_parts.hpp"
#include "workflow/task/task.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>
#include <charconv>
#include <map>

namespace steadfast {
namespace {

namespace fs = std::filesystem;
using runtime::config_error;
using runtime::read_retry;
using runtime::toml_report;
using runtime::toml_section;

constexpr std::string_view item_word = "item"; ///< in the input of a step that goes over items

constexpr const char* source_rule =
  "must be \"payload:/pointer\", \"STEP:/pointer\", { from = \"...\", optional = true } with one of these, or "
  "{ literal = VALUE }; the pointer may be empty for the whole document";

std::optional<workflow::source> literal_of(const toml::node& value) {
  const auto* table = value.as_table();
  const auto* literal = table != nullptr && table->size() == 1 ? table->get("literal") : nullptr;
  const auto text = literal != nullptr ? runtime::json_text_of(*literal) : std::nullopt;
  if (!text)
    return std::nullopt;
  workflow::source s;
  s.from = workflow::source::kind::literal;
  s.literal = *text;
  return s;
}

/// { from = "payload:/customer", optional = true }
std::optional<workflow::input_member> marked_member(const toml::node& value) {
  const auto* table = value.as_table();
  const auto* from = table != nullptr ? table->get("from") : nullptr;
  if (from == nullptr || table->size() > 2)
    return std::nullopt;
  const auto text = from->value_exact<std::string>();
  const auto source = text ? parse_source(*text) : std::nullopt;
  const auto* mark = table->get("optional");
  const auto optional = mark != nullptr ? mark->value_exact<bool>() : std::nullopt;
  if (!source || (table->size() == 2 && !optional))
    return std::nullopt;
  return workflow::input_member{{}, *source, optional.value_or(false)};
}

std::optional<workflow::input_member> read_member(const toml::node& value) {
  if (auto marked = marked_member(value))
    return marked;
  const auto text = value.value_exact<std::string>();
  const auto source = text ? parse_source(*text) : literal_of(value);
  return source ? std::optional{workflow::input_member{{}, *source}} : std::nullopt;
}

void read_members(toml_section& in, const std::string& key, const toml::table& table, workflow::input_mapping& into) {
  for (const auto& [name, value] : table)
    if (auto member = read_member(value)) {
      member->name = name.str();
      into.push_back(*std::move(member));
    } else {
      in.report().add(value.source().begin.line, in.place_of(key) + "." + std::string{name.str()}, source_rule);
    }
}

/// `Part` is a step or a compensation.
template <class Part>
void read_input(toml_section& in, Part& into) {
  const auto* value = in.take("input");
  if (value == nullptr)
    return;
  const auto* table = value->as_table();
  into.has_empty_input = table != nullptr && table->empty();
  if (table != nullptr)
    read_members(in, "input", *table, into.input);
  else
    in.complain("input", "must be a table of members, such as { customer = \"payload:/customer\" }");
}

/// One value, as in "create_package:/id", or a table of members as in `input`.
void read_result(toml_section& in, workflow::result_mapping& into) {
  const auto* value = in.take("result");
  if (value == nullptr)
    return;
  if (const auto* table = value->as_table())
    return read_members(in, "result", *table, into.members);
  const auto text = value->value_exact<std::string>();
  into.value = text ? parse_source(*text) : std::nullopt;
  if (!into.value)
    in.complain("result", "must be \"payload:/pointer\", \"STEP:/pointer\" or a table of members, as in `input`");
}

using compares = workflow::condition::test;

/// True when the key is there.
bool read_comparison(toml_section& in, compares test, workflow::condition& c) {
  const auto key = workflow::name_of_comparison(test);
  const auto* value = in.take(key);
  if (value == nullptr)
    return false;
  const auto text = runtime::json_text_of(*value);
  if (!text)
    in.complain(key, "must be a value that JSON can say");
  c.is = test;
  c.literal = text.value_or("null");
  return true;
}

bool read_presence(toml_section& in, workflow::condition& c) {
  bool present = true;
  in.read("present", present);
  if (!in.table().contains("present"))
    return false;
  c.is = present ? compares::present : compares::absent;
  return true;
}

workflow::condition read_condition(toml_section in, std::size_t depth = 1);

/// What is made of conditions names no value. Nothing: it is not.
std::optional<workflow::condition> read_parts(toml_section& in, std::size_t depth) {
  workflow::condition c;
  std::vector<toml_section> parts;
  for (const auto& [key, test] : {std::pair{"all", compares::all}, std::pair{"any", compares::any}})
    if (in.table().contains(key)) {
      c.is = test;
      parts = in.sections(key);
    }
  if (auto negated = in.section("not")) {
    c.is = compares::negated;
    parts = {*negated};
  }
  if (!workflow::is_made_of_parts(c))
    return std::nullopt;
  if (depth > workflow::condition_depth_max)
    in.complain("is nested more than " + std::to_string(workflow::condition_depth_max) + " conditions deep");
  else
    for (auto& part : parts)
      c.parts.push_back(read_condition(part, depth + 1));
  if (in.table().size() > 1)
    in.complain("`all`, `any` and `not` must be alone in their table: combine them with other conditions by an `all`");
  return c;
}

workflow::condition read_condition(toml_section in, std::size_t depth) {
  if (auto made = read_parts(in, depth))
    return *std::move(made);
  workflow::condition c;
  in.read("step", c.step);
  in.read("pointer", c.pointer);
  int tests = read_presence(in, c) ? 1 : 0;
  for (const auto test :
       {compares::equals, compares::differs, compares::above, compares::at_least, compares::below, compares::at_most})
    tests += read_comparison(in, test, c) ? 1 : 0;
  in.end();
  if (tests != 1)
    in.complain("must have exactly one of equals, differs, present, above, at_least, below, at_most, all, any and not");
  return c;
}

workflow::compensation read_compensation(toml_section in) {
  workflow::compensation c;
  in.read("agent", c.agent);
  read_input(in, c);
  in.read("complete_by", c.complete_by);
  read_retry(in, "retry", c.retry);
  in.end();
  return c;
}

workflow::probe read_probe(toml_section in) {
  workflow::probe p;
  in.read("agent", p.agent);
  in.read("complete_by", p.complete_by);
  in.end();
  return p;
}

void read_cool_off(toml_section in, workflow::cool_off_policy& into) {
  in.read("wait", into.wait);
  in.read_count("count", into.count);
  in.end();
}

void read_supervision(toml_section& in, workflow::step_definition& s) {
  in.read_count("threshold", s.threshold, 1U);
  if (auto x = in.section("cool_off"))
    read_cool_off(*x, s.cool_off);
  std::string exhausted = "undo";
  in.read_one_of("on_exhausted", exhausted, {"undo", "error"});
  s.exhausted = exhausted == "undo" ? workflow::on_exhausted::undo : workflow::on_exhausted::error;
}

constexpr const char* until_rule =
  "must be a moment such as \"2026-12-24T18:00:00+01:00\", the place of one such as \"payload:/at\", or \"next 08:00 "
  "ZONE\" or \"next DAY 08:00 ZONE\", where DAY is monday to sunday or workday, and ZONE a time zone such as "
  "Europe/Lisbon or the place of one";

constexpr const char* key_rule = "must be \"payload:/pointer\", \"STEP:/pointer\" or { literal = \"TEXT\" }";

void read_at_limit(toml_section& in, workflow::wait_rule& w) {
  std::string at_limit = "fail";
  in.read_one_of("on_limit", at_limit, {"fail", "pass"});
  w.passes_at_limit = at_limit == "pass";
}

/// `wait = { event = "paid", key = "payload:/order_id", limit = "3d" }`
void read_event(toml_section& in, workflow::step_definition& s) {
  auto x = in.section("wait");
  if (!x)
    return;
  auto& w = s.wait.emplace();
  w.what = workflow::wait_rule::kind::event;
  w.at = {workflow::source::kind::literal, {}, {}, "\"\""};
  x->read("event", w.name);
  if (const auto* const key = x->take("key")) {
    const auto text = key->value<std::string>();
    auto source = text ? parse_source(*text) : literal_of(*key);
    if (source)
      w.at = *std::move(source);
    else
      x->complain("key", key_rule);
  }
  x->read("limit", w.length);
  read_at_limit(*x, w);
  x->end();
}

/// Without any of these, "person" is an agent like others.
bool asks(const toml::table& step) {
  return step.contains("question") || step.contains("choices") || step.contains("role")
         || step.contains("remind_every");
}

/// A step with `agent = "person"` and a question.
void read_person(toml_section& in, workflow::step_definition& s) {
  auto& w = s.wait.emplace();
  w.what = workflow::wait_rule::kind::person;
  w.choices = {"yes", "no"};
  in.read("question", w.question);
  in.read("choices", w.choices);
  in.read("role", w.name);
  in.read("limit", w.length);
  in.read("remind_every", w.remind_every);
  read_at_limit(in, w);
}

/// A step with `sleep` or `until`, and no agent.
void read_wait(toml_section& in, workflow::step_definition& s) {
  const bool sleeps = in.table().contains("sleep");
  if (!sleeps && !in.table().contains("until"))
    return;
  s.wait.emplace();
  in.read("sleep", s.wait->length);
  std::string until;
  in.read("until", until);
  auto rule = sleeps ? s.wait : parse_until(until);
  if (rule)
    s.wait = std::move(rule);
  else
    in.complain("until", until_rule);
}

/// `workflow = "ship"`, and what of the payload or of an earlier result is the payload of that task.
void read_child(toml_section& in, workflow::step_definition& s) {
  if (!in.table().contains("workflow"))
    return;
  auto& w = s.wait.emplace();
  w.what = workflow::wait_rule::kind::child;
  in.read("workflow", w.name);
  std::string payload = "payload:";
  in.read("payload", payload);
  if (auto source = parse_source(payload))
    w.at = *std::move(source);
  else
    in.complain("payload", "must be \"payload:/pointer\" or \"STEP:/pointer\"");
}

/// A number of items, or "10%" of them.
void read_may_fail(toml_section& in, workflow::wait_rule& w) {
  const auto* const value = in.take("may_fail");
  if (value == nullptr)
    return;
  auto digits = value->value_exact<std::string>().value_or("");
  w.may_fail_is_percentage = digits.ends_with('%');
  if (w.may_fail_is_percentage)
    digits.pop_back();
  else
    digits = value->is_integer() ? std::to_string(*value->value<std::int64_t>()) : std::string{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), w.may_fail);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size())
    in.complain("may_fail", "must be a number of items, or a share of them such as \"10%\"");
}

/// `for_each = "payload:/items"`, with an agent or a workflow for each of them.
void read_items(toml_section& in, workflow::step_definition& s) {
  auto& w = s.wait.emplace();
  w.what = workflow::wait_rule::kind::items;
  w.at_a_time = workflow::at_a_time_usual;
  std::string place;
  in.read("for_each", place);
  if (auto source = parse_source(place))
    w.at = *std::move(source);
  else
    in.complain("for_each", "must be \"payload:/pointer\" or \"STEP:/pointer\", where an array stands");
  in.read("workflow", w.name);
  in.read_count("at_a_time", w.at_a_time, 1U, workflow::at_a_time_max);
  read_may_fail(in, w);
}

/// In the input of such a step "item:/pointer" is a place in the item.
void read_item_places(workflow::step_definition& s) {
  for (auto& m : s.input)
    if (m.value.from == workflow::source::kind::result && m.value.step == item_word)
      m.value = {workflow::source::kind::item, {}, m.value.pointer, {}};
}

/// Each of these says what the step does, so that a second one would not be heeded.
void expect_one_kind(toml_section& in) {
  std::string first;
  for (const std::string key : {"for_each", "sleep", "until", "wait", "workflow", "question"}) {
    if (!in.table().contains(key) || (key == "workflow" && first == "for_each"))
      continue;
    if (!first.empty())
      return in.complain(key, "a step has either `" + first + "` or `" + key + "`");
    first = key;
  }
}

void expect_only_waits(toml_section& in) {
  for (const auto* key : {"complete_by", "retry", "threshold", "cool_off", "on_exhausted"})
    if (in.table().contains(key))
      in.complain(key, in.table().contains("workflow") ? "is not allowed in a step that starts a task"
                                                       : "is not allowed in a step that only waits");
}

/// `later = "40m"`, or with the time without a word of it.
void read_later(toml_section& in, workflow::step_definition& s) {
  const auto* const value = in.take("later");
  if (value == nullptr)
    return;
  s.later.emplace();
  if (!value->is_table()) {
    in.read("later", s.later->limit);
  } else if (auto x = in.section("later")) {
    x->read("limit", s.later->limit);
    x->read("heartbeat", s.later->heartbeat);
    x->end();
  }
}

/// `repeat = { until = { pointer = "/state", equals = "ready" }, every = "10m", at_most = 144 }`
void read_repeat(toml_section& in, workflow::step_definition& s) {
  auto x = in.section("repeat");
  if (!x)
    return;
  auto& r = s.repeat.emplace();
  if (auto until = x->section("until"))
    r.until = read_condition(*until);
  else
    x->complain("until", "is missing: a condition that the step's result has to meet");
  if (x->take("every") == nullptr)
    x->complain("every", "is missing: the time from a result to the next call, such as every = \"1m\"");
  x->read("every", r.every);
  x->read_count("at_most", r.at_most, 2U, workflow::repeats_max);
  std::string at_limit = "fail";
  x->read_one_of("on_limit", at_limit, {"fail", "pass"});
  r.passes_at_limit = at_limit == "pass";
  x->end();
}

/// `expect = { pointer = "/status", equals = "ok" }`, `on_unexpected = "retry"`
void read_expect(toml_section& in, workflow::step_definition& s) {
  std::string otherwise = "fail";
  in.read_one_of("on_unexpected", otherwise, {"fail", "retry"});
  if (auto x = in.section("expect"))
    s.expect = workflow::expect_rule{read_condition(*x), otherwise == "retry"};
  else if (in.table().contains("on_unexpected"))
    in.complain("on_unexpected", "is for a step that has `expect`");
}

workflow::step_definition read_step(toml_section in) {
  workflow::step_definition s;
  in.read("name", s.name);
  if (!s.name.empty())
    in.show_as("step " + workflow::quoted(s.name) + ": ");
  const bool is_over_items = in.table().contains("for_each");
  expect_one_kind(in);
  read_wait(in, s);
  read_event(in, s);
  if (is_over_items)
    read_items(in, s);
  else
    read_child(in, s);
  in.read("agent", s.agent);
  if (s.agent == "person" && !is_over_items && asks(in.table())) {
    s.agent.clear();
    read_person(in, s);
  }
  if (s.wait && (!is_over_items || !s.wait->name.empty()))
    expect_only_waits(in);
  std::vector<std::string> after;
  in.read("after", after);
  if (in.table().contains("after"))
    s.after = std::move(after);
  read_input(in, s);
  if (is_over_items)
    read_item_places(s);
  if (auto x = in.section("when"))
    s.when = read_condition(*x);
  in.read("complete_by", s.complete_by);
  read_later(in, s);
  read_repeat(in, s);
  read_expect(in, s);
  read_retry(in, "retry", s.retry);
  read_supervision(in, s);
  if (auto x = in.section("compensation"))
    s.compensation = read_compensation(*x);
  if (auto x = in.section("probe"))
    s.probe = read_probe(*x);
  in.end();
  if (s.name == workflow::payload_word)
    in.complain("name", "a step cannot be called \"payload\": that word means the task's payload in `input`");
  return s;
}

void read_index(toml_section& in, std::vector<std::string>& into) {
  static constexpr std::string_view word = "payload:";
  in.read("index", into);
  for (auto& place : into)
    if (place.starts_with(word))
      place.erase(0, word.size());
    else
      in.complain("index", workflow::quoted(place) + " is not written as \"payload:/customer\"");
}

/// [limit]
void read_limit(toml_section& in, std::optional<workflow::limit_rule>& into) {
  auto x = in.section("limit");
  if (!x)
    return;
  auto& limit = into.emplace();
  std::string key;
  x->read("key", key);
  const auto place = parse_source(key);
  if (place && place->from == workflow::source::kind::payload && !place->pointer.empty())
    limit.pointer = place->pointer;
  else
    x->complain("key", "must be written as \"payload:/customer\": where a payload has the key");
  x->read_count("at_a_time", limit.at_a_time, 1U, workflow::at_a_time_max);
  constexpr workflow::span absent{-1};
  auto per = absent;
  x->read("per", per);
  if (per == workflow::span{0}) // which is to have none
    x->complain("per", "must lie between 1 s and ten years");
  else if (per != absent)
    limit.per = per;
  x->end();
}

workflow::definition read_definition(toml_section in) {
  workflow::definition d;
  in.read("name", d.name);
  in.read_count("version", d.version, 1U);
  in.read("deadline", d.deadline);
  in.read("undo_reserve", d.undo_reserve);
  in.read("grace", d.grace);
  in.read("alert_after", d.alert_after);
  in.read_count("takeovers_max", d.takeovers_max, 1U);
  in.read_count("priority", d.priority, std::uint8_t{0}, workflow::priority_max);
  read_result(in, d.result);
  read_index(in, d.index);
  read_limit(in, d.limit);
  for (auto& x : in.sections("step"))
    d.steps.push_back(read_step(x));
  in.take("schedule"); // parse_schedules reads them
  in.end();
  return d;
}

/// Where the sentence of workflow::problems belongs: its step, its key, or the first line.
std::size_t line_of(const toml::table& root, const workflow::definition& d, const std::string& sentence) {
  const auto* steps = root["step"].as_array();
  for (std::size_t i = 0; steps != nullptr && i < d.steps.size(); ++i) {
    const auto by_number = "step number " + std::to_string(i + 1) + ": ";
    const auto by_name = "step " + workflow::quoted(d.steps[i].name) + ": ";
    if (sentence.starts_with(by_number) || sentence.starts_with(by_name))
      return steps->get(i)->source().begin.line;
  }
  const auto node = root[sentence.substr(0, sentence.find(' '))];
  return node ? node.node()->source().begin.line : 1;
}

std::vector<fs::path> files_of(const fs::path& path, std::vector<std::string>& problems) {
  std::error_code error;
  if (!fs::is_directory(path, error))
    return {path};
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator{path, error})
    if (entry.path().extension() == ".toml")
      files.push_back(entry.path());
  if (error)
    problems.push_back(path.string() + ": cannot be read: " + error.message());
  std::sort(files.begin(), files.end());
  return files;
}

} // namespace

workflow::definition parse_workflow(std::string_view text, const std::string& file) {
  toml_report report{file};
  const auto table = runtime::parse_toml(text, file);
  auto d = read_definition(toml_section{table, "", report});
  report.throw_if_any();
  for (const auto& p : workflow::problems(d))
    report.add(line_of(table, d, p), "", p);
  report.throw_if_any();
  return d;
}

workflow::definition load_workflow(const fs::path& file) {
  return parse_workflow(runtime::read_text_file(file), file.string());
}

std::vector<fs::path> workflow_files_in(const std::vector<fs::path>& paths) {
  std::vector<std::string> problems;
  std::vector<fs::path> all;
  for (const auto& path : paths)
    for (auto& file : files_of(path, problems))
      all.push_back(std::move(file));
  if (!problems.empty())
    throw config_error{std::move(problems)};
  return all;
}

std::vector<workflow::definition> load_workflows(const std::vector<fs::path>& paths, workflow_files* from) {
  std::vector<workflow::definition> all;
  std::vector<std::string> problems;
  workflow_files seen;
  for (const auto& path : paths)
    for (const auto& file : files_of(path, problems)) {
      try {
        const auto text = runtime::read_text_file(file);
        if (has_only_schedules(text, file.string()))
          continue;
        auto d = parse_workflow(text, file.string());
        const auto [place, is_new] = seen.emplace(std::pair{d.name, d.version}, file);
        if (!is_new)
          problems.push_back(file.string() + ": workflow " + workflow::quoted(d.name) + ", version "
                             + std::to_string(d.version) + ", is in " + place->second.string() + " already");
        all.push_back(std::move(d));
      } catch (const config_error& e) {
        problems.insert(problems.end(), e.problems().begin(), e.problems().end());
      }
    }
  if (!problems.empty())
    throw config_error{std::move(problems)};
  if (from)
    *from = std::move(seen);
  return all;
}

} // namespace steadfast
