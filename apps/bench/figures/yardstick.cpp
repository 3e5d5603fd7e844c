#include "apps/bench/figures/yardstick.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace steadfast::bench {
namespace {

using steady = std::chrono::steady_clock;

constexpr double gibibyte = 1024.0 * 1024 * 1024;
constexpr std::chrono::milliseconds each_run{250};

/// Of 2 cores without other load, on which the targets were met.
constexpr yardstick reference{9.0, 16.0, 20.0, 10'500};

/// How many times a second `once` runs.
template <class Once>
double rate(Once once) {
  const auto begin = steady::now();
  std::uint64_t count = 0;
  std::chrono::duration<double> took{};
  do {
    once();
    ++count;
    took = steady::now() - begin;
  } while (took < each_run);
  return static_cast<double>(count) / took.count();
}

double copies() {
  constexpr std::size_t size = 64ULL << 20;
  const std::vector<char> from(size, 'x');
  std::vector<char> to(size);
  return rate([&] {
           std::memcpy(to.data(), from.data(), size);
           asm volatile("" : : "r"(to.data()) : "memory"); // it is looked at
         })
         * static_cast<double>(size) / gibibyte;
}

double hashes() {
  std::array<char, 4096> block{};
  block.fill('x');
  return rate([&] {
           for (std::size_t i = 0; i < 1000; ++i)
             block[i % block.size()] = static_cast<char>(XXH3_64bits(block.data(), block.size()));
         })
         * 1000 * static_cast<double>(block.size()) / gibibyte;
}

/// A byte there and back through pipes, so that each waits in the kernel until it is woken.
double wakes() {
  std::array<int, 2> there{};
  std::array<int, 2> back{};
  if (::pipe2(there.data(), O_CLOEXEC) != 0 || ::pipe2(back.data(), O_CLOEXEC) != 0)
    throw std::runtime_error{std::string{"no pipe can be made: "} + std::strerror(errno)};
  std::thread other{[&] {
    char c = 0;
    while (::read(there[0], &c, 1) == 1 && ::write(back[1], &c, 1) == 1) {
    }
  }};
  char c = 'x';
  bool is_well = true;
  const auto found = rate([&] { is_well = is_well && ::write(there[1], &c, 1) == 1 && ::read(back[0], &c, 1) == 1; });
  ::close(there[1]); // the other one ends
  other.join();
  for (const int fd : {there[0], back[0], back[1]})
    ::close(fd);
  if (!is_well)
    throw std::runtime_error{"a thread could not be woken through a pipe"};
  return found / 1000;
}

double syncs(const std::filesystem::path& folder) {
  const auto file = folder / "yardstick";
  const int fd = ::open(file.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  if (fd < 0)
    throw std::runtime_error{file.string() + " cannot be made: " + std::strerror(errno)};
  const std::array<char, 4096> block{};
  bool is_well = true;
  const auto found = rate([&] {
    is_well = is_well && ::pwrite(fd, block.data(), block.size(), 0) == static_cast<ssize_t>(block.size());
    is_well = is_well && ::fdatasync(fd) == 0;
  });
  ::close(fd);
  std::filesystem::remove(file);
  if (!is_well)
    throw std::runtime_error{file.string() + " cannot be written or synced"};
  return found;
}

} // namespace

yardstick measure_yardstick(const std::filesystem::path& folder) {
  return {copies(), hashes(), wakes(), syncs(folder)};
}

double speed_of(const yardstick& y, double disk_share) {
  const auto computing =
    std::cbrt((y.copying / reference.copying) * (y.hashing / reference.hashing) * (y.waking / reference.waking));
  const auto disk = y.syncing / reference.syncing;
  return 1 / ((1 - disk_share) / computing + disk_share / disk);
}

std::string text_of(const yardstick& y) {
  return fmt::format(
    "copies {:.1f} GiB/s, hashes {:.1f} GiB/s, wakes a thread {:.0f}k/s, syncs {:.0f}/s; {:.2f} times the "
    "reference in computing, {:.2f} in syncing",
    y.copying, y.hashing, y.waking, y.syncing, speed_of(y, 0), speed_of(y, 1));
}

nlohmann::json json_of(const yardstick& y) {
  return {{"copying_gib_per_second", y.copying},
          {"hashing_gib_per_second", y.hashing},
          {"waking_thousand_per_second", y.waking},
          {"syncs_per_second", y.syncing},
          {"computing", speed_of(y, 0)},
          {"syncing", speed_of(y, 1)}};
}

} // namespace steadfast::bench
