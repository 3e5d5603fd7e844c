// What a node, or what else listens at its socket, answers to a client: any line becomes a result or a client_error.
// The input is what it sends before it hangs up.

#include "steadfast/client.hpp"

#include "tests/fuzz/support/fuzz.hpp"
#include "tests/fuzz/support/listener.hpp"
#include "tests/fuzz/support/scratch.hpp"

#include <nlohmann/json.hpp>

using namespace steadfast;
using nlohmann::json;

namespace {

std::filesystem::path socket_path() {
  return fuzz::scratch_folder() / "control.sock";
}

/// Whether there was a result.
template <class Ask>
bool is_answered(Ask ask) {
  try {
    client c{socket_path().string()};
    ask(c);
    return true;
  } catch (const client_error& e) {
    fuzz::expect(e.what()[0] != '\0', "an error says why");
    return false;
  }
}

} // namespace

void fuzz::try_input(std::string_view input) {
  static unix_listener node{socket_path()};
  node.say(input);
  const bool any = is_answered([](client& c) { c.call("node.describe", json::object()); });
  const bool task = is_answered([](client& c) { c.show("t"); });
  const bool receipt = is_answered([](client& c) { c.submit("w", "{}", {.id = "t"}); });
  expect(any || (!task && !receipt), "what is no result at all is no task and no receipt");
}
