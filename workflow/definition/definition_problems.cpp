#include "workflow/definition/definition.hpp"

#include "workflow/definition/item_workflow.hpp"
#include "workflow/definition/payload_index.hpp"
#include "workflow/definition/wait_end.hpp"
#include "workflow/text/canonical_json.hpp"
#include "workflow/text/json_text.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>

namespace steadfast::workflow {
namespace {

/// Gathers sentences about one place of the definition.
class report {
public:
  report(std::vector<std::string>& found, std::string place) : found_{found}, place_{std::move(place)} {}

  void add(const std::string& sentence) const { found_.push_back(place_ + sentence); }
  void add_if(bool wrong, const std::string& sentence) const {
    if (wrong)
      add(sentence);
  }
  report at(const std::string& field) const { return report{found_, place_ + field}; }

private:
  std::vector<std::string>& found_;
  std::string place_;
};

void check_name(const report& r, std::string_view name, const std::string& field) {
  if (name.empty())
    r.add(field + " is missing");
  else
    r.add_if(!is_name(name), field + " " + quoted(name) + " must be " + std::string{name_rule});
}

void check_span(const report& r, span value, const std::string& field, span least = span{1}) {
  if (value < least)
    r.add(field + (least == span{0} ? " must not be negative" : " must be above zero"));
  r.add_if(value > span_max, field + " must be at most ten years");
}

void check_retry(const report& r, const retry_policy& p) {
  r.add_if(p.attempts == 0, "attempts must be at least 1");
  r.add_if(p.attempts > attempts_of_a_round_max, "attempts must be at most " + std::to_string(attempts_of_a_round_max));
  check_span(r, p.initial, "initial");
  check_span(r, p.cap, "cap");
  r.add_if(p.cap < p.initial, "cap must not be below retry.initial");
  r.add_if(p.factor_percent < 100, "factor must be at least 1");
  r.add_if(p.factor_percent > factor_percent_max, "factor must be at most " + std::to_string(factor_percent_max / 100));
  r.add_if(p.jitter_percent > 100, "jitter must be at most 100 percent");
}

/// What the checks of one step need to know of the whole definition.
struct graph {
  const definition& d;
  definition_graph of_names{d};
  ancestry before{of_names, d.steps.size()};

  std::optional<std::size_t> find(std::string_view name) const { return of_names.find(d, name); }
};

void check_earlier(const report& r, const graph& g, std::size_t i, const std::string& name, bool itself_allowed) {
  const auto found = g.find(name);
  if (name.empty())
    r.add("names no step");
  else if (!found)
    r.add("names the unknown step " + quoted(name));
  else if (!(itself_allowed && *found == i))
    r.add_if(!g.before[i][*found], "names step " + quoted(name) + ", which does not come before it");
}

void check_pointer(const report& r, const std::string& pointer) {
  r.add_if(!is_json_pointer(pointer), "pointer " + quoted(pointer) + " is not a JSON Pointer (\"\" or \"/name/0\")");
  r.add_if(pointer.size() > text_size_max, "pointer must be at most " + std::to_string(text_size_max) + " bytes");
}

void check_literal(const report& r, const std::string& literal) {
  r.add_if(!is_json(literal), "literal " + quoted(literal) + " is not a JSON text");
  r.add_if(literal.size() > text_size_max, "literal must be at most " + std::to_string(text_size_max) + " bytes");
}

/// `check_step`: void(const report&, name of the step whose result it is).
template <class F>
void check_source(const report& r, const source& s, F check_step) {
  switch (s.from) {
    case source::kind::payload: check_pointer(r, s.pointer); return;
    case source::kind::result:
      check_step(r, s.step);
      check_pointer(r, s.pointer);
      return;
    case source::kind::literal: check_literal(r, s.literal); return;
    case source::kind::item:
      r.add("is a place in an item, which only the input of a step with for_each can use");
      return;
  }
  r.add("has an unknown kind of source");
}

template <class F>
void check_members(const report& r, const std::string& field, const input_mapping& members, F check_step) {
  r.add_if(members.size() > input_members_max,
           field + " has more than " + std::to_string(input_members_max) + " members");
  for (std::size_t m = 0; m < members.size(); ++m) {
    const auto& name = members[m].name;
    const auto same_name = [&name](const input_member& other) { return other.name == name; };
    const auto end = members.begin() + static_cast<std::ptrdiff_t>(m);
    r.add_if(name.empty(), field + " has a member without a name");
    r.add_if(std::any_of(members.begin(), end, same_name), field + " has the member " + quoted(name) + " twice");
    const auto of_member = r.at(field + " member " + quoted(name) + " ");
    check_source(of_member, members[m].value, check_step);
    of_member.add_if(members[m].optional && members[m].value.from == source::kind::literal,
                     "is optional, but a literal is always present");
  }
}

void check_input(const report& r, const graph& g, std::size_t i, const input_mapping& input, bool itself_allowed) {
  check_members(r, "input", input, [&](const report& of_member, const std::string& step) {
    check_earlier(of_member, g, i, step, itself_allowed);
  });
}

void check_result(const report& r, const graph& g) {
  const auto& d = g.d;
  const auto check_step = [&g](const report& at, const std::string& step) {
    at.add_if(!g.find(step), "names the unknown step " + quoted(step));
  };
  check_members(r, "result", d.result.members, check_step);
  if (d.result.value) {
    r.add_if(!d.result.members.empty(), "result must be one value or members, not both");
    check_source(r.at("result "), *d.result.value, check_step);
  }
}

void check_parts(const report& r, const condition& c) {
  r.add_if(c.parts.empty(), "must have at least one condition in `all` or `any`");
  r.add_if(c.is == condition::test::negated && c.parts.size() > 1, "must have exactly one condition in `not`");
}

/// `of_itself`: it compares the result of step `i` and names no step.
void check_condition(const report& r, const graph& g, std::size_t i, const condition& c, bool of_itself = false,
                     std::size_t depth = 1) {
  r.add_if(depth > condition_depth_max,
           "is nested more than " + std::to_string(condition_depth_max) + " conditions deep");
  if (depth > condition_depth_max)
    return;
  if (is_made_of_parts(c)) {
    check_parts(r, c);
    for (const auto& part : c.parts)
      check_condition(r, g, i, part, of_itself, depth + 1);
    return;
  }
  if (of_itself)
    r.add_if(!c.step.empty(), "compares the step's own result, so it must not name step " + quoted(c.step));
  else if (c.step != payload_word)
    check_earlier(r, g, i, c.step, false);
  check_pointer(r, c.pointer);
  switch (c.is) {
    case condition::test::present:
    case condition::test::absent: return;
    case condition::test::equals:
    case condition::test::differs:
      check_literal(r, c.literal);
      r.add_if(is_json(c.literal) && !is_compact_json(c.literal),
               "literal " + quoted(c.literal) + " must be compact, without space between its tokens");
      return;
    case condition::test::above:
    case condition::test::at_least:
    case condition::test::below:
    case condition::test::at_most:
      r.add_if(!is_json(c.literal) || !compare_json_numbers(c.literal, "0"),
               "must compare with a number, not " + quoted(c.literal));
      return;
    case condition::test::all:
    case condition::test::any:
    case condition::test::negated: return;
  }
  r.add("has an unknown kind of test");
}

void check_comparisons(const report& r, const condition& c) {
  std::size_t comparisons = 0;
  each_comparison(c, [&](const condition&) { ++comparisons; });
  r.add_if(comparisons > condition_parts_max, "has more than " + std::to_string(condition_parts_max) + " comparisons");
}

void check_when(const report& r, const graph& g, std::size_t i, const step_definition& s) {
  if (!s.when)
    return;
  check_condition(r.at("when "), g, i, *s.when);
  check_comparisons(r.at("when "), *s.when);
}

/// Of a step's own result.
void check_own_result(const report& r, const graph& g, std::size_t i, const condition& c) {
  check_condition(r, g, i, c, true);
  check_comparisons(r, c);
}

void check_supervision(const report& r, const step_definition& s) {
  r.add_if(s.threshold == 0, "threshold must be at least 1");
  check_span(r, s.cool_off.wait, "cool_off.wait", span{s.cool_off.count > 0 ? 1 : 0});
  r.add_if(attempts_limit(s) > attempts_max,
           "retry.attempts x threshold x (cool_off.count + 1) must be at most " + std::to_string(attempts_max));
  r.add_if(s.exhausted != on_exhausted::undo && s.exhausted != on_exhausted::error,
           "on_exhausted must be undo or error");
}

/// What only a step has that an agent carries out.
void check_only_waits(const report& r, const step_definition& s) {
  const auto none = [&](bool is, const std::string& field) {
    r.add_if(is, field + " is not allowed in a step that " + (starts_child(s) ? "starts a task" : "only waits"));
  };
  none(!s.agent.empty(), "agent");
  none(!is_without_input(s), "input");
  none(s.compensation.has_value(), "compensation");
  none(s.probe.has_value(), "probe");
  none(s.later.has_value(), "later");
  none(s.repeat.has_value(), "repeat");
  none(s.expect.has_value(), "expect");
}

void check_later(const report& r, const definition& d, const later_rule& l) {
  check_span(r, l.limit, "limit");
  check_span(r, l.heartbeat, "heartbeat", span{0});
  r.add_if(l.heartbeat > l.limit, "heartbeat must not be above later.limit");
  r.add_if(l.limit >= d.deadline - d.undo_reserve,
           "limit must be shorter than the workflow's deadline without its undo_reserve");
}

void check_repeat(const report& r, const graph& g, std::size_t i, const step_definition& s) {
  check_own_result(r.at("until "), g, i, s.repeat->until);
  check_span(r, s.repeat->every, "every");
  r.add_if(s.repeat->at_most < 2 || s.repeat->at_most > repeats_max,
           "at_most must lie between 2 and " + std::to_string(repeats_max));
  r.add_if(s.repeat->every >= g.d.deadline - g.d.undo_reserve,
           "every must be shorter than the workflow's deadline without its undo_reserve");
  r.add_if(s.probe.has_value(), "already asks whether the step is done, so the step cannot have a probe too");
}

void check_limit(const report& r, const definition& d, span limit) {
  if (limit == span{0})
    r.add("limit is missing or zero: give the longest wait, such as \"3d\"");
  else
    check_span(r, limit, "limit");
  r.add_if(limit >= d.deadline - d.undo_reserve,
           "limit must be shorter than the workflow's deadline without its undo_reserve");
}

void check_event(const report& r, const graph& g, std::size_t i, const wait_rule& w) {
  check_name(r, w.name, "event");
  check_limit(r, g.d, w.length);
  const auto key = r.at("key ");
  check_source(key, w.at, [&](const report& at, const std::string& step) { check_earlier(at, g, i, step, false); });
  if (w.at.from == source::kind::literal)
    if (const auto read = event_key_of(w.at.literal); !read.problem.empty())
      key.add(read.problem);
}

void check_person(const report& r, const graph& g, const wait_rule& w) {
  check_name(r, w.name, "role");
  check_limit(r, g.d, w.length);
  r.add_if(w.question.empty(), "question is missing");
  r.add_if(w.question.size() > text_size_max, "question must be at most " + std::to_string(text_size_max) + " bytes");
  r.add_if(w.choices.size() < 2, "choices must be at least two");
  r.add_if(w.choices.size() > choices_max, "choices must be at most " + std::to_string(choices_max));
  for (auto c = w.choices.begin(); c != w.choices.end(); ++c) {
    check_name(r, *c, "choice");
    r.add_if(std::find(w.choices.begin(), c, *c) != c, "choices has " + quoted(*c) + " twice");
  }
  check_span(r, w.remind_every, "remind_every", span{0});
}

/// Of what tasks are given.
void check_place(const report& r, const graph& g, std::size_t i, const source& s) {
  if (s.from == source::kind::literal)
    return r.add("must be a place in the payload or in the result of an earlier step");
  check_source(r, s, [&](const report& at, const std::string& step) { check_earlier(at, g, i, step, false); });
}

void check_child(const report& r, const graph& g, std::size_t i, const wait_rule& w) {
  check_name(r, w.name, "workflow");
  check_place(r.at("payload "), g, i, w.at);
}

/// Members of what each task is given may come from its item.
void check_input_of_items(const report& r, const graph& g, std::size_t i) {
  auto others = g.d.steps[i].input;
  for (auto& m : others)
    if (m.value.from == source::kind::item) {
      check_pointer(r.at("input member " + quoted(m.name) + " "), m.value.pointer);
      m.value = {};
    }
  check_input(r, g, i, others, false);
}

/// A workflow of one step is made of it, and says what is wrong with that; or it names one.
void check_items(const report& r, const graph& g, std::size_t i, const wait_rule& w, std::vector<std::string>& found) {
  check_place(r.at("for_each "), g, i, w.at);
  r.add_if(w.at_a_time == 0 || w.at_a_time > at_a_time_max,
           "at_a_time must lie between 1 and " + std::to_string(at_a_time_max));
  r.add_if(w.may_fail_is_percentage && w.may_fail > 100, "may_fail must be at most 100 percent");
  check_input_of_items(r, g, i);
  if (!has_item_workflow(g.d.steps[i])) {
    auto named = g.d.steps[i];
    forget_input(named);
    check_name(r, w.name, "workflow");
    return check_only_waits(r, named);
  }
  for (auto& wrong : problems(item_workflow(g.d, i)))
    if (wrong.starts_with("step "))
      found.push_back(std::move(wrong));
}

void check_wait(const report& r, const graph& g, std::size_t i, const wait_rule& w) {
  if (w.what == wait_rule::kind::event)
    return check_event(r, g, i, w);
  if (w.what == wait_rule::kind::child)
    return check_child(r, g, i, w);
  if (w.what == wait_rule::kind::person)
    return check_person(r, g, w);
  if (w.what == wait_rule::kind::sleep) {
    check_span(r, w.length, "sleep");
    r.add_if(w.length >= g.d.deadline - g.d.undo_reserve,
             "sleep must be shorter than the workflow's deadline without its undo_reserve");
    return;
  }
  r.add_if(w.what != wait_rule::kind::until && w.what != wait_rule::kind::next, "waits for something unknown");
  r.add_if(w.on < weekdays::all || w.on > weekdays::sunday, "until names an unknown day");
  r.add_if(w.time_of_day < span{0} || w.time_of_day >= std::chrono::hours{24}, "until names no time of a day");
  const auto until = r.at("until ");
  check_source(until, w.at, [&](const report& at, const std::string& step) { check_earlier(at, g, i, step, false); });
  if (w.at.from == source::kind::literal)
    if (const auto end = end_of(w, w.at.literal, unset); !end.problem.empty())
      until.add(end.problem);
}

void check_step(const report& r, const graph& g, std::size_t i, std::vector<std::string>& found) {
  const auto& s = g.d.steps[i];
  if (is_over_items(s)) {
    check_when(r, g, i, s);
    return check_items(r, g, i, *s.wait, found);
  }
  if (s.wait) {
    check_when(r, g, i, s);
    check_only_waits(r, s);
    return check_wait(r, g, i, *s.wait);
  }
  check_name(r, s.agent, "agent");
  check_input(r, g, i, s.input, false);
  check_when(r, g, i, s);
  check_span(r, s.complete_by, "complete_by");
  if (s.later)
    check_later(r.at("later."), g.d, *s.later);
  if (s.repeat)
    check_repeat(r.at("repeat."), g, i, s);
  if (s.expect)
    check_own_result(r.at("expect "), g, i, s.expect->is);
  check_retry(r.at("retry."), s.retry);
  check_supervision(r, s);
  if (s.compensation) {
    const auto c = r.at("compensation.");
    check_name(c, s.compensation->agent, "agent");
    check_input(c, g, i, s.compensation->input, true);
    check_span(c, s.compensation->complete_by, "complete_by");
    check_retry(c.at("retry."), s.compensation->retry);
  }
  if (s.probe) {
    check_name(r.at("probe."), s.probe->agent, "agent");
    check_span(r.at("probe."), s.probe->complete_by, "complete_by");
  }
}

// Else the key "x/undo" could be that of step `undo` of task `x`, and of the undo of step `x`.
bool is_reserved(std::string_view name) {
  return name == "undo" || name == "probe";
}

// A step is called by its name where it has one that tells it apart, else by its place in the list.
std::string place_of(const graph& g, std::size_t i) {
  const auto& name = g.d.steps[i].name;
  const bool plain = is_name(name) && g.find(name) == i;
  return plain ? "step " + quoted(name) + ": " : "step number " + std::to_string(i + 1) + ": ";
}

void check_after(const report& r, const graph& g, std::size_t i) {
  if (!g.d.steps[i].after)
    return;
  const auto& after = *g.d.steps[i].after;
  for (auto name = after.begin(); name != after.end(); ++name) {
    r.add_if(*name == g.d.steps[i].name, "after names the step itself");
    r.add_if(!g.find(*name), "after names the unknown step " + quoted(*name));
    r.add_if(std::find(after.begin(), name, *name) != name, "after names step " + quoted(*name) + " twice");
  }
}

// Steps that come before each other form one cycle; it is told once, at its first step.
void check_cycles(const report& r, const graph& g) {
  for (std::size_t i = 0; i < g.d.steps.size(); ++i) {
    if (!g.before[i][i])
      continue;
    std::string others;
    bool is_first = true;
    for (std::size_t j = 0; j < g.d.steps.size(); ++j) {
      if (j == i || !g.before[i][j] || !g.before[j][i])
        continue;
      is_first = is_first && i < j;
      others += ", " + quoted(g.d.steps[j].name);
    }
    r.add_if(is_first && !others.empty(), "steps " + quoted(g.d.steps[i].name) + others + ": after makes them a cycle");
  }
}

void check_limit(const report& r, const limit_rule& limit) {
  r.add_if(limit.pointer.empty() || !is_json_pointer(limit.pointer) || limit.pointer.size() > text_size_max,
           "limit must have a key such as \"payload:/customer\"");
  r.add_if(limit.at_a_time == 0 || limit.at_a_time > at_a_time_max,
           "limit.at_a_time must be from 1 to " + std::to_string(at_a_time_max));
  r.add_if(limit.per != span{0} && (limit.per < limit_per_min || limit.per > span_max),
           "limit.per must lie between 1 s and ten years");
}

void check_whole(const report& r, const definition& d) {
  check_name(r, d.name, "name");
  r.add_if(d.version == 0, "version must be at least 1");
  check_span(r, d.deadline, "deadline");
  check_span(r, d.undo_reserve, "undo_reserve", span{0});
  r.add_if(d.undo_reserve >= d.deadline, "undo_reserve must be below the deadline");
  check_span(r, d.grace, "grace", span{0});
  check_span(r, d.alert_after, "alert_after");
  r.add_if(d.takeovers_max == 0, "takeovers_max must be at least 1");
  r.add_if(d.priority > priority_max, "priority must be at most " + std::to_string(priority_max));
  r.add_if(d.steps.empty(), "steps: there must be at least one");
  r.add_if(d.steps.size() > steps_max, "steps: there must be at most " + std::to_string(steps_max));
  if (d.limit)
    check_limit(r, *d.limit);
}

} // namespace

std::vector<std::string> problems(const definition& d) {
  std::vector<std::string> found;
  const report r{found, ""};
  check_whole(r, d);
  if (d.steps.size() > steps_max)
    return found; // the checks below would take long
  const graph g{d};
  for (std::size_t i = 0; i < d.steps.size(); ++i) {
    const auto of_step = r.at(place_of(g, i));
    check_name(of_step, d.steps[i].name, "name");
    of_step.add_if(g.find(d.steps[i].name) != i, "name " + quoted(d.steps[i].name) + " is taken by an earlier step");
    of_step.add_if(is_reserved(d.steps[i].name),
                   "name " + quoted(d.steps[i].name) + " is reserved, because idempotency keys end with it");
    check_after(of_step, g, i);
    check_step(of_step, g, i, found);
    of_step.add_if(d.limit && starts_child(d.steps[i]) && d.steps[i].wait->name == d.name,
                   "workflow must not be the step's own, which has a limit: the child could wait for its parent");
  }
  check_cycles(r, g);
  check_result(r, g);
  for (const auto& wrong : problems_of_index(d.index))
    r.add(wrong);
  return found;
}

} // namespace steadfast::workflow
