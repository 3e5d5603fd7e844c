// A node whose store has several partitions: what it shares between them, and what it warns of.

#include "api/error.hpp"
#include "runtime/control/control_methods.hpp"
#include "runtime/node/node_inside.hpp"
#include "runtime/text/address.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/fast_place.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace steadfast::tests::parted {

using Catch::Matchers::Contains;

/// What is written to standard error while it is there, where warnings go before start_log().
class standard_error {
public:
  explicit standard_error(const std::filesystem::path& into) : into_{into}, before_{dup(2)} {
    const auto file = open(into.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    REQUIRE(file >= 0);
    dup2(file, 2);
    close(file);
  }
  standard_error(const standard_error&) = delete;
  standard_error& operator=(const standard_error&) = delete;
  ~standard_error() {
    dup2(before_, 2);
    close(before_);
  }

  std::string text() const {
    std::ifstream in{into_};
    return {std::istreambuf_iterator<char>{in}, {}};
  }

private:
  std::filesystem::path into_;
  int before_;
};

workflow::definition starts(const std::string& name, const std::string& child) {
  workflow::definition d;
  d.name = name;
  auto& s = d.steps.emplace_back();
  s.name = "inner";
  s.wait.emplace();
  s.wait->what = workflow::wait_rule::kind::child;
  s.wait->name = child;
  return d;
}

TEST_CASE("a node of three partitions warns of steps that start tasks of a workflow with a limit") {
  const temp_folder folder{fast_place()};
  const standard_error heard{folder.path() / "heard"};
  node_options o;
  o.name = "n1";
  o.store.path = folder.path() / "store";
  o.socket.clear();
  o.partitions = 3;
  workflow::definition charge;
  charge.name = "charge";
  charge.limit = workflow::limit_rule{"/customer", 1};
  charge.steps.resize(1);
  charge.steps[0].name = "pay";
  charge.steps[0].agent = "bank";
  o.workflows = {charge, starts("order", "charge")};
  assembled_node running{o};
  running.start();
  const auto is_heard = [&](const std::string& line) {
    return comes_true([&] { return heard.text().find(line) != std::string::npos; }); // the log has a thread of its own
  };
  CHECK(is_heard("workflow `order`: step `inner` starts tasks of workflow `charge`"));
  const node_inside inside{running};
  const auto methods = methods_of(inside.system(), inside.parts());
  methods.at("workflow.register")(
    {{"text", "name = \"refund\"\n[[step]]\nname = \"inner\"\nworkflow = \"charge\"\n"}, {"who", "a test"}});
  CHECK(is_heard("workflow `refund`: step `inner` starts tasks of workflow `charge`"));
}

TEST_CASE("a node of three partitions says that tasks fail when a third of those that must have ended have, in one") {
  const temp_folder folder{fast_place()};
  node_options o;
  o.store.path = folder.path() / "store";
  o.socket.clear();
  o.partitions = 3;
  o.conditions_period = workflow::span{20};
  assembled_node running{o};
  workflow::definition pay;
  pay.name = "pay";
  pay.steps.resize(1);
  pay.steps[0].name = "charge";
  pay.steps[0].agent = "bank";
  running.add_workflow(pay);
  const node_inside inside{running};
  inside.add_agent("bank", actors::quick_function{[](const auto&) { return actors::failed_for_good("no"); }});
  running.start();
  const auto methods = methods_of(inside.system(), inside.parts());
  for (int i = 0; i < 17; ++i) // all of them in one partition
    methods.at("submit")({{"id", "shop/" + std::to_string(i)}, {"workflow", "pay"}});
  CHECK(comes_true([&] {
    const auto open = methods.at("incident.list")(nlohmann::json::object()).at("incidents");
    return std::any_of(open.begin(), open.end(), [](const auto& x) { return x.at("kind") == "failing"; });
  }));
}

TEST_CASE("row 147: a node joins one that has three partitions in files, and works with all of them") {
  const temp_folder folder{fast_place()};
  const auto ports = runtime::free_ports(2);
  const auto options_of = [&](std::size_t i) {
    node_options o;
    o.name = "n" + std::to_string(i);
    o.store.path = folder.path() / "store";
    o.socket.clear();
    o.partitions = 3;
    o.cluster.listen = "127.0.0.1:" + std::to_string(ports.at(i));
    return o;
  };
  assembled_node has_store{options_of(0)};
  workflow::definition pay;
  pay.name = "pay";
  pay.steps.resize(1);
  pay.steps[0].name = "charge";
  pay.steps[0].agent = "bank";
  has_store.add_workflow(pay);
  has_store.start();

  auto o = options_of(1);
  o.roles.store = false;
  o.cluster.join = "127.0.0.1:" + std::to_string(ports.at(0));
  assembled_node joins{o};
  const node_inside inside{joins};
  inside.add_agent("bank", actors::quick_function{[](const auto&) { return actors::succeeded("{}"); }});
  joins.start();
  const auto methods = methods_of(inside.system(), inside.parts());
  const auto told = [&](const char* method, const nlohmann::json& asked) -> nlohmann::json {
    try {
      return methods.at(method)(asked);
    } catch (const api::error&) { // it has not reached the store yet
      return nlohmann::json::object();
    }
  };
  for (int i = 0; i < 8; ++i) { // some in each partition
    const auto id = "task-" + std::to_string(i);
    CHECK(comes_true([&] { return !told("submit", {{"id", id}, {"workflow", "pay"}}).empty(); }));
    CHECK(comes_true([&] { return told("task.state", {{"id", id}}).value("process_state", "") == "processed"; }));
  }
}

TEST_CASE("a limit of which a partition would have nothing is refused") {
  node_options o;
  o.partitions = 3;
  CHECK(problems(o).empty());
  o.in_flight_max = o.bulk_rate = 2;
  o.backlog_max = 1;
  const auto found = problems(o);
  REQUIRE(found.size() == 3);
  CHECK(found[0]
        == "scheduler.in_flight_max is 2, and is shared by the 3 partitions of the store: it must be at least 3");
  CHECK(found[2].ends_with("it must be at least 3, or 0 for no limit"));
  o.backlog_max = 0; // none
  CHECK(problems(o).size() == 2);

  const tests::temp_folder folder{tests::fast_place()};
  node_options made;
  made.store.path = folder.path() / "store";
  made.socket.clear();
  made.partitions = 3;
  {
    assembled_node first{made};
    first.start();
  }
  made.partitions = 0; // as many as there are
  made.in_flight_max = 2;
  assembled_node again{made};
  CHECK_THROWS_WITH(again.start(), Contains("scheduler.in_flight_max is 2, and is shared by the 3 partitions"));
}

} // namespace steadfast::tests::parted
