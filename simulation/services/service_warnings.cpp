#include "simulation/services/service_warnings.hpp"

#include "runtime/text/time_text.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>
#include <cmath>

namespace steadfast::simulation {

namespace {

using workflow::span;

/// "1 s", "1.5 s".
std::string time_text(span s) {
  auto text = rough_text(s);
  if (const auto at = text.find(".0 "); at != std::string::npos)
    text.erase(at, 2);
  return text;
}

std::string latency_text(const service_faults& f) {
  const auto least = time_text(f.latency_min);
  return f.latency_min == f.latency_max ? least : least + " to " + time_text(f.latency_max);
}

/// The share of calls, in percent, that are answered by then at best.
int answered_by(const service_faults& f, span limit) {
  if (limit <= f.latency_min)
    return 0;
  if (limit > f.latency_max)
    return 100;
  return static_cast<int>(100 * (limit - f.latency_min).count() / (f.latency_max - f.latency_min).count());
}

class warnings {
public:
  warnings(const workflow::definition& d, const declared_services& services, std::vector<std::string>& into)
      : workflow_{d},
        services_{services},
        all_{into} {}

  void look() {
    for (const auto& s : workflow_.steps) {
      if (s.wait)
        continue;
      const auto step = "step " + workflow::quoted(s.name);
      look_at_time(step, s.agent, s.complete_by);
      if (s.compensation)
        look_at_time("the undo of " + step, s.compensation->agent, s.compensation->complete_by);
      if (s.probe)
        look_at_time("the probe of " + step, s.probe->agent, s.probe->complete_by);
      look_at_contract(step, s);
    }
    look_at_deadline();
  }

private:
  void say(const std::string& where, const std::string& what) {
    all_.push_back(where + " of " + workflow_.name + ": " + what);
  }

  void look_at_time(const std::string& where, const std::string& agent, span complete_by) {
    const auto& f = services_.of(agent);
    const auto answered = answered_by(f, complete_by);
    if (answered == 100)
      return;
    const bool is_named = services_.by_agent.contains(agent);
    say(where,
        "complete_by " + time_text(complete_by) + " is below the latency that "
          + (is_named ? "you declared for " + workflow::quoted(agent) : "services have whom you declared none for")
          + ", " + latency_text(f) + ": "
          + (answered == 0 ? "no call is answered in time"
                           : "at most " + std::to_string(answered) + " % of the calls are answered in time")
          + "; raise complete_by");
  }

  void look_at_contract(const std::string& where, const workflow::step_definition& s) {
    const auto& f = services_.of(s.agent);
    if (f.acts_again && workflow::attempts_limit(s) > 1)
      say(where, workflow::quoted(s.agent) + " acts each time that it is called, and may be called "
                   + std::to_string(workflow::attempts_limit(s))
                   + " times: let the service honour the idempotency key, or give the step one attempt and a probe");
    if (f.acts_late_by > workflow_.grace)
      say(where, workflow::quoted(s.agent) + " may act " + time_text(f.acts_late_by)
                   + " after complete_by, and undo and probes wait for a grace of " + time_text(workflow_.grace)
                   + ": raise grace");
  }

  /// By the quickest answers, and the longest way through the steps.
  void look_at_deadline() {
    std::vector<span> done(workflow_.steps.size(), span{0});
    span whole{0};
    for (bool changes = true; changes;) {
      changes = false;
      for (std::size_t i = 0; i < done.size(); ++i) {
        span begins{0};
        for (const auto p : workflow::predecessors(workflow_, i))
          begins = std::max(begins, done[p]);
        const auto& s = workflow_.steps[i];
        const auto ends = begins
                          + (s.wait ? (workflow::is_until_told(*s.wait) ? span{0} : s.wait->length)
                                    : services_.of(s.agent).latency_min);
        changes = changes || ends != done[i];
        done[i] = ends;
        whole = std::max(whole, ends);
      }
    }
    const auto forward = workflow_.deadline - workflow_.undo_reserve;
    if (whole >= forward)
      all_.push_back("deadline of " + workflow_.name + ": its steps have " + time_text(forward)
                     + " without the undo_reserve, and need " + time_text(whole)
                     + " with the latency that you declared, if nothing fails: raise deadline");
  }

  const workflow::definition& workflow_;
  const declared_services& services_;
  std::vector<std::string>& all_;
};

} // namespace

std::vector<std::string> warnings_of(const std::vector<workflow::definition>& workflows,
                                     const declared_services& services) {
  std::vector<std::string> all;
  for (const auto& d : workflows)
    warnings{d, services, all}.look();
  return all;
}

} // namespace steadfast::simulation
