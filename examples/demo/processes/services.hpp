#pragma once

#include "examples/demo/processes/process.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace demo {

/// Where a remote service is called: the operation of its forward step. Undo and probe are called /undo and /probe.
struct service_name {
  std::string_view name;
  std::string_view operation;
};

/// The remote services of both workflows: five behind drone_delivery, four behind order_processing.
const std::vector<service_name>& service_names();

/// The remote services as processes of their own, each with its database and its effect log in one folder.
class services {
public:
  /// Returns when all of them listen. Throws std::runtime_error with what a service said when one does not.
  services(const std::filesystem::path& program, const std::filesystem::path& folder, std::uint64_t seed,
           std::vector<service_name> which = service_names(), std::string address = "127.0.0.1");

  const std::vector<service_name>& names() const { return names_; }
  std::string url_of(std::string_view service) const; ///< without a slash at the end
  std::vector<std::filesystem::path> effect_logs() const;
  std::filesystem::path tokens_of(std::string_view service) const; ///< of its steps that end later

  /// Sets switches of a service (POST /faults). False when it does not answer.
  bool set_faults(std::string_view service, const std::string& switches) const;
  void stop();

private:
  struct running {
    process child;
    std::filesystem::path output;
    std::filesystem::path effects;
    std::filesystem::path tokens;
    int port = 0;
  };

  const std::vector<service_name> names_;
  const std::string address_;
  std::map<std::string, running, std::less<>> running_;
};

} // namespace demo
