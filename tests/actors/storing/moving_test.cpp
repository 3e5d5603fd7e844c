// A store that moves from one node to another in good order.

#include "tests/actors/neighbour.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <optional>
#include <string>

using namespace steadfast;
using namespace std::chrono_literals;

namespace {

/// A link of node "b", whose store is that of `home`, as the test tells it.
struct moving_store {
  tests::one_node home;
  tests::test_node& node = home.system();
  actors::store_link_actor link = node.keep(actors::spawn_store_link(node.system(), {"b", "b"}));

  void tell(const actors::peer_changed& m) { node.tell(caf::strong_actor_ptr{}, link, m); }
  void is_at(const std::string& name) { tell({{}, true, {name, home.store_actor, home.reader, {}, {}}, {}}); }
  void is_let_go() { tell({{}, true, {"home", {}, {}, {}, {}}, "it moves"}); }
  void is_lost() { tell({{}, false, {"home", {}, {}, {}, {}}, "it is cut off"}); }

  using answer = std::shared_ptr<std::optional<actors::receipt>>;
  answer submit(const std::string& id) {
    return node.begin_to_ask<actors::receipt>(link, actors::boxed<workflow::submission>{home.order_for(id)});
  }
};

} // namespace

TEST_CASE("row 86: what is submitted while a store moves in good order waits until it is known where it is") {
  moving_store s;
  const auto before = s.submit("a");
  s.home.run();
  REQUIRE(before->has_value());
  CHECK((*before)->result == store::write_status::full); // nobody has it
  s.is_at(GENERATE("home", "b"));
  s.home.run();
  s.is_let_go();
  const auto held = s.submit("b");
  const auto page = s.node.begin_to_ask<actors::lease_page>(s.link, actors::list_leases{});
  s.home.advance(1s);
  CHECK_FALSE(held->has_value());
  CHECK_FALSE(page->has_value());
  SECTION("another node has it") {
    s.is_at("c");
  }
  SECTION("this node has it") {
    s.is_at("b");
  }
  s.home.run();
  REQUIRE(held->has_value());
  CHECK((*held)->result == store::write_status::applied);
  CHECK(page->has_value());
}

TEST_CASE("row 86: a store that has moved nowhere in time is away") {
  moving_store s;
  s.is_at("home");
  s.home.run();
  s.is_let_go();
  const auto held = s.submit("a");
  s.home.advance(4s);
  CHECK_FALSE(held->has_value());
  s.home.advance(2s);
  REQUIRE(held->has_value());
  CHECK((*held)->result == store::write_status::full);
  CHECK((*held)->retry_after > 0ms);
  const auto later = s.submit("b");
  s.home.run();
  REQUIRE(later->has_value());
  CHECK((*later)->result == store::write_status::full);
}

TEST_CASE("row 86: what was on its way to a store that was let go is answered there") {
  moving_store s;
  s.is_at("home");
  s.home.run();
  const auto on_its_way = s.submit("a");
  while (s.node.next_for<actors::flush>("store_actor") == nullptr) // it has arrived, and is not committed
    REQUIRE(s.node.step());
  s.is_let_go();
  s.is_at("c");
  s.home.run();
  REQUIRE(on_its_way->has_value());
  CHECK((*on_its_way)->result == store::write_status::applied);
}

TEST_CASE("row 86: what was on its way to a store that is lost is unknown, also while it moves") {
  moving_store s;
  s.is_at("home");
  s.home.run();
  const auto on_its_way = s.submit("a");
  while (s.node.next_for<actors::flush>("store_actor") == nullptr)
    REQUIRE(s.node.step());
  const bool moves = GENERATE(true, false);
  if (moves)
    s.is_let_go();
  else
    s.is_lost();
  while (!s.node.next_for<actors::flush>("store_actor") && s.node.ready() > 0)
    s.node.step();
  actors::exit_now(s.home.store_actor, caf::exit_reason::kill);
  s.home.run();
  REQUIRE(on_its_way->has_value());
  CHECK((*on_its_way)->result == store::write_status::unknown_outcome);
}

TEST_CASE("row 86: a store actor that was drained has answered all, and passes on what comes later") {
  moving_store s;
  actors::store_actor_deps deps;
  deps.store = std::shared_ptr<store::state_store>(&s.home.store(), [](auto*) {});
  deps.clock = s.node.clock();
  deps.next = s.home.store_actor;
  const auto drained = s.node.keep(actors::spawn_store_actor(s.node.system(), std::move(deps), false));
  const auto ask = [&](const std::string& id) {
    return s.node.begin_to_ask<actors::receipt>(drained, actors::boxed<workflow::submission>{s.home.order_for(id)});
  };
  const auto before = ask("a");
  const auto done = s.node.begin_to_ask<actors::drained>(drained, actors::drain{});
  const auto after = ask("b");
  s.home.run();
  REQUIRE(before->has_value());
  REQUIRE(done->has_value());
  REQUIRE(after->has_value());
  CHECK((*before)->result == store::write_status::applied);
  CHECK((*after)->result == store::write_status::applied);
  CHECK(s.home.task("b").id == "b");
}
