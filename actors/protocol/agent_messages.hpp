#pragma once

#include "actors/protocol/report_kind.hpp"
#include "actors/protocol/speak.hpp"
#include "workflow/task/task.hpp"
#include "workflow/time/time.hpp"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

// Between schedulers and agents.

namespace steadfast::actors {

/// Carry out one attempt, until complete_by, then be silent.
struct step_order {
  std::uint64_t task_number = 0;
  std::string task_id;
  std::string workflow;
  std::uint32_t step = 0;
  std::string step_name;
  workflow::attempt_action action = workflow::attempt_action::perform;
  std::uint32_t attempt = 0;
  std::uint64_t epoch = 0;
  std::string key;      ///< idempotency key of this action
  std::string reverses; ///< with undo and probe: the key of the step it is about
  std::string input;    ///< bytes, JSON unless the payload is not
  workflow::instant complete_by;
  workflow::instant clock;    ///< the clock to which complete_by refers: when it was set
  std::string trace{};        ///< `traceparent` of the attempt; sent to other nodes only by traced_orders
  bool may_end_later = false; ///< the attempt may be taken on; sent to other nodes only by later_orders
};
STEADFAST_MESSAGE(step_order, x.task_number, x.task_id, x.workflow, x.step, x.step_name, x.action, x.attempt, x.epoch,
                  x.key, x.reverses, x.input, x.complete_by, x.clock)

struct step_orders {
  std::vector<step_order> all;
};
STEADFAST_MESSAGE(step_orders, x.all)

/// Nodes of the previous release do not know this message: it is sent only where the configuration traces tasks.
struct traced_order {
  step_order order;
};
STEADFAST_MESSAGE(traced_order, x.order, x.order.trace)

struct traced_orders {
  std::vector<traced_order> all;
};
STEADFAST_MESSAGE(traced_orders, x.all)

/// Used only where all nodes know it: elsewhere there are no steps that may end later.
struct later_order {
  step_order order;
};
STEADFAST_MESSAGE(later_order, x.order, x.order.trace, x.order.may_end_later)

struct later_orders {
  std::vector<later_order> all;
};
STEADFAST_MESSAGE(later_orders, x.all)

/// The attempt is no longer wanted: begin no further call for it, and report how the call under way ends.
struct stop_order {
  std::uint64_t task_number = 0;
  std::uint32_t step = 0;
  std::uint32_t attempt = 0;
  std::uint64_t epoch = 0;
};
STEADFAST_MESSAGE(stop_order, x.task_number, x.step, x.attempt, x.epoch)

/// How an attempt ended. At most one per order, never after its complete_by.
struct attempt_report {
  std::uint64_t task_number = 0;
  std::uint32_t step = 0;
  std::uint32_t attempt = 0;
  std::uint64_t epoch = 0;
  report_kind kind = report_kind::succeeded;
  bool maybe_done = true; ///< with failed_* and stopped: the remote side may have acted; false when it refused
  bool unsettled = false; ///< a call ended without the service's own answer: it may go on working until complete-by
  workflow::span retry_after{0}; ///< with failed_transient and declined
  std::string result;            ///< with succeeded; with taken_on: the digest of the token
  std::string why;
};
STEADFAST_MESSAGE(attempt_report, x.task_number, x.step, x.attempt, x.epoch, x.kind, x.maybe_done, x.unsettled,
                  x.retry_after, x.result, x.why)

struct attempt_reports {
  std::vector<attempt_report> all;
};
STEADFAST_MESSAGE(attempt_reports, x.all)

/// The state of an agent.
struct agent_view {
  std::string name;
  std::string kind;                     ///< "function", "http", or "exec" of a program
  std::string circuit;                  ///< "closed", "open", "half-open"
  workflow::instant circuit_open_until; ///< never: a person holds it open
  std::string held_open_by;             ///< who, and why
  bool draining = false;
  std::uint32_t in_flight = 0;
  std::uint32_t in_flight_max = 0;
  std::uint32_t queued = 0;
  std::uint64_t orders = 0;
  std::uint64_t tries = 0; ///< calls made, repetitions inside an attempt included
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;
  std::uint64_t declined = 0;
  std::uint64_t silenced = 0;  ///< attempts that passed complete_by
  std::uint64_t refused = 0;   ///< orders under an epoch that was no longer the highest
  std::uint32_t abandoned = 0; ///< of in_flight: calls for which nobody waits any more, which still hold their place
  std::string service;         ///< what it calls: scheme, host and port of a URL, or a program; empty: a function
  std::string last_failure;    ///< the last one that counts against the circuit
  workflow::instant last_failure_at;
  std::string last_refusal; ///< does not count against the circuit: a service that refuses is there
  workflow::instant last_refusal_at;
  // Calls of the last minutes.
  std::uint64_t lately_succeeded = 0;
  std::uint64_t lately_refused = 0;
  std::uint64_t lately_failed = 0;
  workflow::span p50{0};
  workflow::span p99{0};
};
STEADFAST_MESSAGE(agent_view, x.name, x.kind, x.circuit, x.circuit_open_until, x.held_open_by, x.draining, x.in_flight,
                  x.in_flight_max, x.queued, x.orders, x.tries, x.succeeded, x.failed, x.declined, x.silenced,
                  x.refused, x.abandoned, x.service, x.last_failure, x.last_failure_at, x.last_refusal,
                  x.last_refusal_at, x.lately_succeeded, x.lately_refused, x.lately_failed, x.p50, x.p99)

/// A person sets an agent's circuit: open until it is closed again by a person, or closed.
struct set_circuit {
  bool open = false;
  std::string who;
  std::string why;
};
STEADFAST_MESSAGE(set_circuit, x.open, x.who, x.why)

} // namespace steadfast::actors
