#include "store/joined/asked_first.hpp"

#include <utility>

namespace steadfast::store {

/// An id is only known where it came before, one partition may have no room, and in another more bulk acts are open.
bool is_asked_first(const write& w) {
  return std::holds_alternative<send_event>(w) || std::holds_alternative<start_bulk>(w);
}

write as_question(write w) {
  if (auto* const event = std::get_if<send_event>(&w))
    event->is_question = true;
  else
    std::get<start_bulk>(w).is_question = true;
  return w;
}

/// An id stands for an event among those of its name.
std::string turn_of(const write& w) {
  if (const auto* const event = std::get_if<send_event>(&w))
    return event->id.empty() ? std::string{} : event->name + '\0' + event->id;
  return std::holds_alternative<start_bulk>(w) ? "bulk" : std::string{};
}

} // namespace steadfast::store
