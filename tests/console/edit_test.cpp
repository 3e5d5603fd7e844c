// A person who edits the payload of a task.

#include "tests/support/processes/node_process.hpp"
#include "tests/support/processes/pseudo_terminal.hpp"

#include <catch2/catch.hpp>

#include <filesystem>

using namespace steadfast::tests;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

/// A node with one task that takes a payload, and an editor that does what a script says.
struct edited_task {
  node_process node{STEADFAST_BINARY};

  edited_task() {
    node.start();
    REQUIRE(
      node.command({"submit", "one", "--id", "t-1", "--not-before", "1h", "--data", R"({"n": 1.10, "who": "ann"})"})
        .code
      == 0);
  }

  pseudo_terminal person(const std::string& script, std::vector<std::string> more = {}) const {
    node.folder().write("editor", "#!/bin/sh\n" + script, std::filesystem::perms::owner_all);
    more.insert(more.begin(), {"task", "edit", "t-1", "-c", node.config()});
    return {STEADFAST_BINARY, more, {"VISUAL=", "EDITOR=" + path("editor"), "NO_COLOR=1", "LC_ALL=C.UTF-8"}, {}};
  }

  std::string path(const std::string& name) const { return (node.folder().path() / name).string(); }
  std::string text(const std::string& name) const { return run_program("/bin/cat", {path(name)}).out; }
  json task() const { return node.json_of({"task", "show", "t-1", "--json"}).at(0); }
};

} // namespace

TEST_CASE("a person edits the payload, sees what changes, and it is sent after a yes") {
  const edited_task t;
  auto person = t.person("cp \"$1\" " + t.path("seen") + "\nstat -c '%a %U' \"$1\" \"${1%/*}\" > " + t.path("modes")
                           + "\necho \"$1\" > " + t.path("where") + "\nsed -i 's/ann/kim/' \"$1\"\n",
                         {"--why", "her name"});
  REQUIRE(person.shows("  /who: \"ann\" -> \"kim\"\r\n"));
  REQUIRE(person.shows("Send this payload? y: yes, e: edit again, anything else: no: "));
  CHECK(t.task().at("payload").at("who") == "ann");
  person.type("y\r");
  CHECK(person.shows("t-1: edit done, now pending"));
  CHECK(person.wait() == 0);
  CHECK(t.task().at("payload").at("who") == "kim");
  CHECK(t.task().at("acts").at(0).at("why") == "her name");
  CHECK(t.text("seen") == "{\n  \"n\": 1.10,\n  \"who\": \"ann\"\n}\n");
  CHECK_THAT(t.text("modes"), Catch::Matchers::StartsWith("600 ") && Contains("\n700 "));
  auto where = t.text("where");
  where.pop_back();
  CHECK_FALSE(std::filesystem::exists(std::filesystem::path{where}.parent_path()));
}

TEST_CASE("a payload that is no JSON is refused with the place, and can be edited again") {
  const edited_task t;
  auto person =
    t.person("if [ -e " + t.path("again") + " ]; then echo '{\"n\": 2}' > \"$1\"; else echo '{\"n\": ' > \"$1\"; fi\n"
             + "touch " + t.path("again") + "\n");
  REQUIRE(person.shows("the payload is not JSON: parse error at line 2, column 1"));
  REQUIRE(person.shows("Edit again? e: yes, anything else: no: "));
  person.type("e\r");
  REQUIRE(person.shows("/n: 1.10 -> 2"));
  REQUIRE(person.shows("Send this payload?"));
  person.type("y\r");
  CHECK(person.shows("edit done"));
  CHECK(person.wait() == 0);
  CHECK(t.task().at("payload") == json{{"n", 2}});
}

TEST_CASE("nothing is sent when nothing is changed, when a person says no, when the editor fails, or by Ctrl-C") {
  const edited_task t;
  {
    auto person = t.person("sed -i 's/1.10/  1.1/' \"$1\"\n");
    CHECK(person.shows("t-1: the payload is the same, nothing was changed"));
    CHECK(person.wait() == 0);
  }
  for (const auto* answer : {"\r", "n\r", ctrl_c}) {
    auto person = t.person("echo 7 > \"$1\"\n");
    REQUIRE(person.shows("all of it: {"));
    REQUIRE(person.shows("anything else: no: "));
    person.type(answer);
    CHECK(person.shows("nothing was changed"));
    CHECK(person.wait() == 1);
  }
  auto failing = t.person("echo 7 > \"$1\"; exit 3\n");
  CHECK(failing.shows("the editor ended with 3: nothing was changed"));
  CHECK(failing.wait() == 1);
  auto absent = pseudo_terminal{STEADFAST_BINARY,
                                {"task", "edit", "t-1", "-c", t.node.config()},
                                {"VISUAL=/nowhere/editor", "EDITOR=/bin/true"},
                                {}};
  CHECK(absent.shows("the editor `/nowhere/editor` cannot be run: set $VISUAL or $EDITOR"));
  CHECK(absent.wait() == 64);
  CHECK(t.task().at("acts").empty());
}

TEST_CASE("a person does not edit for nothing, and not over what somebody else has changed meanwhile") {
  const edited_task t;
  {
    auto person = t.person("echo 7 > \"$1\"\n");
    REQUIRE(person.shows("Send this payload?"));
    REQUIRE(t.node.command({"task", "edit", "t-1", "--payload", "-"}, "8").code == 0);
    person.type("y\r");
    CHECK(person.shows("somebody else has changed the payload meanwhile: nothing was changed"));
    CHECK(person.wait() == 1);
  }
  REQUIRE(t.node.command({"task", "cancel", "t-1"}).code == 0);
  auto person = t.person("touch " + t.path("opened") + "\n");
  CHECK(person.shows("the task is undone"));
  CHECK(person.wait() == 1);
  CHECK_FALSE(std::filesystem::exists(t.path("opened")));
  CHECK(t.task().at("payload") == 8);
}

TEST_CASE("a payload from a file is shown as what changes first, and is asked about at a terminal without --yes") {
  const edited_task t;
  t.node.folder().write("p.json", R"({"n": 3, "who": "ann"})");
  const auto planned = t.node.command({"task", "edit", "t-1", "--dry-run", "--payload", t.path("p.json")});
  CHECK(planned.code == 0);
  CHECK(planned.out == "would edit t-1\n  /n: 1.10 -> 3\n");
  const auto as_json = t.node.json_of({"task", "edit", "t-1", "--dry-run", "--json", "--payload", t.path("p.json")});
  CHECK(as_json.at(0).at("changes") == json::array({{{"pointer", "/n"}, {"before", 1.1}, {"after", 3}}}));
  {
    auto person = t.person("exit 1", {"--payload", t.path("p.json")});
    REQUIRE(person.shows("  /n: 1.10 -> 3\r\n"));
    REQUIRE(person.shows("Send this payload? y: yes, anything else: no: "));
    person.type("n\r");
    CHECK(person.wait() == 1);
  }
  CHECK(t.task().at("acts").empty());
  auto sure = t.person("exit 1", {"--yes", "--payload", t.path("p.json")});
  CHECK(sure.shows("t-1: edit done"));
  CHECK(sure.wait() == 0);
  const auto same = t.node.command({"task", "edit", "t-1", "--payload", t.path("p.json")});
  CHECK(same.out == "t-1: the payload is the same, nothing was changed\n");
  CHECK(same.code == 0);
  CHECK(t.task().at("acts").size() == 1);
  const auto absent = t.node.command({"task", "edit", "nothing", "--dry-run", "--payload", t.path("p.json")});
  CHECK(absent.code == 5);
}
