// What a node that is told to stop waits for.

#include "runtime/control/control_methods.hpp"
#include "runtime/node/node_inside.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <future>
#include <thread>

using namespace steadfast;

TEST_CASE("row 151: a node leaves the network once all who watch its actors were told of their end") {
  const tests::temp_folder folder;
  node_options o;
  o.store.path = folder.path() / "store";
  o.socket.clear();
  assembled_node n{o};
  n.start();
  std::string seen;
  caf::actor_cast<caf::actor>(node_inside{n}.parts().own->get().store_actor)->attach_functor([&] {
    const auto goes_on = [&] { return n.stop_waits_for() != "its actors to end"; };
    for (int i = 0; i < 300 && !goes_on(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    seen = n.stop_waits_for();
  });
  n.stop();
  CHECK(seen == "its actors to end");
}

TEST_CASE("a node that is told to stop says what it waits for") {
  const tests::temp_folder folder;
  node_options o;
  o.store.path = folder.path() / "store";
  o.socket.clear();
  o.drain_limit = std::chrono::seconds{60};
  workflow::definition d;
  d.name = "trip";
  d.steps.resize(1);
  d.steps[0].name = "hotel";
  d.steps[0].agent = "hotel";
  std::promise<void> gate;
  std::promise<void> began;
  assembled_node n{o};
  n.add_workflow(d);
  node_inside{n}.add_agent("hotel", actors::blocking_function{[&](const actors::call&) {
                             began.set_value();
                             gate.get_future().wait();
                             return actors::succeeded();
                           }});
  n.start();
  CHECK(n.stop_waits_for().empty());
  methods_of(node_inside{n}.system(), node_inside{n}.parts())
    .at("submit")({{"id", "t"}, {"workflow", "trip"}, {"payload", "{}"}});
  began.get_future().wait();

  bool was_told = false;
  std::thread looks_on{[&] {
    was_told = tests::comes_true([&] { return n.stop_waits_for() == "attempts under way"; });
    gate.set_value();
  }};
  n.stop();
  looks_on.join();
  CHECK(was_told);
  CHECK(n.stop_waits_for().empty());
}
