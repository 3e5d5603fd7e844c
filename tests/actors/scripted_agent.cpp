#include "tests/actors/scripted_agent.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace steadfast::tests {

actors::attempt_report report_on(const actors::step_order& o, actors::report_kind kind, std::string text) {
  actors::attempt_report r;
  r.task_number = o.task_number;
  r.step = o.step;
  r.attempt = o.attempt;
  r.epoch = o.epoch;
  r.kind = kind;
  if (kind == actors::report_kind::succeeded)
    r.result = std::move(text);
  else
    r.why = std::move(text);
  return r;
}

std::optional<actors::attempt_report> scripted_agent::succeed(const actors::step_order& o) {
  return report_on(o, actors::report_kind::succeeded, "{\"did\":\"" + o.key + "\"}");
}

scripted_agent::script scripted_agent::fail(std::size_t times, actors::report_kind kind, bool maybe_done) {
  return [left = times, kind, maybe_done](const actors::step_order& o) mutable {
    if (left == 0)
      return succeed(o);
    --left;
    auto r = report_on(o, kind, "the service says no");
    r.maybe_done = maybe_done;
    return std::optional{r};
  };
}

actors::agent_actor scripted_agent::spawn(test_node& node) {
  die();
  return node.keep(node.system().spawn(
    [memory = memory_, life = memory_->life](actors::agent_actor::pointer self) -> actors::agent_actor::behavior_type {
      return {
        [self, memory, life](const actors::step_orders& m) {
          for (const auto& o : m.all) {
            if (memory->life != life)
              return;
            memory->orders.push_back(o);
            memory->sender = actors::sender_of<actors::report_sink>(self);
            if (auto r = memory->how(o))
              actors::tell(self, memory->sender, actors::attempt_reports{{*std::move(r)}});
          }
        },
        [](const actors::traced_orders&) {}, // these nodes trace nothing
        [](const actors::later_orders&) {},  // nor have they steps that end later
        [memory](const actors::stop_order& o) { memory->stops.push_back(o); },
        [](const actors::set_circuit&) { return actors::agent_view{}; },
        [](const actors::drain&) { return actors::drained{}; },
        [](actors::inspect_state) { return actors::actor_state{}; },
      };
    }));
}

std::vector<actors::step_order> scripted_agent::orders_of(const std::string& step,
                                                          workflow::attempt_action action) const {
  std::vector<actors::step_order> found;
  std::copy_if(orders().begin(), orders().end(), std::back_inserter(found),
               [&](const actors::step_order& o) { return o.step_name == step && o.action == action; });
  return found;
}

void scripted_agent::say(test_node& node, const actors::attempt_report& r) const {
  if (memory_->sender)
    node.tell(caf::strong_actor_ptr{}, memory_->sender, actors::attempt_reports{{r}});
}

} // namespace steadfast::tests
