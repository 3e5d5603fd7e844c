// Records and what processes send each other: bytes are either refused as damaged, or are exactly what encode makes of
// the value, and a claimed length costs no memory. The input is a frame. It is tried as it is, which its checksum
// mostly refuses, and then with the checksum and the length made right, as a stranger could make it.

#include "store/records/record.hpp"

#include "tests/fuzz/support/fuzz.hpp"
#include "workflow/task/explain.hpp"
#include "workflow/transition/event.hpp"

#include <algorithm>
#include <array>

using namespace steadfast;
using namespace steadfast::store;

namespace {

constexpr std::string_view key_of_all = "the key"; // that of the golden files

/// A multiple of what was given, and a little for a claim that turns out to be empty. A compact step may have two
/// bytes.
constexpr std::size_t memory_factor = 64;
constexpr std::size_t compact_memory_factor = 2048;
constexpr std::size_t memory_base = 512 << 10;

std::uint16_t body_format_of(std::string_view frame) {
  const auto format = frame.size() > 8 ? static_cast<std::uint16_t>(frame[8]) : plain_body;
  return format == compact_body || format == relative_body ? format : plain_body;
}

/// A compact body is read also where it says what a plain one can say; then a plain one is written.
bool is_said_plainly(std::string_view written, std::string_view frame) {
  return body_format_of(frame) != plain_body && body_format_of(written) == plain_body;
}

template <class T>
void try_sent(std::string_view frame) {
  const auto value = decode<T>(frame);
  const auto written = encode(value);
  fuzz::expect(written == frame || is_said_plainly(written, frame), "what is decoded is what encode makes");
  fuzz::expect(encode(decode<T>(written)) == written, "what is written is read");
}

/// Those with definitions, which are read in format 1 too and written anew.
template <class T>
void try_sent_with_definition(std::string_view frame) {
  const auto value = decode<T>(frame);
  const auto written = encode(value);
  fuzz::expect(body_format_of(frame) == plain_body || written == frame, "what is decoded is what encode makes");
  fuzz::expect(encode(decode<T>(written)) == written, "what is written is read");
}

template <class T>
void try_list(std::string_view frame) {
  try_sent<std::vector<T>>(frame);
}

template <class T>
void try_stored(std::string_view frame) {
  const auto value = decode_record<T>(key_of_all, frame);
  const std::string written{encode_record(key_of_all, value)};
  fuzz::expect(written == frame || is_said_plainly(written, frame), "what is decoded is what encode_record makes");
}

void try_definition(std::string_view frame) {
  const auto value = decode_record<workflow::definition>(key_of_all, frame);
  const std::string written{encode_record(key_of_all, value)};
  fuzz::expect(body_format_of(frame) == plain_body || written == frame, "what is decoded is what encode_record makes");
  fuzz::expect(encode_record(key_of_all, decode_record<workflow::definition>(key_of_all, written)) == written,
               "what is written is read");
}

/// Written from a view, without the large results that the value does not have.
void try_task_state(std::string_view frame) {
  const auto s = decode_record<task_state>(key_of_all, frame);
  const task_state_view view{&s.task, s.task.revision, s.payload_size, &s.large, s.rows};
  const bool is_inline = std::all_of(s.task.steps.begin(), s.task.steps.end(),
                                     [](const workflow::step& x) { return x.result.size() <= result_inline_max; });
  if (is_inline && body_format_of(frame) == relative_body)
    fuzz::expect(encode_record(key_of_all, view) == frame, "what is decoded is what encode_record makes");
}

struct reader {
  record_kind kind;
  std::string_view key;
  void (*run)(std::string_view frame);
};

template <class T>
constexpr reader stored(record_kind kind) {
  return {kind, key_of_all, try_stored<T>};
}
template <class T>
constexpr reader sent(record_kind kind) {
  return {kind, {}, try_sent<T>};
}
constexpr record_kind list_kind(record_kind kind) {
  return static_cast<record_kind>(static_cast<unsigned>(record_kind::list) + static_cast<unsigned>(kind));
}
template <class T>
constexpr reader list_of(record_kind kind) {
  return {list_kind(kind), {}, try_list<T>};
}
template <class T>
constexpr reader list_with_definitions(record_kind kind) {
  return {list_kind(kind), {}, try_sent_with_definition<std::vector<T>>};
}

constexpr std::array readers{
  stored<format_record>(record_kind::format),
  stored<counters>(record_kind::counters),
  reader{record_kind::definition, key_of_all, try_definition},
  stored<task_ref>(record_kind::task_ref),
  stored<recent_id>(record_kind::recent_id),
  reader{record_kind::task_state, key_of_all, try_task_state},
  stored<payload_record>(record_kind::payload),
  stored<result_record>(record_kind::result),
  stored<lease_record>(record_kind::lease),
  stored<alert_entry>(record_kind::alert),
  stored<notice_record>(record_kind::notice),
  stored<late_reply_record>(record_kind::late_reply),
  stored<set_aside_record>(record_kind::set_aside),
  reader{record_kind::exported_task, {}, try_sent_with_definition<exported_task>},
  stored<ended_count>(record_kind::ended_count),
  stored<workflow::endings>(record_kind::endings),
  sent<workflow::task>(record_kind::task),
  sent<workflow::submission>(record_kind::submission),
  sent<workflow::attempt_ref>(record_kind::attempt),
  sent<workflow::fact>(record_kind::fact),
  sent<workflow::notice>(record_kind::bare_notice),
  sent<workflow::alert>(record_kind::bare_alert),
  sent<workflow::late_reply>(record_kind::bare_late_reply),
  reader{record_kind::write_request, {}, try_sent_with_definition<store::write>},
  sent<outcome>(record_kind::write_outcome),
  sent<task_filter>(record_kind::task_filter),
  sent<task_page>(record_kind::task_page),
  sent<state_store::due_page>(record_kind::due_page),
  sent<store_stats>(record_kind::store_stats),
  sent<check_report>(record_kind::check_report),
  sent<notice_entry>(record_kind::notice_entry),
  sent<late_reply_entry>(record_kind::late_reply_entry),
  sent<workflow::explanation>(record_kind::explanation),
  sent<lease>(record_kind::bare_lease),
  list_of<workflow::task>(record_kind::task),
  list_with_definitions<workflow::definition>(record_kind::definition),
  list_of<workflow::fact>(record_kind::fact),
  list_with_definitions<store::write>(record_kind::write_request),
  list_of<outcome>(record_kind::write_outcome),
};

const reader& reader_for(std::string_view frame) {
  unsigned kind = 0;
  if (frame.size() > 11)
    kind = static_cast<unsigned char>(frame[10]) + 256U * static_cast<unsigned char>(frame[11]);
  for (const auto& r : readers)
    if (static_cast<unsigned>(r.kind) == kind)
      return r;
  return readers.at(kind % readers.size());
}

/// Whether it was taken for a record.
bool is_taken(const reader& r, std::string_view frame) {
  const fuzz::memory_watch watch;
  bool taken = true;
  try {
    r.run(frame);
  } catch (const damaged_record& e) {
    taken = false;
    fuzz::expect(e.what()[0] != '\0', "a refusal says why");
  }
  const auto factor = body_format_of(frame) == plain_body ? memory_factor : compact_memory_factor;
  fuzz::expect(watch.peak() <= memory_base + factor * frame.size(), "memory stays in proportion",
               std::to_string(watch.peak()) + " bytes for " + std::to_string(frame.size()));
  return taken;
}

} // namespace

void fuzz::try_input(std::string_view input) {
  const auto& r = reader_for(input);
  is_taken(r, input);
  auto frame = std::string(frame_head_size, '\0');
  if (input.size() > frame_head_size)
    frame += input.substr(frame_head_size);
  seal(frame, body_format_of(input), r.kind, r.key);
  if (!is_taken(r, frame))
    return;
  frame[frame_head_size - 1] = static_cast<char>(frame[frame_head_size - 1] ^ 1); // its length
  expect(!is_taken(r, frame), "a record is not taken with another length");
}
