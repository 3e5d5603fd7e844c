#pragma once

#include "store/contract/options.hpp"
#include "store/records/stored.hpp"
#include "store/verbs/decide.hpp"

#include <optional>
#include <string>
#include <string_view>

// Events come from outside, are kept, and are taken by the tasks that wait for them.

namespace steadfast::store {

/// Whether the step waits for an event when it is its turn.
bool takes_event(const workflow::step_definition& s);

/// In place of the key of an event for one task only: no key begins so.
std::string key_of_task(std::string_view id);

/// Of one that is kept, without its data.
kept_event shown(const event_record& x);

/// What is wrong with it by itself, and with which of its fields; absent: nothing.
struct wrong_field {
  const char* name; ///< as api::event_send calls it
  std::string why;
};
std::optional<wrong_field> wrong_field_of(const send_event& w);

/// What is wrong with it, whatever is known; absent: nothing.
std::optional<decision> problem_of(const send_event& w, const store_options& limits);

/// Of one whose id came before: that nothing is to be done, or why it is refused.
answer<send_event> came_before(const send_event& w, const event_record& there);

/// Why it is not kept, if no workflow waits for an event of that name.
decision taken_by_nobody(const send_event& w);

/// What is kept of it. REQUIRES: there is no problem_of it.
event_record kept(const send_event& w, std::uint64_t number);

/// Why a task takes none of those that are for it alone, if so.
std::optional<decision> why_not_taken(const send_event& w, const workflow::task& t, const workflow::definition& d);

} // namespace steadfast::store
