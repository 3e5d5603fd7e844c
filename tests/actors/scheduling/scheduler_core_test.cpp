// When a scheduler takes work, without an actor: what it asks of the store, and what it makes of the answers.

#include "actors/scheduling/scheduler_core.hpp"

#include "tests/actors/workflows.hpp"
#include "workflow/supervision/fair_share.hpp"
#include "workflow/transition/transition.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <optional>
#include <vector>

using namespace steadfast;
using namespace steadfast::actors;
using namespace std::chrono_literals;
using workflow::instant;

namespace {

/// A core whose writes the test answers, the oldest first.
class taking_core final : private scheduler_effects {
public:
  explicit taking_core(scheduler_options o = {}) : core{std::move(o), *this} {}

  scheduler_core core;
  instant now{1'767'268'800'000ms};
  std::vector<std::uint64_t> reads; ///< asked for

  /// The oldest write without an answer, if it is of that kind.
  template <class What>
  std::optional<What> asked_for() const {
    if (writes_.empty() || !std::holds_alternative<What>(*writes_.front().what))
      return std::nullopt;
    return std::get<What>(*writes_.front().what);
  }
  bool asks_nothing() const { return writes_.empty(); }

  void answer(store::outcome o) {
    write_done done;
    done.ticket = writes_.front().ticket;
    done.outcome = boxed<store::outcome>{std::move(o)};
    writes_.erase(writes_.begin());
    core.on_written(done, {});
  }
  void answer(write_done done) {
    done.ticket = writes_.front().ticket;
    writes_.erase(writes_.begin());
    core.on_written(done, {});
  }
  void answer(store::write_status result) { answer(store::outcome{store::decision{result, {}}}); }

  /// Has a lease, and nothing locked from before.
  void start() {
    core.on_lease({"node/a", 1});
    REQUIRE(asked_for<store::free_locks>());
    answer(store::write_status::applied);
  }

private:
  struct open_write {
    std::uint64_t ticket = 0;
    boxed<store::write> what;
  };

  workflow::clock_reading time() const override { return now; }
  void write(std::uint64_t ticket, const boxed<store::write>& what, const workflow::clock_reading&) override {
    writes_.push_back({ticket, what});
  }
  void read(std::uint64_t task) override { reads.push_back(task); }
  void order(const agent_actor&, step_order) override {}
  void stop(const agent_actor&, const stop_order&) override {}
  void log(const std::string&, const workflow::task&, const std::string&) const override {}

  std::vector<open_write> writes_;
};

/// The answer to a claim: a trip that was taken for this scheduler, and the definition it goes by.
write_done one_taken(const std::string& scheduler, instant now) {
  const auto d = tests::trip();
  workflow::submission s;
  s.id = "t1";
  s.workflow = d.name;
  auto t = workflow::make_task(s, d, now);
  t.number = 7;
  auto taken = workflow::apply(t, d, workflow::taken{scheduler}, now).next;
  taken.revision = 2;
  store::answer<store::claim_tasks> o{store::decision{store::write_status::applied, {}}};
  o.tasks.push_back(std::move(taken));
  write_done done;
  done.definitions.emplace_back(d);
  done.outcome = boxed<store::outcome>{std::move(o)};
  return done;
}

store::write_status any_but_applied() {
  return GENERATE(store::write_status::full, store::write_status::stale_epoch, store::write_status::unknown_outcome);
}

store_news news_of_work() {
  store_news m;
  m.work = true;
  return m;
}

} // namespace

TEST_CASE("a scheduler takes nothing before it has a lease and what an earlier life had locked is free") {
  taking_core d;
  d.core.on_news(news_of_work());
  CHECK(d.asks_nothing());
  d.core.on_lease({"node/a", 1});
  d.core.on_news(news_of_work());
  CHECK(d.asked_for<store::free_locks>());
  store::answer<store::free_locks> some{store::decision{store::write_status::applied, {}}};
  some.more = true;
  d.answer(some);
  CHECK(d.asked_for<store::free_locks>());
  d.answer(store::write_status::applied);
  const auto claim = d.asked_for<store::claim_tasks>();
  REQUIRE(claim);
  CHECK(claim->guard.value().epoch == 1);
}

TEST_CASE("one claim is under way at a time, and news of work that comes meanwhile leads to another") {
  taking_core d;
  d.start();
  d.core.on_news(news_of_work());
  d.core.on_news(news_of_work());
  d.answer(store::write_status::applied);
  CHECK(d.asked_for<store::claim_tasks>());
  d.answer(store::write_status::applied);
  CHECK(d.asks_nothing());
}

TEST_CASE("a claim asks for no more than there is room for, and for no more than one may take") {
  scheduler_options o;
  o.in_flight_max = 10;
  o.claim_max = GENERATE(4U, 40U);
  taking_core d{o};
  d.start();
  const auto claim = d.asked_for<store::claim_tasks>();
  REQUIRE(claim);
  CHECK(claim->max == std::min<std::size_t>(o.claim_max, 10 + 2)); // of which one workflow may have ten
  CHECK(claim->places == 10);
  CHECK(claim->in_flight == 0);
  CHECK(claim->loads.empty());
}

TEST_CASE("a claim tells what the scheduler has of each workflow, also what it gave back until that is due") {
  scheduler_options o;
  taking_core d{o};
  d.start();
  d.answer(one_taken(o.name, d.now));
  const auto declined = d.asked_for<store::update_task>(); // its first step finds no agent
  REQUIRE(declined);
  d.core.on_news(news_of_work());
  REQUIRE(declined->next.locked_by.empty());
  const auto until = declined->next.not_before;
  REQUIRE(until > d.now);
  store::answer<store::update_task> stored{store::decision{store::write_status::applied, {}}};
  stored.revision = 3;
  d.answer(stored);
  auto claim = d.asked_for<store::claim_tasks>();
  REQUIRE(claim);
  CHECK(claim->in_flight == 1); // it was asked while the task was there
  CHECK(claim->after == declined->next.workflow);
  d.answer(store::write_status::applied);
  d.core.on_news(news_of_work());
  claim = d.asked_for<store::claim_tasks>();
  REQUIRE(claim);
  CHECK(claim->in_flight == 0);
  REQUIRE(claim->loads.size() == 1);
  CHECK(claim->loads[0].workflow == declined->next.workflow);
  CHECK(claim->loads[0].load == workflow::load_of(0, 1));
  d.answer(store::write_status::applied);
  d.now = until;
  d.core.on_news(news_of_work());
  claim = d.asked_for<store::claim_tasks>();
  REQUIRE(claim);
  CHECK(claim->loads.empty());
}

TEST_CASE("work that another scheduler is offered first is claimed a little later, in case that one does not take it") {
  scheduler_options o;
  taking_core d{o};
  d.start();
  d.answer(store::write_status::applied);
  auto news = news_of_work();
  news.is_offered = true;
  d.core.on_news(news);
  CHECK(d.asks_nothing());
  REQUIRE(d.core.next_due() == d.now + o.offered_wait);
  d.now += o.offered_wait;
  d.core.on_tick();
  CHECK(d.asked_for<store::claim_tasks>());
}

TEST_CASE("an offer is not forgotten over a claim that is under way and tells of something later") {
  scheduler_options o;
  taking_core d{o};
  d.start();
  auto news = news_of_work();
  news.is_offered = true;
  d.core.on_news(news);
  store::answer<store::claim_tasks> none{store::decision{store::write_status::applied, {}}};
  none.next = d.now + 1h;
  d.answer(none);
  CHECK(d.core.next_due() == d.now + o.offered_wait);
}

TEST_CASE("when all that waits is of workflows that have their share, the scheduler asks again later, not at once") {
  scheduler_options o;
  taking_core d{o};
  d.start();
  store::answer<store::claim_tasks> none{store::decision{store::write_status::applied, {}}};
  none.more = true;
  d.answer(none);
  CHECK(d.asks_nothing());
  CHECK(d.core.next_due() == d.now + o.retry_full);
  d.core.on_news(news_of_work());
  CHECK(d.asked_for<store::claim_tasks>());
}

TEST_CASE("a claim that was not made is made again later, and after an unclear end only when all locks are known") {
  scheduler_options o;
  taking_core d{o};
  d.start();
  const auto why = any_but_applied();
  d.answer(why);
  CHECK(d.asks_nothing());
  CHECK(d.core.next_due() == d.now + o.retry_full);
  d.now += o.retry_full;
  d.core.on_tick();
  if (why == store::write_status::full)
    CHECK(d.asked_for<store::claim_tasks>());
  else
    CHECK(d.asked_for<store::free_locks>());
}

TEST_CASE("a lease of a later epoch is a new life: locks of the former one are freed first") {
  taking_core d;
  d.start();
  d.answer(store::write_status::applied);
  d.core.on_lease({"node/a", 1});
  CHECK(d.asks_nothing());
  d.core.on_lease({"node/a", 2});
  const auto freed = d.asked_for<store::free_locks>();
  REQUIRE(freed);
  CHECK(freed->guard.value().epoch == 2);
}

TEST_CASE("row 14: tasks in flight keep their locks when the lease comes back under a later epoch") {
  scheduler_options o;
  taking_core d{o};
  d.start();
  d.answer(one_taken(o.name, d.now));
  REQUIRE(d.asked_for<store::update_task>());
  d.core.on_lease({"node/a", 2});
  store::answer<store::update_task> stored{store::decision{store::write_status::applied, {}}};
  stored.revision = 3;
  d.answer(stored);
  const auto freed = d.asked_for<store::free_locks>();
  REQUIRE(freed);
  CHECK(freed->except == std::vector<std::uint64_t>{7});
}

TEST_CASE(
  "a drain without tasks is over once the claim that was under way is answered, and nothing is taken after it") {
  taking_core d;
  d.start();
  d.core.drain(10s);
  CHECK_FALSE(d.core.is_drained());
  d.answer(store::write_status::applied);
  CHECK(d.core.is_drained());
  d.core.on_news(news_of_work());
  CHECK(d.asks_nothing());
}

TEST_CASE("what cannot be read yet as it was stored is read again after a pause, however often") {
  scheduler_options o;
  taking_core d{o};
  d.start();
  auto taken = one_taken(o.name, d.now);
  const auto t = taken.outcome->as<store::claim_result>().tasks.front();
  d.answer(std::move(taken));
  REQUIRE(d.asked_for<store::update_task>()); // its first step finds no agent
  d.answer(store::write_status::stale_lock);
  REQUIRE(d.reads.size() == 1);
  task_view old;
  auto older = t;
  older.revision = t.revision - 1;
  old.task = boxed<workflow::task>{older};
  for (std::size_t i = 1; i <= 5; ++i) {
    d.core.on_read(t.number, old);
    CHECK(d.reads.size() == i);
    CHECK(d.core.next_due() == d.now + o.retry_full);
    d.now += o.retry_full;
    d.core.on_tick();
    CHECK(d.reads.size() == i + 1);
  }
  task_view same;
  same.task = boxed<workflow::task>{t};
  d.core.on_read(t.number, same);
  CHECK(d.reads.size() == 6);
}

TEST_CASE("row 50: what another clock than the store's decided is decided again soon: a complete-by may be near") {
  scheduler_options o;
  taking_core d{o};
  d.start();
  d.answer(one_taken(o.name, d.now));
  REQUIRE(d.asked_for<store::update_task>());
  write_done turned_away;
  turned_away.outcome = boxed<store::outcome>{store::outcome{store::decision{store::write_status::full, {}}}};
  turned_away.is_by_other_clock = true;
  d.answer(std::move(turned_away));
  CHECK(d.core.next_due() == d.now + o.retry_clock);
  CHECK(d.core.next_due() < d.now + o.retry_full);
}

TEST_CASE(
  "P28: a task that waits for the supervisor alone is looked at again, so that its place is not lost with the news") {
  scheduler_options o;
  taking_core d{o};
  d.start();
  auto taken = one_taken(o.name, d.now);
  auto answer = taken.outcome->to<store::claim_tasks>();
  auto& t = answer.tasks.front();
  t = workflow::apply(t, tests::trip(), workflow::attempt_expired{{0, 1, t.lock_epoch}}, t.steps[0].complete_by).next;
  REQUIRE(t.steps[0].needs_review);
  REQUIRE(t.locked_by == o.name);
  t.revision = 3;
  taken.outcome = boxed<store::outcome>{store::outcome{answer}};
  d.answer(std::move(taken));
  CHECK(d.core.state(0).open == 1);
  CHECK(d.core.next_due() == d.now + scheduler_core::look_again);
  task_view same;
  same.task = boxed<workflow::task>{t};
  for (std::size_t i = 1; i <= 3; ++i) {
    d.now += scheduler_core::look_again;
    d.core.on_tick();
    REQUIRE(d.reads.size() == i);
    d.core.on_read(t.number, same);
    CHECK(d.core.next_due() == d.now + scheduler_core::look_again);
  }
  d.now += scheduler_core::look_again;
  d.core.on_tick();
  auto elsewhere = t;
  elsewhere.locked_by = "another";
  ++elsewhere.lock_epoch;
  ++elsewhere.revision;
  same.task = boxed<workflow::task>{elsewhere};
  d.core.on_read(t.number, same);
  CHECK(d.core.state(0).open == 0);
}

TEST_CASE(
  "row 152: a task is looked at again when its moment came to nothing, though it also waits for a distant one") {
  scheduler_options o;
  taking_core d{o};
  d.start();
  auto taken = one_taken(o.name, d.now);
  auto answer = taken.outcome->to<store::claim_tasks>();
  auto& t = answer.tasks.front();
  t = workflow::apply(t, tests::trip(), workflow::attempt_expired{{0, 1, t.lock_epoch}}, t.steps[0].complete_by).next;
  t.steps.change(0).not_before = d.now + 1s; // but it needs a review
  t.steps.change(1).not_before = d.now + 10min;
  t.revision = 3;
  taken.outcome = boxed<store::outcome>{store::outcome{answer}};
  d.answer(std::move(taken));
  d.now += 1s;
  d.core.on_tick();
  CHECK(d.reads.empty());
  d.now += scheduler_core::look_again;
  d.core.on_tick();
  REQUIRE(d.reads == std::vector<std::uint64_t>{t.number});
  auto elsewhere = t;
  elsewhere.locked_by = "another";
  ++elsewhere.lock_epoch;
  ++elsewhere.revision;
  task_view there;
  there.task = boxed<workflow::task>{elsewhere};
  d.core.on_read(t.number, there);
  CHECK(d.core.state(0).open == 0);
}
