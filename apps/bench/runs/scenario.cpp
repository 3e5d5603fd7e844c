#include "apps/bench/runs/scenario.hpp"

#include "apps/bench/figures/process_figures.hpp"
#include "apps/bench/load/callers.hpp"
#include "apps/bench/runs/scratch_schema.hpp"
#include "apps/certificates/cluster_certificates.hpp"
#include "runtime/text/address.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace steadfast::bench {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t first_of_trial = 1'000'000'000; ///< indexes that no measurement uses
constexpr seconds drain_limit{120};
constexpr milliseconds look_again{20};

std::string local_address(std::uint16_t port) {
  return "127.0.0.1:" + std::to_string(port);
}

std::int64_t in_store(const json& figures, std::initializer_list<const char*> states) {
  std::int64_t sum = 0;
  for (const auto* state : states)
    sum += figures.at("tasks").value(state, std::int64_t{0});
  return sum;
}

std::int64_t open_tasks(const json& figures) {
  return in_store(figures, {"pending", "processing", "undoing"});
}

std::int64_t all_tasks(const json& figures) {
  return open_tasks(figures) + in_store(figures, {"processed", "undone", "error", "suspended", "left"});
}

double ended_between(const json& before, const json& after) {
  return after.at("store").at("ended").get<double>() - before.at("store").at("ended").get<double>();
}

/// How large a file is at a few moments of a run.
class file_sizes {
public:
  file_sizes(std::filesystem::path file, double run_seconds)
      : file_{std::move(file)},
        step_{run_seconds / moments},
        looker_{[this](const std::stop_token& stop) { look(stop); }} {}

  /// Ends it. [{"seconds": 0.0, "bytes": 32768}, ...]
  json seen() {
    looker_.request_stop();
    looker_.join();
    note();
    return seen_;
  }

private:
  static constexpr int moments = 6;

  void look(const std::stop_token& stop) {
    for (int i = 0; i < moments; ++i) {
      while (!stop.stop_requested() && passed() < step_ * i)
        std::this_thread::sleep_for(look_again);
      if (stop.stop_requested())
        return;
      note();
    }
  }

  double passed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count(); }

  void note() {
    std::error_code none;
    seen_.push_back({{"seconds", passed()}, {"bytes", std::filesystem::file_size(file_, none)}});
  }

  std::filesystem::path file_;
  double step_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  json seen_ = json::array();
  std::jthread looker_;
};

/// The processes of a measurement.
class stage {
public:
  stage(const scenario& s, const std::filesystem::path& folder)
      : scenario_{s},
        folder_{folder},
        setup_{setup_of("node")} {
    if (!s.server.empty()) {
      setup_.server = s.server;
      setup_.schema = schema_.emplace(s.server, s.partitions).name();
    }
    if (scenario_.there_before > 0)
      fill_store(setup_, scenario_.there_before);
  }

  /// Returns as soon as there is load.
  void begin() {
    const auto& s = scenario_;
    const bool is_spread = s.client == client_place::node || s.agents == agent_place::node;
    const auto ports = is_spread ? runtime::free_ports(2) : std::vector<std::uint16_t>{0, 0};
    start_node(is_spread ? local_address(ports[0]) : "");
    if (s.agents == agent_place::node)
      start_agents(local_address(ports[1]));
    if (s.client == client_place::node)
      start_client();
    if (is_called() || is_asked())
      caller_ = std::make_unique<part>(part_setup{.kind = "caller"});
    if (is_spread)
      await_connections();
    before_ = figures();
    const auto store = folder_ / "node" / "store" / (schema_ ? "memory" : "");
    sizes_.emplace(store / "data.mdb", scenario_.plan.warm_up + scenario_.plan.seconds);
    if (schema_)
      server_before_ = schema_->figures();
    device_before_ = device_bytes_written(folder_);
    if (is_called())
      caller_->tell("call", call_of_client());
    else
      drive();
  }

  json measured() {
    auto measured = is_called() ? caller_->answer() : driving_part().answer();
    measured.erase("ended_in_slots");
    if (is_asked()) {
      const auto asked = caller_->answer();
      measured["listed_ms"] = asked.at("listed_ms");
      measured["scraped_ms"] = asked.at("scraped_ms");
    }
    const auto drained = await_drained();
    const auto after = figures();
    measured["name"] = scenario_.name;
    measured["store_file"] = sizes_->seen();
    add_store(measured, before_.front(), after.front(), drained);
    measured["device_bytes_per_task"] = static_cast<double>(device_bytes_written(folder_) - device_before_)
                                        / std::max(ended_between(before_.front(), after.front()), 1.0);
    if (after.size() > 1 && !scenario_.is_only_stored)
      add_all_processes(measured, before_, after);
    if (schema_)
      add_server(measured, std::max(ended_between(before_.front(), after.front()), 1.0));
    return measured;
  }

private:
  bool is_anything_done() const { return !scenario_.is_only_stored && scenario_.there_before == 0; }

  /// The client is another process that is no node.
  bool is_called() const { return scenario_.client == client_place::socket || scenario_.client == client_place::http; }

  /// By another process, while a load is driven that does not come from there.
  bool is_asked() const { return scenario_.lists_per_second > 0 || scenario_.scrapes_per_second > 0; }

  part_setup setup_of(const char* name) const {
    part_setup p;
    p.name = name;
    p.folder = (folder_ / name).string();
    p.load = scenario_.load;
    p.in_flight_max = scenario_.in_flight_max;
    if (scenario_.certificates) {
      p.certificates = (folder_ / "certificates").string();
      constexpr int days = 60; // or the nodes would warn of their end
      apps::make_certificates({p.certificates, {"agents", "client"}, days, {"node"}});
    }
    std::filesystem::create_directory(p.folder);
    return p;
  }

  void start_node(const std::string& listen) {
    auto& p = setup_;
    p.listen = address_ = listen;
    p.keep_at_most = scenario_.keep_at_most;
    p.partitions = scenario_.partitions;
    if (scenario_.is_only_stored)
      std::erase(p.roles, "scheduler");
    if (scenario_.client == client_place::http || scenario_.scrapes_per_second > 0)
      p.http_port = runtime::free_ports(1).front();
    if (scenario_.agents == agent_place::http) {
      service_ = std::make_unique<part>(part_setup{.kind = "service", .load = scenario_.load});
      p.agents = "http";
      p.url = "http://" + local_address(service_->about().at("port").get<std::uint16_t>()) + "/";
    } else if (scenario_.agents == agent_place::https) {
      const auto certificates = (folder_ / "service").string();
      apps::make_certificates({certificates, {"localhost"}});
      service_ =
        std::make_unique<part>(part_setup{.kind = "service", .load = scenario_.load, .certificates = certificates});
      p.agents = "http";
      p.url = "https://localhost:" + service_->about().at("port").dump() + "/";
      p.ca_file = certificates + "/authority.pem";
    } else if (scenario_.agents == agent_place::node) {
      std::erase(p.roles, "agents");
    }
    socket_ = p.folder + "/control.sock";
    node_ = std::make_unique<part>(p);
  }

  void start_agents(const std::string& listen) {
    auto p = setup_of("agents");
    p.roles = {"agents"};
    p.listen = listen;
    p.join = address_;
    agents_ = std::make_unique<part>(p);
  }

  void start_client() {
    auto p = setup_of("client");
    p.roles.clear();
    p.join = address_;
    client_ = std::make_unique<part>(p);
  }

  /// One task goes through before anything is measured.
  void await_connections() {
    load_plan one;
    one.in_flight = 1;
    one.warm_up = 0;
    one.seconds = 0.01;
    one.first = first_of_trial;
    driving_part().call("drive", one);
  }

  part& driving_part() { return client_ ? *client_ : *node_; }

  void drive() {
    auto plan = scenario_.plan;
    plan.there_before = scenario_.there_before;
    if (is_asked()) {
      call_plan questions;
      questions.socket = socket_;
      questions.http_port = setup_.http_port;
      questions.lists_per_second = scenario_.lists_per_second;
      questions.scrapes_per_second = scenario_.scrapes_per_second;
      questions.seconds = plan.warm_up + plan.seconds;
      caller_->tell("call", questions);
    }
    driving_part().tell("drive", plan);
  }

  call_plan call_of_client() const {
    call_plan c;
    c.socket = socket_;
    c.http_port = setup_.http_port;
    c.batch = scenario_.batch;
    c.connections = scenario_.connections;
    c.seconds = scenario_.plan.seconds;
    c.load = scenario_.load;
    return c;
  }

  /// Seconds until nothing is open any more, if that comes.
  double await_drained() {
    const auto begun = std::chrono::steady_clock::now();
    const auto passed = [&] { return std::chrono::steady_clock::now() - begun; };
    while (is_anything_done() && open_tasks(node_->call("figures")) > 0 && passed() < drain_limit)
      std::this_thread::sleep_for(look_again);
    return std::chrono::duration<double>(passed()).count();
  }

  std::vector<json> figures() {
    std::vector<json> all;
    for (const auto& p : {node_.get(), client_.get(), agents_.get(), service_.get(), caller_.get()})
      if (p != nullptr)
        all.push_back(p->call("figures"));
    return all;
  }

  void add_store(json& measured, const json& before, const json& after, double drained) const {
    measured["tasks"] = after.at("tasks");
    measured["store_bytes"] = after.at("store_bytes");
    measured["resident_bytes"] = after.at("resident");
    measured["resident_peak_bytes"] = after.at("resident_peak");
    // Acknowledged but no longer in the store: there must be none.
    measured["lost"] =
      std::max<std::int64_t>(measured.at("acknowledged").get<std::int64_t>() + all_tasks(before) - all_tasks(after), 0);
    if (is_anything_done())
      measured["unfinished"] = open_tasks(after);
    if (scenario_.client == client_place::here)
      return;
    measured["drain_seconds"] = drained;
    measured["tasks_per_second"] = ended_between(before, after) / (measured.at("seconds").get<double>() + drained);
  }

  void add_server(json& measured, double tasks) {
    const auto after = schema_->figures();
    const auto each = [&](const char* what) {
      return (after.at(what).get<double>() - server_before_.at(what).get<double>()) / tasks;
    };
    measured["server"] = {{"about", schema_->about()}, {"wal_bytes_per_task", each("wal_bytes")}};
    if (after.contains("cpu_seconds") && server_before_.contains("cpu_seconds"))
      measured["server"]["cpu_ms_per_task"] = each("cpu_seconds") * 1000;
  }

  /// The processor's time of all of them for each task, from before the first to after the last.
  static void add_all_processes(json& measured, const std::vector<json>& before, const std::vector<json>& after) {
    double cpu = 0;
    const auto used = [&](std::size_t i) {
      return after[i].at("cpu_seconds").get<double>() - before[i].at("cpu_seconds").get<double>();
    };
    const double node = used(0);
    for (std::size_t i = 0; i < after.size(); ++i)
      cpu += used(i);
    const auto change = [&](const char* what) {
      return after.front().at("store").at(what).get<double>() - before.front().at("store").at(what).get<double>();
    };
    const auto tasks = std::max(change("ended"), 1.0);
    auto& each = measured["per_task"];
    each["cpu_ms"] = cpu * 1000 / tasks;
    each["node_cpu_ms"] = node * 1000 / tasks;
    each["synced_commits"] = change("synced") / tasks;
    each["bytes_written"] =
      (after.front().at("bytes_written").get<double>() - before.front().at("bytes_written").get<double>()) / tasks;
  }

  const scenario& scenario_;
  std::filesystem::path folder_;
  part_setup setup_; ///< of the node
  std::optional<scratch_schema> schema_;
  json server_before_;  ///< figures of the server
  std::string address_; ///< of the node with the store; empty: it does not listen
  std::string socket_;
  std::unique_ptr<part> service_;
  std::unique_ptr<part> node_;
  std::unique_ptr<part> agents_;
  std::unique_ptr<part> client_;
  std::unique_ptr<part> caller_;
  std::vector<json> before_; ///< figures of the processes
  std::uint64_t device_before_ = 0;
  std::optional<file_sizes> sizes_;
};

} // namespace

json measure(const scenario& s, const std::filesystem::path& folder) {
  stage one{s, folder};
  one.begin();
  return one.measured();
}

std::vector<json> measure_together(const std::vector<scenario>& all, const std::filesystem::path& folder) {
  std::vector<std::unique_ptr<stage>> stages;
  for (const auto& s : all) {
    const auto place = folder / std::to_string(stages.size());
    std::filesystem::create_directory(place);
    stages.push_back(std::make_unique<stage>(s, place));
  }
  for (const auto& s : stages)
    s->begin();
  std::vector<json> measured;
  for (const auto& s : stages)
    measured.push_back(s->measured());
  return measured;
}

} // namespace steadfast::bench
