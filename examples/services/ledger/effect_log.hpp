#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace services {

/// The append-only effect log: one JSON object per line, one write() per line.
class effect_log {
public:
  /// Opens or creates it. A line that a crash cut off is removed: no answer depended on it.
  /// Throws std::system_error.
  explicit effect_log(const std::string& path);
  ~effect_log();
  effect_log(const effect_log&) = delete;
  effect_log& operator=(const effect_log&) = delete;

  /// Ends the process if the line cannot be written: an effect without a line would deceive the checker. The line
  /// is written at the next start.
  void append(const std::string& line);

  /// Numbers of the lines that were in the file when it was opened.
  const std::set<std::uint64_t>& seqs_at_start() const { return seqs_at_start_; }

private:
  void read_what_is_there(const std::string& path);

  int file_ = -1;
  std::set<std::uint64_t> seqs_at_start_;
};

} // namespace services
