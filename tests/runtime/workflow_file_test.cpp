#include "runtime/configuration/workflow_file.hpp"
#include "runtime/text/json.hpp"
#include "runtime/toml/config_error.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using runtime::config_error;
using workflow::span;

namespace {

const std::filesystem::path source_root{STEADFAST_SOURCE_DIR};

std::string complaints_about_workflow(const std::string& text) {
  try {
    parse_workflow(text, "w.toml");
    return "";
  } catch (const config_error& e) {
    return e.what();
  }
}

/// A workflow of one step with more keys of that step.
std::string step_with(const std::string& more) {
  return "name = \"w\"\n[[step]]\nname = \"a\"\nagent = \"x\"\n" + more;
}

} // namespace

TEST_CASE("every key of a workflow file arrives in the definition") {
  const auto d = parse_workflow(R"(
name = "w"
version = 3
deadline = "1h"
undo_reserve = "5m"
grace = "2s"
alert_after = "90s"
takeovers_max = 7
priority = 2
result = { id = "third:/id", who = { from = "payload:/who", optional = true } }
index = ["payload:/customer", "payload:/order/0"]
[[step]]
name = "first"
agent = "one"
[[step]]
name = "second"
agent = "two"
after = []
[[step]]
name = "third"
agent = "three"
after = ["first", "second"]
input.a = "payload:/x/0"
input.b = "first:"
input.c = { literal = { k = [1, "two", true] } }
input.d = { from = "payload:/d", optional = true }
when = { step = "first", pointer = "/ok", equals = false }
complete_by = "7s"
retry = { attempts = 9, initial = "200ms", factor = 1.5, cap = "10s", jitter = 0.25 }
threshold = 4
cool_off = { wait = "2m", count = 3 }
on_exhausted = "error"
compensation = { agent = "undo", input = { id = "third:/id" }, complete_by = "8s", retry = { attempts = 2 } }
probe = { agent = "ask", complete_by = "1s" }
)",
                                "w.toml");
  CHECK(d.name == "w");
  CHECK(d.version == 3);
  CHECK(d.deadline == std::chrono::hours{1});
  CHECK(d.undo_reserve == std::chrono::minutes{5});
  CHECK(d.grace == span{2000});
  CHECK(d.alert_after == span{90'000});
  CHECK(d.takeovers_max == 7);
  CHECK(d.priority == 2);
  CHECK(d.index == std::vector<std::string>{"/customer", "/order/0"});
  REQUIRE(d.steps.size() == 3);
  CHECK_FALSE(d.steps[0].after);
  CHECK(d.steps[1].after == std::vector<std::string>{});
  const auto& s = d.steps[2];
  CHECK(s.name == "third");
  CHECK(s.agent == "three");
  CHECK(s.after == std::vector<std::string>{"first", "second"});
  const workflow::input_mapping input{{"a", {workflow::source::kind::payload, "", "/x/0", ""}},
                                      {"b", {workflow::source::kind::result, "first", "", ""}},
                                      {"c", {workflow::source::kind::literal, "", "", R"({"k":[1,"two",true]})"}},
                                      {"d", {workflow::source::kind::payload, "", "/d", ""}, true}};
  CHECK(s.input == input);
  CHECK_FALSE(d.result.value);
  const workflow::input_mapping result{{"id", {workflow::source::kind::result, "third", "/id", ""}},
                                       {"who", {workflow::source::kind::payload, "", "/who", ""}, true}};
  CHECK(d.result.members == result);
  CHECK(s.when == workflow::condition{"first", "/ok", workflow::condition::test::equals, "false"});
  CHECK(s.complete_by == span{7000});
  CHECK(s.retry == workflow::retry_policy{9, span{200}, 150, span{10'000}, 25});
  CHECK(s.threshold == 4);
  CHECK(s.cool_off == workflow::cool_off_policy{span{120'000}, 3});
  CHECK(s.exhausted == workflow::on_exhausted::error);
  REQUIRE(s.compensation);
  CHECK(s.compensation->agent == "undo");
  CHECK(s.compensation->input.size() == 1);
  CHECK(s.compensation->complete_by == span{8000});
  CHECK(s.compensation->retry.attempts == 2);
  CHECK(s.probe == workflow::probe{"ask", span{1000}});
}

TEST_CASE("conditions can ask for presence, absence, equality and difference") {
  const auto condition = [](const std::string& test) {
    const auto d =
      parse_workflow("name = \"w\"\n[[step]]\nname = \"a\"\nagent = \"x\"\n[[step]]\nname = \"b\"\nagent = \"x\"\n"
                     "when = { step = \"a\", pointer = \"/p\", "
                       + test + " }\n",
                     "w.toml");
    return *d.steps[1].when;
  };
  CHECK(condition("present = true").is == workflow::condition::test::present);
  CHECK(condition("present = false").is == workflow::condition::test::absent);
  CHECK(condition("differs = \"x\"").is == workflow::condition::test::differs);
  CHECK(condition("differs = \"x\"").literal == "\"x\"");
  CHECK(condition("equals = 3").literal == "3");
  CHECK(condition("above = 1.5") == workflow::condition{"a", "/p", workflow::condition::test::above, "1.5"});
  CHECK(condition("at_most = 7").is == workflow::condition::test::at_most);
}

TEST_CASE("conditions are made of conditions by all, any and not") {
  using workflow::condition;
  const std::string steps =
    "name = \"w\"\n[[step]]\nname = \"a\"\nagent = \"x\"\n[[step]]\nname = \"b\"\nagent = \"x\"\n";
  const auto when = [&](const std::string& text) {
    return *parse_workflow(steps + "when = " + text, "w.toml").steps[1].when;
  };
  const condition sum{"payload", "/sum", condition::test::above, "1000"};
  const condition known{"a", "/known", condition::test::equals, "true"};
  const std::string text = R"({ any = [ { step = "payload", pointer = "/sum", above = 1000 },)"
                           R"( { all = [ { not = { step = "a", pointer = "/known", equals = true } } ] } ] })";
  const condition not_known{{}, {}, condition::test::negated, {}, {known}};
  const condition wanted{{}, {}, condition::test::any, {}, {sum, {{}, {}, condition::test::all, {}, {not_known}}}};
  CHECK(when(text) == wanted);

  // What is shown can be read again.
  const auto shown = definition_json(parse_workflow(steps + "when = " + text, "w.toml")).at("steps").at(1).at("when");
  CHECK(shown.dump()
        == R"({"any":[{"above":1000,"pointer":"/sum","step":"payload"},)"
           R"({"all":[{"not":{"equals":true,"pointer":"/known","step":"a"}}]}]})");

  const auto complaint = [&](const std::string& w) { return complaints_about_workflow(steps + "when = " + w); };
  CHECK_THAT(complaint(R"({ all = [], step = "a" })"), Catch::Matchers::Contains("must be alone in their table"));
  CHECK_THAT(complaint(R"({ all = [ { step = "a", pointer = "/x" } ] })"),
             Catch::Matchers::Contains("must have exactly one of equals"));
  std::string deep = R"({ step = "a", pointer = "/x", present = true })";
  for (int i = 0; i < 8; ++i)
    deep = "{ not = " + deep + " }";
  CHECK_THAT(complaint(deep), Catch::Matchers::Contains("nested more than 8 conditions deep"));
}

TEST_CASE("mistakes in a workflow file are told with file, line and key") {
  CHECK(complaints_about_workflow(step_with("agnet = \"y\""))
        == "w.toml:5: step `a`: agnet: unknown key; did you mean \"agent\"?");
  CHECK(complaints_about_workflow(step_with("input = { a = \"customer\" }"))
        == "w.toml:5: step `a`: input.a: must be \"payload:/pointer\", \"STEP:/pointer\", { from = \"...\", optional = "
           "true } "
           "with one of these, or { literal = VALUE }; the pointer may be empty for the whole document");
  CHECK(complaints_about_workflow(step_with("input = \"x\""))
        == "w.toml:5: step `a`: input: must be a table of members, such as { customer = \"payload:/customer\" }");
  CHECK(complaints_about_workflow(step_with("on_exhausted = \"pray\""))
        == "w.toml:5: step `a`: on_exhausted: \"pray\" is not allowed; one of \"undo\", \"error\"");
  CHECK(complaints_about_workflow(step_with("retry = { attempts = 0 }"))
        == "w.toml:5: step `a`: retry.attempts: 0 is not allowed: a whole number from 1 to 1000");
  CHECK(complaints_about_workflow(step_with("retry = { jitter = 2 }"))
        == "w.toml:5: step `a`: retry.jitter: 2 is not allowed: a number from 0 to 1");
  CHECK(complaints_about_workflow(step_with("retry = { factor = 0.5 }"))
        == "w.toml:5: step `a`: retry.factor: 0.5 is not allowed: a number from 1 to 100");
  CHECK(complaints_about_workflow(step_with("when = { step = \"a\", pointer = \"\" }"))
          .find("w.toml:5: step `a`: when: must have exactly one of equals, differs, present, above, at_least")
        != std::string::npos);
}

TEST_CASE("a step of a person that lacks its question is told that, and not of its other keys") {
  const std::string step = "name = \"w\"\n[[step]]\nname = \"a\"\nagent = \"person\"\n";
  CHECK(complaints_about_workflow(step + "role = \"buyer\"\nlimit = \"1s\"\n")
        == "w.toml:2: step `a`: question is missing");
  CHECK(complaints_about_workflow(step).empty()); // an agent of that name
}

TEST_CASE("a workflow's result is one value or a table of members") {
  const auto one = parse_workflow("result = \"a:/id\"\n" + step_with(""), "w.toml");
  CHECK(one.result.value == workflow::source{workflow::source::kind::result, "a", "/id", ""});
  CHECK(one.result.members.empty());
  CHECK(definition_json(one).at("result") == "a:/id");
  const auto table = parse_workflow("result = { from = \"a:/id\" }\n" + step_with(""), "w.toml");
  CHECK_FALSE(table.result.value);
  CHECK(table.result.members.at(0).name == "from");
  CHECK(parse_workflow(step_with(""), "w.toml").result.empty());

  CHECK(complaints_about_workflow("result = 5\n" + step_with(""))
        == "w.toml:1: result: must be \"payload:/pointer\", \"STEP:/pointer\" or a table of members, as in `input`");
  CHECK(complaints_about_workflow("result = \"b:/id\"\n" + step_with(""))
        == "w.toml:1: result names the unknown step `b`");
  CHECK(complaints_about_workflow("result = { id = \"b:/id\" }\n" + step_with(""))
        == "w.toml:1: result member `id` names the unknown step `b`");
}

TEST_CASE("an input without members is not one that is not given, and shown so") {
  const auto undone = [](const std::string& more) {
    return parse_workflow(step_with(more + "\ncompensation = { agent = \"b\", " + more + " }"), "w.toml");
  };
  const auto empty = undone("input = {}");
  CHECK(empty.steps.at(0).has_empty_input);
  CHECK(empty.steps.at(0).compensation->has_empty_input);
  const auto shown = definition_json(empty)["steps"][0];
  CHECK(shown["input"] == nlohmann::json::object());
  CHECK(shown["compensation"]["input"] == nlohmann::json::object());

  const auto whole = parse_workflow(step_with("compensation = { agent = \"b\" }"), "w.toml");
  CHECK_FALSE(whole.steps.at(0).has_empty_input);
  CHECK_FALSE(whole.steps.at(0).compensation->has_empty_input);
  CHECK_FALSE(definition_json(whole)["steps"][0].contains("input"));
  CHECK_FALSE(definition_json(whole)["steps"][0]["compensation"].contains("input"));
}

TEST_CASE("a member that may be left out is marked optional, and shown so") {
  const auto d = parse_workflow(step_with("input = { to = { from = \"payload:/to\", optional = true } }"), "w.toml");
  CHECK(d.steps.at(0).input.at(0).optional);
  CHECK(definition_json(d)["steps"][0]["input"]["to"] == nlohmann::json{{"from", "payload:/to"}, {"optional", true}});
  const auto plain = parse_workflow(step_with("input = { to = { from = \"payload:/to\" } }"), "w.toml");
  CHECK_FALSE(plain.steps.at(0).input.at(0).optional);
  CHECK(definition_json(plain)["steps"][0]["input"]["to"] == "payload:/to");
  for (const auto* wrong : {"{ optional = true }", "{ from = \"payload:/to\", optional = 1 }", "{ from = 3 }",
                            "{ literal = 3, optional = true }", "{ from = \"payload:/to\", optinal = true }"}) {
    INFO(wrong);
    CHECK(complaints_about_workflow(step_with(std::string{"input = { to = "} + wrong + " }"))
            .starts_with("w.toml:5: step `a`: input.to: must be "));
  }
}

TEST_CASE("what the rules find wrong is told with the line of its step or key") {
  CHECK(complaints_about_workflow("name = \"w\"\n\n[[step]]\nname = \"a\"\nagent = \"x\"\nafter = [\"b\"]\n")
        == "w.toml:3: step `a`: after names the unknown step `b`");
  CHECK(complaints_about_workflow("name = \"w\"\ndeadline = \"1s\"\n[[step]]\nname = \"a\"\nagent = \"x\"\n")
        == "w.toml:1: undo_reserve must be below the deadline");
  CHECK(complaints_about_workflow("name = \"w\"") == "w.toml:1: steps: there must be at least one");
  CHECK(complaints_about_workflow(step_with("input = { x = \"nobody:/a\" }"))
        == "w.toml:2: step `a`: input member `x` names the unknown step `nobody`");
}

TEST_CASE("a step called payload is refused because input could not tell it apart") {
  CHECK(complaints_about_workflow("name = \"w\"\n[[step]]\nname = \"payload\"\nagent = \"x\"\n")
          .starts_with("w.toml:3: step `payload`: name: a step cannot"));
}

TEST_CASE("the shipped workflows are ready to be used") {
  const auto all = load_workflows({source_root / "config/workflows"});
  REQUIRE(all.size() == 8);
  CHECK(all[0].name == "conference");
  CHECK(all[0].steps.size() == 2);
  CHECK(all[1].name == "conference_trip");
  CHECK(all[1].steps.size() == 2);
  CHECK(all[2].name == "drone_delivery");
  CHECK(all[2].steps.size() == 5);
  CHECK(all[3].name == "nightly_settlement");
  CHECK(all[3].steps.size() == 3);
  CHECK(all[4].name == "onboarding");
  CHECK(all[4].steps.size() == 10);
  CHECK(all[4].steps[3].repeat->passes_at_limit);
  CHECK(all[5].name == "order_processing");
  CHECK(all[5].steps.size() == 4);
  CHECK(all[6].name == "paid_order");
  CHECK(all[6].steps.size() == 7);
  CHECK(workflow::is_over_items(all[6].steps[5]));
  CHECK(all[7].name == "statement");
  CHECK(all[7].limit == workflow::limit_rule{"/customer", 1, std::chrono::minutes{1}});
}

TEST_CASE("a limit names the place of its key, and how many with one key may be under way") {
  const auto with = [](const std::string& limit) {
    return "name = \"w\"\n[limit]\n" + limit + "[[step]]\nname = \"a\"\nagent = \"x\"\n";
  };
  const auto read = parse_workflow(with("key = \"payload:/a/b\"\nat_a_time = 3\n"), "w.toml");
  CHECK(read.limit == workflow::limit_rule{"/a/b", 3});
  CHECK(parse_workflow(with("key = \"payload:/a\"\n"), "w.toml").limit == workflow::limit_rule{"/a", 1});
  const auto key_is_wrong = "w.toml:3: limit.key: must be written as \"payload:/customer\"";
  CHECK(complaints_about_workflow(with("key = \"/customer\"\n")).starts_with(key_is_wrong));
  CHECK(complaints_about_workflow(with("key = \"a:/customer\"\n")).starts_with(key_is_wrong));
  CHECK(complaints_about_workflow(with("key = \"payload:\"\n")).starts_with(key_is_wrong));
  CHECK(
    complaints_about_workflow(with("key = \"payload:/a\"\nat_a_time = 0\n")).starts_with("w.toml:4: limit.at_a_time"));
  CHECK(complaints_about_workflow(with("key = \"payload:/a\"\nat_a_time = 1001\n"))
          .starts_with("w.toml:4: limit.at_a_time"));
  CHECK(complaints_about_workflow(with("key = \"payload:/a\"\nper = \"0s\"\n"))
        == "w.toml:4: limit.per: must lie between 1 s and ten years");
  CHECK(complaints_about_workflow(with("key = \"payload:/a\"\nper = \"0.5s\"\n")).starts_with("w.toml:4: limit.per"));
  CHECK_FALSE(complaints_about_workflow(with("at_a_time = 1\n")).empty());
  CHECK(complaints_about_workflow(with("key = \"payload:/a\"\nmost = 1\n")).find("most") != std::string::npos);
}

TEST_CASE("a step does not start a task of its own workflow if that has a limit") {
  const auto said = complaints_about_workflow("name = \"w\"\n[limit]\nkey = \"payload:/a\"\n[[step]]\nname = \"a\"\n"
                                              "workflow = \"w\"\n");
  CHECK(said.find("w.toml:4: step `a`: workflow must not be the step's own") != std::string::npos);
}

TEST_CASE("a step over items says where they stand, how many at a time, how many may fail, and what each is given") {
  const auto read = [](const std::string& step) {
    return parse_workflow(step_with("[[step]]\nname = \"c\"\n" + step), "w.toml").steps[1];
  };
  const auto complaint = [](const std::string& step) {
    return complaints_about_workflow(step_with("[[step]]\nname = \"c\"\n" + step));
  };
  const std::string own = "for_each = \"payload:/items\"\nagent = \"ship\"\n";
  const auto usual = read(own);
  CHECK(workflow::is_over_items(usual));
  CHECK(usual.wait->at == workflow::source{workflow::source::kind::payload, {}, "/items", {}});
  CHECK(usual.wait->at_a_time == workflow::at_a_time_usual);
  CHECK(usual.wait->may_fail == 0);
  CHECK(usual.agent == "ship");
  const auto all = read(own
                        + "at_a_time = 4\nmay_fail = \"10%\"\nretry = { attempts = 2 }\n"
                          "input = { item = \"item:\", to = \"payload:/to\" }\n");
  CHECK(all.wait->at_a_time == 4);
  CHECK(all.wait->may_fail == 10);
  CHECK(all.wait->may_fail_is_percentage);
  CHECK(all.retry.attempts == 2);
  CHECK(all.input[0].value == workflow::source{workflow::source::kind::item, {}, {}, {}});
  CHECK(read(own + "may_fail = 3\n").wait->may_fail == 3);
  CHECK_FALSE(read(own + "may_fail = 3\n").wait->may_fail_is_percentage);
  CHECK(read("for_each = \"a:/parts\"\nworkflow = \"part\"\n").wait->name == "part");
  CHECK_THAT(complaint("for_each = \"items\"\nagent = \"x\"\n"),
             Catch::Contains("w.toml") && Catch::Contains("for_each"));
  CHECK_THAT(complaint(own + "may_fail = \"some\"\n"), Catch::Contains("may_fail"));
  CHECK_THAT(complaint(own + "may_fail = -1\n"), Catch::Contains("may_fail"));
  CHECK_THAT(complaint(own + "at_a_time = 0\n"), Catch::Contains("at_a_time"));
  CHECK_THAT(complaint(own + "workflow = \"part\"\n"),
             Catch::Contains("agent is not allowed in a step that starts a task"));
  CHECK_THAT(complaint(own + "sleep = \"1h\"\n"), Catch::Contains("a step has either `for_each` or `sleep`"));
  CHECK_THAT(complaint(own + "wait = { event = \"paid\", limit = \"1h\" }\n"),
             Catch::Contains("a step has either `for_each` or `wait`"));
  CHECK_THAT(complaint("sleep = \"1h\"\nwait = { event = \"paid\", limit = \"1h\" }\n"),
             Catch::Contains("a step has either `sleep` or `wait`"));
  CHECK_THAT(complaint("for_each = \"payload:/items\"\n"), Catch::Contains("step `c`: agent is missing"));
  CHECK_THAT(complaint("for_each = \"payload:/items\"\nworkflow = \"part\"\nretry = { attempts = 2 }\n"),
             Catch::Contains("retry"));
}

TEST_CASE("a step that is repeated says until what, how often, and what becomes of it then") {
  const std::string begin = "[[step]]\nname = \"c\"\nagent = \"x\"\n";
  const auto r = *parse_workflow(step_with(begin
                                           + "repeat = { until = { pointer = \"/state\", equals = \"ready\" }, every = "
                                             "\"10m\", at_most = 144 }\n"),
                                 "w.toml")
                    .steps[1]
                    .repeat;
  CHECK(r.until == workflow::condition{"", "/state", workflow::condition::test::equals, "\"ready\""});
  CHECK(r.every == std::chrono::minutes{10});
  CHECK(r.at_most == 144);
  CHECK_FALSE(r.passes_at_limit);
  const auto complaint = [&](const std::string& repeat) {
    return complaints_about_workflow(step_with(begin + "repeat = " + repeat + "\n"));
  };
  CHECK_THAT(complaint("{ every = \"10m\", at_most = 3 }"), Catch::Contains("until") && Catch::Contains("is missing"));
  CHECK_THAT(complaint("{ until = { step = \"a\", pointer = \"/x\", present = true }, every = \"10m\", at_most = 3 }"),
             Catch::Contains("must not name step `a`"));
  CHECK_THAT(complaint("{ until = { pointer = \"/x\", present = true }, every = \"10m\", at_most = 1 }"),
             Catch::Contains("at_most"));
  CHECK_THAT(complaint("{ until = { pointer = \"/x\", present = true }, at_most = 3 }"),
             Catch::Contains("repeat.every: is missing") && !Catch::Contains("above zero"));
  CHECK_THAT(complaint("{ until = { pointer = \"/x\", present = true }, every = \"10m\", at_most = 3, else = 1 }"),
             Catch::Contains("else"));
}

TEST_CASE("a step says what its result must be, and what becomes of it if it is not") {
  const std::string begin = "[[step]]\nname = \"c\"\nagent = \"x\"\n";
  const std::string expects = "expect = { pointer = \"/status\", equals = \"ok\" }\n";
  const auto rule = [&](const std::string& lines) {
    return *parse_workflow(step_with(begin + lines), "w.toml").steps[1].expect;
  };
  const workflow::condition is_ok{"", "/status", workflow::condition::test::equals, "\"ok\""};
  CHECK(rule(expects) == workflow::expect_rule{is_ok, false});
  CHECK(rule(expects + "on_unexpected = \"fail\"\n") == workflow::expect_rule{is_ok, false});
  CHECK(rule(expects + "on_unexpected = \"retry\"\n") == workflow::expect_rule{is_ok, true});
  CHECK(rule("expect = { not = { pointer = \"/status\", equals = \"failed\" } }\n").is.is
        == workflow::condition::test::negated);
  const auto complaint = [&](const std::string& lines) { return complaints_about_workflow(step_with(begin + lines)); };
  CHECK_THAT(complaint("expect = { step = \"a\", pointer = \"/x\", present = true }\n"),
             Catch::Contains("expect compares the step's own result, so it must not name step `a`"));
  CHECK_THAT(complaint("on_unexpected = \"retry\"\n"), Catch::Contains("is for a step that has `expect`"));
  CHECK_THAT(complaint(expects + "on_unexpected = \"undo\"\n"), Catch::Contains("w.toml:") && Catch::Contains("undo"));
  CHECK_THAT(complaint("expect = { equals = 1, above = 2 }\n"), Catch::Contains("exactly one of"));
}

TEST_CASE("a step that starts a task names its workflow, and what of the payload or a result that gets") {
  const auto read = [](const std::string& step) {
    return parse_workflow(step_with("[[step]]\nname = \"c\"\n" + step), "w.toml");
  };
  const auto all = read("workflow = \"ship\"\n").steps[1];
  CHECK(workflow::starts_child(all));
  CHECK(all.wait->name == "ship");
  CHECK(all.wait->at == workflow::source{workflow::source::kind::payload, {}, {}, {}});
  CHECK(read("workflow = \"ship\"\npayload = \"a:/box\"\n").steps[1].wait->at
        == workflow::source{workflow::source::kind::result, "a", "/box", {}});
  CHECK_THAT(complaints_about_workflow(step_with("[[step]]\nname = \"c\"\nworkflow = \"ship\"\npayload = \"box\"\n")),
             Catch::Contains("payload"));
  CHECK_THAT(complaints_about_workflow(step_with("[[step]]\nname = \"c\"\nworkflow = \"ship\"\nagent = \"x\"\n")),
             Catch::Contains("agent is not allowed in a step that starts a task"));
  CHECK_THAT(
    complaints_about_workflow(step_with("[[step]]\nname = \"c\"\nworkflow = \"ship\"\nretry = { attempts = 2 }\n")),
    Catch::Contains("retry"));
}

TEST_CASE("the same workflow in two files is refused") {
  const tests::temp_folder folder;
  folder.write("a.toml", step_with(""));
  folder.write("b.toml", step_with(""));
  folder.write("notes.txt", "not a workflow");
  CHECK_THROWS_WITH(load_workflows({folder.path()}),
                    Catch::Matchers::EndsWith("b.toml: workflow `w`, version 1, is in "
                                              + (folder.path() / "a.toml").string() + " already"));
}

TEST_CASE("the mistakes of all files of a folder are told at once") {
  const tests::temp_folder folder;
  folder.write("a.toml", step_with("x = 1"));
  folder.write("b.toml", step_with("y = 1"));
  try {
    load_workflows({folder.path()});
    FAIL("the files were accepted");
  } catch (const config_error& e) {
    CHECK(e.problems().size() == 2);
  }
}

TEST_CASE("a definition is shown as JSON with the words of the file") {
  const auto j = definition_json(load_workflow(source_root / "config/workflows/drone_delivery.toml"));
  CHECK(j["deadline"] == "10m");
  CHECK(j["steps"][3]["when"]
        == nlohmann::json{{"step", "decide_transport"}, {"pointer", "/third_party"}, {"equals", false}});
  CHECK(j["steps"][3]["input"]["package_id"] == "create_package:/package_id");
  CHECK(j["steps"][3]["retry"]["factor"] == 2.0);
  CHECK(j["steps"][3]["after"] == nlohmann::json{"create_package", "decide_transport"});
  CHECK(j["steps"][3]["compensation"]["agent"] == "drone_undo");
}

TEST_CASE("mistakes in an index are named with their line") {
  const std::string steps = "[[step]]\nname = \"a\"\nagent = \"x\"\n";
  CHECK(complaints_about_workflow("name = \"w\"\nindex = [\"/customer\"]\n" + steps)
        == "w.toml:2: index: `/customer` is not written as \"payload:/customer\"");
  CHECK(complaints_about_workflow("name = \"w\"\nindex = [\"payload:/a\", \"payload:/a\"]\n" + steps)
        == "w.toml:2: index names `/a` twice");
}

TEST_CASE("a step that waits says for how long or until when, and is shown in the words of the file") {
  const std::vector<std::string> waits = {
    "sleep = \"2h\"", "until = \"payload:/at\"", "until = \"2026-12-24T18:00:00+01:00\"",
    "until = \"next 08:00 Europe/Lisbon\"", "until = \"next workday 08:00 payload:/zone\""};
  for (const auto& wait : waits) {
    INFO(wait);
    const auto j = definition_json(parse_workflow("name = \"w\"\n[[step]]\nname = \"a\"\n" + wait, "w.toml"));
    const auto& step = j["steps"][0];
    CHECK_FALSE(step.contains("agent"));
    const auto key = wait.substr(0, 5);
    CHECK(wait == key + " = " + step.at(key).dump());
  }
}

TEST_CASE("a step that may end later says how long, and is shown in the words of the file") {
  const auto of = [](const std::string& later) {
    return definition_json(
      parse_workflow("name = \"w\"\n[[step]]\nname = \"a\"\nagent = \"x\"\nlater = " + later, "w.toml"))["steps"][0];
  };
  CHECK(of("\"40m\"").at("later") == nlohmann::json{{"limit", "40m"}});
  CHECK(of("{ limit = \"1h\", heartbeat = \"1m\" }").at("later")
        == nlohmann::json{{"limit", "1h"}, {"heartbeat", "1m"}});
  CHECK(complaints_about_workflow("name = \"w\"\n[[step]]\nname = \"a\"\nagent = \"x\"\nlater = \"24h\"")
        == "w.toml:2: step `a`: later.limit must be shorter than the workflow's deadline without its undo_reserve");
  CHECK_THAT(
    complaints_about_workflow("name = \"w\"\n[[step]]\nname = \"a\"\nagent = \"x\"\nlater = { beat = \"1s\" }"),
    Catch::Contains("w.toml:5: step `a`: later.beat"));
}

TEST_CASE("mistakes in a step that waits are told with their line, and name the step and the key") {
  const auto of = [](const std::string& more) {
    return complaints_about_workflow("name = \"w\"\n\n[[step]]\nname = \"a\"\n" + more);
  };
  CHECK_THAT(of("until = \"soon\""),
             Catch::Matchers::StartsWith("w.toml:5: step `a`: until: must be a moment such as"));
  CHECK_THAT(of("until = \"next 25:00 UTC\""), Catch::Matchers::StartsWith("w.toml:5: step `a`: until: must be"));
  CHECK(of("until = \"next 08:00 Atlantis\"")
        == "w.toml:3: step `a`: until is \"Atlantis\", and not a time zone such as \"Europe/Lisbon\"");
  CHECK(of("until = \"b:/at\"") == "w.toml:3: step `a`: until names the unknown step `b`");
  CHECK(of("sleep = \"24h\"")
        == "w.toml:3: step `a`: sleep must be shorter than the workflow's deadline without its undo_reserve");
  CHECK(of("sleep = \"1h\"\nagent = \"x\"") == "w.toml:3: step `a`: agent is not allowed in a step that only waits");
  CHECK(of("sleep = \"1h\"\ncompensation = { agent = \"x\" }")
        == "w.toml:3: step `a`: compensation is not allowed in a step that only waits");
  CHECK(of("sleep = \"1h\"\nuntil = \"payload:/at\"")
        == "w.toml:6: step `a`: until: a step has either `sleep` or `until`");
  CHECK(of("sleep = \"1h\"\ncomplete_by = \"1s\"")
        == "w.toml:6: step `a`: complete_by: is not allowed in a step that only waits");
  CHECK_THAT(of("sleep = \"0s\""), Catch::Contains("sleep must be above zero"));
  const auto no_limit = "w.toml:3: step `a`: limit is missing or zero: give the longest wait, such as \"3d\"";
  CHECK(of("wait = { event = \"paid\" }") == no_limit);
  CHECK(of("agent = \"person\"\nrole = \"sales\"\nquestion = \"May it be shipped?\"") == no_limit);
}
