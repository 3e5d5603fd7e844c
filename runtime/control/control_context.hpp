#pragma once

#include "actors/common/error_text.hpp"
#include "api/arguments.hpp"
#include "runtime/assembly/assembly.hpp"
#include "runtime/control/control_server.hpp"
#include "runtime/control/pending_submissions.hpp"
#include "workflow/supervision/node_card.hpp"
#include "workflow/task/explain.hpp"

#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/sec.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace steadfast {

/// What was found when all unfinished tasks were read last, for those for whom it is new enough. For any thread.
struct kept_stuck_report {
  std::mutex mutex;
  std::chrono::steady_clock::time_point at;
  nlohmann::json found; ///< null: nothing yet
};

/// What the methods use. The thread that runs the method asks the actors.
struct control_context {
  static constexpr std::chrono::seconds reply_limit{20};
  static constexpr std::chrono::milliseconds retry_when_away{2000}; ///< for what could not be read

  caf::actor_system& sys;
  const node_parts& parts;
  std::atomic<bool>& is_store_read_whole; ///< by a method, now
  kept_stuck_report& stuck_report;
  std::shared_ptr<pending_submissions> submissions;
  std::chrono::milliseconds patience = reply_limit; ///< no question waits longer

  template <class Answer, class Handle, class Question>
  Answer ask(const Handle& actor, const Question& question, std::chrono::milliseconds limit = reply_limit) const {
    caf::scoped_actor self{sys};
    std::optional<Answer> answer;
    self->request(actor, std::min(limit, patience), question)
      .receive([&](const Answer& a) { answer = a; }, [](const caf::error& e) { throw error_of(e); });
    return std::move(*answer);
  }

  /// Instead of an answer.
  static api::error error_of(const caf::error& e) {
    if (const auto why = actors::refusal_in(e))
      return {api::error::busy, *why, retry_when_away};
    return {api::error::timed_out, "the node is too busy to answer; the outcome is unknown"};
  }
  /// Of a write that was not applied.
  static api::error error_of(store::write_status s, const std::string& why,
                             std::chrono::milliseconds retry_after = retry_when_away);

  /// The result of a write; throws api::error if nobody knows it.
  template <class Write>
  store::answer<Write> write(Write what) const {
    return outcome_of(store::write{std::move(what)}).template to<Write>();
  }
  store::outcome outcome_of(store::write what) const;

  workflow::clock_reading clock() const {
    caf::scoped_actor self{sys};
    return parts.clock.reading(self.ptr());
  }
  /// By which a task of that number is decided.
  workflow::clock_reading clock_of(std::uint64_t number) const {
    caf::scoped_actor self{sys};
    return parts.clocks.of_task(number).reading(self.ptr());
  }

  /// That of this node, or each partition that it has, by what is to be said before its faults. Refuse where there is
  /// none.
  std::vector<std::pair<std::string, std::shared_ptr<store::state_store>>> stores() const;
  std::shared_ptr<store::store_files> store_files() const;
};

/// Methods about this node and the cluster: control_node.cpp
nlohmann::json describe_node(const control_context& c, const api::arguments& params);
nlohmann::json list_nodes(const control_context& c, const api::arguments& params);
nlohmann::json list_leases(const control_context& c, const api::arguments& params);
nlohmann::json release_lease(const control_context& c, const api::arguments& params);
/// Why no node takes tasks: all with the role `scheduler` that live are drained. Empty: one takes them, or nobody can
/// say.
std::string scheduler_trouble(const control_context& c);

/// What the front of one node answered, or why it did not.
struct node_answer {
  std::string node;
  nlohmann::json result;
  std::string trouble;    ///< empty: it answered
  bool is_silent = false; ///< it did not answer in time
};

using front_question = std::function<nlohmann::json(const actors::node_front& front, std::chrono::milliseconds limit)>;

inline constexpr std::chrono::milliseconds node_answer_limit{2000}; ///< its front waits a second for its actors

/// Asks the front of each of these nodes at the same time: one that hangs delays the others by at most twice the limit,
/// to be reached and to answer.
std::vector<node_answer> ask_nodes(const control_context& c, const std::vector<workflow::node_card>& nodes,
                                   std::chrono::milliseconds limit, const front_question& ask);

/// Methods about the actors of any node: control_actors.cpp
nlohmann::json list_actors(const control_context& c, const api::arguments& params);
nlohmann::json show_actor(const control_context& c, const api::arguments& params);
nlohmann::json list_agents(const control_context& c, const api::arguments& params);
nlohmann::json drain_node(const control_context& c, const api::arguments& params);
nlohmann::json set_circuit(const control_context& c, const api::arguments& params);
nlohmann::json list_webhooks(const control_context& c, const api::arguments& params);
nlohmann::json test_webhook(const control_context& c, const api::arguments& params);

// Of one task: control_methods.cpp

/// The task of that id; throws api::error if there is none, or it was set aside.
actors::task_view view_of(const control_context& c, const std::string& id);
/// What a person's act, or what came from outside, made of its task. Throws api::error if it was not done, or nobody
/// knows.
nlohmann::json state_after(const actors::act_result& r);

/// Tasks that steps have started, and undo: control_undo.cpp

/// What an undo begun now would do, in its order, and what it would leave.
nlohmann::json plan_undo(const control_context& c, const api::arguments& params);
/// Adds which tasks steps wait for, or their undo does, and what these wait for.
void tell_started_tasks(const control_context& c, const workflow::task& t, const workflow::definition& d,
                        std::vector<workflow::explanation>& told);

/// Methods about the store as a whole: control_store.cpp
nlohmann::json show_store_stats(const control_context& c, const api::arguments& params);
nlohmann::json check_store(const control_context& c, const api::arguments& params);
nlohmann::json copy_store(const control_context& c, const api::arguments& params);
nlohmann::json export_task(const control_context& c, const api::arguments& params);
nlohmann::json import_task(const control_context& c, const api::arguments& params);

/// Alerts and incidents: control_incidents.cpp
nlohmann::json list_alerts(const control_context& c, const api::arguments& params);
nlohmann::json acknowledge_alert(const control_context& c, const api::arguments& params);
nlohmann::json list_incidents(const control_context& c, const api::arguments& params);
nlohmann::json show_incident(const control_context& c, const api::arguments& params);
nlohmann::json act_on_incident(const control_context& c, const api::arguments& params);

/// Tasks found among many: control_finding.cpp
nlohmann::json list_tasks(const control_context& c, const api::arguments& params);
nlohmann::json count_tasks(const control_context& c, const api::arguments& params);
/// What nobody has reversed.
nlohmann::json list_in_place(const control_context& c, const api::arguments& params);
/// Hands the tasks of the filter to `use`, the newest first, until it does not take one, or many were looked at. Where
/// the next page begins: a number to be given as `before`, or null.
nlohmann::json look_through(const control_context& c, store::task_filter filter, std::uint64_t before,
                            const std::function<bool(const workflow::task&)>& use);
/// The filter of these parameters; refuses a payload's place that has no index.
store::task_filter task_filter_of(const control_context& c, const api::arguments& params);

/// Acts on many tasks: control_bulk.cpp
nlohmann::json start_bulk(const control_context& c, const api::arguments& params);
nlohmann::json list_bulk_acts(const control_context& c, const api::arguments& params);
nlohmann::json show_bulk_act(const control_context& c, const api::arguments& params);
nlohmann::json stop_bulk(const control_context& c, const api::arguments& params);

/// What the tasks wait for, and which are stuck: control_stuck.cpp
nlohmann::json list_stuck(const control_context& c, const api::arguments& params);

/// How the cluster is: control_health.cpp
nlohmann::json show_health(const control_context& c, const api::arguments& params);

/// What comes from outside while a task waits: control_waits.cpp
nlohmann::json complete_step(const control_context& c, const api::arguments& params);
nlohmann::json fail_step(const control_context& c, const api::arguments& params);
nlohmann::json extend_step(const control_context& c, const api::arguments& params);
void send_event(const control_context& c, const api::arguments& params, const control_reply& reply);
nlohmann::json list_events(const control_context& c, const api::arguments& params);
nlohmann::json list_approvals(const control_context& c, const api::arguments& params);
nlohmann::json answer_approval(const control_context& c, const api::arguments& params);

/// Schedules: control_schedules.cpp
nlohmann::json list_schedules(const control_context& c, const api::arguments& params);
nlohmann::json show_schedule(const control_context& c, const api::arguments& params);
nlohmann::json put_schedules(const control_context& c, const api::arguments& params);
nlohmann::json act_on_schedule(const control_context& c, const api::arguments& params);

/// Workflows: control_workflows.cpp
actors::workflow_page workflows(const control_context& c);
nlohmann::json list_workflows(const control_context& c, const api::arguments& params);
nlohmann::json show_workflow(const control_context& c, const api::arguments& params);
nlohmann::json register_workflow(const control_context& c, const api::arguments& params);

// The parameters as the methods need them.

/// A document may be given as a JSON text in a string, or as the value itself; empty when there is none.
std::string document_of(const api::arguments& params, const char* name);
/// What is to be done to a task.
actors::task_act act_of(const api::arguments& params);
workflow::instant moment_of(const api::arguments& params, const char* name, workflow::instant absent);
/// `max`: of entries of a page.
std::size_t max_of(const api::arguments& params);

/// Records what a person, `who` in the parameters, is about to do to something other than a task, and `why`. Throws
/// api::error if it cannot be recorded: then it is not to be done.
void record_act(const control_context& c, const api::arguments& params, const std::string& what);
/// The same of what is done already, and is told as done: where it cannot be recorded, the log says so.
void record_done(const control_context& c, const api::arguments& params, const std::string& what);

} // namespace steadfast
