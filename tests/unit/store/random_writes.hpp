#pragma once

#include "tests/unit/store/support.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace steadfast::store::test {

/// Random writes to a store, held against a model that is too simple to be wrong: a map from id to what the last
/// accepted write made of the task. `Store` has operator->, which gives the local_store, and reopen(), after which what
/// was committed is there. It has the workflow `delivery`.
template <class Store>
class random_writes {
public:
  random_writes(std::uint64_t seed, Store& store) : chance_{seed}, store_{store} {}

  std::size_t saved_one_in = 30; ///< batches, about
  bool ends_often = false;       ///< all tasks end well; few are purged or have observers

  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      now_ += static_cast<std::int64_t>(pick(3));
      std::vector<store::write> batch;
      std::vector<std::function<void(const outcome&)>> expected;
      const auto writes = 1 + pick(6);
      for (std::size_t j = 0; j < writes; ++j)
        add_write(batch, expected);
      const auto outcomes = store_->commit(batch);
      REQUIRE(outcomes.size() == batch.size());
      for (std::size_t j = 0; j < outcomes.size(); ++j)
        expected[j](outcomes[j]);
      if (pick(50) == 0)
        store_.reopen();
      if (pick(saved_one_in) == 0)
        store_->save();
      if (pick(20) == 0)
        compare();
    }
    compare();
    CHECK(store_->check().faults == std::vector<std::string>{});
  }

private:
  std::size_t pick(std::size_t below) { return std::uniform_int_distribution<std::size_t>{0, below - 1}(chance_); }
  std::string id() { return "t" + std::to_string(pick(60)); }
  std::string scheduler() { return "s" + std::to_string(pick(ends_often ? 1 : 3)); }
  std::string text(std::size_t max) { return std::string(pick(max) + 1, static_cast<char>('a' + pick(26))); }

  // The outcomes of a batch are looked at in its order, so that each expectation finds the model as the write found the
  // store.
  void add_write(std::vector<store::write>& batch, std::vector<std::function<void(const outcome&)>>& expected) {
    switch (pick(7)) {
      case 6: return ends_often && pick(6) != 0 ? add_update(batch, expected) : add_purge(batch, expected);
      case 0:
      case 1: return add_submission(batch, expected);
      case 2: return add_claim(batch, expected);
      case 3: return ends_often && pick(8) != 0 ? add_update(batch, expected) : add_free(batch, expected);
      default: return add_update(batch, expected);
    }
  }

  void add_submission(std::vector<store::write>& batch, std::vector<std::function<void(const outcome&)>>& expected) {
    auto s = order(id(), pick(4) == 0 ? text(3) : "{}");
    s.priority = static_cast<std::uint8_t>(pick(3));
    s.not_before = pick(3) == 0 ? at(now_ + static_cast<std::int64_t>(pick(9))) : workflow::unset;
    s.reply_to = pick(ends_often ? 6 : 2) == 0 ? "shop" : "";
    const auto now = at(now_);
    batch.emplace_back(submit_task{s, now});
    expected.emplace_back([this, s, now](const outcome& o) {
      const auto known = tasks_.find(s.id);
      if (known == tasks_.end()) {
        CHECK(o.as<submit_result>().created);
        auto t = workflow::make_task(s, delivery(), now);
        t.number = ++last_number_;
        t.revision = 1;
        CHECK(o.as<submit_result>().number == t.number);
        first_payload_[s.id] = std::string{s.payload.view()};
        tasks_[s.id] = t;
      } else if (first_payload_[s.id] == s.payload.view()) {
        CHECK(o.result == write_status::applied);
        CHECK_FALSE(o.as<submit_result>().created);
        CHECK(o.as<submit_result>().number == known->second.number);
        CHECK(o.as<submit_result>().state == known->second.state);
      } else {
        CHECK(o.result == write_status::refused);
      }
    });
  }

  void add_claim(std::vector<store::write>& batch, std::vector<std::function<void(const outcome&)>>& expected) {
    const claim_tasks w{scheduler(), pick(5), at(now_)};
    batch.emplace_back(w);
    expected.emplace_back([this, w](const outcome& o) {
      std::vector<workflow::task*> line;
      auto next = workflow::never;
      for (auto& [name, t] : tasks_) {
        if (!workflow::is_claimable(t))
          continue;
        if (t.not_before <= w.now.now)
          line.push_back(&t);
        else
          next = std::min(next, t.not_before);
      }
      std::sort(line.begin(), line.end(), [](const auto* a, const auto* b) {
        return std::pair{a->priority, a->number} < std::pair{b->priority, b->number};
      });
      const auto taken = std::min(line.size(), w.max);
      REQUIRE(o.as<claim_result>().tasks.size() == taken);
      for (std::size_t i = 0; i < taken; ++i) {
        auto change = workflow::apply(*line[i], delivery(), workflow::taken{w.scheduler}, w.now);
        ++change.next.revision;
        *line[i] = change.next;
        CHECK(o.as<claim_result>().tasks[i] == *line[i]);
      }
      CHECK(o.as<claim_result>().more == (taken < line.size()));
      CHECK(o.as<claim_result>().next == next);
    });
  }

  void add_free(std::vector<store::write>& batch, std::vector<std::function<void(const outcome&)>>& expected) {
    const free_locks w{scheduler(), pick(4), ends_often || pick(2) == 0, at(now_)};
    batch.emplace_back(w);
    expected.emplace_back([this, w](const outcome& o) {
      std::map<std::uint64_t, workflow::task*> locked;
      for (auto& [name, t] : tasks_)
        if (t.locked_by == w.scheduler)
          locked[t.number] = &t;
      std::size_t freed = 0;
      for (auto& [number, t] : locked) {
        if (freed == w.max)
          break;
        const workflow::event e = w.graceful ? workflow::event{workflow::lock_released{}} : workflow::lock_lapsed{};
        auto change = workflow::apply(*t, delivery(), e, w.now);
        if (change.result != workflow::event_status::applied)
          continue;
        ++change.next.revision;
        *t = change.next;
        ++freed;
      }
      CHECK(o.as<free_result>().freed == freed);
      CHECK(o.as<free_result>().more == (freed == w.max && locked.size() > freed));
    });
  }

  /// Ended tasks in the order of their ends; of those that are to leave, the ones without notices go. No alert is made
  /// here.
  void add_purge(std::vector<store::write>& batch, std::vector<std::function<void(const outcome&)>>& expected) {
    purge_ended w{"delivery", {}, pick(4), {}, at(now_)};
    if (pick(2) == 0)
      w.keep.keep_for = std::chrono::seconds{pick(60)};
    if (pick(2) == 0)
      w.keep.keep_at_most = pick(8);
    batch.emplace_back(w);
    expected.emplace_back([this, w](const outcome& o) {
      std::map<std::pair<workflow::instant, std::uint64_t>, std::string> ended;
      for (const auto& [name, t] : tasks_)
        if (workflow::may_leave(t.state))
          ended[{t.ended_at, t.number}] = name;
      auto over = workflow::surplus(w.keep, ended.size());
      std::size_t gone = 0;
      bool more = false;
      for (const auto& [end, name] : ended) {
        if (over == 0 && workflow::leaves_at(w.keep, end.first) > w.now)
          break;
        more = gone == w.max;
        if (more)
          break;
        over -= over > 0 ? 1 : 0;
        if (!tasks_.at(name).reply_to.empty())
          continue;
        tasks_.erase(name);
        first_payload_.erase(name);
        ++gone;
      }
      CHECK(o.as<purge_result>().purged == gone);
      CHECK(o.as<purge_result>().more == more);
      left_ += gone;
    });
  }

  /// An event of a random task, made from what the model knows now: it is stale if the batch changes the task before.
  void add_update(std::vector<store::write>& batch, std::vector<std::function<void(const outcome&)>>& expected) {
    if (tasks_.empty())
      return add_submission(batch, expected);
    const auto& t = std::next(tasks_.begin(), static_cast<std::ptrdiff_t>(pick(tasks_.size())))->second;
    const auto e = event_for(t);
    const auto change = workflow::apply(t, delivery(), e, at(now_));
    if (change.result != workflow::event_status::applied)
      return add_submission(batch, expected);
    update_task u;
    u.next = change.next;
    u.lock_epoch_before = t.lock_epoch;
    u.notices = change.notices;
    u.alerts = change.alerts;
    u.payload_changed = std::holds_alternative<workflow::payload_edited>(e);
    if (pick(2) == 0)
      make_lean(u);
    batch.emplace_back(u);
    expected.emplace_back([this, before = t, next = change.next](const outcome& o) {
      const auto found = tasks_.find(before.id);
      if (found == tasks_.end() || found->second.number != before.number) {
        CHECK(o.result == write_status::absent); // it was purged
        return;
      }
      auto& known = found->second;
      if (known.revision != before.revision) {
        CHECK(o.result == write_status::stale_lock);
        return;
      }
      REQUIRE(o.result == write_status::applied);
      known = next;
      ++known.revision;
      CHECK(o.as<update_result>().revision == known.revision);
    });
  }

  /// As it would be after a read that leaves out what is large.
  void make_lean(update_task& u) {
    if (!u.payload_changed)
      u.next.payload = {};
    const auto before = store_->find(u.next.number);
    for (std::size_t i = 0; i < u.next.steps.size(); ++i)
      if (before && before->steps[i].result == u.next.steps[i].result && before->steps[i].result.size() > 256)
        u.next.steps.change(i).result = {};
  }

  workflow::event event_for(const workflow::task& t) {
    for (std::size_t k = 0; ends_often && k < t.steps.size(); ++k)
      if (t.steps[k].state == workflow::step_state::running)
        return workflow::attempt_succeeded{{k, t.steps[k].attempt, t.lock_epoch}, workflow::blob{text(600)}, {}};
    if (ends_often)
      return workflow::time_passed{};
    const auto i = pick(t.steps.size());
    const workflow::attempt_ref ref{i, t.steps[i].attempt, t.lock_epoch};
    const workflow::by person{"ann", "because"};
    switch (pick(9)) {
      case 0: return workflow::suspended{person};
      case 1: return workflow::resumed{person};
      case 2: return workflow::cancelled{person};
      case 3: return workflow::attempt_failed{ref, pick(3) == 0, true, workflow::span{0}, "no luck"};
      case 4: return workflow::payload_edited{workflow::blob{text(600)}, person};
      case 5: return workflow::time_passed{};
      default: return workflow::attempt_succeeded{ref, workflow::blob{text(600)}, {}};
    }
  }

  void compare() {
    std::set<std::uint64_t> overdue;
    for (const auto& t : store_->overdue(at(now_ + 40), {}, 1000).tasks)
      overdue.insert(t.number);
    std::map<workflow::process_state, std::uint64_t> count;
    for (const auto& [name, t] : tasks_) {
      const auto stored = store_->find(name);
      REQUIRE(stored);
      CHECK(*stored == t);
      CHECK(overdue.contains(t.number) == (workflow::next_due(t, delivery()) <= at(now_ + 40)));
      ++count[t.state];
    }
    auto stats = store_->counts();
    for (const auto& [state, n] : stats.tasks)
      CHECK(n == count[state]);
    REQUIRE(stats.unfinished);
    auto unfinished = (*stats.unfinished)["delivery"]; // there may be no other tasks
    for (const auto& [state, n] : count)
      if (workflow::is_unfinished(state))
        CHECK(std::exchange(unfinished[state], 0) == n);
    for (const auto& [state, n] : unfinished)
      CHECK(n == 0);
    CHECK(store_->list({}, {}, 1000).tasks.size() == tasks_.size());
    CHECK(stats.last_number == last_number_);
    CHECK(stats.tasks_purged == left_);
  }

  std::mt19937_64 chance_;
  Store& store_;
  std::int64_t now_ = 0;
  std::map<std::string, workflow::task> tasks_;
  std::map<std::string, std::string> first_payload_;
  std::uint64_t last_number_ = 0;
  std::uint64_t left_ = 0; ///< tasks that were purged
};

} // namespace steadfast::store::test
