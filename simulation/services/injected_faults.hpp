#pragma once

#include "simulation/services/services.hpp"
#include "simulation/world/disk.hpp"
#include "simulation/world/world.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast::simulation {

/// The rates of faults, drawn for each run, so that each run is bad in its own way (swarm testing; Groce et al., 2012).
struct fault_rates {
  wire_faults wire;
  disk_faults disk;
  service_faults service;
  workflow::span wall_error{0};
  std::int64_t drift_permille = 0;
  workflow::span between_faults{0};
};
fault_rates draw_fault_rates(chance& c, workflow::span wall_error_max);

/// One fault from outside, at a moment of the run.
struct injected_fault {
  enum class kind : std::uint8_t {
    kill,            ///< as by SIGKILL; starts again after `time`
    stop,            ///< told to end: it gives its leases back first
    freeze,          ///< does nothing for `time`
    cut,             ///< no message from `node` to `other` for `time`, nor back if `both`
    slow_store,      ///< commits take `time`
    hang_scheduler,  ///< handles nothing for `time`; the rest of the node goes on
    hang_supervisor, ///< likewise
    no_supervisor,   ///< on any node, for `time`
    power_cut,       ///< of all nodes
    stray_answers,   ///< from a stranger, for tasks that exist and for some that do not
  };
  workflow::span at{0};
  kind what = kind::kill;
  std::size_t node = 0;
  std::size_t other = 0;
  workflow::span time{0};
  bool both = false; ///< with cut: ways; with kill: whether the others notice at once
};
std::string_view name_of(injected_fault::kind k); ///< "slow_store"
/// Names of everything that can be left out of a run: the injected faults, "wire", "disk", "medium", "clocks",
/// "services", "poison" and "moves".
std::set<std::string> all_faults();

std::vector<injected_fault> draw_faults(chance& c, const fault_rates& w, std::size_t nodes, workflow::span until);
/// "at 12300 ms: cut node-1 -> node-3 for 400 ms".
std::string text_of(const injected_fault& s);

} // namespace steadfast::simulation
