// What a task costs on the paths that every task goes, for an instruction counter: `paths NAME [STEPS]` takes tasks
// along one of them between two calls of `measured`, which is all that is counted. A task has five steps unless told
// otherwise. tests/budget/check compares it with the budget.

#include "actors/protocol/agent_messages.hpp"
#include "apps/bench/micro/life.hpp"
#include "apps/bench/programs/scratch.hpp"
#include "store/engine/lmdb_store.hpp"
#include "workflow/task/invariants.hpp"
#include "workflow/text/canonical_json.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>

/// What is counted: the counter is switched on by this name.
extern "C" [[gnu::noinline]] void measured(const std::function<void()>& path) {
  path();
}

namespace {

namespace actors = steadfast::actors;
namespace store = steadfast::store;
namespace workflow = steadfast::workflow;

constexpr std::size_t at_a_time = 64;
std::size_t steps = 5;
std::uint64_t tasks = 512;

using batches = std::vector<std::vector<store::write>>;

void require(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "paths: %s\n", what);
    std::exit(EXIT_FAILURE);
  }
}

workflow::submission submission_of(std::uint64_t number) {
  auto s = bench::submission_of(number);
  s.payload =
    workflow::blob{R"({"order":)" + std::to_string(number)
                   + R"(,"customer":"ada","items":[{"sku":"a-1","count":2}],"note":")" + std::string(120, 'x') + "\"}"};
  return s;
}

batches submissions() {
  batches all;
  for (std::uint64_t n = 1; n <= tasks; ++n) {
    if ((n - 1) % at_a_time == 0)
      all.emplace_back();
    all.back().emplace_back(store::submit_task{submission_of(n), bench::some_day});
  }
  return all;
}

batches claims() {
  batches all;
  for (std::uint64_t n = 0; n < tasks; n += at_a_time)
    all.push_back({store::claim_tasks{"node", at_a_time, bench::some_day}});
  return all;
}

/// The steps of all tasks end one after the other, as a scheduler writes it.
batches updates(const workflow::definition& d) {
  batches all;
  const auto ends = bench::events_of_a_life(steps).size();
  std::vector<std::vector<workflow::task>> lives;
  for (std::uint64_t n = 1; n <= tasks; ++n)
    lives.push_back(bench::states_of_a_life(d, n));
  for (std::size_t i = 2; i <= ends; ++i)
    for (std::uint64_t n = 1; n <= tasks; ++n) {
      if ((n - 1) % at_a_time == 0)
        all.emplace_back();
      store::update_task u;
      u.next = lives[n - 1][i];
      u.next.id = submission_of(n).id;
      u.next.revision = i;
      u.lock_epoch_before = 1;
      all.back().emplace_back(std::move(u));
    }
  return all;
}

/// As a store has it.
workflow::definition prepared() {
  auto d = bench::some_steps(steps);
  d.graph.make_for(d);
  return d;
}

void commit(store::state_store& s, const batches& all) {
  for (const auto& b : all)
    for (const auto& x : s.commit(b))
      require(x.result == store::write_status::applied, x.why.c_str());
}

/// A store in which `before` happened; then `path` is measured.
void in_store(const std::function<void(store::state_store&, const workflow::definition&)>& before,
              const std::function<batches(const workflow::definition&)>& path) {
  const bench::scratch folder;
  store::store_options o;
  o.path = folder.path() / "store";
  const auto s = store::open_lmdb_store(o);
  const auto d = prepared();
  s->commit({store::register_definition{d}});
  before(*s, d);
  const auto all = path(d);
  measured([&] { commit(*s, all); });
}

void submit() {
  in_store([](auto&, auto&) {}, [](auto&) { return submissions(); });
}

void claim() {
  in_store([](auto& s, auto&) { commit(s, submissions()); }, [](auto&) { return claims(); });
}

void update() {
  in_store(
    [](auto& s, auto&) {
      commit(s, submissions());
      commit(s, claims());
    },
    updates);
}

/// Canonical JSON of the payload, the rules of each event, and what must hold before each write.
void decide() {
  const auto d = prepared();
  const auto events = bench::events_of_a_life(steps);
  measured([&] {
    for (std::uint64_t n = 1; n <= tasks; ++n) {
      const auto s = submission_of(n);
      require(workflow::canonical_json(s.payload.view()).has_value(), "a payload is no JSON");
      auto t = workflow::make_task(s, d, bench::some_day);
      for (const auto& e : events) {
        auto next = workflow::apply(t, d, e, bench::some_day).next;
        require(workflow::broken_invariants(next, d, t).empty(), "a rule is broken");
        t = std::move(next);
      }
      require(t.state == workflow::process_state::processed, "a task was not processed");
    }
  });
}

/// Five orders and five reports a task, written and read as between nodes.
void speak() {
  actors::step_order order;
  order.task_id = "0123456789abcdef-1";
  order.workflow = "bench";
  order.step_name = "step-1";
  order.key = "0123456789abcdef-1/step-1";
  order.input = std::string(200, 'x');
  actors::attempt_report report;
  report.result = std::string(100, 'y');
  measured([&] {
    std::vector<char> bytes;
    const auto over = [&bytes](auto& message) {
      bytes.clear();
      caf::binary_serializer out{nullptr, bytes};
      require(!out(message), "a message cannot be written");
      auto read = message;
      caf::binary_deserializer in{nullptr, bytes};
      require(!in(read), "a message cannot be read");
    };
    for (std::uint64_t n = 0; n < 5 * tasks; ++n) {
      order.task_number = report.task_number = n;
      over(order);
      over(report);
    }
  });
}

} // namespace

int main(int argc, char** argv) {
  const std::map<std::string, void (*)()> paths{
    {"submit", submit}, {"claim", claim}, {"update", update}, {"decide", decide}, {"speak", speak}};
  if (argc < 2 || argc > 3 || !paths.contains(argv[1])) {
    std::fprintf(stderr,
                 "usage: paths submit|claim|update|decide|speak [STEPS]\nTells of how many tasks it took the cost.\n");
    return EXIT_FAILURE;
  }
  if (argc == 3) {
    steps = std::strtoul(argv[2], nullptr, 10);
    tasks = std::max<std::uint64_t>(8, 2560 / steps);
  }
  paths.at(argv[1])();
  std::printf("%llu\n", static_cast<unsigned long long>(tasks));
}
