// What `steadfast simulate` adds to simulated clusters: services as people declare them, many processes, and the report.

#include "apps/simulate_report.hpp"
#include "runtime/config_error.hpp"
#include "runtime/simulation/causes.hpp"
#include "runtime/workflow_file.hpp"
#include "tests/support/fast_place.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <map>
#include <stdexcept>

using namespace steadfast;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using nlohmann::json;
using simulation::service_faults;
using tests::fast_place;
using tests::temp_folder;

namespace {

const std::string orders_file = std::string{STEADFAST_SOURCE_DIR} + "/config/workflows/order_processing.toml";

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
           "s.toml:3: agent.latency: \"soon\" is no range: write \"5ms-200ms\", or \"5ms\" for exactly that");
  expected(payment + "latency = \"2s-1s\"\n",
           "s.toml:3: agent.latency: \"2s-1s\" is no range: write \"5ms-200ms\", or \"5ms\" for exactly that");
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
  s.played.broken = {{12, 500, {"task-3 did not end: it is undoing"}, {}}, {30, 900, {"task-1 is lost"}, {}}};
  const auto text = apps::simulated_text(s, false, {});
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
