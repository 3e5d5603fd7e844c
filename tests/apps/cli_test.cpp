// The command line without a node: what it refuses, what it says, its exit codes.

#include "runtime/links/protocol.hpp"
#include "store/joined/partition_files.hpp"
#include "store/lmdb/schema.hpp"
#include "tests/support/processes/run_program.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace steadfast::tests;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::Matches;
using Catch::Matchers::StartsWith;

namespace {

const std::string source_dir = STEADFAST_SOURCE_DIR;

program_end run_steadfast(const std::vector<std::string>& arguments, const std::string& input = "",
                          const std::vector<std::string>& environment = {}) {
  return run_program(STEADFAST_BINARY, arguments, input, environment);
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

} // namespace

TEST_CASE("a word that is no command is named, with the one that was probably meant") {
  const auto refusal = [](const std::vector<std::string>& words) {
    const auto end = run_steadfast(words);
    CHECK(end.code == 64);
    CHECK(end.out.empty());
    return end.err;
  };
  CHECK(refusal({"frob"}) == "steadfast: there is no command `frob`; `steadfast --help` lists them\n");
  CHECK(refusal({"statsu", "--json"}) == "steadfast: there is no command `statsu`; did you mean `status`?\n");
  CHECK(refusal({"taskss"}) == "steadfast: there is no command `taskss`; did you mean `tasks`?\n");
  CHECK(refusal({"store", "chek"}) == "steadfast: there is no command `store chek`; did you mean `store check`?\n");
  CHECK(refusal({"circuit", "frob"})
        == "steadfast: there is no command `circuit frob`; `steadfast circuit --help` lists them\n");
}

TEST_CASE("help lists the commands, and every command's help has an example") {
  const auto help = run_steadfast({"--help"});
  CHECK(help.code == 0);
  for (const auto* name : {"serve", "submit", "task", "alerts", "workflow", "lease", "node", "store", "console",
                           "watch", "late", "actor", "circuit", "top", "simulate"})
    CHECK_THAT(help.out, Contains(name));
  const auto words = GENERATE(
    as<std::vector<std::string>>{}, std::vector<std::string>{"serve"}, std::vector<std::string>{"submit"},
    std::vector<std::string>{"task", "list"}, std::vector<std::string>{"task", "show"},
    std::vector<std::string>{"task", "explain"}, std::vector<std::string>{"task", "follow"},
    std::vector<std::string>{"console"}, std::vector<std::string>{"simulate"}, std::vector<std::string>{"watch"},
    std::vector<std::string>{"late"}, std::vector<std::string>{"task", "retry"},
    std::vector<std::string>{"task", "skip"}, std::vector<std::string>{"task", "undo"},
    std::vector<std::string>{"task", "cancel"}, std::vector<std::string>{"task", "suspend"},
    std::vector<std::string>{"task", "resume"}, std::vector<std::string>{"task", "edit"},
    std::vector<std::string>{"alerts", "list"}, std::vector<std::string>{"alerts", "ack"},
    std::vector<std::string>{"workflow", "list"}, std::vector<std::string>{"workflow", "show"},
    std::vector<std::string>{"workflow", "check"}, std::vector<std::string>{"lease", "list"},
    std::vector<std::string>{"lease", "release"}, std::vector<std::string>{"node", "show"},
    std::vector<std::string>{"node", "drain"}, std::vector<std::string>{"actor", "list"},
    std::vector<std::string>{"actor", "show"}, std::vector<std::string>{"circuit", "open"},
    std::vector<std::string>{"circuit", "close"}, std::vector<std::string>{"task", "stuck"},
    std::vector<std::string>{"top"}, std::vector<std::string>{"store", "check"},
    std::vector<std::string>{"store", "copy"}, std::vector<std::string>{"store", "dump"},
    std::vector<std::string>{"store", "stat"}, std::vector<std::string>{"store", "init"},
    std::vector<std::string>{"store", "upgrade"}, std::vector<std::string>{"store", "doctor"});
  auto arguments = words;
  arguments.emplace_back("--help");
  const auto one = run_steadfast(arguments);
  CHECK(one.code == 0);
  CHECK_THAT(one.out, Contains("Example: steadfast " + words.front()));
}

TEST_CASE("the version tells the commit, the format of the store and the protocol between nodes") {
  const auto end = run_steadfast({"--version"});
  CHECK(end.code == 0);
  CHECK_THAT(end.out, Matches("steadfast [0-9.]+\n"
                              "commit ([0-9a-f]{12,40}(-dirty)?|unknown)\n"
                              "format "
                              + std::to_string(steadfast::store::store_format) + "\nprotocol "
                              + steadfast::runtime::protocol + "\n"));
}

TEST_CASE("the commit of a program is that of its sources, unknown without git, and is written only when it changed") {
  const auto run = [](const std::string& command) { return run_program("/bin/sh", {"-c", command}); };
  const temp_folder folder;
  const auto sources = folder.path() / "outside/sources";
  const auto git = "git -c user.name=n -c user.email=e@example.org -C " + sources.string() + " ";
  std::filesystem::create_directories(sources);
  REQUIRE(run("git init -q " + (folder.path() / "outside").string()).code == 0); // not the one of the sources
  const auto commit = [&] {
    const auto end = run("cmake -D ROOT=" + sources.string() + " -D FILE=" + (folder.path() / "commit.cpp").string()
                         + " -P " + source_dir + "/cmake/write_commit.cmake");
    INFO(end.err);
    REQUIRE(end.code == 0);
    std::ifstream in{folder.path() / "commit.cpp"};
    const std::string text{std::istreambuf_iterator<char>{in}, {}};
    return text.substr(text.find(" = ") + 3);
  };
  CHECK(commit() == "\"unknown\";\n");
  folder.write("outside/sources/a", "1");
  REQUIRE(run("git init -q " + sources.string() + " && " + git + "add a && " + git + "commit -q -m one").code == 0);
  const auto head = run(git + "rev-parse HEAD").out.substr(0, 12);
  CHECK(commit() == '"' + head + "\";\n");
  const auto written = std::filesystem::last_write_time(folder.path() / "commit.cpp");
  CHECK(commit() == '"' + head + "\";\n");
  CHECK(std::filesystem::last_write_time(folder.path() / "commit.cpp") == written);
  folder.write("outside/sources/a", "2");
  CHECK(commit() == '"' + head + "-dirty\";\n");
}

TEST_CASE("a wrong command line ends with 64 and a line that says what is wrong") {
  const auto arguments = GENERATE(
    std::vector<std::string>{}, std::vector<std::string>{"frobnicate"}, std::vector<std::string>{"store"},
    std::vector<std::string>{"task", "show"}, std::vector<std::string>{"submit", "w", "--priority", "10"},
    std::vector<std::string>{"submit", "w", "--limit", "5 minutes"}, std::vector<std::string>{"task", "retry"},
    std::vector<std::string>{"task", "retry", "t-1", "--where", "state=error"},
    std::vector<std::string>{"task", "edit", "a", "b", "--payload", "x"}, std::vector<std::string>{"task", "edit", "a"},
    std::vector<std::string>{"alerts", "ack", "seven"}, std::vector<std::string>{"alerts", "ack", "-1"},
    std::vector<std::string>{"alerts", "ack", "0"}, std::vector<std::string>{"incidents", "show", "0"},
    std::vector<std::string>{"submit", ""}, std::vector<std::string>{"submit", "w", "--id", ""},
    std::vector<std::string>{"task", "show", ""}, std::vector<std::string>{"task", "retry", "a", ""},
    std::vector<std::string>{"task", "list", "--where", ""}, std::vector<std::string>{"task", "retry", "--where", ""},
    std::vector<std::string>{"workflow", "show", ""}, std::vector<std::string>{"node", "drain", ""},
    std::vector<std::string>{"lease", "release", ""}, std::vector<std::string>{"circuit", "open", ""},
    std::vector<std::string>{"actor", "show", ""}, std::vector<std::string>{"store", "export", "", "f"},
    std::vector<std::string>{"simulate", "w.toml", "--require", "sold=1"}, std::vector<std::string>{"store", "init"},
    std::vector<std::string>{"store", "init", "--url", "http://a"},
    std::vector<std::string>{"store", "init", "--url", "postgresql://a/b", "--partitions", "0"},
    std::vector<std::string>{"store", "doctor", "--url", "postgresql://a/b", "--schema", "A"},
    std::vector<std::string>{"bench", "--store", "nowhere"}, std::vector<std::string>{"bench", "--store", "http://a"},
    std::vector<std::string>{"bench", "--store", "postgresql://a/b", "--restart", "5"},
    std::vector<std::string>{"bench", "--store", "postgresql://a/b", "--targets"});
  const auto end = run_steadfast(arguments);
  CHECK(end.code == 64);
  CHECK_FALSE(end.err.empty());
  CHECK(end.out.empty());
}

TEST_CASE("without a node a command says where it looked and how to start one") {
  const temp_folder folder;
  const auto socket = (folder.path() / "none.sock").string();
  const auto by_option = run_steadfast({"task", "list", "--socket", socket});
  CHECK(by_option.code == 69);
  CHECK_THAT(by_option.err, Contains("no node answers at " + socket) && Contains("steadfast serve -c"));
  CHECK(lines_of(by_option.err) == 1);

  const auto by_environment = run_steadfast({"task", "list"}, "", {"STEADFAST_SOCKET=" + socket});
  CHECK_THAT(by_environment.err, Contains(socket));

  folder.write("node.toml", "[store]\npath = \"data\"\n[[agent]]\nname = \"a\"\nurl = \"http://localhost/\"\n"
                            "headers = { T = { env = \"STEADFAST_NOT_SET_HERE\" } }\n");
  const auto by_config = run_steadfast({"task", "list", "-c", (folder.path() / "node.toml").string()});
  CHECK(by_config.code == 69);
  CHECK_THAT(by_config.err, Contains((folder.path() / "data/control.sock").string()));
}

TEST_CASE("a socket's path that is too long is said to be, and words of others are shown without their escapes") {
  const auto path = "/tmp/" + std::string(200, 'x');
  const auto end = run_steadfast({"task", "list", "--socket", path});
  CHECK(end.code == 69);
  CHECK_THAT(end.err, Contains("its path has 205 bytes, and that of a socket may have 107"));

  const auto wrong = run_steadfast({"task", "list", "--where", "state=\x1b[31mred\xc2\x9b"});
  CHECK(wrong.code == 64);
  CHECK_THAT(wrong.err, Contains("\\x1b[31mred"));
  CHECK(wrong.err.find('\x1b') == std::string::npos);
  CHECK(wrong.err.find("\xc2\x9b") == std::string::npos);
}

TEST_CASE("row 80: serve refuses a bad configuration with 78 and a line for each mistake") {
  const temp_folder folder;
  const auto config = (folder.path() / "node.toml").string();
  folder.write("node.toml", "[scheduler]\nin_flight_mx = 3\n");
  const auto unknown = run_steadfast({"serve", "-c", config});
  CHECK(unknown.code == 78);
  CHECK(unknown.err
        == "steadfast: " + config + ":2: scheduler.in_flight_mx: unknown key; did you mean \"in_flight_max\"?\n");

  const auto missing = run_steadfast({"serve", "-c", (folder.path() / "other.toml").string()});
  CHECK(missing.code == 78);
  CHECK_THAT(missing.err, Contains("other.toml: cannot be read: No such file or directory") && EndsWith("\n"));
  CHECK(lines_of(missing.err) == 1);

  folder.write("node.toml", "workflows = [\"nowhere.toml\"]\n");
  const auto no_workflow = run_steadfast({"serve", "-c", config});
  CHECK(no_workflow.code == 78);
  CHECK_THAT(no_workflow.err, Contains("nowhere.toml: cannot be read"));
}

TEST_CASE("a configuration can be checked without starting a node") {
  const auto end = run_steadfast({"serve", "--check", "-c", source_dir + "/config/steadfast.toml"});
  CHECK(end.code == 0);
  CHECK_THAT(end.out, EndsWith("is valid: 0 agents, 0 workflows\n"));
}

TEST_CASE("serve --check finds agents that a workflow names and nobody has") {
  const temp_folder folder;
  const auto check = [&](const std::string& more) {
    folder.write("node.toml", "name = \"n\"\nworkflows = [\"pay.toml\"]\n[store]\npath = \"store\"\n" + more
                                + "[[agent]]\nname = \"bank\"\nurl = \"http://localhost/\"\n");
    return run_steadfast({"serve", "--check", "-c", (folder.path() / "node.toml").string()});
  };
  folder.write("pay.toml", "name = \"pay\"\n[[step]]\nname = \"one\"\nagent = \"bank\"\n"
                           "compensation = { agent = \"bnk\" }\nprobe = { agent = \"oracle\" }\n");
  const auto alone = check("");
  CHECK(alone.code == 78);
  CHECK(alone.out.empty());
  const auto file = (folder.path() / "pay.toml").string();
  CHECK_THAT(alone.err, Contains("steadfast: " + file
                                 + ": workflow `pay`: this node has no agent `bnk`, for the undo of step "
                                   "`one`; tasks would wait for it; did you mean `bank`?\n"));
  CHECK_THAT(alone.err,
             Contains("this node has no agent `oracle`, for the probe of step `one`; tasks would wait for it\n"));

  const auto among_others = check("[cluster]\nlisten = \"127.0.0.1:7801\"\n");
  INFO(among_others.err);
  CHECK(among_others.code == 0);
  CHECK_THAT(among_others.err,
             Contains("warning: " + file) && Contains("`oracle`") && Contains("another node must have it"));
}

TEST_CASE("serve --check says why a node cannot have a store of three partitions that is there") {
  const temp_folder folder;
  steadfast::store::store_options of_three;
  of_three.path = folder.path() / "store";
  steadfast::store::open_partitions(of_three, 3);
  const auto check = [&](const std::string& more) {
    folder.write("node.toml", "name = \"n\"\n[store]\npath = \"store\"\n" + more);
    return run_steadfast({"serve", "--check", "-c", (folder.path() / "node.toml").string()});
  };
  CHECK(check("").code == 0);
  CHECK(check("[cluster]\nlisten = \"127.0.0.1:7801\"\n").code == 0);
  auto end = check("[scheduler]\nin_flight_max = 2\n");
  CHECK(end.code == 78);
  CHECK_THAT(end.err, Contains("scheduler.in_flight_max is 2, and is shared by the 3 partitions of the store"));
  end = check("partitions = 2\n");
  CHECK(end.code == 78);
  CHECK_THAT(end.err, Contains("store.partitions is 2, and the store has 3, for as long as it is there"));
}

TEST_CASE("serve --check says that the server of a store cannot be reached") {
  const temp_folder folder;
  folder.write("node.toml", "name = \"n\"\n[store]\npath = \"memory\"\nurl = \"postgresql://127.0.0.1:1/none\"\n");
  const auto end = run_steadfast({"serve", "--check", "-c", (folder.path() / "node.toml").string()});
  INFO(end.err);
  CHECK(end.code == 0);
  CHECK_THAT(end.err, Contains("warning: the server of the store was not asked: "));
}

TEST_CASE("store move says that a store of three partitions cannot be moved to a server") {
  const temp_folder folder;
  steadfast::store::store_options of_three;
  of_three.path = folder.path() / "store";
  steadfast::store::open_partitions(of_three, 3);
  const auto end =
    run_steadfast({"store", "move", "--from", of_three.path.string(), "--url", "postgresql://127.0.0.1:1/none"});
  CHECK(end.code == 1);
  CHECK_THAT(end.err, Contains("it has 3 partitions, and only a store of one can be moved"));
}

TEST_CASE("workflow check finds mistakes and says where they are") {
  const auto good = run_steadfast({"workflow", "check", source_dir + "/config/workflows/drone_delivery.toml",
                                   source_dir + "/config/workflows/order_processing.toml"});
  CHECK(good.code == 0);
  CHECK(lines_of(good.out) == 2);
  CHECK_THAT(good.out, Contains("workflow drone_delivery v1 is valid, 5 steps"));

  const temp_folder folder;
  folder.write("bad.toml", "name = \"w\"\n[[step]]\nname = \"a\"\nagnt = \"x\"\n");
  const auto file = (folder.path() / "bad.toml").string();
  const auto bad = run_steadfast({"workflow", "check", file});
  CHECK(bad.code == 65);
  CHECK_THAT(bad.out, StartsWith(file + ":4: step `a`: agnt: unknown key; did you mean \"agent\"?"));

  const auto as_json = run_steadfast({"workflow", "check", "--json", file});
  CHECK(as_json.code == 65);
  CHECK(nlohmann::json::parse(as_json.out).at("problems").size() >= 1);
}

TEST_CASE("a payload that is no JSON, or not there, is refused before a node is asked") {
  const auto bad = run_steadfast({"submit", "w", "--payload", "-"}, "{\"a\": }");
  CHECK(bad.code == 65);
  CHECK_THAT(bad.err, Contains("the payload is not JSON: parse error at line 1, column 7"));
  const auto missing = run_steadfast({"submit", "w", "--payload", "/nowhere/payload.json"});
  CHECK(missing.code == 66);
  CHECK_THAT(missing.err, Contains("/nowhere/payload.json: there is no such file"));
  CHECK(run_steadfast({"submit", "w", "--payload", "-"}, std::string(1000, '[')).code == 65);
  const auto folder = run_steadfast({"submit", "w", "--payload", "/"});
  CHECK(folder.code == 66);
  CHECK_THAT(folder.err, Contains("/ is a folder: name a file in it"));
}

TEST_CASE("a mistake in a filter is told before a node is asked") {
  const auto arguments = GENERATE(std::vector<std::string>{"task", "list"}, std::vector<std::string>{"task", "retry"});
  auto with_filter = arguments;
  with_filter.insert(with_filter.end(), {"--where", "state=eror"});
  const auto end = run_steadfast(with_filter);
  CHECK(end.code == 64);
  CHECK(end.err == "steadfast: --where: there is no state `eror`; did you mean `error`?\n");
}

TEST_CASE("a store that is not there cannot be looked at") {
  const temp_folder folder;
  const auto end = run_steadfast({"store", "stat", "--store", (folder.path() / "none").string()});
  CHECK(end.code == 73);
  CHECK_THAT(end.err, Contains((folder.path() / "none").string()));
}

TEST_CASE("a workflow is simulated: the same seed gives the same figures, and what is left in place is told") {
  const auto trip = source_dir + "/examples/hello/trip.toml";
  const std::vector<std::string> arguments{"simulate", trip, "--runs", "3", "--seed", "1", "--refused", "0.2"};
  auto as_json = arguments;
  as_json.emplace_back("--json");
  const auto once = run_steadfast(as_json);
  REQUIRE(once.code == 0);
  auto figures = nlohmann::json::parse(once.out);
  CHECK(figures.at("runs") == 3);
  CHECK(figures.at("broken").empty());
  CHECK(figures.at("tasks")
        == figures.at("processed").get<int>() + figures.at("undone").get<int>() + figures.at("in_error").get<int>());
  CHECK(figures.at("undone") > 0);
  auto again = nlohmann::json::parse(run_steadfast(as_json).out);
  figures.erase("seconds");
  again.erase("seconds");
  CHECK(figures == again);

  const auto text = run_steadfast(arguments);
  CHECK(text.code == 0);
  CHECK_THAT(text.out,
             Contains("all or nothing    held in 3 clusters") && Contains("step `choose` of trip: stayed in"));
  CHECK(run_steadfast({"simulate", source_dir + "/nothing.toml"}).code == 66);
  CHECK(run_steadfast({"simulate", trip, "--latency", "soon"}).code == 64);
}

TEST_CASE("a token has a scope or a role, and what is no role is refused") {
  const temp_folder folder;
  const auto file = (folder.path() / "tokens.json").string();
  const auto create = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"token", "create", "ann", "--file", file};
    words.insert(words.end(), more.begin(), more.end());
    return run_steadfast(words);
  };
  const auto nothing = create({});
  CHECK(nothing.code == 64);
  CHECK_THAT(nothing.err, Contains("give --scope, or --role"));
  const auto wrong = create({"--role", "all of them"});
  CHECK(wrong.code == 64);
  CHECK_THAT(wrong.err, Contains("`all of them` is not a valid role"));
  CHECK_FALSE(std::filesystem::exists(file));
  CHECK(create({"--role", "sales,support"}).code == 0);
  const auto listed = nlohmann::json::parse(run_steadfast({"token", "list", "--file", file, "--json"}).out);
  CHECK(listed.at("roles") == nlohmann::json{"sales", "support"});
  CHECK(listed.at("scopes").empty());
}
