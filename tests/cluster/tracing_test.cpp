// Traces of a real node: taken in, handed to agents, told to a collector, which may be away.

#include "runtime/text/address.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/processes/node_process.hpp"
#include "tests/support/processes/receiver.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <string>
#include <vector>

using namespace steadfast::tests;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

constexpr const char* caller = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const std::string caller_trace = "0af7651916cd43dd8448eb211c80319c";

/// An agent whose result is the trace that it was handed.
constexpr const char* shell_agent = "[[agent]]\nname = \"shell\"\nprogram = \"/bin/sh\"\nallow_root = true\n"
                                    "arguments = [\"-c\", \"echo \\\"\\\\\\\"$TRACEPARENT\\\\\\\"\\\"\"]\n";

std::string http_agent(const receiver& service) {
  return "[[agent]]\nname = \"service\"\nurl = \"" + service.url() + "\"\n";
}

std::string tracing(const receiver& collector) {
  return "[tracing]\nurl = \"" + collector.url() + "\"\n";
}

void add_traced_workflow(const node_process& node) {
  node.folder().write("workflows/traced.toml",
                      "name = \"traced\"\n[[step]]\nname = \"tell\"\nagent = \"shell\"\n[[step]]\nname = \"call\"\n"
                      "agent = \"service\"\nretry = { attempts = 1 }\nthreshold = 1\ncool_off = { count = 0 }\n");
}

/// A node that also answers over HTTP.
std::string http_port(int port) {
  return "[http]\nlisten = \"127.0.0.1:" + std::to_string(port) + "\"\n";
}

bool put_task(int port, const std::string& id, const std::string& traceparent) {
  httplib::Client http{"127.0.0.1", port};
  const auto answer = http.Put(("/v1/tasks/" + id).c_str(), {{"traceparent", traceparent}},
                               R"({"workflow": "traced", "payload": {}})", "application/json");
  return answer && answer->status == 201;
}

json task_of(const node_process& node, const std::string& id) {
  return node.json_of({"task", "show", id, "--json"}).at(0);
}

/// All spans that the collector took, by name.
std::map<std::string, json> spans_at(const receiver& collector) {
  std::map<std::string, json> spans;
  for (const auto& d : collector.all())
    if (const auto body = json::parse(d.body); d.answered == 200)
      for (const auto& resource : body.at("resourceSpans"))
        for (const auto& scope : resource.at("scopeSpans"))
          for (const auto& span : scope.at("spans"))
            spans[span.at("name")] = span;
  return spans;
}

std::string attribute_of(const json& span, const std::string& name) {
  for (const auto& a : span.at("attributes"))
    if (a.at("key") == name)
      return a.at("value").at("stringValue");
  return {};
}

} // namespace

TEST_CASE("a trace is taken in, kept over a crash, handed to agents, and its spans are told to the collector") {
  receiver collector;
  receiver service;
  service.answer(503);
  const auto port = steadfast::runtime::free_ports(1).front();
  node_process node{STEADFAST_BINARY, tracing(collector) + http_port(port) + shell_agent + http_agent(service)
                                        + "retry = { attempts = 1000, initial = \"100ms\", cap = \"100ms\" }\n"};
  add_traced_workflow(node);
  node.start();
  REQUIRE(put_task(port, "a", caller));
  CHECK(comes_true([&] { return !service.all().empty(); }));
  node.kill();
  service.answer(200);
  node.start();
  CHECK(comes_true([&] { return task_of(node, "a").at("process_state") == "processed"; }));
  CHECK(comes_true([&] { return spans_at(collector).contains("task traced"); }));

  const auto spans = spans_at(collector);
  const auto& task = spans.at("task traced");
  CHECK(task.at("traceId") == caller_trace);
  CHECK(task.at("parentSpanId") == "b7ad6b7169203331");
  CHECK(task.at("status").at("code") == 1);
  CHECK(attribute_of(task, "steadfast.task") == "a");
  for (const auto* name : {"step tell", "step call"})
    CHECK(spans.at(name).at("parentSpanId") == task.at("spanId"));
  const auto& told = spans.at("do tell");
  CHECK(told.at("parentSpanId") == spans.at("step tell").at("spanId"));
  CHECK(told.at("kind") == 3);
  for (const auto& [name, span] : spans) {
    CHECK(span.at("traceId") == caller_trace);
    CHECK(span.at("startTimeUnixNano").get<std::string>() <= span.at("endTimeUnixNano").get<std::string>());
    CHECK(task.at("startTimeUnixNano").get<std::string>() <= span.at("startTimeUnixNano").get<std::string>());
  }
  // What agents are handed is the span of their attempt.
  const auto handed = "00-" + caller_trace + "-" + told.at("spanId").get<std::string>() + "-01";
  CHECK(task_of(node, "a").at("steps").at(0).at("result") == handed);
  const auto last = service.all().back().headers.find("traceparent")->second;
  CHECK(last == "00-" + caller_trace + "-" + spans.at("do call").at("spanId").get<std::string>() + "-01");
  CHECK_THAT(node.process().err(), Contains("trace_id=" + caller_trace));
}

TEST_CASE("a task without a caller begins a trace, a caller that wants no spans gets none, and a wrong one is none") {
  receiver collector;
  receiver service;
  const auto port = steadfast::runtime::free_ports(1).front();
  node_process node{STEADFAST_BINARY, tracing(collector) + http_port(port) + shell_agent + http_agent(service)};
  add_traced_workflow(node);
  node.start();
  REQUIRE(put_task(port, "unsampled", "00-" + caller_trace + "-b7ad6b7169203331-00"));
  REQUIRE(put_task(port, "wrong", "00-none"));
  for (const auto* id : {"unsampled", "wrong"})
    CHECK(comes_true([&] { return task_of(node, id).at("process_state") == "processed"; }));
  CHECK(comes_true([&] { return spans_at(collector).contains("task traced"); }));
  const auto task = spans_at(collector).at("task traced");
  CHECK(attribute_of(task, "steadfast.task") == "wrong");
  CHECK_FALSE(task.contains("parentSpanId"));
  CHECK_THAT(task_of(node, "unsampled").at("steps").at(0).at("result").get<std::string>(), Contains("-00"));
}

TEST_CASE("a collector that is away or slow delays nothing, and what it misses is counted") {
  receiver collector;
  const bool is_away = GENERATE(true, false);
  if (is_away)
    collector.go_away();
  else
    collector.answer(200, std::chrono::seconds{600});
  receiver service;
  const auto port = steadfast::runtime::free_ports(1).front();
  node_process node{STEADFAST_BINARY, tracing(collector) + http_port(port) + shell_agent + http_agent(service)};
  add_traced_workflow(node);
  node.start();
  REQUIRE(put_task(port, "a", caller));
  CHECK(comes_true([&] { return task_of(node, "a").at("process_state") == "processed"; }));
  CHECK(node.process().says("the collector of spans does not take them", hang_limit));
  httplib::Client http{"127.0.0.1", port};
  CHECK(comes_true([&] {
    return http.Get("/metrics")->body.find("steadfast_traced_tasks_total{outcome=\"dropped\"} 1") != std::string::npos;
  }));
  node.process().signal(SIGTERM);
  CHECK(node.process().wait(hang_limit) == 0);
}

TEST_CASE("a trace reaches the scheduler and the agents of other nodes") {
  receiver collector;
  receiver service;
  const auto ports = steadfast::runtime::free_ports(2);
  const auto address = "127.0.0.1:" + std::to_string(ports[0]);
  node_process store{STEADFAST_BINARY,
                     "[cluster]\nlisten = \"" + address + "\"\n" + tracing(collector) + http_port(ports[1])
                       + shell_agent + http_agent(service),
                     {},
                     "one"};
  const auto config = (store.folder().path() / "node.toml").string();
  std::ifstream in{config};
  const std::string text{std::istreambuf_iterator<char>{in}, {}};
  store.folder().write("node.toml", "roles = [\"store\", \"supervisor\", \"agents\"]\n" + text);
  add_traced_workflow(store);
  store.start();
  node_process scheduler{STEADFAST_BINARY, "", {}, "two"};
  scheduler.folder().write("node.toml", "name = \"two\"\nroles = [\"scheduler\"]\n[cluster]\njoin = \"" + address
                                          + "\"\n[control]\nsocket = \"control.sock\"\n" + tracing(collector));
  scheduler.start();
  REQUIRE(put_task(ports[1], "a", caller));
  CHECK(comes_true([&] { return task_of(store, "a").at("process_state") == "processed"; }));
  CHECK(comes_true([&] { return spans_at(collector).contains("task traced"); }));
  const auto spans = spans_at(collector);
  CHECK(spans.at("task traced").at("traceId") == caller_trace); // kept by the scheduler's writes
  CHECK(task_of(store, "a").at("steps").at(0).at("result")
        == "00-" + caller_trace + "-" + spans.at("do tell").at("spanId").get<std::string>() + "-01");
}
