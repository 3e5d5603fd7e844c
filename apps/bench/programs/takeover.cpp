// How long a cluster is without a supervisor when the node that supervises is killed.
//
//     bench_takeover STEADFAST [KILLS] [TTL_MS] [certificates]
//
// Starts three real nodes of the program on loopback: one has the store, the two others compete for the supervisor's
// lease. Kills the holder with SIGKILL, KILLS times (50), and measures until the other is seen to hold the lease under
// a higher epoch. The lease lasts TTL_MS (10000), is renewed three times in that, and ends a fifth of it early for its
// holder.

#include "api/names.hpp"
#include "apps/bench/programs/report.hpp"
#include "runtime/configuration/cluster_file.hpp"
#include "runtime/node/node_processes.hpp"
#include "runtime/text/address.hpp"
#include "steadfast/client.hpp"

#include <nlohmann/json.hpp>

#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace api = steadfast::api;
namespace fs = std::filesystem;
using clock_type = std::chrono::steady_clock;
using milliseconds = std::chrono::milliseconds;
using nlohmann::json;

constexpr std::chrono::minutes patience{2};
constexpr milliseconds look_again{5};

/// Who supervises, under which epoch.
struct holder {
  std::string node; ///< empty: nobody
  std::uint64_t epoch = 0;
};

class cluster {
public:
  cluster(fs::path program, const fs::path& folder, int ttl_ms, bool certified) : program_{std::move(program)} {
    if (certified)
      make_certificates(folder / "certs");
    std::ofstream{folder / "cluster.toml"} << (certified ? "certificates = \"certs\"\n" : "") << text(ttl_ms);
    for (const auto& n : steadfast::plan_cluster(folder / "cluster.toml", folder / "nodes"))
      nodes_.emplace(n.name, n);
    for (const auto& [name, node] : nodes_)
      start(name);
  }
  ~cluster() {
    for (const auto& [name, process] : processes_)
      end(process);
  }
  cluster(const cluster&) = delete;
  cluster& operator=(const cluster&) = delete;

  void start(const std::string& name) {
    const auto& n = nodes_.at(name);
    fs::create_directories(n.folder);
    std::ofstream{n.config_file()} << n.config;
    processes_[name] = steadfast::start_node(program_, n.config_file(), n.log_file());
  }

  void kill(const std::string& name) {
    end(processes_.at(name));
    processes_.erase(name);
  }

  /// As the node with the store says.
  holder supervisor() {
    try {
      steadfast::client node{nodes_.at("a").socket().string()};
      const auto leases = node.call(api::lease_list, json::object()).at("leases");
      for (const auto& l : leases)
        if (l.at("name") == "supervisor")
          return {l.value("holder", std::string{}).substr(0, 1), l.value("epoch", std::uint64_t{0})};
    } catch (const steadfast::client_error&) { // it is just starting
    }
    return {};
  }

private:
  void make_certificates(const fs::path& folder) const {
    const auto line =
      "'" + program_.string() + "' cluster certs --store a b c --folder '" + folder.string() + "' >/dev/null";
    if (std::system(line.c_str()) != 0) // NOLINT(cert-env33-c): a program of ours, in a folder of ours
      throw std::runtime_error{"no certificates can be made"};
  }

  static std::string text(int ttl_ms) {
    const auto ms = [](int n) { return "\"" + std::to_string(n) + "ms\"\n"; };
    const auto lease = "ttl = " + ms(ttl_ms) + "renew_every = " + ms(ttl_ms * 3 / 10) + "margin = " + ms(ttl_ms / 5);
    std::string all = "[cluster.lease]\n" + lease + "[supervisor]\nperiod = " + ms(std::min(1000, ttl_ms / 5))
                      + "[supervisor.lease]\n" + lease;
    const auto ports = steadfast::runtime::free_ports(3);
    std::size_t i = 0;
    for (const auto* name : {"a", "b", "c"})
      all += "[[node]]\nname = \"" + std::string{name} + "\"\nroles = ["
             + (name[0] == 'a' ? "\"store\", \"scheduler\"" : "\"scheduler\", \"supervisor\"")
             + "]\nlisten = \"127.0.0.1:" + std::to_string(ports[i++]) + "\"\n";
    return all;
  }

  static void end(pid_t process) {
    ::kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
  }

  fs::path program_;
  std::map<std::string, steadfast::planned_node> nodes_;
  std::map<std::string, pid_t> processes_;
};

/// Waits until another node than `former` supervises.
holder await_other(cluster& c, const holder& former) {
  const auto until = clock_type::now() + patience;
  while (clock_type::now() < until) {
    auto now = c.supervisor();
    if (!now.node.empty() && now.node != former.node && now.epoch > former.epoch)
      return now;
    std::this_thread::sleep_for(look_again);
  }
  throw std::runtime_error{"nobody took over"};
}

void print(std::vector<long long> took, int ttl_ms) {
  std::sort(took.begin(), took.end());
  using bench::percentile;
  std::cout << "takeover after SIGKILL: " << took.size() << " kills, lease of " << ttl_ms << " ms\n"
            << "p50 " << percentile(took, 50) << " ms, p90 " << percentile(took, 90) << " ms, p99 "
            << percentile(took, 99) << " ms, longest " << took.back() << " ms; promised: ttl + 2000 ms\n"
            << bench::machine_text() << '\n';
}

int run(const fs::path& program, int kills, int ttl_ms, bool certified) {
  std::string name = (fs::temp_directory_path() / "steadfast-takeover-XXXXXX").string();
  if (!mkdtemp(name.data()))
    throw std::runtime_error{"no folder can be made like " + name};
  std::vector<long long> took;
  {
    cluster c{program, name, ttl_ms, certified};
    auto now = await_other(c, {});
    for (int i = 0; i < kills; ++i) {
      const auto former = now;
      const auto at = clock_type::now();
      c.kill(former.node);
      now = await_other(c, former);
      took.push_back(std::chrono::duration_cast<milliseconds>(clock_type::now() - at).count());
      c.start(former.node);
      std::cerr << "kill " << i + 1 << " of " << kills << ": " << took.back() << " ms\n";
    }
  }
  fs::remove_all(name);
  print(std::move(took), ttl_ms);
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 5 || argv[1][0] == '-') {
    std::cerr << "usage: bench_takeover STEADFAST [KILLS] [TTL_MS] [certificates]\n";
    return 2;
  }
  try {
    return run(fs::absolute(argv[1]), argc > 2 ? std::stoi(argv[2]) : 50, argc > 3 ? std::stoi(argv[3]) : 10'000,
               argc > 4 && std::string{argv[4]} == "certificates");
  } catch (const std::exception& e) {
    std::cerr << "bench_takeover: " << e.what() << '\n';
    return 1;
  }
}
