// Steps that a program begins and that are ended by their tokens, in a real node that is killed meanwhile.

#include "tests/support/comes_true.hpp"
#include "tests/support/processes/node_process.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <fstream>
#include <iterator>
#include <string>

using namespace steadfast::tests;
using namespace std::chrono_literals;

namespace {

/// A node with a workflow `films`: `quick`, a program that leaves its token in a file and ends with 79, `quick`.
class filming_node : public node_process {
public:
  explicit filming_node(const std::string& later, bool second_ends_at_once = false)
      : node_process{STEADFAST_BINARY, "[[agent]]\nname = \"film\"\nprogram = \"/bin/sh\"\narguments = [\"film.sh\"]\n"
                                       "directory = \".\"\nallow_root = true\n"} {
    folder().write("film.sh", "[ ! -e at-once ] || [ $STEADFAST_ATTEMPT = 1 ] || { echo '{\"frames\": 2}'; exit 0; }\n"
                              "echo $STEADFAST_TOKEN > token.$STEADFAST_ATTEMPT.new\n"
                              "/bin/mv token.$STEADFAST_ATTEMPT.new token.$STEADFAST_ATTEMPT\nexit 79\n");
    folder().write(
      "workflows/films.toml",
      "name = \"films\"\nresult = { frames = \"film:/frames\" }\n[[step]]\nname = \"first\"\n"
      "agent = \"quick\"\n[[step]]\nname = \"film\"\nagent = \"film\"\nlater = "
        + later + "\nretry = { initial = \"10ms\", attempts = 3 }\n[[step]]\nname = \"last\"\nagent = \"quick\"\n");
    if (second_ends_at_once)
      folder().write("at-once", "");
    start();
    REQUIRE(command({"submit", "films", "--id", "t", "--data", "{}"}).code == 0);
  }

  nlohmann::json task() const { return json_of({"task", "show", "t", "--json"}).at(0); }
  nlohmann::json film() const { return task().at("steps").at(1); }
  /// Waits until that attempt has been taken on, which the node says itself.
  std::string token_of(int attempt) const {
    const auto file = folder().path() / ("token." + std::to_string(attempt));
    REQUIRE(comes_true([&] { return std::filesystem::exists(file); }));
    std::ifstream in{file};
    std::string token;
    std::getline(in, token);
    REQUIRE(comes_true([&] { return film().value("ends_later", false) && film().at("attempt") == attempt; }));
    return token;
  }
  program_end step(const std::string& act, const std::string& token, std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"step", act, token};
    words.insert(words.end(), more.begin(), more.end());
    return command(words);
  }
  bool becomes(const std::string& state) const {
    return comes_true([&] { return task().at("process_state") == state; });
  }
};

} // namespace

TEST_CASE("row 112: a step that a program has begun is ended by its token, though the node was killed meanwhile") {
  filming_node node{"\"1h\""};
  const auto token = node.token_of(1);
  CHECK(node.task().at("process_state") == "pending"); // no scheduler has it
  CHECK_THAT(node.command({"task", "explain", "t"}).out,
             Catch::Contains("begun by agent `film` and ends by its token"));
  node.kill();
  node.start();
  CHECK(node.film().at("state") == "waiting");

  const auto guess = token.substr(0, token.size() - 1) + (token.back() == '0' ? "1" : "0");
  CHECK_THAT(node.step("complete", guess).err, Catch::Contains("the step has another token"));
  CHECK_THAT(node.step("complete", "1.1.1.abc").err, Catch::Contains("is not the token of a step"));
  CHECK(node.film().at("state") == "waiting");

  CHECK(node.step("extend", token, {"--progress", "half of it"}).code == 0);
  CHECK_THAT(node.command({"task", "show", "t"}).out, Catch::Contains("begun, half of it"));
  CHECK(node.step("complete", token, {"--result", "{\"frames\": 9}"}).code == 0);
  CHECK(node.becomes("processed"));
  CHECK(node.film().at("result") == nlohmann::json{{"frames", 9}});
  const auto again = node.step("complete", token);
  CHECK(again.code == 1);
  CHECK_THAT(again.err, Catch::Contains("the token was used, or its attempt is over: the step is completed"));
  CHECK_THAT(node.command({"task", "show", "t", "--json"}).out, !Catch::Contains(token));
}

TEST_CASE("row 112: a worker that dies without a word is replaced, and its late word is refused") {
  filming_node node{"{ limit = \"1h\", heartbeat = \"3s\" }", true};
  const auto lost = node.token_of(1);
  REQUIRE(node.becomes("processed"));
  CHECK(node.film().at("result") == nlohmann::json{{"frames", 2}});
  CHECK(node.film().at("log").at(0).at("outcome") == "expired");
  CHECK_THAT(node.step("complete", lost).err,
             Catch::Contains("the token is of attempt 1, and attempt 2 is the current"));
}

TEST_CASE("a step that ends later may fail by its token, and undo waits for one that goes on") {
  filming_node node{"\"1h\""};
  const auto first = node.token_of(1);
  CHECK(node.step("fail", first, {"--for-now", "--why", "no machine is free"}).code == 0);
  const auto token = node.token_of(2);
  CHECK(node.film().at("error") == "no machine is free");
  REQUIRE(node.command({"task", "cancel", "t", "--why", "test"}).code == 0);
  CHECK_THAT(node.command({"task", "explain", "t"}).out, Catch::Contains("finishing: step `film`"));
  CHECK(node.task().at("process_state") == "undoing");
  CHECK_THAT(node.step("extend", token).err, Catch::Contains("gets no more time"));
  CHECK(node.step("fail", token, {"--why", "stopped"}).code == 0);
  CHECK(node.becomes("undone"));
}
