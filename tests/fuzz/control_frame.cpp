// What a process of the same user sends to a node's control channel: each line is answered by one line with a result or
// a documented error, whatever it holds, and the node lives on. The input is what the client sends before it ends its
// side. The methods are those of a real node; files that it is asked for lie in the folder of this process, and it
// cannot be drained, which would be its end.

#include "tests/fuzz/support/asked_node.hpp"
#include "tests/fuzz/support/fuzz.hpp"
#include "tests/support/processes/raw_socket.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace steadfast;
using nlohmann::json;

namespace {

bool is_documented(int code) {
  constexpr std::array codes{-32700, -32600, -32601, -32602, 1, 2, 3, 4};
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

void check_error(const json& e, const std::string& line) {
  const bool is_one = e.is_object() && e.contains("code") && e["code"].is_number_integer() && e.contains("message")
                      && e["message"].is_string();
  fuzz::expect(is_one, "an error has a code and a message", line);
  fuzz::expect(is_documented(e["code"]), "the code is documented", line);
  fuzz::expect(!e["message"].get<std::string>().empty(), "an error says why", line);
}

json answer_in(const std::string& line) {
  auto a = json::parse(line, nullptr, false);
  fuzz::expect(a.is_object() && a.value("jsonrpc", json{}) == "2.0" && a.contains("id"), "an answer is one", line);
  fuzz::expect(a.contains("result") != a.contains("error"), "there is a result or an error", line);
  if (a.contains("error"))
    check_error(a["error"], line);
  return a;
}

bool is_whole(const json& j, std::uint64_t min, std::uint64_t max) {
  return j.is_number_integer() && j >= min && j <= max;
}

/// What was taken is what was asked for.
void check_submitted(const json& request, const json& answer) {
  if (!answer.contains("result") || request.value("method", json{}) != "submit")
    return;
  const auto params = request.value("params", json::object());
  fuzz::expect(answer["result"].value("id", json{}) == params.value("id", json{}), "a receipt has the id");
  if (params.contains("priority"))
    fuzz::expect(is_whole(params["priority"], 0, 9), "a priority is a whole number from 0 to 9", params.dump());
  if (params.contains("version"))
    fuzz::expect(is_whole(params["version"], 0, 0xFFFF'FFFF), "a version is a whole number", params.dump());
}

void check_pair(std::string_view line, const json& answer) {
  const auto request = json::parse(line, nullptr, false);
  if (!request.is_object() || line.find('\0') != std::string_view::npos)
    return;
  if (answer.contains("error") && answer["error"]["code"] == -32700)
    return; // nested too deep
  fuzz::expect(answer["id"] == request.value("id", json{}), "an answer has the id of its request", line);
  check_submitted(request, answer);
}

} // namespace

void fuzz::try_input(std::string_view input) {
  auto& node = asked_node::get();
  tests::raw_socket c{node.socket()};
  c.send(input);
  c.end_of_input();
  const auto lines = parts_of(input, '\n');
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) { // what comes after the last end of a line is no request
    const auto answer = c.read_line();
    expect(answer.has_value(), "each line is answered", lines[i]);
    const auto a = answer_in(*answer);
    if (lines[i].size() >= asked_node::frame_max)
      break; // it hangs up
    check_pair(lines[i], a);
  }
  node.tidy_up();
}
