#include "runtime/face/agent_face.hpp"

#include <type_traits>
#include <utility>

namespace steadfast {

agent_answer succeeded(std::string result) {
  return {answer_kind::succeeded, std::move(result), {}, true, {}, false};
}

agent_answer failed_for_good(std::string why, bool maybe_done) {
  return {answer_kind::failed_for_good, {}, std::move(why), maybe_done, {}, false};
}

agent_answer failed_for_now(std::string why, bool maybe_done) {
  return {answer_kind::failed_for_now, {}, std::move(why), maybe_done, {}, maybe_done};
}

agent_answer did_not_happen() {
  return {answer_kind::did_not_happen, {}, {}, false, {}, false};
}

agent_answer later() {
  return {answer_kind::later, {}, {}, true, {}, false};
}

namespace runtime {
namespace {

agent_action outer(workflow::attempt_action a) {
  switch (a) {
    case workflow::attempt_action::probe: return agent_action::probe;
    case workflow::attempt_action::compensate: return agent_action::compensate;
    default: return agent_action::perform;
  }
}

agent_call outer(const actors::call& c) {
  return {c.task_id, c.workflow,    c.step,       outer(c.action), c.attempt, c.epoch, c.key, c.reverses,
          c.input,   c.complete_by, c.try_number, c.began_at,      c.trace,   c.token, c.stop};
}

actors::answer inner(agent_answer a) {
  actors::answer given;
  switch (a.kind) {
    case answer_kind::succeeded: return actors::succeeded(std::move(a.result));
    case answer_kind::did_not_happen: return actors::did_not_happen();
    case answer_kind::later: return actors::ends_later();
    case answer_kind::failed_for_good: given = actors::failed_for_good(std::move(a.why), a.maybe_done); break;
    case answer_kind::failed_for_now: given = actors::failed_for_now(std::move(a.why), a.maybe_done); break;
  }
  given.retry_after = a.retry_after;
  given.unsettled = a.unsettled;
  return given;
}

/// Quick and blocking functions differ only in where they run.
template <class Inner, class Outer>
actors::agent_function answering(Outer f) {
  if (!f.run)
    return Inner{};
  return Inner{[run = std::move(f.run)](const actors::call& c) { return inner(run(outer(c))); }};
}

actors::agent_function answering_later(async_function f) {
  if (!f.run)
    return actors::async_function{};
  return actors::async_function{[run = std::move(f.run)](const actors::call& c, actors::answer_to to) {
    run(outer(c), [to = std::move(to)](agent_answer a) { to(inner(std::move(a))); });
  }};
}

} // namespace

actors::agent_function inner(agent_function f) {
  if (auto* quick = std::get_if<quick_function>(&f))
    return answering<actors::quick_function>(std::move(*quick));
  if (auto* blocking = std::get_if<blocking_function>(&f))
    return answering<actors::blocking_function>(std::move(*blocking));
  return answering_later(std::get<async_function>(std::move(f)));
}

actors::agent_options inner(const agent_options& o) {
  actors::agent_options in;
  in.retry.attempts = o.tries;
  in.retry.initial = o.first_wait;
  in.retry.cap = o.longest_wait;
  in.concurrency = o.concurrency;
  in.queue = o.queue;
  in.rate_per_second = o.rate_per_second;
  in.burst = o.burst;
  in.call_limit = o.call_limit;
  in.circuit.failures = o.circuit_failures;
  in.circuit.open_for = o.circuit_open_for;
  return in;
}

} // namespace runtime
} // namespace steadfast
