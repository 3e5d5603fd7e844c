// When a webhook looks for what waits in the store: at once after a change, and otherwise hardly ever.

#include "actors/supervising/webhook.hpp"
#include "tests/actors/one_node.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <vector>

using namespace steadfast;
using namespace std::chrono_literals;
using actors::report_kind;
using tests::one_node;

namespace {

using bodies = std::vector<std::string>;

/// A receiver that takes everything at once.
class taking_receiver : public actors::caller {
public:
  explicit taking_receiver(std::shared_ptr<bodies> taken) : taken_{std::move(taken)} {}

  const char* kind() const override { return "function"; }
  std::optional<actors::answer> start(actors::call_ticket, actors::call what) override {
    taken_->push_back(what.input);
    return actors::succeeded();
  }
  void stop(actors::call_ticket) override {}

private:
  std::shared_ptr<bodies> taken_;
};

} // namespace

TEST_CASE("a webhook is told at once of what a commit brought, and asks the store hardly ever while nothing changes") {
  const workflow::subscription all{"all", {workflow::outward_event::processed}, {}};
  tests::node_settings settings;
  settings.webhooks = {all};
  one_node node{settings};
  const auto taken = std::make_shared<bodies>();
  actors::webhook_deps deps;
  deps.what = all;
  deps.make = [taken](const actors::call_over&) { return std::make_unique<taking_receiver>(taken); };
  deps.store = node.store_actor;
  deps.reader = node.reader;
  deps.clock = node.system().clock();
  node.system().keep(actors::spawn_webhook(node.system().system(), deps));
  node.run();

  const auto at_rest = node.store().notices_read();
  node.advance(60s);
  CHECK(node.store().notices_read() - at_rest <= 31);

  REQUIRE(node.submit("trip-1")->created);
  REQUIRE(node.reaches("trip-1", "processed"));
  CHECK(node.system().advance_until([&] { return taken->size() == 1; }, 200ms));
}
