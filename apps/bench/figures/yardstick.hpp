#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

namespace steadfast::bench {

/// How fast the machine itself is now, measured for a second. The same binary met 22 of 23 targets in one hour and 17
/// in another on machines of one kind: a figure says something about Steadfast only together with this.
struct yardstick {
  double copying = 0; ///< GiB/s, from and to 64 MiB
  double hashing = 0; ///< GiB/s, XXH3 of 4 KiB in the cache
  double waking = 0;  ///< thousand times a second that one thread wakes another and is woken by it
  double syncing = 0; ///< times a second that 4 KiB are written and synced
};

/// `folder` is on the disk to measure. Throws std::runtime_error if it cannot be written.
yardstick measure_yardstick(const std::filesystem::path& folder);

/// How fast that is for work that waits for the disk for `disk_share` of its time, and computes and wakes threads in
/// the rest. 1 is the machine on which the targets were set.
double speed_of(const yardstick& y, double disk_share);

std::string text_of(const yardstick& y);
nlohmann::json json_of(const yardstick& y);

} // namespace steadfast::bench
