#include "workflow/calling/circuit.hpp"

namespace steadfast::workflow {
namespace {

circuit opened(std::uint64_t period, instant until) {
  circuit c;
  c.state = circuit_state::open;
  c.period = period;
  c.open_until = until;
  return c;
}

circuit after_ordinary_call(circuit c, const circuit_options& o, call_outcome outcome, instant now) {
  if (outcome == call_outcome::answered)
    c.failures = 0;
  if (outcome != call_outcome::failed || o.failures == 0)
    return c;
  ++c.failures;
  return c.failures < o.failures ? c : opened(c.period + 1, now + o.open_for);
}

circuit after_trial(circuit c, const circuit_options& o, call_outcome outcome, instant now) {
  if (outcome == call_outcome::failed)
    return opened(c.period + 1, now + o.open_for);
  c.trial_under_way = false;
  if (outcome == call_outcome::withdrawn)
    return c;
  ++c.successes;
  if (c.successes < o.trials)
    return c;
  return closed_anew(c);
}

} // namespace

std::string_view to_string(circuit_state s) {
  switch (s) {
    case circuit_state::closed: return "closed";
    case circuit_state::open: return "open";
    case circuit_state::half_open: return "half-open";
  }
  return "?";
}

circuit_state state_at(const circuit& c, instant now) {
  return c.state == circuit_state::open && now >= c.open_until ? circuit_state::half_open : c.state;
}

bool may_call(const circuit& c, instant now) {
  switch (state_at(c, now)) {
    case circuit_state::closed: return true;
    case circuit_state::open: return false;
    case circuit_state::half_open: return !c.trial_under_way;
  }
  return false;
}

circuit begun(circuit c, instant now) {
  if (state_at(c, now) != circuit_state::half_open)
    return c;
  if (c.state == circuit_state::open) {
    const auto period = c.period + 1;
    c = {};
    c.state = circuit_state::half_open;
    c.period = period;
  }
  c.trial_under_way = true;
  return c;
}

circuit held_open(const circuit& c) {
  return opened(c.period + 1, never);
}

circuit closed_anew(const circuit& c) {
  circuit closed;
  closed.period = c.period + 1;
  return closed;
}

circuit after(circuit c, const circuit_options& o, call_outcome outcome, std::uint64_t period, instant now) {
  if (period != c.period)
    return c;
  if (c.state == circuit_state::closed)
    return after_ordinary_call(c, o, outcome, now);
  if (c.state == circuit_state::half_open && c.trial_under_way)
    return after_trial(c, o, outcome, now);
  return c;
}

} // namespace steadfast::workflow
