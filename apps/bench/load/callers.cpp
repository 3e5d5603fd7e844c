#include "apps/bench/load/callers.hpp"

#include "api/names.hpp"
#include "apps/bench/figures/histogram.hpp"
#include "apps/bench/load/http_connection.hpp"
#include "steadfast/client.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

namespace steadfast::bench {
namespace {

namespace http = boost::beast::http;

/// What all connections share.
struct common {
  const call_plan& plan;
  steady::time_point until;
  std::atomic<std::uint64_t> next;
  std::mutex mutex{};
  histogram acknowledged{};
  histogram listed{};
  histogram scraped{};
  std::uint64_t pushed_back = 0;
};

/// Says whether it is in the store.
bool submit(client& node, common& c, std::uint64_t index) {
  const auto s = submission_of(c.plan.load, index);
  const auto begun = steady::now();
  try {
    submit_options o;
    o.id = s.id;
    node.submit(s.workflow, std::string{s.payload.view()}, o);
  } catch (const client_error& e) {
    if (e.why() != client_error::kind::busy)
      throw;
    const std::lock_guard lock{c.mutex};
    ++c.pushed_back;
    return false;
  }
  const std::lock_guard lock{c.mutex};
  c.acknowledged.add(steady::now() - begun);
  return true;
}

std::string body_of(const workflow::submission& s, bool has_id) {
  return (has_id ? R"({"id":")" + s.id + R"(",)" : "{") + R"("workflow":")" + s.workflow + R"(","payload":)"
         + std::string{s.payload.view()} + "}";
}

/// How many are in the store; the others were pushed back.
std::size_t submit_by_http(http_connection& node, common& c, std::uint64_t first) {
  const auto count = c.plan.batch;
  std::string body = R"({"tasks":[)";
  for (std::uint64_t i = first; i < first + count && count > 1; ++i)
    body += (i == first ? "" : ",") + body_of(submission_of(c.plan.load, i), true);
  body += "]}";
  const auto one = submission_of(c.plan.load, first);
  const auto begun = steady::now();
  const auto answer = count > 1 ? node.ask(http::verb::post, "/v1/tasks/batch", std::move(body))
                                : node.ask(http::verb::put, "/v1/tasks/" + one.id, body_of(one, false));
  const auto took = steady::now() - begun;
  std::size_t made = answer.result_int() == 201 ? 1 : 0;
  if (count > 1 && answer.result_int() == 200)
    for (auto at = answer.body().find("\"status\":201"); at != std::string::npos;
         at = answer.body().find("\"status\":201", at + 1))
      ++made;
  const std::lock_guard lock{c.mutex};
  for (std::size_t i = 0; i < made; ++i)
    c.acknowledged.add(took);
  c.pushed_back += count - made;
  return made;
}

void submit_all_by_http(common& c) {
  http_connection node{c.plan.http_port};
  while (steady::now() < c.until)
    if (submit_by_http(node, c, c.next.fetch_add(c.plan.batch)) < c.plan.batch)
      std::this_thread::sleep_for(std::chrono::milliseconds{100});
}

void submit_all(common& c) {
  if (c.plan.http_port != 0)
    return submit_all_by_http(c);
  client node{c.plan.socket};
  while (steady::now() < c.until)
    for (const auto index = c.next++; !submit(node, c, index) && steady::now() < c.until;)
      std::this_thread::sleep_for(std::chrono::milliseconds{100});
}

/// Asks so often until the end; `took` has how long each took since it was due.
template <class Ask>
void ask_at_rate(common& c, double per_second, histogram& took, Ask ask) {
  const std::chrono::duration<double> every{1 / per_second};
  for (auto due = steady::now(); due < c.until; due += std::chrono::duration_cast<steady::duration>(every)) {
    std::this_thread::sleep_until(due);
    ask();
    const std::lock_guard lock{c.mutex};
    took.add(steady::now() - due);
  }
}

void list_all(common& c) {
  client node{c.plan.socket};
  ask_at_rate(c, c.plan.lists_per_second, c.listed, [&] { node.call(api::task_list, {{"max", 100}}); });
}

void scrape_all(common& c) {
  http_connection node{c.plan.http_port};
  ask_at_rate(c, c.plan.scrapes_per_second, c.scraped, [&] { node.ask(http::verb::get, "/metrics"); });
}

} // namespace

nlohmann::json call_node(const call_plan& plan) {
  const auto begun = steady::now();
  common c{plan, begun + std::chrono::duration_cast<steady::duration>(std::chrono::duration<double>{plan.seconds}),
           plan.first};
  std::vector<std::future<void>> callers;
  callers.reserve(plan.connections + 2);
  for (std::uint32_t i = 0; i < plan.connections; ++i)
    callers.push_back(std::async(std::launch::async, [&c] { submit_all(c); }));
  if (plan.lists_per_second > 0)
    callers.push_back(std::async(std::launch::async, [&c] { list_all(c); }));
  if (plan.scrapes_per_second > 0)
    callers.push_back(std::async(std::launch::async, [&c] { scrape_all(c); }));
  for (auto& x : callers)
    x.get();
  const auto seconds = std::chrono::duration<double>(steady::now() - begun).count();
  return {{"seconds", seconds},
          {"submissions_per_second", static_cast<double>(c.acknowledged.count()) / seconds},
          {"acknowledged", c.acknowledged.count()},
          {"acknowledged_ms", c.acknowledged.json()},
          {"listed_ms", c.listed.json()},
          {"scraped_ms", c.scraped.json()},
          {"pushed_back", c.pushed_back}};
}

} // namespace steadfast::bench
