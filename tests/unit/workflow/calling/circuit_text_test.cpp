#include "workflow/calling/circuit_text.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using namespace std::chrono_literals;

namespace {

constexpr instant opens_again{1'767'268'800'000ms}; // 2026-01-01T12:00:00Z

circuit open_until(instant at) {
  circuit c;
  c.state = circuit_state::open;
  c.open_until = at;
  return c;
}

} // namespace

TEST_CASE("an open circuit is told with its end, or with who holds it open") {
  CHECK(circuit_text("payment", open_until(opens_again), {})
        == "circuit for `payment` open until 2026-01-01T12:00:00Z");
  CHECK(circuit_text("payment", open_until(never), "ann (they deploy)")
        == "circuit for `payment` held open by ann (they deploy)");
}

TEST_CASE("what an agent tells of its circuit is left out of a failure, before it and after it") {
  const std::string why = "HTTP 503: no stock";
  for (const auto& c :
       {circuit_text("payment", open_until(opens_again), {}), circuit_text("payment", open_until(never), "ann")}) {
    CHECK(without_circuit(with_last_failure(c, opens_again, why)) == why);
    CHECK(without_circuit(why + "; " + c) == why);
    CHECK(without_circuit(c) == c);
  }
  CHECK(without_circuit(why) == why);
}
