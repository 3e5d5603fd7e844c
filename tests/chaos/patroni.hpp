#pragma once

#include "tests/chaos/servers.hpp"
#include "tests/support/processes/run_program.hpp"
#include "tests/support/temp_folder.hpp"

#include <filesystem>

namespace chaos {

/// Patroni looks after them: it promotes the standby when the primary is silent for ten seconds, and makes a former
/// primary follow. It agrees by way of an etcd on a host of its own, which never ends.
class servers_by_patroni : public servers {
public:
  /// Why they cannot be started on this machine; empty: they can.
  static std::string why_not();

  /// On that host and the next; the one after those is etcd's. What they log is in `logs`. Throws std::runtime_error.
  servers_by_patroni(const steadfast::tests::hosts& on, std::uint32_t host, std::filesystem::path logs);
  ~servers_by_patroni() override;

  std::string url() const override { return url_as("app"); }
  bool are_in_sync() const override;
  void kill(std::uint32_t which) override;
  void start(std::uint32_t which) override;
  void signal(std::uint32_t which, int number) override;
  void lose(std::uint32_t which) override;
  void add_standby(std::uint32_t which) override { start(which); }
  void switch_over() override;

private:
  struct place {
    std::filesystem::path folder;
    std::string address;
    std::uint16_t port = 0;     ///< of PostgreSQL
    std::uint16_t api_port = 0; ///< of Patroni
  };

  std::string url_as(const std::string& role) const;
  std::string of_primary() const; ///< for a superuser
  void start_etcd(std::uint16_t port, std::uint16_t peer_port);
  void write_configuration(const place& p, std::uint32_t which) const;
  std::filesystem::path log_of(const std::filesystem::path& folder) const;
  std::unique_ptr<steadfast::tests::running_program> run_on(std::uint32_t host, const std::filesystem::path& folder,
                                                            const std::string& command) const;

  const steadfast::tests::hosts& hosts_;
  std::uint32_t first_host_;
  std::filesystem::path logs_;
  steadfast::tests::temp_folder folder_;
  std::array<place, server_count> places_;
  std::string etcd_address_;
  std::unique_ptr<steadfast::tests::running_program> etcd_;
  std::array<std::unique_ptr<steadfast::tests::running_program>, server_count> patronis_;
  std::unique_ptr<steadfast::tests::running_program> switching_;
};

} // namespace chaos
