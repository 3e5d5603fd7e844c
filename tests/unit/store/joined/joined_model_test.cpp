// Random writes to a store of three partitions and to a store of one: all that is read of them says the same, numbers
// aside.

#include "store/records/record.hpp"
#include "tests/support/property.hpp"
#include "tests/unit/store/joined/joined_support.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

/// Waits for an event `paid` with the key at /order, then calls an agent.
workflow::definition payment_of_partitions() {
  workflow::definition d;
  d.name = "payment";
  auto& s = d.steps.emplace_back();
  s.name = "pay";
  s.wait.emplace();
  s.wait->what = workflow::wait_rule::kind::event;
  s.wait->name = "paid";
  s.wait->length = std::chrono::hours{1};
  s.wait->at.pointer = "/order";
  d.steps.push_back(step_named("ship"));
  return d;
}

/// As the stores know the workflow, but a retry waits the same whatever the task's number, from which jitter is drawn.
workflow::definition without_jitter(workflow::definition d) {
  for (auto& s : d.steps) {
    s.retry.jitter_percent = 0;
    if (s.compensation)
      s.compensation->retry.jitter_percent = 0;
  }
  return d;
}

/// The same writes to both, in which nothing but numbers may differ.
class two_stores {
public:
  explicit two_stores(std::vector<std::uint32_t> choices) : choose_{std::move(choices)} {
    both(register_definition{payment_of_partitions()});
  }

  void run() {
    while (!choose_.is_used_up()) {
      now_ += 1 + choose_.below(3);
      do_something();
    }
    compare();
    many_.reopen();
    compare();
    RC_ASSERT(many_->check().faults.empty());
    RC_ASSERT(many_->check().tasks == one_->check().tasks);
  }

private:
  void do_something() {
    switch (choose_.below(10)) {
      case 0:
      case 1:
      case 2: return submit();
      case 3:
      case 4:
      case 5: return update();
      case 6: return event();
      case 7: return bulk();
      case 8: return schedule();
      default: return act();
    }
  }

  std::string id() { return "t" + std::to_string(choose_.below(25)); }

  /// The same write to both, or as it is said for each.
  outcome both(const store::write& w) { return both(w, w); }
  outcome both(const store::write& to_one, const store::write& to_many) {
    auto a = one_.one(to_one);
    const auto b = many_.one(to_many);
    if (a.result != b.result)
      RC_FAIL("write " + std::to_string(to_one.index()) + ": " + a.why + " / " + b.why);
    RC_ASSERT(a.tasks.size() == b.tasks.size());
    return a;
  }

  void submit() {
    auto s = order(id());
    if (choose_.one_in(3)) {
      s.workflow = "payment";
      s.payload = workflow::blob{"{\"order\":\"o" + std::to_string(choose_.below(3)) + "\"}"};
    }
    s.reply_to = choose_.one_in(3) ? "shop" : "";
    s.not_before = choose_.one_in(4) ? at(now_ + 20) : workflow::unset;
    both(submit_task{s, at(now_)});
  }

  void update() {
    const auto name = id();
    const auto a = one_->find(name);
    if (!a)
      return;
    auto b = many_->find(name);
    const auto e = event_for(*a);
    const auto d = without_jitter(a->workflow == "payment" ? payment_of_partitions() : delivery());
    if (workflow::apply(*a, d, e, at(now_)).result != workflow::event_status::applied)
      return;
    both(update_by(*a, d, e, at(now_)), update_by(*b, d, e, at(now_)));
    if (choose_.one_in(4))
      both(keep_late_reply{a->number, {"drone", 1, 1, "report", "too late", at(now_)}},
           keep_late_reply{b->number, {"drone", 1, 1, "report", "too late", at(now_)}});
  }

  workflow::event event_for(const workflow::task& t) {
    const auto i = choose_.below(static_cast<std::uint32_t>(t.steps.size()));
    const workflow::attempt_ref ref{i, t.steps[i].attempt, t.lock_epoch};
    const workflow::by person{"ann", "because"};
    switch (choose_.below(8)) {
      case 0: return workflow::taken{"s" + std::to_string(choose_.below(2))};
      case 1: return workflow::suspended{person};
      case 2: return workflow::resumed{person};
      case 3: return workflow::cancelled{person};
      case 4: return workflow::step_retried{i, false, person};
      case 5: return workflow::attempt_failed{ref, false, true, workflow::span{0}, "HTTP 503: sold out"};
      default: return workflow::attempt_succeeded{ref, workflow::blob{"{}"}, {}};
    }
  }

  void event() {
    send_event w;
    w.name = "paid";
    (choose_.one_in(3) ? w.task_id : w.key) = choose_.one_in(3) ? id() : "o" + std::to_string(choose_.below(3));
    w.data = "{\"euros\":" + std::to_string(choose_.below(2)) + "}";
    w.who = "bank";
    w.now = at(now_);
    if (choose_.one_in(2)) // of one receiver: who asks all partitions first is not here
      w.id = w.key + w.task_id + "-" + std::to_string(choose_.below(3));
    both(w);
  }

  void bulk() {
    if (choose_.one_in(2)) {
      start_bulk w;
      w.what.act = workflow::task_act::suspend;
      w.what.who = "ann";
      w.what.filter = encode(task_filter{});
      w.what.about = 5;
      w.now = at(now_);
      both(w);
      return;
    }
    const auto a = one_->bulk_acts(false, {}, 1000).acts;
    const auto b = many_->bulk_acts(false, {}, 1000).acts;
    if (a.empty())
      return;
    const auto i = choose_.below(static_cast<std::uint32_t>(a.size()));
    const auto same = std::find_if(b.begin(), b.end(), [&](const auto& x) { return x.started_at == a[i].started_at; });
    RC_ASSERT((same != b.end()));
    both(stop_bulk{a[i].number, "bob", "wrong", at(now_)}, stop_bulk{same->number, "bob", "wrong", at(now_)});
  }

  void schedule() {
    const auto name = "nightly" + std::to_string(choose_.below(4));
    if (choose_.one_in(2)) {
      both(act_on_schedule{name, static_cast<schedule_act>(1 + choose_.below(4)), "ann", "because", at(now_)});
      return;
    }
    workflow::schedule s;
    s.name = name;
    s.workflow = "delivery";
    s.every = std::chrono::hours{1 + choose_.below(2)};
    both(put_schedule{s, {}, at(now_)});
  }

  /// On an alert, the notices of a task, or an incident.
  void act() {
    const auto name = id();
    const auto a = one_->find(name);
    const auto b = many_->find(name);
    if (a && choose_.one_in(3)) {
      const auto sequence = 1 + choose_.below(4);
      both(acknowledge_notices{"shop", a->number, sequence}, acknowledge_notices{"shop", b->number, sequence});
      return;
    }
    alert_filter f;
    f.task = name;
    const auto of_one = one_->find_alerts(f, {}, 1).alerts;
    const auto of_many = many_->find_alerts(f, {}, 1).alerts;
    RC_ASSERT(of_one.size() == of_many.size());
    if (!of_one.empty() && choose_.one_in(3))
      both(acknowledge_alert{of_one[0].number, "ann", at(now_)}, acknowledge_alert{of_many[0].number, "ann", at(now_)});
    const auto open = one_->incidents(true, {}, 100).incidents;
    if (open.empty() || !choose_.one_in(3))
      return;
    act_on_incident w;
    w.number = open.front().number;
    w.act = static_cast<incident_act>(1 + choose_.below(4));
    w.who = "ann";
    w.why = "because";
    w.now = at(now_);
    auto same = w;
    for (const auto& x : many_->incidents(true, {}, 100).incidents)
      if (x.what == open.front().what)
        same.number = x.number;
    both(w, same);
  }

  // ---- what is read ----

  /// And without that of the event that it took, of which its first step's log speaks.
  static workflow::task without_number(workflow::task t) {
    t.number = 0;
    if (t.workflow == "payment" && t.steps[0].wait->event != 0) {
      auto& pay = t.steps.change(0);
      pay.wait.change().event = 0;
      pay.log = {};
    }
    return t;
  }

  std::vector<std::string> ids(state_store& s, const task_filter& f) {
    std::vector<std::string> all;
    std::optional<std::uint64_t> before;
    auto last = ~0ULL;
    do {
      const auto page = s.list(f, before, 3);
      for (const auto& t : page.tasks) {
        RC_ASSERT(t.number < std::exchange(last, t.number));
        all.push_back(t.id);
      }
      before = page.next;
    } while (before);
    std::sort(all.begin(), all.end());
    return all;
  }
  static std::size_t number_of(state_store& s, const task_filter& f, bool by_visits) {
    std::size_t found = 0;
    std::size_t visited = 0;
    std::optional<std::uint64_t> before;
    do {
      const auto part =
        by_visits ? s.visit_part(f, before, [&](auto&&, const auto&) { ++visited; }) : s.count_part(f, before);
      found += part.matched;
      before = part.next;
    } while (before);
    RC_ASSERT((!by_visits || visited == found));
    return found;
  }

  template <class Read>
  void same(const char* what, Read read) {
    const auto a = read(*one_);
    const auto b = read(*many_);
    if (!(a == b))
      RC_FAIL(std::string{what} + ": " + std::to_string(a.size()) + " / " + std::to_string(b.size()));
  }

  void compare() {
    for (int i = 0; i < 25; ++i) {
      const auto name = "t" + std::to_string(i);
      const auto a = one_->find(name);
      const auto b = many_->find(name);
      RC_ASSERT(a.has_value() == b.has_value());
      if (!a)
        continue;
      if (!(without_number(*a) == without_number(*b)))
        RC_FAIL("task " + name);
      RC_ASSERT(many_->find(b->number)->id == name);
      RC_ASSERT(many_->export_task(name)->late_replies.size() == one_->export_task(name)->late_replies.size());
    }
    compare_lists();
    compare_figures();
    compare_alerts();
    compare_others();
  }

  void compare_lists() {
    std::vector<task_filter> filters(9);
    filters[1].states = {workflow::process_state::pending, workflow::process_state::suspended};
    filters[2].states = {workflow::process_state::error};
    filters[3].workflow = "payment";
    filters[4].locked_by = "s1";
    filters[5].text = "2";
    filters[6].agent = "drone";
    filters[7].submitted_before = at(now_ / 2);
    filters[8].step = "package";
    for (const auto& f : filters) {
      same("list", [&](state_store& s) { return ids(s, f); });
      RC_ASSERT(number_of(*one_, f, false) == number_of(*many_, f, false));
      RC_ASSERT(number_of(*one_, f, true) == number_of(*many_, f, true));
    }
    same("due", [&](state_store& s) {
      std::vector<std::string> all;
      std::optional<std::pair<workflow::instant, std::uint64_t>> after;
      auto last = workflow::unset;
      do {
        const auto page = s.overdue(at(now_ + 5'000), after, 2);
        for (const auto& t : page.tasks) {
          const auto due = workflow::next_due(t, *s.find_definition(t.workflow, t.version));
          RC_ASSERT(last <= due);
          last = due;
          all.push_back(t.id);
        }
        after = page.next;
      } while (after);
      std::sort(all.begin(), all.end());
      return all;
    });
  }

  void compare_figures() {
    const auto a = one_->counts();
    const auto b = many_->counts();
    RC_ASSERT((a.tasks == b.tasks));
    RC_ASSERT(a.claimable == b.claimable);
    RC_ASSERT(a.open_alerts == b.open_alerts);
    RC_ASSERT((a.ready_since == b.ready_since));
    RC_ASSERT(a.endings.size() == b.endings.size());
    for (const auto& [name, e] : a.endings) {
      RC_ASSERT(b.endings.at(name).count == e.count);
      RC_ASSERT(workflow::failed_of_last(b.endings.at(name), 256).failed == workflow::failed_of_last(e, 256).failed);
    }
  }

  void compare_alerts() {
    using told = std::tuple<std::string, std::string, std::string, std::string>;
    for (const bool open_only : {true, false}) {
      same("alerts", [&](state_store& s) {
        std::vector<told> all;
        for (const auto& x : s.alerts(open_only, 1000))
          all.emplace_back(x.task_id, x.what.kind, x.what.text, x.acknowledged_by);
        std::sort(all.begin(), all.end());
        return all;
      });
      same("alerts, in pages", [&](state_store& s) {
        std::vector<told> all;
        alert_filter f;
        f.open_only = open_only;
        std::optional<std::uint64_t> before;
        do {
          const auto page = s.find_alerts(f, before, 2);
          for (const auto& x : page.alerts)
            all.emplace_back(x.task_id, x.what.kind, x.what.text, x.acknowledged_by);
          before = page.next;
        } while (before);
        std::sort(all.begin(), all.end());
        return all;
      });
    }
    same("incidents", [&](state_store& s) {
      std::vector<std::tuple<std::string, std::string, std::uint64_t, std::uint64_t, std::size_t>> all;
      std::optional<std::uint64_t> before;
      do {
        const auto page = s.incidents(true, before, 1);
        for (const auto& x : page.incidents) {
          alert_filter f;
          f.incident = x.number;
          RC_ASSERT(s.find_incident(x.number)->alerts == x.alerts);
          all.emplace_back(x.what.cause, x.what.step, x.tasks, x.alerts, s.find_alerts(f, {}, 100).alerts.size());
        }
        before = page.next;
      } while (before);
      std::sort(all.begin(), all.end());
      return all;
    });
  }

  void compare_others() {
    same("bulk acts", [&](state_store& s) {
      std::vector<std::tuple<workflow::instant, workflow::bulk_state, std::string, std::uint64_t>> all;
      std::optional<std::uint64_t> before;
      do {
        const auto page = s.bulk_acts(false, before, 2);
        for (const auto& b : page.acts) {
          RC_ASSERT((s.find_bulk_act(b.number).acts.at(0) == b));
          all.emplace_back(b.started_at, b.state, b.stopped_by, b.about);
        }
        before = page.next;
      } while (before);
      return all;
    });
    same("schedules", [&](state_store& s) {
      std::vector<workflow::schedule_state> all;
      for (auto page = s.schedules({}, 2); !page.empty(); page = s.schedules(all.back().what.name, 2))
        for (auto& x : page) {
          RC_ASSERT((s.find_schedule(x.what.name) == x));
          x.last_task = 0;
          all.push_back(x);
        }
      return all;
    });
    same("events", [&](state_store& s) {
      std::vector<std::tuple<std::string, std::string, std::string, std::string, workflow::instant, std::uint64_t>> all;
      std::string after;
      do {
        const auto page = s.events({}, at(now_), after, 2);
        for (const auto& x : page.events)
          all.emplace_back(x.name, x.key, x.task, x.id, x.at, x.data_size);
        after = page.next;
      } while (!after.empty());
      return all;
    });
    same("notices", [&](state_store& s) {
      std::vector<std::pair<std::string, std::uint32_t>> all;
      std::pair<std::uint64_t, std::uint32_t> after;
      for (bool more = true; more;) {
        const auto page = s.notices("shop", after.first, after.second, 2);
        for (const auto& x : page) {
          all.emplace_back(x.task_id, x.what.sequence);
          after = {x.task_number, x.what.sequence};
        }
        more = !page.empty();
      }
      std::sort(all.begin(), all.end());
      return all;
    });
    same("late replies", [&](state_store& s) {
      std::vector<std::string> all;
      for (const auto& x : s.late_replies({}, 1000))
        all.push_back(x.task_id);
      std::sort(all.begin(), all.end());
      return all;
    });
    same("definitions", [](state_store& s) { return s.definitions({}, 1000); });
  }

  tests::chooser choose_;
  std::int64_t now_ = 0;
  opened_store one_;
  opened_partitions many_;
};

} // namespace

TEST_CASE("three partitions say the same as one store") {
  tests::holds(40, 500, [] { two_stores{tests::some_choices()}.run(); });
}
