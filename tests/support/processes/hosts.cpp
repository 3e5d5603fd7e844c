#include "tests/support/processes/hosts.hpp"

#include "tests/support/processes/run_program.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace steadfast::tests {

namespace {

constexpr const char* bridge = "steadfast0";
constexpr const char* network = "10.77.0.";
constexpr const char* drop_table = "table inet cuts {\n"
                                   "  set lost { type ipv4_addr; }\n"
                                   "  chain in { type filter hook input priority 0; ip saddr @lost drop; }\n"
                                   "}\n";

/// The whole path: root's PATH need not name /usr/sbin. Empty: it is not installed.
std::string find_tool(const std::string& name) {
  for (const auto* folder : {"/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/"})
    if (access((folder + name).c_str(), X_OK) == 0)
      return folder + name;
  return {};
}

/// The first word is the whole path.
void run(const std::vector<std::string>& command, const std::string& input = "") {
  const auto end = run_program(command.front(), {command.begin() + 1, command.end()}, input);
  if (end.code != 0)
    throw std::runtime_error{command.front() + " failed: " + end.err};
}

void run_ip(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), find_tool("ip"));
  run(arguments);
}

/// A namespace belongs to a thread, and lives as long as a descriptor of it is open.
int make_network() {
  int network_of = -1;
  std::thread{[&network_of] {
    if (unshare(CLONE_NEWNET) == 0)
      network_of = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
  }}.join();
  if (network_of < 0)
    throw std::runtime_error{"no further network namespace can be made"};
  return network_of;
}

std::string path_of(int descriptor) {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(descriptor);
}

} // namespace

hosts::hosts(std::uint32_t count) : networks_(count, -1) {
  for (const auto* tool : {"ip", "nft", "nsenter"})
    if (find_tool(tool).empty())
      why_not_ = std::string{tool} + " is not installed";
  if (why_not_.empty() && unshare(CLONE_NEWNET) != 0)
    why_not_ = std::string{"no network namespace can be made: "} + std::strerror(errno);
  if (!are_apart())
    return;
  try {
    build();
  } catch (const std::runtime_error& e) { // the kernel lacks bridges or packet filters
    why_not_ = e.what();
  }
}

hosts::~hosts() {
  for (const int n : networks_)
    if (n >= 0)
      close(n);
}

void hosts::build() {
  run_ip({"link", "set", "lo", "up"});
  run_ip({"link", "add", bridge, "type", "bridge"});
  run_ip({"address", "add", own_address() + "/24", "dev", bridge});
  run_ip({"link", "set", bridge, "up"});
  for (std::uint32_t i = 0; i < networks_.size(); ++i) {
    networks_[i] = make_network();
    const auto cable = "host" + std::to_string(i);
    run_ip({"link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", path_of(networks_[i])});
    run_ip({"link", "set", cable, "master", bridge, "up"});
    run_on(i, {"ip", "link", "set", "lo", "up"});
    run_on(i, {"ip", "address", "add", address(i) + "/24", "dev", "eth0"});
    run_on(i, {"ip", "link", "set", "eth0", "up"});
    run_on(i, {"nft", "-f", "-"}, drop_table);
  }
}

std::string hosts::address(std::uint32_t host) const {
  return are_apart() ? network + std::to_string(2 + host) : "127.0.0.1";
}

std::string hosts::own_address() const {
  return are_apart() ? std::string{network} + "1" : "127.0.0.1";
}

std::vector<std::string> hosts::command_on(std::uint32_t host, std::vector<std::string> command) const {
  if (are_apart())
    command.insert(command.begin(), {find_tool("nsenter"), "--net=" + path_of(networks_.at(host))});
  return command;
}

void hosts::run_on(std::uint32_t host, std::vector<std::string> command, const std::string& input) const {
  command.front() = find_tool(command.front());
  run(command_on(host, std::move(command)), input);
}

void hosts::cut(std::uint32_t from, std::uint32_t to) {
  run_on(to, {"nft", "add", "element", "inet", "cuts", "lost", "{ " + address(from) + " }"});
}

void hosts::mend(std::uint32_t from, std::uint32_t to) {
  run_on(to, {"nft", "delete", "element", "inet", "cuts", "lost", "{ " + address(from) + " }"});
}

} // namespace steadfast::tests
