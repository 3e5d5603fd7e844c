#pragma once

#include "tests/support/clusters/node_cluster.hpp"

#include "runtime/text/address.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace steadfast::tests {

/// Two nodes that know each other by certificates, and whoever else a test lets try.
class certified_cluster {
public:
  certified_cluster() {
    make_certificates(STEADFAST_BINARY, folder_.path() / "certificates", {"a", "b", "c"}, {"desk"});
    make_certificates(STEADFAST_BINARY, folder_.path() / "others", {"c"});
    start("a", config("a", "certificates", ""));
    start("b", config("b", "certificates", address_));
  }

  /// A node with certificates from that folder; empty: with none. It is not waited for.
  running_program& start(const std::string& name, const std::string& config) {
    folder_.write(name + ".toml", config);
    running_[name] = std::make_unique<running_program>(
      STEADFAST_BINARY, std::vector<std::string>{"serve", "-c", folder_.path() / (name + ".toml")});
    return *running_[name];
  }

  /// `certified_as`: whose certificate it has; empty: its own.
  std::string config(const std::string& name, const std::string& certificates, const std::string& join,
                     const std::string& certified_as = "") const {
    const auto& whose = certified_as.empty() ? name : certified_as;
    std::string text = "name = \"" + name + "\"\nroles = [" + (join.empty() ? "\"store\"" : "\"agents\"")
                       + "]\n[store]\npath = \"" + name + "-store\"\n[control]\nsocket = \"" + name
                       + ".sock\"\n[cluster]\njoin = \"" + join + "\"\n";
    if (join.empty())
      text += "listen = \"" + address_ + "\"\n";
    if (certificates.empty())
      return text;
    const auto file = [&](const std::string& end) { return "\"" + certificates + "/" + end + "\"\n"; };
    return text + "certificate = " + file(whose + ".pem") + "key = " + file(whose + ".key")
           + "authority = " + file("authority.pem");
  }

  bool lists_two_nodes() const {
    return node_cluster::eventually(
      [&] {
        const auto end = run_program(STEADFAST_BINARY, {"node", "list", "-c", folder_.path() / "b.toml", "--json"});
        return end.out.find("\"a\"") != std::string::npos && end.out.find("\"b\"") != std::string::npos;
      },
      patience);
  }

  std::filesystem::path certificates() const { return folder_.path() / "certificates"; }
  /// Standard output of the command about that node.
  std::string told(const std::string& name, std::vector<std::string> command) const {
    command.insert(command.end(), {"-c", folder_.path() / (name + ".toml")});
    return run_program(STEADFAST_BINARY, command).out;
  }
  const std::string& address() const { return address_; }
  std::uint16_t port() const { return port_; }
  running_program& process(const std::string& name) { return *running_.at(name); }

private:
  temp_folder folder_{fast_place()};
  std::uint16_t port_ = steadfast::runtime::free_ports(1).front();
  std::string address_ = "127.0.0.1:" + std::to_string(port_);
  std::map<std::string, std::unique_ptr<running_program>> running_;
};

} // namespace steadfast::tests
