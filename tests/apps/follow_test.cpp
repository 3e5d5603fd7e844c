// A person follows a task at a node that ends.

#include "apps/commands/tasks/follow.hpp"
#include "apps/terminal/failure.hpp"
#include "tests/support/fast_place.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <sstream>
#include <string>

using namespace steadfast;
using namespace steadfast::apps;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

/// A client of a node that has ended since it connected.
client left_alone(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  REQUIRE(path.copy(address.sun_path, sizeof address.sun_path - 1) == path.size());
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(listen(listener, 1) == 0);
  client node{path, client::numbers::exact};
  close(listener);
  return node;
}

} // namespace

TEST_CASE("who follows a task at a node that stays away is told that the task continues, and how to follow it again") {
  const tests::temp_folder folder{tests::fast_place()};
  node_choice where;
  where.socket = (folder.path() / "s").string();
  std::ostringstream said;
  auto* const before = std::cerr.rdbuf(said.rdbuf());
  follow_choice choice;
  choice.asks_for = 300ms;
  std::string why;
  exit_code code = done;
  try {
    follow(left_alone(where.socket), where, "order-1", choice);
  } catch (const failure& e) {
    why = e.what();
    code = e.code();
  }
  std::cerr.rdbuf(before);
  CHECK(code == no_node);
  CHECK(why
        == "no node has answered for 300ms; the task continues when one is back: `steadfast task follow order-1` "
           "follows it again");
  CHECK(said.str() == "steadfast: the node does not answer; it is asked again for 300ms\n");
}
