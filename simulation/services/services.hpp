#pragma once

#include "actors/agents/agent_function.hpp"
#include "simulation/judge/watch.hpp"
#include "simulation/services/declared_services.hpp"
#include "simulation/world/evidence.hpp"
#include "simulation/world/figures.hpp"
#include "simulation/world/script.hpp"
#include "simulation/world/world.hpp"
#include "workflow/definition/definition.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace steadfast::simulation {

/// The remote services of a run: what took place and what was reversed, by idempotency key. They keep the contract: a
/// repeated key acts once, an undo of what never happened is harmless, and what arrives after its undo is refused.
/// Services that are declared to break it do so.
class services {
public:
  services(world& w, watch& calls, const std::vector<workflow::definition>& workflows)
      : world_{w},
        watch_{calls},
        workflows_{workflows} {}

  /// Called for each call, with its node; may be empty.
  std::function<void(const std::string& node, const actors::call& what)> on_call;
  /// Whether the service, which has done it, only says that it was begun: who has the token ends it. May be empty.
  std::function<bool(const std::string& token, const std::string& result)> takes_on;
  /// The function of that agent at that node, which calls one of them.
  actors::agent_function agent(const std::string& node, const std::string& name);
  /// Of those that are not declared, from now on.
  void set_faults(const service_faults& faults) { usual_.faults = faults; }
  void declare(const std::map<std::string, declared_service>& by_agent) { declared_ = by_agent; }

  /// Records the outcomes of calls there, or replays them from there: then nothing is drawn.
  void record(script& to) { recorded_ = &to; }
  void play(const script& from) { played_ = &from; }
  /// From now on the outcomes of calls are recorded for a checker.
  void keep_log() { has_log_ = true; }
  std::vector<effect_line>& log() { return log_; }

  bool was_done(const std::string& key) const { return done_.contains(key); }
  /// How often it took place and was not reversed.
  std::uint32_t times_in_place(const std::string& key) const;
  /// Steps that were sent after their undo had been answered, or undone or asked about while their service might be
  /// working, a sentence each.
  const std::vector<std::string>& complaints() const { return complaints_; }
  std::uint64_t calls() const { return calls_; }
  /// When the last call without a listener takes place; in the past: there is none.
  moment at_work_until() const { return at_work_until_; }
  /// What the services know of the steps that were called.
  figures_by_step figures() const;
  /// No agent makes more calls at a time than this.
  void set_places(std::size_t places) { places_ = places; }
  /// Agents have given up the calls that began after then and whose complete-by is over.
  void expect_none_goes_on(moment began_after);
  /// Some results are so large that the store keeps them apart.
  void answer_at_length() { answers_at_length_ = true; }
  /// Whether an agent of that node waits for an answer; an agent of another one, by key.
  bool is_calling(const std::string& node) const;
  bool is_called_from_elsewhere(const std::string& key, const std::string& node) const;
  /// The node is dead, and its connections with it.
  void forget(const std::string& node);
  /// The task has left the store, and its id may be used again: services keep keys no longer than that.
  void forget_keys_of(const std::string& task);
  /// A person has given the step's outcome, without having to know it.
  void take_for_known(const workflow::task& t, const std::string& key) { known_once_.insert({key, life_of(t.id)}); }
  /// From now on, or until now, that agent must not call: its circuit is held open.
  void hold_back(const std::string& node, const std::string& agent) { held_back_.insert({node, agent}); }
  void let_through(const std::string& node, const std::string& agent) { held_back_.erase({node, agent}); }

private:
  using figures_place = figures_by_step::key_type;
  struct open_call {
    std::string node;
    std::string agent;
    actors::call what;
    moment began_at;
  };

  const declared_service& of(const std::string& agent) const;
  const declared_service& performing(const actors::call& what) const;
  void call(const std::string& node, const std::string& agent, const actors::call& what, actors::answer_to answer);
  actors::answer_to watched(std::uint64_t agent, const actors::call& what, actors::answer_to answer);
  actors::answer_to counted(const actors::call& what, actors::answer_to answer);
  workflow::span grace_of(const std::string& workflow) const;
  /// How many tasks of that id have left the store.
  std::uint32_t life_of(const std::string& task) const;
  void expect_known(const actors::call& what, std::uint32_t life);
  script::call_fate draw_fate(const declared_service& service, const actors::call& what);
  script::call_fate decide(const declared_service& service, const actors::call& what, std::uint32_t nth);
  void act_later(const declared_service& service, const actors::call& what, moment sent_at,
                 const actors::answer_to& answer, const script::call_fate& f);
  void expect_places(std::uint64_t life);
  void answer_too_late(const actors::call& what, moment sent_at, const actors::answer_to& answer,
                       const actors::answer& told, const script::call_fate& f);
  void complain_if_at_work(const actors::call& what, moment sent_at);
  actors::answer_to settling(const actors::call& what, actors::answer_to answer);
  void handle(const declared_service& service, const actors::call& what, moment sent_at,
              const actors::answer_to& answer, std::uint32_t nth);
  actors::answer act(const declared_service& service, const actors::call& what, moment sent_at);
  actors::answer tell(const declared_service& service, const actors::call& what);
  std::string result_of(const declared_service& service, const actors::call& what);
  void note(const actors::call& what, effect_result result);

  world& world_;
  watch& watch_;
  const std::vector<workflow::definition>& workflows_;
  declared_service usual_;
  std::map<std::string, declared_service> declared_;
  std::map<std::string, std::uint32_t> done_;    ///< how often it took place, by key
  std::map<std::string, std::uint32_t> undone_;  ///< how often it was reversed
  std::map<std::string, std::string> results_;   ///< by key: an answer is repeated
  std::map<std::string, moment> reversed_;       ///< when
  std::set<std::string> refused_;                ///< keys that stay refused
  std::vector<actors::answer_to> hung_;          ///< never answered
  std::map<std::string, std::string> under_way_; ///< node of the agent that called last, by key
  /// From when until when a sent call of a step may act, by its key and call, until its service has answered finally.
  std::map<std::pair<std::string, std::uint64_t>, std::pair<moment, moment>> may_act_;
  moment at_work_until_{0};
  std::size_t places_ = std::numeric_limits<std::size_t>::max();
  std::map<std::pair<std::uint64_t, std::uint64_t>, open_call> open_; ///< not answered, by life of the agent and call
  bool answers_at_length_ = false;
  std::set<std::pair<std::string, std::string>> held_back_;    ///< agents, by node and name
  std::map<std::string, std::uint32_t> lives_;                 ///< of ids whose tasks have left the store: how many
  std::set<std::pair<std::string, std::uint32_t>> known_once_; ///< keys that were done, reversed or refused, by life
  std::vector<std::string> complaints_;
  script* recorded_ = nullptr;
  const script* played_ = nullptr;
  std::map<std::string, std::uint32_t> times_called_; ///< by key
  bool has_log_ = false;
  std::vector<effect_line> log_;
  std::uint64_t calls_ = 0;
  std::uint64_t agents_ = 0;                                                ///< lives of agents
  figures_by_step figures_;                                                 ///< but for the next
  std::map<std::pair<figures_place, std::string>, std::uint64_t> calls_of_; ///< by key of the step
};

} // namespace steadfast::simulation
