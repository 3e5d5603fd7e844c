#include "actors/agents/http/connection/address_rules.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace steadfast::actors;
using boost::asio::ip::address;
using boost::asio::ip::make_address;

TEST_CASE("P32: addresses where clouds keep credentials are known in every form") {
  for (const auto* ip :
       {"169.254.169.254", "169.254.0.1", "100.100.100.200", "fe80::1", "febf::1", "fd00:ec2::254",
        "::ffff:169.254.169.254", "::169.254.169.254", "64:ff9b::169.254.169.254", "::ffff:100.100.100.200"}) {
    INFO(ip);
    CHECK(is_metadata(make_address(ip)));
  }
  for (const auto* ip :
       {"169.253.255.255", "169.255.0.1", "100.100.100.201", "127.0.0.1", "10.0.0.1", "::1", "fec0::1", "fd00:ec2::253",
        "::ffff:10.0.0.1", "64:ff9b::10.0.0.1", "65:ff9b::169.254.169.254", "2001:db8::169.254.169.254"}) {
    INFO(ip);
    CHECK_FALSE(is_metadata(make_address(ip)));
  }
}

TEST_CASE("addresses of the two families are tried in turns") {
  const auto ordered = [](const std::vector<const char*>& all) {
    std::vector<address> given;
    for (const auto* ip : all)
      given.push_back(make_address(ip));
    std::string text;
    for (const auto& ip : in_turns(given))
      text += ip.to_string() + ' ';
    return text;
  };
  CHECK(ordered({"::1", "::2", "::3", "1.1.1.1"}) == "::1 1.1.1.1 ::2 ::3 ");
  CHECK(ordered({"1.1.1.1", "::1", "1.1.1.2", "::2"}) == "1.1.1.1 ::1 1.1.1.2 ::2 ");
  CHECK(ordered({"1.1.1.1", "1.1.1.2"}) == "1.1.1.1 1.1.1.2 ");
  CHECK(ordered({}).empty());
  CHECK(in_turns(std::vector<address>(100, make_address("::1"))).size() == addresses_max);
}
