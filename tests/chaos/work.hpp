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

struct work {
  std::vector<demo::submission> submissions; ///< parcels and orders, in the order of their turns
  std::vector<payment> payments;
};

/// The same options give the same work.
work make_work(const options& o);

} // namespace chaos
