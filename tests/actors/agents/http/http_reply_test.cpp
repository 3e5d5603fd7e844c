#include "actors/agents/http/messages/http_reply.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::actors;

TEST_CASE("row 75: a call without an answer may have acted if any of it was sent, and is not settled") {
  http_options o;
  o.url = "https://host.test/canary?canary";
  for (const auto why : {broken_call::cause::lost, broken_call::cause::no_http, broken_call::cause::large_headers,
                         broken_call::cause::not_connected})
    for (const std::size_t sent : {0UL, 1UL}) {
      const auto a = answer_of(broken_call{why, "refused", sent}, o, 1000);
      INFO(a.why);
      CHECK(a.kind == report_kind::failed_transient);
      CHECK(a.maybe_done == (sent > 0));
      CHECK(a.unsettled == (sent > 0));
      CHECK_THAT(a.why, Catch::EndsWith(" (https://host.test)"));
    }
  const auto large = answer_of(broken_call{broken_call::cause::large_body, {}, 1}, o, 1000);
  CHECK(large.kind == report_kind::failed_permanent);
  CHECK(large.maybe_done);
  const auto refused = answer_of(broken_call{broken_call::cause::refused_address, {}, 0}, o, 1000);
  CHECK(refused.kind == report_kind::failed_permanent);
  CHECK_FALSE(refused.maybe_done);
  CHECK_THAT(refused.why, !Catch::Contains("canary"));
}
