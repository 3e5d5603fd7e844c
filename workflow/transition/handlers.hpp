#pragma once

#include "workflow/transition/advance.hpp"

#include <optional>
#include <string>

namespace steadfast::workflow {

/// What a handler makes of an event; unless the result is `applied`, the draft is thrown away.
struct ruling {
  event_status result = event_status::applied;
  std::string reason;
  bool is_late_reply = false; ///< an agent spoke of an attempt that no longer counts
  bool is_too_early = false;  ///< refused, and may be applied soon
};
inline ruling applied() {
  return {};
}
inline ruling ignored(std::string why) {
  return {event_status::ignored, std::move(why)};
}
inline ruling refused(std::string why) {
  return {event_status::refused, std::move(why)};
}

/// Why what an agent says about this attempt does not count; nothing: it counts.
std::optional<ruling> too_late(const draft& x, const attempt_ref& ref);

// One function per event. Work:
ruling on(draft& x, const taken& e);
ruling on(draft& x, const time_passed& e);
ruling on(draft& x, const attempt_succeeded& e);
ruling on(draft& x, const attempt_failed& e);
ruling on(draft& x, const attempt_declined& e);
ruling on(draft& x, const attempt_stopped& e);
ruling on(draft& x, const probe_denied& e);
ruling on(draft& x, const attempt_expired& e);
ruling on(draft& x, const attempt_taken_on& e);
// Whoever has the token of a step that ends later:
ruling on(draft& x, const later_completed& e);
ruling on(draft& x, const later_failed& e);
ruling on(draft& x, const later_extended& e);
// What a waiting step waits for:
ruling on(draft& x, const event_came& e);
ruling on(draft& x, const answered& e);
ruling on(draft& x, const child_ended& e);
// Supervision:
ruling on(draft& x, const round_failed& e);
ruling on(draft& x, const deadline_passed& e);
ruling on(draft& x, const lock_released& e);
ruling on(draft& x, const lock_lapsed& e);
ruling on(draft& x, const wait_noticed& e);
// A person:
ruling on(draft& x, const step_retried& e);
ruling on(draft& x, const step_skipped& e);
ruling on(draft& x, const payload_edited& e);
ruling on(draft& x, const undo_requested& e);
ruling on(draft& x, const cancelled& e);
ruling on(draft& x, const suspended& e);
ruling on(draft& x, const resumed& e);

} // namespace steadfast::workflow
