#include "actors/storing/store_figures.hpp"

#include <variant>

namespace steadfast::actors {

namespace {

void count_end(store_figures::of_workflow& of, workflow::process_state how) {
  using enum workflow::process_state;
  (how == processed ? of.processed : how == undone ? of.undone : of.error).add();
}

} // namespace

void store_figures::count(const store::write& w, const store::outcome& o) {
  for (const auto& t : o.tasks) {
    auto& of = workflows.of(t.workflow);
    if (t.state == workflow::process_state::pending)
      of.submitted.add();
    else
      count_end(of, t.state);
  }
  if (const auto* submitted = std::get_if<store::submit_task>(&w))
    return count(*submitted, o);
  if (o.result != store::write_status::applied)
    return;
  if (const auto* u = std::get_if<store::update_task>(&w)) {
    if (!o.as<store::update_result>().has_ended)
      return;
    count_end(workflows.of(u->next.workflow), u->next.state);
  } else if (const auto* lease = std::get_if<store::acquire_lease>(&w)) {
    leases.of(lease->name).add();
  }
}

void store_figures::count(const store::submit_task& w, const store::outcome& o) {
  if (o.result == store::write_status::full)
    return pushed_back.add();
  if (o.result != store::write_status::applied)
    return refused.add();
  if (!o.as<store::submit_result>().created)
    return already_there.add();
  created.add();
  workflows.of(w.what.workflow).submitted.add();
}

void store_figures::count_commit(std::size_t size, std::int64_t took_us) {
  commit_times.count(took_us);
  commit_sizes.count(static_cast<std::int64_t>(size));
}

} // namespace steadfast::actors
