#include "examples/demo/processes/cluster.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace demo {

namespace {

using namespace std::chrono_literals;

constexpr auto start_limit = 60s; ///< all nodes and services may share two slow cores
constexpr auto stop_limit = 25s;  ///< a node that is stuck ends by itself before, and says at what

} // namespace

std::filesystem::path find_program(const std::filesystem::path& build, const std::string& name) {
  for (const auto& folder : {build, build / "examples" / "services", build / "examples" / "checker"})
    if (std::filesystem::is_regular_file(folder / name))
      return std::filesystem::absolute(folder / name);
  throw std::runtime_error{"there is no " + name + " in " + build.string()};
}

void cluster::add(node_paths paths, const services& remote, const node_place& place) {
  nodes_.push_back(std::make_unique<node>(std::move(paths), remote, place));
}

void cluster::start() {
  for (const auto& n : nodes_)
    n->start();
  for (const auto& n : nodes_)
    wait_until_up(*n);
}

void cluster::wait_until_up(node& n) {
  if (!n.waits_for_calls(start_limit))
    throw std::runtime_error{"a node does not answer; it said:\n" + read_file(n.log())};
}

std::vector<std::string> cluster::stop(std::optional<int> also_fine) {
  std::vector<std::string> complaints;
  std::for_each(nodes_.rbegin(), nodes_.rend(), [&](const auto& n) {
    if (const auto code = n->stop(stop_limit); code != 0 && !(code && code == also_fine))
      complaints.push_back(n->ill_ending());
  });
  return complaints;
}

node& cluster::holder_of_store() {
  for (const auto& n : nodes_) {
    const auto name = n->who_has_store();
    for (const auto& other : nodes_)
      if (other->name() == name)
        return *other;
  }
  return at(0);
}

std::optional<std::map<std::string, std::uint64_t>> cluster::count_tasks() const {
  for (const auto& n : nodes_)
    if (auto counted = n->count_tasks())
      return counted;
  return std::nullopt;
}

std::vector<std::string> cluster::sockets() const {
  std::vector<std::string> all;
  for (const auto& n : nodes_)
    all.push_back(n->socket());
  return all;
}

} // namespace demo
