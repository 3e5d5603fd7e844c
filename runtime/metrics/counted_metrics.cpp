#include "actors/agents/agent_figures.hpp"
#include "actors/storing/store_figures.hpp"
#include "runtime/assembly/assembly.hpp"
#include "runtime/metrics/told.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor_cast.hpp>

namespace steadfast {

namespace {

constexpr double microsecond = 1e-6;

double value(const actors::counter& c) {
  return static_cast<double>(c.value());
}

/// Null: the actor has none such.
template <class Figures>
const Figures* figures_of(const node_part& p) {
  const auto* has = dynamic_cast<const actors::has_figures<Figures>*>(caf::actor_cast<caf::abstract_actor*>(p.actor));
  return has != nullptr ? &has->figures() : nullptr;
}

void write(page_writer& page, const actors::store_figures& f) {
  page.add("steadfast_submissions_total", value(f.created), {"created"});
  page.add("steadfast_submissions_total", value(f.already_there), {"already_there"});
  page.add("steadfast_submissions_total", value(f.pushed_back), {"pushed_back"});
  page.add("steadfast_submissions_total", value(f.refused), {"refused"});
  f.workflows.each([&](std::string_view name, const actors::store_figures::of_workflow& w) {
    const std::string workflow{name};
    page.add("steadfast_tasks_submitted_total", value(w.submitted), {workflow});
    page.add("steadfast_tasks_ended_total", value(w.processed), {workflow, "processed"});
    page.add("steadfast_tasks_ended_total", value(w.undone), {workflow, "undone"});
    page.add("steadfast_tasks_ended_total", value(w.error), {workflow, "error"});
  });
  f.leases.each([&](std::string_view name, const actors::counter& acquired) {
    page.add_largest("steadfast_lease_acquisitions_total", value(acquired), {std::string{name}});
  });
  page.add("steadfast_commit_seconds", f.commit_times.read(), microsecond);
  page.add("steadfast_commit_writes", f.commit_sizes.read(), 1);
}

void write(page_writer& page, const journal_figures& f) {
  page.add("steadfast_sync_seconds", f.syncs(), microsecond);
  page.add("steadfast_journal_bytes", static_cast<double>(f.bytes_held()));
  page.add("steadfast_journal_written_bytes_total", static_cast<double>(f.bytes_written()));
}

void write(page_writer& page, const actors::agent_figures& f, const std::string& agent) {
  using actors::report_kind;
  using workflow::attempt_action;
  const auto taken = [&](attempt_action a, const char* name) {
    page.add("steadfast_agent_orders_total", value(f.taken.at(static_cast<std::size_t>(a))), {agent, name});
  };
  taken(attempt_action::perform, "do");
  taken(attempt_action::probe, "probe");
  taken(attempt_action::compensate, "undo");
  const auto reported = [&](report_kind k, const char* name) {
    page.add("steadfast_attempts_total", value(f.reported.at(static_cast<std::size_t>(k))), {agent, name});
  };
  reported(report_kind::succeeded, "succeeded");
  reported(report_kind::failed_transient, "failed_transient");
  reported(report_kind::failed_permanent, "failed_permanent");
  reported(report_kind::declined, "declined");
  reported(report_kind::stopped, "stopped");
  reported(report_kind::denied, "denied");
  reported(report_kind::taken_on, "taken_on");
  page.add("steadfast_attempts_total", value(f.silenced), {agent, "silenced"});
  page.add("steadfast_step_retries_total", value(f.repeated), {agent});
  page.add("steadfast_call_retries_total", value(f.retries), {agent});
  page.add("steadfast_attempt_seconds", f.attempts.read(), microsecond, {agent});
  page.add("steadfast_queue_seconds", f.waits.read(), microsecond, {agent});
  page.add("steadfast_call_seconds", f.calls.read(), microsecond, {agent});
}

void write(page_writer& page, const http_figures& f) {
  for (std::size_t status = 0; status < f.answers.size(); ++status)
    if (f.answers[status].value() > 0)
      page.add("steadfast_http_requests_total", value(f.answers[status]), {std::to_string(status)});
  page.add("steadfast_http_connections", value(f.connections));
  page.add("steadfast_http_streams", value(f.streams));
}

} // namespace

void write_counted_metrics(page_writer& page, const node_parts& parts) {
  for (const auto& p : all_of(parts)) {
    if (const auto* of_agent = figures_of<actors::agent_figures>(p))
      write(page, *of_agent, p.name);
    if (const auto* of_store = figures_of<actors::store_figures>(p))
      write(page, *of_store);
  }
  const auto own = parts.own->get();
  if (own.store && own.journal)
    write(page, *own.journal);
  if (parts.http)
    write(page, *parts.http);
  if (own.traced) {
    page.add("steadfast_traced_tasks_total", static_cast<double>(own.traced->sent), {"sent"});
    page.add("steadfast_traced_tasks_total", static_cast<double>(own.traced->dropped), {"dropped"});
  }
}

} // namespace steadfast
