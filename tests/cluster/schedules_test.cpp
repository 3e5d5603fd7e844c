// Schedules in a real node that is killed meanwhile.

#include "tests/support/comes_true.hpp"
#include "tests/support/processes/node_process.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <string>

using namespace steadfast::tests;

namespace {

/// A node with a workflow `work` of one quick step, and a schedule of it in the same file.
class scheduled_node : public node_process {
public:
  scheduled_node() : node_process{STEADFAST_BINARY} {
    write_file("[[schedule]]\nname = \"often\"\nevery = \"1s\"\noverlap = \"allow\"\npayload = { a = 1 }\n"
               "moment_as = \"at\"\n");
    start();
  }

  void write_file(const std::string& schedules) {
    folder().write("workflows/work.toml",
                   "name = \"work\"\n" + schedules + "[[step]]\nname = \"do\"\nagent = \"quick\"\n");
  }
  nlohmann::json schedule() const { return json_of({"schedule", "show", "often", "--json"}).at(0); }
  std::uint64_t made() const { return schedule().at("tasks_made").get<std::uint64_t>(); }
  bool makes(std::uint64_t more) const {
    const auto before = made();
    return comes_true([&] { return made() >= before + more; });
  }
};

} // namespace

TEST_CASE(
  "row 120: a schedule in a file makes a task at each moment, once, though its node is killed again and again") {
  scheduled_node node;
  for (int kills = 0; kills < 3; ++kills) {
    CHECK(node.makes(2));
    node.kill();
    node.start();
  }
  REQUIRE(node.command({"schedule", "pause", "often", "--why", "stocktaking"}).code == 0);
  const auto made = node.made();
  const auto tasks = node.json_of({"task", "list", "--where", "workflow=work", "--limit", "1000", "--json"});
  CHECK(tasks.size() == made); // each is its own, by its id
  for (const auto& t : tasks)
    CHECK(t.at("id").get<std::string>().starts_with("often@20"));
  const auto shown = node.command({"schedule", "show", "often"}).out;
  CHECK_THAT(shown, Catch::Contains("it was paused by ") && Catch::Contains(": stocktaking"));
  const auto id = tasks.at(0).at("id").get<std::string>();
  CHECK_THAT(node.command({"task", "explain", id}).out, Catch::Contains("schedule `often` made it"));
  CHECK(node.json_of({"task", "show", id, "--json"}).at(0).at("payload").contains("at"));
  CHECK(node.command({"store", "check"}).code == 0);
}

TEST_CASE("a schedule is listed, run, resumed, changed by its file, told when that has it no more, and removed") {
  scheduled_node node;
  REQUIRE(node.command({"schedule", "pause", "often"}).code == 0);
  const auto listed = node.json_of({"schedule", "list", "--json"});
  REQUIRE(listed.size() == 1);
  CHECK(listed[0].at("workflow") == "work");
  CHECK(listed[0].at("is_paused") == true);
  CHECK_THAT(node.command({"schedule", "list"}).out, Catch::Contains("paused"));
  CHECK(node.json_of({"schedule", "next", "often", "--count", "3", "--json"}).at(0).at("next").size() == 3);
  const auto before = node.made();
  CHECK_THAT(node.command({"schedule", "run", "often"}).out, Catch::Contains("is made"));
  CHECK(node.made() == before + 1);
  CHECK_THAT(node.command({"schedule", "pause", "nobody"}).err, Catch::Contains("there is no schedule `nobody`"));

  node.kill();
  node.write_file("[[schedule]]\nname = \"often\"\ncron = \"0 3 * * *\"\nzone = \"Europe/Lisbon\"\n");
  node.start();
  CHECK(node.schedule().at("cron") == "0 3 * * *");
  CHECK(node.schedule().at("is_paused") == true);
  REQUIRE(node.command({"schedule", "resume", "often"}).code == 0);

  node.folder().write("more.toml", "[[schedule]]\nname = \"other\"\nworkflow = \"work\"\nevery = \"1h\"\n");
  const auto more = (node.folder().path() / "more.toml").string();
  CHECK_THAT(node.command({"schedule", "put", more}).out, Catch::Contains("is stored"));
  CHECK_THAT(node.command({"schedule", "put", more}).out, Catch::Contains("is unchanged"));
  CHECK(node.json_of({"schedule", "list", "--json"}).size() == 2);

  node.kill();
  node.write_file("");
  node.start();
  CHECK_THAT(node.process().err(), Catch::Contains("is no longer in any file of this node"));
  CHECK(node.schedule().at("cron") == "0 3 * * *");
  REQUIRE(node.command({"schedule", "remove", "often"}).code == 0);
  CHECK(node.json_of({"schedule", "list", "--json"}).size() == 1);
}
