// Recording the events of a simulated cluster, and replaying them.

#include "simulation/run/cluster.hpp"

#include <algorithm>
#include <chrono>

namespace steadfast::simulation {

using happens = script::happening::kind;

void cluster::record(script& to) {
  to.shape = shape_;
  to.homes = homes_;
  recorded_ = &to;
}

void cluster::note(happens what, const std::string& who, const std::string& other, workflow::span time,
                   std::int64_t permille, bool flag) {
  if (recorded_)
    recorded_->happenings.push_back(
      {what, std::chrono::duration_cast<workflow::span>(world_.now()), who, other, time, permille, flag});
}

void cluster::play(const script& from) {
  homes_ = from.homes;
  for (const auto& h : from.happenings)
    if (h.at < from.faults_for)
      world_.at(h.at, [this, h] { carry_out(h); });
}

void cluster::carry_out(const script::happening& h) {
  switch (h.what) {
    case happens::start:
      next_clock_ = clock_error{h.time, h.permille, {}};
      if (h.flag && h.who == store_node() && store_clock_)
        next_clock_ = store_clock_;
      if (h.who == store_node())
        furthest_ahead_ = std::max(furthest_ahead_, h.time);
      start(h.who);
      next_clock_.reset();
      return;
    case happens::kill: return kill(h.who, h.flag);
    case happens::freeze: return freeze(h.who, h.time);
    case happens::cut: return cut(h.who, h.other, h.flag, h.time);
    case happens::hang: return hang(h.who, h.other, h.time);
    case happens::slow_store: return slow_store(h.time);
    case happens::submit: {
      const auto d = std::find_if(shape_.workflows.begin(), shape_.workflows.end(),
                                  [&](const auto& x) { return x.name == h.other; });
      return d == shape_.workflows.end() ? void() : submit(h.who, *d);
    }
    case happens::act:
      if (const auto what = workflow::parse_task_act(h.other))
        act({h.who, *what, {}, "{}", h.flag, "grace", "because"});
  }
}

} // namespace steadfast::simulation
