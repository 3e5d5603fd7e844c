// Reads that take long leave room for others.

#include "tests/actors/one_node.hpp"
#include "workflow/on_call/finding.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <vector>

using namespace steadfast;
using namespace std::chrono_literals;
using tests::one_node;

namespace {

/// Its reader answers, and nothing changes by itself.
tests::node_settings nobody_at_work() {
  tests::node_settings settings;
  settings.schedulers.clear();
  settings.has_supervisor = false;
  return settings;
}

/// Runs no further than until the reader has answered a short question, behind the one that is under way.
void let_answer_another(one_node& node) {
  const auto leases = node.system().begin_to_ask<actors::lease_page>(node.reader, actors::list_leases{});
  while (!*leases)
    REQUIRE(node.system().step());
}

void fill(one_node& node, int count) {
  std::vector<store::write> batch;
  for (int i = 0; i < count; ++i) {
    auto order = node.order_for("t" + std::to_string(i));
    order.not_before = node.now() + 24h;
    batch.emplace_back(store::submit_task{std::move(order), node.now()});
  }
  node.store().commit(batch);
}

actors::count_tasks count_of(const std::string& text, std::uint64_t limit) {
  store::task_filter f;
  f.text = text;
  return {actors::boxed<store::task_filter>{std::move(f)}, limit};
}

} // namespace

TEST_CASE("a count of many tasks answers other questions before it is done, and is right") {
  one_node node{nobody_at_work()};
  constexpr int tasks = 9000;
  fill(node, tasks);
  node.run();
  auto& sys = node.system();
  const auto all = sys.begin_to_ask<actors::task_count>(node.reader, count_of("t", 1'000'000));
  const auto some = sys.begin_to_ask<actors::task_count>(node.reader, count_of("t", 50));
  let_answer_another(node);
  CHECK_FALSE(*all);
  sys.run();
  REQUIRE(*all);
  CHECK((*all)->count == tasks);
  REQUIRE(*some);
  CHECK((*some)->count == 50);
}

TEST_CASE("a count whose read fails is answered as failed, and the next one is right again") {
  tests::node_settings settings;
  settings.schedulers.clear();
  one_node node{settings};
  fill(node, 10);
  node.run();
  node.store().fail_reads(true);
  CHECK_FALSE(node.system().ask<actors::task_count>(node.reader, count_of("t1", 100)));
  node.store().fail_reads(false);
  CHECK(node.system().ask<actors::task_count>(node.reader, count_of("t1", 100))->count == 1);
}

TEST_CASE("row 149: while another may have the store, one task is not told of, and what is known is listed") {
  one_node node{nobody_at_work()};
  fill(node, 1);
  node.run();
  const auto shown = [&](const std::string& id) {
    return node.system().ask<actors::task_view>(node.reader, actors::show_task{id});
  };
  CHECK(shown("t0")->task);
  node.store().be_perhaps_lost(true);
  CHECK_FALSE(shown("t0"));
  CHECK_FALSE(shown("never made"));
  CHECK_FALSE(node.system().ask<actors::boxed<store::bulk_page>>(node.reader, actors::list_bulk_acts{7}));
  CHECK_FALSE(node.system().ask<actors::boxed<store::incident_page>>(node.reader, actors::list_incidents{7}));
  CHECK(node.system().ask<actors::task_count>(node.reader, count_of("t", 100))->count == 1);
  node.store().be_perhaps_lost(false);
  CHECK(shown("t0")->task);
  CHECK_FALSE(shown("never made")->task);
}

TEST_CASE("a list in another order answers other questions before it is done, and has every task once over its pages") {
  one_node node{nobody_at_work()};
  constexpr int tasks = 5000;
  fill(node, tasks);
  node.run();
  auto& sys = node.system();
  actors::list_tasks question;
  question.order = static_cast<std::uint8_t>(workflow::task_order::id);
  question.max = 2000;
  std::vector<std::string> ids;
  for (bool more = true; more;) {
    const auto page = sys.begin_to_ask<actors::boxed<store::task_page>>(node.reader, question);
    let_answer_another(node);
    CHECK_FALSE(*page);
    sys.run();
    REQUIRE(*page);
    for (const auto& t : (**page)->tasks)
      ids.push_back(t.id);
    more = (**page)->next.has_value();
    question.before = (**page)->next.value_or(0);
    question.before_key = (**page)->next_key;
  }
  CHECK(std::is_sorted(ids.begin(), ids.end()));
  CHECK(std::set<std::string>{ids.begin(), ids.end()}.size() == tasks);
  CHECK(ids.size() == tasks);
}

TEST_CASE("a list of many workflows answers other questions before it is done, and has every version") {
  one_node node{nobody_at_work()};
  node.run();
  auto& sys = node.system();
  constexpr std::uint32_t versions = 5;
  for (std::uint32_t version = 1; version <= versions; ++version) {
    workflow::definition d;
    d.name = "long";
    d.version = version;
    for (int i = 0; i < 700; ++i) {
      d.steps.emplace_back().name = "s" + std::to_string(i);
      d.steps.back().agent = "any";
    }
    node.store().commit_one(store::register_definition{d, {}, {}});
  }
  const auto all = sys.begin_to_ask<actors::workflow_page>(node.reader, actors::list_workflows{});
  let_answer_another(node);
  CHECK_FALSE(*all);
  sys.run();
  REQUIRE(*all);
  CHECK(std::count_if((*all)->definitions.begin(), (*all)->definitions.end(),
                      [](const auto& d) { return d->name == "long"; })
        == versions);
}

TEST_CASE("a list that finds little looks through all tasks and answers others meanwhile") {
  one_node node{nobody_at_work()};
  fill(node, 9000);
  node.run();
  auto& sys = node.system();
  actors::list_tasks question{count_of("t77", 0).filter, 0, 3};
  const auto page = sys.begin_to_ask<actors::boxed<store::task_page>>(node.reader, question);
  let_answer_another(node);
  CHECK((**page)->tasks.size() == 3); // t7799, t7798, t7797: the first part has them
  question.filter = count_of("t1234", 0).filter;
  const auto rare = sys.ask<actors::boxed<store::task_page>>(node.reader, question);
  REQUIRE(rare);
  CHECK((*rare)->tasks.size() == 1);
  CHECK_FALSE((*rare)->next);
}

TEST_CASE("tasks are counted in groups over all parts, the largest group first") {
  one_node node{nobody_at_work()};
  fill(node, 4500);
  node.run();
  auto question = count_of("t", 1'000'000);
  question.by = static_cast<std::uint8_t>(workflow::task_grouping::step);
  const auto counted = node.system().ask<actors::task_count>(node.reader, question);
  REQUIRE(counted);
  CHECK(counted->count == 4500);
  REQUIRE(counted->groups.size() == 1);
  CHECK(counted->groups[0].count == 4500);
  CHECK(counted->groups[0].states.at(static_cast<std::size_t>(workflow::process_state::pending)) == 4500);
  CHECK(counted->in_no_group == 0);
}

TEST_CASE("P28: no more counts are under way than the bound, and what is above is told to ask again") {
  one_node node{nobody_at_work()};
  fill(node, 9000); // more than one part
  node.run();
  constexpr std::size_t bound = 64;
  std::vector<std::shared_ptr<std::optional<actors::task_count>>> counts;
  for (std::size_t i = 0; i < bound + 10; ++i)
    counts.push_back(node.system().begin_to_ask<actors::task_count>(node.reader, count_of("t", 1'000'000)));
  node.run();
  CHECK(std::count_if(counts.begin(), counts.end(), [](const auto& c) { return c->has_value(); })
        == static_cast<std::ptrdiff_t>(bound));
}

TEST_CASE("P24: damage that any reading finds is told to the store actor, which sets the task aside") {
  one_node node{nobody_at_work()};
  fill(node, 1);
  node.run();
  bool is_set_aside = false;
  node.store().on_commit = [&](const store::write_list& batch) {
    is_set_aside = is_set_aside || std::holds_alternative<store::set_aside_damaged>(*batch.front());
  };
  node.store().find_damage({4711, "its checksum is wrong", {}});
  auto& sys = node.system();
  SECTION("of one task") {
    sys.ask<actors::task_view>(node.reader, actors::show_task{"t0"});
  }
  SECTION("of one task by its number") {
    sys.ask<actors::task_view>(node.reader, actors::find_task{1});
  }
  SECTION("of many") {
    sys.ask<actors::boxed<store::task_page>>(node.reader, actors::list_tasks{{}, 0, 10});
  }
  SECTION("of what is overdue") {
    sys.ask<actors::overdue_page>(node.reader, actors::find_overdue{node.now(), {}, 0, 10});
  }
  CHECK(is_set_aside);
}

TEST_CASE("P28: whoever asks for all that is overdue is given some, and where to go on") {
  one_node node{nobody_at_work()};
  constexpr std::size_t tasks = 1200;
  constexpr std::size_t page_max = 1000;
  fill(node, tasks);
  actors::find_overdue all{node.now() + std::chrono::hours{24 * 365}, {}, 0, 1'000'000};
  const auto first = node.system().ask<actors::overdue_page>(node.reader, all).value();
  CHECK(first.tasks.size() == page_max);
  REQUIRE(first.more);
  all.after_due = first.next_due;
  all.after_number = first.next_number;
  const auto last = node.system().ask<actors::overdue_page>(node.reader, all).value();
  CHECK(last.tasks.size() == tasks - page_max);
  CHECK_FALSE(last.more);
}
