#include "runtime/boot_clock.hpp"

#include "steadfast/node_error.hpp"

#include <fstream>
#include <optional>
#include <string>
#include <system_error>

namespace steadfast {

namespace {

using steady = caf::actor_clock::time_point;

constexpr workflow::span wall_error_max{60'000};

std::string boot_id() {
  std::string id;
  std::ifstream{"/proc/sys/kernel/random/boot_id"} >> id;
  return id;
}

/// What the steady clock shows means nothing after a boot.
std::optional<actors::node_clock> clock_in(const std::filesystem::path& file) {
  std::string boot;
  workflow::span::rep set_at = 0;
  steady::rep steady_at_set = 0;
  if (!(std::ifstream{file} >> boot >> set_at >> steady_at_set) || boot.empty() || boot != boot_id())
    return std::nullopt;
  return actors::node_clock{workflow::instant{workflow::span{set_at}}, steady{steady::duration{steady_at_set}}};
}

bool agrees(const actors::node_clock& before, const actors::node_clock& now) {
  const auto gone_on =
    before.set_at + std::chrono::duration_cast<workflow::span>(now.steady_at_set - before.steady_at_set);
  return now.steady_at_set >= before.steady_at_set && std::chrono::abs(now.set_at - gone_on) <= wall_error_max;
}

void write(const actors::node_clock& c, const std::filesystem::path& file) {
  std::error_code failed;
  std::filesystem::remove(file, failed);
  std::ofstream out{file};
  out << boot_id() << ' ' << c.set_at.time_since_epoch().count() << ' ' << c.steady_at_set.time_since_epoch().count()
      << '\n';
  std::filesystem::permissions(file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write, failed);
  if (!out.flush() || failed)
    throw node_error{"cannot write " + file.string() + ", by which the next start goes on with the clock of this one"};
}

} // namespace

actors::node_clock clock_set_now() {
  return {std::chrono::time_point_cast<workflow::span>(std::chrono::system_clock::now()), steady::clock::now()};
}

actors::node_clock clock_of_this_boot(const std::filesystem::path& file) {
  const auto now = clock_set_now();
  if (const auto before = clock_in(file); before && agrees(*before, now))
    return *before;
  write(now, file);
  return now;
}

} // namespace steadfast
