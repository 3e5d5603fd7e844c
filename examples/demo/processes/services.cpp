#include "examples/demo/processes/services.hpp"

#include <httplib.h>

#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

namespace demo {

namespace {

constexpr std::chrono::seconds service_start_limit{10};
constexpr std::chrono::seconds service_stop_limit{2};

/// The port in "listening on ADDRESS:PORT", 0 as long as there is no such line.
int port_in(const std::string& output, const std::string& address) {
  const auto before = "listening on " + address + ":";
  const auto at = output.find(before);
  if (at == std::string::npos || output.find('\n', at) == std::string::npos)
    return 0;
  return std::stoi(output.substr(at + before.size()));
}

} // namespace

const std::vector<service_name>& service_names() {
  static const std::vector<service_name> all = {
    {"account", "check"}, {"package", "create"}, {"transport", "decide"}, {"drone", "schedule"}, {"delivery", "create"},
    {"orders", "store"},  {"payment", "charge"}, {"stock", "reserve"},    {"shipping", "book"},
  };
  return all;
}

services::services(const std::filesystem::path& program, const std::filesystem::path& folder, std::uint64_t seed,
                   std::vector<service_name> which, std::string address)
    : names_{std::move(which)},
      address_{std::move(address)} {
  for (const auto& service : names_) {
    const std::string name{service.name};
    auto& one = running_[name];
    one.output = folder / (name + ".out");
    one.effects = folder / (name + ".effects.jsonl");
    one.tokens = folder / (name + ".tokens.jsonl");
    one.child =
      process{{program, name, "--data", folder, "--address", address_, "--seed", std::to_string(seed++)}, one.output};
  }
  const auto until = std::chrono::steady_clock::now() + service_start_limit;
  for (auto& [name, one] : running_) {
    while ((one.port = port_in(read_file(one.output), address_)) == 0) {
      if (!one.child.is_running() || std::chrono::steady_clock::now() > until)
        throw std::runtime_error{"the service " + name + " does not start: " + read_file(one.output)};
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
  }
}

std::string services::url_of(std::string_view service) const {
  return "http://" + address_ + ":" + std::to_string(running_.find(service)->second.port);
}

std::vector<std::filesystem::path> services::effect_logs() const {
  std::vector<std::filesystem::path> files;
  for (const auto& [name, one] : running_)
    files.push_back(one.effects);
  return files;
}

std::filesystem::path services::tokens_of(std::string_view service) const {
  return running_.find(service)->second.tokens;
}

bool services::set_faults(std::string_view service, const std::string& switches) const {
  httplib::Client client{address_, running_.find(service)->second.port};
  client.set_connection_timeout(std::chrono::seconds{2});
  client.set_read_timeout(std::chrono::seconds{5});
  constexpr int tries = 6; // nodes may have a connection for each of its threads
  for (int i = 0; i < tries; ++i)
    if (const auto answer = client.Post("/faults", switches, "application/json"))
      return answer->status == 200;
  return false;
}

void services::stop() {
  for (auto& [name, one] : running_)
    one.child.stop(service_stop_limit);
}

} // namespace demo
