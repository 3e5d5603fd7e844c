#pragma once

#include "tests/postgres/server.hpp"
#include "tests/support/processes/hosts.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace chaos {

/// A PostgreSQL and the standby that its commits wait for, each on a host of its own, with an empty store. While one of
/// them is lost, commits wait for nobody.
class servers {
public:
  /// On that host and the next.
  servers(const steadfast::tests::hosts& on, std::uint32_t host);

  std::string url() const;
  /// Both are there, and commits wait for the standby. REQUIRES: none is frozen.
  bool are_in_sync() const;

  void kill(std::uint32_t which) { at(which).kill(); }
  void start(std::uint32_t which) { at(which).start(); }
  void signal(std::uint32_t which, int number) { at(which).signal_all(number); }
  /// With its disk. If it was the primary, the other is promoted. REQUIRES: are_in_sync().
  void lose(std::uint32_t which);
  /// With an empty disk, where one was lost.
  void add_standby(std::uint32_t which);

private:
  steadfast::tests::postgres_server& at(std::uint32_t which) const { return *both_.at(which); }
  steadfast::tests::server_place place_of(std::uint32_t which) const;

  const steadfast::tests::hosts& hosts_;
  std::uint32_t first_host_;
  std::array<std::uint16_t, 2> ports_{};
  std::array<std::unique_ptr<steadfast::tests::postgres_server>, 2> both_;
  std::uint32_t primary_ = 0;
};

} // namespace chaos
