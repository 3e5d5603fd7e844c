#include "store/records/record.hpp"

#include "store/records/sent_fields.hpp"

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <streambuf>

// No type carries class information or is tracked, and an archive keeps no state between records, so that a thread uses
// one archive for all of them.
#define STEADFAST_RECORD(Type, Kind)                                                                                   \
  BOOST_CLASS_IMPLEMENTATION(Type, boost::serialization::object_serializable)                                          \
  BOOST_CLASS_TRACKING(Type, boost::serialization::track_never)                                                        \
  template <>                                                                                                          \
  constexpr steadfast::store::record_kind steadfast::store::kind_of<Type> = steadfast::store::record_kind::Kind;
#define STEADFAST_PART(Type)                                                                                           \
  BOOST_CLASS_IMPLEMENTATION(Type, boost::serialization::object_serializable)                                          \
  BOOST_CLASS_TRACKING(Type, boost::serialization::track_never)

namespace steadfast::store {

template <class T>
constexpr record_kind kind_of = record_kind{};

template <class T>
constexpr record_kind kind_of<std::vector<T>> = static_cast<record_kind>(static_cast<std::uint16_t>(record_kind::list)
                                                                         + static_cast<std::uint16_t>(kind_of<T>));

template <>
constexpr record_kind kind_of<write> = record_kind::write_request;

/// The records with compact bodies: those that are written again and again, by which the size of a commit is measured,
/// and those with definitions, which have gained fields.
template <class T>
constexpr bool is_compact = kind_of<T> == record_kind::task_state || kind_of<T> == record_kind::task_steps
                            || kind_of<T> == record_kind::definition || kind_of<T> == record_kind::exported_task
                            || kind_of<T> == record_kind::write_request || kind_of<T> == record_kind::schedule;

template <class T>
constexpr bool is_compact<std::vector<T>> = is_compact<T>;

/// What has a compact body only where it has what a plain one cannot say, so that a program of a release before can
/// read all else.
template <class T>
constexpr bool may_be_compact =
  kind_of<T> == record_kind::submission || kind_of<T> == record_kind::task || kind_of<T> == record_kind::write_outcome
  || kind_of<T> == record_kind::task_page || kind_of<T> == record_kind::event;

} // namespace steadfast::store

STEADFAST_RECORD(steadfast::store::format_record, format)
STEADFAST_RECORD(steadfast::store::counters, counters)
STEADFAST_RECORD(steadfast::workflow::definition, definition)
STEADFAST_RECORD(steadfast::store::task_ref, task_ref)
STEADFAST_RECORD(steadfast::store::task_state, task_state)
STEADFAST_RECORD(steadfast::store::task_state_view, task_state)
STEADFAST_RECORD(steadfast::store::task_steps, task_steps)
STEADFAST_RECORD(steadfast::store::task_steps_view, task_steps)
STEADFAST_RECORD(steadfast::store::payload_record, payload)
STEADFAST_RECORD(steadfast::store::result_record, result)
STEADFAST_RECORD(steadfast::store::lease_record, lease)
STEADFAST_RECORD(steadfast::store::alert_entry, alert)
STEADFAST_RECORD(steadfast::store::notice_record, notice)
STEADFAST_RECORD(steadfast::store::late_reply_record, late_reply)
STEADFAST_RECORD(steadfast::store::set_aside_record, set_aside)
STEADFAST_RECORD(steadfast::store::exported_task, exported_task)
STEADFAST_RECORD(steadfast::store::ended_count, ended_count)
STEADFAST_RECORD(steadfast::workflow::endings, endings)
STEADFAST_RECORD(steadfast::store::recent_id, recent_id)
STEADFAST_RECORD(steadfast::store::journal_used, journal_used)
STEADFAST_RECORD(steadfast::store::journal_head, journal_head)
STEADFAST_RECORD(steadfast::store::incident, incident)
STEADFAST_RECORD(steadfast::store::incident_page, incident_page)
STEADFAST_RECORD(steadfast::store::alert_filter, alert_filter)
STEADFAST_RECORD(steadfast::store::alert_list, alert_list)
STEADFAST_RECORD(steadfast::workflow::bulk_act, bulk_act)
STEADFAST_RECORD(steadfast::workflow::bulk_refusal, bulk_refusal)
STEADFAST_RECORD(steadfast::store::bulk_page, bulk_page)
STEADFAST_RECORD(steadfast::store::event_page, event_page)
STEADFAST_RECORD(steadfast::store::event_record, event)
STEADFAST_RECORD(steadfast::store::event_rest, event_rest)
STEADFAST_RECORD(steadfast::store::event_place_record, event_place)
STEADFAST_RECORD(steadfast::store::last_event, last_event)
STEADFAST_RECORD(steadfast::store::partition_record, partition)
STEADFAST_RECORD(steadfast::workflow::schedule_state, schedule)
STEADFAST_RECORD(steadfast::workflow::fan_out, fan_out)
STEADFAST_RECORD(steadfast::store::item_record, item)

STEADFAST_RECORD(steadfast::workflow::task, task)
STEADFAST_RECORD(steadfast::workflow::submission, submission)
STEADFAST_RECORD(steadfast::workflow::attempt_ref, attempt)
STEADFAST_RECORD(steadfast::workflow::fact, fact)
STEADFAST_RECORD(steadfast::workflow::notice, bare_notice)
STEADFAST_RECORD(steadfast::workflow::alert, bare_alert)
STEADFAST_RECORD(steadfast::workflow::late_reply, bare_late_reply)
STEADFAST_RECORD(steadfast::workflow::explanation, explanation)
STEADFAST_RECORD(steadfast::store::lease, bare_lease)
STEADFAST_RECORD(steadfast::store::outcome, write_outcome)
STEADFAST_RECORD(steadfast::store::task_filter, task_filter)
STEADFAST_RECORD(steadfast::store::task_page, task_page)
STEADFAST_RECORD(steadfast::store::state_store::due_page, due_page)
STEADFAST_RECORD(steadfast::store::store_stats, store_stats)
STEADFAST_RECORD(steadfast::store::check_report, check_report)
STEADFAST_RECORD(steadfast::store::notice_entry, notice_entry)
STEADFAST_RECORD(steadfast::store::late_reply_entry, late_reply_entry)

STEADFAST_PART(steadfast::workflow::attempt_record)
STEADFAST_PART(steadfast::workflow::act)
STEADFAST_PART(steadfast::workflow::step)
STEADFAST_PART(steadfast::workflow::retry_policy)
STEADFAST_PART(steadfast::workflow::cool_off_policy)
STEADFAST_PART(steadfast::workflow::source)
STEADFAST_PART(steadfast::workflow::input_member)
STEADFAST_PART(steadfast::workflow::result_mapping)
STEADFAST_PART(steadfast::workflow::condition)
STEADFAST_PART(steadfast::workflow::compensation)
STEADFAST_PART(steadfast::workflow::probe)
STEADFAST_PART(steadfast::workflow::retention)
STEADFAST_PART(steadfast::workflow::payload_value)
STEADFAST_PART(steadfast::workflow::wait_rule)
STEADFAST_PART(steadfast::workflow::later_rule)
STEADFAST_PART(steadfast::workflow::repeat_rule)
STEADFAST_PART(steadfast::workflow::expect_rule)
STEADFAST_PART(steadfast::workflow::step_definition)
STEADFAST_PART(steadfast::store::large_result)
STEADFAST_PART(steadfast::store::lease_guard)
STEADFAST_PART(steadfast::store::submit_task)
STEADFAST_PART(steadfast::store::sent_steps)
STEADFAST_PART(steadfast::store::update_task)
STEADFAST_PART(steadfast::store::workflow_load)
STEADFAST_PART(steadfast::store::claim_tasks)
STEADFAST_PART(steadfast::store::free_locks)
STEADFAST_PART(steadfast::store::keep_late_reply)
STEADFAST_PART(steadfast::store::register_definition)
STEADFAST_PART(steadfast::store::acquire_lease)
STEADFAST_PART(steadfast::store::renew_lease)
STEADFAST_PART(steadfast::store::release_lease)
STEADFAST_PART(steadfast::store::acknowledge_alert)
STEADFAST_PART(steadfast::store::acknowledge_notices)
STEADFAST_PART(steadfast::store::set_aside_damaged)
STEADFAST_PART(steadfast::store::record_act)
STEADFAST_PART(steadfast::store::import_task)
STEADFAST_PART(steadfast::store::ended_position)
STEADFAST_PART(steadfast::store::purge_ended)
STEADFAST_PART(steadfast::workflow::incident_signature)
STEADFAST_PART(steadfast::store::act_on_incident)
STEADFAST_PART(steadfast::workflow::system_condition)
STEADFAST_PART(steadfast::store::report_conditions)
STEADFAST_PART(steadfast::store::start_bulk)
STEADFAST_PART(steadfast::store::advance_bulk)
STEADFAST_PART(steadfast::store::stop_bulk)
STEADFAST_PART(steadfast::store::send_event)
STEADFAST_PART(steadfast::store::kept_event)
STEADFAST_PART(steadfast::workflow::schedule)
STEADFAST_PART(steadfast::workflow::moment_note)
STEADFAST_PART(steadfast::store::put_schedule)
STEADFAST_PART(steadfast::store::act_on_schedule)
STEADFAST_PART(steadfast::store::fire_schedules)

namespace steadfast::store {

namespace {

constexpr unsigned archive_flags = boost::archive::no_header | boost::archive::no_tracking | boost::archive::no_codecvt;

/// Appends to a string that keeps its memory from record to record.
class frame_buffer : public std::streambuf {
public:
  std::string bytes;

protected:
  std::streamsize xsputn(const char* from, std::streamsize size) override {
    bytes.append(from, static_cast<std::size_t>(size));
    return size;
  }

  int_type overflow(int_type c) override {
    if (!traits_type::eq_int_type(c, traits_type::eof()))
      bytes.push_back(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }
};

class view_buffer : public std::streambuf {
public:
  void read(std::string_view from) {
    char* begin = const_cast<char*>(from.data()); // never written to: there is no put area
    setg(begin, begin, begin + from.size());
  }

  std::size_t left() const { return static_cast<std::size_t>(egptr() - gptr()); }

protected:
  std::streamsize xsgetn(char* to, std::streamsize size) override {
    const auto count = std::min(size, static_cast<std::streamsize>(left()));
    if (count > 0)
      std::memcpy(to, gptr(), static_cast<std::size_t>(count));
    setg(eback(), gptr() + count, egptr());
    return count;
  }
};

struct frame_writer {
  frame_buffer buffer;
  boost::archive::binary_oarchive archive{buffer, archive_flags};
};

struct frame_reader {
  view_buffer buffer;
  boost::archive::binary_iarchive archive{buffer, archive_flags};
};

bool needs_compact(const workflow::submission& x) {
  return !x.trace.empty() || x.conflict != workflow::on_conflict::same;
}
/// There are such tasks only where all nodes know of them.
bool waits_or_is_limited(const workflow::task& x) {
  return !x.parent.empty() || !x.limit.empty()
         || std::any_of(x.steps.begin(), x.steps.end(), [](const workflow::step& s) { return !s.wait.empty(); });
}
bool needs_compact(const workflow::task& x) {
  return !x.trace.empty() || waits_or_is_limited(x);
}
/// Traces are left out for others: a node that knows no other body must be able to list tasks.
bool needs_compact(const task_page& x) {
  return std::any_of(x.tasks.begin(), x.tasks.end(), [](const auto& t) { return waits_or_is_limited(t); });
}
bool needs_compact(const event_record& x) {
  return !x.id.empty();
}
bool needs_compact(const outcome& x) {
  const auto& tasks = tasks_of(x);
  return std::any_of(tasks.begin(), tasks.end(), [](const workflow::task& t) { return needs_compact(t); });
}

template <class T>
bool goes_compact(const T& value) {
  if constexpr (may_be_compact<T>)
    return needs_compact(value);
  else
    return is_compact<T>;
}

template <class T>
const std::string& write_frame(std::string_view key, const T& value) {
  constexpr std::size_t kept_max = 4 << 20; // a rare giant does not keep its memory for ever
  static_assert(kind_of<T> != record_kind{}, "give the type a kind");
  thread_local frame_writer writer;
  std::string& bytes = writer.buffer.bytes;
  if (bytes.capacity() > kept_max)
    bytes = {};
  bytes.assign(frame_head_size, '\0');
  auto& to_write = const_cast<T&>(value); // the functions of fields.hpp serve both ways; writing changes nothing
  const bool is_small = goes_compact(value);
  if constexpr (is_compact<T> || may_be_compact<T>)
    if (is_small) {
      compact_writer compact{bytes};
      all(compact, to_write);
    }
  if constexpr (!is_compact<T>)
    if (!is_small)
      all(writer.archive, to_write);
  seal(bytes, is_small ? relative_body : plain_body, kind_of<T>, key);
  return bytes;
}

template <class T>
T read_plain(std::string_view body) {
  thread_local frame_reader reader;
  reader.buffer.read(body);
  T value;
  all(reader.archive, value);
  if (reader.buffer.left() != 0)
    throw damaged_record{"there are bytes left over"};
  return value;
}

template <class T>
T read_compact(std::uint16_t format, std::string_view body) {
  compact_reader reader{body, format};
  T value;
  all(reader, value);
  if (reader.left() != 0)
    throw damaged_record{"there are bytes left over"};
  return value;
}

template <class T>
T read_body(std::uint16_t format, std::string_view body) {
  if (format == plain_body)
    return read_plain<T>(body);
  if constexpr (is_compact<T> || may_be_compact<T>)
    if (format == relative_body || (format == compact_body && kind_of<T> == record_kind::task_state))
      return read_compact<T>(format, body);
  throw damaged_record{"its format " + std::to_string(format) + " is not known"};
}

template <class T>
T read_frame(std::string_view key, std::string_view frame) {
  const auto [format, body] = open_frame(frame, kind_of<T>, key);
  try {
    return read_body<T>(format, body);
  } catch (const boost::archive::archive_exception&) {
    throw damaged_record{"it ends too early"};
  } catch (const std::bad_alloc&) {
    throw damaged_record{"it claims more than the memory holds"};
  }
}

} // namespace

template <class T>
std::string encode(const T& value) {
  return write_frame({}, value);
}

template <class T>
T decode(std::string_view bytes) {
  return read_frame<T>({}, bytes);
}

template <class T>
std::string_view encode_record(std::string_view key, const T& value) {
  return write_frame(key, value);
}

template <class T>
T decode_record(std::string_view key, std::string_view bytes) {
  return read_frame<T>(key, bytes);
}

std::uint64_t hash_of(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

// ---- what is offered ----

#define STEADFAST_STORED(Type)                                                                                         \
  template std::string_view encode_record(std::string_view, const Type&);                                              \
  template Type decode_record(std::string_view, std::string_view);
STEADFAST_STORED(format_record)
STEADFAST_STORED(counters)
STEADFAST_STORED(workflow::definition)
STEADFAST_STORED(task_ref)
STEADFAST_STORED(task_state)
STEADFAST_STORED(task_steps)
STEADFAST_STORED(payload_record)
STEADFAST_STORED(result_record)
STEADFAST_STORED(lease_record)
STEADFAST_STORED(alert_entry)
STEADFAST_STORED(notice_record)
STEADFAST_STORED(late_reply_record)
STEADFAST_STORED(set_aside_record)
STEADFAST_STORED(ended_count)
STEADFAST_STORED(workflow::endings)
STEADFAST_STORED(recent_id)
STEADFAST_STORED(journal_used)
STEADFAST_STORED(journal_head)
STEADFAST_STORED(incident)
STEADFAST_STORED(workflow::bulk_act)
STEADFAST_STORED(workflow::bulk_refusal)
STEADFAST_STORED(event_record)
STEADFAST_STORED(event_rest)
STEADFAST_STORED(event_place_record)
STEADFAST_STORED(last_event)
STEADFAST_STORED(partition_record)
STEADFAST_STORED(workflow::schedule_state)
STEADFAST_STORED(workflow::fan_out)
STEADFAST_STORED(item_record)
template std::string_view encode_record(std::string_view, const task_state_view&);
template std::string_view encode_record(std::string_view, const task_steps_view&);

#define STEADFAST_SENT(Type)                                                                                           \
  template std::string encode(const Type&);                                                                            \
  template Type decode(std::string_view);                                                                              \
  template std::string encode(const std::vector<Type>&);                                                               \
  template std::vector<Type> decode(std::string_view);
STEADFAST_SENT(workflow::task)
STEADFAST_SENT(workflow::definition)
STEADFAST_SENT(workflow::submission)
STEADFAST_SENT(workflow::attempt_ref)
STEADFAST_SENT(workflow::fact)
STEADFAST_SENT(workflow::notice)
STEADFAST_SENT(workflow::alert)
STEADFAST_SENT(workflow::late_reply)
STEADFAST_SENT(workflow::explanation)
STEADFAST_SENT(write)
STEADFAST_SENT(outcome)
STEADFAST_SENT(task_filter)
STEADFAST_SENT(task_page)
STEADFAST_SENT(state_store::due_page)
STEADFAST_SENT(lease)
STEADFAST_SENT(alert_entry)
STEADFAST_SENT(workflow::schedule_state)
STEADFAST_SENT(notice_entry)
STEADFAST_SENT(late_reply_entry)
STEADFAST_SENT(exported_task)
STEADFAST_SENT(store_stats)
STEADFAST_SENT(check_report)
STEADFAST_SENT(incident_page)
STEADFAST_SENT(alert_filter)
STEADFAST_SENT(alert_list)
STEADFAST_SENT(bulk_page)
STEADFAST_SENT(event_page)

} // namespace steadfast::store
