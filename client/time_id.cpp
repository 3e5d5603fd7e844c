#include "client/time_id.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <random>

namespace steadfast {

std::string make_time_id() {
  static thread_local std::mt19937_64 chance{(std::uint64_t{std::random_device{}()} << 32) | std::random_device{}()};
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto ms = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
  const auto a = chance();
  const auto b = chance();
  char text[37];
  std::snprintf(text, sizeof text, "%08llx-%04llx-7%03llx-%04llx-%012llx", (ms >> 16) & 0xffffffffULL, ms & 0xffffULL,
                a & 0xfffULL, 0x8000ULL | (b >> 50), b & 0xffffffffffffULL);
  return text;
}

} // namespace steadfast
