#include "apps/bench/targets.hpp"

#include "apps/bench/figures/process_figures.hpp"
#include "apps/bench/runs/gateway.hpp"
#include "apps/bench/runs/overload.hpp"
#include "apps/bench/runs/restart.hpp"
#include "apps/bench/runs/waits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace steadfast::bench {
namespace {

using nlohmann::json;

constexpr std::size_t repeated = 5;
constexpr std::size_t often_repeated = 15; ///< for a difference that is small compared with the noise
constexpr double long_load = 300;          ///< seconds

using figure = std::function<double(const json&)>;

/// By its path, such as "/acknowledged_ms/p99".
figure at(const char* path, double unit_size = 1) {
  return [path, unit_size](const json& m) { return m.at(json::json_pointer{path}).get<double>() / unit_size; };
}

double lost_or_left(const json& m) {
  double sum = 0;
  for (const char* what : {"lost", "unfinished", "unanswered", "refused"})
    sum += m.value(what, 0.0);
  return sum;
}

double seconds_to_recover(const json& m) {
  const auto back = m.at("rate_back_s").get<double>();
  return back < 0 ? std::numeric_limits<double>::max() : back;
}

target at_least(std::string what, std::string unit, double wanted, figure f) {
  return {std::move(what), std::move(unit), wanted, true, std::move(f)};
}

/// A target in which a slower machine may be slower.
target by_speed(target t, double disk_share) {
  t.disk_share = disk_share;
  return t;
}

/// Shares of the disk in what a task takes: tasks that share their syncs, and one that waits for each of its own.
constexpr double shared_syncs = 0.2;
constexpr double own_syncs = 0.7;

target at_most(std::string what, std::string unit, double wanted, figure f) {
  return {std::move(what), std::move(unit), wanted, false, std::move(f)};
}

scenario closed(std::string name, std::uint32_t in_flight) {
  scenario s;
  s.name = std::move(name);
  s.plan.in_flight = in_flight;
  return s;
}

scenario open(std::string name, double rate, double duration) {
  scenario s;
  s.name = std::move(name);
  s.plan.rate = rate;
  s.plan.warm_up = 0;
  s.plan.seconds = duration;
  return s;
}

// ---- measurements of several parts ----

/// The cost of a task while so many others wait: side by side, since it differs by less than two runs of the same do.
measurement backlog_curve() {
  return {"backlog", [](const std::filesystem::path& folder) {
            scenario one;
            one.plan.seconds = 8;
            std::vector<scenario> all;
            for (const auto waiting : {1'000U, 10'000U, 100'000U, 1'000'000U})
              all.push_back(with_backlog(one, waiting));
            const auto curve = measure_together(all, folder);
            const auto cost = at("/per_task/cpu_ms");
            return json{{"curve", curve}, {"times_dearer", cost(curve.back()) / cost(curve.front())}};
          }};
}

/// What a step costs in tasks of few and of many: side by side, as above.
measurement steps_curve() {
  return {"steps of a task", [](const std::filesystem::path& folder) {
            std::vector<scenario> all;
            for (const auto steps : {1U, 5U, 20U, 64U, 256U, 1'000U}) {
              auto s = closed(fmt::format("{} steps", steps), 16);
              s.load.steps = steps;
              s.plan.seconds = 8;
              all.push_back(std::move(s));
            }
            auto curve = json::array();
            for (auto& m : measure_together(all, folder)) {
              const double of_task = at("/per_task/cpu_ms")(m);
              m["step_cpu_us"] = 1000 * of_task / all[curve.size()].load.steps;
              curve.push_back(std::move(m));
            }
            const auto of_step = at("/step_cpu_us");
            return json{{"curve", curve}, {"times_dearer", of_step(curve.back()) / of_step(curve.at(1))}};
          }};
}

/// Two measurements one after the other, each first in turn.
class in_turn {
public:
  in_turn(scenario one, scenario other) : one_{std::move(one)}, other_{std::move(other)} {}

  std::pair<json, json> run(const std::filesystem::path& folder) {
    is_one_first_ = !is_one_first_;
    const auto of = [&](const scenario& s, const char* place) {
      std::filesystem::create_directory(folder / place);
      return measure(s, folder / place);
    };
    auto first = of(is_one_first_ ? one_ : other_, "first");
    auto second = of(is_one_first_ ? other_ : one_, "second");
    return is_one_first_ ? std::pair{std::move(first), std::move(second)}
                         : std::pair{std::move(second), std::move(first)};
  }

private:
  scenario one_;
  scenario other_;
  bool is_one_first_ = true;
};

/// How much slower tasks are while a person lists them ten times a second. The speed of two short runs differs by more,
/// so there are many.
measurement listing_under_load() {
  auto with = closed("256 in flight, ten lists a second", 256);
  with.lists_per_second = 10;
  with.plan.seconds = 2;
  auto without = with;
  without.name = "256 in flight";
  without.lists_per_second = 0;
  return {
    "task list under load", [both = in_turn{with, without}](const std::filesystem::path& folder) mutable {
      const auto [listed, alone] = both.run(folder);
      const auto speed = at("/tasks_per_second");
      return json{{"without", alone}, {"with", listed}, {"slower_percent", 100 * (1 - speed(listed) / speed(alone))}};
    }};
}

/// How much dearer a task is in a node whose metrics are asked for once a second more than in another. One question a
/// second is less than two nodes of the same kind differ by, so it is asked many, of two nodes at the same time.
measurement cost_of_metrics() {
  constexpr double more = 20;
  auto seldom = closed("256 in flight, metrics each second", 256);
  seldom.plan.seconds = 6;
  seldom.scrapes_per_second = 1;
  auto often = seldom;
  often.scrapes_per_second += more;
  often.name = fmt::format("256 in flight, metrics {} times a second", often.scrapes_per_second);
  return {"metrics under load", [seldom, often](const std::filesystem::path& folder) {
            const auto both = measure_together({often, seldom}, folder);
            const auto cost = at("/per_task/cpu_ms");
            return json{{"often", both[0]},
                        {"seldom", both[1]},
                        {"dearer_percent", 100 * (cost(both[0]) / cost(both[1]) - 1) / more}};
          }};
}

/// CPU of the node for a task of five calls, and for one of five functions.
measurement agents_over_http(agent_place place, const std::string& protocol) {
  const auto functions = closed("closed loop, 256 in flight", 256);
  auto http = functions;
  http.name = "closed loop, 256 in flight, agents over " + protocol;
  http.agents = place;
  return {http.name, [both = in_turn{http, functions}](const std::filesystem::path& folder) mutable {
            auto [calls, none] = both.run(folder);
            calls["times_dearer"] = at("/per_task/node_cpu_ms")(calls) / at("/per_task/cpu_ms")(none);
            calls["functions"] = std::move(none);
            return calls;
          }};
}

/// Tasks of 64 steps beside those of five: how many of them a machine does differs by more from hour to hour than what
/// a step costs in the two.
measurement many_steps() {
  auto many = closed("closed loop, 256 in flight, 64 steps", 256);
  many.load.steps = 64;
  const auto five = closed("closed loop, 256 in flight, 5 steps", 256);
  return {many.name, [both = in_turn{many, five}](const std::filesystem::path& folder) mutable {
            const auto [of_many, of_five] = both.run(folder);
            const auto speed = at("/tasks_per_second");
            auto found = of_many;
            found["of_five_steps"] = of_five;
            found["times_the_steps"] = 64 * speed(of_many) / (5 * speed(of_five));
            return found;
          }};
}

/// The speed between nodes with certificates, as a share of that without.
measurement certificates_between_nodes() {
  auto plain = closed("agents and clients in other processes over CAF", 256);
  plain.agents = agent_place::node;
  plain.client = client_place::node;
  auto certified = plain;
  certified.name += ", certificates";
  certified.certificates = true;
  return {"certificates between nodes",
          [both = in_turn{certified, plain}](const std::filesystem::path& folder) mutable {
            const auto [with, without] = both.run(folder);
            const auto speed = at("/tasks_per_second");
            return json{{"without", without}, {"with", with}, {"ratio", speed(with) / speed(without)}};
          }};
}

// ---- the list ----

std::vector<target_group> closed_loops() {
  auto failing = closed("closed loop, 256 in flight, step 4 fails and three are undone", 256);
  failing.load.fail_step = 4;
  return {
    {measurement_of(closed("closed loop, 4096 in flight", 4096)),
     repeated,
     {by_speed(at_least("closed loop, 4096 in flight", "tasks/s", 20'000, at("/tasks_per_second")), shared_syncs)}},
    {measurement_of(closed("closed loop, 256 in flight", 256)),
     repeated,
     {by_speed(at_least("closed loop, 256 in flight", "tasks/s", 15'000, at("/tasks_per_second")), shared_syncs),
      by_speed(at_most("  processor time", "ms a task", 0.1, at("/per_task/cpu_ms")), 0),
      at_most("  written to disk", "bytes a task", 3000, at("/per_task/bytes_written"))}},
    {measurement_of(failing),
     repeated,
     {by_speed(at_least("closed loop, 256 in flight, three undone", "tasks/s", 8000, at("/tasks_per_second")),
               shared_syncs)}},
    {many_steps(),
     repeated,
     {by_speed(at_least("closed loop, 256 in flight, 64 steps", "tasks/s", 2500, at("/tasks_per_second")),
               shared_syncs),
      at_least("  steps a second, against tasks of five", "times as many", 0.95, at("/times_the_steps"))}},
    {measurement_of(closed("closed loop, 1 in flight", 1)),
     repeated,
     {by_speed(at_most("one task alone, p50 until it is done", "ms", 3, at("/completed_ms/p50")), own_syncs),
      at_most("  synced commits", "a task", 7.05, at("/per_task/synced_commits"))}},
  };
}

std::vector<target_group> open_loops(double duration) {
  const auto minutes = fmt::format("10,000 submissions/s for {:.0f} s", duration);
  return {
    {measurement_of(open("open loop, " + minutes, 10'000, duration)),
     1,
     {at_least(minutes + ", done meanwhile", "tasks/s", 9900, at("/tasks_per_second")),
      by_speed(at_most("  acknowledged, p99", "ms", 50, at("/acknowledged_ms/p99")), shared_syncs),
      at_most("  lost or left", "tasks", 0, lost_or_left)}},
    {measurement_of(open("open loop, burst of 50,000 submissions/s for 10 s", 50'000, 10)),
     1,
     {by_speed(at_most("50,000 submissions/s for 10 s, acknowledged, p99", "ms", 500, at("/acknowledged_ms/p99")),
               shared_syncs),
      at_most("  lost, or left two minutes later", "tasks", 0, lost_or_left)}},
  };
}

std::vector<target_group> between_processes() {
  auto agents = closed("closed loop, 256 in flight, agents on another node over CAF", 256);
  agents.agents = agent_place::node;
  auto client = closed("submissions from another process over CAF, 256 on their way", 256);
  client.client = client_place::node;
  auto socket = closed("submissions from another process at the socket, 64 connections", 64);
  socket.client = client_place::socket;
  socket.connections = 64;
  auto requests = closed("submissions from another process over HTTP, 64 connections", 64);
  requests.client = client_place::http;
  requests.connections = 64;
  auto only_stored = requests;
  only_stored.name = "submissions from another process over HTTP, 64 connections, no scheduler";
  only_stored.is_only_stored = true;
  auto batches = requests;
  batches.name = "submissions from another process over HTTP, 16 connections, 100 a request";
  batches.connections = 16;
  batches.batch = 100;
  auto request = requests;
  request.name = "submissions from another process over HTTP, one connection";
  request.connections = 1;
  return {
    {agents_over_http(agent_place::http, "HTTP"),
     repeated,
     {by_speed(at_least("agents over HTTP, five calls a task", "tasks/s", 3000, at("/tasks_per_second")), shared_syncs),
      at_most("  a task of five calls, against one of functions", "times the CPU", 2.5, at("/times_dearer"))}},
    {agents_over_http(agent_place::https, "HTTPS"),
     repeated,
     {at_most("agents over HTTPS, a task of five calls, against one of functions", "times the CPU", 5,
              at("/times_dearer"))}},
    {measurement_of(agents),
     repeated,
     {by_speed(at_least("agents on another node over CAF", "tasks/s", 8000, at("/tasks_per_second")), shared_syncs)}},
    {measurement_of(client),
     repeated,
     {by_speed(at_least("client in another process over CAF", "submissions/s", 10'000, at("/submissions_per_second")),
               shared_syncs)}},
    {measurement_of(socket),
     repeated,
     {by_speed(
       at_least("client in another process at the socket", "submissions/s", 10'000, at("/submissions_per_second")),
       shared_syncs)}},
    {measurement_of(only_stored),
     repeated,
     {by_speed(at_least("client over HTTP, 64 connections", "submissions/s", 15'000, at("/submissions_per_second")),
               shared_syncs),
      at_most("  acknowledged and lost", "tasks", 0, at("/lost"))}},
    {measurement_of(requests),
     repeated,
     {by_speed(at_least("client over HTTP, 64 connections, the tasks run meanwhile", "submissions/s", 10'000,
                        at("/submissions_per_second")),
               shared_syncs)}},
    {measurement_of(batches),
     repeated,
     {by_speed(at_least("client over HTTP, 100 in a request", "submissions/s", 25'000, at("/submissions_per_second")),
               shared_syncs)}},
    {measurement_of(request),
     repeated,
     {by_speed(at_most("client over HTTP alone, p50", "ms", 2, at("/acknowledged_ms/p50")), shared_syncs)}},
    {certificates_between_nodes(),
     repeated,
     {at_least("with certificates between nodes, against without", "times the tasks/s", 0.8, at("/ratio"))}},
  };
}

std::vector<target_group> http_port() {
  const auto flood = [](const std::filesystem::path& folder) { return measure_flood(folder, 100'000); };
  const auto followers = [](const std::filesystem::path& folder) { return measure_followers(folder, 2000); };
  const auto followers_of_all = [](const std::filesystem::path& folder) {
    return measure_followers_of_all(folder, 100);
  };
  return {
    {{"HTTP port at rest", measure_idle_gateway},
     repeated,
     {at_most("HTTP port at rest, memory", "MiB", 3, at("/more", mebibyte))}},
    {{"HTTP port, 100,000 submissions/s offered", flood},
     1,
     {at_least("100,000 submissions/s offered over HTTP, offered", "submissions/s", 90'000, at("/offered_per_second")),
      at_most("  acknowledged and lost, or never answered", "tasks", 0,
              [](const json& m) { return m.at("lost").get<double>() + m.at("unanswered").get<double>(); }),
      at_most("  pushed back without Retry-After", "submissions", 0, at("/without_retry_after")),
      by_speed(at_most("  /health/live meanwhile, p99", "ms", 50, at("/live_ms/p99")), 0)}},
    {{"HTTP port, 2,000 followers of 1,000 events/s", followers},
     1,
     {at_least("2,000 event streams, events", "events/s", 950, at("/events_per_second")),
      at_most("  missed, repeated or out of order", "events", 0,
              [](const json& m) { return m.at("missed").get<double>() + m.at("repeated").get<double>(); }),
      by_speed(at_most("  arrived after the commit, p99", "ms", 500, at("/arrived_ms/p99")), 0)}},
    {{"HTTP port, 100 followers of all tasks", followers_of_all},
     1,
     {at_least("100 followers of all tasks, events", "events/s", 50'000, at("/events_per_second")),
      at_most("  missed, repeated or out of order", "events", 0,
              [](const json& m) { return m.at("missed").get<double>() + m.at("repeated").get<double>(); }),
      by_speed(at_most("  arrived after the commit, p99", "ms", 500, at("/arrived_ms/p99")), 0)}},
  };
}

std::vector<target_group> starts() {
  const auto start = [](const std::filesystem::path& folder) { return measure_start(folder, repeated); };
  const auto kill = [](const std::filesystem::path& folder) { return measure_kill(folder, 2000); };
  const auto restart = [](const std::filesystem::path& folder) { return measure_restart(folder, 100'000); };
  const auto large = [](const std::filesystem::path& folder) { return measure_restart(folder, 1'000'000); };
  return {
    {{"start on an empty store", start},
     1,
     {by_speed(at_most("ready after a start on an empty store", "ms", 100, at("/ready_ms")), shared_syncs),
      at_most("  memory when idle", "MiB", 30, at("/resident_bytes", mebibyte))}},
    {{"kill -9 with 2,000 tasks in flight", kill},
     1,
     {by_speed(at_most("kill -9 with 2,000 tasks in flight, all done", "ms", 1500, at("/all_done_ms")), shared_syncs)}},
    {{"restart with 100,000 unfinished tasks", restart},
     1,
     {by_speed(at_most("100,000 unfinished tasks, first dispatch", "ms", 2000, at("/first_dispatch_ms")), shared_syncs),
      at_most("  memory", "MiB", 300, at("/resident_bytes", mebibyte))}},
    {{"restart with 1,000,000 unfinished tasks", large},
     1,
     {by_speed(at_most("1,000,000 unfinished tasks, first dispatch", "ms", 5000, at("/first_dispatch_ms")),
               shared_syncs),
      at_most("  memory", "MiB", 400, at("/resident_bytes", mebibyte))}},
  };
}

std::vector<target_group> waits() {
  using path = std::filesystem::path;
  return {
    {{"events that tasks wait for", [](const path& folder) { return measure_events(folder, 50'000); }},
     repeated,
     {by_speed(at_least("events, each taken by a task that waits for it", "events/s", 10'000, at("/events_per_second")),
               shared_syncs)}},
    {{"one event for 20,000 tasks", [](const path& folder) { return measure_release(folder, 20'000); }},
     1,
     {by_speed(at_most("20,000 tasks wait for one event, are killed, and then released", "s", 10, at("/seconds")),
               shared_syncs)}},
    {{"sleeping tasks", [](const path& folder) { return measure_sleepers(folder, 5'000, 5); }},
     repeated,
     {by_speed(at_most("5,000 sleeping tasks a second wake late, p99", "ms", 100, at("/late_ms/p99")), shared_syncs)}},
    {{"items", [](const path& folder) { return measure_items(folder, 40, 1'000); }},
     repeated,
     {by_speed(at_least("steps over 1,000 items", "items/s", 15'000, at("/items_per_second")), shared_syncs)}},
    {{"tasks within tasks", [](const path& folder) { return measure_children(folder, 20'000); }},
     repeated,
     {by_speed(at_least("tasks within tasks", "children/s", 5'000, at("/children_per_second")), shared_syncs)}},
    {{"limits by key", [](const path& folder) { return measure_limit(folder, 100'000); }},
     1,
     {at_most("a customer's task while 100,000 of another wait in line", "times as long", 4, at("/times_longer"))}},
  };
}

std::vector<target_group> side_effects() {
  return {
    {steps_curve(),
     repeated,
     {at_most("a step of a task of 1,000, against one of 5", "times the CPU", 1.3, at("/times_dearer"))}},
    {backlog_curve(),
     repeated,
     {at_most("a task with 1,000,000 waiting, against 1,000", "times the CPU", 1.1, at("/times_dearer"))}},
    {measurement_of(with_backlog(closed("", 0), 1'000'000)),
     1,
     {by_speed(at_least("1,000,000 tasks waiting, tasks ended meanwhile", "tasks/s", 15'000, at("/tasks_per_second")),
               shared_syncs)}},
    {cost_of_metrics(),
     often_repeated,
     {at_most("metrics each second under load", "% more CPU", 2, at("/dearer_percent"))}},
    {listing_under_load(),
     often_repeated,
     {at_most("ten task lists a second under load", "% slower", 10, at("/slower_percent"))}},
    {{"recovery from overload", [](const std::filesystem::path& folder) { return measure_overload(folder, 3000); }},
     1,
     {at_most("3,000 submissions/s to a service far too slow for 10 s, full rate again", "s", 15, seconds_to_recover),
      at_most("  in error, or left", "tasks", 0,
              [](const json& m) { return m.at("in_error").get<double>() + m.at("unfinished").get<double>(); })}},
  };
}

std::string number_text(double x) {
  return x >= 1000 ? fmt::format("{:.0f}", x) : x >= 10 ? fmt::format("{:.1f}", x) : fmt::format("{:.3g}", x);
}

/// Of the measurement, as progress tells it, or of what the table says of it.
bool has_in_name(const target_group& g, const std::string& text) {
  return g.what.name.find(text) != std::string::npos
         || std::any_of(g.targets.begin(), g.targets.end(),
                        [&](const target& t) { return t.what.find(text) != std::string::npos; });
}

} // namespace

std::string target_result::wanted_text() const {
  return fmt::format("{} {} {}", at_least ? ">=" : "<=", number_text(wanted), unit);
}

std::string target_result::measured_text() const {
  const auto text = number_text(measured());
  return runs.size() == 1 ? text
                          : fmt::format("{} ({} to {})", text, number_text(runs.front()), number_text(runs.back()));
}

std::string target_result::counted_text() const {
  return is_of_speed ? number_text(counted()) : "";
}

std::vector<target_group> target_groups(const choice& c) {
  std::vector<target_group> all;
  for (auto& part : {closed_loops(), open_loops(c.seconds > 0 ? c.seconds : long_load), between_processes(),
                     http_port(), starts(), waits(), side_effects()})
    all.insert(all.end(), part.begin(), part.end());
  std::erase_if(all, [&](const target_group& g) { return !has_in_name(g, c.only); });
  return all;
}

target_result result_of(const target& t, const std::vector<target_run>& runs) {
  target_result r{t.what, t.unit, t.wanted, t.at_least, t.disk_share.has_value(), {}, {}};
  for (const auto& run : runs) {
    const auto found = t.figure(run.measured);
    const auto speed = t.disk_share ? speed_of(run.machine, *t.disk_share) : 1;
    r.runs.push_back(found);
    r.scaled.push_back(t.at_least ? found / speed : found * speed);
  }
  std::sort(r.runs.begin(), r.runs.end());
  std::sort(r.scaled.begin(), r.scaled.end());
  return r;
}

json json_of(const std::vector<target_result>& results) {
  auto list = json::array();
  for (const auto& r : results)
    list.push_back({{"target", r.what},
                    {"unit", r.unit},
                    {r.at_least ? "at_least" : "at_most", r.wanted},
                    {"measured", r.measured()},
                    {"counted", r.counted()},
                    {"runs", r.runs},
                    {"is_met", r.is_met()}});
  return list;
}

} // namespace steadfast::bench
