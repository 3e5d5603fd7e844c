#include "tests/chaos/fault.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

namespace chaos {

namespace {

using namespace std::chrono_literals;

// A clock that is years wrong on the store's host would, after a restart, make tasks wait for years: retries are
// delayed by what a clock is wrong. There it is wrong by seconds; on a server, each host may be that of the store.
constexpr std::array<std::chrono::seconds, 6> wrong_anywhere{3600s, -3600s, 87'600h, -24h, 10s, -10s};
constexpr std::array<std::chrono::seconds, 4> wrong_at_store{10s, -10s, 3s, -3s};

std::uint64_t below(std::mt19937_64& chance, std::uint64_t bound) {
  return chance() % bound; // not a distribution: those differ between libraries
}

fault_kind draw_kind_for_server(std::mt19937_64& chance, const abilities& a) {
  std::vector<fault_kind> all{fault_kind::kill, fault_kind::lose, fault_kind::lose, fault_kind::freeze,
                              fault_kind::freeze};
  if (a.cuts)
    all.insert(all.end(), {fault_kind::cut, fault_kind::cut, fault_kind::cut_one_way});
  if (a.arbiters > 0)
    all.insert(all.end(), {fault_kind::switch_over, fault_kind::switch_over});
  return all[below(chance, all.size())];
}

fault_kind draw_kind(std::mt19937_64& chance, const abilities& a) {
  std::vector<fault_kind> all{fault_kind::kill, fault_kind::kill, fault_kind::stop, fault_kind::freeze,
                              fault_kind::freeze};
  if (a.cuts)
    all.insert(all.end(), {fault_kind::cut, fault_kind::cut, fault_kind::cut_one_way, fault_kind::cut_one_way});
  if (a.clocks)
    all.push_back(fault_kind::set_clock);
  return all[below(chance, all.size())];
}

std::chrono::milliseconds draw_length(std::mt19937_64& chance, fault_kind kind, std::chrono::milliseconds ttl) {
  const auto part = std::chrono::milliseconds{below(chance, 1000)};
  switch (kind) {
    case fault_kind::kill:
    case fault_kind::stop: return 200ms + 2 * part;
    case fault_kind::lose: return 1s + part;
    case fault_kind::switch_over:
    case fault_kind::set_clock: return 0ms;
    default: return below(chance, 2) == 0 ? 300ms + 2 * part : ttl + 1s + 2 * part;
  }
}

} // namespace

std::string node_name(std::uint32_t node) {
  return "node-" + std::to_string(node + 1);
}

std::string host_name(std::uint32_t host, const abilities& a) {
  if (host >= a.nodes + a.servers)
    return "etcd";
  return host < a.nodes ? node_name(host) : "server-" + std::to_string(host - a.nodes + 1);
}

fault draw(std::mt19937_64& chance, const abilities& a) {
  fault f;
  const auto hosts = a.nodes + a.servers + a.arbiters;
  const bool is_at_server = a.servers > 0 && below(chance, 3) == 0;
  f.kind = is_at_server ? draw_kind_for_server(chance, a) : draw_kind(chance, a);
  f.host = is_at_server ? a.nodes + static_cast<std::uint32_t>(below(chance, a.servers))
                        : static_cast<std::uint32_t>(below(chance, a.nodes));
  f.other = (f.host + 1 + static_cast<std::uint32_t>(below(chance, hosts - 1))) % hosts;
  f.lasts = draw_length(chance, f.kind, is_at_server ? a.primary_ttl : a.ttl);
  f.wrong_by = f.host == 0 || a.servers > 0 ? wrong_at_store[below(chance, wrong_at_store.size())]
                                            : wrong_anywhere[below(chance, wrong_anywhere.size())];
  return f;
}

std::string text_of(const fault& f, const abilities& a) {
  const auto node = host_name(f.host, a);
  const auto other = host_name(f.other, a);
  const auto seconds = static_cast<double>(f.lasts.count()) / 1000;
  switch (f.kind) {
    case fault_kind::kill: return fmt::format("{} is killed, and started again after {:.1f} s", node, seconds);
    case fault_kind::stop: return fmt::format("{} is told to stop, and started again after {:.1f} s", node, seconds);
    case fault_kind::freeze: return fmt::format("{} is frozen for {:.1f} s", node, seconds);
    case fault_kind::cut:
      return fmt::format("{} and {} are cut off from each other for {:.1f} s", node, other, seconds);
    case fault_kind::cut_one_way:
      return fmt::format("what {} sends does not reach {} for {:.1f} s", node, other, seconds);
    case fault_kind::set_clock:
      return fmt::format("the clock of {} is wrong by {} s from now on", node, f.wrong_by.count());
    case fault_kind::switch_over: return "the standby is to become the primary";
    case fault_kind::lose:
      return fmt::format("{} is lost with its disk, and replaced by a new standby after {:.1f} s", node, seconds);
  }
  return {};
}

} // namespace chaos
