#include "simulation/services/services.hpp"

#include "simulation/world/documents.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace steadfast::simulation {

using workflow::attempt_action;

namespace {

constexpr workflow::span gives_up_in{5000};
constexpr workflow::span too_late_max{30'000}; ///< after complete-by and grace

/// Of a call that is not in the script: it succeeds.
script::call_fate fate_in(const script& s, const std::string& key, std::uint32_t nth) {
  const auto found = s.calls.find({key, nth});
  return found == s.calls.end() ? script::call_fate{} : found->second;
}

} // namespace

actors::agent_function services::agent(const std::string& node, const std::string& name) {
  return actors::async_function{[this, node, name, life = ++agents_](const auto& what, actors::answer_to answer) {
    watch_.on_call(life, what);
    const std::pair call_of{life, calls_};
    open_[call_of] = {node, name, what, world_.now()};
    expect_places(life);
    call(node, name, what, [this, call_of, answer = watched(life, what, std::move(answer))](const actors::answer& a) {
      open_.erase(call_of);
      answer(a);
    });
  }};
}

void services::expect_places(std::uint64_t life) {
  if (open_.size() <= places_) // in a crowd there are thousands
    return;
  std::size_t open = 0;
  for (auto x = open_.lower_bound({life, 0}); x != open_.end() && x->first.first == life; ++x)
    open += x->second.what.stop.stop_requested() ? 0 : 1;
  if (open > places_)
    complaints_.push_back("an agent calls " + std::to_string(open) + " at a time, and may call "
                          + std::to_string(places_) + " (P28)");
}

void services::expect_none_goes_on(moment began_after) {
  std::erase_if(open_, [](const auto& x) { return x.second.what.stop.stop_requested(); });
  for (const auto& [name, x] : open_) {
    const auto took = std::chrono::floor<workflow::span>(world_.now() - x.began_at);
    const auto allowed = (x.what.complete_by - x.what.began_at) * 103 / 100 + gives_up_in; // clocks drift
    if (x.what.stop.stop_possible() && x.began_at > began_after && took > allowed)
      complaints_.push_back(x.what.task_id + " step `" + x.what.step + "` is called by " + x.agent + " of " + x.node
                            + " seconds after its complete-by (P12)");
  }
}

const declared_service& services::of(const std::string& agent) const {
  const auto found = declared_.find(agent);
  return found == declared_.end() ? usual_ : found->second;
}

/// The service of the step that is asked about or undone.
const declared_service& services::performing(const actors::call& what) const {
  for (const auto& d : workflows_)
    if (const auto i = d.name == what.workflow ? workflow::find_step(d, what.step) : std::nullopt)
      return of(d.steps[*i].agent);
  return usual_;
}

std::uint32_t services::times_in_place(const std::string& key) const {
  const auto count = [&key](const auto& of) {
    const auto found = of.find(key);
    return found == of.end() ? 0 : found->second;
  };
  return count(done_) - count(undone_);
}

void services::call(const std::string& node, const std::string& agent, const actors::call& what,
                    actors::answer_to answer) {
  ++calls_;
  if (held_back_.contains({node, agent}))
    complaints_.push_back(what.task_id + " step `" + what.step + "` was called while a person held the circuit of "
                          + agent + " open");
  if (on_call)
    on_call(node, what);
  under_way_[what.key] = node;
  world_.tell("call of " + what.key + ", attempt " + std::to_string(what.attempt) + ", with "
              + std::to_string((what.complete_by - what.began_at).count()) + " ms left");
  answer = settling(what, counted(what, std::move(answer)));
  const auto& faults = of(agent).faults;
  const auto nth = ++times_called_[what.key];
  auto latency = world_.chance().between(faults.latency_min, faults.latency_max);
  if (played_)
    latency = fate_in(*played_, what.key, nth).latency;
  if (recorded_)
    recorded_->calls[{what.key, nth}].latency = latency;
  if (latency >= what.complete_by - what.began_at) // its connection is closed before it has arrived
    return hung_.push_back(std::move(answer));
  world_.in(latency,
            [this, agent, what, nth, sent_at = world_.now(), life = life_of(what.task_id), answer = std::move(answer)] {
              under_way_.erase(what.key);
              if (life != life_of(what.task_id))
                return expect_known(what, life);
              handle(of(agent), what, sent_at, answer, nth);
            });
}

actors::answer_to services::watched(std::uint64_t agent, const actors::call& what, actors::answer_to answer) {
  return [this, agent, what, answer = std::move(answer)](const actors::answer& a) {
    watch_.on_answer(agent, what, a);
    answer(a);
  };
}

// ---- figures ----

actors::answer_to services::counted(const actors::call& what, actors::answer_to answer) {
  if (what.action != attempt_action::perform)
    return answer;
  const figures_place place{what.workflow, what.step};
  ++calls_of_[{place, what.key}];
  return [this, place, stop = what.stop, answer = std::move(answer)](const actors::answer& a) {
    if (!stop.stop_requested()) { // otherwise nobody waits for it
      auto& f = figures_[place];
      ++f.answered;
      f.failed_for_now += a.kind == actors::report_kind::failed_transient ? 1 : 0;
      f.failed_for_good += a.kind == actors::report_kind::failed_permanent ? 1 : 0;
    }
    answer(a);
  };
}

figures_by_step services::figures() const {
  auto all = figures_;
  for (const auto& [what, calls] : calls_of_) {
    auto& f = all[what.first];
    ++f.begun;
    f.calls += calls;
    f.calls_max = std::max(f.calls_max, calls);
  }
  return all;
}

// ---- who calls ----

bool services::is_calling(const std::string& node) const {
  return std::any_of(under_way_.begin(), under_way_.end(), [&](const auto& x) { return x.second == node; });
}

bool services::is_called_from_elsewhere(const std::string& key, const std::string& node) const {
  const auto found = under_way_.find(key);
  return found != under_way_.end() && found->second != node;
}

void services::forget(const std::string& node) {
  std::erase_if(under_way_, [&](const auto& x) { return x.second == node; });
  std::erase_if(held_back_, [&](const auto& x) { return x.first == node; });
  std::erase_if(open_, [&](const auto& x) { return x.second.node == node; });
}

std::uint32_t services::life_of(const std::string& task) const {
  const auto found = lives_.find(task);
  return found == lives_.end() ? 0 : found->second;
}

/// A call for a task that has left the store meanwhile. Services know its keys until nobody can be working on it, so
/// the call has no effect, even if the id is in use again.
void services::expect_known(const actors::call& what, std::uint32_t life) {
  if (what.action == attempt_action::perform && !known_once_.contains({what.key, life}))
    complaints_.push_back(what.task_id + " step `" + what.step
                          + "` took place for the first time when its task had left the store (P15)");
}

namespace {

/// "TASK/STEP", and perhaps "/undo" or "/probe"; "TASK/STEP/STEP" is of the task's child.
bool is_key_of(const std::string& task, std::string_view key) {
  if (!key.starts_with(task + "/"))
    return false;
  key.remove_prefix(task.size() + 1);
  const auto end = key.find('/');
  return end == std::string_view::npos || key.substr(end) == "/undo" || key.substr(end) == "/probe";
}

} // namespace

void services::forget_keys_of(const std::string& task) {
  const auto of_task = [&task](const auto& x) { return is_key_of(task, x.first); };
  const auto life = lives_[task]++;
  const auto keep = [&](const std::string& key) {
    if (is_key_of(task, key))
      known_once_.insert({key, life});
  };
  for (const auto& [key, times] : done_)
    keep(key);
  for (const auto& [key, when] : reversed_)
    keep(key);
  for (const auto& key : refused_)
    keep(key);
  std::erase_if(may_act_, [&task](const auto& x) { return is_key_of(task, x.first.first); });
  std::erase_if(done_, of_task);
  std::erase_if(undone_, of_task);
  std::erase_if(results_, of_task);
  std::erase_if(reversed_, of_task);
  std::erase_if(refused_, [&task](const auto& key) { return is_key_of(task, key); });
}

workflow::span services::grace_of(const std::string& workflow) const {
  const auto d = std::find_if(workflows_.begin(), workflows_.end(), [&](const auto& x) { return x.name == workflow; });
  return d == workflows_.end() ? workflow::span{0} : d->grace;
}

/// A call whose end nobody is told. It takes place at the latest when half of the grace is over, since the other half
/// is for drifting clocks. A service that is declared to be later breaks the contract, and not the caller that undoes
/// it meanwhile.
void services::act_later(const declared_service& service, const actors::call& what, moment sent_at,
                         const actors::answer_to& answer, const script::call_fate& f) {
  const auto complete_by = sent_at + (what.complete_by - what.began_at);
  const auto agreed = complete_by + grace_of(what.workflow) / 2;
  const auto late_by = service.faults.acts_late_by;
  const auto latest = late_by > workflow::span{0} ? complete_by + late_by : agreed;
  if (latest <= world_.now())
    return hung_.push_back(answer);
  const auto most = std::chrono::floor<workflow::span>(latest - world_.now());
  const auto wait = workflow::span{static_cast<workflow::span::rep>(f.later_share * static_cast<double>(most.count()))};
  at_work_until_ = std::max<moment>(at_work_until_, world_.now() + wait);
  world_.in(wait, [this, &service, what, sent_at, life = life_of(what.task_id)] {
    if (life != life_of(what.task_id))
      return expect_known(what, life);
    act(service, what, sent_at);
  });
  if (f.is_silent)
    return hung_.push_back(answer);
  answer(actors::failed_for_now("the connection was lost"));
}

/// Half of the hanging calls are never answered; the other half when nobody should listen any more.
void services::answer_too_late(const actors::call& what, moment sent_at, const actors::answer_to& answer,
                               const actors::answer& told, const script::call_fate& f) {
  hung_.push_back(answer); // dropping it would be an answer
  if (f.later_share <= 0.5)
    return;
  const auto over = sent_at + (what.complete_by - what.began_at);
  const auto most = 2 * (grace_of(what.workflow) + too_late_max);
  const auto share = f.later_share - 0.5;
  const auto after = std::max<moment>(over - world_.now(), moment{0})
                     + moment{static_cast<moment::rep>(share * static_cast<double>(moment{most}.count()))};
  world_.in(std::chrono::ceil<workflow::span>(after), [answer, told] { answer(told); });
}

/// A sent call of a step may act until half of the grace is over, whatever became of its sender, unless its service has
/// answered finally.
actors::answer_to services::settling(const actors::call& what, actors::answer_to answer) {
  if (what.action != attempt_action::perform)
    return answer;
  const std::pair name{what.key, calls_};
  const auto left = (what.complete_by - what.began_at) * 98 / 100; // two clocks drift
  may_act_[name] = {world_.now(), world_.now() + left + grace_of(what.workflow) / 2};
  return [this, name, answer = std::move(answer)](const actors::answer& a) {
    const bool is_settled = a.kind == actors::report_kind::succeeded || !a.maybe_done || !a.unsettled;
    if (is_settled)
      may_act_.erase(name);
    answer(a);
  };
}

/// Later calls do not matter: a probe that a former scheduler also ordered may come late, and its answer does not
/// count.
void services::complain_if_at_work(const actors::call& what, moment sent_at) {
  for (auto x = may_act_.lower_bound({what.reverses, 0}); x != may_act_.end() && x->first.first == what.reverses; ++x)
    if (const auto [began_at, until] = x->second; began_at < sent_at && until > world_.now())
      return complaints_.push_back(what.task_id + " step `" + what.step + "` was "
                                   + (what.action == attempt_action::probe ? "asked about" : "undone")
                                   + " while its service might be at work on it (P15)");
}

script::call_fate services::draw_fate(const declared_service& service, const actors::call& what) {
  using enum script::call_fate::kind;
  script::call_fate f;
  auto luck = world_.chance().below(service_faults::always);
  const auto comes = [&luck](std::uint32_t of_a_million) {
    const bool yes = luck < of_a_million;
    luck -= yes ? 0 : of_a_million;
    return yes;
  };
  const auto& faults = service.faults;
  const bool is_new = what.action == attempt_action::perform && !was_done(what.key);
  if ((is_new && comes(faults.refuses)) || (what.action == attempt_action::compensate && comes(faults.refuses_undo)))
    f.what = refuses;
  else if (comes(faults.busy))
    f.what = busy;
  else if (comes(faults.hangs)) {
    f.what = hangs;
    f.later_share = static_cast<double>(world_.chance().below(1001)) / 1000;
  } else if (what.action != attempt_action::probe && comes(faults.acts_late)) {
    f.what = acts_late;
    f.later_share = static_cast<double>(world_.chance().below(1001)) / 1000;
    f.is_silent = world_.chance().happens(500);
  } else if (comes(faults.goes_silent)) {
    f.what = silent;
    f.later_share = static_cast<double>(world_.chance().below(1001)) / 1000;
  } else if (comes(faults.fails))
    f.what = fails;
  return f;
}

script::call_fate services::decide(const declared_service& service, const actors::call& what, std::uint32_t nth) {
  if (played_)
    return fate_in(*played_, what.key, nth);
  const auto f = draw_fate(service, what);
  if (recorded_) {
    auto& known = recorded_->calls[{what.key, nth}];
    const auto latency = known.latency;
    known = f;
    known.latency = latency;
  }
  return f;
}

/// The request has arrived.
void services::handle(const declared_service& service, const actors::call& what, moment sent_at,
                      const actors::answer_to& answer, std::uint32_t nth) {
  using enum script::call_fate::kind;
  if (what.stop.stop_requested())
    world_.reached(row::call_goes_on);
  const auto f = decide(service, what, nth);
  const bool is_new = what.action == attempt_action::perform && !was_done(what.key);
  if (is_new && (f.what == refuses || refused_.contains(what.key))) {
    refused_.insert(what.key);
    note(what, effect_result::refused);
    return answer(actors::failed_for_good("refused"));
  }
  if (what.action == attempt_action::compensate && f.what == refuses) {
    note(what, effect_result::refused);
    return answer(actors::failed_for_good("cannot be undone"));
  }
  if (f.what == busy || f.what == hangs) {
    note(what, effect_result::failed);
    return f.what == busy ? answer(actors::failed_for_now("busy", false))
                          : answer_too_late(what, sent_at, answer, actors::failed_for_now("busy", false), f);
  }
  if (f.what == acts_late)
    return act_later(service, what, sent_at, answer, f);
  const auto told = act(service, what, sent_at);
  if (f.what == silent) {
    world_.reached(row::answer_of_service_lost);
    return answer_too_late(what, sent_at, answer, told, f);
  }
  const bool is_done = f.what != fails && told.kind == actors::report_kind::succeeded;
  if (is_done && !what.token.empty() && takes_on && takes_on(what.token, told.result))
    return answer(actors::ends_later());
  if (f.what != fails)
    return answer(told);
  auto failed = actors::failed_for_now(what.action == attempt_action::probe ? "busy" : "failed after it took place");
  failed.unsettled = false; // it says so itself
  answer(failed);
}

actors::answer services::act(const declared_service& service, const actors::call& what, moment sent_at) {
  if (what.action != attempt_action::perform)
    complain_if_at_work(what, sent_at);
  if (what.action == attempt_action::probe)
    return tell(service, what);
  if (what.action == attempt_action::compensate) {
    watch_.on_effect(what);
    const bool is_first = reversed_.try_emplace(what.reverses, world_.now()).second;
    undone_[what.reverses] += is_first && was_done(what.reverses) ? 1 : 0;
    note(what, !is_first                 ? effect_result::undo_repeated
               : was_done(what.reverses) ? effect_result::undone
                                         : effect_result::undo_of_nothing);
    return actors::succeeded();
  }
  if (const auto reversed = reversed_.find(what.key); reversed != reversed_.end()) {
    if (sent_at > reversed->second)
      complaints_.push_back(what.key + " was sent out after its undo");
    if (!service.faults.acts_after_undo) {
      note(what, effect_result::refused);
      return actors::failed_for_good("it was undone");
    }
  }
  watch_.on_effect(what);
  auto& times = done_[what.key];
  const bool acts = times == 0 || service.faults.acts_again;
  times += acts ? 1 : 0;
  note(what, acts ? effect_result::created : effect_result::repeated);
  world_.tell("it takes place: " + what.key);
  return actors::succeeded(result_of(service, what));
}

/// The answer to a probe.
actors::answer services::tell(const declared_service& service, const actors::call& what) {
  const auto lies = service.faults.lies;
  const bool is_true = lies == 0 || world_.chance().below(service_faults::always) >= lies;
  const bool says_yes = was_done(what.reverses) == is_true;
  note(what, says_yes ? effect_result::probe_yes : effect_result::probe_no);
  if (!says_yes)
    return actors::did_not_happen();
  auto step = what;
  step.key = what.reverses;
  return actors::succeeded(is_true ? results_[step.key] : result_of(performing(what), step));
}

void services::note(const actors::call& what, effect_result result) {
  if (has_log_)
    log_.push_back(
      {what.task_id, what.step, what.key, what.reverses, what.action, result, what.attempt, what.epoch, world_.now()});
}

std::string services::result_of(const declared_service& service, const actors::call& what) {
  if (service.result)
    return results_[what.key] = *service.result;
  const auto known = results_.find(what.key);
  if (known != results_.end())
    return known->second;
  const auto d = std::find_if(workflows_.begin(), workflows_.end(),
                              [&](const workflow::definition& x) { return x.name == what.workflow; });
  auto result = d == workflows_.end() ? "{}" : sample_result(*d, what.step, world_.chance(), workflows_);
  if (answers_at_length_ && what.key.size() % 4 == 0) // nothing is drawn
    result.insert(1, R"("more":")" + std::string(500, 'x') + (result.size() > 2 ? "\"," : "\""));
  return results_[what.key] = std::move(result);
}

} // namespace steadfast::simulation
