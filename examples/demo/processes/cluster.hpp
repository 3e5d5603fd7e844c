#pragma once

#include "examples/demo/processes/node.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace demo {

/// A program of the build, which is in its folder or in one below it. Throws std::runtime_error when it is not there.
std::filesystem::path find_program(const std::filesystem::path& build, const std::string& name);

/// The nodes that work together, one or many; the first has the store, unless that is on a server.
class cluster {
public:
  void add(node_paths paths, const services& remote, const node_place& place);

  /// Starts them all. Throws std::runtime_error with what a node said when it does not answer.
  void start();
  /// SIGTERM for one after the other, the one with the store last. A sentence for each that did not end with exit code
  /// 0, or with that one.
  std::vector<std::string> stop(std::optional<int> also_fine = {});
  static void wait_until_up(node& n);

  std::size_t size() const { return nodes_.size(); }
  node& at(std::size_t i) { return *nodes_.at(i); }
  node& with_store() { return at(0); }
  /// The one that has a store on a server now; the first, while nobody can say.
  node& holder_of_store();
  /// Tasks by process_state, as the first of them says that answers.
  std::optional<std::map<std::string, std::uint64_t>> count_tasks() const;
  std::vector<std::string> sockets() const;

private:
  std::vector<std::unique_ptr<node>> nodes_;
};

} // namespace demo
