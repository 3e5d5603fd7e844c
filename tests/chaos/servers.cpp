#include "tests/chaos/servers.hpp"

#include "tests/support/comes_true.hpp"

#include <stdexcept>

namespace chaos {

namespace {

using steadfast::tests::postgres_server;

/// So that what was cut is noticed, and joined again, within the time of a run.
constexpr const char* settings =
  "wal_sender_timeout = 4s\nwal_receiver_timeout = 4s\nwal_retrieve_retry_interval = 500ms\n";
constexpr const char* standby_name = "standby";

} // namespace

servers_by_hand::servers_by_hand(const steadfast::tests::hosts& on, std::uint32_t host)
    : hosts_{on},
      first_host_{host} {
  both_[0] = std::make_unique<postgres_server>(settings, place_of(0));
  ports_[0] = at(0).port();
  add_standby(1);
  ports_[1] = at(1).port();
}

steadfast::tests::server_place servers_by_hand::place_of(std::uint32_t which) const {
  return {hosts_.address(first_host_ + which), ports_.at(which), hosts_.command_on(first_host_ + which, {})};
}

std::string servers_by_hand::url() const {
  return steadfast::tests::url_of({both_[0].get(), both_[1].get()});
}

bool servers_by_hand::are_in_sync() const {
  return both_[0] && both_[1] && has_standby(at(primary_), "sync");
}

/// The names are set when it is there, so that it does not get them: once it is promoted it has no standby.
void servers_by_hand::add_standby(std::uint32_t which) {
  both_.at(which) = std::make_unique<postgres_server>(at(primary_), standby_name, place_of(which));
  at(primary_).set("synchronous_standby_names", standby_name);
  if (!steadfast::tests::comes_true([this] { return are_in_sync(); }))
    throw std::runtime_error{"the standby does not keep up with its primary"};
}

void servers_by_hand::lose(std::uint32_t which) {
  at(which).kill();
  both_.at(which).reset();
  const auto other = 1 - which;
  if (which == primary_)
    at(other).promote();
  else
    at(other).set("synchronous_standby_names", "");
  primary_ = other;
}

} // namespace chaos
