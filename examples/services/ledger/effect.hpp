#pragma once

#include "examples/services/requests/call.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace services {

/// The outcome of a call; one line of the effect log each.
enum class effect_result {
  created,             ///< the effect took place now; no other line of a do means a new effect
  repeated,            ///< it had taken place: the stored result was returned again
  refused,             ///< refused for good, nothing took place
  undone,              ///< the effect was reversed now
  undo_of_nothing,     ///< nothing to reverse; a do that arrives later is refused
  undo_repeated,       ///< it had been reversed
  failed,              ///< answered with an error; nothing took place
  failed_after_effect, ///< answered with an error although the line before says that it took place
  probe_yes,
  probe_no,
};

std::string_view to_string(effect_result r);

/// Whether it changed the database, so that it must be in the effect log in any case.
bool changes_state(effect_result r);

/// The service's answer to one call.
struct answer {
  effect_result result = effect_result::failed;
  int status = 500;
  json body = json::object();
  bool is_later = false;             ///< the effect is in place, and whoever has the token says how the step ends
  std::optional<bool> is_finished{}; ///< of an operation that takes several calls: whether it needs no more
};

} // namespace services
