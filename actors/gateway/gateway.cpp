// What clients and people talk to. Submissions and reads are passed on; an act of a person becomes an event that is
// applied to the stored task, from the start again if somebody else was quicker.

#include "actors/gateway/gateway.hpp"

#include "actors/common/error_text.hpp"
#include "actors/common/observed.hpp"
#include "actors/common/state_tree.hpp"
#include "actors/gateway/act_event.hpp"
#include "actors/protocol/type_ids.hpp"
#include "workflow/overload.hpp"
#include "workflow/transition/transition.hpp"

#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <map>
#include <optional>
#include <utility>
#include <variant>

namespace steadfast::actors {

namespace {

constexpr int write_tries_max = 10;
// A node learns within a few seconds that the store has another clock.
constexpr workflow::span decide_again_after{250};
constexpr int decisions_max = 40;

using pending_question = std::variant<act_on_task, use_token, give_answer>;

/// What a person, or whoever has a token, does, on its way to the store.
struct pending_act {
  pending_question what;
  caf::typed_response_promise<act_result> promise;
  int tries = 0;
  int by_other_clock = 0;
  workflow::process_state state = workflow::process_state::pending; ///< after it
};

class gateway : public observed<gateway_actor> {
public:
  gateway(caf::actor_config& cfg, gateway_deps deps) : observed{cfg}, deps_{std::move(deps)} {}

  const char* name() const override { return "gateway"; }

  void on_exit() override {
    acts_.clear();
    deps_ = {};
  }

  behavior_type make_behavior() override {
    return {
      one_by_one<const writes_done>([this](const write_done& w) { on_written(w); }),
      [](const store_news&) {},
      [this](const tick_timer& m) { decide_again(m.generation); },
      [this](const boxed<workflow::submission>& m) { return delegate(deps_.store, m); },
      [this](const show_task& m) { return delegate(deps_.reader, m); },
      [this](const list_tasks& m) { return delegate(deps_.reader, m); },
      [this](const act_on_task& m) { return on_act(m); },
      [this](const use_token& m) { return on_act(m); },
      [this](const give_answer& m) { return on_act(m); },
      [this](const inspect_state& m) { return state(m.listed_max); },
      [this](const observe& m) { delegate(deps_.notifier, m); },
      [this](const progress_seen& m) { delegate(deps_.notifier, m); },
    };
  }

private:
  template <class Act>
  caf::result<act_result> on_act(const Act& m) {
    const auto ticket = ++ticket_;
    auto& act = acts_[ticket];
    act.what = m;
    act.promise = make_response_promise<act_result>();
    auto answer = act.promise;
    read_task(ticket);
    return answer;
  }

  void read_task(std::uint64_t ticket) {
    std::visit(workflow::overload{[&](const act_on_task& m) { read_task(ticket, show_task{m.id}); },
                                  [&](const give_answer& m) { read_task(ticket, show_task{m.id}); },
                                  [&](const use_token& m) { read_task(ticket, find_task{m.task_number}); }},
               acts_.at(ticket).what);
  }

  template <class Question>
  void read_task(std::uint64_t ticket, const Question& question) {
    ask(this, deps_.reader, deps_.reader_limit, question)
      .then([this, ticket](const task_view& view) { on_task(ticket, view); },
            [this, ticket](const caf::error& e) {
              finish(ticket, refusal("nothing was done, since the task could not be read: "
                                       + refusal_in(e).value_or("the store did not answer; try again"),
                                     act_refusal::not_now));
            });
  }

  static act_result refusal(std::string why, act_refusal kind = act_refusal::by_rule) {
    act_result r;
    r.why = std::move(why);
    r.refusal = kind;
    return r;
  }

  void finish(std::uint64_t ticket, act_result result) {
    acts_.at(ticket).promise.deliver(std::move(result));
    acts_.erase(ticket);
  }

  /// Empty: only the number is known.
  static std::string id_in(const pending_question& what) {
    return std::visit(
      workflow::overload{[](const use_token&) { return std::string{}; }, [](const auto& m) { return m.id; }}, what);
  }

  static std::string no_task(const pending_question& what) {
    const auto id = id_in(what);
    return id.empty() ? "the task of the token is not there any more" : "there is no task `" + id + "`";
  }

  void on_task(std::uint64_t ticket, const task_view& view) {
    auto& act = acts_.at(ticket);
    if (!view.task || !view.definition)
      return finish(ticket, view.damage.empty()
                              ? refusal(no_task(act.what), act_refusal::gone)
                              : refusal("the task was set aside because its records are damaged: " + view.damage));
    if (const auto revision = revision_asked(act); revision != 0 && revision != view.task->revision)
      return finish(ticket, changed(revision));
    const auto event = event_in(act.what, *view.task, *view.definition);
    if (!event)
      return finish(ticket, refusal(std::visit(
                              workflow::overload{[](const use_token&) { return std::string{"it has no such step"}; },
                                                 [](const auto& m) { return why_no_event(m); }},
                              act.what)));
    const auto clock = deps_.clocks.of_task(view.task->number).reading(this);
    auto change = workflow::apply(*view.task, *view.definition, *event, clock);
    if (change.result != workflow::event_status::applied) {
      auto r = refusal(change.reason, change.is_too_early ? act_refusal::not_now : act_refusal::by_rule);
      r.state = view.task->state;
      return finish(ticket, std::move(r));
    }
    write_change(ticket, *view.task, std::move(change), clock);
  }

  static std::uint64_t revision_asked(const pending_act& a) {
    const auto* const act = std::get_if<act_on_task>(&a.what);
    return act != nullptr ? act->revision : 0;
  }

  static std::optional<workflow::event> event_in(const pending_question& what, const workflow::task& t,
                                                 const workflow::definition& d) {
    return std::visit(workflow::overload{[&](const use_token& m) { return std::optional{event_of(m, d)}; },
                                         [&](const auto& m) { return event_of(m, t, d); }},
                      what);
  }

  void write_change(std::uint64_t ticket, const workflow::task& before, workflow::change change,
                    const workflow::clock_reading& clock) {
    auto& act = acts_.at(ticket);
    act.state = change.next.state;
    store::update_task u;
    u.lock_epoch_before = before.lock_epoch;
    if (const auto* const m = std::get_if<act_on_task>(&act.what)) {
      u.payload_changed = m->act == task_act::edit;
      u.bulk = m->bulk;
    }
    u.notices = std::move(change.notices);
    u.alerts = std::move(change.alerts);
    u.next = std::move(change.next);
    write_request r;
    r.ticket = ticket;
    r.what = boxed<store::write>{store::write{std::move(u)}};
    r.holder = before.locked_by;
    r.decided_by = clock;
    tell(this, deps_.store, write_requests{{std::move(r)}});
  }

  void on_written(const write_done& m) {
    const auto found = acts_.find(m.ticket);
    if (found == acts_.end())
      return;
    auto& act = found->second;
    if (m.outcome->result == store::write_status::applied) {
      act_result result;
      result.done = true;
      result.state = act.state;
      return finish(m.ticket, std::move(result));
    }
    if (m.is_by_other_clock && ++act.by_other_clock < decisions_max)
      return tell_after(this, gateway_actor{this}, decide_again_after, tick_timer{m.ticket});
    if (m.outcome->result == store::write_status::stale_lock && revision_asked(act) != 0)
      return finish(m.ticket, changed(revision_asked(act)));
    if (m.outcome->result == store::write_status::stale_lock && ++act.tries < write_tries_max)
      return read_task(m.ticket);
    finish(m.ticket, failed(*m.outcome));
  }

  static act_result changed(std::uint64_t since) { return refusal(why_changed(since), act_refusal::changed); }

  static act_result failed(const store::outcome& o) {
    switch (o.result) {
      case store::write_status::unknown_outcome:
        return refusal(
          "it is not known whether this was done, since the store's answer was lost; look at the task before "
          "you try again",
          act_refusal::unknown);
      case store::write_status::stale_lock: return refusal("the task keeps changing; try again", act_refusal::changed);
      case store::write_status::full: return refusal(o.why, act_refusal::not_now);
      case store::write_status::absent: return refusal(o.why, act_refusal::gone);
      default: return refusal(o.why);
    }
  }

  void decide_again(std::uint64_t ticket) {
    if (acts_.contains(ticket))
      read_task(ticket);
  }

  actor_state state(std::size_t listed_max) const {
    const auto act = [](const auto& a) -> state_tree {
      const auto id = id_in(a.second.what);
      const auto who = std::visit(workflow::overload{[](const use_token&) { return std::string{"a token"}; },
                                                     [](const auto& m) { return m.who; }},
                                  a.second.what);
      return {{"task", id.empty() ? "of a token" : id}, {"who", who}, {"tries", a.second.tries}};
    };
    return state_of(counted(acts_.size(), "act") + " on the way", {{"acts", listed(acts_, listed_max, act)}});
  }

  gateway_deps deps_;
  std::map<std::uint64_t, pending_act> acts_;
  std::uint64_t ticket_ = 0;
};

} // namespace

gateway_actor spawn_gateway(caf::actor_system& sys, gateway_deps deps) {
  return sys.spawn<gateway>(std::move(deps));
}

} // namespace steadfast::actors
