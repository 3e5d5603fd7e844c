#include "examples/services/ledger/effect.hpp"

namespace services {

std::string_view to_string(effect_result r) {
  switch (r) {
    case effect_result::created: return "created";
    case effect_result::repeated: return "repeated";
    case effect_result::refused: return "refused";
    case effect_result::undone: return "undone";
    case effect_result::undo_of_nothing: return "undo_of_nothing";
    case effect_result::undo_repeated: return "undo_repeated";
    case effect_result::failed: return "failed";
    case effect_result::failed_after_effect: return "failed_after_effect";
    case effect_result::probe_yes: return "probe_yes";
    case effect_result::probe_no: return "probe_no";
  }
  return "invalid";
}

bool changes_state(effect_result r) {
  return r == effect_result::created || r == effect_result::undone || r == effect_result::undo_of_nothing;
}

} // namespace services
