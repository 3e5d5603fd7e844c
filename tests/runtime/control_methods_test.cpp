// The methods of the control channel: what is wrong with the parameters is told by name.

#include "api/method.hpp"
#include "runtime/control/control_context.hpp"
#include "runtime/control/control_methods.hpp"
#include "runtime/node/node_inside.hpp"
#include "store/contract/wrapped_store.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/fast_place.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>

using namespace steadfast;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

node_options options_in(const tests::temp_folder& folder) {
  node_options o;
  o.store.path = folder.path() / "store";
  o.socket.clear();
  return o;
}

/// Takes no record of what people do.
class store_without_records : public store::wrapped_store {
public:
  explicit store_without_records(std::shared_ptr<store::local_store> to) : to_{std::move(to)} {}
  std::vector<store::outcome> commit(const store::write_list& batch) override {
    const auto is_record = [](const store::write* w) { return std::holds_alternative<store::record_act>(*w); };
    if (std::any_of(batch.begin(), batch.end(), is_record))
      throw store::store_error{"the disk is full", false};
    return to_->commit(batch);
  }

private:
  store::local_store& real() const override { return *to_; }

  std::shared_ptr<store::local_store> to_;
};

/// A node without a control channel, whose methods are called as the channel would.
struct called_node {
  explicit called_node(store_wrapper wrap = {}) : running{options_in(folder)} {
    if (wrap)
      node_inside{running}.wrap_store(std::move(wrap));
    workflow::definition d;
    d.name = "trip";
    d.steps.resize(1);
    d.steps[0].name = "hotel";
    d.steps[0].agent = "echo";
    running.add_workflow(d);
    d.name = "charge";
    d.limit = workflow::limit_rule{"/customer", 1};
    running.add_workflow(d);
    d.name = "paced";
    d.limit->per = std::chrono::hours{1};
    running.add_workflow(d);
    running.start();
    methods = methods_of(node_inside{running}.system(), node_inside{running}.parts());
  }

  json call(const std::string& method, const json& params) const { return methods.at(method)(params); }

  /// What a call is refused with: its code and the sentence.
  std::string refusal(const std::string& method, const json& params) const {
    try {
      call(method, params);
      return "none";
    } catch (const api::error& e) {
      return std::to_string(e.number()) + " " + e.what();
    }
  }

  tests::temp_folder folder{tests::fast_place()};
  assembled_node running;
  control_methods methods;
};

json trip(const std::string& id, const char* name, const json& value) {
  return {{"id", id}, {"workflow", "trip"}, {name, value}};
}

} // namespace

TEST_CASE("a parameter that is no such value is refused by its name, and none is cut to fit") {
  const called_node n;
  CHECK(n.refusal("submit", trip("a", "priority", 256)) == "-32602 `priority` must be a whole number from 0 to 9");
  CHECK(n.refusal("submit", trip("a", "version", 4'294'967'297))
        == "-32602 `version` must be a whole number from 0 to 4294967295");
  for (const json& wrong : {json(true), json(2.5), json(1e300), json(-1), json("1"), json(nullptr), json::array()}) {
    INFO(wrong);
    CHECK_THAT(n.refusal("submit", trip("a", "priority", wrong)), Contains("-32602 `priority`"));
    CHECK_THAT(n.refusal("task.list", {{"before", wrong}}), Contains("-32602 `before`"));
    CHECK_THAT(n.refusal("alerts.ack", {{"alert", wrong}, {"who", "ann"}}), Contains("-32602 `alert`"));
  }
  CHECK_THAT(n.refusal("submit", trip("a", "reply_to", 5)), Contains("-32602 `reply_to` must be a text"));
  CHECK_THAT(n.refusal("task.list", {{"states", "error"}}), Contains("-32602 `states` must be a list"));
  CHECK_THAT(n.refusal("task.list", {{"states", {1}}}),
             Contains("-32602 `states`: there is no `1`; there are pending, processing,"));
  CHECK_THAT(n.refusal("task.list", {{"states", {"error", "done"}}}),
             Contains("-32602 `states`: there is no `done`; "));
  CHECK_THAT(n.refusal("alerts.list", {{"all", 1}}), Contains("-32602 `all` must be true or false"));
  CHECK_THAT(n.refusal("alerts.ack", {{"who", "ann"}}), Contains("-32602 `alert` is missing"));
  CHECK_THAT(n.refusal("circuit.set", {{"agent", "echo"}, {"who", "ann"}}), Contains("-32602 `open` is missing"));
  CHECK_THAT(n.refusal("node.drain", {{"node", "node"}, {"who", "ann"}, {"limit_ms", -1}}),
             Contains("-32602 `limit_ms`"));
  CHECK(n.refusal("node.drain", {{"node", ""}, {"who", "ann"}}) == "-32602 `node` must be the name of a node");
  CHECK_THAT(n.refusal("task.list", json::array()), Contains("-32602 params"));
  CHECK_THAT(n.refusal("task.show", {{"id", "a"}}), Contains("4 there is no task"));
  CHECK(n.call("submit", trip("a", "priority", 9)).at("created") == true);
}

TEST_CASE("a page without entries, or with more than may be, is refused and not cut") {
  const called_node n;
  for (const auto* list :
       {"task.list", "task.in_place", "approval.list", "late.list", "bulk.list", "alerts.list", "incident.list"})
    for (const std::uint64_t wrong : {std::uint64_t{0}, std::uint64_t{1001}, std::uint64_t(-1)}) {
      INFO(list << ' ' << wrong);
      CHECK(n.refusal(list, {{"max", wrong}}) == "-32602 `max` must be a whole number from 1 to 1000");
    }
}

TEST_CASE("a parameter that a method does not know is refused, with the one that was meant") {
  const called_node n;
  CHECK(n.refusal("submit", trip("a", "prioritty", 1))
        == "-32602 there is no parameter `prioritty`; did you mean `priority`?");
  CHECK_THAT(n.refusal("task.list", {{"state", "error"}}), Contains("-32602 there is no parameter `state`"));
  CHECK_THAT(n.refusal("alerts.list", {{"colour", "red"}}), Contains("there are all, incident, kind"));
  for (const auto& [name, method] : n.methods)
    CHECK_THAT(n.refusal(name, {{"zzzzzzzzzzzz", 1}}), Contains("-32602 there is no parameter `zzzzzzzzzzzz`"));
}

TEST_CASE("incidents are listed, shown and acted on, and what there is not is named") {
  const called_node n;
  CHECK(n.call("incident.list", json::object()) == json{{"incidents", json::array()}, {"next", nullptr}});
  CHECK(n.refusal("incident.show", {{"incident", 7}}) == "4 there is no incident with the number 7");
  const json act{{"incident", 7}, {"act", "ack"}, {"who", "ann"}};
  CHECK(n.refusal("incident.act", act) == "4 there is no incident with the number 7");
  CHECK(n.refusal("incident.act", {{"incident", 7}, {"act", "forget"}, {"who", "ann"}})
        == "-32602 `act`: there is no `forget`; there are ack, mute, unmute, note");
  CHECK_THAT(n.refusal("incident.act", {{"act", "ack"}, {"who", "ann"}}), Contains("-32602 `incident` is missing"));
  CHECK(n.call("alerts.list", json::object()) == json{{"alerts", json::array()}, {"next", nullptr}});
}

TEST_CASE("a bulk act that cannot be is refused, what there is not is named, and nothing is begun for nobody") {
  const called_node n;
  CHECK(n.call("bulk.list", json::object()) == json{{"bulk_acts", json::array()}, {"next", nullptr}});
  CHECK(n.refusal("bulk.show", {{"bulk", 7}}) == "4 there is no bulk act with the number 7");
  CHECK(n.refusal("bulk.stop", {{"bulk", 7}, {"who", "ann"}}) == "4 there is no bulk act with the number 7");
  CHECK(n.refusal("bulk.show", json::object()) == "-32602 `bulk` is missing");
  CHECK(n.refusal("bulk.start", {{"act", "retry"}, {"who", "ann"}}) == "4 no task matches");
  CHECK(n.refusal("bulk.start", {{"act", "drop"}, {"who", "ann"}})
        == "-32602 `act`: there is no `drop`; there are retry, skip, edit, undo, cancel, suspend, resume");
  CHECK(n.refusal("bulk.start", {{"act", "edit"}, {"who", "ann"}})
        == "-32602 one payload is edited at a time: no bulk act can");
  CHECK(n.refusal("bulk.start", {{"act", "skip"}, {"who", "ann"}}) == "-32602 a bulk act that skips needs a step");
  CHECK(n.refusal("bulk.start", {{"act", "retry"}, {"who", "ann"}, {"stats", json::array()}})
        == "-32602 there is no parameter `stats`; did you mean `states`?");
  n.call("submit", trip("a", "not_before_ms", 4'000'000'000'000));
  const auto plan = n.call("bulk.start", {{"act", "retry"}, {"who", "ann"}, {"dry_run", true}});
  CHECK(plan
        == json{{"act", "retry"},
                {"count", 1},
                {"looked_at", 1},
                {"would", 0},
                {"states_after", json::array()},
                {"tasks", {"a"}},
                {"refusals", {{{"why", "no step of it failed or waits"}, {"tasks", 1}, {"sample", "a"}}}}});
  CHECK(n.call("bulk.start", {{"act", "retry"}, {"who", "ann"}, {"workflow", "trip"}})
        == json{{"bulk", 1}, {"about", 1}});
  const auto b = n.call("bulk.show", {{"bulk", 1}}).at("bulk");
  CHECK(b.at("where") == R"({"workflow":"trip"})");
  CHECK(b.at("who") == "ann");
}

TEST_CASE("what would become of an act is told as the act answers, and nothing is changed") {
  const called_node n;
  n.call("submit", trip("a", "not_before_ms", 4'000'000'000'000));
  n.call("submit", trip("b", "not_before_ms", 4'000'000'000'000));
  const auto params = [](const std::string& act, bool is_dry) {
    return json{{"id", "a"}, {"act", act}, {"who", "ann"}, {"dry_run", is_dry}};
  };
  const auto bulk = [&](const std::string& act) {
    return n.call("bulk.start", {{"act", act}, {"who", "ann"}, {"dry_run", true}}).at("states_after");
  };
  for (const auto& [act, then, of_both] :
       {std::tuple{"suspend", "suspended", 2}, std::tuple{"resume", "pending", 1}, std::tuple{"cancel", "undone", 2}}) {
    INFO(act);
    const auto before = n.call("task.show", {{"id", "a"}}).at("task");
    const auto told = n.call("task.act", params(act, true));
    CHECK(told == json{{"process_state", then}});
    CHECK(bulk(act) == json{{{"process_state", then}, {"tasks", of_both}}});
    CHECK(n.call("task.show", {{"id", "a"}}).at("task") == before);
    CHECK(n.call("task.act", params(act, false)) == told);
  }
  CHECK(n.refusal("task.act", params("cancel", true)) == n.refusal("task.act", params("cancel", false)));
  CHECK(bulk("cancel") == json{{{"process_state", "undone"}, {"tasks", 1}}}); // b
}

TEST_CASE("a file that cannot be written or read is a refusal that tells why") {
  const called_node n;
  n.call("submit", trip("a", "priority", 1));
  const auto there = (n.folder.path() / "store").string();
  CHECK_THAT(n.refusal("store.copy", {{"to", there}}), Contains("1 cannot copy the store to " + there));
  CHECK_THAT(n.refusal("store.export", {{"id", "a"}, {"to", there}}), Contains("1 cannot write " + there));
  const auto named = (n.folder.path() / "x").string();
  CHECK(n.refusal("store.export", {{"id", "a"}, {"to", named + std::string("\0b", 2)}})
        == "-32602 `to` has a zero byte");
  CHECK_FALSE(std::filesystem::exists(named));
  CHECK_THAT(n.refusal("store.import", {{"from", there}, {"who", "ann"}}), Contains("1 cannot read " + there));
}

TEST_CASE("what a person gives as a reason has a bound, which is told") {
  const called_node n;
  n.call("submit", trip("a", "priority", 1));
  const auto act = [&](std::size_t size) {
    return n.refusal("task.act", {{"id", "a"}, {"act", "suspend"}, {"who", "ann"}, {"why", std::string(size, 'w')}});
  };
  CHECK(act(257) == "-32602 `why` has 257 bytes and may have 256");
  CHECK(act(256) == "none");
  CHECK_THAT(n.refusal("node.drain", {{"node", "node"}, {"who", std::string(1'000'000, 'a')}}),
             Contains("`who` has 1000000 bytes"));
}

TEST_CASE("a task that waits for its key tells whose end it waits for, and how many come before it") {
  const called_node n;
  const auto submit = [&](const std::string& id) {
    return n.call("submit", {{"id", id}, {"workflow", "charge"}, {"payload", R"({"customer":"ada"})"}});
  };
  const auto told = [&](const std::string& id) { return n.call("task.show", {{"id", id}}).at("explanation").dump(); };
  submit("first");
  REQUIRE(tests::comes_true(
    [&] { return told("first").find("it counts as one of them until it ends") != std::string::npos; }));
  submit("second");
  submit("third");
  CHECK_THAT(told("second"), Contains("waiting: for the end of `first`, with the same key; 0 more"));
  CHECK_THAT(told("third"), Contains("waiting: for the end of `first`, with the same key; 1 more"));
  CHECK_THAT(told("third"), Contains("1 at a time may be under way with the key `ada`"));
  CHECK_THAT(told("first"), !Contains("waiting: for the end"));
  CHECK_THAT(told("second"), !Contains("until a person acts"));
  n.call("task.act", {{"id", "first"}, {"act", "suspend"}, {"who", "ann"}});
  CHECK_THAT(told("second"), Contains("`first` is suspended, and keeps its place until a person acts"));
  CHECK_THAT(n.refusal("submit", {{"id", "x"}, {"workflow", "charge"}, {"payload", "{}"}}),
             Contains("payload has no value at \"/customer\", which is the key of the workflow's limit"));
}

TEST_CASE("a task that waits for the place that an ended one keeps tells when it is free") {
  const called_node n;
  const auto told = [&](const std::string& id) { return n.call("task.show", {{"id", id}}).at("explanation").dump(); };
  for (const auto* id : {"first", "second"})
    n.call("submit", {{"id", id}, {"workflow", "paced"}, {"payload", R"({"customer":"ada"})"}});
  REQUIRE(tests::comes_true([&] { return told("first").find("it counts as one of them") != std::string::npos; }));
  n.call("task.act", {{"id", "first"}, {"act", "cancel"}, {"who", "ann"}});
  REQUIRE(tests::comes_true([&] { return n.call("task.state", {{"id", "first"}}).at("process_state") == "undone"; }));
  CHECK_THAT(told("second"), Contains("until its key has a place for it and a scheduler has room for it"));
  CHECK_THAT(told("second"), Contains("waiting: for a place, with the same key; 0 more with that key come before it; "
                                      "a place that is kept of one that has ended is free at"));
  CHECK_THAT(told("second"), !Contains("`first`"));
}

TEST_CASE("an act that names a revision is refused once the task has another one") {
  const called_node n;
  n.call("submit", {{"id", "a"}, {"workflow", "trip"}, {"payload", "1"}, {"not_before_ms", 4'000'000'000'000}});
  const auto revision = [&] { return n.call("task.show", {{"id", "a"}}).at("task").at("revision").get<unsigned>(); };
  const auto edit = [&](unsigned of, bool is_dry) {
    return json{{"id", "a"}, {"act", "edit"}, {"document", "2"}, {"who", "ann"}, {"revision", of}, {"dry_run", is_dry}};
  };
  const auto before = revision();
  CHECK(n.call("task.act", edit(before, true)).at("process_state") == "pending");
  n.call("task.act", {{"id", "a"}, {"act", "suspend"}, {"who", "ben"}});
  REQUIRE(revision() != before);
  const auto why = "the task has changed since revision " + std::to_string(before) + ": look at it again";
  CHECK_THAT(n.refusal("task.act", edit(before, true)), Contains(why));
  CHECK_THAT(n.refusal("task.act", edit(before, false)), Contains("1 " + why));
  CHECK(n.call("task.show", {{"id", "a"}}).at("task").at("payload") == 1);
  n.call("task.act", edit(revision(), false));
  CHECK(n.call("task.show", {{"id", "a"}}).at("task").at("payload") == 2);
}

TEST_CASE("row 134: a submission says what becomes of the task that has its id") {
  const called_node n;
  const auto submit = [](const std::string& payload, const std::string& how) {
    return json{{"id", "a"},
                {"workflow", "trip"},
                {"payload", payload},
                {"on_conflict", how},
                {"not_before_ms", 4'000'000'000'000}};
  };
  CHECK(n.call("submit", submit("1", "replace")).at("created") == true);
  const auto second = n.call("submit", submit("2", "replace"));
  CHECK(second.at("created") == false);
  CHECK(second.at("replaced") == true);
  CHECK(n.call("submit", submit("2", "replace")).at("replaced") == false);
  CHECK(n.call("submit", submit("2", "same")).at("created") == false);
  CHECK_THAT(n.refusal("submit", submit("3", "same")), Contains("1 key_conflict"));
  CHECK(n.refusal("submit", submit("2", "refuse")) == "1 there is a task `a` already");
  CHECK_THAT(n.refusal("submit", submit("2", "merge")), Contains("-32602 `on_conflict`: there is no `merge`"));
  auto later = submit("4", "same");
  later["debounce_ms"] = 5000;
  CHECK_THAT(n.refusal("submit", later), Contains("debounce means that the task is replaced"));
  later.erase("on_conflict"); // it is meant
  later.erase("not_before_ms");
  CHECK(n.call("submit", later).at("replaced") == true);
  CHECK(n.call("task.show", {{"id", "a"}}).at("task").at("not_before") != nullptr);
}

TEST_CASE("what a list is sorted by, what is counted by, and places without an index are told by name") {
  const called_node n;
  CHECK(n.refusal("task.count", {{"by", "colour"}})
        == "-32602 `by`: there is no `colour`; there are workflow, state, cause, agent, step, hour");
  CHECK_THAT(n.refusal("task.list", {{"sort", "size"}}),
             Contains("`sort`: there is no `size`; there are submitted, ended"));
  CHECK(n.refusal("task.list", {{"sort", "id"}, {"before", "7-xy"}})
        == "-32602 `before` must be what `next` was on the page before");
  CHECK_THAT(n.refusal("task.list", {{"payload", {{"/customer", "c"}}}}),
             Contains("no workflow has an index on `payload:/customer`"));
  CHECK_THAT(n.refusal("task.count", {{"payload", {{"/customer", 7}}}}),
             Contains("must be an object of places and texts"));
  CHECK(n.call("task.count", {{"by", "state"}}).at("groups").empty());
}

TEST_CASE("only an undo and a cancel have a plan of what they undo") {
  const called_node n;
  n.call("submit", trip("a", "not_before_ms", 4'000'000'000'000));
  for (const auto* act : {"retry", "x", ""})
    CHECK(n.refusal("task.plan_undo", {{"id", "a"}, {"act", act}})
          == "-32602 `act`: there is no `" + std::string{act} + "`; there are undo, cancel");
  CHECK(n.refusal("task.plan_undo", {{"id", "a"}, {"act", "cancel"}}) == "none");
}

TEST_CASE("the node carries out each method of the table, and no other") {
  const called_node n;
  for (const auto& m : api::methods())
    CHECK(n.methods.count(m.name) == 1);
  CHECK(n.methods.size() == api::methods().size());
}

TEST_CASE("an answer has what the table says that it has") {
  const called_node n;
  n.call("submit", trip("a", "not_before_ms", 4'000'000'000'000));
  const auto all_fields = [&](const char* name, const json& params) {
    INFO(name);
    const auto& m = api::method_of(name);
    const auto answer = n.call(name, params);
    for (const auto& f : m.result) {
      INFO(f.name);
      CHECK((f.may_lack || answer.contains(f.name)));
      if (answer.contains(f.name))
        CHECK((f.may_be_null || !answer[f.name].is_null()));
    }
    for (const auto& member : answer.items()) {
      INFO(member.key());
      CHECK(std::any_of(m.result.begin(), m.result.end(), [&](const api::field& f) { return f.name == member.key(); }));
    }
  };
  const auto file = [&](const char* name) { return (n.folder.path() / name).string(); };
  const json nothing = json::object();
  const json ann{{"who", "ann"}};
  const auto by_ann = [&](json params) {
    params.update(ann);
    return params;
  };
  all_fields("submit", trip("b", "not_before_ms", 4'000'000'000'000));
  all_fields("task.show", {{"id", "a"}});
  all_fields("task.state", {{"id", "a"}});
  all_fields("task.list", nothing);
  all_fields("task.list", {{"sort", "id"}, {"max", 1}});
  all_fields("task.count", nothing);
  all_fields("task.count", {{"by", "state"}});
  all_fields("task.in_place", nothing);
  all_fields("approval.list", nothing);
  all_fields("task.plan_undo", {{"id", "a"}});
  all_fields("task.stuck", nothing);
  all_fields("task.act", by_ann({{"id", "a"}, {"act", "suspend"}}));
  all_fields("bulk.start", by_ann({{"act", "undo"}, {"dry_run", true}}));
  all_fields("bulk.start", by_ann({{"act", "resume"}}));
  all_fields("bulk.list", nothing);
  all_fields("bulk.show", {{"bulk", 1}});
  all_fields("alerts.list", nothing);
  all_fields("incident.list", nothing);
  all_fields("workflow.list", nothing);
  all_fields("workflow.show", {{"name", "trip"}});
  all_fields("lease.list", nothing);
  all_fields("actor.list", nothing);
  all_fields("actor.show", {{"id", "scheduler@node"}});
  all_fields("agent.list", nothing);
  all_fields("late.list", nothing);
  all_fields("node.describe", nothing);
  all_fields("node.list", nothing);
  all_fields("store.stats", nothing);
  all_fields("store.check", nothing);
  all_fields("store.copy", {{"to", file("copy")}});
  all_fields("store.export", {{"id", "a"}, {"to", file("a")}});
}

TEST_CASE("whoever does not say who it is has done nothing") {
  const called_node n;
  const auto epoch_of_supervisor = [&]() -> std::uint64_t {
    const auto listed = n.call("lease.list", json::object());
    for (const auto& l : listed.at("leases"))
      if (l.at("name") == "supervisor" && !l.at("expires_at").is_null())
        return l.at("epoch");
    return 0;
  };
  REQUIRE(tests::comes_true([&] { return epoch_of_supervisor() > 0; }));
  const auto before = epoch_of_supervisor();
  CHECK(n.refusal("lease.release", {{"name", "supervisor"}}) == "-32602 `who` is missing");
  CHECK(epoch_of_supervisor() == before);
}

TEST_CASE("row 150: what is done is told as done, also where it cannot be recorded that a person did it") {
  const called_node n{[](auto real) { return std::make_shared<store_without_records>(std::move(real)); }};
  REQUIRE(n.call("submit", trip("a", "priority", 9)).at("created") == true);
  const json suspend{{"workflow", "trip"}, {"act", "suspend"}, {"who", "ann"}, {"why", "a test"}};
  CHECK(n.call("bulk.start", suspend).at("about") == 1);
  CHECK(n.call("bulk.list", {{"all", true}}).at("bulk_acts").size() == 1);
  const auto* file = "name = \"later\"\n[[step]]\nname = \"a\"\nagent = \"echo\"\n";
  CHECK(n.call("workflow.register", {{"text", file}, {"who", "ann"}}).at("created") == true);
  // what is recorded first is not done
  CHECK_THAT(n.refusal("node.drain", {{"node", "node"}, {"who", "ann"}, {"limit_ms", 0}}),
             Contains("the disk is full"));
  CHECK(n.call("node.describe", json::object()).at("scheduler").at("draining") == false);
}

TEST_CASE("row 150: what became of an act is told as done, refused, not done yet, or unknown") {
  using actors::act_refusal;
  actors::act_result r;
  const auto told = [&](act_refusal why) {
    r.refusal = why;
    try {
      state_after(r);
    } catch (const api::error& e) {
      return e.number();
    }
    return api::error::fault;
  };
  CHECK(told(act_refusal::by_rule) == api::error::refused);
  CHECK(told(act_refusal::changed) == api::error::refused);
  CHECK(told(act_refusal::gone) == api::error::not_found);
  CHECK(told(act_refusal::not_now) == api::error::busy);
  CHECK(told(act_refusal::unknown) == api::error::timed_out);
  r.done = true;
  r.state = workflow::process_state::suspended;
  CHECK(state_after(r) == json{{"process_state", "suspended"}});
}
