#pragma once

#include "apps/command_line/node_access.hpp"
#include "apps/terminal/terminal.hpp"
#include "apps/top/board.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace steadfast::apps {

/// What only grows; its difference over time is a rate.
struct totals {
  std::chrono::steady_clock::time_point at;
  std::uint64_t submitted = 0;
  std::uint64_t ended = 0;
  std::uint64_t attempts = 0;
};

/// A look at a cluster whose nodes may go and come back.
class watched_cluster {
public:
  /// `head_end` follows the time between two looks. Throws when no node answers.
  watched_cluster(const node_choice& node, std::string interval, std::string head_end);

  board look(const terminal& to);

private:
  void reach();
  std::optional<board> whole(const terminal& to);

  const node_choice& choice_;
  std::string interval_;
  std::string head_end_;
  std::optional<client> node_; ///< none: it was lost
  std::string name_;           ///< of that node
  std::optional<totals> before_;
  nlohmann::json listed_ = {{"nodes", nlohmann::json::array()}}; ///< as they were seen last
  std::string why_;                                              ///< it cannot be asked
  workflow::instant away_since_;                                 ///< unset: it answers
};

} // namespace steadfast::apps
