#include "tests/support/clusters/node_cluster.hpp"

#include "runtime/configuration/cluster_file.hpp"
#include "runtime/text/address.hpp"

#include <steadfast/client.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace steadfast::tests {

namespace {

const std::array<std::string, 3> names{"a", "b", "c"};

/// A loopback address that no other process has: what a node that is down listened at is not taken by another test.
std::string own_loopback() {
  const auto number = static_cast<std::uint32_t>(getpid());
  return "127." + std::to_string(64 + (number >> 16U) % 64) + "." + std::to_string(number >> 8U & 255U) + "."
         + std::to_string(number & 255U);
}

std::string node_text(const std::string& name, const std::string& roles, const std::string& address) {
  return "[[node]]\nname = \"" + name + "\"\nroles = [" + roles + "]\nlisten = \"" + address + "\"\n";
}

std::string agent_text(const std::string& name, const std::string& program, const std::string& arguments) {
  return "[[agent]]\nname = \"" + name + "\"\nprogram = \"" + program + "\"\narguments = [" + arguments
         + "]\nallow_root = true\n";
}

bool has_certificates(trust by) {
  const char* chosen = std::getenv("STEADFAST_TEST_CERTIFICATES");
  return by == trust::certified || (by == trust::as_chosen && chosen && *chosen != '\0' && std::string{chosen} != "0");
}

std::string cluster_text(const std::map<std::string, std::string>& addresses, bool certified,
                         const std::filesystem::path& released) {
  const std::string lease = "ttl = \"3s\"\nrenew_every = \"800ms\"\nmargin = \"600ms\"\n";
  const std::string roles = "\"scheduler\", \"supervisor\", \"agents\"";
  const std::string certificates = certified ? "certificates = \"certificates\"\n" : "";
  return certificates
         + "folder = \"nodes\"\nworkflows = [\"workflows\"]\n[cluster]\nprivate_network = true\n[cluster.lease]\n"
         + lease
         + "[scheduler]\nin_flight_max = 4\n[supervisor]\nperiod = \"500ms\"\nslack = \"2s\"\n[supervisor.lease]\n"
         + lease + node_text("a", "\"store\", \"scheduler\", \"agents\"", addresses.at("a"))
         + node_text("b", roles, addresses.at("b")) + node_text("c", roles, addresses.at("c"))
         + agent_text("quick", "/bin/cat", "") + agent_text("slow", "/bin/sleep", "\"0.3\"")
         + agent_text("broken", "/bin/false", "")
         + agent_text("held", "/bin/sh", "\"-c\", \"until [ -e " + released.string() + " ]; do sleep 0.2; done\"");
}

std::string workflow_text(const std::string& name, const std::vector<std::string>& agents,
                          const std::string& complete_by = "20s") {
  std::string text = "name = \"" + name + "\"\n";
  for (std::size_t i = 0; i < agents.size(); ++i)
    text += "[[step]]\nname = \"step" + std::to_string(i + 1) + "\"\nagent = \"" + agents[i] + "\"\ncomplete_by = \""
            + complete_by + "\"\ncompensation = { agent = \"quick\" }\n";
  return text;
}

} // namespace

void make_certificates(const std::string& program, const std::filesystem::path& folder, std::vector<std::string> nodes,
                       const std::vector<std::string>& clients) {
  std::vector<std::string> line{"cluster", "certs", "--folder", folder, "--store"};
  line.insert(line.end(), nodes.begin(), nodes.end());
  for (const auto& c : clients)
    line.insert(line.end(), {"--client", c});
  if (const auto end = run_program(program, line); end.code != 0)
    throw std::runtime_error{"no certificates: " + end.err};
}

node_cluster::node_cluster(std::string program, const hosts* apart, std::vector<std::string> environment, trust by)
    : program_{std::move(program)},
      apart_{apart},
      environment_{std::move(environment)} {
  std::filesystem::create_directory(folder_.path() / "workflows");
  folder_.write("workflows/three.toml", workflow_text("three", {"quick", "slow", "quick"}));
  folder_.write("workflows/refused.toml", workflow_text("refused", {"quick", "broken"}));
  folder_.write("workflows/held.toml", workflow_text("held", {"held"}, "40s"));
  folder_.write("workflows/brief.toml", workflow_text("brief", {"held"}, "8s"));
  const auto ports = runtime::free_ports(3);
  for (std::uint32_t i = 0; i < ports.size(); ++i)
    addresses_[names[i]] = (apart_ ? apart_->address(i) : own_loopback()) + ":" + std::to_string(ports[i]);
  if (has_certificates(by))
    make_certificates(program_, folder_.path() / "certificates", {names.begin(), names.end()}, {"desk"});
  folder_.write("cluster.toml", cluster_text(addresses_, has_certificates(by), folder_.path() / "released"));
  for (const auto& n : plan_cluster(folder_.path() / "cluster.toml", folder_.path() / "nodes")) {
    std::filesystem::create_directories(n.folder);
    std::ofstream{n.config_file()} << n.config;
  }
}

void node_cluster::start() {
  for (const auto& name : names)
    start(name);
  for (const auto& name : names)
    if (!eventually([&] { return living(name) == 3; }, patience))
      throw std::runtime_error{"node " + name + " does not see the others:\n" + logs()};
}

void node_cluster::start(const std::string& name) {
  const auto other = programs_.find(name);
  std::vector<std::string> line{other == programs_.end() ? program_ : other->second, "serve", "-c", config(name)};
  if (apart_)
    line = apart_->command_on(number_of(name), std::move(line));
  auto environment = environment_;
  environment.insert(environment.end(), own_[name].begin(), own_[name].end());
  running_[name] = std::make_unique<running_program>(
    line.front(), std::vector<std::string>{line.begin() + 1, line.end()}, environment);
  const auto answers = [&] { return command(name, {"node", "show"}).code == 0; };
  if (!eventually(answers, patience))
    throw std::runtime_error{"node " + name + " did not start:\n" + logs()};
}

std::string node_cluster::certificate_options(const std::string& name) const {
  const auto folder = folder_.path() / "certificates";
  if (!std::filesystem::exists(folder))
    return {};
  const auto line = [&](const std::string& key, const std::string& file) {
    return key + " = \"" + (folder / file).string() + "\"\n";
  };
  return line("certificate", name + ".pem") + line("key", name + ".key") + line("authority", "authority.pem");
}

std::uint32_t node_cluster::number_of(const std::string& name) {
  return static_cast<std::uint32_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

void node_cluster::kill(const std::string& name) {
  running_.at(name)->signal(SIGKILL);
  running_.at(name)->wait(std::chrono::seconds{10});
  running_.erase(name);
}

program_end node_cluster::command(const std::string& name, std::vector<std::string> arguments,
                                  const std::string& input) const {
  arguments.insert(arguments.end(), {"-c", config(name)});
  return run_program(program_, arguments, input);
}

std::vector<nlohmann::json> node_cluster::json_of(const std::string& name, std::vector<std::string> arguments) const {
  arguments.emplace_back("--json");
  std::istringstream out{command(name, std::move(arguments)).out};
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(out, line);)
    lines.push_back(nlohmann::json::parse(line));
  return lines;
}

void node_cluster::submit(const std::string& to, const std::string& prefix, int count) const {
  for (int i = 0; i < count; ++i) {
    const auto end = command(to, {"submit", "three", "--id", prefix + std::to_string(i), "--data", "{}"});
    if (end.code != 0)
      throw std::runtime_error{"a task is not taken: " + end.err};
  }
}

void node_cluster::occupy(const std::string& workflow, const std::string& prefix) const {
  client to{socket("a")}; // by one process: a command for each takes longer than a step of `brief` on a loaded machine
  for (int i = 0; i < occupied; ++i) {
    submit_options options;
    options.id = prefix + std::to_string(i);
    to.submit(workflow, "{}", options);
  }
  const auto all_are_at_work = [this] {
    std::map<std::string, std::size_t> at_work;
    for (const auto& task : json_of("a", {"task", "list"}))
      if (task.at("locked_by").is_string())
        ++at_work[task.at("locked_by")];
    return std::all_of(names.begin(), names.end(),
                       [&](const std::string& name) { return at_work[name] == occupied / names.size(); });
  };
  if (!eventually(all_are_at_work, patience))
    throw std::runtime_error{"not all nodes have work in flight:\n" + logs()};
}

void node_cluster::release() const {
  folder_.write("released", "");
}

void node_cluster::hold() const {
  std::filesystem::remove(folder_.path() / "released");
}

std::vector<std::string> node_cluster::in_flight(const std::string& node, const std::string& seen_by) const {
  std::vector<std::string> ids;
  for (const auto& t : json_of(seen_by, {"task", "list", "--where", "locked_by=" + node}))
    ids.push_back(t.at("id"));
  return ids;
}

bool node_cluster::were_lost(const std::vector<std::string>& ids, const std::string& seen_by) const {
  return std::all_of(ids.begin(), ids.end(), [&](const std::string& id) {
    const auto shown = json_of(seen_by, {"task", "show", id});
    return !shown.empty() && shown[0].at("lock_epoch") >= 2
           && shown[0].at("steps").at(0).at("log").back().at("epoch") >= 2;
  });
}

nlohmann::json node_cluster::attempts(const std::string& id, const std::string& seen_by) const {
  const auto shown = json_of(seen_by, {"task", "show", id});
  return shown.empty() ? nlohmann::json::array() : shown[0].at("steps").at(0).at("log");
}

std::map<std::string, std::uint64_t> node_cluster::lease_epochs(const std::string& seen_by) const {
  std::map<std::string, std::uint64_t> epochs;
  for (const auto& n : json_of(seen_by, {"node", "list"}))
    epochs[n.at("name")] = n.at("epoch");
  return epochs;
}

std::size_t node_cluster::living(const std::string& seen_by) const {
  std::size_t count = 0;
  for (const auto& n : json_of(seen_by, {"node", "list"}))
    count += n.value("alive", false) ? 1 : 0;
  return count;
}

std::string node_cluster::supervisor(const std::string& seen_by) const {
  for (const auto& n : json_of(seen_by, {"node", "list"}))
    if (n.value("supervises", false))
      return n.at("name");
  return {};
}

int node_cluster::count(const std::string& seen_by, const std::string& process_state) const {
  const auto lines = json_of(seen_by, {"task", "list", "--count", "--where", "state=" + process_state});
  return lines.empty() ? 0 : lines[0].at("count").get<int>();
}

bool node_cluster::all_processed(const std::string& seen_by, int count) const {
  return eventually([&] { return this->count(seen_by, "processed") == count; }, patience);
}

std::size_t node_cluster::lost_connections() const {
  const auto text = logs();
  const std::string lost = "no connection to ";
  std::size_t count = 0;
  for (auto at = text.find(lost); at != std::string::npos; at = text.find(lost, at + 1))
    ++count;
  return count;
}

std::string node_cluster::logs() const {
  std::ostringstream text;
  for (const auto& name : names)
    text << "---- " << name << '\n' << std::ifstream{folder_.path() / "nodes" / name / "log"}.rdbuf() << '\n';
  return text.str();
}

bool node_cluster::eventually(const std::function<bool()>& holds, std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > until)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{150}); // most conditions start a program to ask
  }
  return true;
}

} // namespace steadfast::tests
