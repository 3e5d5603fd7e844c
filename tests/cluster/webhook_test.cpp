// Webhooks of a real node, whose receivers go away and come back, answer slowly or with errors, and which is killed.

#include "tests/support/clusters/node_cluster.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/processes/node_process.hpp"
#include "tests/support/processes/receiver.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <vector>

using namespace steadfast::tests;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

constexpr const char* quick_retry = "retry = { initial = \"20ms\", cap = \"100ms\" }\n";

std::string webhook(const std::string& name, const receiver& to, const std::string& events,
                    const std::string& more = "") {
  return "[[webhook]]\nname = \"" + name + "\"\nurl = \"" + to.url() + "\"\nevents = [" + events + "]\n" + quick_retry
         + more;
}

constexpr const char* all_ends = "\"processed\", \"undone\", \"error\"";
constexpr const char* ends_and_alerts = "\"processed\", \"undone\", \"error\", \"alert\"";

/// Its tasks end in error, with two alerts before: what was done cannot be undone.
void add_stuck_workflow(const node_process& node) {
  node.folder().write("workflows/stuck.toml", "name = \"stuck\"\n[[step]]\nname = \"done\"\nagent = \"quick\"\n"
                                              "compensation = { agent = \"broken\", retry = { attempts = 1 } }\n"
                                              "[[step]]\nname = \"act\"\nagent = \"broken\"\nretry = { attempts = 1 }\n"
                                              "threshold = 1\ncool_off = { count = 0 }\n");
}

void submit(const node_process& node, const std::string& workflow, const std::string& id) {
  REQUIRE(node.command({"submit", workflow, "--id", id, "--data", "{}"}).code == 0);
}

json state_of(const node_process& node, const std::string& webhook) {
  for (const auto& w : node.json_of({"webhook", "list", "--json"}))
    if (w.at("name") == webhook)
      return w;
  return {};
}

bool has_all(const receiver& r, const std::set<std::string>& ids) {
  const auto taken = r.taken();
  return std::all_of(ids.begin(), ids.end(), [&](const auto& id) { return taken.count(id) == 1; });
}

} // namespace

TEST_CASE("row 110: a webhook misses nothing and sees each task in its order, whatever its receiver and the node do") {
  receiver to;
  node_process node{STEADFAST_BINARY, webhook("all", to, ends_and_alerts)};
  add_stuck_workflow(node);
  node.start();
  std::set<std::string> well;
  std::set<std::string> stuck;
  const auto submit_some = [&](const std::string& during) {
    for (int i = 0; i < 3; ++i) {
      submit(node, "one", *well.insert(during + "-well" + std::to_string(i)).first);
      submit(node, "stuck", *stuck.insert(during + "-stuck" + std::to_string(i)).first);
    }
  };
  submit_some("up");
  CHECK(comes_true([&] { return has_all(to, well) && has_all(to, stuck); }));

  to.answer(500);
  submit_some("errors");
  CHECK(comes_true([&] { return state_of(node, "all").at("away") == true; }));
  node.kill();
  node.start();
  submit_some("errors-after-kill");

  to.answer(200, 60s); // it takes the request, and the node never hears of it
  const auto before = to.all().size();
  CHECK(comes_true([&] { return state_of(node, "all").at("under_way") > 0; }));
  node.kill();
  to.go_away();
  CHECK(to.all().size() > before);
  node.start();
  submit_some("away");
  CHECK(comes_true([&] { return state_of(node, "all").at("waiting") > 0; }));
  node.kill();
  to.come_back();
  to.answer(200);
  node.start();
  CHECK(comes_true([&] { return has_all(to, well) && has_all(to, stuck); }));
  CHECK(comes_true([&] { return state_of(node, "all").at("waiting") == 0; }));

  const auto taken = to.taken();
  for (const auto& id : well)
    CHECK(taken.at(id) == std::vector<std::string>{"task.processed"});
  for (const auto& id : stuck)
    CHECK(taken.at(id) == std::vector<std::string>{"alert.raised", "alert.raised", "task.error"});
  std::map<std::string, std::string> bodies;
  for (const auto& d : to.all())
    CHECK(bodies.emplace(d.id, d.body).first->second == d.body); // a repetition is the same
}

TEST_CASE("row 110: a receiver that is away or slow holds up neither the node nor other webhooks") {
  receiver slow;
  slow.answer(200, 600s);
  receiver away;
  away.go_away();
  receiver well;
  node_process node{STEADFAST_BINARY, webhook("slow", slow, all_ends) + webhook("away", away, all_ends)
                                        + webhook("well", well, all_ends)};
  node.start();
  std::set<std::string> ids;
  for (int i = 0; i < 20; ++i)
    submit(node, "one", *ids.insert("t" + std::to_string(i)).first);
  CHECK(comes_true([&] { return has_all(well, ids); }));
  CHECK(state_of(node, "slow").at("under_way") == 4); // as many as may be
  CHECK(state_of(node, "away").at("delivered") == 0);
  node.process().signal(SIGTERM);
  CHECK(node.process().wait(hang_limit) == 0); // nor its stop
}

TEST_CASE("a receiver that does not answer in time has not got it, and what is too old is given up with a trace") {
  receiver to;
  to.answer(200, 600s);
  node_process node{STEADFAST_BINARY,
                    webhook("page", to, all_ends, "call_limit = \"100ms\"\ngive_up_after = \"1ms\"\n")};
  node.start();
  submit(node, "one", "a");
  CHECK(comes_true([&] { return state_of(node, "page").at("given_up") == 1; }));
  CHECK_THAT(state_of(node, "page").at("last_failure").get<std::string>(), Contains("no answer within 100 ms"));
  const auto acts = node.command({"alerts", "--all", "--json"}).out;
  CHECK_THAT(acts, Contains("gave up the notification task-1-") && Contains("webhook page"));
  to.answer(503);
}

TEST_CASE("a receiver that asks for a wait is left alone, and one that is back gets what waits") {
  receiver to;
  to.answer(429, {}, "1");
  node_process node{STEADFAST_BINARY, webhook("page", to, all_ends)};
  node.start();
  submit(node, "one", "a");
  CHECK(comes_true([&] { return !to.all().empty(); }));
  const auto asked_at = std::chrono::steady_clock::now();
  to.answer(200);
  CHECK(comes_true([&] { return has_all(to, {"a"}); }));
  CHECK(std::chrono::steady_clock::now() - asked_at > 500ms);
}

TEST_CASE("a webhook is tried by a person, listed with where it stands, and its secret is nowhere") {
  const std::string secret = "whsec_cGxhbnRlZC1jYW5hcnktcGxhbnRlZC1jYW5hcnk=";
  receiver to;
  node_process node{STEADFAST_BINARY,
                    webhook("page", to, "\"incident\"", "workflows = [\"one\"]\nsecret = { env = \"HOOK\" }\n"),
                    {"HOOK=" + secret}};
  node.start();
  const auto run = [&](std::vector<std::string> arguments) { return node.command(std::move(arguments)); };
  const auto tried = run({"webhook", "test", "page"});
  CHECK(tried.code == 0);
  CHECK_THAT(tried.out, Contains("delivered in"));
  REQUIRE(to.all().size() == 1);
  CHECK(json::parse(to.all()[0].body).at("type") == "webhook.test");
  CHECK(to.all()[0].headers.count("webhook-signature") == 1);
  to.answer(404);
  const auto refused = run({"webhook", "test", "page"});
  CHECK(refused.code == 1);
  CHECK_THAT(refused.out, Contains("not delivered: HTTP 404"));
  CHECK(run({"webhook", "test", "nobody"}).code == 5);
  CHECK_THAT(run({"webhook", "list"}).out, Contains("page") && Contains("incident of one") && Contains("127.0.0.1"));
  CHECK_THAT(run({"webhook", "list", "--json"}).out + run({"actor", "show", "webhook/page@test"}).out
               + node.process().err(),
             !Contains(secret) && !Contains("planted-canary"));
}

TEST_CASE("a webhook is tried through any node of its cluster") {
  receiver to;
  node_cluster cluster{STEADFAST_BINARY, nullptr, {}, GENERATE(trust::plain, trust::certified)};
  std::ofstream{cluster.config("a"), std::ios::app} << '\n' << webhook("page", to, "\"incident\"");
  cluster.start();
  const auto tried = cluster.command("b", {"webhook", "test", "page"});
  CHECK(tried.code == 0);
  CHECK_THAT(tried.out, Contains("delivered in"));
  REQUIRE(to.all().size() == 1);
  CHECK(json::parse(to.all()[0].body).at("type") == "webhook.test");
  const auto absent = cluster.command("c", {"webhook", "test", "nobody"});
  CHECK(absent.code == 5);
  CHECK_THAT(absent.err, Contains("node `a` has no webhook `nobody`"));
}

TEST_CASE("a program is told too, on its standard input, and again when it fails") {
  node_process node{STEADFAST_BINARY,
                    "[[webhook]]\nname = \"page\"\nprogram = \"/bin/sh\"\nallow_root = true\n"
                    "arguments = [\"-c\", \"[ -e told ] || { touch told; exit 1; }; cat >> told\"]\ndirectory = \".\"\n"
                    "events = [\"processed\"]\n"
                      + std::string{quick_retry}};
  node.start();
  submit(node, "one", "a");
  const auto told = [&] {
    std::ifstream in{node.folder().path() / "told"};
    return std::string{std::istreambuf_iterator<char>{in}, {}};
  };
  CHECK(comes_true([&] { return told().find("\"task.processed\"") != std::string::npos; }));
  CHECK(state_of(node, "page").at("failed") == 1);
}

TEST_CASE("the example that posts to a chat takes what is signed, and posts each notification once") {
  const std::string secret = "whsec_cGxhbnRlZC1jYW5hcnktcGxhbnRlZC1jYW5hcnk=";
  receiver chat;
  running_program script{"/usr/bin/python3",
                         {std::string{STEADFAST_SOURCE_DIR} + "/examples/webhook/chat.py", "--listen", "127.0.0.1:0"},
                         {"WEBHOOK_SECRET=" + secret, "CHAT_URL=" + chat.url()}};
  REQUIRE(script.says("listening at 127.0.0.1:", hang_limit));
  const auto port = script.err().substr(script.err().rfind(':') + 1);
  const auto hook = [&](const std::string& name, const std::string& variable) {
    return "[[webhook]]\nname = \"" + name + "\"\nurl = \"http://127.0.0.1:" + std::to_string(std::stoi(port))
           + "\"\nevents = [\"error\", \"incident\"]\nsecret = { env = \"" + variable + "\" }\n" + quick_retry;
  };
  node_process node{STEADFAST_BINARY,
                    hook("chat", "HOOK") + hook("liar", "OTHER"),
                    {"HOOK=" + secret, "OTHER=whsec_bm90LXRoZS1zZWNyZXQtbm90LXRoZS1zZWNyZXQtbm8="}};
  add_stuck_workflow(node);
  node.start();
  chat.answer(500);
  submit(node, "stuck", "a");
  CHECK(comes_true([&] { return state_of(node, "chat").at("failed") > 2; }));
  chat.answer(200);
  const auto posted = [&] {
    std::multiset<std::string> texts;
    for (const auto& d : chat.all())
      if (d.answered == 200)
        texts.insert(json::parse(d.body).at("text"));
    return texts;
  };
  CHECK(comes_true(
    [&] { return posted().count("Task a of stuck is error: step `act` failed for good: exit code 1") == 1; }));
  CHECK(comes_true([&] { return state_of(node, "chat").at("waiting") == 0; }));
  CHECK(state_of(node, "liar").at("delivered") == 0);
  CHECK_THAT(state_of(node, "liar").at("last_failure").get<std::string>(), Contains("401"));
  const auto texts = posted();
  CHECK(texts.size() == std::set<std::string>(texts.begin(), texts.end()).size());
  CHECK(
    std::any_of(texts.begin(), texts.end(), [](const auto& t) { return t.starts_with("Incident 1 (stuck/done)"); }));
}
