// A real node whose ended tasks leave.

#include "runtime/control/control_methods.hpp"
#include "runtime/node/node.hpp"
#include "runtime/node/node_inside.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/fast_place.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using nlohmann::json;

namespace {

/// A node whose tasks have one step, which succeeds at once.
struct sweeping_node {
  explicit sweeping_node(const workflow::retention_rules& keep) : running{options_with(keep)} {
    workflow::definition d;
    d.name = "trip";
    d.steps.resize(1);
    d.steps[0].name = "hotel";
    d.steps[0].agent = "hotel";
    running.add_workflow(d);
    node_inside{running}.add_agent("hotel",
                                   actors::quick_function{[](const actors::call&) { return actors::succeeded(); }});
    running.start();
    methods = methods_of(node_inside{running}.system(), node_inside{running}.parts());
  }

  node_options options_with(const workflow::retention_rules& keep) const {
    node_options o;
    o.store.path = folder.path() / "store";
    o.socket.clear();
    o.retention = keep;
    return o;
  }

  json call(const std::string& method, const json& params) const { return methods.at(method)(params); }

  void submit(int count) const {
    for (int i = 0; i < count; ++i)
      call("submit", {{"id", "t" + std::to_string(i)}, {"workflow", "trip"}, {"payload", "{}"}});
  }

  std::uint64_t processed() const {
    return call("store.stats", json::object()).at("tasks").value("processed", std::uint64_t{0});
  }
  std::uint64_t left() const { return call("store.stats", json::object()).at("tasks_purged"); }

  bool await_left(std::uint64_t count) const {
    return tests::comes_true([&] { return left() == count; });
  }

  bool has_janitor() const { return !call("actor.list", {{"kind", "janitor"}}).at("actors").empty(); }

  tests::temp_folder folder{tests::fast_place()};
  assembled_node running;
  control_methods methods;
};

} // namespace

TEST_CASE("of a thousand tasks that ended, a node keeps the hundred that it is told to keep") {
  const sweeping_node n{{{{}, 100}, {}}};
  n.submit(1000);
  CHECK(n.await_left(900));
  CHECK(n.processed() == 100);
  CHECK(n.call("store.check", json::object()).at("faults").empty());
  const auto shown = n.call("actor.show", {{"id", "janitor@node"}});
  CHECK(shown.at("state").at("have_left") == 900);
  CHECK(n.call("task.list", {{"max", 1000}}).at("tasks").size() == 100);
}

TEST_CASE("a node that is told nothing keeps every task") {
  const sweeping_node n{{}};
  n.submit(20);
  CHECK_FALSE(n.has_janitor());
  CHECK(n.left() == 0);
}
