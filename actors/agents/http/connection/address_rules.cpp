#include "actors/agents/http/connection/address_rules.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace steadfast::actors {

namespace {

using boost::asio::ip::address;

bool is_metadata_number(std::uint32_t ip) {
  return (ip >> 16) == 0xA9FE // 169.254.0.0/16, link-local (RFC 3927)
         || ip == 0x646464C8; // 100.100.100.200, Alibaba Cloud
}

bool is_metadata_of_6(const boost::asio::ip::address_v6& ip) {
  constexpr std::array<unsigned char, 12> compatible{};                                     // ::/96 (RFC 4291)
  constexpr std::array<unsigned char, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF}; // ::ffff:0:0/96
  constexpr std::array<unsigned char, 12> nat64{0, 0x64, 0xFF, 0x9B};                       // 64:ff9b::/96 (RFC 6052)
  constexpr std::array<unsigned char, 16> aws{0xFD, 0, 0x0E, 0xC2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54};
  const auto bytes = ip.to_bytes();
  if (bytes[0] == 0xFE && (bytes[1] & 0xC0) == 0x80) // fe80::/10
    return true;
  if (bytes == aws) // fd00:ec2::254
    return true;
  const auto begins_with = [&](const auto& prefix) { return std::equal(prefix.begin(), prefix.end(), bytes.begin()); };
  if (!begins_with(compatible) && !begins_with(mapped) && !begins_with(nat64))
    return false;
  std::uint32_t inner = 0;
  for (std::size_t i = 12; i < bytes.size(); ++i)
    inner = inner << 8 | bytes[i];
  return is_metadata_number(inner);
}

} // namespace

bool is_metadata(const address& ip) {
  return ip.is_v4() ? is_metadata_number(ip.to_v4().to_uint()) : is_metadata_of_6(ip.to_v6());
}

std::vector<address> in_turns(const std::vector<address>& all) {
  std::deque<address> first;
  std::deque<address> second;
  for (const auto& ip : all)
    (ip.is_v4() == all.front().is_v4() ? first : second).push_back(ip);
  std::vector<address> ordered;
  for (; (!first.empty() || !second.empty()) && ordered.size() < addresses_max; first.swap(second)) {
    if (first.empty())
      first.swap(second);
    ordered.push_back(first.front());
    first.pop_front();
  }
  return ordered;
}

} // namespace steadfast::actors
