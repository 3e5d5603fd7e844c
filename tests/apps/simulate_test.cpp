// What `steadfast simulate` adds to simulated clusters: services as people declare them, many processes, and the
// report.

#include "apps/simulate/simulate_report.hpp"
#include "apps/simulate/simulate_requirements.hpp"
#include "apps/terminal/failure.hpp"
#include "runtime/configuration/workflow_file.hpp"
#include "runtime/toml/config_error.hpp"
#include "runtime/toml/toml_file.hpp"
#include "simulation/judge/causes.hpp"
#include "simulation/services/service_warnings.hpp"
#include "tests/support/fast_place.hpp"
#include "tests/support/processes/run_program.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

using namespace steadfast;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using nlohmann::json;
using simulation::service_faults;
using tests::fast_place;
using tests::temp_folder;

namespace {

const std::string shipped = std::string{STEADFAST_SOURCE_DIR} + "/config/workflows/";
const std::string orders_file = shipped + "order_processing.toml";

simulation::declared_services parsed_services(const std::string& text, const simulation::service_habits& usual = {}) {
  return simulation::parse_services(text, "s.toml", usual, {load_workflow(orders_file)});
}

std::vector<std::string> services_problems(const std::string& text) {
  try {
    parsed_services(text);
  } catch (const runtime::config_error& e) {
    return e.problems();
  }
  return {};
}

/// Nothing goes wrong but what the services file and the options say.
json simulate_orders(const std::string& services, const std::map<std::string, std::string>& options = {}) {
  const temp_folder folder;
  folder.write("services.toml", services);
  std::map<std::string, std::string> all = options;
  all.insert({{"--busy", "0"},
              {"--refused", "0"},
              {"--hung", "0"},
              {"--latency", "20ms"},
              {"--runs", "3"},
              {"--seed", "7"},
              {"--services", (folder.path() / "services.toml").string()}});
  std::vector<std::string> arguments{"simulate", orders_file, "--calm", "--json"};
  for (const auto& [name, value] : all)
    arguments.insert(arguments.end(), {name, value});
  const auto end = tests::run_program(STEADFAST_BINARY, arguments);
  INFO(end.err);
  REQUIRE(end.code == 0);
  return json::parse(end.out);
}

/// A workflow of ours, of which only what the services file says goes wrong.
json simulate_calmly(const std::string& workflow_file, const std::string& services) {
  const temp_folder folder;
  folder.write("services.toml", services);
  const auto end = tests::run_program(STEADFAST_BINARY,
                                      {"simulate", workflow_file, "--services",
                                       (folder.path() / "services.toml").string(), "--calm", "--json", "--busy", "0",
                                       "--refused", "0", "--hung", "0", "--runs", "1", "--seed", "7", "--tasks", "16"});
  INFO(end.out << end.err);
  REQUIRE(end.code == 0);
  auto all = json::parse(end.out);
  CHECK(all.at("tasks")
        == all.at("processed").get<int>() + all.at("undone").get<int>() + all.at("in_error").get<int>());
  REQUIRE(all.at("tasks") > 0);
  return all;
}

json step_of(const json& figures, const std::string& name) {
  for (const auto& s : figures.at("steps"))
    if (s.at("step") == name)
      return s;
  return {};
}

} // namespace

TEST_CASE("a services file says what is different from the usual, and only that") {
  simulation::service_habits usual;
  usual.latency_min = usual.latency_max = 7ms;
  usual.busy = 0.5;
  usual.refused = 0;
  const auto all = parsed_services("[[agent]]\nname = \"payment\"\nlatency = \"1s-2s\"\nrefused = 0.0005\nhung = 0\n"
                                   "result = { id = 1 }\n",
                                   usual);
  CHECK(all.usual.latency_max == 7ms);
  CHECK(all.usual.busy + all.usual.fails == service_faults::always / 2);
  REQUIRE(all.by_agent.size() == 1);
  const auto& payment = all.by_agent.at("payment");
  CHECK(payment.faults.latency_min == 1s);
  CHECK(payment.faults.latency_max == 2s);
  CHECK(payment.faults.refuses == 500);
  CHECK(payment.faults.hangs + payment.faults.goes_silent == 0);
  CHECK(payment.faults.busy + payment.faults.fails == service_faults::always / 2);
  CHECK(payment.result == R"({"id":1})");
}

TEST_CASE("mistakes in a services file are told with file, line, key and cure") {
  const auto expected = [](const std::string& text, const std::string& problem) {
    CHECK(services_problems(text) == std::vector<std::string>{problem});
  };
  const std::string payment = "[[agent]]\nname = \"payment\"\n";
  expected(payment + "bussy = 0.1\n", "s.toml:3: agent.bussy: unknown key; did you mean \"busy\"?");
  expected(payment + "busy = 2\n",
           "s.toml:3: agent.busy: must be a share of the calls from 0 to 1, such as 0.02 for 2 of 100");
  expected(payment + "latency = \"soon\"\n",
           "s.toml:3: agent.latency: \"soon\" is not a range: write \"5ms-200ms\", or \"5ms\" for exactly that");
  expected(payment + "latency = \"2s-1s\"\n",
           "s.toml:3: agent.latency: \"2s-1s\" is not a range: write \"5ms-200ms\", or \"5ms\" for exactly that");
  expected(payment + "busy = 0.6\nhung = 0.5\n",
           "s.toml:1: agent: busy, hung and refused are more than 1 together: all calls are 1");
  expected("[[agent]]\nname = \"paymnt\"\n",
           "s.toml:2: agent.name: no workflow here has an agent `paymnt`; did you mean `payment`?");
  expected("[[agent]]\nbusy = 0.1\n",
           "s.toml:1: agent.name: is missing: the agent of a workflow, such as name = \"payment\"");
  expected(payment + payment, "s.toml:4: agent.name: `payment` is above already: put both into one");
  expected("[[agent]]\nname = \"payment_undo\"\nrefused = 0.1\n",
           "s.toml:3: agent.refused: `payment_undo` carries out no step, it undoes: write undo_refused");
  expected(payment + "undo_refused = 0.1\n",
           "s.toml:3: agent.undo_refused: `payment` undoes nothing: give it to the agent of a compensation");
  expected("[[agent]]\nname = \"payment_probe\"\nresult = 1\n",
           "s.toml:3: agent.result: `payment_probe` carries out no "
           "step, so nobody reads its result: leave it out");
  expected(payment + "lies = 0.1\n",
           "s.toml:3: agent.lies: `payment` is asked by no step whether it happened: give it to the agent of a probe");
  expected("[[agent]]\nname = \"payment_undo\"\nidempotent = false\n",
           "s.toml:3: agent.idempotent: `payment_undo` carries out no step: leave it out");
  expected(payment + "result = 2026-01-01\n",
           "s.toml:3: agent.result: must be a value that JSON can say, such as { order = \"o-1\" }");
  expected("[agent]\n", "s.toml:1: agent: must be a list of tables: write [[agent]] above each");
}

TEST_CASE("each service behaves as it is declared, and the report counts what became of it") {
  const auto all = simulate_orders("[[agent]]\nname = \"stock\"\nrefused = 1.0\n"
                                   "[[agent]]\nname = \"orders\"\nlatency = \"300ms\"\n");
  const auto tasks = all.at("tasks").get<int>();
  REQUIRE(tasks > 3);
  CHECK(all.at("undone") == tasks);
  CHECK(all.at("undo_ran_because")
        == json{{{"workflow", "order_processing"},
                 {"cause", "step `reserve_stock` failed for good: refused"},
                 {"tasks", tasks}}});
  CHECK(all.at("in_error_because").empty());
  CHECK(all.at("took_ms").at("p50") >= 320);
  const auto stock = step_of(all, "reserve_stock");
  CHECK(stock.at("calls") == tasks);
  CHECK(stock.at("failed_for_good") == tasks);
  CHECK(stock.at("undone") == 0);
  const auto order = step_of(all, "store_order");
  CHECK(order.at("failed_for_good") == 0);
  CHECK(order.at("undone") == tasks);
  CHECK(step_of(all, "book_shipping").at("calls") == 0);
}

TEST_CASE("an undo that is refused leaves its task to a person, and one such task is told") {
  const auto all = simulate_orders("[[agent]]\nname = \"shipping\"\nrefused = 1\n"
                                   "[[agent]]\nname = \"payment_undo\"\nundo_refused = 1\n");
  const auto tasks = all.at("tasks").get<int>();
  CHECK(all.at("in_error") == tasks);
  REQUIRE(all.at("in_error_because").size() == 1);
  const auto& reason = all.at("in_error_because").at(0);
  CHECK(reason.at("cause") == "undo of step `charge_payment` failed: cannot be undone");
  CHECK(reason.at("tasks") == tasks);
  CHECK(reason.at("story").at("process_state") == "error");
  CHECK(reason.at("story").at("steps").at(1).at("state") == "compensation_failed");
  CHECK(step_of(all, "charge_payment").at("undo_failed") == tasks);
  CHECK(all.at("undo_ran_because").at(0).at("tasks") == tasks);
}

TEST_CASE("a service that is busy or hangs is called again") {
  const auto all = simulate_orders("[[agent]]\nname = \"stock\"\nbusy = 0.3\nhung = 0.2\n", {{"--runs", "20"}});
  const auto stock = step_of(all, "reserve_stock");
  const auto calls = stock.at("calls").get<double>();
  CHECK(calls > 1.3 * stock.at("tasks").get<double>());
  CHECK(stock.at("failed_for_now").get<double>() / calls == Approx(0.3).margin(0.1));
  CHECK(stock.at("not_answered").get<double>() / calls == Approx(0.2).margin(0.1));
  CHECK(stock.at("calls_of_a_task_max") > 2);
}

TEST_CASE("a service that acts again when it is called again is told of: by a warning before, by doubled tasks after") {
  const auto all = simulate_orders("[[agent]]\nname = \"stock\"\nbusy = 0.4\nidempotent = false\n", {{"--runs", "20"}});
  const auto stock = step_of(all, "reserve_stock");
  CHECK(all.at("doubled") == stock.at("doubled"));
  CHECK(stock.at("doubled") > 0);
  CHECK(step_of(all, "store_order").at("doubled") == 0);
  CHECK(all.at("missing") == 0);
  CHECK(all.at("broken").empty());
  REQUIRE(all.at("warnings").size() == 1);
  CHECK_THAT(all.at("warnings").at(0).get<std::string>(),
             Contains("step `reserve_stock` of order_processing: `stock` acts each time that it is called"));
}

TEST_CASE("probes that lie leave undone tasks in place, and processed ones without what they stand for") {
  const std::string lying =
    "[[agent]]\nname = \"payment\"\nhung = 0.5\n[[agent]]\nname = \"payment_probe\"\nlies = 1\n";
  const auto all = simulate_orders(lying + "[[agent]]\nname = \"shipping\"\nrefused = 0.5\n", {{"--runs", "20"}});
  const auto payment = step_of(all, "charge_payment");
  CHECK(payment.at("left_though_undone") > 0);
  CHECK(payment.at("missing") > 0);
  CHECK(all.at("missing") == payment.at("missing"));
  CHECK(all.at("residue") >= payment.at("left_though_undone"));
  CHECK(all.at("broken").empty());
}

TEST_CASE("what takes place after its undo stays in place, and a grace that is too short for it is warned of") {
  const auto late = [](const std::string& more) {
    const temp_folder folder;
    folder.write("w.toml", "name = \"w\"\n[[step]]\nname = \"pay\"\nagent = \"bank\"\ncomplete_by = \"1s\"\n"
                           "retry = { attempts = 1 }\nthreshold = 1\ncool_off = { count = 0 }\n"
                           "compensation = { agent = \"bank_undo\" }\n");
    folder.write("s.toml", "[[agent]]\nname = \"bank\"\nhung = 1\nbusy = 0\nrefused = 0\nlate = \"10m\"\n" + more);
    const auto end =
      tests::run_program(STEADFAST_BINARY, {"simulate", (folder.path() / "w.toml").string(), "--services",
                                            (folder.path() / "s.toml").string(), "--calm", "--json", "--runs", "5",
                                            "--seed", "7", "--busy", "0", "--hung", "0"});
    INFO(end.err);
    REQUIRE(end.code == 0);
    return json::parse(end.out);
  };
  const auto refused = late("");
  CHECK(refused.at("undone") > 0);
  CHECK(refused.at("residue") == 0);
  const auto taken = late("refuses_after_undo = false\n");
  CHECK(taken.at("residue") > 0);
  CHECK(taken.at("residue") == step_of(taken, "pay").at("left_though_undone"));
  CHECK(taken.at("broken").empty());
  CHECK(taken.at("warnings").dump().find("`bank` may act 10 min after complete_by") != std::string::npos);
}

TEST_CASE("workflows that wait for days are played until their waits are over, and not called broken") {
  for (const std::string name : {"paid_order", "onboarding"}) {
    const auto end = tests::run_program(
      STEADFAST_BINARY, {"simulate", shipped + name + ".toml", "--runs", "2", "--seed", "1", "--tasks", "4", "--json"});
    INFO(end.out << end.err);
    REQUIRE(end.code == 0);
    const auto all = json::parse(end.out);
    CHECK(all.at("processed") > 0);
    CHECK(all.at("undo_ran_because").dump().find("no value at") == std::string::npos);
  }
  const auto unpaid = simulate_calmly(shipped + "paid_order.toml", "[[event]]\nname = \"paid\"\nnever = 1.0\n");
  CHECK(unpaid.at("undone") == unpaid.at("tasks"));
  CHECK(unpaid.at("took_ms").at("p50") >= std::chrono::milliseconds{71h}.count());
  CHECK(step_of(unpaid, "ask_for_payment").at("undone") == unpaid.at("tasks"));
}

TEST_CASE("an order that a person returns, or whose items are missing, is undone with its payment") {
  const std::string refuses = "[[agent]]\nname = \"refuse\"\nrefused = 1.0\n";
  const std::string returns = "[[person]]\nrole = \"sales\"\nchoice = \"return\"\nnever = 0\n";
  const std::vector<std::string> all_ways{
    returns, "[[person]]\nrole = \"sales\"\nnever = 1.0\n",
    "[[person]]\nrole = \"sales\"\nchoice = \"ship\"\n[[agent]]\nname = \"carrier\"\nrefused = 1.0\n"};
  for (const auto& why : all_ways) {
    INFO(why);
    const auto all = simulate_calmly(shipped + "paid_order.toml", refuses + why);
    CHECK(all.at("undone") > 0);
    CHECK(all.at("residue") == 0);
    CHECK(step_of(all, "reserve").at("undone") > 0);
    CHECK(step_of(all, "ask_for_payment").at("undone") == step_of(all, "reserve").at("undone"));
    if (why == returns)
      CHECK(step_of(all, "returned").at("failed_for_good") > 0);
  }
}

TEST_CASE("a task that waits for a place of its key begins when the place is free, not when its deadline is near") {
  const auto end = tests::run_program(STEADFAST_BINARY, {"simulate", shipped + "statement.toml", "--runs", "1",
                                                         "--seed", "2", "--require", "longest>=1m,longest<1h"});
  INFO(end.out << end.err);
  CHECK(end.code == 0);
}

TEST_CASE("the answer no undoes the account, and a screening that does not answer is left to a person") {
  const temp_folder folder;
  auto text = runtime::read_text_file(shipped + "onboarding.toml");
  for (const std::string a_day : {"at_most = 144", "count = 144"}) { // each ten minutes; here it is less
    REQUIRE(text.find(a_day) != std::string::npos);
    text.replace(text.find(a_day), a_day.size(), a_day.substr(0, a_day.size() - 3) + "6");
  }
  folder.write("onboarding.toml", text);
  const auto file = (folder.path() / "onboarding.toml").string();
  const std::string refuses = "[[agent]]\nname = \"refuse\"\nrefused = 1.0\n";
  const auto no = simulate_calmly(file, refuses
                                          + "[[person]]\nrole = \"compliance\"\nchoice = \"no\"\nnever = 0\n"
                                            "[[agent]]\nname = \"screening\"\nresult = { state = \"open\" }\n");
  CHECK(no.at("undone") == no.at("tasks"));
  CHECK(step_of(no, "open_account").at("undone") == no.at("tasks"));
  CHECK(step_of(no, "screening").at("calls_of_a_task_max") == 6);
  CHECK(step_of(no, "refused").at("failed_for_good") == no.at("tasks"));
  const auto silent = simulate_calmly(file, refuses + "[[agent]]\nname = \"screening\"\nhung = 1.0\n");
  CHECK(silent.at("in_error") == silent.at("tasks"));
  CHECK(step_of(silent, "screening").at("calls_of_a_task_max") >= 7);
  CHECK(silent.at("took_ms").at("p50") >= std::chrono::milliseconds{1h}.count());
}

TEST_CASE("a services file says with what data events come, and what persons choose") {
  const temp_folder folder;
  folder.write("w.toml", "name = \"w\"\n[[step]]\nname = \"paid\"\nwait = { event = \"paid\", limit = \"1h\" }\n"
                         "[[step]]\nname = \"ask\"\nagent = \"person\"\nrole = \"sales\"\nquestion = \"May it go?\"\n"
                         "limit = \"1h\"\n"
                         "[[step]]\nname = \"dear\"\nagent = \"x\"\ninput = { id = \"paid:/id\" }\n"
                         "when = { step = \"paid\", pointer = \"/euros\", above = 10 }\n"
                         "[[step]]\nname = \"no\"\nagent = \"x\"\ninput = { id = \"paid:/id\" }\n"
                         "when = { step = \"ask\", pointer = \"/choice\", equals = \"no\" }\n");
  const auto file = (folder.path() / "w.toml").string();
  const auto calls = [&](const std::string& data, const std::string& choice) {
    const auto all = simulate_calmly(file, "[[event]]\nname = \"paid\"\nnever = 0\nafter = \"2s\"\n" + data
                                             + "[[person]]\nrole = \"sales\"\nnever = 0\n" + choice);
    CHECK(all.at("processed") == all.at("tasks"));
    const auto tasks = all.at("tasks").get<int>();
    return std::pair{step_of(all, "dear").at("calls").get<int>() * 2 / tasks,
                     step_of(all, "no").at("calls").get<int>() * 2 / tasks};
  };
  CHECK(calls("data = { id = 7, euros = 11 }\n", "choice = \"yes\"\n") == std::pair{2, 0});
  CHECK(calls("data = { id = 7, euros = 10 }\n", "choice = \"no\"\n") == std::pair{0, 2});
  calls("", ""); // there is a value wherever the workflow looks for one
  const auto wrong = [&](const std::string& text) {
    try {
      simulation::parse_services(text, "s.toml", {}, {load_workflow(file)});
    } catch (const runtime::config_error& e) {
      return e.problems().at(0);
    }
    return std::string{};
  };
  CHECK(wrong("[[event]]\nname = \"payed\"\n") == "s.toml:2: event.name: no step here waits for an event `payed`");
  CHECK(wrong("[[event]]\nname = \"paid\"\nafter = \"soon\"\n")
        == "s.toml:3: event.after: \"soon\" is not a range: write \"5ms-200ms\", or \"5ms\" for exactly that");
  CHECK(wrong("[[event]]\nname = \"paid\"\nnever = 2\n")
        == "s.toml:3: event.never: must be a share from 0 to 1, such as 0.02 for 2 of 100");
  CHECK(wrong("[[person]]\nrole = \"boss\"\n")
        == "s.toml:2: person.role: no step here asks a person of the role `boss`");
  CHECK(wrong("[[person]]\nrole = \"sales\"\nchoice = \"maybe\"\n")
        == "s.toml:3: person.choice: `maybe` is none of the choices that the role has");
}

TEST_CASE("steps that only wait have nothing to undo, and are not told as steps without compensation") {
  apps::simulated s;
  s.workflows = {load_workflow(shipped + "onboarding.toml"), load_workflow(shipped + "paid_order.toml")};
  s.runs_wanted = s.played.runs = 30;
  const auto text = apps::simulated_text(s, false, {});
  CHECK_THAT(text, Contains("step `screening` of onboarding: stayed in place"));
  for (const auto* waits :
       {"account_opens", "decision", "office_hours", "a_day_later", "payment", "approval", "ship"}) {
    INFO(waits);
    CHECK_THAT(text, !Contains("step `" + std::string{waits} + "` of"));
  }
}

TEST_CASE("what cannot go well with the declared services is warned of, with figures and a cure") {
  const auto warned = [](const std::string& workflow, const std::string& services) {
    const temp_folder folder;
    folder.write("w.toml", workflow);
    const std::vector workflows{load_workflow(folder.path() / "w.toml")};
    return simulation::warnings_of(workflows, simulation::parse_services(services, "s.toml", {}, workflows));
  };
  const std::string step = "name = \"w\"\n[[step]]\nname = \"pay\"\nagent = \"bank\"\ncomplete_by = \"1s\"\n";
  const std::string bank = "[[agent]]\nname = \"bank\"\n";
  CHECK(
    warned(step, bank + "latency = \"1500ms-4s\"\n")
    == std::vector<std::string>{
      "step `pay` of w: complete_by 1 s is below the latency that you declared for `bank`, 1.5 s to 4 s: no call is "
      "answered in time; raise complete_by"});
  CHECK_THAT(warned(step, bank + "latency = \"500ms-2500ms\"\n").at(0), Contains("at most 25 % of the calls"));
  CHECK(warned(step, bank + "latency = \"1ms-900ms\"\n").empty());
  CHECK(warned(step, bank + "idempotent = false\n").size() == 1);
  CHECK(
    warned(step + "retry = { attempts = 1 }\nthreshold = 1\ncool_off = { count = 0 }\n", bank + "idempotent = false\n")
      .empty());
  CHECK_THAT(
    warned("deadline = \"6s\"\nundo_reserve = \"5s\"\n" + step + "[[step]]\nname = \"ship\"\nagent = \"bank\"\n",
           bank + "latency = \"900ms-950ms\"\n")
      .at(0),
    Contains("deadline of w: its steps have 1 s without the undo_reserve, and need 1.8 s"));
}

TEST_CASE("requirements are read with what is wrong in them, and checked against the figures") {
  simulation::run_result all;
  all.tasks = 200;
  all.processed = 189;
  all.undone = 11;
  all.residue = 1;
  all.took[workflow::process_state::processed].add(2500ms, 200);
  const auto is_met = [&](const std::string& text) {
    const auto r = apps::requirements_of(text);
    REQUIRE(r.size() == 1);
    return apps::result_of(r.front(), all).is_met;
  };
  CHECK(is_met("processed>=94.5%"));
  CHECK_FALSE(is_met("processed>=95%"));
  CHECK(is_met("processed=189"));
  CHECK_FALSE(is_met("undone<11"));
  CHECK(is_met("undone<=11"));
  CHECK_FALSE(is_met("residue=0"));
  CHECK(is_met("error=0"));
  CHECK(is_met("missing<1"));
  CHECK(is_met("p99<=2500ms"));
  CHECK_FALSE(is_met("longest<2s"));
  CHECK(apps::requirements_of("processed>=95%,residue=0").size() == 2);
  CHECK(apps::result_of(apps::requirements_of("processed>90%").front(), all).is == "94.50 %");

  const auto refusal = [](const std::string& text) -> std::string {
    try {
      apps::requirements_of(text);
    } catch (const apps::failure& e) {
      CHECK(e.code() == apps::wrong_usage);
      return e.what();
    }
    return "none";
  };
  CHECK(refusal("procesed>=1") == "--require: `procesed>=1` names no figure; did you mean `processed`?");
  CHECK_THAT(refusal(""), Contains("there are processed, undone"));
  CHECK_THAT(refusal("residue"), Contains("says nothing of it: write residue<=5%"));
  CHECK_THAT(refusal("residue=some"), Contains("needs a number of tasks"));
  CHECK_THAT(refusal("residue<=101%"), Contains("needs a number of tasks"));
  CHECK_THAT(refusal("p99<=5"), Contains("needs a length of time"));
}

TEST_CASE("simulate is a gate: the exit code tells whether what was required came of it") {
  const auto run = [](const std::string& required, const std::string& refused) {
    return tests::run_program(STEADFAST_BINARY,
                              {"simulate", orders_file, "--runs", "2", "--seed", "3", "--calm", "--refused", refused,
                               "--hung", "0", "--busy", "0", "--require", required});
  };
  const auto good = run("undone=0,residue=0", "0");
  CHECK(good.code == 0);
  CHECK_THAT(good.out, Contains("required          undone=0: met, it is 0\n"));
  const auto bad = run("processed>=95%", "1");
  CHECK(bad.code == 1);
  CHECK_THAT(bad.out, Contains("processed>=95%: NOT MET, it is 0.00 %\n"));
  CHECK(run("sold=1", "0").code == 64);
}

TEST_CASE("several processes play the same as one") {
  auto one = simulate_orders("", {{"--jobs", "1"}, {"--refused", "0.1"}, {"--undo-refused", "0.1"}, {"--runs", "7"}});
  auto three = simulate_orders("", {{"--jobs", "3"}, {"--refused", "0.1"}, {"--undo-refused", "0.1"}, {"--runs", "7"}});
  CHECK(three.at("jobs") == 3);
  for (const char* key : {"seconds", "jobs"}) {
    one.erase(key);
    three.erase(key);
  }
  CHECK(one == three);
  CHECK(one.at("undone") > 0);
}

TEST_CASE("a process that cannot play tells why, and of which seed") {
  const temp_folder folder{fast_place()};
  simulation::batch b;
  b.first_seed = 40;
  b.runs = 10;
  b.jobs = 2;
  b.folder = folder.path();
  b.is_over = [] { return false; };
  b.play = [](std::uint64_t seed, const auto&) -> simulation::run_result {
    if (seed == 44)
      throw std::runtime_error{"the disk is full"};
    return {};
  };
  CHECK_THROWS_WITH(simulation::play_all(b), "seed 44: the disk is full");
  b.play = [](std::uint64_t seed, const auto&) -> simulation::run_result {
    if (seed == 45)
      _exit(7);
    return {};
  };
  CHECK_THROWS_WITH(simulation::play_all(b), Contains("died at seed 45"));
}

TEST_CASE("broken runs of all processes are told, the shortest first") {
  const temp_folder folder{fast_place()};
  simulation::batch b;
  b.runs = 9;
  b.jobs = 3;
  b.folder = folder.path();
  b.is_over = [] { return false; };
  b.play = [](std::uint64_t seed, const auto&) {
    simulation::run_result r;
    r.tasks = 2;
    r.steps = 100 - seed;
    if (seed % 4 == 0)
      r.violations = {"task-1 of " + std::to_string(seed)};
    return r;
  };
  const auto all = simulation::play_all(b);
  CHECK(all.runs == 9);
  CHECK(all.all.tasks == 18);
  REQUIRE(all.broken.size() == 2);
  CHECK(all.broken[0].seed == 8);
  CHECK(all.broken[0].violations == std::vector<std::string>{"task-1 of 8"});
  CHECK(all.broken[1].seed == 4);
}

TEST_CASE("lengths of time are kept to three digits, and counted by their shares") {
  simulation::durations d;
  CHECK(d.percentile(99) == 0ms);
  for (int i = 1; i <= 100; ++i)
    d.add(workflow::span{i});
  CHECK(d.percentile(50) == 50ms);
  CHECK(d.percentile(99) == 99ms);
  CHECK(d.percentile(100) == 100ms);
  d.add(workflow::span{1234567});
  CHECK(d.percentile(100) == 1230000ms);
  CHECK(d.count() == 101);
}

TEST_CASE("causes that differ in numbers only are one") {
  CHECK(simulation::without_numbers("step `s12` was lost 21 times in 3 s") == "step `s12` was lost N times in N s");
}

TEST_CASE("a broken promise is told with the shortest story and how to play it again") {
  apps::simulated s;
  s.workflows = {load_workflow(orders_file)};
  s.first_seed = 11;
  s.runs_wanted = s.played.runs = 30;
  const auto story = R"({"id": "task-3", "process_state": "undoing", "submitted_at": "2026-01-01T00:00:05.000Z",
    "ended_at": null, "steps": [{"name": "pay", "state": "waiting", "log": [{"attempt": 1, "action": "do",
    "started_at": "2026-01-01T00:00:09.000Z", "ended_at": null, "outcome": "open"}]}]})";
  s.played.broken = {{12, 500, {"task-3 did not end: it is undoing"}, {story}}, {30, 900, {"task-1 is lost"}, {}}};
  const auto text = apps::simulated_text(s, false, {});
  CHECK_THAT(text, Contains("(4.0 s ago)")); // it has not ended: as of what it knows of last
  CHECK_THAT(text, Contains("BROKEN in 2 clusters; the shortest is of seed 12:\n"));
  CHECK_THAT(text, Contains("task-3 did not end: it is undoing\n"));
  CHECK_THAT(text, Contains("--runs 1 --seed 12 with the same files and options plays it again"));
  CHECK_THAT(text, !Contains("task-1 is lost"));
  CHECK_THAT(text, !Contains("held in"));
}

TEST_CASE("the report fits the terminal") {
  apps::simulated s;
  s.workflows = {load_workflow(orders_file)};
  s.runs_wanted = s.played.runs = 10'000;
  auto& all = s.played.all;
  all.tasks = all.processed = 12'345'678;
  all.in_error = 9'876;
  all.took[workflow::process_state::processed].add(123min, 12'345'678);
  for (const auto& step : s.workflows[0].steps)
    all.by_step[{"order_processing", step.name}] = {1'000'000, 1'234'567, 99, 1'234'000, 200'000,
                                                    100'000,   99'999,    99, 0};
  all.undo_for[{"order_processing", "step `book_shipping` used up its attempts: no answer by its complete-by"}].tasks =
    7;
  const auto width = GENERATE(std::size_t{80}, std::size_t{120});
  const auto text = apps::simulated_text(s, false, {true, false, width, 40});
  CAPTURE(text);
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
    CHECK(apps::columns_of(text.substr(at, text.find('\n', at) - at)) <= width);
}
