// Which store a node uses, of those that it knows.

#include "tests/actors/neighbour.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace steadfast;
using namespace std::chrono_literals;
using namespace std::string_literals;

TEST_CASE("a node uses the store of the node that has it now, also if the one that had it does not know yet") {
  tests::one_node home;
  tests::address_book book{home};
  auto& node = home.system();
  std::map<std::string, bool> has_store;
  std::map<std::string, actors::node_front> fronts;
  for (const auto* name : {"x", "y"}) {
    const auto own = [&has = has_store[name], &home] {
      return has ? actors::offered_store{home.store_actor, home.reader, {}} : actors::offered_store{};
    };
    actors::front_deps deps{{name, {}, {}, {}, {}}, node.clock()};
    deps.own_store = own;
    fronts[name] = node.keep(actors::spawn_front(node.system(), std::move(deps)));
    book.add(name + ":1"s, {fronts[name]});
  }
  tests::recorder<actors::peer_changed> link{node.system()};
  actors::membership_deps deps;
  deps.own_name = "b";
  deps.join = {"x:1", "y:1"};
  deps.dialer = book.dialer();
  deps.reader = home.reader;
  deps.link = link.handle();
  deps.clock = node.clock();
  std::size_t times = 0; // asked for, since the link was told something new
  deps.on_time = [&](std::size_t, const workflow::clock_sample&) { times += link.seen().empty() ? 0 : 1; };
  const auto membership = node.keep(actors::spawn_membership(node.system(), std::move(deps)));
  const auto last = [&](workflow::span wait) {
    home.advance(wait);
    const auto told = link.take();
    return told.empty() ? "nothing new"s : told.back().trouble.empty() ? told.back().offer.node : told.back().trouble;
  };
  CHECK(last(1s) == "node x does not have it now");
  has_store["x"] = true;
  CHECK(last(500ms) == "x");
  times = 0;
  has_store["y"] = true; // x is cut off from the server, or was frozen
  CHECK(node.advance_until([&] { return !link.seen().empty(); }, 2100ms));
  home.run();
  CHECK(times == 1); // until its clock is known, agents take no orders
  CHECK(last(0ms) == "y");
  actors::exit_now(fronts["x"], caf::exit_reason::kill);
  book.remove("x:1");
  CHECK(last(3s) == "nothing new");
  SECTION("one that is only connected again has not begun to have it") {
    actors::front_deps again{{"x", home.store_actor, home.reader, {}, {}}, node.clock()};
    book.add("x:1", {node.keep(actors::spawn_front(node.system(), std::move(again)))});
    CHECK(last(10s) == "nothing new");
  }
  SECTION("none has it") {
    has_store["y"] = false;
    actors::exit_now(fronts["y"], caf::exit_reason::kill);
    CHECK_THAT(last(10s), Catch::Contains("node y at y:1 has been away since"));
  }
  SECTION("its server says who has it") {
    has_store["z"] = true;
    book.add("z:1", {node.keep(actors::spawn_front(node.system(),
                                                   {{"z", home.store_actor, home.reader, {}, {}}, node.clock()}))});
    node.tell(caf::strong_actor_ptr{}, membership, actors::store_moved{"z", "z:1"});
    CHECK(last(1s) == "z");
    node.tell(caf::strong_actor_ptr{}, membership, actors::store_moved{"u", ""});
    CHECK(last(0ms) == "node u has it, and listens nowhere (cluster.listen)");
    node.tell(caf::strong_actor_ptr{}, membership, actors::store_moved{"b", "", {home.store_actor, home.reader}});
    CHECK(last(0ms) == "b");
    for (const bool has : {false, true}) { // it begins to have it, as others would say
      has_store["y"] = has;
      CHECK(last(10s) == "nothing new"); // this node has it for as long as it runs
    }
    node.tell(caf::strong_actor_ptr{}, membership, actors::store_moved{"u", ""});
    CHECK(last(10s) == "nothing new");
  }
}

namespace {

/// Nodes "x" and "y", one of which has the store, and node "b", whose link is told where it is.
struct two_that_may_have_it {
  tests::one_node home;
  tests::address_book book{home};
  tests::test_node& node = home.system();
  actors::reader_actor reader = node.keep(actors::spawn_reader(
    node.system(), {std::shared_ptr<store::state_store>(&home.store(), [](auto*) {}), nullptr, {}, node.clock()},
    false)); ///< of x
  bool x_has_it = true;
  tests::recorder<actors::peer_changed> link{node.system()};
  int partings = 0;
  actors::membership_actor membership = spawn_all();

  actors::membership_actor spawn_all() {
    for (const auto* name : {"x", "y"}) {
      actors::front_deps deps{{name, {}, {}, {}, {}}, node.clock()};
      deps.own_store = [&, is_x = *name == 'x'] {
        return is_x == x_has_it ? actors::offered_store{home.store_actor, is_x ? reader : home.reader, {}}
                                : actors::offered_store{};
      };
      book.add(name + ":1"s, {node.keep(actors::spawn_front(node.system(), std::move(deps)))});
    }
    actors::membership_deps deps;
    deps.own_name = "b";
    deps.join = {"x:1", "y:1"};
    deps.dialer = book.dialer();
    deps.reader = home.reader;
    deps.link = link.handle();
    deps.clock = node.clock();
    deps.on_parting = [this] { ++partings; };
    return node.keep(actors::spawn_membership(node.system(), std::move(deps)));
  }
  /// By the word of the server.
  void say_it_is_at(const std::string& name) {
    node.tell(caf::strong_actor_ptr{}, membership, actors::store_moved{name, name + ":1"});
    home.run();
  }
};

} // namespace

TEST_CASE("row 86: a node learns at once that the store was let go, and looks often where it is") {
  two_that_may_have_it c;
  c.home.advance(1s);
  REQUIRE(c.link.take().back().offer.node == "x");
  c.x_has_it = false;
  SECTION("the reader ends") {
    actors::exit_now(c.reader);
  }
  SECTION("the server says so first") {
    c.say_it_is_at("y");
  }
  c.home.run();
  const auto told = c.link.take();
  REQUIRE_FALSE(told.empty());
  CHECK(told.front().connected);
  CHECK_FALSE(told.front().offer.store_actor);
  CHECK(c.partings == 1);
  c.home.advance(30ms);
  const auto later = c.link.take();
  CHECK((later.empty() ? told : later).back().offer.node == "y");
  CHECK(c.partings == 1);
}

TEST_CASE("row 86: a node that let the store go is known not to have it, also if another was known to have it before") {
  two_that_may_have_it c;
  c.home.advance(1s);
  REQUIRE(c.link.take().back().offer.node == "x");
  c.x_has_it = false;
  c.say_it_is_at("y");
  c.home.advance(30ms);
  REQUIRE(c.link.take().back().offer.node == "y");
  actors::exit_now(c.reader);
  c.home.run();
  c.say_it_is_at("x");
  const auto told = c.link.take();
  REQUIRE_FALSE(told.empty());
  CHECK(told.back().trouble == "node x does not have it now");
  for (const auto& m : told) // not for a moment
    CHECK_FALSE((m.offer.node == "x" && m.offer.store_actor));
}

namespace {

/// Node "x" has a store of two partitions; node "b" was made for one of `expected`.
struct store_of_two {
  tests::one_node home;
  tests::address_book book{home};
  tests::test_node& node = home.system();
  std::vector<actors::store_share> partitions = {
    {{home.store_actor, home.reader}, workflow::instant{1ms}},
    {{home.store_actor, node.keep(spawn_other_reader())}, workflow::instant{2ms}}};
  tests::recorder<actors::peer_changed> link{node.system()};
  bool has_it = true;
  bool gives_turns = true;
  tests::recorder<actors::peer_changed> first{node.system()};
  tests::recorder<actors::peer_changed> second{node.system()};

  store_of_two(std::size_t expected, bool tells_partitions, bool is_whole = false, bool may_have_store = true) {
    gives_turns = may_have_store;
    if (is_whole)
      partitions.clear();
    actors::front_deps deps{{"x", {}, {}, {}, {}}, node.clock()};
    deps.own_store = [this] {
      if (!has_it)
        return actors::offered_store{};
      return gives_turns ? actors::offered_store{home.store_actor, home.reader, {}, partitions}
                         : actors::offered_store{{}, {}, {}, partitions};
    };
    const auto front = node.keep(actors::spawn_front(node.system(), std::move(deps)));
    book.add("x:1", {front, {}, may_have_store, tells_partitions});
    actors::membership_deps of;
    of.own_name = "b";
    of.join = {"x:1", "y:1"};
    of.dialer = book.dialer();
    of.reader = home.reader;
    of.link = link.handle();
    of.clock = node.clock();
    if (expected > 1)
      of.partitions = {first.handle(), second.handle()};
    node.keep(actors::spawn_membership(node.system(), std::move(of)));
    home.advance(1s);
  }

  actors::reader_actor spawn_other_reader() {
    return actors::spawn_reader(
      node.system(), {std::shared_ptr<store::state_store>(&home.store(), [](auto*) {}), nullptr, {}, node.clock()},
      false);
  }
};

} // namespace

TEST_CASE("a node has a link for each partition of the store, which is told where that is, and where it is no more") {
  store_of_two c{2, true};
  REQUIRE_FALSE(c.link.seen().empty());
  CHECK(c.link.take().back().offer.store_actor == c.home.store_actor);
  CHECK(c.first.take().back().offer.reader == c.partitions[0].ends.reader);
  CHECK(c.second.take().back().offer.reader == c.partitions[1].ends.reader);
  c.has_it = false;
  actors::exit_now(c.home.reader); // it lets it go
  c.home.advance(100ms);
  for (auto* const link : {&c.link, &c.first, &c.second}) {
    REQUIRE_FALSE(link->seen().empty());
    CHECK_FALSE(link->take().back().offer.store_actor);
  }
}

TEST_CASE("P34: a node that may have no store by its certificate is not believed to have a partition of one") {
  store_of_two c{2, true, false, false};
  REQUIRE_FALSE(c.first.seen().empty());
  const auto told = c.first.take().back();
  CHECK_FALSE(told.offer.store_actor);
  CHECK_THAT(told.trouble, Catch::Contains("it offers a store, and its certificate is not for that"));
}

TEST_CASE("row 147: each partition is followed by itself: its node, its clock, and where it moves to") {
  tests::one_node home;
  tests::address_book book{home};
  auto& node = home.system();
  std::map<std::string, std::vector<actors::store_share>> shares{{"x", {{}, {}}}, {"y", {{}, {}}}};
  const auto give = [&](const std::string& to, std::size_t partition, workflow::instant clock) {
    for (auto& [name, has] : shares)
      has[partition] = {};
    shares[to][partition] = {{home.store_actor, home.reader}, clock};
  };
  give("x", 0, workflow::instant{1ms});
  give("y", 1, workflow::instant{2ms});
  for (const auto* name : {"x", "y"}) {
    actors::front_deps deps{{name, {}, {}, {}, {}}, node.clock()};
    deps.own_store = [&has = shares[name], &home] {
      actors::offered_store offered;
      if (has[0].ends.store_actor) {
        offered.store_actor = home.store_actor;
        offered.reader = home.reader;
      }
      offered.partitions = has;
      return offered;
    };
    book.add(name + ":1"s, {node.keep(actors::spawn_front(node.system(), std::move(deps))), {}, true, true});
  }
  std::vector<std::unique_ptr<tests::recorder<actors::peer_changed>>> links; // that of the whole is the last
  for (int i = 0; i < 3; ++i)
    links.push_back(std::make_unique<tests::recorder<actors::peer_changed>>(node.system()));
  const auto told = [&](std::size_t link) {
    const auto all = links[link]->take();
    return all.empty() ? "nothing new"s : all.back().offer.store_actor ? all.back().offer.node : all.back().trouble;
  };
  actors::membership_deps deps;
  deps.own_name = "b";
  deps.join = {"x:1", "y:1"};
  deps.dialer = book.dialer();
  deps.reader = home.reader;
  deps.link = links[2]->handle();
  deps.partitions = {links[0]->handle(), links[1]->handle()};
  deps.clock = node.clock();
  std::map<std::size_t, workflow::instant> clocks;
  deps.on_time = [&](std::size_t partition, const workflow::clock_sample& s) { clocks[partition] = s.set_at; };
  node.keep(actors::spawn_membership(node.system(), std::move(deps)));
  home.advance(1s);
  CHECK(told(0) == "x");
  CHECK(told(1) == "y");
  CHECK(told(2) == "x");
  CHECK(clocks == std::map<std::size_t, workflow::instant>{{0, workflow::instant{1ms}}, {1, workflow::instant{2ms}}});
  SECTION("the second goes to the node that has the first") {
    give("x", 1, workflow::instant{3ms});
    home.advance(5s);
    CHECK(told(1) == "x");
    CHECK(told(0) == "x");
    CHECK(clocks[1] == workflow::instant{3ms});
    CHECK(clocks[0] == workflow::instant{1ms});
  }
  SECTION("the first goes to the node that has the second, and with it whoever gives turns") {
    give("y", 0, workflow::instant{3ms});
    home.advance(5s);
    CHECK(told(0) == "y");
    CHECK(told(2) == "y");
    CHECK(told(1) == "y");
    CHECK(clocks[0] == workflow::instant{3ms});
  }
  SECTION("nobody has the second") {
    shares["y"][1] = {};
    home.advance(5s);
    CHECK(told(1) == "node y does not have it now");
    CHECK(told(0) == "nothing new");
  }
}

TEST_CASE("row 147: a node that was made for another number of partitions does not use the store, and says why") {
  SECTION("for one") {
    store_of_two c{1, true};
    REQUIRE_FALSE(c.link.seen().empty());
    CHECK_FALSE(c.link.seen().back().connected);
    CHECK_THAT(c.link.take().back().trouble, Catch::Contains("`x` has a store of 2 partitions"));
  }
  SECTION("for two, and the store is whole") {
    store_of_two c{2, true, true};
    CHECK_THAT(c.second.take().back().trouble, Catch::Contains("`x` has a store of 1 partition"));
    CHECK_FALSE(c.link.take().back().connected);
  }
  SECTION("for two, and the other is older") {
    store_of_two c{2, false};
    REQUIRE_FALSE(c.link.seen().empty());
    CHECK_FALSE(c.link.take().back().offer.store_actor);
    CHECK_FALSE(c.first.take().back().offer.store_actor);
  }
}
