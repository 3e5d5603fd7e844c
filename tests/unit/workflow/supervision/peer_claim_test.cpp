#include "workflow/supervision/peer_claim.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using Catch::Matchers::Contains;

TEST_CASE("a certificate vouches for one name, and for what is no more than its kind") {
  const auto why = [](peer_kind highest, peer_kind claimed) {
    return why_not_vouched({"b", highest}, {"p", claimed, "b"});
  };
  for (const auto highest : {peer_kind::client, peer_kind::node, peer_kind::store})
    for (const auto claimed : {peer_kind::client, peer_kind::node, peer_kind::store})
      CHECK(why(highest, claimed).empty() == (claimed <= highest));
  CHECK_THAT(why_not_vouched({"b", peer_kind::store}, {"p", peer_kind::client, "c"}), Contains("that of `b`"));
  CHECK_THAT(why_not_vouched({"", peer_kind::store}, {"p", peer_kind::client, ""}), Contains("does not say who it is"));
  CHECK_THAT(why_not_vouched({"b", std::nullopt}, {"p", peer_kind::client, "b"}), Contains("does not say who it is"));
}

TEST_CASE("kinds of peers have names, and other words name none") {
  for (const auto k : {peer_kind::client, peer_kind::node, peer_kind::store})
    CHECK(parse_peer_kind(to_string(k)) == k);
  CHECK_FALSE(parse_peer_kind("king"));
}
