#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>

namespace steadfast::simulation {

/// Rows of the failure table (docs/failure-table.md) that simulated clusters must reach, by their numbers there.
enum class row : std::uint16_t {
  submission_lost = 1,
  acknowledgement_lost = 2,
  one_id_twice_at_once = 3,
  killed_before_submission_is_stored = 5,
  killed_before_acknowledgement = 6,
  killed_before_attempt_is_stored = 7,
  killed_before_order = 8,
  killed_while_agent_acts = 10,
  killed_before_answer_is_stored = 11,
  killed_before_next_step = 12,
  killed_before_observer_is_told = 13,
  write_after_pause = 14,
  order_under_older_lock = 15,
  two_claims_in_one_commit = 16,
  killed_with_a_crowd_in_flight = 17,
  all_nodes_down = 18,
  scheduler_hangs = 19,
  agent_dies_before_call = 21,
  answer_of_service_lost = 22,
  call_never_answered = 23,
  answer_after_complete_by = 24,
  answer_twice = 26,
  answer_of_older_attempt = 27,
  success_after_undo_began = 28,
  unreadable_message = 29,
  answer_never_asked_for = 30,
  failure_for_good = 31,
  round_used_up = 32,
  call_goes_on = 34,
  agent_starts_again = 35,
  no_agent_left = 36,
  agent_pushes_back = 37,
  supervisor_dies_with_overdue_work = 38,
  killed_after_failure_count = 39,
  supervisor_dies_after_decision = 40,
  two_supervisors = 41,
  supervisor_hangs = 42,
  no_supervisor_for_an_hour = 43,
  supervisor_and_scheduler_at_once = 44,
  leases_unreachable = 45,
  holder_cut_off_from_leases = 46,
  release_does_not_count = 47,
  renewal_answered_too_late = 48,
  lease_acquired_after_restart = 49,
  wall_clock_wrong = 50,
  steady_clocks_drift = 51,
  machine_stands_still = 52,
  message_lost = 53,
  message_doubled = 54,
  messages_reordered = 55,
  one_way_cut = 56,
  node_cut_off_longer_than_lease = 57,
  link_fails_again = 58,
  store_full = 60,
  write_or_sync_fails = 61,
  power_cut = 62,
  commit_unknown = 64,
  store_slow = 65,
  copy_restored = 69,
  undo_fails = 71,
  killed_while_undoing = 72,
  undo_past_complete_by = 73,
  cancel = 74,
  undo_after_unknown_outcome = 75,
  task_kills_its_scheduler = 76,
  observer_away = 77,
  store_moves = 86,
  frozen_owner_writes = 87,
  limit_full = 132,
  event_sent_again = 136,
  rate_full = 137,
  partition_moves = 147,
};

struct failure_row {
  row number;
  std::string_view moment;
};
std::span<const failure_row> rows_to_reach();

/// How often each row was reached. It is not enough that a fault was injected: it must have hit what the row describes.
using rows_reached = std::map<int, std::uint64_t>;

} // namespace steadfast::simulation
