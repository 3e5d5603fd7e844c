#include "runtime/assembly/boot_clock.hpp"

#include "steadfast/node_error.hpp"

#include <ctime>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>

namespace steadfast {

namespace {

using steady = caf::actor_clock::time_point;

/// CLOCK_MONOTONIC, which the steady clock of the library reads, stands still while the machine sleeps.
steady since_boot() {
  timespec t{};
  clock_gettime(CLOCK_BOOTTIME, &t);
  return steady{std::chrono::seconds{t.tv_sec} + std::chrono::nanoseconds{t.tv_nsec}};
}

constexpr workflow::span wall_error_max{60'000};

std::string boot_id() {
  std::string id;
  std::ifstream{"/proc/sys/kernel/random/boot_id"} >> id;
  return id;
}

/// The time since the boot means nothing after another boot.
std::optional<actors::node_clock> clock_in(const std::filesystem::path& file) {
  std::string boot;
  workflow::span::rep set_at = 0;
  steady::rep steady_at_set = 0;
  if (!(std::ifstream{file} >> boot >> set_at >> steady_at_set) || boot.empty() || boot != boot_id())
    return std::nullopt;
  return actors::node_clock{
    workflow::instant{workflow::span{set_at}}, steady{steady::duration{steady_at_set}}, {}, since_boot};
}

bool agrees(const actors::node_clock& before, const actors::node_clock& now) {
  const auto gone_on =
    before.set_at + std::chrono::duration_cast<workflow::span>(now.steady_at_set - before.steady_at_set);
  return now.steady_at_set >= before.steady_at_set && std::chrono::abs(now.set_at - gone_on) <= wall_error_max;
}

/// If this start does not use it, the next must not either, whether another can be written or not.
void take_away(const std::filesystem::path& file) {
  std::error_code failed;
  std::filesystem::remove(file, failed);
  if (failed)
    throw node_error{"cannot remove " + file.string() + ", which tells of another clock: " + failed.message()};
}

/// Replaces the file in one piece. Not synced: after a power cut it is another boot. False: it failed.
bool write(const actors::node_clock& c, const std::filesystem::path& file) {
  const auto next = std::filesystem::path{file.string() + ".next"};
  std::error_code failed;
  std::filesystem::remove(next, failed);
  std::ofstream out{next};
  std::filesystem::permissions(next, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write, failed);
  out << boot_id() << ' ' << c.set_at.time_since_epoch().count() << ' ' << c.steady_at_set.time_since_epoch().count()
      << '\n';
  out.close();
  if (out && !failed)
    std::filesystem::rename(next, file, failed);
  return out && !failed;
}

} // namespace

actors::node_clock clock_set_now() {
  return {std::chrono::time_point_cast<workflow::span>(std::chrono::system_clock::now()), since_boot(), {}, since_boot};
}

actors::node_clock clock_of_this_boot(const std::filesystem::path& file,
                                      const std::function<void(const std::string&)>& warn) {
  const auto now = clock_set_now();
  if (const auto before = clock_in(file); before && agrees(*before, now))
    return *before;
  take_away(file);
  if (!write(now, file))
    warn("cannot write " + file.string()
         + ": after a restart the clock is set anew, and attempts under way get their whole time again");
  return now;
}

} // namespace steadfast
