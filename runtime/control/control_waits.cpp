// What comes from outside while a task waits.

#include "runtime/control/control_context.hpp"
#include "runtime/control/older_nodes.hpp"
#include "runtime/text/hex.hpp"
#include "runtime/text/json.hpp"
#include "runtime/text/step_token.hpp"
#include "store/verbs/decide_event.hpp"
#include "workflow/task/waiting.hpp"

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace steadfast {

namespace {

using nlohmann::json;

actors::use_token use_of(const api::arguments& params, actors::use_token::word says) {
  const auto token = runtime::read_step_token(params.text("token"));
  if (!token)
    throw api::error{api::error::invalid_params, "`token` is not the token of a step", {}, "token"};
  actors::use_token m;
  m.task_number = token->task_number;
  m.step = token->step;
  m.attempt = token->attempt;
  m.digest = token->digest;
  m.says = says;
  return m;
}

json carry_out(const control_context& c, actors::use_token m) {
  return state_after(c.ask<actors::act_result>(c.parts.gateway, m));
}

} // namespace

json complete_step(const control_context& c, const api::arguments& params) {
  auto m = use_of(params, actors::use_token::word::completes);
  m.result = document_of(params, "result");
  if (m.result.empty())
    m.result = "null";
  return carry_out(c, std::move(m));
}

json fail_step(const control_context& c, const api::arguments& params) {
  auto m = use_of(params, actors::use_token::word::fails);
  m.permanent = !params.flag("for_now");
  m.maybe_done = params.flag("maybe_done");
  m.time = workflow::span{params.number<std::int64_t>("retry_after_ms")};
  m.text = params.text("error");
  return carry_out(c, std::move(m));
}

json extend_step(const control_context& c, const api::arguments& params) {
  auto m = use_of(params, actors::use_token::word::goes_on);
  m.time = workflow::span{params.number<std::int64_t>("length_ms")};
  m.text = params.text("progress");
  return carry_out(c, std::move(m));
}

namespace {

json result_of(const store::outcome& o) {
  if (o.result != store::write_status::applied)
    throw control_context::error_of(o.result, o.why);
  const auto& told = o.as<store::event_result>();
  return {{"event", told.number}, {"taken", told.taken}, {"more", told.more}, {"again", told.again}};
}

} // namespace

/// Many wait for one commit, so none of them occupies a thread.
void send_event(const control_context& c, const api::arguments& params, const control_reply& reply) {
  store::send_event w;
  w.name = params.text("event");
  w.key = params.text("key");
  w.task_id = params.text("task");
  w.data = document_of(params, "data");
  if (w.data.empty())
    w.data = "null";
  w.who = params.text("who");
  w.keep_for = workflow::span{params.number<std::int64_t>("keep_ms")};
  w.id = params.text("id");
  for (const auto* name : {"id", "task"}) // such as a variable that was not set: it would be an event to all, or twice
    if (params.has(name) && params.text(name).empty())
      throw api::error{api::error::invalid_params, "`" + std::string{name} + "` is empty", {}, name};
  if (const auto wrong = store::wrong_field_of(w))
    throw api::error{api::error::invalid_params, wrong->why, {}, wrong->name};
  const bool has_id = !w.id.empty();
  actors::write_request request;
  request.what = actors::boxed<store::write>{store::write{std::move(w)}};
  const auto ask = [store = c.parts.store_actor, all = actors::write_requests{{std::move(request)}}, has_id,
                    reader = c.parts.reader, reply](caf::event_based_actor* self) -> caf::behavior {
    const auto send = [self, store, all] { self->send(store, all); };
    const auto refuse = [self, reply](const control_answer& why) {
      reply(why);
      self->quit();
    };
    if (has_id)
      unless_older(self, reader, workflow::knowledge::rates, "ids of events", refuse, send);
    else
      send();
    return {[self, reply](const actors::writes_done& m) {
              reply([&] { return result_of(*m.all.at(0).outcome); });
              self->quit();
            },
            caf::after(control_context::reply_limit) >>
              [self, reply] {
                reply([]() -> json {
                  throw api::error{api::error::timed_out, "the store did not answer; the outcome is unknown"};
                });
                self->quit();
              }};
  };
  c.sys.spawn(ask);
}

namespace {

json kept_json(const store::kept_event& x) {
  json j{{"number", x.number},
         {"event", x.name},
         {"at", instant_json(x.at)},
         {"kept_until", instant_json(x.expires_at)},
         {"data_size", x.data_size}};
  for (const auto& [field, text] : {std::pair{"key", &x.key}, {"task", &x.task}, {"id", &x.id}, {"who", &x.who}})
    if (!text->empty())
      j[field] = *text;
  return j;
}

} // namespace

json list_events(const control_context& c, const api::arguments& params) {
  expect_known(c, workflow::knowledge::rates, "lists of events");
  actors::list_events question{params.text("event"), params.text("key"), params.text("task"), {}, 0};
  if (question.name.empty() && !(question.key.empty() && question.task.empty()))
    throw api::error{api::error::invalid_params, "`event` is needed with `key` or `task`", {}, "event"};
  if (!question.key.empty() && !question.task.empty())
    throw api::error{api::error::invalid_params, "an event is for a key or for a task, not for both", {}, "task"};
  const auto after = runtime::bytes_of_hex(params.text("after"));
  if (!after)
    throw api::error{api::error::invalid_params, "`after` is not what `next` was", {}, "after"};
  question.after = *after;
  question.max = static_cast<std::uint32_t>(max_of(params));
  const auto page = c.ask<actors::boxed<store::event_page>>(c.parts.reader, question);
  json list = json::array();
  for (const auto& x : page->events)
    list.push_back(kept_json(x));
  return {{"events", list}, {"next", page->next.empty() ? json() : json(runtime::hex_of(page->next))}};
}

namespace {

/// Whose questions are listed.
struct question_filter {
  explicit question_filter(const api::arguments& params)
      : workflow{params.text("workflow")},
        role{params.text("role")},
        roles(params.value("roles")) {} // braces: with g++ an array of one that has it

  bool holds(const workflow::step_definition& s) const {
    return s.wait && s.wait->what == workflow::wait_rule::kind::person && (role.empty() || s.wait->name == role)
           && (roles.empty() || std::find(roles.begin(), roles.end(), s.wait->name) != roles.end());
  }
  bool holds(const workflow::definition& d) const {
    return (workflow.empty() || d.name == workflow)
           && std::any_of(d.steps.begin(), d.steps.end(), [&](const auto& s) { return holds(s); });
  }

  std::string workflow;
  std::string role;
  json roles; ///< null: any
};

json question_json(const workflow::task& t, const workflow::definition& d, std::size_t i) {
  const auto& w = *d.steps[i].wait;
  const auto since = t.steps[i].log.back().started_at;
  return {{"id", t.id},
          {"workflow", t.workflow},
          {"step", d.steps[i].name},
          {"role", w.name},
          {"question", w.question},
          {"choices", w.choices},
          {"since", instant_json(since)},
          {"limit_at", instant_json(workflow::told_until(t.steps[i], w))}};
}

/// Those that may still be answered: while a task is suspended, the time of its questions may end.
void add_questions(const workflow::task& t, const workflow::definition& d, const question_filter& f,
                   workflow::instant now, json& to) {
  for (std::size_t i = 0; i < d.steps.size(); ++i)
    if (f.holds(d.steps[i]) && t.steps[i].state == workflow::step_state::waiting
        && now < workflow::told_until(t.steps[i], *d.steps[i].wait))
      to.push_back(question_json(t, d, i));
}

} // namespace

json list_approvals(const control_context& c, const api::arguments& params) {
  const question_filter wanted{params};
  const auto max = max_of(params);
  std::map<std::pair<std::string, std::uint32_t>, actors::boxed<workflow::definition>> asking;
  for (const auto& d : workflows(c).definitions)
    if (wanted.holds(*d))
      asking[{d->name, d->version}] = d;
  json found = json::array();
  if (asking.empty())
    return {{"approvals", found}, {"next", nullptr}};
  store::task_filter unfinished;
  using enum workflow::process_state;
  unfinished.states = {pending, processing, suspended};
  auto next = look_through(c, std::move(unfinished), params.number("before"), [&](const workflow::task& t) {
    if (found.size() >= max)
      return false;
    if (const auto d = asking.find({t.workflow, t.version}); d != asking.end())
      add_questions(t, *d->second, wanted, c.clock_of(t.number).now, found);
    return true;
  });
  return {{"approvals", found}, {"next", std::move(next)}};
}

json answer_approval(const control_context& c, const api::arguments& params) {
  actors::give_answer m;
  m.id = params.text("id");
  m.step = params.text("step");
  m.choice = params.text("choice");
  m.who = params.text("who");
  m.why = params.text("why");
  return state_after(c.ask<actors::act_result>(c.parts.gateway, m));
}

} // namespace steadfast
