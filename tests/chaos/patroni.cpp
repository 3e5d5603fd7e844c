#include "tests/chaos/patroni.hpp"

#include "examples/demo/processes/program.hpp"
#include "runtime/text/address.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/fast_place.hpp"

#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace chaos {

namespace {

namespace fs = std::filesystem;
using steadfast::tests::run_program;
using steadfast::tests::running_program;

constexpr const char* patroni = "/usr/bin/patroni";
constexpr const char* etcd = "/usr/bin/etcd";
constexpr std::chrono::seconds api_limit{1};

/// Whatever was started in a folder has it, or one below it, as its working directory: Patroni as well as PostgreSQL,
/// which is not always Patroni's child.
std::vector<pid_t> processes_in(const fs::path& folder) {
  std::vector<pid_t> all;
  for (const auto& entry : fs::directory_iterator{"/proc"}) {
    const auto name = entry.path().filename().string();
    std::error_code gone;
    const auto where = fs::read_symlink(entry.path() / "cwd", gone).string();
    if (!gone && std::all_of(name.begin(), name.end(), ::isdigit) && (where + "/").starts_with(folder.string() + "/"))
      all.push_back(static_cast<pid_t>(std::stol(name)));
  }
  return all;
}

} // namespace

std::string servers_by_patroni::why_not() {
  for (const auto* program : {patroni, etcd})
    if (!fs::exists(program))
      return std::string{program} + " is not installed: install patroni, etcd-server and python3-etcd";
  return steadfast::tests::postgres_server::why_not();
}

servers_by_patroni::servers_by_patroni(const steadfast::tests::hosts& on, std::uint32_t host,
                                       std::filesystem::path logs)
    : hosts_{on},
      first_host_{host},
      logs_{std::move(logs)},
      folder_{steadfast::tests::fast_place()} {
  const auto ports = steadfast::runtime::free_ports(2 * server_count + 2);
  steadfast::tests::give_to_server_user(folder_.path());
  start_etcd(ports[0], ports[1]);
  for (std::uint32_t i = 0; i < server_count; ++i) {
    auto& p = places_.at(i);
    p = {folder_.path() / fmt::format("server-{}", i + 1), hosts_.address(host + i), ports[2 + 2 * i],
         ports[3 + 2 * i]};
    fs::create_directories(p.folder);
    steadfast::tests::give_to_server_user(p.folder);
    write_configuration(p, i);
    start(i);
  }
  if (!steadfast::tests::comes_true([this] { return are_in_sync(); }))
    throw std::runtime_error{"Patroni did not start its servers; it said:\n"
                             + demo::read_file(log_of(places_[0].folder))};
  steadfast::tests::sql_at(of_primary(), {"create role app login", "create schema steadfast authorization app"});
}

servers_by_patroni::~servers_by_patroni() {
  for (const auto pid : processes_in(folder_.path()))
    ::kill(pid, SIGKILL);
  steadfast::tests::comes_true([this] { return processes_in(folder_.path()).empty(); });
}

fs::path servers_by_patroni::log_of(const fs::path& folder) const {
  return logs_ / (folder.filename().string() + ".log");
}

std::unique_ptr<running_program> servers_by_patroni::run_on(std::uint32_t host, const fs::path& folder,
                                                            const std::string& command) const {
  const auto in_shell = fmt::format("cd {} && exec {} /usr/bin/env LC_ALL=C.UTF-8 {} >>{} 2>&1", folder.string(),
                                    steadfast::tests::become_server_user(), command, log_of(folder).string());
  const auto words = hosts_.command_on(host, {"/bin/bash", "-c", in_shell});
  return std::make_unique<running_program>(words.front(), std::vector<std::string>{words.begin() + 1, words.end()});
}

void servers_by_patroni::start_etcd(std::uint16_t port, std::uint16_t peer_port) {
  const auto host = first_host_ + server_count;
  const auto address = "http://" + hosts_.address(host) + ":";
  etcd_address_ = hosts_.address(host) + ":" + std::to_string(port);
  const auto for_clients = address + std::to_string(port);
  const auto for_peers = address + std::to_string(peer_port);
  const auto folder = folder_.path() / "etcd";
  fs::create_directories(folder);
  steadfast::tests::give_to_server_user(folder);
  etcd_ = run_on(host, folder,
                 fmt::format("{} --name e1 --data-dir data --listen-client-urls {} --advertise-client-urls {} "
                             "--listen-peer-urls {} --initial-advertise-peer-urls {} --initial-cluster e1={}",
                             etcd, for_clients, for_clients, for_peers, for_peers, for_peers));
}

/// The pauses are short, so that much happens within a run; docs/high-availability.md tells those for a plant.
void servers_by_patroni::write_configuration(const place& p, std::uint32_t which) const {
  const auto bin = steadfast::tests::server_programs().string();
  std::ofstream{p.folder / "patroni.yml"} << fmt::format(
    R"(scope: steadfast
name: server-{}
restapi: {{listen: "{}:{}", connect_address: "{}:{}"}}
etcd3: {{hosts: ["{}"]}}
bootstrap:
  dcs:
    ttl: 10
    loop_wait: 2
    retry_timeout: 3
    master_start_timeout: 0
    synchronous_mode: true
    postgresql:
      use_pg_rewind: true
      parameters: {{wal_log_hints: "on", wal_keep_size: 64MB, max_wal_size: 128MB, max_connections: 40,
        wal_sender_timeout: 4s, wal_receiver_timeout: 4s, wal_retrieve_retry_interval: 500ms}}
  initdb: [{{encoding: UTF8}}, no-locale, data-checksums]
  pg_hba: ["host replication all samenet trust", "host all all samenet trust", "local all all trust"]
postgresql:
  listen: "{}:{}"
  connect_address: "{}:{}"
  data_dir: {}/data
  bin_dir: {}
  pgpass: {}/pgpass
  authentication: {{superuser: {{username: postgres}}, replication: {{username: postgres}}}}
  parameters: {{unix_socket_directories: "{}", shared_buffers: 16MB, dynamic_shared_memory_type: mmap}}
)",
    which + 1, p.address, p.api_port, p.address, p.api_port, etcd_address_, p.address, p.port, p.address, p.port,
    p.folder.string(), bin, p.folder.string(), p.folder.string());
}

std::string servers_by_patroni::url_as(const std::string& role) const {
  return fmt::format("postgresql://{}@{}:{},{}:{}/postgres", role, places_[0].address, places_[0].port,
                     places_[1].address, places_[1].port);
}

std::string servers_by_patroni::of_primary() const {
  return url_as("postgres") + "?target_session_attrs=read-write&connect_timeout=2";
}

/// As Patroni sees it: it promotes only a standby that it wrote down as synchronous before commits waited for it.
bool servers_by_patroni::are_in_sync() const {
  return std::any_of(places_.begin(), places_.end(), [](const place& p) {
    httplib::Client api{p.address, p.api_port};
    api.set_connection_timeout(api_limit);
    api.set_read_timeout(api_limit);
    const auto answer = api.Get("/synchronous");
    return answer && answer->status == 200;
  });
}

void servers_by_patroni::signal(std::uint32_t which, int number) {
  for (const auto pid : processes_in(places_.at(which).folder))
    ::kill(pid, number);
}

/// Until none is left: one that was just begun may have been missed.
void servers_by_patroni::kill(std::uint32_t which) {
  const auto& folder = places_.at(which).folder;
  const auto is_empty = [&] {
    signal(which, SIGKILL);
    return processes_in(folder).empty();
  };
  if (!steadfast::tests::comes_true(is_empty))
    throw std::runtime_error{"the processes in " + folder.string() + " do not end"};
  patronis_.at(which).reset();
}

void servers_by_patroni::start(std::uint32_t which) {
  patronis_.at(which) = run_on(first_host_ + which, places_.at(which).folder, std::string{patroni} + " patroni.yml");
}

void servers_by_patroni::lose(std::uint32_t which) {
  kill(which);
  fs::remove_all(places_.at(which).folder / "data");
}

void servers_by_patroni::switch_over() {
  switching_ = run_on(first_host_, places_[0].folder, "patronictl -c patroni.yml switchover --force steadfast");
}

} // namespace chaos
