#pragma once

#include "store/verbs/decide_note.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Definitions are registered, and tasks that cannot be read are set aside.

namespace steadfast::store {

/// What is wrong with the write by itself, whatever is stored; absent: nothing.
std::optional<decision> problem_of(const register_definition& w);

/// Why the workflow that is made of a step, for its items, cannot be stored; absent: it can. `there`: the stored
/// definition of that name and version; null: there is none.
std::optional<decision> name_taken(const workflow::definition& made, const workflow::definition* there);

struct known_definition {
  const workflow::definition* there = nullptr; ///< of that name and version; null: none, or its record is damaged
  std::optional<std::string> damage{};         ///< why it cannot be read
  std::vector<std::uint64_t> of_change{};      ///< open incidents about a changed file of the workflow; with a file
  std::vector<std::uint64_t> of_damage{};      ///< open incidents about definitions that are damaged; with `damage`
  std::vector<lease> nodes{};                  ///< leases of nodes; with a definition that has_waits
};
struct registered_definition {
  answer<register_definition> said;
  bool is_put = false;
  std::vector<std::uint64_t> over{};    ///< numbers of incidents whose alerts are all over
  std::optional<raised_alert> raised{}; ///< to be raised after those are over
};
/// REQUIRES: there is no problem_of it.
registered_definition decide(const register_definition& w, const known_definition& known);

struct known_damage {
  bool is_there = false;                      ///< there is a record of the task
  bool is_sound = false;                      ///< all of its records are sound
  std::optional<std::string> of_definition{}; ///< set if its workflow is what cannot be read: why
  bool is_told = false;                       ///< an incident about damaged workflows is open
  std::string task_id{};                      ///< as far as it is known
};
struct set_aside_task {
  answer<set_aside_damaged> said;
  bool leaves = false; ///< the task leaves the tables of tasks
  std::optional<raised_alert> raised{};
};
set_aside_task decide(const set_aside_damaged& w, const known_damage& known);

} // namespace steadfast::store
