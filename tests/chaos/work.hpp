#pragma once

#include "examples/demo/load/work.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace chaos {

struct options;

/// An event that orders wait for.
struct payment {
  std::string key;
  std::string id;
  std::vector<std::string> tasks;   ///< that wait for it
  std::chrono::milliseconds due{0}; ///< after the load has begun; perhaps before its tasks are submitted
  bool is_sent_twice = false;       ///< with the same id
};

/// Of round.toml.
struct schedule {
  std::string name;
  std::string workflow;
  std::chrono::milliseconds every{0};
  std::string overlap;
};

struct work {
  std::vector<demo::submission> submissions; ///< parcels, orders and drafts, in the order of their turns
  std::size_t ids = 0;                       ///< that they have
  std::vector<payment> payments;
  std::vector<schedule> schedules;
};

/// The same options give the same work.
work make_work(const options& o);

} // namespace chaos
