#pragma once

#include "examples/checker/history/client_calls.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace checker {

/// Every text of the inputs once, under a number; 0 is the empty text.
class names {
public:
  using id = std::uint32_t;

  names() { of(""); }

  id of(std::string_view text);
  const std::string& text(id n) const { return *texts_[n]; }
  std::size_t size() const { return texts_.size(); }

private:
  struct hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_map<std::string, id, hash, std::equal_to<>> ids_;
  std::vector<const std::string*> texts_;
};

enum class action : std::uint8_t { perform, undo, probe };

enum class result : std::uint8_t {
  created,
  repeated,
  refused,
  undone,
  undo_of_nothing,
  undo_repeated,
  failed,
  failed_after_effect,
  probe_yes,
  probe_no,
};

/// One line of an effect log.
struct effect {
  names::id task = 0;
  names::id step = 0;
  names::id key = 0;
  names::id reverses = 0;
  checker::action action = action::perform;
  checker::result result = result::failed;
  std::uint32_t attempt = 0;
  std::uint64_t epoch = 0;
  std::int64_t steady_ns = 0;
  bool is_later = false;           ///< the service answered that the step ends later
  std::optional<bool> is_finished; ///< it answered whether it needs another call under the key; nothing: it did not say
  names::id mark = 0;              ///< of the body; 0: it has none
};

enum class process_state : std::uint8_t { pending, processing, processed, undoing, undone, error, suspended };

enum class step_state : std::uint8_t {
  not_started,
  running,
  completed,
  failed,
  unknown,
  compensating,
  compensated,
  compensation_failed,
  skipped,
  waiting,
};

/// One line of the story that the store tells of a step.
struct attempt {
  std::uint32_t number = 0;
  checker::action action = action::perform;
  bool succeeded = false;
  bool uncounted = false; ///< declined or stopped: uses up none of the limit
  std::uint64_t epoch = 0;
  std::optional<std::int64_t> started_ms;
  std::optional<std::int64_t> ended_ms;
};

struct step {
  names::id name = 0;
  names::id agent = 0; ///< without a name: the step only waits
  step_state state = step_state::not_started;
  bool compensation = false;
  std::uint32_t attempt = 0;
  std::uint64_t attempts_limit = 0; ///< 0: not told
  std::optional<std::int64_t> completed_ms;
  std::vector<std::uint32_t> after; ///< places of the steps that come directly before
  std::vector<checker::attempt> log;
  bool is_log_cut = false;     ///< some attempts were dropped
  bool is_repeated = false;    ///< it is called again until its result is as wanted
  std::uint64_t calls_max = 0; ///< then
  bool took_event = false;
  names::id result = 0; ///< JSON without blanks, and only with a wake log; 0 without one
  names::id answer = 0; ///< of a person: the choice and who made it; 0: it is no answer
};

/// One line of the dump of the store.
struct task {
  names::id id = 0;
  process_state state = process_state::pending;
  names::id parent = 0;                 ///< a step of that task started it; 0: none did
  std::uint32_t acts = 0;               ///< what persons did to it, other than to answer
  bool is_reopened = false;             ///< after an error, by a person's act on it or on a task that it started
  std::optional<std::int64_t> began_ms; ///< only of tasks whose limit has a rate
  std::optional<std::int64_t> submitted_ms;
  names::id workflow = 0;
  names::id mark = 0;                         ///< of the payload; 0: it has none
  names::id schedule = 0;                     ///< that its id names, SCHEDULE@MOMENT; 0: none
  std::optional<std::int64_t> moment_ms;      ///< of that id
  std::optional<std::int64_t> moment_told_ms; ///< of the payload
  std::vector<checker::step> steps;
};

/// One try to tell a step that waits what it waits for.
struct wake {
  enum class kind : std::uint8_t { event, complete, fail, extend, answer };
  kind what = kind::event;
  names::id step = 0;
  names::id says = 0;        ///< an event's data, a result, or an answer, as in step; 0 with fail and extend
  std::uint32_t attempt = 0; ///< of the token
  bool is_for_good = false;  ///< with fail
  bool is_refused = false;   ///< it changed nothing
  bool is_taken = false;     ///< of an event: all that it was for had taken it when it was acknowledged
  std::int64_t sent_ns = 0;
  std::optional<std::int64_t> acknowledged_ns;
};

/// What clients did about one task.
struct client_record {
  std::uint32_t invoked = 0;
  std::uint32_t acknowledged = 0;
  std::uint32_t refused = 0;
  std::uint32_t unsure = 0;
  std::vector<process_state> outcomes;                ///< that they were told, each once, in the order they were told
  std::vector<client_call> calls;                     ///< those with a number
  std::unordered_map<names::id, std::uint32_t> items; ///< of its payload, by the step that goes over them
  names::id limit_key = 0;                            ///< that its workflow counts it under; 0: none
  std::uint32_t limit = 0;                            ///< so many of that key at a time
  std::int64_t limit_per_ms = 0;                      ///< and so many begin within that time; 0: as many as can
  std::unordered_map<names::id, std::int64_t> sleeps; ///< how long its steps sleep, in milliseconds
  std::unordered_map<names::id, std::uint32_t> most_calls; ///< how often steps that are repeated are called at most
};

/// A schedule that makes tasks, as whoever made it knows it.
struct schedule {
  names::id workflow = 0;
  std::int64_t every_ms = 0;
  bool one_at_a_time = false; ///< none begins before the one before it is over
};

/// Everything that was read.
struct history {
  checker::names names;
  std::vector<effect> effects; ///< in the order of each file
  std::vector<task> tasks;
  std::unordered_map<names::id, client_record> clients;
  std::unordered_map<names::id, checker::schedule> schedules;    ///< by name
  std::unordered_map<names::id, std::vector<lease_call>> leases; ///< what clients saw of each
  std::unordered_map<names::id, std::uint32_t> alerts;           ///< by task
  std::unordered_map<names::id, std::vector<wake>> wakes;        ///< by task
  bool has_clients = false;                                      ///< a client log was given
  bool has_calls = false;                                        ///< and its lines have numbers
  bool has_alerts = false;
  bool has_wakes = false; ///< a wake log was given
};

/// What the inputs do not show.
struct settings {
  bool allow_open = false;           ///< unfinished tasks are no violation
  std::vector<std::string> unlogged; ///< agents whose services write no effect log
};

std::string_view to_string(process_state s);
std::string_view to_string(step_state s);
bool has_ended(process_state s);

} // namespace checker
