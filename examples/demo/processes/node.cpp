#include "examples/demo/processes/node.hpp"

#include "api/names.hpp"
#include "runtime/node/node_processes.hpp"
#include "steadfast/client.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <stdexcept>
#include <thread>
#include <utility>

namespace demo {

namespace {

constexpr int alerts_max = 1000;

} // namespace

node::node(node_paths paths, const services& remote, const node_place& place)
    : paths_{std::move(paths)},
      name_{place.name} {
  std::filesystem::create_directories(paths_.folder);
  std::ofstream{config()} << make_node_config(remote, paths_.workflows, place);
}

void node::start() {
  auto command = paths_.run_by;
  command.insert(command.end(), {paths_.program, "serve", "-c", config()});
  child_ = process{command, log()};
}

bool node::is_serving() {
  return child_.is_running() && steadfast::process_behind(socket()) == child_.pid();
}

bool node::waits_for_calls(std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (child_.is_running() && std::chrono::steady_clock::now() < until) {
    if (count_tasks())
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
  }
  return false;
}

std::string node::ill_ending() {
  return "a node did not stop with exit code 0 on SIGTERM but has " + child_.ending()
         + "; it said last: " + steadfast::last_line(log()) + "\n  (" + log().string() + ")";
}

std::string node::in_flight() const {
  steadfast::client client{socket()};
  const auto is = client.call(steadfast::api::node_describe, nlohmann::json::object());
  std::string all;
  const auto note = [&](const std::string& who, const nlohmann::json& count) {
    if (const auto n = count.get<std::uint64_t>(); n > 0)
      all += (all.empty() ? "" : ", ") + who + " " + std::to_string(n);
  };
  if (!is.at("scheduler").is_null())
    note("its scheduler", is.at("scheduler").at("in_flight"));
  if (!is.at("store").is_null())
    note("its store", is.at("store").at("waiting"));
  for (const auto& agent : is.at("agents")) {
    note("agent " + agent.at("name").get<std::string>(), agent.at("in_flight"));
    note("the queue of agent " + agent.at("name").get<std::string>(), agent.at("queued"));
  }
  return all;
}

std::optional<std::map<std::string, std::uint64_t>> node::count_tasks() const {
  try {
    steadfast::client client{socket()};
    std::map<std::string, std::uint64_t> tasks;
    const auto stats = client.call(steadfast::api::store_stats, nlohmann::json::object());
    for (const auto& [state, count] : stats.at("tasks").items())
      tasks[state] = count.get<std::uint64_t>();
    return tasks;
  } catch (const std::exception&) {
    return std::nullopt; // it is being started, or killed
  }
}

std::string node::who_has_store() const {
  try {
    steadfast::client client{socket()};
    const auto listed = client.call(steadfast::api::node_list, nlohmann::json::object());
    for (const auto& n : listed.at("nodes"))
      if (n.at("alive") == true && n.at("roles").get<std::string>().find("store") != std::string::npos)
        return n.at("name");
  } catch (const std::exception&) { // it is being started, or killed
  }
  return {};
}

void node::save_alerts(const std::filesystem::path& file) const {
  steadfast::client client{socket()};
  nlohmann::json page{{"all", true}, {"max", alerts_max}};
  std::ofstream out{file};
  do {
    const auto found = client.call(steadfast::api::alerts_list, page);
    for (const auto& alert : found.at("alerts"))
      out << nlohmann::json{{"task", alert.at("task_id")}, {"kind", alert.at("kind")}, {"text", alert.at("text")}}
          << '\n';
    page["before"] = found.at("next");
  } while (!page.at("before").is_null());
}

void node::run(const std::vector<std::string>& subcommand, const std::filesystem::path& output,
               std::chrono::milliseconds limit) const {
  std::vector<std::string> command{paths_.program};
  command.insert(command.end(), subcommand.begin(), subcommand.end());
  process child{command, output};
  if (child.wait(limit) != 0)
    throw std::runtime_error{"steadfast " + subcommand.front() + " failed: " + read_file(output)};
}

} // namespace demo
