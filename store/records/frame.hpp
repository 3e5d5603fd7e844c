#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace steadfast::store {

/// Bytes that do not check: they are never believed.
class damaged_record : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Of a frame, which has one: differs when anything in it, or its key, does.
std::uint64_t check_of(std::string_view frame);

/// Stored. What a record is; a number is never changed and never used again.
enum class record_kind : std::uint16_t {
  format = 1,
  counters = 2,
  definition = 3,
  task_ref = 4, ///< what a client's id stands for
  task_state = 5,
  payload = 6,
  result = 7,
  lease = 8,
  alert = 9,
  notice = 10,
  late_reply = 11,
  set_aside = 12,
  exported_task = 13, ///< a file of its own
  ended_count = 14,
  recent_id = 15,
  journal_entry = 16, ///< in a file of its own; its body is a change_log
  journal_used = 17,
  journal_head = 18, ///< in the same file, at its beginning
  incident = 19,
  endings = 20, ///< how the tasks of a workflow end
  bulk_act = 21,
  bulk_refusal = 22,
  task_steps = 23, ///< some of a task's, that has many
  event = 24,
  event_rest = 25, ///< tasks that have yet to take an event
  last_event = 26,
  schedule = 27,
  fan_out = 28, ///< what is counted of the items of a step
  item = 29,
  event_place = 30, ///< where the event with an id stands
  partition = 31,
  // From here on: sent between processes, not stored.
  task = 64,
  submission = 65,
  attempt = 66,
  fact = 67,
  bare_notice = 68,
  bare_alert = 69,
  bare_late_reply = 70,
  write_request = 71,
  write_outcome = 72,
  task_filter = 73, ///< and stored, in bulk acts
  task_page = 74,
  due_page = 75,
  store_stats = 76,
  check_report = 77,
  notice_entry = 78,
  late_reply_entry = 79,
  explanation = 80,
  bare_lease = 81,
  incident_page = 82,
  alert_filter = 83,
  alert_list = 84,
  bulk_page = 85,
  event_page = 86,
  list = 128, ///< added to the kind of its elements
};

/// Every record is a frame, little-endian:
///
///     0      8 checksum: XXH3-64 of all that follows, seeded with the XXH3-64 of the key
///     8      2 format of the body
///     10     2 record_kind
///     12     4 length of the body
///     16     body
inline constexpr std::size_t frame_head_size = 16;
inline constexpr std::uint16_t plain_body = 1;
inline constexpr std::uint16_t compact_body = 2;  ///< compact.hpp
inline constexpr std::uint16_t relative_body = 3; ///< the same, but moments are distances from the first one
inline constexpr std::size_t body_size_max = 256 << 20;

/// Fills in the head. REQUIRES: `frame` is frame_head_size bytes of any content, then the body.
void seal(std::string& frame, std::uint16_t format, record_kind kind, std::string_view key);

struct opened_frame {
  std::uint16_t format = 0;
  std::string_view body;
};
/// Throws damaged_record unless all of it checks and it is of that kind; the view ends with `frame`.
opened_frame open_frame(std::string_view frame, record_kind kind, std::string_view key);

} // namespace steadfast::store
