// Workflows built in C++: what is built is what a file makes.

#include "runtime/configuration/workflow_file.hpp"
#include "runtime/face/workflow_face.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <string>
#include <vector>

using namespace steadfast;
using namespace std::chrono_literals;
using std::chrono::days;
using texts = std::vector<std::string>;

namespace {

/// As the file of config/workflows makes it.
workflow::definition made_by_file(const std::string& name) {
  return load_workflow(std::filesystem::path{STEADFAST_SOURCE_DIR} / "config/workflows" / (name + ".toml"));
}

bool equals_file(const workflow_builder& w) {
  return workflow_access::of(w) == made_by_file(w.name());
}

/// The last step, as a file makes it that has one before it.
workflow::step_definition step_of_file(const std::string& keys) {
  return parse_workflow("name = 'w'\n[[step]]\nname = 'first'\nagent = 'x'\n[[step]]\nname = 's'\n" + keys, "w.toml")
    .steps.back();
}

workflow_builder after_first(step s) {
  workflow_builder w{"w"};
  w.add(step{"first", "x"}).add(std::move(s));
  return w;
}

workflow::step_definition built(step s) {
  return workflow_access::of(after_first(std::move(s))).steps.back();
}

texts problems_of(step s) {
  return after_first(std::move(s)).problems();
}

input_value given(const std::string& pointer) {
  return input_value::of_payload(pointer);
}

input_value found(const std::string& step, const std::string& pointer) {
  return input_value::of_result(step, pointer);
}

constexpr retry_rule short_waits{.attempts = 5, .initial = 200ms, .cap = 5s};

} // namespace

TEST_CASE("the workflows of config/workflows, built in C++, are those of their files") {
  CHECK(equals_file(workflow_builder{"conference"}
                      .deadline(24h)
                      .result_member("place", found("ticket", "/place"))
                      .result_member("ticket", found("ticket", "/number"))
                      .add(step{"ticket", "tickets"}
                             .input("conference", given("/name"))
                             .undo_with("tickets_return")
                             .undo_input("ticket", found("ticket", "/number").optional()))
                      .add(step{"dinner", "tickets"}.input("dinner", given("/dinner")).undo_with("tickets_return"))));

  CHECK(equals_file(workflow_builder{"conference_trip"}
                      .deadline(days{7})
                      .result_member("conference", found("conference", "/ticket"))
                      .result_member("hotel", found("hotel", "/booking"))
                      .add(step::child("conference", "conference", given("/conference")))
                      .add(step{"hotel", "hotels"}
                             .input("near", found("conference", "/place"))
                             .input("nights", given("/nights"))
                             .input("traveller", given("/traveller"))
                             .undo_with("hotels_cancel")
                             .undo_input("booking", found("hotel", "/booking").optional()))));

  CHECK(equals_file(
    workflow_builder{"statement", 2}
      .limit("/customer", 1, 1min)
      .add(step{"close_period", "ledger"}
             .input("customer", given("/customer"))
             .input("until", given("/until"))
             .undo_with("ledger_reopen")
             .undo_input("customer", given("/customer")))
      .add(
        step{"send", "mail"}.input("customer", given("/customer")).input("period", found("close_period", "/period")))));
}

TEST_CASE("a workflow that waits, asks and goes over items, built in C++, is that of its file") {
  CHECK(equals_file(workflow_builder{"paid_order", 3}
                      .deadline(days{14})
                      .add(step{"reserve", "stock"}
                             .input("items", given("/items"))
                             .undo_with("stock_release")
                             .undo_input("reservation", found("reserve", "/reservation").optional()))
                      .add(step{"ask_for_payment", "payments"}
                             .input("order", given("/order"))
                             .input("sum", given("/sum"))
                             .undo_with("payments_return")
                             .undo_input("order", given("/order")))
                      .add(step::event("payment", {.event = "paid", .key = given("/order"), .limit = days{3}}))
                      .add(step::question("approval", {.role = "sales",
                                                       .question = "It is paid: may it be shipped?",
                                                       .choices = {"ship", "return"},
                                                       .limit = days{2},
                                                       .remind_every = 4h})
                             .when(!condition::at_most("payload", "/sum", "500")))
                      .add(step{"returned", "refuse"}.empty_input().when_equals("approval", "/choice", R"("return")"))
                      .add(step{"ship", "carrier"}
                             .for_each(given("/items"))
                             .at_a_time(4)
                             .may_fail_percent(10)
                             .input("address", given("/address"))
                             .input("item", input_value::of_item())
                             .may_end_later(days{3}, days{1})
                             .undo_with("carrier_recall"))
                      .add(step{"pay_back_missing", "payments_missing"}
                             .input("items", given("/items"))
                             .input("order", given("/order"))
                             .input("parcels", found("ship", "")))));

  CHECK(equals_file(
    workflow_builder{"onboarding", 3}
      .deadline(days{30})
      .add(step{"send_welcome", "mail"}
             .input("template", input_value::always(R"("welcome")"))
             .input("to", given("/customer")))
      .add(step::until("account_opens", "payload:/opens_at"))
      .add(step{"open_account", "accounts"}
             .input("customer", given("/customer"))
             .undo_with("accounts_undo")
             .undo_input("account", found("open_account", "/account").optional()))
      .add(
        step{"screening", "screening"}
          .input("account", found("open_account", "/account"))
          .repeat({.until = condition::present("", "/verdict"), .every = 10min, .at_most = 144, .pass_at_limit = true})
          .threshold(1)
          .cool_off(10min, 144)
          .ask_a_person())
      .add(step::question("decision", {.role = "compliance",
                                       .question = "The screening gave no verdict: may the account stay open?",
                                       .limit = days{5},
                                       .remind_every = 4h})
             .when_absent("screening", "/verdict"))
      .add(step{"refused", "refuse"}.empty_input().when_equals("decision", "/choice", R"("no")"))
      .add(step::until("office_hours", "next workday 09:00 payload:/time_zone"))
      .add(step{"call", "telephone"}
             .input("account", found("open_account", "/account"))
             .input("customer", given("/customer")))
      .add(step::sleep("a_day_later", 24h))
      .add(step{"ask_how_it_went", "mail"}
             .input("template", input_value::always(R"("survey")"))
             .input("to", given("/customer")))));
}

TEST_CASE("a workflow whose steps run in parallel, with probes and cool-offs, built in C++, is that of its file") {
  constexpr retry_rule drone_waits{.attempts = 4, .initial = 500ms, .cap = 10s};
  CHECK(equals_file(
    workflow_builder{"drone_delivery"}
      .deadline(10min)
      .undo_reserve(2min)
      .add(step{"check_account", "account"}.input("customer", given("/customer")).complete_by(5s).retry(short_waits))
      .add(step{"create_package", "package"}
             .after({"check_account"})
             .input("customer", given("/customer"))
             .input("weight_kg", given("/weight_kg"))
             .complete_by(5s)
             .retry(short_waits)
             .undo_with("package_undo")
             .undo_complete_by(5s)
             .probe_with("package_probe", 3s))
      .add(step{"decide_transport", "transport"}
             .after({"check_account"})
             .input("from", given("/from"))
             .input("to", given("/to"))
             .complete_by(5s)
             .retry(short_waits))
      .add(step{"schedule_drone", "drone"}
             .after({"create_package", "decide_transport"})
             .when_equals("decide_transport", "/third_party", "false")
             .input("from", given("/from"))
             .input("package_id", found("create_package", "/package_id"))
             .input("to", given("/to"))
             .complete_by(5s)
             .retry(drone_waits)
             .threshold(2)
             .cool_off(10s, 1)
             .undo_with("drone_undo")
             .undo_complete_by(5s)
             .probe_with("drone_probe", 3s))
      .add(step{"create_delivery", "delivery"}
             .after({"schedule_drone"})
             .input("customer", given("/customer"))
             .input("drone_id", found("schedule_drone", "/drone_id"))
             .input("package_id", found("create_package", "/package_id"))
             .complete_by(5s)
             .retry(short_waits)
             .undo_with("delivery_undo")
             .undo_complete_by(5s)
             .probe_with("delivery_probe", 3s))));
}

TEST_CASE("what is not said of a step that waits is in C++ what it is in a file") {
  CHECK(built(step::event("s", {.event = "paid", .limit = 1h}))
        == step_of_file("wait = { event = 'paid', limit = '1h' }"));
  CHECK(
    built(step::event("s", {.event = "paid", .key = input_value::always("\"k\""), .limit = 1h, .pass_at_limit = true}))
    == step_of_file("wait = { event = 'paid', key = { literal = 'k' }, limit = '1h', on_limit = 'pass' }"));
  CHECK(built(step::question("s", {.role = "sales", .question = "Well?", .limit = 1h}))
        == step_of_file("agent = 'person'\nrole = 'sales'\nquestion = 'Well?'\nlimit = '1h'"));
  CHECK(built(step::question("s", {.role = "sales", .question = "Well?", .limit = 1h, .pass_at_limit = true}))
        == step_of_file("agent = 'person'\nrole = 'sales'\nquestion = 'Well?'\nlimit = '1h'\non_limit = 'pass'"));
  CHECK(built(step::child("s", "other")) == step_of_file("workflow = 'other'"));
  CHECK(built(step::child("s", "other", found("first", "/x")))
        == step_of_file("workflow = 'other'\npayload = 'first:/x'"));
  CHECK(built(step{"s", "x"}.for_each(given("/all"))) == step_of_file("agent = 'x'\nfor_each = 'payload:/all'"));
  CHECK(built(step{"s", "x"}.for_each(found("first", "/all")).may_fail_percent(5).may_fail(3))
        == step_of_file("agent = 'x'\nfor_each = 'first:/all'\nmay_fail = 3"));
  CHECK(built(step::children("s", "other", given("/all"))
                .may_fail(3)
                .may_fail_percent(5)
                .at_a_time(2)
                .input("a", input_value::of_item("/a")))
        == step_of_file("workflow = 'other'\nfor_each = 'payload:/all'\nmay_fail = '5%'\nat_a_time = 2\n"
                        "input = { a = 'item:/a' }"));
  CHECK(
    built(step{"s", "x"}.repeat({.until = condition::equals("", "/state", "\"done\""), .every = 1min, .at_most = 9}))
    == step_of_file("agent = 'x'\nrepeat = { until = { pointer = '/state', equals = 'done' }, every = '1m', "
                    "at_most = 9 }"));
}

TEST_CASE("an expected result that is built in C++ is that of a file") {
  const auto is_ok = condition::equals("", "/status", "\"ok\"");
  const std::string file = "agent = 'x'\nexpect = { pointer = '/status', equals = 'ok' }\n";
  CHECK(built(step{"s", "x"}.expect(is_ok)) == step_of_file(file));
  CHECK(built(step{"s", "x"}.expect_or_retry(is_ok)) == step_of_file(file + "on_unexpected = 'retry'\n"));
}

TEST_CASE("settings of items may come before the array that they go over") {
  CHECK(built(step{"s", "x"}.at_a_time(2).may_fail(1).for_each(given("/all")))
        == built(step{"s", "x"}.for_each(given("/all")).at_a_time(2).may_fail(1)));
}

TEST_CASE("conditions built in C++ are those of a file") {
  const auto when = [](const condition& c) { return built(step{"s", "x"}.when(c)); };
  const auto file = [](const std::string& keys) { return step_of_file("agent = 'x'\nwhen = { " + keys + " }"); };
  const auto compared = [&](const std::string& test) { return file("step = 'first', pointer = '/n', " + test); };
  CHECK(when(condition::equals("first", "/n", "1")) == compared("equals = 1"));
  CHECK(when(condition::differs("first", "/n", "1")) == compared("differs = 1"));
  CHECK(when(condition::above("first", "/n", "1")) == compared("above = 1"));
  CHECK(when(condition::at_least("first", "/n", "1")) == compared("at_least = 1"));
  CHECK(when(condition::below("first", "/n", "1")) == compared("below = 1"));
  CHECK(when(condition::at_most("first", "/n", "1")) == compared("at_most = 1"));
  CHECK(when(condition::present("first", "/n")) == compared("present = true"));
  CHECK(when(condition::absent("first", "/n")) == compared("present = false"));
  const auto large = condition::above("payload", "/sum", "1000");
  const auto foreign = condition::differs("payload", "/country", R"("PT")");
  const auto known = condition::equals("first", "/known", "true");
  CHECK(when(condition::any({large, condition::all({foreign, !known})}))
        == file("any = [ { step = 'payload', pointer = '/sum', above = 1000 }, { all = [ { step = 'payload', pointer = "
                "'/country', differs = 'PT' }, { not = { step = 'first', pointer = '/known', equals = true } } ] } ]"));
  CHECK(when(!!known) == file("not = { not = { step = 'first', pointer = '/known', equals = true } }"));
}

TEST_CASE("what a file refuses is among the problems of what is built in C++") {
  CHECK(problems_of(step::event("s", {.event = "paid"}))
        == texts{"step `s`: limit is missing or zero: give the longest wait, such as \"3d\""});
  CHECK(problems_of(step::event("s", {.event = "paid", .key = input_value::always("[]"), .limit = 1h})).size() == 1);
  CHECK(problems_of(step::question("s", {.role = "sales", .question = "", .choices = {"yes"}, .limit = 1h}))
        == texts{"step `s`: question is missing", "step `s`: choices must be at least two"});
  const std::string no_place = "must be a place in the payload or in the result of an earlier step";
  const std::string no_item = "is a place in an item, which only the input of a step with for_each can use";
  CHECK(problems_of(step::child("s", "other", input_value::always("1"))) == texts{"step `s`: payload " + no_place});
  CHECK(problems_of(step::child("s", "other", input_value::of_item())) == texts{"step `s`: payload " + no_item});
  CHECK(problems_of(step{"s", "x"}.at_a_time(4)) == texts{"step `s`: for_each " + no_place});
  CHECK(problems_of(step{"s", "x"}.for_each(given("/all")).at_a_time(0).may_fail_percent(101))
        == texts{"step `s`: at_a_time must lie between 1 and 1000", "step `s`: may_fail must be at most 100 percent"});
  CHECK(problems_of(step{"s", "x"}.input("a", input_value::of_item()))
        == texts{"step `s`: input member `a` " + no_item});
  CHECK(problems_of(step::sleep("s", 1h).for_each(given("/all"))) == texts{"step `s`: agent is missing"});
  CHECK(problems_of(step{"s", "x"}.repeat({.until = condition::present("first", "/a"), .every = 1s, .at_most = 1}))
        == texts{"step `s`: repeat.until compares the step's own result, so it must not name step `first`",
                 "step `s`: repeat.at_most must lie between 2 and 10000"});
  CHECK(problems_of(step{"s", "x"}.when(condition::present("", "/a"))) == texts{"step `s`: when names no step"});
  CHECK(problems_of(step{"s", "x"}.when(condition::above("first", "/a", "\"b\"")))
        == texts{"step `s`: when must compare with a number, not `\"b\"`"});
  CHECK(problems_of(step{"s", "x"}.when(condition::all({})))
        == texts{"step `s`: when must have at least one condition in `all` or `any`"});
}

TEST_CASE("what is about attempts cannot be said of a step that has none") {
  const std::string only_waits = " is not allowed in a step that only waits";
  const std::string starts = " is not allowed in a step that starts a task";
  CHECK(problems_of(step::sleep("s", 1h).complete_by(5s).threshold(2).cool_off(1s, 1).ask_a_person())
        == texts{"step `s`: complete_by" + only_waits, "step `s`: threshold" + only_waits,
                 "step `s`: cool_off" + only_waits, "step `s`: on_exhausted" + only_waits});
  CHECK(problems_of(step::children("s", "other", given("/all")).retry({.attempts = 2}))
        == texts{"step `s`: retry" + starts});
  CHECK(problems_of(step{"s", "x"}.for_each(given("/all")).retry({.attempts = 2}).complete_by(5s)).empty());
}
