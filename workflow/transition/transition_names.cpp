#include "workflow/overload.hpp"
#include "workflow/transition/event.hpp"
#include "workflow/transition/transition.hpp"

namespace steadfast::workflow {

std::string_view to_string(notice_kind k) {
  switch (k) {
    case notice_kind::accepted: return "accepted";
    case notice_kind::step_started: return "step_started";
    case notice_kind::step_completed: return "step_completed";
    case notice_kind::processed: return "processed";
    case notice_kind::undoing: return "undoing";
    case notice_kind::undone: return "undone";
    case notice_kind::error: return "error";
    case notice_kind::suspended: return "suspended";
    case notice_kind::resumed: return "resumed";
    case notice_kind::outward: return "outward";
  }
  return "invalid";
}

std::string_view to_string(event_status v) {
  switch (v) {
    case event_status::applied: return "applied";
    case event_status::ignored: return "ignored";
    case event_status::refused: return "refused";
  }
  return "invalid";
}

std::string_view name_of(const event& e) {
  return std::visit(overload{
                      [](const taken&) -> std::string_view { return "taken"; },
                      [](const time_passed&) -> std::string_view { return "time_passed"; },
                      [](const attempt_succeeded&) -> std::string_view { return "attempt_succeeded"; },
                      [](const attempt_failed&) -> std::string_view { return "attempt_failed"; },
                      [](const attempt_declined&) -> std::string_view { return "attempt_declined"; },
                      [](const attempt_stopped&) -> std::string_view { return "attempt_stopped"; },
                      [](const probe_denied&) -> std::string_view { return "probe_denied"; },
                      [](const attempt_taken_on&) -> std::string_view { return "attempt_taken_on"; },
                      [](const later_completed&) -> std::string_view { return "later_completed"; },
                      [](const later_failed&) -> std::string_view { return "later_failed"; },
                      [](const later_extended&) -> std::string_view { return "later_extended"; },
                      [](const attempt_expired&) -> std::string_view { return "attempt_expired"; },
                      [](const event_came&) -> std::string_view { return "event_came"; },
                      [](const child_ended&) -> std::string_view { return "child_ended"; },
                      [](const answered&) -> std::string_view { return "answered"; },
                      [](const round_failed&) -> std::string_view { return "round_failed"; },
                      [](const deadline_passed&) -> std::string_view { return "deadline_passed"; },
                      [](const lock_released&) -> std::string_view { return "lock_released"; },
                      [](const lock_lapsed&) -> std::string_view { return "lock_lapsed"; },
                      [](const wait_noticed&) -> std::string_view { return "wait_noticed"; },
                      [](const step_retried&) -> std::string_view { return "step_retried"; },
                      [](const step_skipped&) -> std::string_view { return "step_skipped"; },
                      [](const payload_edited&) -> std::string_view { return "payload_edited"; },
                      [](const undo_requested&) -> std::string_view { return "undo_requested"; },
                      [](const cancelled&) -> std::string_view { return "cancelled"; },
                      [](const suspended&) -> std::string_view { return "suspended"; },
                      [](const resumed&) -> std::string_view { return "resumed"; },
                    },
                    e);
}

} // namespace steadfast::workflow
