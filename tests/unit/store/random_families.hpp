#pragma once

#include "tests/unit/store/support.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace steadfast::store::test {

inline workflow::step_definition waiting_for(workflow::wait_rule::kind what, const std::string& name,
                                             const std::string& pointer, const std::string& of) {
  workflow::step_definition s;
  s.name = name;
  s.wait.emplace();
  s.wait->what = what;
  s.wait->name = of;
  s.wait->at.pointer = pointer;
  if (what == workflow::wait_rule::kind::items) {
    s.wait->at_a_time = 2;
    s.wait->may_fail = 1;
  }
  return s;
}

inline workflow::definition workflow_of(const std::string& name, std::vector<workflow::step_definition> steps) {
  workflow::definition d;
  d.name = name;
  d.steps = std::move(steps);
  return d;
}

/// A `tour` starts a `trip`, then one for each of its items; a `trip` starts a `leg`, then one for each of its items.
inline std::vector<workflow::definition> families() {
  using kind = workflow::wait_rule::kind;
  const auto trip = workflow_of("trip", {waiting_for(kind::child, "first", "/leg", "leg"),
                                         waiting_for(kind::items, "more", "/legs", "leg"), step_named("hotel")});
  const auto tour = workflow_of("tour", {waiting_for(kind::child, "one", "/trip", "trip"), step_named("bill"),
                                         waiting_for(kind::items, "others", "/trips", "trip")});
  return {workflow_of("leg", {step_named("seat")}), trip, tour};
}

/// Random writes to families of tasks in a store, held against a store in files that saves each commit by itself, is
/// never opened again, and has all of its tasks in its tables. `Store` is as for random_writes.
template <class Store>
class random_families {
public:
  random_families(std::uint64_t seed, Store& store) : chance_{seed}, store_{store} {
    for (const auto& d : families())
      commit({register_definition{d}});
  }

  std::size_t saved_one_in = 2; ///< batches, about

  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      now_ += static_cast<std::int64_t>(pick(3));
      std::vector<store::write> batch;
      for (auto writes = 1 + pick(4); writes > 0; --writes)
        add_write(batch);
      commit(batch);
      if (pick(40) == 0)
        store_.reopen();
      if (pick(saved_one_in) == 0)
        store_->save();
      if (pick(25) == 0)
        compare();
    }
    compare();
  }

private:
  std::size_t pick(std::size_t below) { return std::uniform_int_distribution<std::size_t>{0, below - 1}(chance_); }

  void commit(const std::vector<store::write>& batch) {
    const std::vector<outcome> expected = model_->commit(batch);
    const std::vector<outcome> found = store_->commit(batch);
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      INFO("write " << batch[i].index() << ": " << found[i].why << " / " << expected[i].why);
      REQUIRE(found[i].result == expected[i].result);
      CHECK(found[i].why == expected[i].why);
      if (found[i].result == write_status::applied && std::holds_alternative<purge_ended>(batch[i]))
        compare(found[i].as<purge_result>(), expected[i].as<purge_result>());
      if (found[i].result == write_status::applied && std::holds_alternative<claim_tasks>(batch[i]))
        CHECK(found[i].as<claim_result>().tasks == expected[i].as<claim_result>().tasks);
    }
  }

  static void compare(const purge_result& found, const purge_result& expected) {
    CHECK(found.purged == expected.purged);
    CHECK(found.next == expected.next);
    CHECK(found.more == expected.more);
    CHECK(found.reached.number == expected.reached.number);
    CHECK(found.reached.passed == expected.reached.passed);
  }

  void add_write(std::vector<store::write>& batch) {
    switch (pick(12)) {
      case 0: batch.emplace_back(submission()); break;
      case 1: batch.emplace_back(purge()); break;
      case 2:
      case 3: add_act(batch); break;
      default:
        batch.emplace_back(claim_tasks{"s1", 20, at(now_)});
        for (auto reports = 1 + pick(8); reports > 0; --reports)
          add_report(batch);
    }
  }

  std::string items(std::size_t max, const std::string& each) {
    std::string text;
    for (auto left = pick(max + 1); left > 0; --left)
      text += (text.empty() ? "" : ",") + each;
    return "[" + text + "]";
  }
  std::string trip() { return R"({"leg":{},"legs":)" + items(4, "{}") + "}"; }

  submit_task submission() {
    workflow::submission s;
    s.id = "r" + std::to_string(pick(40));
    s.workflow = pick(3) == 0 ? "tour" : "trip";
    const auto of_tour = R"({"trip":)" + trip() + R"(,"trips":)" + items(3, trip()) + "}";
    s.payload = workflow::blob{s.workflow == "tour" ? of_tour : trip()};
    s.conflict = workflow::on_conflict::refuse;
    return {s, at(now_)};
  }

  purge_ended purge() {
    purge_ended w{families().at(pick(3)).name, {}, 1 + pick(4), {}, at(now_)};
    if (pick(2) == 0)
      w.keep.keep_for = std::chrono::seconds{pick(200)};
    if (pick(2) == 0)
      w.keep.keep_at_most = 5 + pick(40);
    return w;
  }

  std::optional<workflow::task> any_task(const std::vector<workflow::process_state>& in) {
    task_filter f;
    f.states = in;
    auto found = model_->list(f, {}, 1000).tasks;
    return found.empty() ? std::nullopt : model_->find(found[pick(found.size())].number);
  }

  void add(std::vector<store::write>& batch, const workflow::task& t, const workflow::event& e) {
    const auto d = *model_->find_definition(t.workflow, t.version);
    if (workflow::apply(t, d, e, at(now_)).result == workflow::event_status::applied)
      batch.emplace_back(update_by(t, d, e, at(now_)));
  }

  /// Of an agent: most succeed.
  void add_report(std::vector<store::write>& batch) {
    using workflow::process_state;
    const auto t = any_task({process_state::processing, process_state::undoing});
    for (std::size_t i = 0; t && i < t->steps.size(); ++i) {
      const auto state = t->steps[i].state;
      if (state != workflow::step_state::running && state != workflow::step_state::compensating)
        continue;
      const workflow::attempt_ref ref{i, t->steps[i].attempt, t->lock_epoch};
      if (pick(15) == 0)
        return add(batch, *t, workflow::attempt_failed{ref, true, pick(2) == 0, {}, "no room"});
      return add(batch, *t, workflow::attempt_succeeded{ref, workflow::blob{std::string(1, '1')}, {}});
    }
  }

  /// Of a person.
  void add_act(std::vector<store::write>& batch) {
    using workflow::process_state;
    const workflow::by ann{"ann", "because"};
    switch (pick(4)) {
      case 0:
        if (const auto t = any_task({process_state::processing, process_state::pending}))
          return add(batch, *t, workflow::cancelled{ann});
        break;
      case 1:
        if (const auto t = any_task({process_state::error}))
          return add(batch, *t, workflow::step_retried{pick(t->steps.size()), pick(2) == 0, ann});
        break;
      default:
        if (const auto t = any_task({process_state::processed}))
          return add(batch, *t, workflow::undo_requested{ann});
    }
  }

  void compare() {
    const auto expected = model_->list({}, {}, 5000).tasks;
    const auto found = store_->list({}, {}, 5000).tasks;
    CHECK(found == expected);
    for (const auto& t : expected) {
      INFO(t.id);
      const auto stored = store_->find(t.id);
      REQUIRE(stored);
      CHECK(*stored == *model_->find(t.id));
    }
    CHECK(store_->counts().tasks == model_->counts().tasks);
    CHECK(store_->counts().tasks_purged == model_->counts().tasks_purged);
    CHECK(model_->check().faults == std::vector<std::string>{});
    CHECK(store_->check().faults == std::vector<std::string>{});
  }

  std::mt19937_64 chance_;
  opened_store model_;
  Store& store_;
  std::int64_t now_ = 0;
};

} // namespace steadfast::store::test
