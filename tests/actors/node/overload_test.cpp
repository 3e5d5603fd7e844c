// A service that is slower for a while than its orders come, and what is left of that when it is well again.

#include "actors/agents/agents.hpp"
#include "tests/actors/one_node.hpp"

#include <catch2/catch.hpp>

#include <deque>

using namespace steadfast;
using namespace std::chrono_literals;
using tests::node_settings;
using tests::one_node;

namespace {

constexpr std::uint32_t concurrency = 16;

/// Answers each call after the time that calls take just now.
class paced_service {
public:
  workflow::span takes{20};

  actors::agent_actor spawn(tests::test_node& node, const std::string& name) {
    actors::agent_options o;
    o.name = name;
    o.concurrency = concurrency;
    node_ = &node;
    return actors::spawn_function_agent(node.system(), o, node.clock(),
                                        actors::async_function{[this](const actors::call&, actors::answer_to to) {
                                          calls_.push_back({node_->now() + takes, std::move(to)});
                                          ++called_;
                                        }});
  }

  /// Lets time pass and answers what is due.
  void pass(workflow::span by) {
    constexpr workflow::span step{10};
    for (const auto until = node_->now() + by; node_->now() < until; node_->advance(step))
      for (auto n = calls_.size(); n > 0; --n) {
        auto c = std::move(calls_.front());
        calls_.pop_front();
        if (c.due <= node_->now())
          c.answer(actors::succeeded());
        else
          calls_.push_back(std::move(c));
      }
  }
  std::size_t called() const { return called_; }

private:
  struct open_call {
    workflow::instant due;
    actors::answer_to answer;
  };
  tests::test_node* node_ = nullptr;
  std::deque<open_call> calls_;
  std::size_t called_ = 0;
};

workflow::definition of_one_step() {
  auto d = tests::pipeline("charge", {tests::step_named("pay")});
  d.steps[0].complete_by = 5s;
  d.steps[0].retry.attempts = 3;
  d.steps[0].threshold = 2;
  return d;
}

std::size_t in_state(one_node& node, workflow::process_state state) {
  store::task_filter f;
  f.states = {state};
  return node.store().list(f, {}, 10'000).tasks.size();
}

} // namespace

TEST_CASE("row 37: a service that is too slow for a while fails no task that it never heard of") {
  constexpr int tasks = 3000;
  paced_service service;
  node_settings settings;
  settings.definitions = {of_one_step()};
  settings.in_flight_max = tasks;
  settings.claim_max = 500;
  settings.real_agents["agent_of_pay"] = [&](tests::test_node& n, const std::string& name) {
    return service.spawn(n, name);
  };
  one_node node{settings};
  service.takes = 4s; // four calls a second, for 3,000 tasks
  for (int i = 0; i < tasks; ++i)
    node.begin_to_submit("t" + std::to_string(i));
  service.pass(60s);
  CHECK(in_state(node, workflow::process_state::error) == 0);
  CHECK(in_state(node, workflow::process_state::undone) == 0);
  const auto processed_before = in_state(node, workflow::process_state::processed);
  CHECK(processed_before < 400);

  service.takes = 20ms; // 800 calls a second
  service.pass(15s);
  CHECK(in_state(node, workflow::process_state::processed) == tasks);
  CHECK(service.called() < tasks + 100); // but for the first ones, nothing is called that cannot end in time
  CHECK(node.broken_invariants().empty());
}
