// What a shell and a terminal are used to: completion, man pages, a pager, and a reader that goes.

#include "tests/support/processes/node_process.hpp"
#include "tests/support/processes/pseudo_terminal.hpp"
#include "tests/support/skip.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace steadfast::tests;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

bool has_program(const std::string& name) {
  return run_program("/bin/sh", {"-c", "command -v " + name}).code == 0;
}

const std::string folder_of_program = fs::path{STEADFAST_BINARY}.parent_path().string();

/// What a shell offers when Tab is pressed at the end of the line, a line each.
std::string bash_offers(const node_process& node, const std::string& line) {
  const std::string script = R"(PATH="$2:$PATH"
source <(steadfast completion bash)
COMP_LINE="$1"; COMP_POINT=${#1}; COMP_WORDS=(steadfast)
_steadfast
printf '%s\n' "${COMPREPLY[@]}")";
  return run_program("/bin/bash", {"-c", script, "bash", line, folder_of_program}, "",
                     {"STEADFAST_CONFIG=" + node.config()})
    .out;
}

pseudo_terminal at_terminal(const node_process& node, std::vector<std::string> words,
                            const std::vector<std::string>& environment) {
  words.insert(words.end(), {"-c", node.config()});
  std::vector<std::string> all{"TERM=xterm", "NO_COLOR=1", "LC_ALL=C.UTF-8"};
  all.insert(all.end(), environment.begin(), environment.end());
  return {STEADFAST_BINARY, words, all, {100, 24}};
}

} // namespace

TEST_CASE("bash completes commands, options, their values and ids") {
  node_process node{STEADFAST_BINARY};
  node.start();
  node.command({"submit", "one", "--id", "order-4711", "--wait"});
  CHECK(bash_offers(node, "steadfast stor") == "store\n");
  CHECK(bash_offers(node, "steadfast task expl") == "explain\n");
  CHECK(bash_offers(node, "steadfast tasks --wh") == "--where\n");
  CHECK(bash_offers(node, "steadfast explain ord") == "order-4711\n");
  CHECK(bash_offers(node, "steadfast task list --by st") == "state\nstep\n");
  CHECK(bash_offers(node, "steadfast submit thr") == "three\n");
  // bash replaces what stands behind the last word break
  CHECK(bash_offers(node, "steadfast tasks --where state=err") == "error\n");
  CHECK(bash_offers(node, "steadfast tasks --where state=error,workfl") == "error,workflow=\n");
  // and within quotes all of the word
  CHECK(bash_offers(node, "steadfast tasks --where 'state=err") == "state=error\n");
  CHECK(bash_offers(node, "steadfast frob") == "\n");
}

TEST_CASE("bash completes nothing, and says nothing, when no node answers") {
  node_process node{STEADFAST_BINARY};
  CHECK(bash_offers(node, "steadfast explain ord") == "\n");
  CHECK(bash_offers(node, "steadfast expl") == "explain\n");
}

TEST_CASE("zsh and fish read the scripts that are made for them") {
  for (const std::string shell : {"zsh", "fish"}) {
    if (!has_program(shell))
      return skip(shell + " is not installed");
    temp_folder folder;
    folder.write("script", run_program(STEADFAST_BINARY, {"completion", shell}).out);
    const auto end = run_program("/usr/bin/env", {shell, "-n", (folder.path() / "script").string()});
    CHECK(end.code == 0);
    CHECK(end.err.empty());
  }
}

TEST_CASE("fish completes values and ids with what they are") {
  if (!has_program("fish"))
    return skip("fish is not installed");
  node_process node{STEADFAST_BINARY};
  node.start();
  node.command({"submit", "one", "--id", "order-4711", "--wait"});
  const auto offers = [&](const std::string& line) {
    return run_program("/usr/bin/env", {"fish", "-c", "steadfast completion fish | source; complete -C '" + line + "'"},
                       "",
                       {"PATH=" + folder_of_program + ":/usr/bin:/bin", "STEADFAST_CONFIG=" + node.config(),
                        "HOME=" + node.folder().path().string()})
      .out;
  };
  CHECK(offers("steadfast explain ord") == "order-4711\n");
  CHECK_THAT(offers("steadfast task expl"), Contains("explain\tWhy a task is where it is"));
  CHECK(offers("steadfast tasks --where state=err") == "state=error\n");
}

TEST_CASE("the man pages of all commands are shown without a warning") {
  temp_folder folder;
  REQUIRE(run_program(STEADFAST_BINARY, {"__manual", folder.path().string()}).code == 0);
  REQUIRE(fs::exists(folder.path() / "steadfast.1"));
  REQUIRE(fs::exists(folder.path() / "steadfast-task.1"));
  if (!has_program("man") || !has_program("groff"))
    return skip("man or groff is not installed");
  for (const auto& page : fs::directory_iterator{folder.path()}) {
    INFO(page.path());
    const auto shown = run_program("/usr/bin/env", {"man", "--warnings", "-E", "UTF-8", "-l", page.path().string()}, "",
                                   {"MANWIDTH=80", "LC_ALL=C.UTF-8", "MAN_KEEP_FORMATTING="});
    CHECK(shown.code == 0);
    CHECK(shown.err.empty());
    CHECK_THAT(shown.out, Contains("NAME") && Contains("SYNOPSIS") && !Contains("__"));
  }
  const auto task =
    run_program("/usr/bin/env", {"man", "-E", "UTF-8", "-l", (folder.path() / "steadfast-task.1").string()}, "",
                {"MANWIDTH=80", "LC_ALL=C.UTF-8"});
  CHECK_THAT(task.out,
             Contains("steadfast task in-place") && Contains("--where FILTER") && Contains("Example: steadfast task"));
}

TEST_CASE("a table that is longer than the terminal goes through the pager, a short one and JSON do not") {
  node_process node{STEADFAST_BINARY};
  node.start();
  for (int i = 0; i < 30; ++i)
    node.command({"submit", "one", "--id", "t-" + std::to_string(i), "--not-before", "1h"});
  const std::vector<std::string> pager{"STEADFAST_PAGER=sed 's/^/paged: /'"};
  auto long_one = at_terminal(node, {"tasks"}, pager);
  CHECK(long_one.shows("paged: t-29"));
  CHECK(long_one.wait() == 0);
  auto short_one = at_terminal(node, {"tasks", "--limit", "3"}, pager);
  CHECK(short_one.shows("there are more"));
  CHECK(short_one.wait() == 0);
  CHECK_THAT(short_one.screen(), !Contains("paged: "));
  auto as_json = at_terminal(node, {"tasks", "--json"}, pager);
  CHECK(as_json.shows("\"id\":\"t-0\""));
  CHECK(as_json.wait() == 0);
  CHECK_THAT(as_json.screen(), !Contains("paged: "));
  auto off = at_terminal(node, {"tasks"}, {"STEADFAST_PAGER="});
  CHECK(off.shows("t-0 "));
  CHECK(off.wait() == 0);
  auto missing = at_terminal(node, {"tasks"}, {"STEADFAST_PAGER=/there/is/no/such/pager"});
  CHECK(missing.shows("t-0 "));
  CHECK(missing.wait() == 0);
  CHECK_THAT(run_program(STEADFAST_BINARY, {"tasks", "-c", node.config()}, "", pager).out, !Contains("paged: "));
}

TEST_CASE("who reads no further ends a command with 141, and nothing is said") {
  node_process node{STEADFAST_BINARY};
  node.start();
  for (int i = 0; i < 10; ++i)
    node.command({"submit", "one", "--id", "t-" + std::to_string(i), "--not-before", "1h"});
  const std::string steadfast = STEADFAST_BINARY;
  for (const std::string command : {"tasks", "tasks --json", "task show t-1", "tasks --by state"}) {
    INFO(command);
    // the reader has gone before anything is written
    const std::string script = "exec 3> >(exit 0); wait $!; " + steadfast + " " + command + " >&3; echo code $? >&2";
    const auto end = run_program("/bin/bash", {"-c", script}, "", {"STEADFAST_CONFIG=" + node.config()});
    CHECK(end.err == "code 141\n");
  }
}
