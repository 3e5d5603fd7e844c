// Bulk acts: plan, start, progress and stop.

#include "actors/gateway/act_event.hpp"
#include "runtime/control/control_context.hpp"
#include "runtime/text/json.hpp"
#include "runtime/text/quantity.hpp"
#include "store/records/record.hpp"
#include "workflow/on_call/undo_plan.hpp"
#include "workflow/transition/transition.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace steadfast {

namespace {

using nlohmann::json;

constexpr std::uint64_t counted_max = 10'000'000;
constexpr std::size_t planned_max = 10'000; ///< tasks that a plan looks at one by one
constexpr std::size_t planned_in_a_page = 500;
constexpr std::size_t named_max = 20; ///< tasks, and reasons, that a plan names

// ---- the plan ----

/// Tasks to which the same would happen.
struct lot {
  std::uint64_t tasks = 0;
  std::string sample; ///< an id
};

/// What would happen to the matching tasks.
class bulk_plan {
public:
  bulk_plan(const actors::act_on_task& act, const workflow::clock_reading& clock, const actors::workflow_page& known)
      : act_{act},
        clock_{clock} {
    for (const auto& d : known.definitions)
      definitions_[{d->name, d->version}] = d;
  }

  void look_at(const workflow::task& t) {
    ++looked_at_;
    if (ids_.size() < named_max)
      ids_.push_back(t.id);
    const auto d = definitions_.find({t.workflow, t.version});
    if (d == definitions_.end())
      return;
    if (const auto why = why_not(t, *d->second); why.empty())
      ++would_;
    else
      count(refusals_[why], t);
  }

  json told(std::uint64_t count) const {
    json plan{
      {"act", std::string{to_string(act_.act)}}, {"count", count}, {"looked_at", looked_at_},  {"would", would_},
      {"states_after", json::array()},           {"tasks", ids_},  {"refusals", json::array()}};
    for (const auto& [state, tasks] : states_after_)
      plan["states_after"].push_back({{"process_state", std::string{to_string(state)}}, {"tasks", tasks}});
    for (const auto& [why, l] : largest(refusals_))
      plan["refusals"].push_back({{"why", why}, {"tasks", l.tasks}, {"sample", l.sample}});
    if (!undoes())
      return plan;
    plan["undone"] = plan["left"] = json::array();
    for (const auto& [what, l] : undone_)
      plan["undone"].push_back(
        {{"workflow", what.workflow}, {"step", what.step}, {"agent", what.detail}, {"tasks", l.tasks}});
    for (const auto& [what, l] : left_)
      plan["left"].push_back({{"workflow", what.workflow},
                              {"step", what.step},
                              {"why", what.detail},
                              {"tasks", l.tasks},
                              {"sample", l.sample}});
    return plan;
  }

private:
  struct step_of_workflow {
    std::string workflow;
    std::string step;
    std::string detail;

    friend auto operator<=>(const step_of_workflow&, const step_of_workflow&) = default;
  };

  bool undoes() const { return act_.act == actors::task_act::undo || act_.act == actors::task_act::cancel; }

  static void count(lot& l, const workflow::task& t) {
    if (l.tasks++ == 0)
      l.sample = t.id;
  }

  /// Why it would not take the act; empty: it would.
  std::string why_not(const workflow::task& t, const workflow::definition& d) {
    const auto event = actors::event_of(act_, t, d);
    if (!event)
      return actors::why_no_event(act_);
    const auto change = workflow::apply(t, d, *event, clock_);
    if (change.result != workflow::event_status::applied)
      return change.reason;
    ++states_after_[change.next.state];
    if (undoes())
      count_steps(workflow::plan_undo(t, d, *event, clock_), t, d);
    return {};
  }

  void count_steps(const workflow::undo_plan& plan, const workflow::task& t, const workflow::definition& d) {
    for (const auto i : plan.undone)
      count(undone_[{d.name, d.steps[i].name,
                     workflow::is_over_items(d.steps[i])  ? "its items"
                     : workflow::starts_child(d.steps[i]) ? "its task"
                                                          : d.steps[i].compensation->agent}],
            t);
    for (const auto i : plan.left)
      count(left_[{d.name, d.steps[i].name,
                   d.steps[i].compensation ? "its compensation failed" : "it has no compensation"}],
            t);
  }

  static std::vector<std::pair<std::string, lot>> largest(const std::map<std::string, lot>& all) {
    std::vector<std::pair<std::string, lot>> sorted{all.begin(), all.end()};
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second.tasks > b.second.tasks; });
    if (sorted.size() > named_max)
      sorted.resize(named_max);
    return sorted;
  }

  const actors::act_on_task& act_;
  workflow::clock_reading clock_;
  std::map<std::pair<std::string, std::uint32_t>, actors::boxed<workflow::definition>> definitions_;
  std::uint64_t looked_at_ = 0;
  std::uint64_t would_ = 0;
  std::map<workflow::process_state, std::uint64_t> states_after_; ///< of the tasks that would take it
  std::vector<std::string> ids_;                                  ///< of the first
  std::map<std::string, lot> refusals_;
  std::map<step_of_workflow, lot> undone_;
  std::map<step_of_workflow, lot> left_;
};

std::uint64_t count_of(const control_context& c, const store::task_filter& filter) {
  actors::count_tasks question;
  question.filter = actors::boxed<store::task_filter>{filter};
  question.limit = counted_max;
  return c.ask<actors::task_count>(c.parts.reader, question).count;
}

json plan_of(const control_context& c, const actors::act_on_task& act, const store::task_filter& filter,
             std::uint64_t count) {
  bulk_plan plan{act, c.clock(), workflows(c)};
  actors::list_tasks question;
  question.filter = actors::boxed<store::task_filter>{filter};
  question.max = planned_in_a_page;
  for (std::size_t looked_at = 0; looked_at < planned_max;) {
    const auto page = c.ask<actors::boxed<store::task_page>>(c.parts.reader, question);
    for (const auto& t : page->tasks)
      plan.look_at(t);
    looked_at += page->tasks.size();
    if (!page->next)
      break;
    question.before = *page->next;
  }
  return plan.told(count);
}

// ---- what the store knows ----

/// The conditions as they were given, if `where` does not say how people write them.
std::string where_of(const api::arguments& params) {
  if (params.has("where"))
    return params.text("where");
  auto conditions = params.given();
  for (const auto* not_one : {"act", "step", "document", "new_key", "who", "why", "where", "dry_run"})
    conditions.erase(not_one);
  return json_line(conditions);
}

std::uint64_t number_in(const api::arguments& params) {
  return params.number("bulk");
}

actors::boxed<store::bulk_page> bulk_acts(const control_context& c, const actors::list_bulk_acts& question) {
  return c.ask<actors::boxed<store::bulk_page>>(c.parts.reader, question);
}

json shown(const control_context& c, std::uint64_t number) {
  actors::list_bulk_acts question;
  question.number = number;
  const auto page = bulk_acts(c, question);
  if (page->acts.empty())
    throw api::error{api::error::not_found, "there is no bulk act with the number " + std::to_string(number)};
  json refusals = json::array();
  for (const auto& r : page->refusals)
    refusals.push_back({{"task_id", r.task_id}, {"task_number", r.task_number}, {"why", r.why}});
  return {{"bulk", bulk_json(page->acts.front())}, {"refusals", refusals}};
}

} // namespace

json start_bulk(const control_context& c, const api::arguments& params) {
  actors::act_on_task act;
  act.act = act_of(params);
  act.step = params.text("step");
  act.document = document_of(params, "document");
  act.new_key = params.flag("new_key");
  act.who = params.text("who");
  act.why = params.text("why");
  const auto filter = task_filter_of(c, params);
  workflow::bulk_act b;
  b.act = act.act;
  b.step = act.step;
  b.document = act.document;
  b.new_key = act.new_key;
  b.who = act.who;
  b.why = act.why;
  b.where = where_of(params);
  b.filter = store::encode(filter);
  if (const auto wrong = workflow::problems(b); !wrong.empty())
    throw api::error{api::error::invalid_params, wrong.front()};
  b.about = count_of(c, filter);
  if (params.flag("dry_run"))
    return plan_of(c, act, filter, b.about);
  if (b.about == 0)
    throw api::error{api::error::not_found, "no task matches"};
  const auto about = b.about;
  const auto outcome = c.write(store::start_bulk{std::move(b), {}});
  if (outcome.result != store::write_status::applied)
    throw api::error{api::error::refused, outcome.why};
  record_done(c, params,
              "began bulk act " + std::to_string(outcome.number) + ", to " + std::string{to_string(act.act)} + " about "
                + runtime::counted(about, "task"));
  return {{"bulk", outcome.number}, {"about", about}};
}

json list_bulk_acts(const control_context& c, const api::arguments& params) {
  actors::list_bulk_acts question;
  question.open_only = !params.flag("all");
  question.before = params.number("before");
  question.max = params.number<std::uint32_t>("max");
  const auto page = bulk_acts(c, question);
  json list = json::array();
  for (const auto& b : page->acts)
    list.push_back(bulk_json(b));
  return {{"bulk_acts", list}, {"next", page->next ? json(*page->next) : json{}}};
}

json show_bulk_act(const control_context& c, const api::arguments& params) {
  return shown(c, number_in(params));
}

json stop_bulk(const control_context& c, const api::arguments& params) {
  const auto number = number_in(params);
  const auto outcome = c.write(store::stop_bulk{number, params.text("who"), params.text("why"), {}});
  if (outcome.result != store::write_status::applied)
    throw control_context::error_of(outcome.result, outcome.why);
  record_done(c, params, "stopped bulk act " + std::to_string(number));
  return shown(c, number);
}

} // namespace steadfast
