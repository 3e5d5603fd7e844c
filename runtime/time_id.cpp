#include "runtime/time_id.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <random>

namespace steadfast {

std::string make_time_id() {
  static thread_local std::mt19937_64 chance{(std::uint64_t{std::random_device{}()} << 32) | std::random_device{}()};
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto ms = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
  const auto a = chance();
  const auto b = chance();
  return fmt::format("{:08x}-{:04x}-7{:03x}-{:04x}-{:012x}", (ms >> 16) & 0xffffffff, ms & 0xffff, a & 0xfff,
                     0x8000 | (b >> 50), b & 0xffffffffffff);
}

} // namespace steadfast
