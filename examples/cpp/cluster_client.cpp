// A client on a node of its own: its actor submits to a cluster with typed messages and gets progress on its own
// response queue. Kill it at any moment and start it again with the same arguments: nothing is missed, nothing is
// submitted twice, and it recognises repeated progress by the sequence number.
//
//     cluster_client CONFIG JOURNAL WORKFLOW COUNT [PAYLOAD]
//
// CONFIG describes a node without roles, whose cluster.join names the node with the store (docs/cluster.md). Every
// progress is written to JOURNAL, a line of JSON each, before it is acknowledged. Exit codes: 0 all tasks have ended,
// 1 one was refused or the node does not start, 2 wrong command line.

#include "steadfast/actors.hpp"
#include "steadfast/node.hpp"

#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr auto answer_limit = 60s;
constexpr std::size_t on_the_way_max = 64;

/// What the client was told, in a file that outlives it.
class journal {
public:
  explicit journal(const std::string& file) {
    std::ifstream in{file};
    for (std::string line; std::getline(in, line);)
      if (const auto entry = json::parse(line, nullptr, false); entry.is_object()) // a crash may cut off the last line
        learn(entry);
    out_.open(file, std::ios::app);
    out_.exceptions(std::ios::failbit | std::ios::badbit);
    out_ << '\n'; // so that a line that was cut off ends here
  }

  bool has_ended(const std::string& id) const { return ended_.contains(id); }

  void write(const steadfast::task_progress& p) {
    json entry{{"task", p.task_id}, {"sequence", p.sequence}, {"kind", to_string(p.kind)}, {"step", p.step}};
    if (p.sequence <= heard_[p.task_id])
      entry["again"] = true;
    out_ << entry.dump() << std::endl;
    learn(entry);
  }

private:
  void learn(const json& entry) {
    const std::string id = entry.at("task");
    auto& last = heard_[id];
    last = std::max(last, entry.at("sequence").get<std::uint32_t>());
    const std::string kind = entry.at("kind");
    if (kind == "processed" || kind == "undone" || kind == "error")
      ended_.insert(id);
  }

  std::ofstream out_;
  std::map<std::string, std::uint32_t> heard_; ///< the last sequence number of each task
  std::set<std::string> ended_;
};

struct work {
  std::string queue; ///< the name under which progress is kept for this client
  std::string workflow;
  std::string payload;
  std::size_t count = 0;
};

/// The result, for the thread that waits.
struct outcome {
  bool refused = false;
};

using client_actor = steadfast::progress_observer::extend<caf::reacts_to<caf::tick_atom>>;

class client : public client_actor::base {
public:
  client(caf::actor_config& cfg, steadfast::task_gateway gateway, journal& told, work w, outcome& result)
      : client_actor::base{cfg},
        gateway_{std::move(gateway)},
        told_{told},
        work_{std::move(w)},
        result_{result} {}

  void on_exit() override { gateway_ = steadfast::task_gateway{}; }

  behavior_type make_behavior() override {
    send(gateway_, steadfast::observe_progress{work_.queue});
    for (std::size_t i = 0; i < work_.count; ++i)
      open_.insert(work_.queue + "-" + std::to_string(i + 1));
    std::erase_if(open_, [this](const std::string& id) { return told_.has_ended(id); });
    to_submit_ = open_;
    send(client_actor{this}, caf::tick_atom_v);
    return {
      [this](const steadfast::task_progress& p) { on_progress(p); },
      [this](caf::tick_atom) { submit_next(); },
    };
  }

private:
  void submit_next() {
    if (open_.empty())
      quit();
    while (on_the_way_ < on_the_way_max && !to_submit_.empty())
      submit(to_submit_.extract(to_submit_.begin()).value());
  }

  void submit(const std::string& id) {
    steadfast::submit_task what;
    what.id = id;
    what.workflow = work_.workflow;
    what.payload = work_.payload;
    what.reply_to = work_.queue;
    ++on_the_way_;
    request(gateway_, answer_limit, what)
      .then([this](const steadfast::submit_receipt& r) { on_receipt(r); },
            [this, id](const caf::error&) { submit_again(id, 1s); });
  }

  void on_receipt(const steadfast::submit_receipt& r) {
    switch (r.outcome) {
      case steadfast::submit_outcome::stored: --on_the_way_; return submit_next();
      case steadfast::submit_outcome::busy: // the cluster pushes back: it says for how long
        return submit_again(r.id, std::max(r.retry_after, std::chrono::milliseconds{100}));
      case steadfast::submit_outcome::unknown: // it may be stored: with the same id it is the same task
        return submit_again(r.id, 1s);
      case steadfast::submit_outcome::refused:
        std::cerr << r.id << " is refused: " << r.why << '\n';
        result_.refused = true;
        quit();
    }
  }

  void submit_again(const std::string& id, std::chrono::milliseconds after) {
    --on_the_way_;
    to_submit_.insert(id);
    delayed_send(client_actor{this}, after, caf::tick_atom_v);
  }

  void on_progress(const steadfast::task_progress& p) {
    told_.write(p);
    send(gateway_, seen(p));
    if (told_.has_ended(p.task_id) && open_.erase(p.task_id) > 0 && open_.empty())
      quit();
  }

  steadfast::task_gateway gateway_;
  journal& told_;
  const work work_;
  outcome& result_;
  std::set<std::string> open_;      ///< tasks that have not ended
  std::set<std::string> to_submit_; ///< tasks whose submission was not acknowledged and is not on its way
  std::size_t on_the_way_ = 0;
};

/// Runs the client to its end. In a function of its own: a node that stops waits for all actors, scoped ones too.
void wait_for_client(steadfast::node& node, journal& told, const work& w, outcome& result) {
  caf::scoped_actor self{actor_system_of(node)};
  self->wait_for(actor_system_of(node).spawn<client>(gateway_of(node), std::ref(told), w, std::ref(result)));
}

int run(const std::string& config, const std::string& file, const work& w) {
  journal told{file};
  auto node = steadfast::node::from_config(config);
  node.start();
  outcome result;
  wait_for_client(node, told, w, result);
  node.stop();
  return result.refused ? 1 : 0;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 5 || argc > 6 || argv[1][0] == '-') {
    std::cerr << "usage: cluster_client CONFIG JOURNAL WORKFLOW COUNT [PAYLOAD]\n";
    return 2;
  }
  try {
    const work w{std::filesystem::path{argv[2]}.stem(), argv[3], argc == 6 ? argv[5] : "{}", std::stoul(argv[4])};
    return run(argv[1], argv[2], w);
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
  }
}
