#pragma once

#include "runtime/assembly/assembly.hpp"
#include "runtime/control/control_server.hpp"
#include "workflow/supervision/node_card.hpp"

#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/sec.hpp>

#include <nlohmann/json.hpp>

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace steadfast {

/// What the methods work with. The actors are asked from the thread that runs the method.
struct control_context {
  static constexpr std::chrono::seconds reply_limit{20};
  static constexpr std::chrono::milliseconds retry_when_away{2000}; ///< for what could not be read

  caf::actor_system& sys;
  const node_parts& parts;
  std::atomic<bool>& is_store_read_whole; ///< by a method, now

  template <class Answer, class Handle, class Question>
  Answer ask(const Handle& actor, const Question& question, std::chrono::milliseconds limit = reply_limit) const {
    caf::scoped_actor self{sys};
    std::optional<Answer> answer;
    self->request(actor, limit, question)
      .receive([&](const Answer& a) { answer = a; }, [](const caf::error& e) { throw error_of(e); });
    return std::move(*answer);
  }

  /// Instead of an answer.
  static control_error error_of(const caf::error& e) {
    if (e == caf::sec::runtime_error && e.context().match_elements<std::string>())
      return {control_error::busy, e.context().get_as<std::string>(0), retry_when_away};
    return {control_error::timed_out, "the node is too busy to answer; the outcome is unknown"};
  }

  /// What became of a write; throws control_error when nobody knows.
  template <class Write>
  store::answer<Write> write(Write what) const {
    return outcome_of(store::write{std::move(what)}).template to<Write>();
  }
  store::outcome outcome_of(store::write what) const;

  workflow::clock_reading clock() const {
    caf::scoped_actor self{sys};
    return parts.clock.reading(self.ptr());
  }

  /// Refuse where there is none.
  store::state_store& store() const;
  store::store_files& store_files() const;
};

/// Methods about this node and the cluster: control_node.cpp
nlohmann::json describe_node(const control_context& c, const nlohmann::json& params);
nlohmann::json list_nodes(const control_context& c, const nlohmann::json& params);
nlohmann::json list_leases(const control_context& c, const nlohmann::json& params);
nlohmann::json release_lease(const control_context& c, const nlohmann::json& params);

/// What the front of one node answered, or why it did not.
struct node_answer {
  std::string node;
  nlohmann::json result;
  std::string trouble; ///< empty: it answered
};

using front_question = std::function<nlohmann::json(const actors::node_front& front, std::chrono::milliseconds limit)>;

/// Asks the front of each of these nodes at the same time: one that hangs does not hold the others up for longer than
/// the limit twice, to be reached and to answer.
std::vector<node_answer> ask_nodes(const control_context& c, const std::vector<workflow::node_card>& nodes,
                                   std::chrono::milliseconds limit, const front_question& ask);

/// Methods about the actors of any node: control_actors.cpp
nlohmann::json list_actors(const control_context& c, const nlohmann::json& params);
nlohmann::json show_actor(const control_context& c, const nlohmann::json& params);
nlohmann::json list_agents(const control_context& c, const nlohmann::json& params);
nlohmann::json drain_node(const control_context& c, const nlohmann::json& params);
nlohmann::json set_circuit(const control_context& c, const nlohmann::json& params);

/// The task of that id; throws control_error where there is none, or it was set aside: control_methods.cpp
actors::task_view view_of(const control_context& c, const std::string& id);

/// Methods about the store as a whole: control_store.cpp
nlohmann::json show_store_stats(const control_context& c, const nlohmann::json& params);
nlohmann::json check_store(const control_context& c, const nlohmann::json& params);
nlohmann::json copy_store(const control_context& c, const nlohmann::json& params);
nlohmann::json export_task(const control_context& c, const nlohmann::json& params);
nlohmann::json import_task(const control_context& c, const nlohmann::json& params);

/// Alerts and incidents: control_incidents.cpp
nlohmann::json list_alerts(const control_context& c, const nlohmann::json& params);
nlohmann::json acknowledge_alert(const control_context& c, const nlohmann::json& params);
nlohmann::json list_incidents(const control_context& c, const nlohmann::json& params);
nlohmann::json show_incident(const control_context& c, const nlohmann::json& params);
nlohmann::json act_on_incident(const control_context& c, const nlohmann::json& params);

/// Tasks found among many: control_finding.cpp
nlohmann::json list_tasks(const control_context& c, const nlohmann::json& params);
nlohmann::json count_tasks(const control_context& c, const nlohmann::json& params);
/// What nobody has reversed.
nlohmann::json list_in_place(const control_context& c, const nlohmann::json& params);
/// What these parameters ask for; a payload by a place that has no index is refused.
store::task_filter task_filter_of(const control_context& c, const nlohmann::json& params);
const std::vector<std::string>& task_filter_params(); ///< their names

/// Acts on many tasks: control_bulk.cpp
nlohmann::json start_bulk(const control_context& c, const nlohmann::json& params);
nlohmann::json list_bulk_acts(const control_context& c, const nlohmann::json& params);
nlohmann::json show_bulk_act(const control_context& c, const nlohmann::json& params);
nlohmann::json stop_bulk(const control_context& c, const nlohmann::json& params);

/// What the tasks wait for, and which are stuck: control_standstill.cpp
nlohmann::json list_standstill(const control_context& c, const nlohmann::json& params);

actors::workflow_page workflows(const control_context& c);

// What stands in the parameters under a name. Each throws control_error, which names it, when it is something else.

std::string text_of(const nlohmann::json& params, const char* name);
/// `absent` when there is none.
std::string text_of(const nlohmann::json& params, const char* name, const std::string& absent);
/// A document may be given as a JSON text in a string, or as the value itself; empty when there is none.
std::string document_of(const nlohmann::json& params, const char* name);
/// What is to be done to a task.
actors::task_act act_of(const nlohmann::json& params);
bool flag_of(const nlohmann::json& params, const char* name, bool absent);
/// Milliseconds since 1970.
workflow::instant moment_of(const nlohmann::json& params, const char* name, workflow::instant absent);
/// `max`: of entries of a page.
std::size_t max_of(const nlohmann::json& params);
/// Throws when there is nothing.
void require(const nlohmann::json& params, const char* name);

/// A whole number between the bounds; `absent` when there is none.
template <std::integral T>
T number_of(const nlohmann::json& params, const char* name, T absent, T min = std::numeric_limits<T>::min(),
            T max = std::numeric_limits<T>::max()) {
  const auto found = params.find(name);
  if (found == params.end())
    return absent;
  const auto fits = [&](auto n) { return std::cmp_greater_equal(n, min) && std::cmp_less_equal(n, max); };
  if (found->is_number_unsigned() && fits(found->get<std::uint64_t>()))
    return static_cast<T>(found->get<std::uint64_t>());
  if (found->is_number_integer() && fits(found->get<std::int64_t>()))
    return static_cast<T>(found->get<std::int64_t>());
  throw control_error{control_error::invalid_params, std::string{"`"} + name + "` must be a whole number from "
                                                       + std::to_string(min) + " to " + std::to_string(max)};
}

/// Keeps what a person, `who` in the parameters, did to something that is no task, and `why`.
void record_act(const control_context& c, const nlohmann::json& params, const std::string& what);

} // namespace steadfast
