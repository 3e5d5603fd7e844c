#pragma once

#include "store/contract/options.hpp"
#include "store/outline/task_outline.hpp"
#include "store/records/stored.hpp"
#include "store/verbs/decide.hpp"
#include "workflow/transition/event.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Events come from outside, are kept, and are taken by the tasks that wait for them.

namespace steadfast::store {

/// Whether the step waits for an event when its turn comes.
bool takes_event(const workflow::step_definition& s);

/// The key of an event for one task only: no key of a sender begins like this.
std::string key_of_task(std::string_view id);

/// A kept event as it is shown, without its data.
kept_event shown(const event_record& x);

/// What is wrong with an event by itself, and with which of its fields; absent: nothing.
struct wrong_field {
  const char* name; ///< as api::event_send calls it
  std::string why;
};
std::optional<wrong_field> wrong_field_of(const send_event& w);

// ---- one comes ----

/// The event with defaults for all that its sender left open.
send_event with_defaults(send_event w, const store_options& limits);

/// What is wrong with the write, whatever is stored; absent: nothing. REQUIRES: it is with_defaults.
std::optional<decision> problem_of(const send_event& w, const store_options& limits);

/// Whether tasks may still take the event, and whether its id still counts.
bool is_in_time(const event_record& x, workflow::instant now);

/// The events that steps of workflows wait for, by their names.
class awaited_events {
public:
  void learn(const workflow::definition& d);
  /// Whether a step of some workflow waits for it: one that waits without a key, if it has no key and names no task.
  bool has(const send_event& w) const;

private:
  struct keys {
    bool any = false;
    bool none = false;
  };
  std::map<std::string, keys> all_;
};

/// What is known of an event that comes.
struct known_event {
  const event_record* before = nullptr; ///< the kept one with the same id, if it is in time; null: none
  bool is_awaited = false;              ///< awaited_events has it
  const known_task* task = nullptr;     ///< the task that it is for; read where needs_task; null: there is none
  std::uint64_t next_number = 0;        ///< of the next event
};
bool needs_task(const send_event& w, const known_event& known);

struct sent_event : decided<send_event, event_record> {
  bool lacks_room = false; ///< otherwise it would be kept
};
/// `has_room`: whether there is room for data of that size; asked last. REQUIRES: there is no problem_of it.
sent_event decide(const send_event& w, const known_event& known,
                  const std::function<bool(std::uint64_t data_size)>& has_room);

/// For an event that is for one task alone: the steps that may take it, in the order in which they are asked.
std::vector<std::size_t> steps_for(const send_event& w, const workflow::definition& d);

inline constexpr std::uint32_t delivered_at_once = 500; ///< tasks in one write; later claims hand it to the rest
inline constexpr std::size_t dropped_at_once = 64;      ///< expired ones, by each new event: so more leave than come

// ---- a step takes one ----

/// Steps that cease to wait for events, and steps that begin to wait.
struct moved_waits {
  std::vector<waiting_step> over;
  std::vector<waiting_step> begun;
};
/// `before`: the steps of the task that were waiting until now.
moved_waits waits_moved(const workflow::definition& d, const workflow::task& next,
                        const std::vector<waiting_step>& before);

/// Whether step `i` waits for an event now.
bool waits_for_event(const workflow::task& t, const workflow::definition& d, std::size_t i);

/// Where a step finds its events: under that name, one of the keys, from a number on. REQUIRES: it waits for an event.
struct wanted_events {
  std::string name;
  std::array<std::string, 2> keys;
  std::uint64_t from = 0;
  workflow::instant until; ///< later ones come too late
};
/// Whether the step may take an event of that moment.
bool is_in_time(const event_record& x, workflow::instant now, const wanted_events& wanted);
wanted_events wanted_by(const workflow::task& t, const workflow::definition& d, std::size_t i);
/// Given the first event in time with each of the two keys: the one that the step takes; absent: there is none.
std::optional<event_record> taken_of(std::optional<event_record> a, std::optional<event_record> b);
workflow::event_came came_to(std::size_t i, const workflow::definition& d, const event_record& x);

} // namespace steadfast::store
