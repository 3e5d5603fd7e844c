// What comes from outside while tasks wait: tokens of steps that end later, events, and answers of persons. Each comes
// before it is waited for, after, twice, or never.

#include "simulation/run/cluster.hpp"
#include "simulation/world/documents.hpp"

#include "runtime/text/step_token.hpp"
#include "workflow/definition/wait_end.hpp"
#include "workflow/text/json_place.hpp"

#include "workflow/schedule/schedule.hpp"

#include <caf/after.hpp>
#include <caf/event_based_actor.hpp>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

namespace steadfast::simulation {

namespace {

using namespace std::chrono_literals;
using word = actors::use_token::word;

constexpr workflow::span looks_who_waits{5000};
constexpr workflow::span says_again_in{30'000}; ///< what was lost
constexpr std::uint64_t seed_of_schedules = 0x5c4ed01e;
constexpr std::uint64_t seed_of_calendar = 0xca1e4da5; ///< with it the seeds that have shown a bug are as they were

} // namespace

/// The same in every run of the seed.
actors::issued_token cluster::issue_token(const std::string& prefix) {
  auto secret = std::to_string(++tokens_issued_);
  return runtime::step_token_of(prefix, std::string(64 - secret.size(), '0') + secret);
}

/// Asks it of some node.
template <class Question>
void cluster::tell_some_node(const Question& question, const std::function<void(const actors::act_result&)>& then) {
  const auto found = parts_.find(names_[told_chance_.below(names_.size())]);
  if (found == parts_.end())
    return;
  world_.find(found->first)
    ->system()
    .spawn([question, then, gateway = found->second.gateway](caf::event_based_actor* self) {
      actors::ask(self, gateway, std::chrono::seconds{30}, question)
        .then([then](const actors::act_result& r) { then(r); }, [](const caf::error&) {});
    });
}

void cluster::use_token(const std::string& token, word says, const std::string& result) {
  const auto t = runtime::read_step_token(token);
  actors::use_token m{t->task_number, t->step, t->attempt, t->digest, says, result, false, true, {}, "so"};
  if (says == word::goes_on)
    m.text = "half";
  tell_some_node(m, [this, token, says](const actors::act_result& r) {
    if (r.done && says != word::goes_on && !tokens_used_.insert(token).second)
      watch_.complain("a token ended its attempt twice (P40)");
  });
}

bool cluster::takes_on(const std::string& token, const std::string& result) {
  if (!told_chance_.happens(600))
    return false;
  const auto luck = told_chance_.below(10);
  if (luck == 0)
    return true; // nobody says how it ends
  const auto says = luck == 1 ? word::fails : word::completes;
  auto after = told_chance_.between(0ms, 3s);
  if (luck < 4) {
    world_.in(after, [this, token] { use_token(token, word::goes_on, {}); });
    after += told_chance_.between(0ms, 3s);
  }
  world_.in(after, [this, token, says, result] { use_token(token, says, result); });
  // Whoever came too early comes again; and a token may be used twice.
  world_.in(after + told_chance_.between(500ms, 2s),
            [this, token, result] { use_token(token, word::completes, result); });
  return true;
}

/// By that node; if it is down, nothing is asked. `then` may be empty.
void cluster::ask_store(const std::string& node, store::write what, outcome_told then) {
  const auto found = parts_.find(node);
  if (found == parts_.end())
    return;
  actors::write_request request;
  request.what = actors::boxed<store::write>{std::move(what)};
  world_.find(found->first)
    ->system()
    .spawn([store = found->second.store_actor, then = std::move(then),
            all = actors::write_requests{{std::move(request)}}](caf::event_based_actor* self) -> caf::behavior {
      self->send(store, all);
      return {[self, then](const actors::writes_done& m) {
                if (then)
                  then(*m.all.front().outcome);
                self->quit();
              },
              caf::after(30s) >> [self] { self->quit(); }};
    });
}

void cluster::tell_store(store::write what) {
  ask_store(names_[told_chance_.below(names_.size())], std::move(what), {});
}

void cluster::send_event(const std::string& name, const std::string& key, const std::string& data,
                         const std::string& id) {
  store::send_event w;
  w.id = id;
  w.name = name;
  w.key = key;
  w.data = data;
  w.who = "somebody";
  ask_store(names_[told_chance_.below(names_.size())], w,
            [this, w](const store::outcome& o) { expect_known_everywhere(w, o); });
}

/// One that is for no task alone is in each partition before it is said to be taken.
void cluster::expect_known_everywhere(const store::send_event& w, const store::outcome& o) {
  if (w.id.empty() || o.result != store::write_status::applied)
    return;
  if (const auto know = watch_.count_knowing(w.name, w.id); know < shape_.partitions)
    watch_.complain("the event " + w.id + " was acknowledged, and " + std::to_string(know) + " of "
                    + std::to_string(shape_.partitions) + " partitions know it (row 147)");
}

/// Whose partition alone keeps it. All are asked for its id, so none takes it for another task (P51).
void cluster::send_to_two_tasks(const std::string& name, const std::string& first) {
  store::send_event w;
  w.name = name;
  w.task_id = first;
  w.data = "{}";
  w.who = "somebody";
  w.id = first + " only";
  ask_store(names_[told_chance_.below(names_.size())], w, [this, w](const store::outcome& o) {
    if (o.result != store::write_status::applied)
      return;
    world_.in(told_chance_.between(1s, 30s), [this, w] {
      auto second = w;
      second.task_id = std::next(said_.begin(), static_cast<std::ptrdiff_t>(told_chance_.below(said_.size())))->first;
      if (second.task_id == w.task_id)
        return;
      ask_store(names_[told_chance_.below(names_.size())], second, [this, w, second](const store::outcome& o2) {
        if (o2.result == store::write_status::applied)
          watch_.complain(second.task_id + " has an event whose id was that of one for " + w.task_id + " (P51)");
      });
    });
  });
}

void cluster::send_rivals(const workflow::wait_rule& rule, const std::string& id) {
  for (std::size_t i = 0; i < 2; ++i) {
    store::send_event w;
    w.name = rule.name;
    w.key = rule.at.from == workflow::source::kind::literal ? key_of(rule, {}) : "rival";
    w.data = std::to_string(i);
    w.who = id + ", sender " + std::to_string(i);
    w.id = id;
    ask_store(names_[i], w, [this, w](const store::outcome& o) {
      expect_known_everywhere(w, o);
      rivals_[w.id][w.who] = o.result;
    });
  }
}

void cluster::expect_rivals_apart() {
  for (const auto& [id, senders] : rivals_) {
    std::size_t taken = 0;
    for (const auto& [who, told] : senders) {
      taken += told == store::write_status::applied ? 1 : 0;
      if (told == store::write_status::refused && watch_.has_kept_event_of(who))
        watch_.complain("the event of " + who + " was refused, and a partition keeps it (row 147)");
    }
    if (taken > 1)
      watch_.complain("two events with the id " + id + " were taken (P51)");
  }
}

/// For one task that was submitted.
void cluster::plan_what_is_told(const workflow::submission& s, const workflow::definition& d) {
  if (outside_ != nullptr)
    return;
  for (std::size_t i = 0; i < d.steps.size(); ++i) {
    const auto& rule = d.steps[i].wait;
    if (!rule || !workflow::is_until_told(*rule))
      continue;
    const auto id = told_chance_.happens(500) ? s.id + " " + d.steps[i].name : std::string{}; // sent again with it
    for (auto times = told_chance_.below(4); times > 0; --times)                              // 0: never
      world_.in(told_chance_.between(0ms, 20s), [this, s, id, rule = *rule, step = d.steps[i].name] {
        if (rule.what == workflow::wait_rule::kind::person)
          return tell_some_node(actors::give_answer{s.id, step, rule.choices.front(), "grace", "because"},
                                [](const actors::act_result&) {});
        send_event(rule.name, key_of(rule, s), "{}", id);
      });
    if (shape_.partitions > 1 && rule->what == workflow::wait_rule::kind::event)
      world_.in(told_chance_.between(0ms, 5s), [this, name = rule->name, id = s.id] { send_to_two_tasks(name, id); });
  }
}

void cluster::declare(const declared_services& outside) {
  outside_ = &outside;
  tell_who_waits();
}

/// Each step that waits, also of children, is told in its time, and again until it waits no more: clients repeat what
/// was not acknowledged.
void cluster::tell_who_waits() {
  world_.in(looks_who_waits, [this] { tell_who_waits(); });
  decltype(to_tell_) known;
  for (const auto& [number, t] : watch_.tasks()) {
    const auto* d = workflow::has_ended(t) ? nullptr : watch_.definition_of(t);
    for (std::size_t i = 0; d && i < t.steps.size(); ++i) {
      const auto& rule = d->steps[i].wait;
      if (!rule || !workflow::is_until_told(*rule) || t.steps[i].state != workflow::step_state::waiting)
        continue;
      const std::tuple key{number, i, t.steps[i].attempt};
      const auto found = to_tell_.find(key);
      auto& planned = known[key] = found == to_tell_.end() ? plan_word(*d, d->steps[i]) : found->second;
      if (planned.at > world_.now())
        continue;
      tell_as_planned(t, *d, i, planned.says);
      planned.at = world_.now() + says_again_in;
    }
  }
  to_tell_ = std::move(known);
}

cluster::planned_word cluster::plan_word(const workflow::definition& d, const workflow::step_definition& s) {
  const auto word = outside_->word_for(*s.wait);
  const bool comes = told_chance_.below(service_faults::always) >= word.never;
  const auto after = told_chance_.between(word.after_min, word.after_max);
  planned_word planned{{}, comes ? world_.now() + after : moment::max()};
  const auto& choices = s.wait->choices;
  if (s.wait->what == workflow::wait_rule::kind::event)
    planned.says = word.says ? *word.says : sample_result(d, s.name, told_chance_, shape_.workflows);
  else if (word.says && std::find(choices.begin(), choices.end(), *word.says) != choices.end())
    planned.says = *word.says;
  else
    planned.says = choices[told_chance_.below(choices.size())];
  return planned;
}

void cluster::tell_as_planned(const workflow::task& t, const workflow::definition& d, std::size_t i,
                              const std::string& says) {
  const auto& rule = *d.steps[i].wait;
  if (rule.what == workflow::wait_rule::kind::person)
    tell_some_node(actors::give_answer{t.id, d.steps[i].name, says, "grace", "because"},
                   [](const actors::act_result&) {});
  else
    send_event(rule.name, t.steps[i].wait->event_key, says);
}

moment cluster::next_told() const {
  auto next = moment::max();
  for (const auto& [who, planned] : to_tell_)
    next = std::min(next, planned.at);
  return next;
}

std::string cluster::key_of(const workflow::wait_rule& rule, const workflow::submission& s) {
  if (rule.at.from == workflow::source::kind::literal)
    return workflow::event_key_of(rule.at.literal).text;
  const auto found = workflow::json_value_at(s.payload.view(), rule.at.pointer);
  return found ? workflow::event_key_of(*found).text : std::string{};
}

void cluster::draw_calendar() {
  chance luck{shape_.people_seed ^ seed_of_calendar}; // of its own: other draws stay what they are
  summer_time_ = draw_summer_time(luck);
  if (summer_time_)
    world_.begin_at(summer_time_->begins_at);
}

/// One for times that clocks skip or show twice, and one for each minute that they show.
void cluster::plan_schedules_over_change() {
  chance luck{~shape_.people_seed ^ seed_of_calendar};
  for (const auto& [name, cron] :
       {std::pair<const char*, std::string>{"named-hour", summer_time_->cron}, {"each-minute", "* * * * *"}}) {
    const auto& d = shape_.workflows[luck.below(shape_.workflows.size())];
    workflow::schedule s;
    s.rule = workflow::overlap::allow;
    s.name = name;
    s.workflow = d.name;
    s.version = d.version;
    s.payload = workflow::blob{sample_payload_for(s.name, d, luck)};
    s.cron = cron;
    s.zone = summer_time_->zone;
    s.catch_up = schedules_catch_up_max;
    s.catch_up_max = 5;
    world_.in(luck.between(0ms, 10s), [this, s] {
      watch_.on_schedule_sent(s.name);
      tell_store(store::put_schedule{s, {}, {}});
    });
  }
  watch_.expect_moments("named-hour", summer_time_->moments);
}

void cluster::plan_schedules() {
  if (summer_time_)
    plan_schedules_over_change();
  chance luck{shape_.people_seed ^ seed_of_schedules}; // of its own: other draws stay what they are
  if (!luck.happens(300))
    return;
  for (auto n = 1 + luck.below(2); n > 0; --n) {
    const auto& d = shape_.workflows[luck.below(shape_.workflows.size())];
    workflow::schedule s;
    s.rule = static_cast<workflow::overlap>(1 + luck.below(4));
    s.name = std::string{workflow::to_string(s.rule)} + "-" + std::to_string(n);
    s.workflow = d.name;
    s.version = d.version;
    s.payload = workflow::blob{sample_payload_for(s.name, d, luck)};
    if (luck.happens(200)) {
      s.cron = "* * * * *";
      s.zone = "Europe/Lisbon";
    } else {
      s.every = luck.between(1s, 8s);
    }
    s.jitter = luck.happens(300) ? luck.between(0ms, std::max(s.every, workflow::span{1s})) : 0ms;
    s.catch_up = luck.between(0ms, schedules_catch_up_max);
    s.catch_up_max = static_cast<std::uint32_t>(1 + luck.below(5));
    const auto begin = luck.between(0ms, 10s);
    world_.in(begin, [this, s] {
      watch_.on_schedule_sent(s.name);
      tell_store(store::put_schedule{s, {}, {}});
    });
    for (auto acts = luck.below(4); acts > 0; --acts) {
      const auto act = static_cast<store::schedule_act>(1 + luck.below(3));
      world_.in(begin + luck.between(0ms, 60s), [this, act, name = s.name] {
        tell_store(store::act_on_schedule{name, act, "grace", "because", {}});
      });
    }
  }
}

void cluster::remove_schedules() {
  if (!has_store())
    return;
  for (const auto& s : store().schedules({}, 100)) {
    watch_.look_at_moments(s);
    tell_store(store::act_on_schedule{s.what.name, store::schedule_act::remove, "grace", "it is over", {}});
  }
}

} // namespace steadfast::simulation
