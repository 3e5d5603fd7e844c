#include "tests/chaos/playground.hpp"

#include "examples/demo/processes/services.hpp"
#include "runtime/text/address.hpp"
#include "tests/chaos/chaos.hpp"
#include "tests/support/processes/run_program.hpp"

#include <algorithm>
#include <csignal>
#include <stdexcept>
#include <utility>

namespace chaos {

namespace {

using namespace std::chrono_literals;

constexpr auto stop_limit = 60s;   ///< a node ends by itself 10 s after its drain limit; the machine may be busy
constexpr auto lease_ttl = 3000ms; ///< as the nodes' configuration says

} // namespace

playground::playground(const options& o) : hosts_{o.nodes}, under_(o.nodes) {
  const auto program = demo::find_program(o.programs, "steadfast");
  can_ = {o.nodes, lease_ttl, hosts_.are_apart(),
          !o.certificates
            && steadfast::tests::wall_clock::works_with(program)}; // certificates have a beginning and an end
}

std::filesystem::path playground::make_certificates(const std::filesystem::path& program, const options& o) {
  auto folder = o.folder / "certificates";
  std::vector<std::string> line{"cluster", "certs", "--folder", folder, "--store"};
  for (std::uint32_t i = 0; i < o.nodes; ++i)
    line.push_back(node_name(i));
  if (const auto end = steadfast::tests::run_program(program, line); end.code != 0)
    throw std::runtime_error{"no certificates: " + end.err};
  return folder;
}

void playground::add_nodes(const options& o, const demo::services& remote) {
  const auto program = demo::find_program(o.programs, "steadfast");
  const auto ports = steadfast::runtime::free_ports(o.nodes);
  const auto certificates = o.certificates ? make_certificates(program, o) : std::filesystem::path{};
  std::string store_address;
  for (std::uint32_t i = 0; i < o.nodes; ++i) {
    demo::node_place place;
    place.name = node_name(i);
    place.listen = hosts_.address(i) + ":" + std::to_string(ports[i]);
    place.join = store_address;
    place.private_network = true;
    place.certificates = certificates;
    if (i == 0)
      store_address = place.listen;
    const auto folder = o.folder / place.name;
    nodes_.add({program, o.workflows, folder, command_for(i, folder)}, remote, place);
  }
}

/// A command that runs a program on the node's host, where it believes the host's wall clock.
std::vector<std::string> playground::command_for(std::uint32_t node, const std::filesystem::path& folder) {
  std::vector<std::string> command;
  if (can_.clocks) {
    std::filesystem::create_directories(folder);
    command = clocks_.emplace_back(folder / "wall_clock").environment();
    command.insert(command.begin(), "/usr/bin/env");
  }
  return hosts_.command_on(node, std::move(command));
}

std::size_t playground::free_nodes() const {
  return static_cast<std::size_t>(
    std::count_if(under_.begin(), under_.end(), [](const auto& f) { return !f.has_value(); }));
}

bool playground::can_begin(const fault& f) {
  const auto is_ready = f.kind != fault_kind::stop || nodes_.at(f.node).is_serving();
  return is_ready && is_free(f.node) && is_free(f.other);
}

void playground::begin(const fault& f) {
  auto& node = nodes_.at(f.node);
  switch (f.kind) {
    case fault_kind::kill: node.kill(); break;
    case fault_kind::stop: node.signal(SIGTERM); break;
    case fault_kind::freeze: node.signal(SIGSTOP); break;
    case fault_kind::cut: hosts_.cut(f.other, f.node); [[fallthrough]];
    case fault_kind::cut_one_way: hosts_.cut(f.node, f.other); break;
    case fault_kind::set_clock: return clocks_.at(f.node).set_wrong_by(f.wrong_by); // until all is healed
  }
  under_.at(f.node) = active_fault{f, std::chrono::steady_clock::now() + f.lasts};
}

std::optional<std::string> playground::end(const fault& f) {
  auto& node = nodes_.at(f.node);
  std::optional<std::string> complaint;
  switch (f.kind) {
    case fault_kind::stop:
      if (node.wait(stop_limit) != 0)
        complaint = node.ill_ending();
      [[fallthrough]];
    case fault_kind::kill: node.start(); break;
    case fault_kind::freeze: node.signal(SIGCONT); break;
    case fault_kind::cut: hosts_.mend(f.other, f.node); [[fallthrough]];
    case fault_kind::cut_one_way: hosts_.mend(f.node, f.other); break;
    case fault_kind::set_clock: break;
  }
  return complaint;
}

template <class Condition>
std::vector<std::string> playground::end_all(Condition is_over) {
  std::vector<std::string> complaints;
  for (auto& f : under_)
    if (f && is_over(*f)) {
      if (auto complaint = end(f->what))
        complaints.push_back(*std::move(complaint));
      f.reset();
    }
  return complaints;
}

std::vector<std::string> playground::end_due() {
  return end_all([](const active_fault& f) { return std::chrono::steady_clock::now() >= f.until; });
}

std::vector<std::string> playground::heal() {
  auto complaints = end_all([](const active_fault&) { return true; });
  for (const auto& c : clocks_)
    c.set_wrong_by(0s);
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    demo::cluster::wait_until_up(nodes_.at(i));
  return complaints;
}

} // namespace chaos
