#pragma once

#include "actors/protocol/protocols.hpp"
#include "tests/actors/test_node.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace steadfast::tests {

/// What an agent says of an order. The members that name the attempt are those of the order.
actors::attempt_report report_on(const actors::step_order& o, actors::report_kind kind, std::string text = {});

/// An agent that does what a test says. Its memory outlives the node it runs on, as a remote service's would.
class scripted_agent {
public:
  /// What it answers at once; nothing: it stays silent.
  using script = std::function<std::optional<actors::attempt_report>(const actors::step_order&)>;

  static std::optional<actors::attempt_report> succeed(const actors::step_order& o);
  static std::optional<actors::attempt_report> hang(const actors::step_order&) { return std::nullopt; }
  /// Fails the first `times` orders with `kind`, then succeeds.
  static script fail(std::size_t times, actors::report_kind kind, bool maybe_done = false);

  /// A new life on a node; the former one is over.
  actors::agent_actor spawn(test_node& node);
  void die() {
    memory_->sender = actors::report_sink{};
    ++memory_->life;
  }

  void follow(script s) { memory_->how = std::move(s); }

  const std::vector<actors::step_order>& orders() const { return memory_->orders; }
  const std::vector<actors::stop_order>& stops() const { return memory_->stops; }
  const actors::step_order& last() const { return memory_->orders.at(memory_->orders.size() - 1); }
  /// Orders of this action for the step.
  std::vector<actors::step_order> orders_of(const std::string& step,
                                            workflow::attempt_action action = workflow::attempt_action::perform) const;

  /// Sends a report to whoever sent the last order; to nobody if the node of that one is dead.
  void say(test_node& node, const actors::attempt_report& r) const;

private:
  struct memory {
    script how = succeed;
    std::vector<actors::step_order> orders;
    std::vector<actors::stop_order> stops;
    actors::report_sink sender;
    int life = 0;
  };
  std::shared_ptr<memory> memory_ = std::make_shared<memory>();
};

} // namespace steadfast::tests
