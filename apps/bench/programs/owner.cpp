// How long submissions wait when the node that has a store on PostgreSQL is lost, stopped or drained.
//
//     bench_owner STEADFAST URL kill|stop|drain [TIMES] [LEASE_MS] [LIVING] [ENDED]
//
// Makes a store in an empty schema, with LIVING tasks that wait and ENDED ones that are over (none), and starts three
// nodes of the program on loopback: one of them has the store. A client at each node submits steadily, and each task
// again after 10 ms until it is acknowledged. The node with the store is killed with SIGKILL, stopped with SIGTERM, or
// drained, TIMES times (50), and started again when another has it. The lease lasts LEASE_MS (5000).
// scripts/takeover runs it with a server of its own.

#include "api/names.hpp"
#include "apps/bench/programs/parcels.hpp"
#include "apps/bench/programs/report.hpp"
#include "runtime/node/node_processes.hpp"
#include "runtime/text/address.hpp"
#include "steadfast/client.hpp"
#include "store/joined/joined_store.hpp"
#include "store/partitions/postgres_store.hpp"
#include "store/postgres/doctor.hpp"
#include "store/postgres/partition.hpp"
#include "store/postgres/schema.hpp"

#include <nlohmann/json.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

namespace api = steadfast::api;
namespace fs = std::filesystem;
namespace postgres = steadfast::store::postgres;
namespace store = steadfast::store;
namespace workflow = steadfast::workflow;
using clock_type = std::chrono::steady_clock;
using moment = clock_type::time_point;
using milliseconds = std::chrono::milliseconds;
using nlohmann::json;

constexpr milliseconds patience{120'000};
constexpr milliseconds between_submissions{5};
constexpr milliseconds submit_again{10};
constexpr milliseconds look_again{5};
constexpr std::size_t batch_size = 2000;

struct plan {
  fs::path program;
  std::string url;
  std::string how; ///< kill, stop, drain
  int times = 50;
  milliseconds lease{5000};
  std::size_t living = 0;
  std::size_t ended = 0;
};

long long ms(clock_type::duration d) {
  return std::chrono::duration_cast<milliseconds>(d).count();
}

template <class Holds>
void await(const std::string& what, Holds holds) {
  for (const auto until = clock_type::now() + patience; !holds(); std::this_thread::sleep_for(look_again))
    if (clock_type::now() > until)
      throw std::runtime_error{"waited in vain until " + what};
}

// ---- the store ----

store::submit_task submission_of(const std::string& id, bool waits) {
  auto s = bench::parcel_called(id);
  if (waits)
    s.not_before = bench::now() + std::chrono::hours{24};
  return {std::move(s), bench::now()};
}

void end_all(store::state_store& s, const std::vector<workflow::task>& taken) {
  std::vector<store::write> writes;
  for (const auto& t : taken)
    writes.emplace_back(bench::update_of(t, bench::sent(t)));
  s.commit(writes);
}

void fill(const plan& p, const fs::path& folder) {
  store::postgres_store_options o;
  o.where.url = p.url;
  o.holder = "bench";
  o.limits.path = folder;
  const auto s = store::as_one(store::open_postgres_store(o, clock_type::now, [](auto, const auto&) { return false; }));
  if (!s)
    throw std::runtime_error{"somebody has the store"};
  s->commit({store::register_definition{bench::parcel()}});
  for (std::size_t done = 0; done < p.ended; done += batch_size) {
    const auto count = std::min(batch_size, p.ended - done);
    std::vector<store::write> writes;
    for (std::size_t i = done; i < done + count; ++i)
      writes.emplace_back(submission_of("ended-" + std::to_string(i), false));
    writes.emplace_back(store::claim_tasks{"bench", count, bench::now()});
    end_all(*s, s->commit(writes).back().as<store::claim_result>().tasks);
    s->save(); // the rows are brought up to date, as in a node
  }
  for (std::size_t done = 0; done < p.living; done += batch_size) {
    std::vector<store::write> writes;
    for (std::size_t i = done; i < std::min(done + batch_size, p.living); ++i)
      writes.emplace_back(submission_of("living-" + std::to_string(i), true));
    s->commit(writes);
    s->save();
  }
}

/// Who has the store, by the word of the server.
class onlooker {
public:
  explicit onlooker(const plan& p) : connection_{connect(p)} {}

  /// The node's name; empty: nobody.
  std::string holder() {
    const auto name = postgres::who_holds_what(connection_).front().holder;
    return name.substr(0, name.find('@'));
  }

private:
  static postgres::connection connect(const plan& p) {
    postgres::place where;
    where.url = p.url;
    return postgres::connection::open(where, "bench", {}, clock_type::now);
  }

  postgres::connection connection_;
};

// ---- the nodes ----

class cluster {
public:
  cluster(const plan& p, const fs::path& folder) : program_{p.program}, folder_{folder} {
    for (const auto port : steadfast::runtime::free_ports(names.size()))
      addresses_.push_back("127.0.0.1:" + std::to_string(port));
    for (std::size_t i = 0; i < names.size(); ++i) {
      fs::create_directories(folder / names[i] / "workflows");
      std::ofstream{folder / names[i] / "workflows" / "parcel.toml"}
        << "name = \"parcel\"\n[[step]]\nname = \"send\"\nagent = \"sender\"\n";
      std::ofstream{folder / names[i] / "node.toml"}
        << "name = \"" << names[i] << "\"\nworkflows = [\"workflows\"]\n[store]\npath = \"store\"\nurl = \"" << p.url
        << "\"\nlease = \"" << p.lease.count() << "ms\"\n[cluster]\nlisten = \"" << addresses_[i]
        << "\"\n[control]\nsocket = \"control.sock\"\n";
    }
  }
  ~cluster() {
    for (const auto& [name, process] : processes_)
      end(process);
  }
  cluster(const cluster&) = delete;
  cluster& operator=(const cluster&) = delete;

  static constexpr std::array<const char*, 3> names{"n1", "n2", "n3"};

  std::string socket(const std::string& name) const { return (folder_ / name / "control.sock").string(); }

  void start(const std::string& name) {
    processes_[name] = steadfast::start_node(program_, folder_ / name / "node.toml", folder_ / name / "log");
    await("node " + name + " answers", [&] {
      try {
        return steadfast::client{socket(name)}.call(api::lease_list, json::object()).contains("leases");
      } catch (const steadfast::client_error&) {
        return false;
      }
    });
  }
  void kill(const std::string& name) {
    end(processes_.at(name));
    processes_.erase(name);
  }
  void ask_to_end(const std::string& name) const { ::kill(processes_.at(name), SIGTERM); }
  void await_end(const std::string& name) {
    waitpid(processes_.at(name), nullptr, 0);
    processes_.erase(name);
  }
  void drain(const std::string& name, const std::string& by) const {
    steadfast::client{socket(by)}.call(api::node_drain,
                                       {{"node", name}, {"limit_ms", 10'000}, {"who", "bench"}, {"why", "bench"}});
  }
  std::string another(const std::string& than) const {
    for (const auto& [name, process] : processes_)
      if (name != than)
        return name;
    throw std::logic_error{"there is one node"};
  }

private:
  static void end(pid_t process) {
    ::kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
  }

  fs::path program_;
  fs::path folder_;
  std::vector<std::string> addresses_;
  std::map<std::string, pid_t> processes_;
};

// ---- those who submit ----

struct submitted_task {
  moment first_try;
  moment acknowledged;
  int refused = 0; ///< tries that were told that the store takes nothing now
  int unclear = 0; ///< tries of which nobody knows what became
};

/// At one node; one task after the other.
class submitter {
public:
  submitter(std::string name, std::string socket) : name_{std::move(name)}, socket_{std::move(socket)} {}

  std::vector<submitted_task> take() {
    const std::lock_guard lock{mutex_};
    return std::exchange(done_, {});
  }

private:
  void run(const std::stop_token& end) {
    while (!end.stop_requested()) {
      const auto done = submit(name_ + "-" + std::to_string(getpid()) + "-" + std::to_string(number_++), end);
      if (done) {
        const std::lock_guard lock{mutex_};
        done_.push_back(*done);
      }
      std::this_thread::sleep_for(between_submissions);
    }
  }

  std::optional<submitted_task> submit(const std::string& id, const std::stop_token& end) {
    submitted_task t;
    t.first_try = clock_type::now();
    const json params{
      {"workflow", "parcel"},
      {"id", id},
      {"payload", "{}"},
      {"not_before_ms", std::chrono::system_clock::now().time_since_epoch() / milliseconds{1} + 86'400'000}};
    for (; !end.stop_requested(); std::this_thread::sleep_for(submit_again)) {
      try {
        if (!client_)
          client_.emplace(socket_);
        client_->call(api::submit, params);
        t.acknowledged = clock_type::now();
        return t;
      } catch (const steadfast::client_error& e) {
        using kind = steadfast::client_error::kind;
        if (e.why() == kind::refused)
          std::cerr << "refused: " << e.what() << '\n';
        if (e.why() == kind::unreachable) { // this very node is down: what counts is submitted at the others
          client_.reset();
          t = {};
          t.first_try = clock_type::now();
        } else {
          ++(e.why() == kind::busy ? t.refused : t.unclear);
        }
      }
    }
    return std::nullopt;
  }

  std::string name_;
  std::string socket_;
  std::optional<steadfast::client> client_;
  std::uint64_t number_ = 0;
  std::mutex mutex_;
  std::vector<submitted_task> done_;
  std::jthread thread_{[this](const std::stop_token& end) { run(end); }};
};

// ---- what is measured ----

struct figures {
  std::vector<long long> longest;  ///< wait of a submission
  std::vector<long long> to_taken; ///< from the loss until another has the store
  std::vector<long long> to_first; ///< from then until the first submission is acknowledged
  int refused = 0;
  int unclear = 0;
};

void lose_once(const plan& p, cluster& c, onlooker& see, std::map<std::string, std::unique_ptr<submitter>>& at,
               figures& f) {
  const auto owner = see.holder();
  for (auto& [name, s] : at)
    s->take();
  std::this_thread::sleep_for(milliseconds{500});
  const auto lost = clock_type::now();
  if (p.how == "kill")
    c.kill(owner);
  else if (p.how == "stop")
    c.ask_to_end(owner);
  else
    c.drain(owner, c.another(owner));
  std::string next;
  await("another has the store", [&] {
    next = see.holder();
    return !next.empty() && next != owner;
  });
  const auto taken = clock_type::now();
  std::this_thread::sleep_for(milliseconds{1000} + p.lease / 5);
  auto first = moment::max();
  clock_type::duration longest{};
  await("each node took a submission", [&] {
    bool all = true;
    for (auto& [name, s] : at) {
      if (name == owner && p.how != "drain")
        continue;
      bool has_any = false;
      for (const auto& t : s->take()) {
        if (t.acknowledged < lost)
          continue;
        longest = std::max(longest, t.acknowledged - t.first_try);
        f.refused += t.refused;
        f.unclear += t.unclear;
        if (t.acknowledged > taken)
          first = std::min(first, t.acknowledged);
        has_any = true;
      }
      all = all && has_any;
    }
    return all;
  });
  f.longest.push_back(ms(longest));
  f.to_taken.push_back(ms(taken - lost));
  f.to_first.push_back(ms(first - taken));
  if (p.how == "drain")
    c.ask_to_end(owner);
  if (p.how != "kill")
    c.await_end(owner);
  c.start(owner);
  std::cerr << p.how << ' ' << f.longest.size() << " of " << p.times << ": " << owner << " to " << next
            << ", taken after " << f.to_taken.back() << " ms, first submission " << f.to_first.back()
            << " ms later, longest wait " << f.longest.back() << " ms\n";
}

void print(const char* what, std::vector<long long> all) {
  if (all.empty())
    return;
  std::sort(all.begin(), all.end());
  using bench::percentile;
  std::cout << what << ": p50 " << percentile(all, 50) << " ms, p90 " << percentile(all, 90) << " ms, p99 "
            << percentile(all, 99) << " ms, longest " << all.back() << " ms\n";
}

void print(const plan& p, const figures& f) {
  std::cout << p.how << ": " << p.times << " times, lease of " << p.lease.count() << " ms, " << p.living
            << " living and " << p.ended << " ended tasks\n";
  print("until another has the store", f.to_taken);
  print("from then to the first submission acknowledged", f.to_first);
  print("longest wait of a submission", f.longest);
  std::cout << "tries that were pushed back: " << f.refused << ", of unknown outcome: " << f.unclear << '\n'
            << bench::machine_text() << '\n';
}

int run(const plan& p) {
  auto name = (fs::temp_directory_path() / "steadfast-owner-XXXXXX").string();
  if (!mkdtemp(name.data()))
    throw std::runtime_error{"no folder can be made like " + name};
  const fs::path folder{name};
  if (p.living + p.ended > 0)
    fill(p, folder / "filling");
  figures f;
  {
    cluster c{p, folder};
    for (const auto* n : cluster::names)
      c.start(n);
    onlooker see{p};
    std::map<std::string, std::unique_ptr<submitter>> at;
    for (const auto* n : cluster::names)
      at[n] = std::make_unique<submitter>(n, c.socket(n));
    for (int i = 0; i < p.times; ++i)
      lose_once(p, c, see, at, f);
  }
  fs::remove_all(folder);
  print(p, f);
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  plan p;
  if (argc > 3)
    p.how = argv[3];
  if (argc < 4 || argc > 8 || (p.how != "kill" && p.how != "stop" && p.how != "drain")) {
    std::cerr << "usage: bench_owner STEADFAST URL kill|stop|drain [TIMES] [LEASE_MS] [LIVING] [ENDED]\n";
    return 2;
  }
  try {
    p.program = fs::absolute(argv[1]);
    p.url = argv[2];
    if (argc > 4)
      p.times = std::stoi(argv[4]);
    if (argc > 5)
      p.lease = milliseconds{std::stoi(argv[5])};
    if (argc > 6)
      p.living = std::stoul(argv[6]);
    if (argc > 7)
      p.ended = std::stoul(argv[7]);
    return run(p);
  } catch (const std::exception& e) {
    std::cerr << "bench_owner: " << e.what() << '\n';
    return 1;
  }
}
