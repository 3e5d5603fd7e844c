#pragma once

#include "steadfast/client.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

// For your own actors in a node's actor system (CAF 0.17): to submit tasks by typed messages, to receive progress, and
// to run actors with one instance in a cluster. These messages stay within the process.

namespace caf {
class actor_system;
}

namespace steadfast {

class node;

/// Asks for a task. Answered by submit_receipt within half a minute, the longest that a store may take.
struct submit_task {
  std::string id; ///< 1 to 128 printable characters; the same id is the same task
  std::string workflow;
  std::uint32_t version = 0;            ///< 0: the newest
  std::string payload = "{}";           ///< a JSON text
  std::optional<std::uint8_t> priority; ///< 0 first, 9 last
  std::string reply_to;                 ///< the observer that is told of progress; empty: none
  on_conflict conflict = on_conflict::same;
  std::chrono::milliseconds debounce{0}; ///< as in submit_options
};

enum class submit_outcome : std::uint8_t {
  stored = 1,  ///< it is durable, now or since an earlier submission
  refused = 2, ///< `why` says what to change
  busy = 3,    ///< nothing was stored: submit again after `retry_after`
  unknown = 4, ///< it may be stored: submit it again with the same id
};

struct submit_receipt {
  std::string id;
  submit_outcome outcome = submit_outcome::unknown;
  bool created = false; ///< with stored; false: the task was already there
  std::string state;    ///< with stored: its process_state
  std::string why;      ///< otherwise
  std::chrono::milliseconds retry_after{0};
  bool replaced = false; ///< with stored: the task was there, and this submission replaced it
};

/// From now on the sender gets the progress for this observer, beginning with what was not acknowledged.
struct observe_progress {
  std::string observer;
};

enum class progress_kind : std::uint8_t {
  accepted = 1,
  step_started = 2,
  step_completed = 3,
  processed = 4,
  undoing = 5,
  undone = 6,
  error = 7,
  suspended = 8,
  resumed = 9,
};
const char* to_string(progress_kind k); ///< "step_started"
bool is_end(progress_kind k);           ///< processed, undone or error

/// Sent at least once, in order per task, until it is acknowledged, even after a crash of either side.
struct task_progress {
  std::string observer;
  std::string task_id;
  std::uint64_t task_number = 0; ///< the store's
  std::uint32_t sequence = 0;    ///< 1 for the first of the task
  progress_kind kind = progress_kind::accepted;
  std::string step; ///< with step_started and step_completed
  std::string text; ///< the cause, where there is one
  std::chrono::time_point<std::chrono::system_clock, std::chrono::milliseconds> at{};
};

/// Acknowledges this progress and all earlier progress of the task.
struct progress_seen {
  std::string observer;
  std::uint64_t task_number = 0;
  std::uint32_t sequence = 0;
};
progress_seen seen(const task_progress& p);

/// What clients send to. One handle serves all actors of the process.
using task_gateway = caf::typed_actor<caf::replies_to<submit_task>::with<submit_receipt>,
                                      caf::reacts_to<observe_progress>, caf::reacts_to<progress_seen>>;

/// What an actor must take to send observe_progress.
using progress_observer = caf::typed_actor<caf::reacts_to<task_progress>>;

/// The gateway of a running node. Throws node_error if it does not run. Requests should wait more than half a minute.
task_gateway gateway_of(node& n);
/// Where your own actors run. Throws node_error unless the node runs.
caf::actor_system& actor_system_of(node& n);

/// The lease was won or renewed, under this epoch. Whatever the actor writes elsewhere must include the epoch, so that
/// a former holder that has not noticed its loss yet can be refused there.
struct lease_held {
  std::string name;
  std::uint64_t epoch = 0;
};

/// An actor that has one instance in a cluster. It must handle lease_held in less than two seconds: otherwise the lease
/// lapses, and another node makes an instance. It gets an exit message when the lease is lost.
using singleton_actor = caf::typed_actor<caf::reacts_to<lease_held>>;

/// Makes an instance, on a thread of the node's actors, each time the node wins the lease. If it throws or makes none,
/// the log says so and the lease is left to others.
using make_singleton = std::function<singleton_actor(caf::actor_system&)>;

/// Among all nodes that call this with `name`, the one that holds the lease `name` has the actor that `make` makes.
/// Call it before start(). Throws node_error: the name cannot be that of a lease, or is in use, or `make` is empty.
void with_lease(node& n, const std::string& name, make_singleton make);

} // namespace steadfast

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(steadfast::submit_task)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(steadfast::submit_receipt)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(steadfast::observe_progress)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(steadfast::task_progress)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(steadfast::progress_seen)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(steadfast::lease_held)
