// What Tab offers: commands, short forms, options and the names that the cluster knows.

#include "apps/command_line/command_line.hpp"
#include "apps/command_line/completion.hpp"

#include <CLI/CLI.hpp>
#include <catch2/catch.hpp>

#include <algorithm>

using namespace steadfast::apps;
using words = std::vector<std::string>;

namespace {

words names(const std::string& kind, const std::string&) {
  if (kind == "ID")
    return {"order-2", "order-1", "parcel-1"};
  if (kind == "WORKFLOW")
    return {"parcel"};
  if (kind == "INDEX")
    return {"payload:/customer"};
  return {};
}

words offered(const std::string& line) {
  command none;
  CLI::App app;
  add_all(app, none);
  return completions(app, line, names);
}

bool has(const words& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

} // namespace

TEST_CASE("the first word is a command or a short form") {
  CHECK(offered("exp") == words{"explain"});
  CHECK(offered("task") == words{"task", "tasks"});
  const auto all = offered("");
  CHECK(has(all, "submit"));
  CHECK(has(all, "nodes"));
  CHECK(offered("frob").empty());
}

TEST_CASE("values of options are offered, and conditions piece by piece") {
  CHECK(offered("tasks --by s") == words{"state", "step"});
  CHECK(offered("task list --sort t") == words{"took"});
  CHECK(offered("completion ") == words{"bash", "fish", "zsh"});
  CHECK(offered("tasks --where st") == words{"state=", "step="});
  CHECK(offered("tasks --where state=err") == words{"state=error"});
  CHECK(offered("tasks --where 'state=error|sus'") == words{"state=error|suspended"});
  CHECK(offered("retry --where state=error,work") == words{"state=error,workflow="});
  CHECK(offered("retry --where state=error,workflow=p") == words{"state=error,workflow=parcel"});
  CHECK(offered("tasks --where pay") == words{"payload:/customer="});
  CHECK(offered("alerts list --where k") == words{"kind="});
}

TEST_CASE("a shell is told what a word means, where files may stand, and nothing of hidden commands") {
  command none;
  CLI::App app;
  add_all(app, none);
  const auto of_task = complete(app, "task expl", names).all;
  REQUIRE(of_task.size() == 1);
  CHECK(of_task[0] == candidate{"explain", "Why a task is where it is, what happens next, and when"});
  CHECK(complete(app, "explai", names).all == std::vector<candidate>{{"explain", "short for task explain"}});
  CHECK(complete(app, "workflow check ", names).is_file);
  CHECK_FALSE(complete(app, "task show ", names).is_file);
  CHECK(complete(app, "__", names).all.empty());
}

TEST_CASE("the next word is a subcommand, an option or a name") {
  CHECK(offered("store c") == words{"check", "copy"});
  CHECK(offered("explain order") == words{"order-1", "order-2"});
  CHECK(offered("task show par") == words{"parcel-1"});
  CHECK(offered("task par") == words{"parcel-1"});
  CHECK(has(offered("task "), "retry"));
  CHECK(offered("retry order-1 ord") == words{"order-1", "order-2"});
  CHECK(offered("tasks --wh") == words{"--where"});
  CHECK(offered("submit pa") == words{"parcel"});
  CHECK(offered("submit --data 1 pa") == words{"parcel"});
  CHECK(offered("retry order-1 --why ord").empty());
  CHECK(offered("retry 'ord").empty());
}
