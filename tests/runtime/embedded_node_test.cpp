// A node inside a program, by its public headers: what it refuses and how, and what it does with users' functions.

#include "runtime/face/node_face.hpp"
#include "steadfast/actors.hpp"
#include "steadfast/node.hpp"
#include "steadfast/typed_workflow.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/fast_place.hpp"
#include "tests/support/temp_folder.hpp"
#include "workflow/supervision/node_card.hpp"

#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <atomic>
#include <fstream>
#include <future>
#include <sstream>
#include <thread>

using namespace steadfast;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

constexpr auto hang = 45s; ///< no busy machine takes so long

agent_answer echo(const agent_call& c) {
  return succeeded(c.input);
}

workflow_builder one_step(const std::string& name, const std::string& agent) {
  workflow_builder w{name};
  w.add(step{"only", agent}.complete_by(30s));
  return w;
}

struct place {
  node_settings settings() const { return {.name = "mine", .store = folder.path() / "store", .log_file = log()}; }
  std::filesystem::path log() const { return folder.path() / "log"; }

  std::string said() const {
    std::stringstream text;
    text << std::ifstream{log()}.rdbuf();
    return text.str();
  }

  bool says(const std::string& text) const {
    return tests::comes_true([&] { return said().find(text) != std::string::npos; });
  }

  tests::temp_folder folder{tests::fast_place()};
};

template <class F>
std::string refusal(F act) {
  try {
    act();
    return "none";
  } catch (const node_error& e) {
    return e.what();
  }
}

/// Null if nobody holds it.
json supervisor_lease(node& n) {
  const auto answer = n.call("lease.list", json::object());
  for (const auto& lease : answer.at("leases"))
    if (lease.at("name") == "supervisor")
      return lease;
  return nullptr;
}

using keeper_actor = singleton_actor;

keeper_actor::behavior_type keep(keeper_actor::pointer, std::shared_ptr<std::atomic<std::uint64_t>> epoch) {
  return {[epoch](const lease_held& m) { *epoch = m.epoch; }};
}

} // namespace

TEST_CASE("a node in a program tells every mistake before it opens anything") {
  const place p;
  auto settings = p.settings();
  settings.name = "two words";
  settings.log_level = "loud";
  settings.in_flight_max = 0;
  node n{settings};
  n.add_workflow(workflow_builder{"empty"});
  n.add_agent("a b", quick_function{echo});
  n.add_agent("twice", quick_function{echo});
  n.add_agent("twice", async_function{});
  n.add_agent("idle", blocking_function{echo}, {.concurrency = 0});
  const auto why = refusal([&] { n.start(); });
  CHECK_THAT(why, Contains("name `two words` must be 1 to 64"));
  CHECK_THAT(why, Contains("log.level `loud` must be trace"));
  CHECK_THAT(why, Contains("in_flight_max must be above zero"));
  CHECK_THAT(why, Contains("workflow `empty`: steps: there must be at least one"));
  CHECK_THAT(why, Contains("agent `a b`: name must be 1 to 64"));
  CHECK_THAT(why, Contains("agent `twice`: there are two of that name"));
  CHECK_THAT(why, Contains("agent `twice`: its function is empty"));
  CHECK_THAT(why, Contains("agent `idle`: concurrency must be 1 to"));
  CHECK_FALSE(std::filesystem::exists(settings.store));
}

namespace {

/// Each name has 60 bytes.
void add_agents(node& n, int count) {
  for (int i = 0; i < count; ++i) {
    const auto number = std::to_string(i);
    n.add_agent("agent-" + std::string(54 - number.size(), '0') + number, blocking_function{echo});
  }
}

} // namespace

TEST_CASE("a node with hundreds of agents of long names works, and one with more than it can tell does not start") {
  const place p;
  node n{p.settings()};
  add_agents(n, 1000);
  n.add_workflow(one_step("w", "agent-" + std::string(51, '0') + "999"));
  n.start();
  CHECK(n.wait(n.submit("w", "{}").id, hang) == "processed");
  n.stop();

  node more{p.settings()};
  add_agents(more, 1050);
  CHECK_THAT(refusal([&] { more.start(); }), Contains("the names of its 1050 agents have 64050 bytes with a comma each")
                                               && Contains("give some of the agents to another node"));
}

TEST_CASE("what must come before start is refused after it, and what needs a running node before it and after stop") {
  const place p;
  node n{p.settings()};
  CHECK_THAT(refusal([&] { actor_system_of(n); }), Contains("does not run: start() it first"));
  CHECK_THAT(refusal([&] { gateway_of(n); }), Contains("does not run"));
  CHECK_THROWS_WITH(n.submit("echo", "{}"), Contains("does not run"));
  n.add_workflow(one_step("echo", "echo"));
  n.add_agent("echo", quick_function{echo});
  for (int round = 0; round < 2; ++round) { // it may be started again after a stop
    n.start();
    CHECK(refusal([&] { n.start(); }) == "the node runs already");
    CHECK_THAT(refusal([&] { n.add_agent("more", quick_function{echo}); }),
               Contains("add agent `more` before start()"));
    CHECK_THAT(refusal([&] { n.add_workflow(one_step("more", "more")); }), Contains("add workflow `more` before"));
    CHECK_THAT(refusal([&] { with_lease(n, "clock", [](auto&) { return singleton_actor{}; }); }),
               Contains("lease `clock` before start()"));
    const auto task = n.submit("echo", "[1]", {.id = "e-" + std::to_string(round)});
    CHECK(n.wait(task.id, hang) == "processed");
    n.stop();
    n.stop();
    CHECK_THROWS_WITH(n.show("e-0"), Contains("does not run"));
  }
}

TEST_CASE("a log file that cannot be opened keeps the node from starting, and the log stays as it was") {
  const place p;
  auto settings = p.settings();
  settings.log_file = p.folder.path(); // a folder
  node n{settings};
  CHECK_THAT(refusal([&] { n.start(); }), Contains("log.file") && Contains("cannot be opened"));
}

TEST_CASE("after() without a name is what a file's empty list is: the step waits for none") {
  workflow_builder w{"both"};
  w.add(step{"first", "echo"}).add(step{"second", "echo"}.after({})).add(step{"third", "echo"});
  const place p;
  node n{p.settings()};
  n.add_workflow(w);
  n.add_workflow(workflow_builder::from_toml("name = 'same'\n[[step]]\nname = 'first'\nagent = 'echo'\n"
                                             "[[step]]\nname = 'second'\nagent = 'echo'\nafter = []\n"
                                             "[[step]]\nname = 'third'\nagent = 'echo'\n"));
  n.start();
  const auto built = n.call("workflow.show", {{"name", "both"}}).at("workflow").at("steps");
  CHECK(built == n.call("workflow.show", {{"name", "same"}}).at("workflow").at("steps"));
  CHECK_THROWS_AS(workflow_builder::from_toml("nam = 'x'"), node_error);
}

namespace {

workflow_builder parcel() {
  workflow_builder w{"parcel"};
  w.add(step{"pack", "packer"}).result(input_value::of_result("pack", "/number"));
  return w;
}

/// One of each kind of step that waits, fans out or comes back.
workflow_builder order() {
  workflow_builder w{"order"};
  w.limit("/customer")
    .result_member("gift", input_value::of_result("gift"))
    .result_member("insurance", input_value::of_result("insure"))
    .result_member("parcels", input_value::of_result("parcels"))
    .result_member("shipped", input_value::of_result("ship"))
    .result_member("state", input_value::of_result("poll", "/state"))
    .result_member("who", input_value::of_result("approval", "/who"));
  w.add(step{"poll", "screening"}.repeat(
    {.until = condition::equals("", "/state", R"("ready")"), .every = 1ms, .at_most = 100}));
  w.add(step::event("paid", {.event = "paid", .key = input_value::of_payload("/order"), .limit = 1h}));
  w.add(step::question("approval", {.role = "sales", .question = "May it be shipped?", .limit = 1h}));
  w.add(step::child("gift", "parcel", input_value::of_payload("/gift")));
  w.add(step::children("parcels", "parcel", input_value::of_payload("/items"))
          .at_a_time(2)
          .input("customer", input_value::of_payload("/customer"))
          .input("number", input_value::of_item("/number")));
  w.add(step{"ship", "carrier"}
          .for_each(input_value::of_payload("/items"))
          .may_fail(1)
          .input("number", input_value::of_item("/number")));
  w.add(step{"insure", "insurer"}.when(condition::all(
    {condition::above("payload", "/sum", "100"), !condition::equals("approval", "/choice", R"("no")")})));
  return w;
}

std::string order_of(const std::string& number) {
  return json{{"customer", "ada"},
              {"order", number},
              {"sum", 250},
              {"gift", {{"number", 7}}},
              {"items", {{{"number", 1}}, {{"number", 2}}, {{"number", 3}}}}}
    .dump();
}

} // namespace

TEST_CASE("a workflow built in C++ waits, asks, starts tasks, goes over items and repeats a step on functions") {
  const place p;
  std::atomic<int> calls = 0;
  node n{p.settings()};
  n.add_workflow(parcel());
  n.add_workflow(order());
  n.add_agent("screening", quick_function{[&](const agent_call&) {
                return succeeded(++calls < 3 ? R"({"state":"open"})" : R"({"state":"ready"})");
              }});
  n.add_agent("packer", quick_function{echo});
  n.add_agent("carrier", quick_function{[](const agent_call& c) {
                const auto number = json::parse(c.input).at("number").get<int>();
                return number == 2 ? failed_for_good("it is lost") : succeeded(std::to_string(10 * number));
              }});
  n.add_agent("insurer", quick_function{[](const agent_call&) { return succeeded("true"); }});
  n.start();
  const auto told = [&](const std::string& id) { return n.call("task.show", {{"id", id}}).at("explanation").dump(); };
  const auto pays_and_is_asked = [&](const std::string& id, const std::string& number) {
    const auto event = n.send_event("paid", number, "null", "bank", "evt-" + number);
    CHECK(event > 0);
    CHECK(n.send_event("paid", number, "null", "bank", "evt-" + number) == event); // sent twice, it is one
    return tests::comes_true([&] {
      const auto asked = n.call("approval.list", {{"role", "sales"}}).at("approvals");
      return asked.size() == 1 && asked[0].at("id") == id;
    });
  };
  n.submit("order", order_of("o-1"), {.id = "first"});
  REQUIRE(tests::comes_true(
    [&] { return told("first").find("for an event `paid` with the key `o-1`") != std::string::npos; }));
  CHECK(calls == 3);
  n.submit("order", order_of("o-2"), {.id = "second"});
  CHECK_THAT(told("second"), Contains("waiting: for the end of `first`, with the same key"));

  for (const auto& [id, number] : {std::pair{"first", "o-1"}, {"second", "o-2"}}) {
    INFO(id);
    REQUIRE(pays_and_is_asked(id, number));
    n.call("approval.answer", {{"id", id}, {"step", "approval"}, {"choice", "yes"}, {"who", "ann"}});
    CHECK(n.wait(id, hang) == "processed");
    CHECK(n.result(id)
          == json{{"gift", 7},
                  {"insurance", true},
                  {"parcels", {1, 2, 3}},
                  {"shipped", {10, nullptr, 30}},
                  {"state", "ready"},
                  {"who", "ann"}});
  }
}

TEST_CASE("what an undo would do to tasks that steps have started, and which of them it waits for, is told") {
  const place p;
  node n{p.settings()};
  workflow_builder box{"box"};
  box.add(step{"pack", "packer"}.undo_with("nobody"));
  workflow_builder shipment{"shipment"};
  shipment.add(step::child("gift", "box", input_value::of_payload("/gift")).after({}));
  shipment.add(step::children("boxes", "box", input_value::of_payload("/items")).after({}));
  shipment.add(step::event("paid", {.event = "paid", .key = input_value::of_payload("/order"), .limit = 1h})
                 .after({"gift", "boxes"}));
  n.add_workflow(box);
  n.add_workflow(shipment);
  n.add_agent("packer", quick_function{echo});
  n.start();
  const auto told = [&] { return n.call("task.show", {{"id", "s"}}).at("explanation").dump(); };
  n.submit("shipment", order_of("o-1"), {.id = "s"});
  REQUIRE(tests::comes_true([&] { return told().find("for an event `paid`") != std::string::npos; }));

  const auto plan = n.call("task.plan_undo", {{"id", "s"}}).at("undone");
  REQUIRE(plan.size() == 2);
  const auto& boxes = plan[plan[0].at("step") == "boxes" ? 0 : 1];
  const auto& gift = plan[plan[0].at("step") == "boxes" ? 1 : 0];
  CHECK(boxes.at("tasks") == 3);
  CHECK(boxes.at("first_tasks") == json{"s/boxes/2", "s/boxes/1", "s/boxes/0"});
  CHECK(gift.at("task") == "s/gift");
  CHECK(gift.at("steps") == 1);

  n.call("task.act", {{"id", "s"}, {"act", "undo"}, {"who", "ann"}});
  for (const std::string waits : {"step `boxes` waits for the undo of task `s/boxes/2`: waiting: no agent takes",
                                  "step `gift` waits for the undo of task `s/gift`: waiting: no agent takes"}) {
    INFO(waits);
    REQUIRE(tests::comes_true([&] { return told().find(waits) != std::string::npos; }));
  }
}

TEST_CASE("a step that ends later is extended, completed and failed by the node that it runs on") {
  const place p;
  std::promise<std::string> first;
  std::promise<std::string> second;
  node n{p.settings()};
  workflow_builder w{"film"};
  w.add(step{"render", "studio"}.may_end_later(1h)).result(input_value::of_result("render"));
  n.add_workflow(w);
  n.add_agent("studio", quick_function{[&](const agent_call& c) {
                (c.task_id == "first" ? first : second).set_value(c.token);
                return later();
              }});
  n.start();
  const auto token_of = [&](const std::string& id, std::promise<std::string>& of) {
    n.submit("film", "{}", {.id = id});
    auto token = of.get_future();
    REQUIRE(token.wait_for(hang) == std::future_status::ready);
    REQUIRE(tests::comes_true([&] { return n.show(id).at("steps").at(0).at("state") == "waiting"; }));
    return token.get();
  };
  const auto token = token_of("first", first);
  n.extend_step(token, "half of it", 1min);
  CHECK_THAT(n.call("task.show", {{"id", "first"}}).dump(), Contains("half of it"));
  n.complete_step(token, "42");
  CHECK(n.wait("first", hang) == "processed");
  CHECK(n.result("first") == 42);
  CHECK_THROWS_AS(n.complete_step(token), client_error);

  n.fail_step(token_of("second", second), {.why = "the film is torn"});
  CHECK(n.wait("second", hang) == "undone");
  CHECK_THAT(n.show("second").at("cause").get<std::string>(), Contains("the film is torn"));
}

namespace {

/// What an actor is told that submits to workflow `later`.
submit_receipt receipt_of(node& n, const std::string& payload, on_conflict conflict, std::chrono::milliseconds wait) {
  submit_task asked;
  asked.id = "t";
  asked.workflow = "later";
  asked.payload = payload;
  asked.conflict = conflict;
  asked.debounce = wait;
  caf::scoped_actor self{actor_system_of(n)};
  submit_receipt told;
  self->request(gateway_of(n), hang, asked)
    .receive([&](const submit_receipt& r) { told = r; }, [](const caf::error&) {});
  return told;
}

/// A node of a release that knows schedules, and nothing after them.
void let_older_node_live(node& n) {
  workflow::node_card card{"old", "", {}, {}};
  card.knows = workflow::knowledge::schedules;
  const auto& parts = node_access::of(n).inside().parts();
  caf::scoped_actor self{actor_system_of(n)};
  actors::write_request request;
  request.what = actors::boxed<store::write>{
    store::acquire_lease{"node/old", "old", workflow::note_of(card), 10min, parts.clock.reading(self.ptr())}};
  self->send(parts.store_actor, actors::write_requests{{std::move(request)}});
  self->receive(
    [](const actors::writes_done& m) { CHECK(m.all.at(0).outcome->result == store::write_status::applied); },
    caf::after(hang) >> [] { FAIL("the store did not answer"); });
}

} // namespace

TEST_CASE("row 134: an actor's submission says what becomes of the task that has its id") {
  const place p;
  node n{p.settings()};
  n.add_workflow(one_step("later", "echo"));
  n.add_agent("echo", quick_function{echo});
  n.start();
  const auto first = receipt_of(n, "1", on_conflict::replace, 1h);
  CHECK(first.outcome == submit_outcome::stored);
  CHECK(first.created);
  CHECK_FALSE(first.replaced);
  const auto second = receipt_of(n, "2", on_conflict::replace, 1h);
  CHECK_FALSE(second.created);
  CHECK(second.replaced);
  CHECK(n.show("t").at("payload") == 2);
  CHECK(receipt_of(n, "2", on_conflict::refuse, 0ms).why == "there is a task `t` already");
  CHECK_THAT(receipt_of(n, "3", on_conflict::same, 0ms).why, Contains("key_conflict"));
  CHECK_THAT(receipt_of(n, "3", on_conflict::same, 1h).why, Contains("debounce means that the task is replaced"));

  let_older_node_live(n);
  const auto older = receipt_of(n, "4", on_conflict::replace, 0ms);
  CHECK(older.outcome == submit_outcome::refused);
  CHECK_THAT(older.why, Contains("node `old` runs a release that does not support `conflict`"));
  CHECK_THROWS_WITH(n.submit("later", "4", {.id = "t", .conflict = on_conflict::replace}),
                    Contains("node `old` runs a release that does not support `on_conflict`"));
  CHECK(receipt_of(n, "2", on_conflict::same, 0ms).outcome == submit_outcome::stored);
}

TEST_CASE("numbers that JSON can write in several ways reach the program as numbers") {
  struct written {
    std::string text;
    double is;
  };
  const place p;
  node n{p.settings()};
  n.add_workflow(one_step("pay", "echo").result(input_value::of_result("only", "/price")));
  n.add_agent("echo", quick_function{echo});
  n.start();
  const typed_workflow<json, double> pay{"pay"};
  for (const auto& [text, is] : {written{"1.10", 1.1}, written{"1e2", 100}, written{"-0", 0}, written{"0.5", 0.5},
                                 written{"123456789012345678901", 123456789012345678901.0}}) {
    INFO(text);
    const auto task = n.submit("pay", "{\"price\":" + text + "}");
    CHECK(pay.wait(n, task.id, hang) == is);
    CHECK(n.show(task.id).at("payload").at("price") == json(is));
    CHECK(n.call("task.show", {{"id", task.id}}).at("task").at("result") == json(is));
  }
}

TEST_CASE("an async function that answers after its node has stopped disturbs nobody") {
  const place p;
  auto settings = p.settings();
  settings.drain_limit = 10ms;
  std::promise<answer_to> given;
  {
    node n{settings};
    n.add_workflow(one_step("slow", "slow"));
    n.add_agent("slow", async_function{[&](const agent_call&, answer_to to) { given.set_value(std::move(to)); }});
    n.start();
    n.submit("slow", "{}");
    auto answer = given.get_future();
    REQUIRE(answer.wait_for(hang) == std::future_status::ready);
    n.stop();
    answer.get()(succeeded());
  }
}

TEST_CASE("stop waits for a blocking function that was asked to end, and what it uses may go after it") {
  const place p;
  auto settings = p.settings();
  settings.drain_limit = 10ms;
  std::atomic<bool> began = false;
  auto ended = std::make_unique<std::atomic<bool>>(false); // of the function's user: nothing keeps it but this
  node n{settings};
  n.add_workflow(one_step("slow", "slow"));
  n.add_agent("slow", blocking_function{[&](const agent_call& c) {
                began = true;
                while (!c.stop.stop_requested())
                  std::this_thread::sleep_for(1ms);
                std::this_thread::sleep_for(1500ms); // its last work: longer than stop() waits at least
                *ended = true;
                return succeeded();
              }});
  n.start();
  n.submit("slow", "{}");
  REQUIRE(tests::comes_true([&] { return began.load(); }));
  CHECK(n.stop().empty());
  CHECK(*ended);
  ended.reset();
  CHECK(p.said().find("runs on") == std::string::npos);
}

TEST_CASE(
  "a blocking function that outlasts the complete-by of its call is named by stop, and its end touches nothing") {
  const place p;
  auto settings = p.settings();
  settings.drain_limit = 10ms;
  const auto complete_by = GENERATE(500ms, 30'000ms);
  std::promise<void> gate;
  const auto opened = gate.get_future().share();
  std::atomic<bool> began = false;
  auto kept = std::make_shared<int>(0); // as long as the function is
  const std::weak_ptr<int> function = kept;
  {
    node n{settings};
    workflow_builder w{"slow"};
    w.add(step{"only", "slow"}.complete_by(complete_by));
    n.add_workflow(w);
    n.add_agent("slow", blocking_function{[&began, opened, kept](const agent_call&) {
                  began = true;
                  opened.wait();
                  return succeeded();
                }});
    n.start();
    n.submit("slow", "{}");
    REQUIRE(tests::comes_true([&] { return began.load(); }));
    const auto before = std::chrono::steady_clock::now();
    const auto run_on = complete_by == 500ms ? n.stop() : n.stop(0ms); // the second would wait for half a minute
    CHECK(run_on == std::vector<std::string>{"slow"});
    CHECK(std::chrono::steady_clock::now() - before < 25s);
    CHECK(p.says("the function of agent `slow` runs on"));
    CHECK(n.stop().empty()); // it does not run any more
  }
  kept.reset();
  CHECK_FALSE(function.expired());
  gate.set_value();
  CHECK(tests::comes_true([&] { return function.expired(); }));
}

TEST_CASE("quick functions that wait hold up nobody but their agents, and are named") {
  const place p;
  auto settings = p.settings();
  settings.threads = 2;
  std::promise<void> gate;
  const auto opened = gate.get_future().share();
  std::atomic<int> waiting = 0;
  node n{settings};
  for (const std::string name : {"a", "b", "c"}) {
    n.add_agent(name, quick_function{[&, opened](const agent_call&) {
                  ++waiting;
                  opened.wait();
                  return succeeded();
                }});
    n.add_workflow(one_step("waits_" + name, name));
  }
  n.add_agent("echo", quick_function{echo});
  n.add_workflow(one_step("echo", "echo"));
  std::future<void> submissions;
  std::shared_ptr<void> always_opens{nullptr, [&](void*) { gate.set_value(); }}; // before these end, and the node goes
  n.start();
  submissions = std::async(std::launch::async, [&n] { // who is held up with them
    for (const std::string name : {"a", "b", "c"})
      n.submit("waits_" + name, "{}");
  });
  REQUIRE(tests::comes_true([&] { return waiting == 3; }));
  submissions.get();

  CHECK(n.wait(n.submit("echo", "{}").id, hang) == "processed");
  json held;
  REQUIRE(tests::comes_true([&] { return !(held = supervisor_lease(n)).is_null(); }));
  CHECK(n.wait(n.submit("echo", "{}").id, hang) == "processed");
  CHECK(tests::comes_true([&] { return supervisor_lease(n).at("expires_at") > held.at("expires_at"); }));
  CHECK(supervisor_lease(n).at("epoch") == held.at("epoch"));
  CHECK(n.call("actor.list", json::object())["actors"].size() > 5);
  for (const std::string name : {"a", "b", "c"})
    CHECK(p.says("agent `" + name + "`: its function has kept the agent for"));
  CHECK(p.said().find("agent `echo`") == std::string::npos);
}

TEST_CASE("a node may be stopped by another thread than the one that started it") {
  for (int round = 0; round < 5; ++round) {
    const place p;
    node n{p.settings()};
    for (const std::string name : {"a", "b", "c"})
      n.add_agent(name, quick_function{echo});
    n.add_workflow(one_step("echo", "a"));
    n.start();
    CHECK(n.wait(n.submit("echo", "{}").id, hang) == "processed");
    std::jthread{[&] { n.stop(); }}.join();
  }
}

TEST_CASE("an actor that one node has at a time is told of its lease, and a maker that fails is told of") {
  const place p;
  const auto epoch = std::make_shared<std::atomic<std::uint64_t>>(0);
  node n{p.settings()};
  const auto maker = [&](caf::actor_system& sys) { return singleton_actor{sys.spawn(keep, epoch)}; };
  CHECK_THAT(refusal([&] { with_lease(n, "clock", {}); }), Contains("lease `clock`") && Contains("is empty"));
  CHECK_THAT(refusal([&] { with_lease(n, "a b", maker); }), Contains("lease `a b` must be"));
  CHECK_THAT(refusal([&] { with_lease(n, "supervisor", maker); }), Contains("and not `supervisor`"));
  with_lease(n, "clock", maker);
  CHECK_THAT(refusal([&] { with_lease(n, "clock", maker); }), Contains("two of that name"));
  with_lease(n, "none", [](auto&) { return singleton_actor{}; });
  with_lease(n, "throws", [](auto&) -> singleton_actor { throw std::runtime_error{"no room"}; });
  n.start();
  CHECK(tests::comes_true([&] { return *epoch > 0; }));
  CHECK(p.says("lease none: its function made no actor"));
  CHECK(p.says("lease throws: its function threw: no room"));
}

TEST_CASE("a call that waits in another thread ends when the node stops") {
  const place p;
  node n{p.settings()};
  n.add_workflow(one_step("nobody", "nobody_there"));
  n.start();
  const auto task = n.submit("nobody", "{}");
  auto waiting = std::async(std::launch::async, [&] { return n.wait(task.id, hang); });
  n.stop();
  CHECK_THROWS_AS(waiting.get(), client_error);
}
