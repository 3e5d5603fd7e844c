// A person at `top` of a real node.

#include "tests/support/processes/node_process.hpp"
#include "tests/support/processes/pseudo_terminal.hpp"

#include <catch2/catch.hpp>

#include <csignal>

using namespace steadfast::tests;
using Catch::Matchers::Contains;

namespace {

constexpr const char* enter = "\r";
constexpr const char* escape = "\x1b";
constexpr const char* arrow_down = "\x1b[B";
constexpr const char* taken_screen = "\x1b[?1049h\x1b[?25l";
constexpr const char* restored = "\x1b[?25h\x1b[?1049l";

struct watched_node {
  node_process node{STEADFAST_BINARY};

  watched_node() {
    node.start();
    REQUIRE(node.command({"submit", "one", "--id", "order-1", "--not-before", "1h"}).code == 0);
  }

  pseudo_terminal top(pseudo_terminal::size s = {120, 40}) const {
    return {
      STEADFAST_BINARY, {"top", "-n", "200ms", "-c", node.config()}, {"TERM=xterm", "NO_COLOR=1", "LC_ALL=C.UTF-8"}, s};
  }
};

bool is_restored(const pseudo_terminal& person) {
  return person.screen().find(restored) != std::string::npos && person.is_as_shells_want();
}

} // namespace

TEST_CASE("in top a person moves to a row, opens it, scrolls, and goes back") {
  const watched_node w;
  auto person = w.top();
  REQUIRE(person.shows("> test"));
  person.type(arrow_down);
  REQUIRE(person.shows("> broken"));
  person.type("\t");
  REQUIRE(person.shows("> 1 "));
  person.type(enter);
  REQUIRE(person.shows("order-1  one v1  pending"));
  REQUIRE(person.shows("wait of order-1: 1 to "));
  person.type(escape);
  REQUIRE(person.shows("> 1 "));
  person.type("g\r");
  REQUIRE(person.shows("scheduler   test"));
  REQUIRE(person.shows("/bin/false"));
  person.resize({120, 10});
  REQUIRE(person.shows("node test: 1 to 9 of "));
  person.type("j");
  CHECK(person.shows("node test: 2 to 10 of "));
  person.type("q");
  CHECK(person.shows("1 of 1 node alive"));
  person.type("?");
  CHECK(person.shows("up, down, j, k"));
  person.type("qq");
  CHECK(person.wait() == 0);
  CHECK(is_restored(person));
}

TEST_CASE("what is open in top is looked at again, and says why when the node has gone") {
  watched_node w;
  auto person = w.top();
  REQUIRE(person.shows("> test"));
  person.type("G\r");
  REQUIRE(person.shows("order-1  one v1  pending"));
  REQUIRE(w.node.command({"task", "suspend", "order-1"}).code == 0);
  CHECK(person.shows("order-1  one v1  suspended"));
  w.node.kill();
  CHECK(person.shows("steadfast: "));
  person.type(escape);
  CHECK(person.shows("away since 20"));
  w.node.start();
  CHECK(person.shows("1 of 1 node alive"));
  person.type("q");
  CHECK(person.wait() == 0);
  CHECK(is_restored(person));
}

TEST_CASE("a filter in top shows the rows with its text") {
  const watched_node w;
  auto person = w.top();
  REQUIRE(person.shows("> test"));
  person.type("/BROK");
  REQUIRE(person.shows("/BROK_"));
  CHECK(person.shows("> broken"));
  person.type("q\x7F\r");
  REQUIRE(person.shows("only `BROK`, Escape: all"));
  REQUIRE(person.shows("> broken")); // the next picture
  const auto before = person.screen().rfind("1 of 1 node alive");
  CHECK_THAT(person.screen().substr(before), !Contains("quick"));
  person.type(escape);
  CHECK(person.shows("quick"));
}

TEST_CASE("the terminal is as it was, however top ends") {
  const watched_node w;
  for (const int signal : {SIGTERM, SIGHUP, SIGQUIT, SIGABRT}) {
    INFO("signal " << signal);
    auto person = w.top();
    REQUIRE(person.shows("> test"));
    REQUIRE_FALSE(person.is_as_shells_want());
    kill(person.pid(), signal);
    CHECK(person.wait() == 128 + signal);
    CHECK(is_restored(person));
  }
  auto person = w.top();
  REQUIRE(person.shows("> test"));
  person.type("\r");
  REQUIRE(person.shows("node test: 1 to "));
  person.type(ctrl_c);
  CHECK(person.wait() == 0);
  CHECK(is_restored(person));
}

TEST_CASE("top gives the terminal back while it is stopped, and takes it again") {
  const watched_node w;
  auto person = w.top();
  REQUIRE(person.shows("> test"));
  kill(person.pid(), SIGTSTP); // without a shell that would continue it, it goes on by itself
  REQUIRE(person.shows(restored));
  REQUIRE(person.shows(taken_screen));
  REQUIRE(person.shows("> test"));
  CHECK_FALSE(person.is_as_shells_want());
  person.type("q");
  CHECK(person.wait() == 0);
  CHECK(is_restored(person));
}
