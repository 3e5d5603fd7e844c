// What judges the store in a simulation: it has nothing against a real store, and says so when one would have answered
// wrongly.

#include "simulation/judge/store_model.hpp"
#include "simulation/run/elsewhere.hpp"
#include "store/engine/lmdb_store.hpp"
#include "store/records/record.hpp"
#include "tests/support/fast_place.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/workflow/definitions.hpp"
#include "workflow/transition/transition.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace steadfast;
using simulation::commit_fate;

namespace {

class judged_store {
public:
  judged_store() {
    std::filesystem::permissions(folder_.path(), std::filesystem::perms::owner_all);
    store::store_options o;
    o.path = folder_.path() / "store";
    o.size_max = 1 << 28;
    store_ = store::open_lmdb_store(o);
    store_->commit(std::vector<store::write>{store::register_definition{workflows_.front()}});
    model_.on_store_started(*store_, false);
    commit(store::acquire_lease{"node/one", "one", {}, std::chrono::hours{1}, workflow::instant{workflow::span{1}}});
  }

  /// Tells the model of it as `lie` makes it.
  void commit(store::write w, const std::function<void(store::outcome&)>& lie = {}) {
    const store::write_list batch{&w};
    auto outcomes = store_->commit(batch);
    if (lie)
      lie(outcomes.front());
    model_.on_commit(store_.get(), batch, outcomes, commit_fate::made);
  }

  void submit(std::string id, const std::function<void(store::outcome&)>& lie = {}) {
    commit(
      store::submit_task{tests::submission_of(workflows_.front(), std::move(id)), workflow::instant{workflow::span{1}}},
      lie);
  }

  void claim(const std::function<void(store::outcome&)>& lie = {}) {
    const workflow::instant now{workflow::span{2}};
    commit(store::claim_tasks{"one", 2, now, store::lease_guard{"node/one", 1}}, lie);
  }

  /// Ends it, and has it leave.
  void cancel_and_purge(const std::string& id) {
    const workflow::instant now{workflow::span{3}};
    const auto t = *store_->find(id);
    auto change = workflow::apply(t, workflows_.front(), workflow::cancelled{{"grace", "because"}}, now);
    store::update_task u;
    u.next = std::move(change.next);
    u.lock_epoch_before = t.lock_epoch;
    commit(std::move(u));
    commit(store::acknowledge_notices{t.reply_to, t.number, 100});
    commit(store::purge_ended{t.workflow, {workflow::span{1}, {}}, 1, {}, now + workflow::span{1}});
  }

  void start_bulk_act() {
    store::start_bulk w;
    w.what.act = workflow::task_act::suspend;
    w.what.who = w.what.why = "grace";
    w.what.filter = store::encode(store::task_filter{});
    commit(std::move(w));
  }

  /// So many times that the model has looked at all that is stored.
  void be_looked_at() {
    for (int i = 0; i < 200; ++i)
      commit(store::stop_bulk{1000, "grace", "because", {}});
  }

  store::local_store& store() { return *store_; }
  simulation::store_model& model() { return model_; }
  std::string place() const { return (folder_.path() / "elsewhere").string(); }
  std::vector<std::string> complaints;

private:
  tests::temp_folder folder_{tests::fast_place()};
  std::vector<workflow::definition> workflows_{tests::two_steps()};
  std::unique_ptr<store::local_store> store_;
  simulation::store_model model_{workflows_, 1, [this](std::string s) { complaints.push_back(std::move(s)); }};
};

} // namespace

TEST_CASE("the model of a simulated store agrees with a real one") {
  judged_store s;
  for (const auto* id : {"a", "b", "a", "c"})
    s.submit(id);
  s.claim();
  s.model().on_store_started(s.store(), false);
  simulation::look_elsewhere(s.store(), {}, s.place(), [&](std::string x) { s.complaints.push_back(std::move(x)); });
  CHECK(s.complaints == std::vector<std::string>{});
}

TEST_CASE("a task that leaves while a bulk act goes on may be met by it or not") {
  judged_store s;
  for (const auto* id : {"a", "b", "c"})
    s.submit(id);
  s.start_bulk_act();
  s.cancel_and_purge("b");
  CHECK(!s.store().find("b").has_value());
  SECTION("the others are met") {
    s.commit(store::advance_bulk{1, 0, true, {{3, "c", "no"}, {1, "a", "no"}}, 0, {}});
    s.be_looked_at();
    CHECK(s.complaints == std::vector<std::string>{});
  }
  SECTION("one that stayed is left out") {
    s.commit(store::advance_bulk{1, 0, true, {{3, "c", "no"}}, 0, {}});
    s.be_looked_at();
    REQUIRE(!s.complaints.empty());
    CHECK(s.complaints.front() == "a bulk act of 3 tasks met 1 (P33)");
  }
}

TEST_CASE("the model of a simulated store says what a wrong one would have answered") {
  judged_store s;
  s.submit("a");
  s.submit("b");
  SECTION("an id that made a second task") {
    s.submit("a", [](store::outcome& o) { o = {o, store::submit_result{true, 3, {}}}; });
    CHECK(s.complaints == std::vector<std::string>{"a made a second task (P2)"});
  }
  SECTION("a claim that passes over the oldest") {
    s.claim([](store::outcome& o) {
      auto taken = o.as<store::claim_result>();
      taken.tasks.erase(taken.tasks.begin());
      o = {o, std::move(taken)};
    });
    CHECK(s.complaints
          == std::vector<std::string>{"a was to be taken next, by priority, share and age, and was not (P6, P29)"});
  }
  SECTION("a copy that keeps its epochs") {
    s.claim();
    s.model().on_store_started(s.store(), true);
    CHECK(
      s.complaints
      == std::vector<std::string>{"a has an epoch in a restored copy that was given before (P26)",
                                  "b has an epoch in a restored copy that was given before (P26)",
                                  "the lease node/one has an epoch in a restored copy that was given before (P26)"});
  }
}
