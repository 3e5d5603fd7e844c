// A store that moves from one node to another in good order.

#include "actors/storing/partition_reader.hpp"
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
  std::shared_ptr<store::local_store> store{&home.store(), [](auto*) {}};
  actors::store_actor next = spawn_one_more(); ///< of node "c"

  void tell(const actors::peer_changed& m) { node.tell(caf::strong_actor_ptr{}, link, m); }
  actors::own_store_actor spawn_one_more() {
    actors::store_actor_deps deps;
    deps.store = store;
    deps.files = store;
    deps.clock = node.clock();
    deps.next = home.store_actor;
    return node.keep(actors::spawn_store_actor(node.system(), std::move(deps), false));
  }
  void is_at(const std::string& name, const actors::reader_actor& reader) {
    tell({name + ":1", true, {name, name == "c" ? next : home.store_actor, reader, {}, {}}, {}});
  }
  void is_at(const std::string& name) { is_at(name, home.reader); }
  void is_let_go() { tell({"home:1", true, {"home", {}, {}, {}, {}}, "it moves"}); }
  void is_lost() { tell({"home:1", false, {"home", {}, {}, {}, {}}, "it is cut off"}); }
  void is_said_to_be_at_c() { tell({"c:1", false, {}, "not connected yet"}); }

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
  SECTION("its node says so") {
    s.is_let_go();
  }
  SECTION("the server says so first") {
    s.is_said_to_be_at_c();
    const auto held = s.submit("b");
    for (int i = 0; i < 3; ++i)
      s.node.step();
    CHECK_FALSE(held->has_value());
  }
  SECTION("the next owner says so first") {}
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
  const auto drained = s.spawn_one_more();
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

TEST_CASE("row 86: what a store actor that was drained has committed is saved, since nobody else brings that about") {
  moving_store s;
  const auto drained = s.spawn_one_more();
  const auto before = s.home.store().saves();
  const auto receipt =
    s.node.begin_to_ask<actors::receipt>(drained, actors::boxed<workflow::submission>{s.home.order_for("a")});
  const auto done = s.node.begin_to_ask<actors::drained>(drained, actors::drain{});
  while (!done->has_value())
    REQUIRE(s.node.step());
  CHECK(receipt->has_value());
  CHECK(s.home.store().saves() == before + 1);
}

TEST_CASE("row 86: what a reader that ends has not answered is asked again where the store is next") {
  moving_store s;
  auto reader = s.node.keep(actors::spawn_reader(s.node.system(), {s.store, nullptr, {}, s.node.clock()}, false));
  const bool ends_in_silence = GENERATE(true, false); // before it, another one has taken the question on
  if (ends_in_silence)
    reader = s.node.keep(actors::spawn_partition_reader(s.node.system(), {reader}));
  s.is_at("home", reader);
  s.home.run();
  const auto leases = s.node.begin_to_ask<actors::lease_page>(s.link, actors::list_leases{});
  while (s.node.next_for<actors::list_leases>("reader") == nullptr)
    REQUIRE(s.node.step());
  const bool is_known_first = GENERATE(true, false);
  if (is_known_first)
    s.is_at("c");
  actors::exit_now(reader);
  s.home.run();
  CHECK(leases->has_value() == is_known_first);
  s.is_at("c");
  s.home.run();
  CHECK(leases->has_value());
}
