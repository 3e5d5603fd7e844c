#include "workflow/supervision/node_card.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;

TEST_CASE("a node's card is read back from the note of its lease") {
  const node_card card{"b", "10.0.0.2:7801", {false, true, false, true}, {"drone", "label"}};
  CHECK(note_of(card)
        == "address=10.0.0.2:7801 roles=scheduler,agents agents=drone,label knows=waits knows=events "
           "knows=schedules knows=children knows=limits knows=for_each knows=rates knows=expectations "
           "knows=empty_inputs");
  CHECK(card_of("node/b", note_of(card)) == card);
}

TEST_CASE("a node without address and agents has a card too") {
  const node_card card{"a", "", {true, false, false, false}, {}};
  CHECK(card_of(node_lease_name("a"), note_of(card)) == card);
}

TEST_CASE("what is no node's lease or no card is not read as one") {
  const auto note = note_of({"a", "x:1", {}, {}});
  CHECK_FALSE(card_of("supervisor", note));
  CHECK_FALSE(card_of("node/a", ""));
  CHECK_FALSE(card_of("node/a", "address=x:1 agents="));
  CHECK(card_of("node/a", "address=x:1 roles= agents=,drone,,a b")->agents == std::vector<std::string>{"drone", "a"});
  CHECK(card_of("node/a", "address=x:1 roles= agents=,b!,drone")->agents == std::vector<std::string>{"drone"});
  CHECK_FALSE(card_of("node/a", "address=x:1 roles=king agents="));
}

TEST_CASE("roles are known by their names") {
  CHECK(parse_roles({"store", "supervisor"}) == node_roles{true, false, true, false});
  CHECK(to_string(node_roles{true, false, true, false}) == "store,supervisor");
  CHECK_FALSE(parse_roles({"store", "leader"}));
}

TEST_CASE("a card tells of a drain and of when the node's certificate ends, and older cards tell of neither") {
  node_card card{"b", "10.0.0.2:7801", {false, true, false, true}, {"drone"}};
  card.drained = true;
  card.certificate_until = instant{std::chrono::milliseconds{1'767'268'800'000}};
  CHECK(note_of(card).ends_with("agents=drone knows=waits knows=events knows=schedules knows=children knows=limits "
                                "knows=for_each knows=rates knows=expectations knows=empty_inputs drained=yes "
                                "certificate_until=2026-01-01T12:00:00.000Z"));
  CHECK(card_of("node/b", note_of(card)) == card);
  CHECK(card_of("node/b", "address= roles= agents= certificate_until=soon drained=maybe")->certificate_until == unset);
  CHECK_FALSE(card_of("node/b", "address= roles= agents= drained=maybe")->drained);
}

TEST_CASE("a node of an older release is known by the note of its lease") {
  node_card card{"n2", "", {}, {}};
  card.knows = knowledge::none;
  CHECK(older_node("node/n2", note_of(card), knowledge::schedules) == "n2");
  CHECK_FALSE(older_node("supervisor", note_of(card), knowledge::schedules));
  card.knows = knowledge::schedules;
  CHECK_FALSE(older_node("node/n2", note_of(card), knowledge::schedules));
  CHECK(upgrade_first("n2", "them") == "node `n2` runs a release that does not support them: upgrade all nodes first");
}
