#include "tests/chaos/playground.hpp"

#include "examples/demo/processes/services.hpp"
#include "runtime/text/address.hpp"
#include "tests/chaos/chaos.hpp"
#include "tests/chaos/patroni.hpp"
#include "tests/support/processes/run_program.hpp"

#include <algorithm>
#include <csignal>
#include <stdexcept>
#include <utility>

namespace chaos {

namespace {

using namespace std::chrono_literals;

constexpr auto stop_limit = 60s;   ///< a node ends by itself 10 s after its drain limit; the machine may be busy
constexpr auto start_limit = 60s;  ///< all may share two slow cores
constexpr auto lease_ttl = 3000ms; ///< as the nodes' configuration says
constexpr auto patroni_ttl = 10s;
constexpr int exit_store_lost = 74;  ///< of a node from which another has taken the store
constexpr int exit_not_started = 73; ///< of one that reached no server that takes writes

std::uint32_t hosts_of(const options& o) {
  return o.nodes + (o.postgres ? server_count : 0) + (o.patroni ? 1 : 0);
}

} // namespace

playground::playground(const options& o) : hosts_{hosts_of(o)}, under_(hosts_of(o)) {
  const auto program = demo::find_program(o.programs, "steadfast");
  can_ = {o.nodes,
          o.postgres ? server_count : 0,
          o.patroni ? 1U : 0U,
          lease_ttl,
          o.patroni ? patroni_ttl : lease_ttl,
          hosts_.are_apart(),
          !o.certificates
            && steadfast::tests::wall_clock::works_with(program)}; // certificates have a beginning and an end
}

std::filesystem::path playground::make_certificates(const std::filesystem::path& program, const options& o) {
  auto folder = o.folder / "certificates";
  std::vector<std::string> line{"cluster", "certs", "--folder", folder};
  for (std::uint32_t i = 0; i < o.nodes; ++i) {
    if (i == 0 || o.postgres)
      line.emplace_back("--store");
    line.push_back(node_name(i));
  }
  if (const auto end = steadfast::tests::run_program(program, line); end.code != 0)
    throw std::runtime_error{"no certificates: " + end.err};
  return folder;
}

void playground::add_nodes(const options& o, const demo::services& remote) {
  const auto program = demo::find_program(o.programs, "steadfast");
  const auto ports = steadfast::runtime::free_ports(o.nodes);
  const auto certificates = o.certificates ? make_certificates(program, o) : std::filesystem::path{};
  if (o.postgres) {
    servers_ = o.patroni ? std::unique_ptr<servers>{std::make_unique<servers_by_patroni>(hosts_, o.nodes, o.folder)}
                         : std::make_unique<servers_by_hand>(hosts_, o.nodes);
    steadfast::tests::make_store(servers_->url(), o.partitions);
  }
  std::string store_address;
  for (std::uint32_t i = 0; i < o.nodes; ++i) {
    demo::node_place place;
    place.name = node_name(i);
    place.listen = hosts_.address(i) + ":" + std::to_string(ports[i]);
    place.join = store_address;
    place.store_url = servers_ ? servers_->url() : "";
    place.partitions = o.partitions;
    place.private_network = true;
    place.certificates = certificates;
    if (i == 0 && !servers_)
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
    std::count_if(under_.begin(), under_.begin() + can_.nodes, [](const auto& f) { return !f.has_value(); }));
}

demo::node* playground::who_counts() {
  if (!servers_) // one that is frozen would hold the question
    return is_free(0) ? &nodes_.with_store() : nullptr;
  for (std::uint32_t i = 0; i < can_.nodes; ++i)
    if (is_free(i))
      return &nodes_.at(i);
  return nullptr;
}

void playground::start() {
  for (std::uint32_t i = 0; i < can_.nodes; ++i)
    nodes_.at(i).start();
  wait_until_all_are_up();
}

void playground::start_those_who_ended() {
  for (std::uint32_t i = 0; i < can_.nodes; ++i) {
    auto& node = nodes_.at(i);
    if (!is_free(i) || node.is_running())
      continue;
    const auto code = node.wait(0ms);
    if (!servers_ || (code != exit_store_lost && code != exit_not_started))
      throw std::runtime_error{"a node ended by itself; it said:\n" + demo::read_file(node.log())};
    taken_from_ += code == exit_store_lost ? 1 : 0;
    node.start();
  }
}

/// One that takes over from another may be so slow that it loses the store to a third, as at any other time.
std::vector<std::string> playground::stop() {
  return nodes_.stop(servers_ ? std::optional{exit_store_lost} : std::nullopt);
}

bool playground::can_begin(const fault& f) {
  if (is_server_lost_ && (is_server(f.host) || is_server(f.other)))
    return false;
  if (f.kind == fault_kind::lose)
    return is_free(can_.nodes) && is_free(can_.nodes + 1) && servers_->are_in_sync();
  const bool is_ready = f.kind != fault_kind::stop || nodes_.at(f.host).is_serving();
  return is_ready && is_free(f.host) && is_free(f.other);
}

void playground::signal(std::uint32_t host, int number) {
  if (is_server(host))
    servers_->signal(host - can_.nodes, number);
  else
    nodes_.at(host).signal(number);
}

void playground::begin(const fault& f) {
  switch (f.kind) {
    case fault_kind::kill:
      if (is_server(f.host))
        servers_->kill(f.host - can_.nodes);
      else
        nodes_.at(f.host).kill();
      break;
    case fault_kind::stop: signal(f.host, SIGTERM); break;
    case fault_kind::freeze: signal(f.host, SIGSTOP); break;
    case fault_kind::cut: hosts_.cut(f.other, f.host); [[fallthrough]];
    case fault_kind::cut_one_way: hosts_.cut(f.host, f.other); break;
    case fault_kind::switch_over: return servers_->switch_over();
    case fault_kind::set_clock: return clocks_.at(f.host).set_wrong_by(f.wrong_by); // until all is healed
    case fault_kind::lose: servers_->lose(f.host - can_.nodes); is_server_lost_ = true;
  }
  under_.at(f.host) = active_fault{f, std::chrono::steady_clock::now() + f.lasts};
}

std::optional<std::string> playground::end(const fault& f) {
  std::optional<std::string> complaint;
  switch (f.kind) {
    case fault_kind::stop: {
      auto& node = nodes_.at(f.host);
      const auto code = node.wait(stop_limit);
      if (code != 0 && !(servers_ && code == exit_store_lost))
        complaint = node.ill_ending();
      [[fallthrough]];
    }
    case fault_kind::kill:
      if (is_server(f.host))
        servers_->start(f.host - can_.nodes);
      else
        nodes_.at(f.host).start();
      break;
    case fault_kind::freeze: signal(f.host, SIGCONT); break;
    case fault_kind::cut: hosts_.mend(f.other, f.host); [[fallthrough]];
    case fault_kind::cut_one_way: hosts_.mend(f.host, f.other); break;
    case fault_kind::switch_over:
    case fault_kind::set_clock: break;
    case fault_kind::lose: servers_->add_standby(f.host - can_.nodes); is_server_lost_ = false;
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
  wait_until_all_are_up();
  return complaints;
}

void playground::wait_until_all_are_up() {
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    wait_until_up(nodes_.at(i));
}

/// While another takes the store from it, it may end, and is started again.
void playground::wait_until_up(demo::node& n) {
  const auto until = std::chrono::steady_clock::now() + start_limit;
  while (!n.waits_for_calls(1s)) {
    start_those_who_ended();
    if (std::chrono::steady_clock::now() > until)
      throw std::runtime_error{"a node does not answer; it said:\n" + demo::read_file(n.log())};
  }
}

} // namespace chaos
