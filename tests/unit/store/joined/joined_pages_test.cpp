// One page made of those of several partitions: whoever walks meets each entry once and in order, wherever the pages of
// the partitions ended.

#include "store/joined/joined_pages.hpp"

#include "store/lmdb/schema.hpp"
#include "tests/support/property.hpp"
#include "tests/unit/store/samples.hpp"
#include "tests/unit/store/support.hpp"

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

constexpr std::size_t pages_max = 2000; ///< of a walk that comes to its end

/// What a partition has, whether or not it matches.
struct numbered {
  std::uint64_t number = 0;
  bool matches = false;
};

/// Of each partition, the newest first; some have far more than others.
std::vector<std::vector<numbered>> some_numbers(tests::chooser& choose) {
  const auto partitions = 1 + choose.below(4);
  std::vector<std::vector<numbered>> all(partitions);
  for (std::uint32_t i = 0; i < partitions; ++i)
    for (std::uint64_t nth = choose.below(choose.one_in(3) ? 30 : 8); nth > 0; --nth)
      if (!choose.one_in(4))
        all[i].push_back({nth * partitions + i, !choose.one_in(3)});
  return all;
}

std::vector<std::uint64_t> matching(const std::vector<std::vector<numbered>>& all) {
  std::vector<std::uint64_t> found;
  for (const auto& of : all)
    for (const auto& x : of)
      if (x.matches)
        found.push_back(x.number);
  std::sort(found.rbegin(), found.rend());
  return found;
}

/// As lmdb_engine pages: after so many looked at, or as many told, it says how far it came.
template <class Page, class Entry>
Page page_of_partition(const std::vector<numbered>& of, std::vector<Entry> Page::*list, std::uint64_t before,
                       std::size_t max, std::size_t look_at) {
  Page page;
  auto last = before;
  for (const auto& x : of) {
    if (x.number >= before)
      continue;
    if (look_at-- == 0 || (x.matches && (page.*list).size() == max)) {
      page.next = last;
      return page;
    }
    if (x.matches)
      (page.*list).emplace_back().number = x.number;
    last = x.number;
  }
  return page;
}

template <class Page, class Entry>
void walk_by_number(std::vector<Entry> Page::*list) {
  tests::holds(300, 150, [&] {
    tests::chooser choose{tests::some_choices()};
    const auto all = some_numbers(choose);
    std::vector<std::uint64_t> told;
    std::optional<std::uint64_t> before;
    std::size_t pages = 0;
    do {
      const auto max = 1 + choose.below(6);
      std::vector<Page> of;
      for (const auto& x : all)
        of.push_back(page_of_partition(x, list, before.value_or(~0ULL), max, 1 + choose.below(5)));
      const auto page = joined(std::move(of), max);
      RC_ASSERT((page.*list).size() <= max);
      for (const auto& x : page.*list)
        told.push_back(x.number);
      RC_ASSERT(page.next.value_or(0) < before.value_or(~0ULL));
      before = page.next;
    } while (before && ++pages < pages_max);
    RC_ASSERT(told == matching(all));
  });
}

incident open_incident(std::uint64_t its_number, const std::string& cause, std::int64_t seconds) {
  incident x;
  x.number = its_number;
  x.what = {"error", "package", "delivery", "package", cause};
  x.tasks = 1;
  x.alerts = 2;
  x.tasks_ever = 3;
  x.first_at = at(seconds);
  x.last_at = at(seconds + 10);
  x.sample_task = "t" + std::to_string(its_number);
  x.sample_text = "text of " + x.sample_task;
  return x;
}

} // namespace

TEST_CASE("joined pages of tasks tell each once, the newest first") {
  walk_by_number(&task_page::tasks);
}

TEST_CASE("joined pages of alerts tell each once, the newest first") {
  walk_by_number(&alert_list::alerts);
}

TEST_CASE("joined pages of what is due tell each once, the oldest first") {
  tests::holds(300, 150, [] {
    tests::chooser choose{tests::some_choices()};
    using place = std::pair<workflow::instant, std::uint64_t>;
    std::map<std::uint64_t, workflow::instant> due;
    std::vector<std::vector<place>> of_partitions;
    for (const auto& of : some_numbers(choose)) {
      auto& places = of_partitions.emplace_back();
      for (const auto& x : of) {
        due[x.number] = at(choose.below(6));
        places.emplace_back(due[x.number], x.number);
      }
      std::sort(places.begin(), places.end());
    }
    std::vector<place> expected;
    for (const auto& [of_task, when] : due)
      expected.emplace_back(when, of_task);
    std::sort(expected.begin(), expected.end());

    const auto due_of = [&](const workflow::task& t) { return due.at(t.number); };
    std::vector<place> told;
    std::optional<place> after;
    std::size_t pages = 0;
    do {
      const auto max = 1 + choose.below(5);
      std::vector<state_store::due_page> of;
      for (const auto& places : of_partitions) {
        auto& page = of.emplace_back();
        auto reached = after;
        auto look_at = 1 + choose.below(4);
        for (const auto& x : places) {
          if (after && x <= *after)
            continue;
          if (look_at-- == 0 || page.tasks.size() == max) {
            page.next = reached;
            break;
          }
          page.tasks.emplace_back().number = x.second;
          reached = x;
        }
      }
      const auto page = joined(std::move(of), due_of, max);
      RC_ASSERT(page.tasks.size() <= max);
      for (const auto& t : page.tasks)
        told.emplace_back(due_of(t), t.number);
      RC_ASSERT((!page.next || !after || *page.next > *after));
      after = page.next;
    } while (after && ++pages < pages_max);
    RC_ASSERT(told == expected);
  });
}

TEST_CASE("joined pages of definitions tell each once, also one that a partition has not") {
  tests::holds(300, 100, [] {
    tests::chooser choose{tests::some_choices()};
    using place = std::pair<std::string, std::uint32_t>;
    std::map<place, std::size_t> steps;
    std::vector<std::map<place, std::size_t>> of_partitions(1 + choose.below(3));
    for (auto n = choose.below(12); n > 0; --n) {
      const place at{std::string(1, static_cast<char>('a' + choose.below(4))), 1 + choose.below(3)};
      const auto size = steps.emplace(at, 1 + choose.below(4)).first->second;
      const auto one_that_has_it = choose.below(static_cast<std::uint32_t>(of_partitions.size()));
      for (std::size_t i = 0; i < of_partitions.size(); ++i)
        if (i == one_that_has_it || !choose.one_in(4))
          of_partitions[i].emplace(at, size);
    }
    std::vector<place> told;
    place after;
    for (std::size_t pages = 0; pages < pages_max; ++pages) {
      const std::size_t steps_max = 1 + choose.below(6);
      std::vector<std::vector<workflow::definition>> of;
      for (const auto& has : of_partitions) {
        auto& page = of.emplace_back();
        std::size_t read = 0;
        for (auto i = has.upper_bound(after); i != has.end() && (page.empty() || read < steps_max); ++i) {
          auto& d = page.emplace_back();
          std::tie(d.name, d.version) = i->first;
          d.steps.resize(i->second);
          read += i->second;
        }
      }
      const auto page = joined(std::move(of), steps_max);
      if (page.empty())
        break;
      for (const auto& d : page)
        told.emplace_back(d.name, d.version);
      after = told.back();
    }
    std::vector<place> expected;
    for (const auto& [at, size] : steps)
      expected.push_back(at);
    RC_ASSERT(told == expected);
  });
}

TEST_CASE("joined pages of events tell each once, though all partitions have those for a key") {
  tests::holds(600, 200, [] {
    tests::chooser choose{tests::some_choices()};
    const auto partitions = 1 + choose.below(3);
    std::vector<std::map<std::string, kept_event>> of_partitions(partitions);
    std::vector<std::uint64_t> count(partitions);
    using told_as = std::tuple<std::string, std::int64_t, std::uint64_t>; // place, moment, number
    std::vector<told_as> expected;
    const std::int64_t events = choose.below(30);
    for (std::int64_t n = 0; n < events; ++n) {
      kept_event x;
      x.name = choose.one_in(3) ? "ab" : "a";
      x.at = at(n);
      const bool is_for_task = choose.one_in(3);
      (is_for_task ? x.task : x.key) = choose.one_in(2) ? "k" : "kk";
      const auto place = event_place(x.name, is_for_task ? "\1" + x.task : x.key);
      const auto one_that_has_it = choose.below(partitions);
      std::uint64_t least = ~0ULL;
      for (std::uint32_t i = 0; i < partitions; ++i) {
        if (i != one_that_has_it && (is_for_task || choose.one_in(5))) // it may have refused one that others took
          continue;
        x.number = ++count[i] * partitions + i;
        least = std::min(least, x.number);
        of_partitions[i].emplace(key{place.view(), x.number}.view(), x);
      }
      expected.emplace_back(place.view(), n, least);
    }
    std::sort(expected.begin(), expected.end());

    std::vector<told_as> told;
    std::string after;
    std::size_t pages = 0;
    do {
      const auto max = 1 + choose.below(5);
      const auto up_to = events_told_by(after, partitions);
      std::vector<event_page> of;
      for (const auto& has : of_partitions) {
        auto& page = of.emplace_back();
        auto look_at = 1 + choose.below(4);
        bool is_cut = false;
        for (auto i = has.upper_bound(after_in(up_to, of.size() - 1)); i != has.end() && !is_cut; ++i) {
          is_cut = page.events.size() == max || look_at-- == 0;
          if (is_cut)
            break;
          page.next = i->first;
          if (i->second.at != at(7)) // its time is over
            page.events.push_back(i->second);
        }
        if (page.events.size() < max && !is_cut)
          page.next.clear();
      }
      const auto page = joined(std::move(of), up_to, max);
      RC_ASSERT(page.events.size() <= max);
      for (const auto& x : page.events)
        told.emplace_back(event_place(x.name, x.task.empty() ? x.key : "\1" + x.task).view(),
                          (x.at - at(0)).count() / 1000, x.number);
      RC_ASSERT((page.next.empty() || page.next != after));
      after = page.next;
    } while (!after.empty() && ++pages < pages_max);
    expected.erase(std::remove_if(expected.begin(), expected.end(), [](const auto& x) { return std::get<1>(x) == 7; }),
                   expected.end());
    RC_ASSERT(told == expected);
  });
}

TEST_CASE("an event with an id is the same one in all partitions, whenever it came to each") {
  std::vector<event_page> of(2);
  for (std::size_t i = 0; i < of.size(); ++i)
    for (const auto* id : {"evt-1", "evt-2", ""}) {
      auto& x = of[i].events.emplace_back();
      x.name = "paid";
      x.id = id;
      x.number = 2 * of[i].events.size() + i;
      x.at = at(static_cast<std::int64_t>(i * 60)); // it was sent again after the node had died
    }
  const auto page = joined(of, events_told_by({}, 2), 10);
  REQUIRE(page.events.size() == 4);
  CHECK(page.events[0].id == "evt-1");
  CHECK(page.events[1].id == "evt-2");
  CHECK(page.events[0].number == 2);
}

TEST_CASE("a place in the events that nobody has told is a place all the same") {
  for (const auto* const after : {"", "x", "a name that is none of ours", "0123456789abcdef"}) {
    const auto told = events_told_by(after, 3);
    CHECK(told.up_to.size() == 3);
    CHECK(joined(std::vector<event_page>(3), told, 10).next.empty());
  }
}

TEST_CASE("joined pages of one store are its pages") {
  std::vector<kept_event> events(3);
  for (std::size_t i = 0; i < events.size(); ++i) {
    events[i].name = "paid";
    events[i].number = i + 1;
    events[i].at = at(0);
  }
  const std::string next{key{event_place("paid", "").view(), std::uint64_t{3}}.view()};
  const auto page = joined({event_page{events, next}}, events_told_by({}, 1), 3);
  CHECK(page.events.size() == 3);
  CHECK(page.next == next);
  CHECK(after_in(events_told_by(next, 1), 0) == next);
}

TEST_CASE("notices, schedules and late replies of all partitions are in one order") {
  const auto notice = [](std::uint64_t task, std::uint32_t sequence) {
    notice_entry x;
    x.task_number = task;
    x.what.sequence = sequence;
    return x;
  };
  const auto notices = joined({{notice(3, 1), notice(3, 2), notice(9, 1)}, {notice(4, 1), notice(7, 5)}}, 4);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> told;
  for (const auto& x : notices)
    told.emplace_back(x.task_number, x.what.sequence);
  CHECK(told == std::vector<std::pair<std::uint64_t, std::uint32_t>>{{3, 1}, {3, 2}, {4, 1}, {7, 5}});

  const auto schedule = [](const char* name) {
    workflow::schedule_state s;
    s.what.name = name;
    return s;
  };
  const auto schedules = joined({{schedule("b"), schedule("d")}, {schedule("a"), schedule("c")}}, 3);
  REQUIRE(schedules.size() == 3);
  CHECK(schedules[0].what.name == "a");
  CHECK(schedules[1].what.name == "b");
  CHECK(schedules[2].what.name == "c");

  const auto late = [](std::uint64_t task, const char* id) { return late_reply_entry{task, id, {}}; };
  const auto replies = joined({{late(6, "second"), late(6, "first")}, {late(7, "newest")}}, 2);
  REQUIRE(replies.size() == 2);
  CHECK(replies[0].task_id == "newest");
  CHECK(replies[1].task_id == "second");
}

TEST_CASE("open incidents of one signature are one, with the figures of all") {
  auto a = open_incident(4, "HTTP 503", 20);
  auto b = open_incident(6, "HTTP 503", 10);
  auto other = open_incident(5, "HTTP 500", 15);
  auto closed = open_incident(1, "HTTP 503", 1);
  closed.closed_at = at(2);
  a.times = 3;
  a.muted_until = workflow::never;
  a.acts = {{at(21), "ann", "note", "ticket"}, {at(22), "ann", "mute", ""}};
  b.acts = {{at(21), "ann", "note", "ticket"}, {at(20), "bob", "note", "earlier"}};
  const auto groups = groups_of({b, other, a, closed});
  REQUIRE(groups.size() == 3);
  const auto page = page_of(groups, false, {}, 10).incidents;
  REQUIRE(page.size() == 3);
  CHECK(page[0].number == 5);
  CHECK(page[2].number == 1);
  const auto& x = page[1];
  CHECK(x.number == 4);
  CHECK(x.tasks == 2);
  CHECK(x.alerts == 4);
  CHECK(x.tasks_ever == 6);
  CHECK(x.times == 3);
  CHECK(x.first_at == at(10));
  CHECK(x.last_at == at(30));
  CHECK(x.sample_task == "t6");
  CHECK(x.sample_text == "text of t6");
  CHECK(x.muted_until == workflow::unset);
  CHECK(x.acts == std::vector<workflow::act>{b.acts[1], a.acts[0], a.acts[1]});

  CHECK(page_of(groups, true, {}, 10).incidents.size() == 2);
  CHECK(page_of(groups, false, 5, 1).incidents.at(0).number == 4);
  CHECK(page_of(groups, false, 5, 1).next == 4);
  CHECK_FALSE(page_of(groups, false, 4, 1).next);
}

TEST_CASE("an incident of several partitions is acknowledged when it is in all") {
  auto a = open_incident(3, "HTTP 503", 1);
  auto b = open_incident(4, "HTTP 503", 1);
  auto c = open_incident(5, "HTTP 503", 1);
  a.acknowledged_by = "ann";
  a.acknowledged_at = at(9);
  c.acknowledged_by = "cem";
  c.acknowledged_at = at(7);
  CHECK(joined(std::vector{a, b, c}).acknowledged_by.empty());
  CHECK(joined(std::vector{a, b, c}).acknowledged_at == workflow::unset);
  CHECK(joined(std::vector{b, a, c}).acknowledged_at == workflow::unset);
  b.acknowledged_by = "bob";
  b.acknowledged_at = at(12);
  CHECK(joined(std::vector{a, b, c}).acknowledged_by == "bob");
  CHECK(joined(std::vector{a, b, c}).acknowledged_at == at(12));
}

TEST_CASE("what a person did to an incident of several partitions is told once, and what was done twice, twice") {
  incident a;
  incident b;
  incident c;
  a.acts = {{at(10), "ann", "note", "ticket"}, {at(14), "ann", "note", "ticket"}};
  b.acts = {{at(11), "ann", "note", "ticket"}, {at(15), "ann", "note", "ticket"}};
  c.acts = {{at(12), "ann", "note", "ticket"}, {at(13), "ann", "note", "another"}, {at(60), "ann", "note", "ticket"}};
  const auto acts = joined(std::vector{a, b, c}).acts;
  CHECK(acts == std::vector<workflow::act>{a.acts[0], c.acts[1], a.acts[1], c.acts[2]});
}

TEST_CASE("the acts of an incident of several partitions stay bounded, and the newest stay") {
  auto a = open_incident(3, "HTTP 503", 1);
  auto b = a;
  for (std::size_t i = 0; i < incident_acts_max; ++i) {
    a.acts.push_back({at(static_cast<std::int64_t>(2 * i)), "ann", "note", ""});
    b.acts.push_back({at(static_cast<std::int64_t>(2 * i + 1)), "bob", "note", ""});
  }
  const auto acts = joined(std::vector{a, b}).acts;
  REQUIRE(acts.size() == incident_acts_max);
  CHECK(acts.front().at == at(incident_acts_max));
  CHECK(acts.back() == b.acts.back());
}

TEST_CASE("bulk acts of one start are one, which is open while a part of it is") {
  using workflow::bulk_state;
  workflow::bulk_act a;
  a.number = 5;
  a.who = "ann";
  a.started_at = at(1);
  a.about = 10;
  a.beyond = 20;
  a.position = 3;
  a.met = {4, 8};
  a.done = 1;
  a.refused = 2;
  a.skipped = 3;
  auto b = a;
  b.number = 4;
  b.started_at = at(2); // its writer came to it later
  b.beyond = 21;
  b.position = 12;
  b.met = {7};
  auto other = a;
  other.number = 6;
  other.step = "drone";
  const auto groups = groups_of({a, b, other}, 2);
  REQUIRE(groups.size() == 2);
  auto x = joined(groups[0]);
  CHECK(x.number == 4);
  CHECK(x.about == 10);
  CHECK(x.beyond == 21);
  CHECK(x.position == 12);
  CHECK(x.met == std::vector<std::uint64_t>{4, 7, 8});
  CHECK(x.done == 2);
  CHECK(x.refused == 4);
  CHECK(x.skipped == 6);
  CHECK(page_of(groups, false, {}, 10).acts.at(0).number == 6);

  a.state = bulk_state::stopped;
  a.ended_at = at(8);
  a.stopped_by = "bob";
  a.stopped_why = "wrong filter";
  x = joined(std::vector{b, a});
  CHECK(x.state == bulk_state::open);
  CHECK(x.ended_at == workflow::unset);
  CHECK(x.stopped_by == "bob");
  b.state = bulk_state::ended;
  b.ended_at = at(9);
  x = joined(std::vector{b, a});
  CHECK(x.state == bulk_state::stopped);
  CHECK(x.ended_at == at(9));
  CHECK(x.stopped_why == "wrong filter");
  CHECK(x.skipped == 3);
  a.state = bulk_state::ended;
  CHECK(joined(std::vector{b, a}).skipped == 4); // of 10 tasks, 2 were done and 4 refused
  CHECK(page_of(groups_of({a, b}, 2), true, {}, 10).acts.empty());
  CHECK(page_of(groups_of({a, b}, 2), false, {}, 10).acts.size() == 1);
}

TEST_CASE("two bulk acts that were begun alike, one right after the other, stay two") {
  std::vector<workflow::bulk_act> acts;
  for (std::uint64_t i = 2; i < 6; ++i) {
    acts.emplace_back().number = i;
    acts.back().started_at = at(1);
  }
  const auto groups = groups_of(acts, 2);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].size() == 2);
  CHECK(groups[1].front().number == 4);
  acts.back().started_at += std::chrono::minutes{1};
  CHECK(groups_of(acts, 2).size() == 3);
}

TEST_CASE("the supervisor's lease of each partition is told, since each may be another node's") {
  const lease one{"supervisor", "one:1", "", 7, at(5)};
  const lease two{"supervisor", "two:1", "", 3, at(9)};
  const auto told = joined(std::vector<std::vector<lease>>{{one}, {two}});
  REQUIRE(told.size() == 2);
  CHECK(told[0].name == "supervisor.partition-0");
  CHECK(told[0].holder == "one:1");
  CHECK(told[1].name == "supervisor.partition-1");
  CHECK(told[1].holder == "two:1");
  for (const auto& l : told)
    CHECK(workflow::is_supervisor_lease(l.name));
  CHECK_FALSE(workflow::is_supervisor_lease("supervisors"));
}

TEST_CASE("a lease of all partitions is told as it is where it ends first") {
  const lease early{"node/one", "one", "", 7, at(5)};
  const lease late{"node/one", "one", "", 7, at(9)};
  const lease other{"node/two", "two", "", 3, at(6)};
  const auto told = joined(std::vector<std::vector<lease>>{{late, other}, {early, other}});
  REQUIRE(told.size() == 2);
  CHECK(told[0].name == "node/one");
  CHECK(told[0].expires_at == at(5));
  CHECK(told[1].name == "node/two");
}

TEST_CASE("joined counts are sums, and of endings the newest of each partition") {
  store_counts a;
  a.tasks = {{workflow::process_state::pending, 2}};
  a.claimable = 1;
  a.open_alerts = 4;
  a.last_number = 30;
  a.tasks_purged = 5;
  a.ready_since = at(9);
  a.endings["delivery"] = {300, 100'000'000, {0b0101, 0, 0, 0}};
  auto b = a;
  b.last_number = 31;
  b.tasks[workflow::process_state::error] = 1;
  b.ready_since = at(7);
  b.endings["delivery"] = {2, 500'000'000, {0b11, 0, 0, 0}};
  b.endings["other"] = {1, 0, {1, 0, 0, 0}};
  const auto all = joined(std::vector{a, b});
  CHECK(all.tasks
        == std::map<workflow::process_state, std::uint64_t>{{workflow::process_state::pending, 4},
                                                            {workflow::process_state::error, 1}});
  CHECK(all.claimable == 2);
  CHECK(all.open_alerts == 8);
  CHECK(all.last_number == 15 + 15);
  CHECK(all.last_numbers == std::vector<std::uint64_t>{30, 31});
  CHECK(all.tasks_purged == 10);
  CHECK(all.ready_since == at(7));
  const auto& e = all.endings.at("delivery");
  CHECK(e.count == 302);
  CHECK(e.usual == 102'649'007); // (300 * 0.1 + 2 * 0.5) / 302
  CHECK(e.last[0] == 0b11011);   // of both, of both, then what only the first has
  CHECK(workflow::failed_of_last(e, 256).ended == 256);
  CHECK(all.endings.at("other") == b.endings["other"]);
}
