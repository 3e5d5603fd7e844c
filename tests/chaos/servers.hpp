#pragma once

#include "tests/postgres/server.hpp"
#include "tests/support/processes/hosts.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace chaos {

inline constexpr std::uint32_t server_count = 2;

/// A PostgreSQL and the standby that its commits wait for, each on a host of its own, without a store. While one of
/// them is lost, commits wait for nobody.
class servers {
public:
  virtual ~servers() = default;

  virtual std::string url() const = 0;
  /// Both are there, and commits wait for the standby. REQUIRES: none is frozen.
  virtual bool are_in_sync() const = 0;

  virtual void kill(std::uint32_t which) = 0;
  virtual void start(std::uint32_t which) = 0;
  virtual void signal(std::uint32_t which, int number) = 0;
  /// With its disk. If it was the primary, the other is promoted. REQUIRES: are_in_sync().
  virtual void lose(std::uint32_t which) = 0;
  /// With an empty disk, where one was lost.
  virtual void add_standby(std::uint32_t which) = 0;
  /// In good order the standby becomes the primary. REQUIRES: somebody looks after them who can do it.
  virtual void switch_over() = 0;
};

/// This program promotes the standby, and only when the primary is lost.
class servers_by_hand : public servers {
public:
  /// On that host and the next.
  servers_by_hand(const steadfast::tests::hosts& on, std::uint32_t host);

  std::string url() const override;
  bool are_in_sync() const override;
  void kill(std::uint32_t which) override { at(which).kill(); }
  void start(std::uint32_t which) override { at(which).start(); }
  void signal(std::uint32_t which, int number) override { at(which).signal_all(number); }
  void lose(std::uint32_t which) override;
  void add_standby(std::uint32_t which) override;
  void switch_over() override {}

private:
  steadfast::tests::postgres_server& at(std::uint32_t which) const { return *both_.at(which); }
  steadfast::tests::server_place place_of(std::uint32_t which) const;

  const steadfast::tests::hosts& hosts_;
  std::uint32_t first_host_;
  std::array<std::uint16_t, server_count> ports_{};
  std::array<std::unique_ptr<steadfast::tests::postgres_server>, server_count> both_;
  std::uint32_t primary_ = 0;
};

} // namespace chaos
