#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

namespace steadfast::bench {

/// What the machine itself does at the moment, a second of it. The same binary met 22 of 23 targets in one hour and 17
/// in another on machines of one kind: a figure says something of Steadfast only beside this.
struct yardstick {
  double copying = 0; ///< GiB/s, from and to 64 MiB
  double hashing = 0; ///< GiB/s, XXH3 of 4 KiB in the cache
  double waking = 0;  ///< thousand times a second that one thread wakes another and is woken by it
  double syncing = 0; ///< times a second that 4 KiB are written and synced
};

/// `folder` lies on the disk that is meant. Throws std::runtime_error when it cannot be written.
yardstick measure_yardstick(const std::filesystem::path& folder);

/// How fast that is, where 1 is the machine that the targets were set on, for work that waits for the disk for
/// `disk_share` of its time there and computes and wakes threads in the rest.
double speed_of(const yardstick& y, double disk_share);

std::string text_of(const yardstick& y);
nlohmann::json json_of(const yardstick& y);

} // namespace steadfast::bench
