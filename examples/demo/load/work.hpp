#pragma once

#include "steadfast/client.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace demo {

/// One task to submit. The client chooses the id, so that a submission without an answer can be sent again.
struct submission {
  std::string id;
  std::string workflow;
  std::string payload;
  std::string reply_to;
  // What the checker is told, since the store's word is not taken for it.
  std::map<std::string, std::uint32_t> items{};  ///< of the payload, by the step that goes over them
  std::string limit_key{};                       ///< its workflow counts it under this
  std::uint32_t limit = 0;                       ///< and so many are under way at a time; 0: it has no limit
  std::uint32_t limit_per_ms = 0;                ///< and so many begin within that time; 0: as many as can
  std::map<std::string, std::uint32_t> sleeps{}; ///< milliseconds, by the step that sleeps
  std::map<std::string, std::uint32_t> calls{};  ///< how often at most, by the step that is repeated
  std::string mark{};                            ///< of its payload, which no other of this id has; empty: it has none
  // If the id is taken.
  steadfast::on_conflict conflict = steadfast::on_conflict::same;
  std::chrono::milliseconds debounce{0};
};

/// Deliveries and orders in a random order; the same seed gives the same list. Both carriers occur, and a few customers
/// are suspended and a few wares sold out, which no retry can change.
std::vector<submission> make_submissions(std::uint32_t deliveries, std::uint32_t orders, std::uint64_t seed);

} // namespace demo
