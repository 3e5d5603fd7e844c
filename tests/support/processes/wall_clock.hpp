#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace steadfast::tests {

/// A wall clock that programs believe and that can be set wrong while they run, by libfaketime. Their steady clock is
/// the real one, as on a host whose time is set.
class wall_clock {
public:
  /// The file says how wrong it is; it begins right.
  explicit wall_clock(std::filesystem::path file);

  /// Programs follow within about a second.
  void set_wrong_by(std::chrono::seconds offset) const;

  /// Variables of the environment of the programs that shall believe it.
  std::vector<std::string> environment() const;

  /// The same for programs for which it stands still at that moment, "2023-11-14 22:30:30" in UTC.
  static std::vector<std::string> stopped_at(const std::string& moment);

  /// The same for programs for which it is wrong all the time.
  static std::vector<std::string> always_wrong_by(std::chrono::seconds offset);

  /// Whether libfaketime is installed and that program starts with it: one with sanitizers does not.
  static bool works_with(const std::string& program);

private:
  std::filesystem::path file_;
};

} // namespace steadfast::tests
