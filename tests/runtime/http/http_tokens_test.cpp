// Who may ask over HTTP.

#include "runtime/http/access_tokens.hpp"
#include "runtime/http/http_callers.hpp"
#include "runtime/http/http_server.hpp"
#include "runtime/logging/log.hpp"
#include "runtime/toml/config_error.hpp"
#include "steadfast/node_error.hpp"
#include "tests/runtime/http/http_node.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/processes/proc_files.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace steadfast;
using Catch::Matchers::Contains;
using nlohmann::json;
using runtime::access_token;
using tests::http_node;

namespace {

workflow::instant now() {
  return std::chrono::time_point_cast<workflow::span>(std::chrono::system_clock::now());
}

/// Adds one, and returns it.
std::string add_token(const std::filesystem::path& file, const std::string& name, std::vector<api::scope> scopes,
                      std::vector<std::string> workflows = {}, workflow::instant until = workflow::never,
                      std::vector<std::string> roles = {}) {
  auto all = runtime::read_tokens(file);
  access_token t;
  t.name = name;
  t.scopes = std::move(scopes);
  t.workflows = std::move(workflows);
  t.roles = std::move(roles);
  t.made_at = now();
  t.expires_at = until;
  auto token = runtime::make_token(t);
  all.push_back(t);
  runtime::write_tokens(file, all);
  return token;
}

tests::http_headers with(const std::string& token) {
  return {{"Authorization", "Bearer " + token}};
}

/// A node whose tokens are in this file.
struct guarded_node {
  tests::temp_folder folder;
  std::filesystem::path file = folder.path() / "tokens.json";
  std::string admin = add_token(file, "root", {api::scope::admin});
  http_node node{[this] {
    http_server_options o;
    o.tokens = file;
    return o;
  }()};
};

/// Asks at once those in sales and those in finance.
constexpr const char* deal = "name = \"deal\"\n"
                             "[[step]]\nname = \"sell\"\nagent = \"person\"\nrole = \"sales\"\nquestion = \"Sell?\"\n"
                             "limit = \"2h\"\nafter = []\n"
                             "[[step]]\nname = \"pay\"\nagent = \"person\"\nrole = \"finance\"\nquestion = \"Paid?\"\n"
                             "limit = \"2h\"\nafter = []\n";

std::vector<std::string> roles_asked(const guarded_node& g, const std::string& token, const std::string& more = {}) {
  const auto told = g.node.get("/v1/approvals" + more, with(token)).json();
  std::vector<std::string> roles;
  for (const auto& a : told.at("approvals"))
    roles.push_back(a.at("role"));
  return roles;
}

/// With a task "d" that asks both.
void ask_both(const guarded_node& g) {
  REQUIRE(g.node.ask("POST", "/v1/workflows", json{{"text", deal}}.dump(), with(g.admin)).status == 200);
  REQUIRE(g.node.ask("PUT", "/v1/tasks/d", R"({"workflow":"deal"})", with(g.admin)).status == 201);
  REQUIRE(tests::comes_true([&] { return roles_asked(g, g.admin).size() == 2; }));
}

} // namespace

TEST_CASE("row 143: who has a role answers questions to it and no others, and sees nothing else") {
  const guarded_node g;
  ask_both(g);
  const auto ann = add_token(g.file, "ann", {}, {}, workflow::never, {"sales"});
  const auto eyes = add_token(g.file, "eyes", {api::scope::read}, {}, workflow::never, {"sales"});
  const auto ops = add_token(g.file, "ops", {api::scope::operate}, {}, workflow::never, {"sales"});
  const auto trips = add_token(g.file, "trips", {}, {"trip"}, workflow::never, {"sales"});
  const auto answer = [&](const std::string& token, const std::string& of, const char* body = R"({"choice":"yes"})") {
    return g.node.ask("POST", "/v1/tasks/" + of, body, with(token));
  };
  using roles = std::vector<std::string>;
  CHECK(roles_asked(g, ann) == roles{"sales"});
  CHECK(roles_asked(g, ann, "?role=sales") == roles{"sales"});
  CHECK(roles_asked(g, eyes) == roles{"sales", "finance"}); // by its scope
  CHECK(roles_asked(g, trips).empty());
  CHECK(roles_asked(g, add_token(g.file, "of trips", {api::scope::read}, {"trip"})).empty());
  for (const auto* const others : {"?role=finance", "?roles=sales,finance", "?role=sales&roles=finance"})
    CHECK(g.node.get("/v1/approvals" + std::string{others}, with(ann)).code() == "wrong_role");
  g.node.ask("PUT", "/v1/tasks/t", R"({"workflow":"trip"})", with(g.admin));
  for (const auto* const path : {"/v1/tasks", "/v1/tasks/d", "/v1/tasks/d/state", "/v1/tasks/d/events", "/v1/events",
                                 "/v1/counts", "/v1/incidents", "/v1/workflows", "/metrics"})
    CHECK(g.node.get(path, with(ann)).status == 403);
  CHECK(g.node.ask("PUT", "/v1/tasks/e", R"({"workflow":"deal"})", with(ann)).status == 403);
  CHECK(answer(ann, "d/actions", R"({"act":"skip","step":"sell"})").status == 403);

  for (const auto& token : {ann, eyes}) {
    const auto refused = answer(token, "d/approvals/pay");
    CHECK(refused.status == 403);
    CHECK(refused.code() == "wrong_role");
    CHECK_THAT(refused.json().at("detail").get<std::string>(), Contains("not to `finance`"));
  }
  const auto nothing = answer(ann, "none/approvals/sell");
  CHECK(nothing.status == 404);
  for (const auto* const no_question : {"d/approvals/none", "t/approvals/ride"}) // as if they were not there
    CHECK(answer(ann, no_question).body == nothing.body);
  CHECK(answer(trips, "d/approvals/sell").status == 404);
  CHECK(roles_asked(g, g.admin).size() == 2);

  CHECK(answer(ann, "d/approvals/sell", R"({"choice":"yes","who":"boss"})").status == 200);
  CHECK(answer(ann, "d/approvals/sell").status == 404);
  CHECK(answer(ops, "d/approvals/pay").status == 200);
  const auto told = g.node.get("/v1/tasks/d", with(eyes)).json().at("task");
  CHECK(told.at("steps")[0].at("result").at("who") == "boss (ann)");
  CHECK(told.at("steps")[1].at("result").at("who") == "ops");
  CHECK(g.node.get("/v1/me", with(ann)).json()
        == json{{"name", "ann"}, {"scopes", json::array()}, {"workflows", json::array()}, {"roles", {"sales"}}});
}

TEST_CASE("row 143: by a role alone nobody asks for the questions to others") {
  const runtime::http_caller ann{"ann", {}, {}, {"sales", "support"}};
  json own = json::object();
  CHECK_FALSE(ann.narrow_to_roles(own));
  CHECK(own.at("roles") == json{"sales", "support"});
  json one{{"role", "support"}};
  CHECK_FALSE(ann.narrow_to_roles(one));
  CHECK_FALSE(one.contains("roles"));
  for (json others : {json{{"role", "finance"}}, json{{"role", ""}}, json{{"roles", {"sales", "finance"}}}}) {
    const auto problem = ann.narrow_to_roles(others);
    REQUIRE(problem);
    CHECK(problem->status == 403);
  }
  json none{{"roles", json::array()}}; // would be those to any
  CHECK_FALSE(ann.narrow_to_roles(none));
  CHECK(none.at("roles") == json{"sales", "support"});
  const json task{{"steps", {{{"name", "a"}}, {{"name", "b"}, {"waits_for_role", "finance"}}}}};
  CHECK(ann.why_no_answer(task, "a").value().status == 404);
  CHECK(ann.why_no_answer(task, "b").value().code == "wrong_role");
  const runtime::http_caller ops{"ops", {api::scope::operate}, {}, {"sales"}};
  for (const auto& r : api::routes())
    CHECK((!ops.is_by_role(r) && (!ann.is_by_role(r) || r.method.starts_with("approval."))));
}

TEST_CASE("http: releases before roles read a token that has some as one with no more than its scopes") {
  const tests::temp_folder folder;
  const auto file = folder.path() / "tokens.json";
  add_token(file, "shop", {api::scope::submits});
  add_token(file, "ann", {}, {}, workflow::never, {"sales"});
  std::ifstream in{file};
  const auto tokens = json::parse(in).at("tokens");
  CHECK_FALSE(tokens[0].contains("roles")); // as it always was
  CHECK(tokens[1].at("scopes") == json::array());
  CHECK(runtime::read_tokens(file)[0].roles.empty());
  CHECK(runtime::read_tokens(file)[1].roles == std::vector<std::string>{"sales"});
}

TEST_CASE("http: who is not known is told of each way in that there is, by token and by certificate") {
  const tests::temp_folder folder;
  const auto file = folder.path() / "tokens.json";
  add_token(file, "shop", {api::scope::submits});
  const auto why = [](const http_server_options& o, const char* authorization) {
    runtime::http_request r;
    if (*authorization != '\0')
      r.message.set(boost::beast::http::field::authorization, authorization);
    const auto problem = std::get<runtime::http_problem>(runtime::http_callers{o}.who_asks(r, now()));
    CHECK(problem.status == 401);
    return problem.detail;
  };
  const auto ways = [&](const http_server_options& o, const char* given) {
    const auto detail = why(o, given);
    const auto has = [&](const char* words) { return detail.find(words) != std::string::npos; };
    CHECK(has("Bearer") == has("`steadfast token create`"));
    return std::pair{has("`Authorization: Bearer TOKEN`"), has("show a certificate") && has("`http.authority`")};
  };
  http_server_options o;
  o.tokens = file;
  for (const auto* const given : {"", "Basic abc"}) {
    o.authority.clear();
    CHECK(ways(o, given) == std::pair{true, false});
    o.authority = "clients.pem";
    CHECK(ways(o, given) == std::pair{true, true});
  }
  o.tokens.clear();
  CHECK(ways(o, "") == std::pair{false, true});
  CHECK(ways(o, "Bearer abc") == std::pair{false, true});
  CHECK_THAT(why(o, "Bearer abc"), Contains("no tokens are taken"));
}

TEST_CASE("row 106: without a token that is known, nothing is told") {
  const guarded_node g;
  const auto none = g.node.get("/v1/tasks");
  CHECK(none.status == 401);
  CHECK(none.headers.at("www-authenticate") == "Bearer");
  CHECK(g.node.get("/openapi.json").status == 401);
  CHECK(g.node.get("/v1/tasks", {{"Authorization", "Basic abc"}}).status == 401);
  CHECK(g.node.get("/v1/tasks", with("")).status == 401);
  CHECK(g.node.get("/v1/tasks", with(g.admin + "0")).status == 401);
  auto changed = g.admin;
  changed.back() = changed.back() == '0' ? '1' : '0';
  CHECK(g.node.get("/v1/tasks", with(changed)).status == 401);
  CHECK(g.node.get("/v1/tasks", with(g.admin)).status == 200);
  CHECK(g.node.get("/health/live").status == 200);
  CHECK(g.node.get("/health/ready").status == 200);
}

TEST_CASE("row 106: why a node is not ready is told to those who may read") {
  const tests::temp_folder folder;
  http_server_options o;
  o.listen = "127.0.0.1:" + std::to_string(runtime::free_ports(1).front());
  o.tokens = folder.path() / "tokens.json";
  const auto reader = add_token(o.tokens, "desk", {api::scope::read});
  const auto submitter = add_token(o.tokens, "shop", {api::scope::submits});
  runtime::http_content content;
  content.clock = now;
  content.store_trouble = [] { return std::string{"node `b` at 10.0.0.7:7801 has been away"}; };
  const runtime::http_server server{o, std::move(content)};
  const auto ready = [&](const tests::http_headers& headers) {
    const auto a = tests::ask_at(runtime::parse_address(o.listen)->port, "GET", "/health/ready", {}, headers);
    CHECK(a.status == 503);
    CHECK(a.code() == "not_ready");
    return a.body;
  };
  CHECK_THAT(ready(with(reader)), Contains("10.0.0.7"));
  for (const auto& headers : {tests::http_headers{}, with(submitter), with("made-up")})
    CHECK_THAT(ready(headers), Contains("takes no writes") && !Contains("10.0.0.7"));
}

TEST_CASE("row 116: a large body is read only of somebody who is known") {
  const guarded_node g;
  const auto begun = [&](const std::string& lines) {
    return g.node.say("PUT /v1/tasks/a HTTP/1.1\r\nHost: localhost\r\n" + lines + "\r\n", std::chrono::seconds{20});
  };
  for (const auto* const size : {"Content-Length: 100000\r\n", "Transfer-Encoding: chunked\r\n"}) {
    CHECK_THAT(begun(size), Contains("HTTP/1.1 401") && Contains("WWW-Authenticate: Bearer"));
    CHECK_THAT(begun("Expect: 100-continue\r\nAuthorization: Bearer made-up\r\n" + std::string{size}),
               Catch::Matchers::StartsWith("HTTP/1.1 401"));
  }
  const std::string large(100'000, ' ');
  CHECK(g.node.ask("PUT", "/v1/tasks/a", large + R"({"workflow":"trip"})", with(g.admin)).status == 201);
}

TEST_CASE("http: the name of the scheme may be written in small letters") {
  const guarded_node g;
  CHECK(g.node.get("/v1/me", {{"Authorization", "bearer " + g.admin}}).status == 200);
  CHECK(g.node.get("/v1/me", {{"Authorization", "Basic " + g.admin}}).status == 401);
  CHECK(g.node.get("/v1/me", {{"Authorization", "bear"}}).status == 401);
}

TEST_CASE("http: a token may do what its scopes say, and acts under its name") {
  const guarded_node g;
  const auto submits = add_token(g.file, "shop", {api::scope::submits});
  const auto reads = add_token(g.file, "eyes", {api::scope::read});
  const auto operates = add_token(g.file, "ops", {api::scope::operate});
  const auto put = [&](const std::string& id, const std::string& token) {
    return g.node.ask("PUT", "/v1/tasks/" + id, R"({"workflow":"trip"})", with(token)).status;
  };
  CHECK(put("a", submits) == 201);
  CHECK(put("b", reads) == 403);
  CHECK(put("b", operates) == 403);
  CHECK(put("b", g.admin) == 201);
  CHECK(g.node.get("/v1/tasks/a", with(submits)).status == 403);
  CHECK(g.node.get("/v1/tasks/a", with(reads)).status == 200);
  CHECK(g.node.get("/v1/tasks/a", with(operates)).status == 200);
  CHECK(g.node.ask("POST", "/v1/tasks/batch", R"({"tasks":[{"id":"c","workflow":"trip"}]})", with(reads)).status
        == 403);
  const auto suspend = [&](const std::string& token, const std::string& body) {
    return g.node.ask("POST", "/v1/tasks/a/actions", body, with(token)).status;
  };
  CHECK(suspend(reads, R"({"act":"suspend"})") == 403);
  CHECK(suspend(submits, R"({"act":"suspend"})") == 403);
  CHECK(suspend(operates, R"({"act":"suspend","who":"root"})") == 200);
  CHECK(g.node.get("/v1/tasks/a", with(reads)).json().at("task").at("acts")[0].at("who") == "root (ops)");
  CHECK(suspend(operates, R"({"act":"resume"})") == 200);
  CHECK(g.node.get("/v1/tasks/a", with(reads)).json().at("task").at("acts")[1].at("who") == "ops");
  CHECK(g.node.ask("POST", "/v1/leases/supervisor/release", "{}", with(operates)).status == 403);
  CHECK(g.node.ask("POST", "/v1/leases/supervisor/release", "{}", with(g.admin)).status == 200);
}

TEST_CASE("http: what is done with a token is logged under its name, without what a query may hold") {
  const guarded_node g;
  const auto submits = add_token(g.file, "shop", {api::scope::submits});
  const tests::temp_folder folder;
  const auto file = folder.path() / "log";
  log_options to_file;
  to_file.file = file;
  start_log(to_file);
  REQUIRE(g.node.ask("PUT", "/v1/tasks/a", R"({"workflow":"trip"})", with(submits)).status == 201);
  CHECK(g.node.ask("POST", "/v1/tasks/a/actions?act=suspend&who=ann&why=hush", {}, with(g.admin)).status == 200);
  CHECK(g.node.ask("POST", "/v1/steps/complete?token=hush&result=%7B%7D", {}, with(g.admin)).status >= 400);
  CHECK(g.node.ask("POST", "/v1/tasks/a/actions", R"({"act":"resume","why":"hush"})", with(submits)).status == 403);
  log_options quiet;
  quiet.level = "warning";
  start_log(quiet); // which writes what is left
  const auto told = tests::text_of(file);
  CHECK_THAT(told, Contains("root POST /v1/tasks/a/actions for ann: 200"));
  CHECK_THAT(told, Contains("root POST /v1/steps/complete"));
  CHECK_THAT(told, Contains("shop POST /v1/tasks/a/actions: 403"));
  CHECK_THAT(told, !Contains("hush"));
}

namespace {

/// The entries of that event in a log in JSON.
std::vector<json> entries_of(const std::string& log, const std::string& event) {
  std::vector<json> all;
  std::istringstream lines{log};
  for (std::string line; std::getline(lines, line);)
    if (auto e = json::parse(line); e.at("event") == event)
      all.push_back(std::move(e));
  return all;
}

} // namespace

TEST_CASE("http: a log in JSON has what was done over HTTP in fields, and who was not authenticated") {
  const guarded_node g;
  log_options to_file;
  to_file.file = g.folder.path() / "log";
  to_file.json = true;
  start_log(to_file);
  REQUIRE(g.node.ask("PUT", "/v1/tasks/a", R"({"workflow":"trip"})", with(g.admin)).status == 201);
  CHECK(g.node.ask("POST", "/v1/tasks/a/actions", R"({"act":"suspend","who":"ann"})", with(g.admin)).status == 200);
  CHECK(g.node.ask("POST", "/v1/tasks/a/actions?why=hush", R"({"act":"resume"})", with(g.admin)).status == 200);
  for (int i = 0; i < 5; ++i)
    CHECK(g.node.get("/v1/tasks/a", with("made-up")).status == 401);
  log_options quiet;
  quiet.level = "error";
  start_log(quiet); // which writes what is left
  const auto told = tests::text_of(to_file.file);
  auto done = entries_of(told, "http request");
  REQUIRE(done.size() == 2);
  for (auto& e : done)
    e.erase("time");
  json expected{{"level", "info"},  {"event", "http request"},       {"caller", "root"}, {"who", "ann"},
                {"method", "POST"}, {"path", "/v1/tasks/a/actions"}, {"status", "200"},  {"peer", "127.0.0.1"}};
  CHECK(done[0] == expected);
  expected.erase("who");
  CHECK(done[1] == expected);
  const auto refused = entries_of(told, "http authentication failed");
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].at("peer") == "127.0.0.1");
  CHECK(refused[0].at("times") == "1");
  CHECK(refused[0].at("level") == "warning");
  CHECK_THAT(told, !Contains("made-up") && !Contains("hush"));
}

TEST_CASE("http: of callers that are not known a line a minute is logged for each address, with how many they were") {
  std::vector<std::string> told;
  runtime::refused_callers log{[&](const log_entry& e) { told.push_back(e.text); }};
  const runtime::refused_callers::steady begun{std::chrono::hours{1}};
  const auto add = [&](const std::string& peer, int seconds) {
    log.add(peer, "no", begun + std::chrono::seconds{seconds});
  };
  add("a", 0);
  add("a", 1);
  add("b", 2);
  add("a", 59);
  log.tell_rest(begun + std::chrono::seconds{59});
  CHECK(told == std::vector<std::string>{"http: a was not authenticated: no", "http: b was not authenticated: no"});
  log.tell_rest(begun + std::chrono::seconds{65});
  CHECK(told.size() == 3);
  CHECK(told.back() == "http: a was not authenticated, 2 times: no");
  add("a", 70);
  add("a", 130);
  CHECK(told.size() == 4);
  CHECK(told.back() == "http: a was not authenticated, 2 times: no");
  told.clear();
  for (int i = 0; i < 5000; ++i)
    add("c" + std::to_string(i), 200);
  CHECK(told.size() == 1000); // 999 beside a, and one line for all others
}

TEST_CASE("http: of IPv6 all addresses of a network count as one, since who has one has them all") {
  using runtime::network_of;
  CHECK(network_of("2001:db8:0:7:1:2:3:4") == "2001:db8:0:7::/64");
  CHECK(network_of("2001:db8:0:7::ffff") == network_of("2001:db8:0:7:1:2:3:4"));
  CHECK(network_of("2001:db8:0:8::1") != network_of("2001:db8:0:7::1"));
  CHECK(network_of("fe80::1%lo") == "fe80::/64");
  CHECK(network_of("::ffff:10.0.0.7") == "10.0.0.7"); // as a port of both is told of a client with IPv4
  for (const auto* const as_it_is : {"10.0.0.7", "::1", "", "a"})
    CHECK(network_of(as_it_is) == as_it_is);

  http_server_options o;
  o.rate_max = 2;
  runtime::http_callers callers{o};
  const runtime::http_callers::steady at{std::chrono::hours{1}};
  CHECK(callers.too_often({}, "2001:db8::1", at).count() == 0);
  CHECK(callers.too_often({}, "2001:db8::2", at).count() == 0);
  CHECK(callers.too_often({}, "2001:db8::3", at).count() > 0);
  CHECK(callers.too_often({}, "2001:db8:0:1::3", at).count() == 0);
  std::vector<std::string> told;
  runtime::refused_callers log{[&](const log_entry& e) { told.push_back(e.text); }};
  log.add("2001:db8::1", "no", at);
  log.add("2001:db8::2", "no", at);
  CHECK(told == std::vector<std::string>{"http: 2001:db8::/64 was not authenticated: no"});
}

TEST_CASE("http: failed authentication counts against the address, and keeps nobody out who has a token") {
  const tests::temp_folder folder;
  http_server_options o;
  o.tokens = folder.path() / "tokens.json";
  o.rate_max = 3;
  const auto reader = add_token(o.tokens, "eyes", {api::scope::read});
  const http_node node{o};
  unsigned pushed_back = 0;
  for (int i = 0; i < 20; ++i) {
    const auto a = node.get("/v1/nodes", with("made-up"));
    CHECK((a.status == 401 || a.status == 429));
    pushed_back += a.status == 429 ? 1 : 0;
  }
  CHECK(pushed_back > 10);
  CHECK(node.get("/v1/me", with(reader)).status == 200);
  std::string large;
  CHECK(tests::comes_true([&] { // of such the body is not read
    large = node.say("PUT /v1/tasks/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n");
    return large.starts_with("HTTP/1.1 429");
  }));
}

TEST_CASE("http: who submitted a task is logged if that is wanted, and only of tasks that were made") {
  const tests::temp_folder folder;
  http_server_options o;
  o.tokens = folder.path() / "tokens.json";
  o.logs_submissions = GENERATE(true, false);
  const auto submits = add_token(o.tokens, "shop", {api::scope::submits});
  const http_node node{o};
  log_options to_file;
  to_file.file = folder.path() / "log";
  start_log(to_file);
  for (const auto status : {201U, 200U})
    CHECK(node.ask("PUT", "/v1/tasks/a", R"({"workflow":"trip","payload":"hush"})", with(submits)).status == status);
  const auto* const two = R"({"tasks":[{"workflow":"trip","id":"b"},{"workflow":"none","id":"c"}]})";
  CHECK(node.ask("POST", "/v1/tasks/batch", two, with(submits)).status == 200);
  log_options quiet;
  quiet.level = "warning";
  start_log(quiet); // which writes what is left
  const auto told = tests::text_of(to_file.file);
  const auto times = [&](const std::string& text) {
    std::size_t n = 0;
    for (auto at = told.find(text); at != std::string::npos; at = told.find(text, at + 1))
      ++n;
    return n;
  };
  CHECK(times("http: shop submitted task `a`") == (o.logs_submissions ? 1 : 0));
  CHECK(times("http: shop submitted task `b`") == (o.logs_submissions ? 1 : 0));
  CHECK(times("`c`") == 0);
  CHECK(times("hush") == 0);
}

TEST_CASE("row 106: a token of some workflows sees and makes no other tasks") {
  const guarded_node g;
  const auto limited = add_token(g.file, "trips", {api::scope::submits, api::scope::operate}, {"trip"});
  g.node.ask("PUT", "/v1/tasks/o", R"({"workflow":"other"})", with(g.admin));
  CHECK(g.node.ask("PUT", "/v1/tasks/a", R"({"workflow":"trip"})", with(limited)).status == 201);
  CHECK(g.node.ask("PUT", "/v1/tasks/b", R"({"workflow":"other"})", with(limited)).status == 403);
  CHECK(g.node.ask("PUT", "/v1/tasks/b", R"({"workflow":["other"]})", with(limited)).status == 403);
  const auto batch =
    g.node.ask("POST", "/v1/tasks/batch", R"({"tasks":[{"id":"b","workflow":"other"},{"id":"c","workflow":"trip"}]})",
               with(limited));
  CHECK(batch.json().at("results")[0].at("status") == 403);
  CHECK(batch.json().at("results")[1].at("status") == 201);
  CHECK(g.node.get("/v1/tasks", with(limited)).json().at("tasks").size() == 2);
  CHECK(g.node.get("/v1/counts", with(limited)).json().at("count") == 2);
  CHECK(g.node.get("/v1/tasks?workflow=other", with(limited)).status == 403);
  REQUIRE(g.node.get("/v1/tasks/o", with(limited)).status == 404);
  CHECK(g.node.get("/v1/tasks/o/state?wait=1s", with(limited)).status == 404);
  CHECK(g.node.get("/v1/tasks/o/events", with(limited)).status == 404);
  CHECK(g.node.ask("POST", "/v1/tasks/o/actions", R"({"act":"undo"})", with(limited)).status == 404);
  CHECK(g.node.get("/v1/tasks/a", with(limited)).status == 200);
  const auto event = [&](const char* to) {
    return g.node.ask("POST", "/v1/events", R"({"event":"paid",)" + std::string{to} + "}", with(limited)).status;
  };
  CHECK(event(R"("key":"1")") == 403); // it may be taken by anybody's tasks
  CHECK(event(R"("task":"o")") == 404);
  CHECK(event(R"("task":"a")") == 409); // none waits for it
  const auto end_of_step = g.node.ask("POST", "/v1/steps/complete", R"({"token":"1.0.1.made-up"})", with(limited));
  CHECK(end_of_step.status != 403); // whoever has the token of a step was given it
  const auto taken = [&](const char* conflict) {
    const auto body = R"({"workflow":"trip","payload":1,"on_conflict":")" + std::string{conflict} + "\"}";
    return g.node.ask("PUT", "/v1/tasks/o", body, with(limited)).body;
  };
  for (const auto* const conflict : {"same", "refuse", "replace"}) {
    CHECK_THAT(taken(conflict), Contains("there is another task of the id `o`"));
    CHECK_THAT(taken(conflict), !Contains("of workflow other") && !Contains("pending"));
  }
  CHECK(g.node.get("/v1/nodes", with(limited)).status == 403);
  CHECK(g.node.get("/v1/alerts", with(limited)).status == 403);
  CHECK(g.node.get("/metrics", with(limited)).status == 403); // they count the tasks of all
  const auto bulk = [&](const char* body) { return g.node.ask("POST", "/v1/bulk-acts", body, with(limited)).status; };
  CHECK(bulk(R"({"act":"undo","workflow":"other","dry_run":true})") == 403);
  CHECK(bulk(R"({"act":"undo","workflow":"trip","dry_run":true})") == 200);
  const auto all = add_token(g.file, "all", {api::scope::admin});
  CHECK(g.node.get("/v1/me", with(limited)).json().at("workflows") == nlohmann::json{"trip"});
  CHECK(g.node.get("/v1/events?workflow=other", with(limited)).status == 403);
  tests::http_listener follows{g.node, "/v1/events", with(limited)};
  follows.next("\r\n\r\n");
  g.node.ask("PUT", "/v1/tasks/of-others", R"({"workflow":"other"})", with(all));
  g.node.ask("PUT", "/v1/tasks/own", R"({"workflow":"trip"})", with(all));
  for (std::string id; id != "own";) {
    id = follows.next_event().data.at("task").at("id");
    CHECK(id != "of-others");
  }
}

TEST_CASE("row 106: a token that was revoked, or is over, is refused at once") {
  const guarded_node g;
  const auto over = add_token(g.file, "over", {api::scope::read}, {}, now());
  const auto good = add_token(g.file, "good", {api::scope::read}, {}, now() + workflow::span{600'000});
  CHECK(g.node.get("/v1/nodes", with(over)).status == 401);
  CHECK(g.node.get("/v1/nodes", with(good)).status == 200);
  auto all = runtime::read_tokens(g.file);
  std::erase_if(all, [](const access_token& t) { return t.name == "good"; });
  runtime::write_tokens(g.file, all);
  CHECK(g.node.get("/v1/nodes", with(good)).status == 401);
  CHECK(g.node.get("/v1/nodes", with(g.admin)).status == 200);
  std::filesystem::remove(g.file); // nobody can say who may do what
  CHECK(g.node.get("/v1/nodes", with(g.admin)).status == 401);
}

TEST_CASE("row 106: who follows events with a token is told nothing more once it was revoked") {
  const guarded_node g;
  const auto token = add_token(g.file, "good", {api::scope::read});
  tests::http_listener all{g.node, "/v1/events", with(token)};
  const auto submitted = [&](const char* id) {
    REQUIRE(g.node.ask("PUT", std::string{"/v1/tasks/"} + id, R"({"workflow":"trip"})", with(g.admin)).status == 201);
  };
  submitted("before");
  CHECK(all.next_event().data.at("task").at("id") == "before");
  auto tokens = runtime::read_tokens(g.file);
  std::erase_if(tokens, [](const access_token& t) { return t.name == "good"; });
  runtime::write_tokens(g.file, tokens);
  REQUIRE(tests::comes_true([&] { return g.node.get("/v1/me", with(token)).status == 401; }));
  const auto revoked_at = std::chrono::steady_clock::now();
  for (int i = 0; !all.next_event().kind.empty(); ++i) {
    REQUIRE(std::chrono::steady_clock::now() - revoked_at < std::chrono::seconds{10});
    submitted(("after-" + std::to_string(i)).c_str());
  }
}

TEST_CASE("http: only hashes of tokens are kept, for their owner, with when they were used last") {
  const tests::temp_folder folder;
  const auto file = folder.path() / "tokens.json";
  const auto token = add_token(file, "shop", {api::scope::submits}, {"trip"}, now() + workflow::span{600'000});
  const auto second = add_token(file, "eyes", {api::scope::read});
  const auto all = runtime::read_tokens(file);
  REQUIRE(all.size() == 2);
  CHECK(all[0].workflows == std::vector<std::string>{"trip"});
  CHECK(all[0].scopes == std::vector{api::scope::submits});
  CHECK(all[1].expires_at == workflow::never);
  const auto text = tests::text_of(file);
  CHECK_THAT(text, !Contains(token.substr(token.size() - 64)));
  namespace fs = std::filesystem;
  CHECK((fs::status(file).permissions() & (fs::perms::group_all | fs::perms::others_all)) == fs::perms::none);

  runtime::token_book book{file};
  const auto at = now();
  CHECK(book.find(token, at).value().name == "shop");
  book.save_uses();
  CHECK(runtime::last_uses(file).at(all[0].id) == at);
  CHECK(runtime::last_uses(file).count(all[1].id) == 0);

  fs::permissions(file, fs::perms::others_read, fs::perm_options::add);
  CHECK_THROWS_AS(runtime::read_tokens(file), runtime::config_error);
  std::ofstream{file} << "{}";
  CHECK_THROWS_AS(runtime::read_tokens(file), runtime::config_error);
  CHECK_THROWS_AS(runtime::token_book{folder.path() / "none"}, runtime::config_error);
}

TEST_CASE("http: beyond loopback a node wants a certificate, and to know who asks") {
  const auto wrong = [](const http_server_options& o) {
    std::string all;
    for (const auto& p : problems(o))
      all += p + "\n";
    return all;
  };
  http_server_options o;
  o.listen = "0.0.0.0:7800";
  CHECK_THAT(wrong(o), Contains("in the clear") && Contains("whoever reaches it controls the node"));
  o.certificate = "c.pem";
  o.key = "k.pem";
  o.tokens = "tokens.json";
  CHECK(wrong(o).empty());
  o.listen = "127.0.0.1:7800";
  o.certificate.clear();
  CHECK_THAT(wrong(o), Contains("give both"));
  o.key.clear();
  o.tokens.clear();
  CHECK(wrong(o).empty());
  o.listen = "7800";
  o.certificate_scopes = {"all"};
  o.origins = {"ops.example"};
  CHECK_THAT(wrong(o), Contains("http.listen") && Contains("certificate_scopes") && Contains("http.origins"));
}
