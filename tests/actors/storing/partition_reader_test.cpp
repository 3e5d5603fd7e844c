// Who reads several partitions by asking the reader of each says what a reader of the joined store says.

#include "actors/storing/partition_reader.hpp"

#include "actors/storing/reader.hpp"
#include "store/records/record.hpp"
#include "tests/actors/test_node.hpp"
#include "tests/unit/store/joined/joined_support.hpp"

#include <caf/deep_to_string.hpp>
#include <catch2/catch.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace steadfast::tests::partition_reading {

using namespace store::test;
using actors::boxed;

constexpr std::uint32_t count = 3;

/// Three partitions with something of all that can be read, in each of them or in some.
class read_partitions {
public:
  read_partitions() {
    fill();
    std::vector<actors::reader_actor> readers;
    for (std::uint32_t i = 0; i < count; ++i)
      readers.push_back(reader_of(&store_.partition(i)));
    joined_ = reader_of(&*store_);
    asked_ = node_.keep(actors::spawn_partition_reader(node_.system(), readers));
  }

  /// What both say, if it is the same.
  template <class Answer, class Question>
  Answer same(const Question& q) {
    const auto a = node_.ask<Answer>(asked_, q);
    const auto b = node_.ask<Answer>(joined_, q);
    REQUIRE(a.has_value());
    REQUIRE(b.has_value());
    CHECK(caf::deep_to_string(*a) == caf::deep_to_string(*b));
    return *a;
  }
  template <class Answer, class Question>
  Answer of_asked(const Question& q) {
    return node_.ask<Answer>(asked_, q).value();
  }
  store::joined_store& all() { return *store_; }
  store::local_store& partition(std::uint32_t i) { return store_.partition(i); }

private:
  template <class Store>
  actors::reader_actor reader_of(Store* s) {
    const std::shared_ptr<Store> shared{s, [](Store*) {}}; // which the fixture owns
    return node_.keep(actors::spawn_reader(node_.system(), {shared, nullptr, {}, node_.clock()}, false));
  }

  void apply(const std::string& id, const workflow::event& e, int now) {
    const auto t = store_->find(id);
    REQUIRE(t);
    CHECK(store_.one(update_by(*t, delivery(), e, at(now))).result == store::write_status::applied);
  }

  /// The first of each three is failed, the second suspended, the third of them pending.
  void fill() {
    const workflow::by ann{"ann", "because"};
    for (int i = 0; i < 24; ++i) {
      auto s = order("t" + std::to_string(i));
      if (i % 3 == 0) {
        fail_task(store_, s.id, 30 + i);
        store_.one(
          store::keep_late_reply{store_->find(s.id)->number, {"drone", 1, 1, "report", "too late", at(90 + i)}});
        continue;
      }
      s.reply_to = "shop";
      CHECK(store_.one(store::submit_task{s, at(i)}).result == store::write_status::applied);
      if (i % 3 == 1)
        apply(s.id, workflow::suspended{ann}, 30 + i);
    }
    workflow::definition payment;
    payment.name = "payment";
    auto& pay = payment.steps.emplace_back();
    pay.name = "pay";
    pay.wait.emplace();
    pay.wait->what = workflow::wait_rule::kind::event;
    pay.wait->name = "paid";
    pay.wait->length = std::chrono::hours{1};
    pay.wait->at.pointer = "/order";
    store_.one(store::register_definition{payment});
    for (int i = 0; i < 5; ++i) {
      store::send_event w;
      w.name = "paid";
      w.key = "k" + std::to_string(i % 2);
      w.data = "{}";
      w.keep_for = std::chrono::hours{1};
      w.now = at(100 + i);
      CHECK(store_.one(w).result == store::write_status::applied);
      workflow::schedule s;
      s.name = "nightly" + std::to_string(i);
      s.workflow = "delivery";
      s.every = std::chrono::hours{1};
      store_.one(store::put_schedule{s, {}, at(110 + i)});
    }
    for (int i = 0; i < 2; ++i) {
      store::start_bulk w;
      w.what.act = workflow::task_act::suspend;
      w.what.who = "ann" + std::to_string(i);
      w.what.filter = store::encode(store::task_filter{});
      w.what.about = 5;
      w.now = at(120 + 20'000 * i);
      store_.one(w);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      store::advance_bulk refused;
      refused.number = partition(i).bulk_acts(false, {}, 1).acts.at(0).number;
      refused.position = 1;
      refused.refused = {{i + 1, "t", "it has ended"}};
      refused.now = at(190);
      CHECK(store_.one(refused).result == store::write_status::applied);
    }
    store_.one(store::acquire_lease{"supervisor", "n1", {}, std::chrono::hours{1}, at(130)});
    store_.one(store::acquire_lease{"node/n1", "n1", {}, std::chrono::hours{1}, at(130)});
    auto d = delivery();
    d.version = 7;
    d.steps.pop_back();
    store_.one(store::register_definition{d});
  }

  opened_partitions store_;
  test_node node_{at(200)};
  actors::reader_actor asked_;
  actors::reader_actor joined_;
};

const std::vector<std::uint32_t> page_sizes{1, 2, 5, 100};

TEST_CASE("who asks each partition finds a task by its id and number, as one who reads all of them") {
  read_partitions s;
  for (int i = 0; i < 26; ++i) {
    const auto found = s.same<actors::task_view>(actors::show_task{"t" + std::to_string(i)});
    CHECK(static_cast<bool>(found.task) == (i < 24));
    if (!found.task)
      continue;
    CHECK(s.same<actors::task_view>(actors::find_task{found.task->number}).task->id == found.task->id);
    s.same<actors::limit_queue>(actors::find_limit_queue{found.task->number});
    s.same<actors::items_undo>(actors::find_items_undo{found.task->number, 0});
  }
}

TEST_CASE("who asks each partition lists and counts tasks as one who reads all of them") {
  read_partitions s;
  const auto order = GENERATE(range(0, 4));
  const bool is_reversed = order > 0 && GENERATE(false, true);
  std::vector<store::task_filter> filters(3);
  filters[1].states = {workflow::process_state::suspended};
  filters[2].text = "2";
  for (const auto& f : filters)
    for (const auto max : page_sizes) {
      actors::list_tasks m{boxed<store::task_filter>{f}, 0, max, static_cast<std::uint8_t>(order), is_reversed};
      std::size_t tasks = 0;
      for (bool more = true; more;) {
        const auto page = s.same<boxed<store::task_page>>(m);
        tasks += page->tasks.size();
        more = page->next.has_value();
        m.before = page->next.value_or(0);
        m.before_key = page->next_key;
      }
      const auto all = s.same<actors::task_count>(actors::count_tasks{m.filter, 1000});
      CHECK(tasks == all.count);
      CHECK(s.of_asked<actors::task_count>(actors::count_tasks{m.filter, 3}).count == 3);
    }
  for (std::uint8_t by = 1; by <= 4; ++by)
    CHECK_FALSE(s.same<actors::task_count>(actors::count_tasks{{}, 1000, by}).groups.empty());
}

TEST_CASE("who asks each partition tells alerts and incidents as one who reads all of them") {
  read_partitions s;
  CHECK_FALSE(s.same<actors::alert_page>(actors::list_alerts{true, 100}).alerts.empty());
  for (const auto max : page_sizes) {
    s.same<actors::alert_page>(actors::list_alerts{false, max});
    actors::list_incidents incidents{0, false, 0, max};
    std::size_t alerts = 0;
    for (bool more = true; more;) {
      const auto page = s.same<boxed<store::incident_page>>(incidents);
      for (const auto& x : page->incidents) {
        CHECK(s.same<boxed<store::incident_page>>(actors::list_incidents{x.number}).operator*().incidents.size() == 1);
        store::alert_filter f;
        f.incident = x.number;
        actors::find_alerts of_it{boxed<store::alert_filter>{f}, 0, max};
        for (bool more_of_it = true; more_of_it;) {
          const auto list = s.same<boxed<store::alert_list>>(of_it);
          alerts += list->alerts.size();
          more_of_it = list->next.has_value();
          of_it.before = list->next.value_or(0);
        }
      }
      more = page->next.has_value();
      incidents.before = page->next.value_or(0);
    }
    CHECK(alerts == 8);
  }
  CHECK(s.same<boxed<store::incident_page>>(actors::list_incidents{12'345})->incidents.empty());
}

TEST_CASE("who asks each partition tells all else as one who reads all of them") {
  read_partitions s;
  CHECK_FALSE(s.same<actors::lease_page>(actors::list_leases{}).leases.empty());
  CHECK(s.same<actors::workflow_page>(actors::list_workflows{}).definitions.size() == 3);
  CHECK(s.same<actors::schedule_page>(actors::list_schedules{"nightly2", {}, 1}).schedules.size() == 1);
  CHECK(s.same<boxed<store::bulk_page>>(actors::list_bulk_acts{12'345})->acts.empty());
  for (const auto max : page_sizes) {
    CHECK_FALSE(s.same<actors::notice_page>(actors::find_notices{"shop", max}).notices.empty());
    CHECK_FALSE(s.same<actors::late_reply_page>(actors::list_late_replies{max}).late_replies.empty());
    CHECK(s.same<actors::schedule_page>(actors::list_schedules{{}, "nightly1", max}).schedules.size()
          == std::min(max, 3U));
    const auto acts = s.same<boxed<store::bulk_page>>(actors::list_bulk_acts{0, false, 0, max});
    CHECK(acts->acts.size() == std::min(max, 2U));
    for (const auto& b : acts->acts) {
      const auto one = s.same<boxed<store::bulk_page>>(actors::list_bulk_acts{b.number});
      CHECK(one->acts.size() == 1);
      CHECK(one->refusals.size() == (b.who == "ann1" ? 3 : 0));
    }
    std::size_t events = 0;
    actors::list_events m{{}, {}, {}, {}, max};
    do {
      const auto page = s.same<boxed<store::event_page>>(m);
      events += page->events.size();
      m.after = page->next;
    } while (!m.after.empty());
    CHECK(events == 5);
    std::size_t due = 0;
    actors::find_overdue overdue{at(1'000'000), {}, 0, max};
    for (bool more = true; more;) {
      const auto page = s.same<actors::overdue_page>(overdue);
      due += page.tasks.size();
      more = page.more;
      overdue.after_due = page.next_due;
      overdue.after_number = page.next_number;
    }
    CHECK(due > 0);
  }
  const auto stats = s.of_asked<boxed<store::store_stats>>(actors::show_stats{});
  const auto counts = s.all().counts();
  CHECK(stats->tasks == counts.tasks);
  CHECK(stats->last_number == counts.last_number);
  CHECK(stats->last_numbers == counts.last_numbers);
}

} // namespace steadfast::tests::partition_reading
