#include "workflow/outward/spans.hpp"

#include "tests/support/workflow/scenario.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <set>

using namespace steadfast::workflow;
using namespace steadfast::tests;

namespace {

constexpr const char* example = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

std::map<std::string, span_told> by_name(const std::vector<span_told>& all) {
  std::map<std::string, span_told> names;
  for (const auto& s : all)
    names[s.name] = s;
  return names;
}

} // namespace

TEST_CASE("a traceparent is read and written as the specification says, and what is none is not taken") {
  const auto x = parse_traceparent(example);
  REQUIRE(x);
  CHECK(x->trace == std::array<std::uint64_t, 2>{0x0af7651916cd43dd, 0x8448eb211c80319c});
  CHECK(x->span == 0xb7ad6b7169203331);
  CHECK(x->is_sampled);
  CHECK(traceparent_of(*x) == example);
  CHECK_FALSE(parse_traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-02")->is_sampled);
  CHECK(parse_traceparent("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-later")); // of a later version
  for (const auto* wrong : {"", "00", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
                            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
                            "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
                            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333g-01",
                            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
                            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more"})
    CHECK_FALSE(parse_traceparent(wrong));
}

TEST_CASE("a task without a caller begins a trace of its own, the same whenever it is asked for") {
  task t;
  t.number = 7;
  t.id = "a";
  t.submitted_at = instant{span{5}};
  const auto own = trace_of(t, 100);
  CHECK(own == trace_of(t, 100));
  CHECK(own.span == 0);
  CHECK(own.is_sampled);
  CHECK_FALSE(trace_of(t, 0).is_sampled);
  auto later = t;
  later.submitted_at = instant{span{6}};
  CHECK(trace_of(later, 100).trace != own.trace);
  t.trace = example;
  CHECK(traceparent_of(trace_of(t, 0)) == example); // who called decides
}

TEST_CASE("of a hundred traces that begin here about as many are sampled as is asked for") {
  std::size_t sampled = 0;
  for (std::uint64_t i = 1; i <= 10'000; ++i) {
    task t;
    t.number = i;
    t.id = "task-" + std::to_string(i);
    sampled += trace_of(t, 10).is_sampled ? 1 : 0;
  }
  CHECK(sampled > 800);
  CHECK(sampled < 1200);
}

TEST_CASE("a task has a span, its steps have spans below it, and their attempts below them") {
  scenario s{pipeline({step_named("a"), step_named("b"), step_named("c")})};
  s.t.trace = example;
  s.take();
  s.now += span{1000};
  s.succeed("a");
  s.now += span{500};
  s.fail_for_good("b");
  s.now += span{250};
  s.succeed("a"); // its undo
  REQUIRE(s.state() == "undone");
  const auto x = trace_of(s.t, 0);
  const auto all = spans_of(s.t, s.d, x);
  const auto names = by_name(all);
  REQUIRE(names.size() == all.size());
  REQUIRE(all.size() == 6); // nothing of step c
  const auto& root = names.at("task " + s.t.workflow);
  CHECK(root.parent == x.span);
  CHECK(root.began_at == s.t.submitted_at);
  CHECK(root.ended_at == s.t.ended_at);
  CHECK(root.has_failed);
  CHECK(root.message == s.t.cause);
  CHECK(names.at("step a").parent == root.id);
  CHECK(names.at("step b").parent == root.id);
  CHECK_FALSE(names.at("step a").has_failed); // it was undone as it should
  CHECK(names.at("step b").has_failed);
  CHECK(names.at("do a").parent == names.at("step a").id);
  CHECK(names.at("undo a").parent == names.at("step a").id);
  CHECK(names.at("do b").parent == names.at("step b").id);
  CHECK(names.at("do b").is_call);
  CHECK(names.at("do b").has_failed);
  CHECK(names.at("do a").ended_at - names.at("do a").began_at == span{1000});
  CHECK(names.at("step a").ended_at == names.at("undo a").ended_at);
  CHECK(traceparent_of_attempt(x, s.t.number, 0, 1)
        == "00-0af7651916cd43dd8448eb211c80319c-" + span_text(names.at("do a").id) + "-01");
  std::set<std::uint64_t> ids;
  for (const auto& one : all)
    ids.insert(one.id);
  CHECK(ids.size() == all.size());
}
