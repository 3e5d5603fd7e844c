// What a person types in the console: words, quotes, and what is meant by the short forms.

#include "apps/command_line/shorthand.hpp"
#include "apps/terminal/failure.hpp"

#include <catch2/catch.hpp>

using steadfast::apps::in_full;
using steadfast::apps::words_of;
using words = std::vector<std::string>;

TEST_CASE("a line is parted by blanks, and quotes keep words together") {
  CHECK(words_of("  tasks \t --limit 5 ") == words{"tasks", "--limit", "5"});
  CHECK(words_of("retry a --why 'the carrier is back'") == words{"retry", "a", "--why", "the carrier is back"});
  CHECK(words_of(R"(skip a --result '{"by": "post\"}')") == words{"skip", "a", "--result", R"({"by": "post\"})"});
  CHECK(words_of(R"(a "b \" c" d\ e '')") == words{"a", "b \" c", "d e", ""});
  CHECK(words_of("") == words{});
  CHECK(words_of({"a\0b", 3}) == words{std::string{"a\0b", 3}});
  CHECK_THROWS_AS(words_of("retry 'a"), steadfast::apps::failure);
}

TEST_CASE("short forms mean commands of the command line") {
  CHECK(in_full({"tasks", "--count"}) == words{"task", "list", "--count"});
  CHECK(in_full({"explain", "o-1"}) == words{"task", "explain", "o-1"});
  CHECK(in_full({"task", "o-1"}) == words{"task", "show", "o-1"});
  CHECK(in_full({"task", "show", "o-1"}) == words{"task", "show", "o-1"});
  CHECK(in_full({"task"}) == words{"task", "list"});
  CHECK(in_full({"task", "--help"}) == words{"task", "--help"});
  CHECK(in_full({"alerts", "--all"}) == words{"alerts", "list", "--all"});
  CHECK(in_full({"node"}) == words{"node", "show"});
  CHECK(in_full({"actors", "--kind", "lease"}) == words{"actor", "list", "--kind", "lease"});
  CHECK(in_full({"inspect", "store@a"}) == words{"actor", "show", "store@a"});
  CHECK(in_full({"drain", "a"}) == words{"node", "drain", "a"});
  CHECK(in_full({"store", "stat"}) == words{"store", "stat"});
  CHECK(in_full({"frobnicate"}) == words{"frobnicate"});
}

TEST_CASE("which node is meant may be said before the command") {
  CHECK(in_full({"--socket", "s", "tasks", "--count"}) == words{"task", "list", "--count", "--socket", "s"});
  CHECK(in_full({"-c", "f", "--socket=s", "task", "o-1"}) == words{"task", "show", "o-1", "-c", "f", "--socket=s"});
  CHECK(in_full({"--config", "f", "submit", "w", "--", "-o"}) == words{"submit", "w", "--config", "f", "--", "-o"});
  CHECK(in_full({"--socket", "s"}) == words{"--socket", "s"});
  CHECK(in_full({"--socket"}) == words{"--socket"});
}
