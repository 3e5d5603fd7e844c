#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace demo {

/// What is shown at one moment.
struct snapshot {
  std::string phase;                          ///< "submitting, faults on"
  std::string node;                           ///< "up", "killed"
  std::map<std::string, std::uint64_t> tasks; ///< by process_state
  std::size_t submissions = 0;                ///< wanted
  std::size_t acknowledged = 0;
  std::size_t repeated = 0;
  std::uint32_t faults = 0; ///< kills, and other faults of the nodes
};

/// Tasks that have ended, whichever way.
std::uint64_t ended(const std::map<std::string, std::uint64_t>& tasks);

/// Shows snapshots: on a terminal one block that is redrawn, elsewhere one plain line a second.
class progress {
public:
  progress();

  void show(const snapshot& now);
  void say(const std::string& line);     ///< a line that stays
  void say_now(const std::string& line); ///< with the time before it

private:
  void draw_block(const snapshot& now);
  void write_line(const snapshot& now);
  void erase_block();
  double seconds() const;
  double rate(const snapshot& now);

  const bool terminal_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  double last_line_ = -1;
  int drawn_ = 0; ///< lines of the block on the screen
  double rate_at_ = 0;
  double rate_ = 0;
  std::uint64_t rate_ended_ = 0;
};

} // namespace demo
