#include "store/joined/joined_pages.hpp"

#include "store/lmdb/schema.hpp"
#include "store/verbs/decide_event.hpp"
#include "workflow/supervision/node_card.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>

namespace steadfast::store {

namespace {

template <class Entry>
void append(std::vector<Entry>& to, std::vector<Entry>&& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

template <class Entry>
std::vector<Entry> all_of(std::vector<std::vector<Entry>>&& of) {
  std::vector<Entry> all;
  for (auto& x : of)
    append(all, std::move(x));
  return all;
}

template <class Entry>
void cut(std::vector<Entry>& list, std::size_t max) {
  if (list.size() > max)
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(max), list.end());
}

/// The first of those lists, each of which is whole or has `max`.
template <class Entry, class Less>
std::vector<Entry> first_of(std::vector<std::vector<Entry>>&& of, std::size_t max, Less less) {
  auto all = all_of(std::move(of));
  std::stable_sort(all.begin(), all.end(), less);
  cut(all, max);
  return all;
}

template <class Entry>
bool newer(const Entry& a, const Entry& b) {
  return a.number > b.number;
}

template <class Page, class Entry>
Page newest_first(std::vector<Page>&& of, std::vector<Entry> Page::*list, std::size_t max) {
  Page all;
  for (auto& p : of) {
    append(all.*list, std::move(p.*list));
    if (p.next)
      all.next = std::max(all.next.value_or(0), *p.next);
  }
  auto& told = all.*list;
  std::sort(told.begin(), told.end(), newer<Entry>);
  const auto beyond = [&](const Entry& x) { return all.next && x.number < *all.next; };
  told.erase(std::find_if(told.begin(), told.end(), beyond), told.end());
  if (told.size() > max) {
    cut(told, max);
    all.next = told.empty() ? std::nullopt : std::optional{told.back().number};
  }
  return all;
}

/// Each is in the first group to which it belongs. In that order.
template <class Entry, class Same>
std::vector<std::vector<Entry>> grouped(std::vector<Entry>&& all, Same same) {
  std::vector<std::vector<Entry>> groups;
  for (auto& x : all) {
    const auto of = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return same(g, x); });
    if (of != groups.end())
      of->push_back(std::move(x));
    else
      groups.push_back({std::move(x)});
  }
  return groups;
}

template <class Entry, class Same>
std::vector<std::vector<Entry>> grouped_by_number(std::vector<Entry>&& all, Same same) {
  std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) { return a.number < b.number; });
  return grouped(std::move(all), same);
}

bool is_open(const incident& x) {
  return x.closed_at == workflow::unset;
}

template <class Page, class Entry>
Page page_of_groups(const std::vector<std::vector<Entry>>& groups, std::vector<Entry> Page::*list, bool open_only,
                    std::optional<std::uint64_t> before, std::size_t max) {
  Page page;
  for (const auto& g : groups)
    if (g.front().number < before.value_or(std::numeric_limits<std::uint64_t>::max()))
      if (auto x = joined(g); !open_only || is_open(x))
        (page.*list).push_back(std::move(x));
  auto& told = page.*list;
  std::sort(told.begin(), told.end(), newer<Entry>);
  if (told.size() > max) {
    cut(told, max);
    page.next = told.empty() ? std::nullopt : std::optional{told.back().number};
  }
  return page;
}

} // namespace

// ---- by number ----

task_page joined(std::vector<task_page> of, std::size_t max) {
  return newest_first(std::move(of), &task_page::tasks, max);
}

alert_list joined(std::vector<alert_list> of, std::size_t max) {
  return newest_first(std::move(of), &alert_list::alerts, max);
}

std::vector<alert_entry> joined(std::vector<std::vector<alert_entry>> of, std::size_t max) {
  return first_of(std::move(of), max, newer<alert_entry>);
}

std::vector<late_reply_entry> joined(std::vector<std::vector<late_reply_entry>> of, std::size_t max) {
  return first_of(std::move(of), max, [](const auto& a, const auto& b) { return a.task_number > b.task_number; });
}

// ---- what each partition has of the same thing ----

std::vector<std::vector<incident>> groups_of(std::vector<incident> all) {
  return grouped_by_number(std::move(all), [](const std::vector<incident>& group, const incident& x) {
    return is_open(group.front()) && is_open(x) && group.front().what == x.what;
  });
}

namespace {

/// The group that has that number; empty: there is none.
template <class Entry>
std::vector<Entry> group_with(std::uint64_t number, std::vector<std::vector<Entry>>&& groups) {
  for (auto& g : groups)
    if (std::any_of(g.begin(), g.end(), [&](const Entry& x) { return x.number == number; }))
      return std::move(g);
  return {};
}

} // namespace

std::vector<incident> incidents_with(std::uint64_t number, std::vector<incident> open, std::optional<incident> itself) {
  auto group = group_with(number, groups_of(std::move(open)));
  if (group.empty() && itself)
    group.push_back(*std::move(itself));
  return group;
}

namespace {

/// Of what is one for a person, each partition told the time when it came to the write.
constexpr workflow::span apart_max = std::chrono::seconds{10};

/// In order. What a person did to the whole is an act in each partition, and is told once.
std::vector<workflow::act> joined_acts(const std::vector<incident>& group) {
  struct told_act {
    workflow::act what;
    const incident* of;
  };
  std::vector<told_act> every;
  for (const auto& x : group)
    for (const auto& a : x.acts)
      every.push_back({a, &x});
  const auto order = [](const told_act& x) { return std::tie(x.what.at, x.what.who, x.what.what, x.what.why); };
  std::stable_sort(every.begin(), every.end(), [&](const auto& x, const auto& y) { return order(x) < order(y); });
  const auto words = [](const told_act& x) { return std::tie(x.what.who, x.what.what, x.what.why); };
  const auto told = grouped(std::move(every), [&](const std::vector<told_act>& same, const told_act& x) {
    const auto is_of_its_incident = [&](const told_act& y) { return y.of == x.of; };
    return words(same.front()) == words(x) && x.what.at - same.front().what.at <= apart_max
           && std::none_of(same.begin(), same.end(), is_of_its_incident);
  });
  std::vector<workflow::act> acts;
  for (auto i = told.size() - std::min(told.size(), incident_acts_max); i < told.size(); ++i)
    acts.push_back(told[i].front().what);
  return acts;
}

} // namespace

incident joined(const std::vector<incident>& group) {
  auto x = group.front();
  for (auto i = group.begin() + 1; i != group.end(); ++i) {
    x.tasks += i->tasks;
    x.alerts += i->alerts;
    x.tasks_ever += i->tasks_ever;
    x.times = std::max(x.times, i->times);
    if (i->first_at < x.first_at)
      std::tie(x.first_at, x.sample_task, x.sample_text) = std::tie(i->first_at, i->sample_task, i->sample_text);
    x.last_at = std::max(x.last_at, i->last_at);
    const bool all_are = x.acknowledged_at != workflow::unset && i->acknowledged_at != workflow::unset;
    if (!all_are || i->acknowledged_at > x.acknowledged_at) {
      x.acknowledged_by = all_are ? i->acknowledged_by : std::string{};
      x.acknowledged_at = all_are ? i->acknowledged_at : workflow::unset;
    }
    x.muted_until = std::min(x.muted_until, i->muted_until);
  }
  if (group.size() > 1)
    x.acts = joined_acts(group);
  return x;
}

std::vector<std::vector<workflow::bulk_act>> groups_of(std::vector<workflow::bulk_act> all, std::size_t partitions) {
  const auto start = [](const workflow::bulk_act& b) {
    return std::tie(b.who, b.why, b.act, b.step, b.document, b.new_key, b.where, b.filter, b.about);
  };
  return grouped_by_number(
    std::move(all), [&](const std::vector<workflow::bulk_act>& group, const workflow::bulk_act& x) {
      const auto is_of_its_partition = [&](const auto& b) { return b.number % partitions == x.number % partitions; };
      return start(group.front()) == start(x) && std::chrono::abs(group.front().started_at - x.started_at) <= apart_max
             && std::none_of(group.begin(), group.end(), is_of_its_partition);
    });
}

std::vector<workflow::bulk_act> bulk_acts_with(std::uint64_t number, std::vector<workflow::bulk_act> all,
                                               std::size_t partitions) {
  return group_with(number, groups_of(std::move(all), partitions));
}

workflow::bulk_act joined(const std::vector<workflow::bulk_act>& group) {
  using workflow::bulk_state;
  if (group.size() == 1)
    return group.front();
  const auto has_ended = [](const workflow::bulk_act& b) { return b.state == bulk_state::ended; };
  auto x = group.front();
  x.skipped = has_ended(x) ? 0 : x.skipped;
  for (auto i = group.begin() + 1; i != group.end(); ++i) {
    x.about = std::max(x.about, i->about);
    x.beyond = std::max(x.beyond, i->beyond);
    x.position = std::max(x.position, i->position);
    x.met.insert(x.met.end(), i->met.begin(), i->met.end());
    x.done += i->done;
    x.refused += i->refused;
    x.skipped += has_ended(*i) ? 0 : i->skipped;
    if (x.stopped_by.empty() && x.stopped_why.empty())
      std::tie(x.stopped_by, x.stopped_why) = std::tie(i->stopped_by, i->stopped_why);
    const bool one_is_open = workflow::is_open(x) || workflow::is_open(*i);
    x.ended_at = one_is_open ? workflow::unset : std::max(x.ended_at, i->ended_at);
    if (one_is_open || i->state == bulk_state::stopped)
      x.state = one_is_open ? bulk_state::open : bulk_state::stopped;
  }
  std::sort(x.met.begin(), x.met.end());
  if (std::all_of(group.begin(), group.end(), has_ended))
    x.skipped = x.about - std::min(x.about, x.done + x.refused);
  return x;
}

incident_page page_of(const std::vector<std::vector<incident>>& groups, bool open_only,
                      std::optional<std::uint64_t> before, std::size_t max) {
  return page_of_groups(groups, &incident_page::incidents, open_only, before, max);
}

bulk_page page_of(const std::vector<std::vector<workflow::bulk_act>>& groups, bool open_only,
                  std::optional<std::uint64_t> before, std::size_t max) {
  return page_of_groups(groups, &bulk_page::acts, open_only, before, max);
}

// ---- by a text, or a moment ----

std::vector<workflow::schedule_state> joined(std::vector<std::vector<workflow::schedule_state>> of, std::size_t max) {
  return first_of(std::move(of), max, [](const auto& a, const auto& b) { return a.what.name < b.what.name; });
}

std::vector<notice_entry> joined(std::vector<std::vector<notice_entry>> of, std::size_t max) {
  const auto place = [](const notice_entry& x) { return std::pair{x.task_number, x.what.sequence}; };
  return first_of(std::move(of), max, [&](const auto& a, const auto& b) { return place(a) < place(b); });
}

std::vector<workflow::definition> joined(std::vector<std::vector<workflow::definition>> of, std::size_t steps_max) {
  const auto place = [](const auto& d) { return std::tie(d.name, d.version); };
  std::optional<state_store::definition_place> reached; // by a page that may not be the last
  for (const auto& page : of) {
    std::size_t steps = 0;
    for (const auto& d : page)
      steps += d.steps.size();
    if (!page.empty() && steps >= steps_max && (!reached || place(page.back()) < place(*reached)))
      reached = {page.back().name, page.back().version};
  }
  auto all = all_of(std::move(of));
  std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  std::vector<workflow::definition> told;
  std::size_t steps = 0;
  for (auto& d : all) {
    if ((!told.empty() && steps >= steps_max) || (reached && place(d) > place(*reached)))
      break;
    if (!told.empty() && place(told.back()) == place(d))
      continue;
    steps += d.steps.size();
    told.push_back(std::move(d));
  }
  return told;
}

std::vector<lease> joined(std::vector<std::vector<lease>> of) {
  for (std::size_t i = 0; i < of.size(); ++i)
    for (auto& l : of[i])
      if (workflow::is_supervisor_lease(l.name))
        l.name = workflow::supervisor_lease_of(i);
  auto all = all_of(std::move(of));
  std::stable_sort(all.begin(), all.end(), [](const lease& a, const lease& b) {
    return std::tie(a.name, a.expires_at) < std::tie(b.name, b.expires_at);
  });
  const auto same = [](const lease& a, const lease& b) { return a.name == b.name; };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  return all;
}

state_store::due_page joined(std::vector<state_store::due_page> of,
                             const std::function<workflow::instant(const workflow::task&)>& due_of, std::size_t max) {
  using place = std::pair<workflow::instant, std::uint64_t>;
  std::vector<std::pair<place, workflow::task>> all;
  state_store::due_page page;
  for (auto& p : of) {
    for (auto& t : p.tasks) {
      const place at{due_of(t), t.number};
      all.emplace_back(at, std::move(t));
    }
    if (p.next)
      page.next = std::min(page.next.value_or(*p.next), *p.next);
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  auto last = page.next;
  for (auto& [at, t] : all) {
    if (page.next && at > *page.next)
      break;
    if (page.tasks.size() == max) {
      page.next = last;
      break;
    }
    page.tasks.push_back(std::move(t));
    last = at;
  }
  return page;
}

// ---- events ----

namespace {

std::string text_of(std::uint64_t number) {
  return std::string{key{number}.view()};
}

std::string place_of_event(const kept_event& x) {
  return std::string{event_place(x.name, x.task.empty() ? x.key : key_of_task(x.task)).view()};
}

/// What tells it from others at its place: its id, else how it came. Of those that came alike each partition has as
/// many, since a sender of several tells all when it sent one.
auto origin(const kept_event& x) {
  const auto no_id = std::tuple{x.at, x.who, x.data_size};
  return std::pair{x.id, x.id.empty() ? no_id : decltype(no_id){}};
}

/// The events of one partition that were not told yet.
class untold {
public:
  explicit untold(event_page page) {
    for (auto& x : page.events)
      events_.emplace_back(place_of_event(x), std::move(x));
    if (page.next.empty())
      return;
    const auto end = page.next.size() - sizeof(std::uint64_t);
    wall_.emplace(page.next.substr(0, end), last_number(page.next));
  }

  /// Of the next one; where nobody knows what comes next, that place.
  const std::string* place() const {
    return at_ != events_.size() ? &events_[at_].first : wall_ ? &wall_->first : nullptr;
  }
  bool is_at(const std::string& p) const { return place() != nullptr && *place() == p; }
  bool is_at_wall(const std::string& p) const { return at_ == events_.size() && is_at(p); }
  std::uint64_t wall() const { return wall_->second; } ///< the number that was looked at last
  const kept_event& next() const { return events_[at_].second; }
  void pass() { ++at_; }
  /// It comes, but not next.
  bool has_later(const kept_event& x) const {
    const auto& here = events_[at_].first;
    for (auto i = at_ + 1; i < events_.size() && events_[i].first == here; ++i)
      if (origin(events_[i].second) == origin(x))
        return origin(next()) != origin(x);
    return false;
  }

private:
  std::vector<std::pair<std::string, kept_event>> events_;
  std::size_t at_ = 0;
  std::optional<std::pair<std::string, std::uint64_t>> wall_;
};

/// Which of the events there is told next: what a partition has before another goes before it, else the older
/// one, and of the same one that with the smallest number.
kept_event next_at(const std::string& place, const std::vector<untold>& all) {
  std::vector<const untold*> here;
  for (const auto& u : all)
    if (u.is_at(place))
      here.push_back(&u);
  const auto rank = [&](const untold* u) {
    const auto& x = u->next();
    const bool waits = std::any_of(here.begin(), here.end(), [&](const untold* v) { return v->has_later(x); });
    return std::tuple{waits, x.at, x.number};
  };
  return (*std::min_element(here.begin(), here.end(), [&](auto* a, auto* b) { return rank(a) < rank(b); }))->next();
}

/// Passes it wherever it is next, and notes that.
void pass_all(const kept_event& x, const std::string& place, std::vector<untold>& all, events_told& told) {
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].is_at(place) && !all[i].is_at_wall(place) && origin(all[i].next()) == origin(x)) {
      told.up_to[i] = all[i].next().number;
      all[i].pass();
    }
}

/// The least place at which something may come; null: all was told.
const std::string* next_place(const std::vector<untold>& all) {
  const std::string* least = nullptr;
  for (const auto& u : all)
    if (u.place() != nullptr && (least == nullptr || *u.place() < *least))
      least = u.place();
  return least;
}

} // namespace

events_told events_told_by(const std::string& after, std::size_t partitions) {
  const auto numbers = partitions * sizeof(std::uint64_t);
  events_told told{after, std::vector<std::uint64_t>(partitions)};
  if (after.size() < numbers) // none of ours: then it is a place, at which nothing was told
    return told;
  told.place.resize(after.size() - numbers);
  key_reader rest{std::string_view{after}.substr(told.place.size())};
  for (auto& n : told.up_to)
    n = rest.number<std::uint64_t>().value_or(0);
  return told;
}

std::string after_in(const events_told& told, std::size_t partition) {
  return told.place.empty() ? std::string{} : told.place + text_of(told.up_to[partition]);
}

event_page joined(std::vector<event_page> of, const events_told& told, std::size_t max) {
  std::vector<untold> all;
  for (auto& p : of)
    all.emplace_back(std::move(p));
  event_page page;
  auto now = told;
  while (const auto* const next = next_place(all)) {
    const auto place = *next;
    const bool stops = std::any_of(all.begin(), all.end(), [&](const untold& u) { return u.is_at_wall(place); });
    if (place != now.place && (stops || page.events.size() < max))
      now = {place, std::vector<std::uint64_t>(all.size())};
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].is_at_wall(place))
        now.up_to[i] = std::max(now.up_to[i], all[i].wall());
    if (stops || page.events.size() >= max) {
      page.next = now.place;
      for (const auto n : now.up_to)
        page.next += text_of(n);
      return page;
    }
    page.events.push_back(next_at(place, all));
    pass_all(page.events.back(), place, all, now);
  }
  return page;
}

// ---- figures ----

namespace {

/// Of late: of each partition in turn the newest, since tasks are spread evenly.
workflow::endings joined_endings(const std::vector<workflow::endings>& of) {
  workflow::endings all;
  double failed = 0;
  for (const auto& e : of) {
    all.count += e.count;
    failed += static_cast<double>(e.usual) * static_cast<double>(e.count);
  }
  if (all.count > 0)
    all.usual = static_cast<std::uint64_t>(std::llround(failed / static_cast<double>(all.count)));
  std::uint32_t told = 0;
  for (std::uint32_t nth = 0; nth < workflow::endings_looked_at; ++nth)
    for (const auto& e : of) {
      if (nth >= e.count || told == workflow::endings_looked_at)
        continue;
      all.last.at(told / 64) |= (e.last.at(nth / 64) >> nth % 64 & 1U) << told % 64;
      ++told;
    }
  return all;
}

} // namespace

store_counts joined(const std::vector<store_counts>& of) {
  store_counts all;
  std::map<std::string, std::vector<workflow::endings>> endings;
  all.unfinished.emplace();
  for (const auto& c : of) {
    for (const auto& [state, n] : c.tasks)
      all.tasks[state] += n;
    all.claimable += c.claimable;
    all.open_alerts += c.open_alerts;
    all.last_number += workflow::given_until(c.last_number, static_cast<std::uint32_t>(of.size()));
    all.last_numbers.push_back(c.last_number);
    all.tasks_purged += c.tasks_purged;
    for (const auto& [name, e] : c.endings)
      endings[name].push_back(e);
    all.ready_since = std::min(all.ready_since, c.ready_since);
    if (!c.unfinished)
      all.unfinished.reset();
    if (all.unfinished)
      for (const auto& [name, by_state] : *c.unfinished)
        for (const auto& [state, n] : by_state)
          (*all.unfinished)[name][state] += n;
  }
  for (const auto& [name, parts] : endings)
    all.endings.emplace(name, joined_endings(parts));
  return all;
}

file_figures joined(const std::vector<file_figures>& of) {
  file_figures all;
  for (const auto& x : of) {
    all.bytes_used += x.bytes_used;
    all.bytes_mapped += x.bytes_mapped;
    all.bytes_max += x.bytes_max;
    all.bytes_reserve += x.bytes_reserve;
    if (all.disk_size == 0 || (x.disk_size != 0 && x.disk_free < all.disk_free)) {
      all.disk_free = x.disk_free;
      all.disk_size = x.disk_size;
    }
  }
  return all;
}

} // namespace steadfast::store
