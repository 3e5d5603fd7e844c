#include "runtime/configuration/config_file.hpp"
#include "runtime/toml/config_error.hpp"
#include "tests/support/processes/proc_files.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

using namespace steadfast;
using runtime::config_error;

namespace {

const std::filesystem::path root{STEADFAST_SOURCE_DIR};

/// All complaints about the text, one a line.
std::string complaints(const std::string& text) {
  try {
    parse_config(text, "node.toml");
    return "";
  } catch (const config_error& e) {
    return e.what();
  }
}

/// The file with what is commented out as an example put into force, with a program that this machine has, whoever runs
/// the test.
std::string with_examples(const std::string& text) {
  std::istringstream in{text};
  std::string all;
  const std::regex example{"^#(\\[\\[|[a-z_]+ = ).*"};
  for (std::string line; std::getline(in, line);)
    all += (std::regex_match(line, example) ? line.substr(1) : line) + "\n";
  all = std::regex_replace(all, std::regex{"program = \"[^\"]*\""}, "program = \"/bin/cat\"");
  return std::regex_replace(all, std::regex{"allow_root = false"}, "allow_root = true");
}

} // namespace

TEST_CASE("the shipped configuration says what the defaults are") {
  const auto shipped = parse_config(tests::text_of(root / "config/steadfast.toml"), "config/steadfast.toml").options;
  const node_options defaults;
  CHECK(shipped.name == defaults.name);
  CHECK(shipped.threads == defaults.threads);
  CHECK(shipped.conditions == defaults.conditions);
  CHECK(shipped.conditions_period == defaults.conditions_period);
  CHECK(shipped.roles == defaults.roles);
  CHECK_FALSE(shipped.cluster.is_used());
  CHECK_FALSE(shipped.cluster.has_certificates());
  CHECK(shipped.cluster.advertise == defaults.cluster.advertise);
  CHECK(shipped.cluster.private_network == defaults.cluster.private_network);
  CHECK(shipped.cluster.lease.ttl == defaults.cluster.lease.ttl);
  CHECK(shipped.cluster.lease.renew_every == defaults.cluster.lease.renew_every);
  CHECK(shipped.cluster.lease.margin == defaults.cluster.lease.margin);
  CHECK(shipped.cluster.lease.needs_progress == defaults.cluster.lease.needs_progress);
  CHECK(shipped.socket == defaults.socket);
  CHECK(shipped.store.path == defaults.store.path);
  CHECK(shipped.store.size_max == defaults.store.size_max);
  CHECK(shipped.store.size_reserve == defaults.store.size_reserve);
  CHECK(shipped.store.journal_max == defaults.store.journal_max);
  CHECK(shipped.store.payload_size_max == defaults.store.payload_size_max);
  CHECK(shipped.store.result_size_max == defaults.store.result_size_max);
  CHECK(shipped.backlog_max == defaults.backlog_max);
  CHECK_FALSE(shipped.store_server.is_used());
  CHECK(shipped.store_server.schema == defaults.store_server.schema);
  CHECK(shipped.store_server.lease == defaults.store_server.lease);
  CHECK(shipped.in_flight_max == defaults.in_flight_max);
  CHECK(shipped.supervisor_period == defaults.supervisor_period);
  CHECK(workflow::keeps_all(shipped.retention));
  CHECK(shipped.supervisor_slack == defaults.supervisor_slack);
  CHECK(shipped.supervisor_lease.ttl == defaults.supervisor_lease.ttl);
  CHECK(shipped.supervisor_lease.renew_every == defaults.supervisor_lease.renew_every);
  CHECK(shipped.supervisor_lease.margin == defaults.supervisor_lease.margin);
  CHECK(shipped.supervisor_lease.needs_progress == defaults.supervisor_lease.needs_progress);
  CHECK(shipped.drain_limit == defaults.drain_limit);
  CHECK(shipped.bulk_rate == defaults.bulk_rate);
  CHECK(shipped.store.bulk_open_max == defaults.store.bulk_open_max);
  CHECK(shipped.store.events_keep_for == defaults.store.events_keep_for);
  CHECK(shipped.store.bulk_keep_for == defaults.store.bulk_keep_for);
  CHECK(shipped.log.level == defaults.log.level);
  CHECK(shipped.log.json == defaults.log.json);
  CHECK(shipped.log.file == defaults.log.file);
  CHECK(shipped.agents.empty());
  CHECK(shipped.workflows.empty());
}

TEST_CASE("the shipped configuration shows every key, agents' among them") {
  setenv("PAYMENT_TOKEN", "canary", 1);
  setenv("COLLECTOR_TOKEN", "canary", 1);
  for (const auto* name : {"WEBHOOK_SECRET", "WEBHOOK_SECRET_BEFORE"})
    setenv(name, "whsec_Y2FuYXJ5LWNhbmFyeS1jYW5hcnktY2FuYXJ5", 1);
  setenv("POSTGRES_PASSWORD", "open sesame", 1);
  const auto parsed =
    parse_config(with_examples(tests::text_of(root / "config/steadfast.toml")), "config/steadfast.toml");
  std::vector<std::string> missing;
  std::set_difference(parsed.keys_known.begin(), parsed.keys_known.end(), parsed.keys_seen.begin(),
                      parsed.keys_seen.end(), std::back_inserter(missing));
  CHECK(missing == std::vector<std::string>{});

  CHECK(parsed.options.store_server.password.reveal() == "open sesame");
  REQUIRE(parsed.options.agents.size() == 2);
  const auto& http = std::get<actors::http_options>(parsed.options.agents[0].kind);
  const actors::http_options http_defaults;
  CHECK(http.method == http_defaults.method);
  CHECK(http.permanent == http_defaults.permanent);
  CHECK(http.transient == http_defaults.transient);
  CHECK(http.connect_limit == http_defaults.connect_limit);
  CHECK(http.allow_link_local == http_defaults.allow_link_local);
  CHECK(http.headers.empty());
  CHECK(parsed.options.agents[0].secrets.at("Authorization").reveal() == "canary");
  const auto& common = parsed.options.agents[0].common;
  const actors::agent_options common_defaults;
  CHECK(common.retry == common_defaults.retry);
  CHECK(common.circuit.failures == common_defaults.circuit.failures);
  CHECK(common.circuit.open_for == common_defaults.circuit.open_for);
  CHECK(common.circuit.trials == common_defaults.circuit.trials);
  CHECK(common.concurrency == common_defaults.concurrency);
  CHECK(common.queue == common_defaults.queue);
  CHECK(common.rate_per_second == common_defaults.rate_per_second);
  CHECK(common.burst == common_defaults.burst);
  CHECK(common.result_size_max == common_defaults.result_size_max);
  const auto& program = std::get<actors::program_options>(parsed.options.agents[1].kind);
  const actors::program_options program_defaults;
  CHECK(program.transient_exits == program_defaults.transient_exits);
  CHECK(program.output_max == program_defaults.output_max);
}

TEST_CASE("row 80: an unknown key is refused with file, line and the nearest known name") {
  CHECK(complaints("[scheduler]\nin_flight_mx = 3\n")
        == "node.toml:2: scheduler.in_flight_mx: unknown key; did you mean \"in_flight_max\"?");
  CHECK(complaints("shutdwon = 1") == "node.toml:1: shutdwon: unknown key; did you mean \"shutdown\"?");
  CHECK(complaints("[supervisor.lease]\ncolour = 1")
        == "node.toml:2: supervisor.lease.colour: unknown key; known are margin, needs_progress, renew_every, ttl");
  CHECK(complaints("[supervisor.lease]\nmargins = \"1s\"")
        == "node.toml:2: supervisor.lease.margins: unknown key; did you mean \"margin\"?");
  CHECK(complaints("[[agent]]\nname = \"a\"\nurl = \"http://localhost/\"\nheader = {}")
        == "node.toml:4: agent.header: unknown key; did you mean \"headers\"?");
}

TEST_CASE("row 80: a bad value is refused with file, line, key and what is allowed") {
  CHECK(complaints("[supervisor]\n\nperiod = \"5x\"")
        == "node.toml:3: supervisor.period: \"5x\" is not a duration: write a number and a unit, such as \"250ms\", "
           "\"5s\", "
           "\"2m\", \"1h\" or \"7d\", at most ten years");
  CHECK(complaints("[supervisor]\nperiod = 5")
        == "node.toml:2: supervisor.period: 5 is not a duration: write a number and a unit, such as \"250ms\", \"5s\", "
           "\"2m\", "
           "\"1h\" or \"7d\", at most ten years");
  CHECK(
    complaints("[store]\nsize_max = \"8GB\"")
    == "node.toml:2: store.size_max: \"8GB\" is not a size: write a number and a unit, such as \"512B\", \"64KiB\", "
       "\"1MiB\" or \"8GiB\"");
  CHECK(complaints("[log]\nlevel = \"chatty\"")
        == "node.toml:2: log.level: \"chatty\" is not allowed; one of \"trace\", \"debug\", \"info\", \"warning\", "
           "\"error\", "
           "\"off\"");
  CHECK(complaints("[scheduler]\nin_flight_max = 0")
        == "node.toml:2: scheduler.in_flight_max: 0 is not allowed: a whole number from 1 to 1000000");
  CHECK(complaints("[scheduler]\nin_flight_max = -1")
        == "node.toml:2: scheduler.in_flight_max: -1 is not allowed: a whole number from 1 to 1000000");
  CHECK(complaints("name = 7") == "node.toml:1: name: must be a text in quotes, not 7");
  CHECK(complaints("workflows = \"a.toml\"") == "node.toml:1: workflows: must be a list of texts in quotes");
  CHECK(complaints("log = 3") == "node.toml:1: log: must be a table, not a number");
  CHECK(complaints("[supervisor.lease]\nneeds_progress = \"yes\"")
        == "node.toml:2: supervisor.lease.needs_progress: must be true or false, not \"yes\"");
  CHECK(complaints("name = \"a b\"") == "node.toml:1: name `a b` must be 1 to 64 of the characters A-Z a-z 0-9 _ -");
}

TEST_CASE("all mistakes are told at once, in order of lines") {
  CHECK(complaints("nam = \"x\"\n[log]\nformat = \"xml\"\n[store]\npaths = 1")
        == "node.toml:1: nam: unknown key; did you mean \"name\"?\n"
           "node.toml:3: log.format: \"xml\" is not allowed; one of \"text\", \"json\"\n"
           "node.toml:5: store.paths: unknown key; did you mean \"path\"?");
}

TEST_CASE("options that contradict each other are told with their line") {
  CHECK(complaints("[supervisor]\nperiod = \"9s\"").starts_with("node.toml:2: supervisor.period must be shorter than"));
  CHECK(complaints("[supervisor]\nperiod = \"500ms\"\n[supervisor.lease]\nttl = \"3s\"")
          .starts_with("node.toml:3: supervisor.lease"));
}

TEST_CASE("how long ended tasks are kept is told for all workflows and for some") {
  using namespace std::chrono_literals;
  const auto o = parse_config("[retention]\nkeep_for = \"30d\"\n"
                              "[[retention.workflow]]\nname = \"deliver\"\nkeep_at_most = 0\n"
                              "[[retention.workflow]]\nname = \"audit\"\n",
                              "node.toml")
                   .options.retention;
  CHECK(o.others == workflow::retention{24h * 30, {}});
  CHECK(workflow::retention_of(o, "deliver") == workflow::retention{{}, 0});
  CHECK(workflow::keeps_all(workflow::retention_of(o, "audit")));
  CHECK(workflow::retention_of(o, "other") == o.others);
  CHECK(workflow::keeps_all(parse_config("[retention]\n", "node.toml").options.retention));
}

TEST_CASE("row 80: mistakes in what is said of ended tasks are told with their line") {
  CHECK(complaints("[retention]\nkeep_forr = \"1d\"")
        == "node.toml:2: retention.keep_forr: unknown key; did you mean \"keep_for\"?");
  CHECK(complaints("[retention]\n\nkeep_at_most = -1").starts_with("node.toml:3: retention.keep_at_most: -1 is not"));
  CHECK(complaints("[retention]\nkeep_for = 30").starts_with("node.toml:2: retention.keep_for: 30 is not a duration"));
  CHECK(complaints("[[retention.workflow]]\nname = \"a\"\nkeep = 1")
        == "node.toml:3: retention.workflow.keep: unknown key; known are keep_at_most, keep_for, name");
  CHECK(complaints("[[retention.workflow]]\nkeep_at_most = 1").find("name must be 1 to 64") != std::string::npos);
  const std::string own = "[[retention.workflow]]\nname = \"a\"\n";
  CHECK(complaints(own + own).find("`a`: there are two of that name") != std::string::npos);
}

TEST_CASE("a file that is not TOML is refused with its line") {
  CHECK(complaints("name = \"a\"\nname = \"b\"").starts_with("node.toml:2: this is not TOML: "));
  CHECK(complaints("[store").starts_with("node.toml:1: this is not TOML: "));
}

TEST_CASE("an agent is one of a url and a program") {
  CHECK(complaints("\n[[agent]]\nname = \"a\"\n") == "node.toml:2: agent: has neither a url nor a program");
  CHECK(complaints("[[agent]]\nname = \"a\"\nurl = \"http://localhost/\"\nprogram = \"/bin/true\"")
          .find("node.toml:1: agent: has both a url and a program")
        != std::string::npos);
  CHECK(complaints("[agent]\nname = \"a\"")
        == "node.toml:1: agent: must be a list of tables: write [[agent]] above each");
}

TEST_CASE("two agents of one name are refused") {
  const std::string agent = "[[agent]]\nname = \"a\"\nurl = \"http://localhost/\"\n";
  CHECK(complaints(agent + agent).find("agent `a`: there are two of that name") != std::string::npos);
}

TEST_CASE("secrets come from the environment or from a file that not everybody can read") {
  const tests::temp_folder folder;
  const auto config = [&](const std::string& value) {
    folder.write("node.toml",
                 "[[agent]]\nname = \"a\"\nurl = \"http://localhost/\"\nheaders = { Token = " + value + " }\n");
    return folder.path() / "node.toml";
  };
  SECTION("from the environment") {
    setenv("STEADFAST_TEST_TOKEN", "canary", 1);
    CHECK(load_config(config("{ env = \"STEADFAST_TEST_TOKEN\" }")).agents[0].secrets.at("Token").reveal() == "canary");
  }
  SECTION("an environment variable that is not set") {
    CHECK_THROWS_WITH(load_config(config("{ env = \"STEADFAST_TEST_NONE\" }")),
                      Catch::Matchers::EndsWith("node.toml:4: agent.headers.Token: the environment variable "
                                                "STEADFAST_TEST_NONE is not set"));
  }
  SECTION("from a file beside the configuration") {
    folder.write("token", "canary\n", std::filesystem::perms::owner_read);
    CHECK(load_config(config("{ file = \"token\" }")).agents[0].secrets.at("Token").reveal() == "canary");
  }
  SECTION("a file that everybody can read") {
    folder.write("token", "canary\n", std::filesystem::perms::owner_read | std::filesystem::perms::others_read);
    CHECK_THROWS_WITH(load_config(config("{ file = \"token\" }")),
                      Catch::Matchers::Contains("can be read by everybody"));
  }
  SECTION("something else") {
    CHECK_THROWS_WITH(load_config(config("{ vault = \"x\" }")), Catch::Matchers::Contains("must be a text, { env = "));
  }
}

TEST_CASE("row 80: a file that is missing is told by name") {
  CHECK_THROWS_WITH(load_config("/nowhere/node.toml"), "/nowhere/node.toml: cannot be read: No such file or directory");
}

TEST_CASE("relative paths count from the folder of the configuration") {
  const tests::temp_folder folder;
  folder.write("node.toml", "[store]\npath = \"data\"\n[log]\nfile = \"/var/log/x\"\n");
  const auto o = load_config(folder.path() / "node.toml");
  CHECK(o.store.path == folder.path() / "data");
  CHECK(o.socket == folder.path() / "data/control.sock");
  CHECK(o.log.file == "/var/log/x");
}

TEST_CASE("relative paths of an agent count from there too") {
  const tests::temp_folder folder;
  folder.write("ca.pem", "");
  folder.write("node.toml",
               "[[agent]]\nname = \"a\"\nurl = \"https://x\"\nca_file = \"ca.pem\"\n[[agent]]\nname = \"b\"\n"
               "program = \"/bin/cat\"\nallow_root = true\ndirectory = \".\"\n");
  const auto o = load_config(folder.path() / "node.toml");
  REQUIRE(o.agents.size() == 2);
  CHECK(std::get<actors::http_options>(o.agents[0].kind).ca_file == folder.path() / "ca.pem");
  CHECK(std::filesystem::equivalent(std::get<actors::program_options>(o.agents[1].kind).directory, folder.path()));
}

TEST_CASE("workflows of files and folders are read with the configuration") {
  const tests::temp_folder folder;
  folder.write("node.toml", "workflows = [\"" + (root / "config/workflows").string() + "\", \"one.toml\"]\n");
  folder.write("one.toml", "name = \"one\"\n[[step]]\nname = \"a\"\nagent = \"a\"\n");
  const auto o = load_config(folder.path() / "node.toml");
  REQUIRE(o.workflows.size() == 9);
  CHECK(o.workflows[0].name == "conference");
  CHECK(o.workflows[1].name == "conference_trip");
  CHECK(o.workflows[2].name == "drone_delivery");
  CHECK(o.workflows[3].name == "nightly_settlement");
  CHECK(o.workflows[4].name == "onboarding");
  CHECK(o.workflows[5].name == "order_processing");
  CHECK(o.workflows[6].name == "paid_order");
  CHECK(o.workflows[7].name == "statement");
  CHECK(o.workflows[8].name == "one");
}

TEST_CASE("row 80: a node without a store must know where it is, and one with a store must not join another") {
  CHECK(
    complaints("roles = [\"scheduler\"]")
    == "node.toml:1: cluster.join is missing: a node without the role `store` needs the address of the one that has "
       "it");
  CHECK(complaints("[cluster]\njoin = \"127.0.0.1:7801\"")
        == "node.toml:2: cluster.join: this node has the role `store` itself; leave one of the two out");
  CHECK(complaints("roles = [\"leader\"]")
        == "node.toml:1: roles: must be a list of `store`, `scheduler`, `supervisor` and `agents`");
  CHECK(
    complaints("roles = []")
    == "node.toml:1: cluster.join is missing: a node without the role `store` needs the address of the one that has "
       "it");
}

TEST_CASE("a node without roles only lets clients of its host or its program reach the cluster") {
  CHECK(complaints("roles = []\n[cluster]\njoin = \"127.0.0.1:7801\"").empty());
}

TEST_CASE(
  "row 82: beyond loopback a node listens only with certificates, or where it is told that the network is private") {
  const std::string reachable = "[cluster]\nlisten = \"10.0.0.1:7801\"\n";
  CHECK(
    complaints(reachable)
    == "node.toml:2: cluster.listen: 10.0.0.1:7801 can be reached from other hosts, and whoever reaches it controls "
       "the node: give certificate, key and authority, or set private_network = true if only your nodes can reach it");
  CHECK(complaints(reachable + "private_network = true").empty());
  CHECK(complaints(reachable + "certificate = \"a.pem\"\nkey = \"a.key\"\nauthority = \"ca.pem\"").empty());
  CHECK(complaints("[cluster]\nlisten = \"0.0.0.0:7801\"\ncertificate = \"a.pem\"").find("give all three, or none")
        != std::string::npos);
  for (const auto* local : {"127.0.0.1:7801", "localhost:7801", "[::1]:7801"})
    CHECK(complaints("[cluster]\nlisten = \"" + std::string{local} + "\"").empty());
  for (const auto* wrong : {"7801", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:70000", ":7801", "::1:7801", "a b:1"})
    CHECK(complaints("[cluster]\nlisten = \"" + std::string{wrong} + "\"").find("is not host:port")
          != std::string::npos);
}

TEST_CASE("the shipped configuration of a host is one") {
  const auto shipped =
    parse_config(tests::text_of(root / "config/clusters/host.toml"), "config/clusters/host.toml").options;
  CHECK_FALSE(shipped.roles.store);
  CHECK(shipped.cluster.has_certificates());
}
