#pragma once

#include "simulation/world/cluster_shape.hpp"
#include "workflow/time/time.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace steadfast::simulation {

/// The events of a run, instead of those that its seed draws: it keeps its meaning when draws change. What is not in it
/// does not happen. The seed decides the order of everything and how long messages take. Failing commits, the disk
/// below the store, and faults of the wire for single messages are not in it.
struct script {
  /// At a moment. The node that starts has a clock that is ahead by `time` and gains `permille`, or goes on as before.
  struct happening {
    enum class kind : std::uint8_t { start, kill, freeze, cut, hang, slow_store, submit, act };
    kind what = kind::start;
    workflow::span at{0};
    std::string who;   ///< node or task
    std::string other; ///< the other node; an actor; the name of the workflow, or of an act
    workflow::span time{0};
    std::int64_t permille = 0;
    bool flag = false; ///< start: the clock goes on; kill: it is noticed at once
  };
  /// What a service makes of a call; the calls of a key are counted from 1.
  struct call_fate {
    enum class kind : std::uint8_t { good, refuses, busy, hangs, acts_late, silent, fails };
    kind what = kind::good;
    workflow::span latency{1};
    double later_share = 0; ///< with acts_late: when, as a share of the time in which it may still act
    bool is_silent = false; ///< likewise: the connection is not lost
  };
  using call_name = std::pair<std::string, std::uint32_t>;

  cluster_shape shape;
  std::map<std::string, std::set<std::string>> homes; ///< of agents
  std::vector<happening> happenings;                  ///< in their order
  std::map<call_name, call_fate> calls;
  workflow::span faults_for{0}; ///< then all is healed
};

/// JSON, a happening or a call a line; workflows as the store writes them, in hexadecimal digits. In a script written
/// by hand they are the text of a workflow file.
std::string text_of(const script& s);
/// Throws std::exception if text_of did not make it.
script parse_script(std::string_view text);

} // namespace steadfast::simulation
