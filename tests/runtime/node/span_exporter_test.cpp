// Spans that cannot be told of are dropped, and nothing else comes to harm.

#include "runtime/node/span_exporter.hpp"
#include "store/contract/wrapped_store.hpp"
#include "tests/support/comes_true.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

using namespace steadfast;
using namespace steadfast::tests;

namespace {

/// Its tasks cannot be read, as those that left the memory while PostgreSQL is away.
class unreadable_store final : public store::wrapped_store {
public:
  std::optional<workflow::task> find(std::uint64_t /*number*/) const override {
    throw store::store_error{"the server is away", false};
  }

private:
  store::local_store& real() const override { throw store::store_error{"there is none", false}; }
};

} // namespace

TEST_CASE("row 149: the spans of tasks that cannot be read are dropped and counted, and the node goes on") {
  tracing_options options;
  options.collector.url = "http://127.0.0.1:9/v1/traces";
  const auto figures = std::make_shared<trace_figures>();
  span_exporter exporter{options, "n1", std::make_shared<unreadable_store>(), figures};
  for (std::uint64_t i = 1; i <= 3; ++i) {
    exporter.on_end(i);
    CHECK(comes_true([&] { return figures->dropped == i; }));
  }
  CHECK(figures->sent == 0);
}
