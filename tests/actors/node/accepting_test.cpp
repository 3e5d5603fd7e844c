// From a client's submission to the first order, with the node's process dying at every point between.

#include "simulation/judge/count_all.hpp"
#include "tests/actors/one_node.hpp"
#include "tests/actors/recorder.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace steadfast;
using namespace std::chrono_literals;
using actors::flush;
using actors::step_orders;
using actors::writes_done;
using tests::one_node;
using tests::store_tap;

namespace {

using submission_message = actors::boxed<workflow::submission>;

bool exists(one_node& node, const std::string& id) {
  return node.store().find(id).has_value();
}

/// Whether this commit makes or changes a task.
bool submits(const store::write_list& batch) {
  return std::any_of(batch.begin(), batch.end(),
                     [](const auto* w) { return std::holds_alternative<store::submit_task>(*w); });
}

} // namespace

TEST_CASE("a submitted task is carried out step by step and ends processed") {
  one_node node;
  const auto receipt = node.submit("t1");
  REQUIRE(receipt.has_value());
  CHECK(receipt->result == store::write_status::applied);
  CHECK(receipt->created);
  CHECK(node.state("t1") == "processed");
  CHECK(node.agent("hotel").orders_of("hotel").size() == 1);
  CHECK(node.agent("flight").orders_of("flight").size() == 1);
  CHECK(node.agent("hotel").last().key == "t1/hotel");
  CHECK(node.broken_invariants().empty());
}

TEST_CASE("a client that submits without asking is told of each submission by its id, once it is durable") {
  one_node node;
  const tests::recorder<actors::receipt> client{node.system().system()};
  for (const char* id : {"t1", "t2", "t1"})
    node.system().tell(client.handle(), node.gateway, submission_message{node.order_for(id)});
  node.run_until_next<flush>("store_actor");
  CHECK(client.seen().empty());
  node.run();
  const auto told = client.seen();
  REQUIRE(told.size() == 3);
  CHECK(told[0].id == "t1");
  CHECK(told[0].created);
  CHECK(told[1].id == "t2");
  CHECK(told[1].created);
  CHECK(told[2].id == "t1");
  CHECK_FALSE(told[2].created);
  CHECK(told[2].number == told[0].number);
}

TEST_CASE("row 1: a submission that never arrives leaves no task, and sending it again makes one") {
  one_node node;
  node.run();
  node.begin_to_submit("t1");
  node.run_until_next<submission_message>("gateway");
  node.restart();
  node.run();
  CHECK_FALSE(exists(node, "t1"));
  CHECK(node.submit("t1")->created);
  CHECK(node.state("t1") == "processed");
}

TEST_CASE("row 2: when the acknowledgement is lost, sending the same again gives the same task") {
  one_node node;
  node.run();
  const auto lost = node.begin_to_submit("t1");
  node.run_until_next<submission_message>("store_actor");
  node.run_until_next<flush>("store_actor");
  node.step();
  REQUIRE(exists(node, "t1"));
  REQUIRE_FALSE(lost->has_value());
  const auto number = node.task("t1").number;
  node.restart();
  const auto again = node.submit("t1");
  REQUIRE(again.has_value());
  CHECK(again->result == store::write_status::applied);
  CHECK_FALSE(again->created);
  CHECK(again->number == number);
  CHECK(simulation::count_all(node.store()) == 1);
}

TEST_CASE("row 3: two clients that submit the same at once get the same task, one of them as its maker") {
  one_node node;
  node.run();
  const auto one = node.begin_to_submit("t1");
  const auto other = node.begin_to_submit("t1");
  node.run();
  REQUIRE((one->has_value() && other->has_value()));
  CHECK((*one)->number == (*other)->number);
  CHECK((*one)->created != (*other)->created);
  CHECK(simulation::count_all(node.store()) == 1);
  CHECK(node.agent("hotel").orders().size() == 1);
}

TEST_CASE("row 4: the same id with another payload is refused and changes nothing") {
  one_node node;
  node.submit("t1");
  const auto before = node.task("t1");
  auto other = node.order_for("t1");
  other.payload = workflow::blob{R"({"for":"Bob"})"};
  const auto receipt = node.submit(other);
  REQUIRE(receipt.has_value());
  CHECK(receipt->result == store::write_status::refused);
  CHECK(receipt->why.find("key_conflict") != std::string::npos);
  CHECK(node.task("t1") == before);
}

TEST_CASE("row 5: a node that dies before the submission's commit has acknowledged nothing and left no trace") {
  one_node node;
  node.run();
  const auto answer = node.begin_to_submit("t1");
  node.run_until_next<submission_message>("store_actor");
  node.step();
  node.run_until_next<flush>("store_actor");
  node.restart();
  node.run();
  CHECK_FALSE(answer->has_value());
  CHECK_FALSE(exists(node, "t1"));
  CHECK(node.agent("hotel").orders().empty());
}

TEST_CASE("row 6: a task that was committed but not acknowledged runs, and its client finds it by its id") {
  one_node node;
  node.run();
  const auto answer = node.begin_to_submit("t1");
  node.run_until_next<submission_message>("store_actor");
  node.run_until_next<flush>("store_actor");
  node.step();
  CHECK_FALSE(answer->has_value());
  node.restart();
  node.run();
  CHECK(node.state("t1") == "processed");
  CHECK(node.submit("t1")->state == workflow::process_state::processed);
}

TEST_CASE(
  "row 7: a node that dies before it recorded the step as running has sent no order, the next life sends attempt 1") {
  one_node node;
  node.run();
  node.submit(node.order_for("other"));
  const auto answer = node.begin_to_submit("t1");
  node.run_until_next<actors::store_news>("scheduler", [](const actors::store_news& m) { return m.work; });
  node.step(); // asks for the task
  node.run_until_next<flush>("store_actor");
  REQUIRE(node.step_state("t1", 0) == "not_started");
  node.crash();
  CHECK(node.agent("hotel").orders_of("hotel").size() == 1); // of the other task
  node.start();
  node.run();
  CHECK(node.state("t1") == "processed");
  CHECK(node.agent("hotel").last().attempt == 1);
  CHECK(node.agent("hotel").orders_of("hotel").size() == 2);
}

TEST_CASE("row 8: a step that was recorded as running and not ordered yet is ordered by the next life") {
  one_node node;
  node.run();
  node.begin_to_submit("t1");
  node.run_until_next<writes_done>(
    "scheduler", [](const writes_done& m) { return !m.all.at(0).outcome->as<store::claim_result>().tasks.empty(); });
  REQUIRE(node.step_state("t1", 0) == "running");
  node.crash();
  CHECK(node.agent("hotel").orders().empty());
  node.start();
  node.run();
  REQUIRE(node.agent("hotel").orders().size() == 1);
  CHECK(node.agent("hotel").last().attempt == 1);
  CHECK(node.agent("hotel").last().epoch == 2);
  CHECK(node.state("t1") == "processed");
}

TEST_CASE(
  "row 8: when nobody comes back before complete-by, the lost order counts as a failed round and is tried again") {
  one_node node;
  node.run();
  node.begin_to_submit("t1");
  node.run_until_next<writes_done>(
    "scheduler", [](const writes_done& m) { return !m.all.at(0).outcome->as<store::claim_result>().tasks.empty(); });
  node.settings().schedulers = {"s2"}; // another one, which does not free what s1 had
  node.restart();
  node.advance(29s);
  CHECK(node.agent("hotel").orders().empty());
  CHECK(node.reaches("t1", "processed", 40s));
  CHECK(node.agent("hotel").last().attempt == 2);
  CHECK(node.task("t1").failure_count == 1);
  CHECK(node.broken_invariants().empty());
}

TEST_CASE("row 9: an order that is lost on its way is sent again") {
  one_node node;
  node.run();
  node.begin_to_submit("t1");
  node.run_until_next<step_orders>("");
  node.crash();
  CHECK(node.agent("hotel").orders().empty());
  node.start();
  node.run();
  REQUIRE(node.agent("hotel").orders().size() == 1);
  CHECK(node.agent("hotel").last().attempt == 1); // the same, under the epoch of the next life
  CHECK(node.agent("hotel").last().epoch == 2);
  CHECK(node.state("t1") == "processed");
  CHECK(node.task("t1").failure_count == 0);
}

TEST_CASE("row 64: a commit that was made and reported as unknown makes neither a second task nor a second order") {
  one_node node;
  node.run();
  node.store().fail_next(store_tap::fault::reported_unknown, submits);
  const auto unclear = node.submit("t1");
  REQUIRE(unclear.has_value());
  CHECK(unclear->result == store::write_status::unknown_outcome);
  CHECK(node.state("t1") == "processed"); // whoever may have to do with it was told to look
  const auto again = node.submit("t1");
  CHECK(again->result == store::write_status::applied);
  CHECK_FALSE(again->created);
  node.submit("t2");
  CHECK(node.agent("hotel").orders_of("hotel").size() == 2);
  CHECK(node.agent("flight").orders_of("flight").size() == 2);
}
