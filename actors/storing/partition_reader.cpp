// Stands for the readers of a store of several partitions: a question about one task goes to its partition, any other
// to all of them, and their answers are joined.

#include "actors/storing/partition_reader.hpp"

#include "actors/common/known_definitions.hpp"
#include "actors/common/observed.hpp"
#include "actors/common/state_tree.hpp"
#include "actors/protocol/type_ids.hpp"
#include "actors/storing/ask_partitions.hpp"
#include "actors/storing/pages.hpp"
#include "actors/storing/reader.hpp"
#include "store/joined/joined_pages.hpp"
#include "workflow/on_call/finding.hpp"
#include "workflow/task/partition.hpp"

#include <caf/actor_system.hpp>
#include <caf/result.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace steadfast::actors {

namespace {

// ---- how answers are joined ----

template <class T>
std::vector<T> unboxed(const std::vector<boxed<T>>& of) {
  std::vector<T> all;
  all.reserve(of.size());
  for (const auto& x : of)
    all.push_back(*x);
  return all;
}

/// The list that each page has.
template <class Page, class T>
std::vector<std::vector<T>> lists_of(const std::vector<Page>& pages, std::vector<boxed<T>> Page::*list) {
  std::vector<std::vector<T>> all;
  for (const auto& p : pages)
    all.push_back(unboxed(p.*list));
  return all;
}

/// In another order than that of their numbers: the first of all are among the first of each.
store::task_page first_in_order(const std::vector<boxed<store::task_page>>& pages, const list_tasks& m) {
  const auto order = static_cast<workflow::task_order>(m.order);
  std::vector<std::pair<std::pair<std::string, std::uint64_t>, const workflow::task*>> all;
  bool is_more = false;
  for (const auto& p : pages) {
    is_more = is_more || p->next;
    for (const auto& t : p->tasks)
      all.push_back({{workflow::order_key(t, order, m.is_reversed), ~t.number}, &t});
  }
  std::sort(all.begin(), all.end());
  is_more = is_more || all.size() > m.max;
  all.resize(std::min<std::size_t>(all.size(), m.max));
  store::task_page joined;
  for (const auto& [place, t] : all)
    joined.tasks.push_back(*t);
  if (is_more && !all.empty())
    std::tie(joined.next_key, joined.next) = std::pair{all.back().first.first, all.back().second->number};
  return joined;
}

task_count joined(const std::vector<task_count>& of, std::uint64_t limit) {
  task_count all;
  std::map<std::string, task_group> groups;
  for (const auto& c : of) {
    all.count += c.count;
    all.in_no_group += c.in_no_group;
    for (const auto& g : c.groups) {
      const auto [there, is_new] = groups.emplace(g.name, g);
      if (is_new)
        continue;
      auto& to = there->second;
      to.count += g.count;
      for (std::size_t i = 0; i < std::min(to.states.size(), g.states.size()); ++i)
        to.states[i] += g.states[i];
      to.oldest = std::min(to.oldest, g.oldest);
      to.newest = std::max(to.newest, g.newest);
    }
  }
  if (groups.empty())
    all.count = std::min(all.count, limit);
  for (auto& [name, g] : groups)
    all.groups.push_back(std::move(g));
  std::stable_sort(all.groups.begin(), all.groups.end(),
                   [](const task_group& a, const task_group& b) { return a.count > b.count; });
  for (; all.groups.size() > task_groups_max; all.groups.pop_back())
    all.in_no_group += all.groups.back().count;
  return all;
}

overdue_page joined(const std::vector<overdue_page>& of, std::size_t max) {
  known_definitions definitions;
  std::vector<store::state_store::due_page> pages;
  overdue_page all;
  for (const auto& p : of) {
    for (const auto& d : p.definitions)
      definitions.add(d);
    pages.push_back({unboxed(p.tasks), p.more ? std::optional{std::pair{p.next_due, p.next_number}} : std::nullopt});
  }
  const auto due_of = [&](const workflow::task& t) {
    const auto d = definitions.find(t);
    return d ? workflow::next_due(t, *d) : workflow::unset;
  };
  auto page = store::joined(std::move(pages), due_of, max);
  for (const auto& t : page.tasks) {
    const auto d = definitions.find(t);
    const auto is_same = [&](const auto& x) { return x->name == t.workflow && x->version == t.version; };
    if (d && std::none_of(all.definitions.begin(), all.definitions.end(), is_same))
      all.definitions.push_back(d);
  }
  all.more = page.next.has_value();
  if (all.more)
    std::tie(all.next_due, all.next_number) = *page.next;
  all.tasks = boxes(std::move(page.tasks));
  return all;
}

notice_page joined(std::vector<notice_page> of, std::size_t max) {
  notice_page all;
  for (auto& p : of)
    std::move(p.notices.begin(), p.notices.end(), std::back_inserter(all.notices));
  const auto place = [](const progress& x) { return std::pair{x.task_number, x.sequence}; };
  std::sort(all.notices.begin(), all.notices.end(),
            [&](const progress& a, const progress& b) { return place(a) < place(b); });
  all.notices.resize(std::min(all.notices.size(), max));
  return all;
}

/// All told by the clock of the first. Leases count from the moment at which all partitions could renew them.
lease_page joined(const std::vector<lease_page>& of) {
  lease_page all;
  all.now = of.front().now;
  all.store_since = of.front().store_since;
  auto leases = lists_of(of, &lease_page::leases);
  for (std::size_t i = 0; i < of.size(); ++i) {
    const auto ahead = of[i].now - all.now;
    all.store_since = std::max(all.store_since, of[i].store_since - ahead);
    for (auto& lease : leases[i])
      if (lease.expires_at != workflow::unset)
        lease.expires_at -= ahead;
  }
  all.leases = boxes(store::joined(std::move(leases)));
  return all;
}

store::store_stats joined(const std::vector<boxed<store::store_stats>>& of) {
  std::vector<store::store_counts> counts;
  std::vector<store::file_figures> files;
  for (const auto& s : of) {
    counts.push_back(*s);
    files.push_back(*s);
  }
  return {store::joined(counts), store::joined(files)};
}

// ---- the actor ----

class partition_reader : public observed<reader_actor> {
public:
  partition_reader(caf::actor_config& cfg, std::vector<reader_actor> partitions)
      : observed{cfg},
        partitions_{std::move(partitions)} {}

  const char* name() const override { return "partition_reader"; }

  void on_exit() override { partitions_.clear(); }

  behavior_type make_behavior() override {
    return {
      [this](const show_task& m) { return one<task_view>(partition_of(m.id), m); },
      [this](const find_task& m) { return one<task_view>(partition_of(m.number), m); },
      [this](const list_tasks& m) { return on_list(m); },
      [this](const count_tasks& m) {
        return all<task_count>(m, [m](std::vector<task_count> of) { return joined(of, m.limit); });
      },
      [this](const find_overdue& m) {
        return all<overdue_page>(m, [m](std::vector<overdue_page> of) { return joined(of, m.max); });
      },
      [this](const find_notices& m) {
        return all<notice_page>(m, [m](std::vector<notice_page> of) { return joined(std::move(of), m.max); });
      },
      [this](const list_leases& m) {
        return all<lease_page>(m, [](std::vector<lease_page> of) { return joined(of); });
      },
      [this](list_alerts m) {
        m.max = std::min(m.max, rows_max);
        return all<alert_page>(m, [m](std::vector<alert_page> of) {
          return alert_page{boxes(store::joined(lists_of(of, &alert_page::alerts), m.max))};
        });
      },
      [this](const find_alerts& m) { return on_alerts(m); },
      [this](const list_incidents& m) { return on_incidents(m); },
      [this](const list_bulk_acts& m) { return on_bulk_acts(m); },
      [this](const list_schedules& m) { return on_schedules(m); },
      [this](const find_limit_queue& m) { return one<limit_queue>(partition_of(m.number), m); },
      [this](const find_items_undo& m) { return one<items_undo>(partition_of(m.number), m); },
      [this](const list_events& m) { return on_events(m); },
      [this](const list_workflows& m) {
        return all<workflow_page>(m, [](std::vector<workflow_page> of) {
          constexpr auto all_steps = std::numeric_limits<std::size_t>::max();
          return workflow_page{boxes(store::joined(lists_of(of, &workflow_page::definitions), all_steps))};
        });
      },
      [this](list_late_replies m) {
        m.max = std::min(m.max, rows_max);
        return all<late_reply_page>(m, [m](std::vector<late_reply_page> of) {
          return late_reply_page{boxes(store::joined(lists_of(of, &late_reply_page::late_replies), m.max))};
        });
      },
      [this](const show_stats& m) {
        using stats = boxed<store::store_stats>;
        return all<stats>(m, [](std::vector<stats> of) { return stats{joined(of)}; });
      },
      [this](const inspect_state&) {
        return state_of("", {{"partitions", partitions_.size()}});
      },
    };
  }

private:
  template <class Answer>
  using promise = caf::typed_response_promise<Answer>;

  std::uint32_t count() const { return static_cast<std::uint32_t>(partitions_.size()); }
  const reader_actor& partition_of(const std::string& id) const {
    return partitions_[workflow::partition_of(id, count())];
  }
  const reader_actor& partition_of(std::uint64_t number) const {
    return partitions_[workflow::partition_of_number(number, count())];
  }

  template <class Answer, class Question>
  caf::result<Answer> one(const reader_actor& partition, const Question& m) {
    return delegate(partition, m);
  }

  template <class Answer>
  static auto failing(promise<Answer> to) {
    return [to](caf::error why) mutable { to.deliver(std::move(why)); };
  }

  /// Each is asked `question_of(i)`; `join` makes one answer of theirs.
  template <class Answer, class QuestionOf, class Join>
  void ask_and_join(const std::vector<reader_actor>& of, QuestionOf question_of, promise<Answer> to, Join join) {
    ask_each<Answer>(
      this, of, question_of, [to, join](std::vector<Answer> all) mutable { to.deliver(join(std::move(all))); },
      failing(to));
  }

  template <class Answer, class Question, class Join>
  caf::result<Answer> all(const Question& m, Join join) {
    auto to = make_response_promise<Answer>();
    ask_and_join<Answer>(
      partitions_, [&m](std::size_t) { return m; }, to, join);
    return to;
  }

  caf::result<boxed<store::task_page>> on_list(list_tasks m) {
    m.max = std::min(m.max, rows_max);
    using page = boxed<store::task_page>;
    return all<page>(m, [m](const std::vector<page>& of) {
      return page{m.order == 0 ? store::joined(unboxed(of), m.max) : first_in_order(of, m)};
    });
  }

  caf::result<boxed<store::alert_list>> on_alerts(find_alerts m) {
    m.max = std::min(m.max, rows_max);
    using list = boxed<store::alert_list>;
    const auto join = [max = m.max](const std::vector<list>& of) { return list{store::joined(unboxed(of), max)}; };
    if (!m.filter || m.filter->incident == 0)
      return all<list>(m, join);
    auto to = make_response_promise<list>();
    find_incidents_with(
      this, partitions_, m.filter->incident,
      [this, m, to, join](const std::vector<store::incident>& group) mutable {
        if (group.empty()) {
          to.deliver(list{store::alert_list{}});
          return;
        }
        std::vector<reader_actor> of;
        for (const auto& x : group)
          of.push_back(partition_of(x.number));
        ask_and_join<list>(
          of,
          [&](std::size_t i) {
            auto question = m;
            auto filter = *m.filter;
            filter.incident = group[i].number;
            question.filter = boxed<store::alert_filter>{std::move(filter)};
            return question;
          },
          to, join);
      },
      failing(to));
    return to;
  }

  caf::result<boxed<store::incident_page>> on_incidents(const list_incidents& m) {
    using page = boxed<store::incident_page>;
    auto to = make_response_promise<page>();
    if (m.number != 0) {
      find_incidents_with(
        this, partitions_, m.number,
        [to](const std::vector<store::incident>& group) mutable {
          store::incident_page found;
          if (!group.empty())
            found.incidents.push_back(store::joined(group));
          to.deliver(page{std::move(found)});
        },
        failing(to));
      return to;
    }
    ask_and_join<page>(
      partitions_,
      [&](std::size_t) {
        return list_incidents{0, m.open_only, 0, all_rows};
      },
      to,
      [m](const std::vector<page>& of) {
        std::vector<store::incident> every;
        for (const auto& p : of)
          every.insert(every.end(), p->incidents.begin(), p->incidents.end());
        return page{store::page_of(store::groups_of(std::move(every)), m.open_only, position(m.before),
                                   std::min(m.max, rows_max))};
      });
    return to;
  }

  caf::result<boxed<store::bulk_page>> on_bulk_acts(const list_bulk_acts& m) {
    auto to = make_response_promise<boxed<store::bulk_page>>();
    find_all_bulk_acts(
      this, partitions_,
      [this, m, to](std::vector<workflow::bulk_act> acts) mutable {
        if (m.number != 0)
          return tell_bulk_act(store::bulk_acts_with(m.number, std::move(acts), partitions_.size()), to);
        const auto groups = store::groups_of(std::move(acts), partitions_.size());
        to.deliver(
          boxed<store::bulk_page>{store::page_of(groups, m.open_only, position(m.before), std::min(m.max, rows_max))});
      },
      failing(to));
    return to;
  }

  /// With the refusals of each of its parts.
  void tell_bulk_act(const std::vector<workflow::bulk_act>& group, promise<boxed<store::bulk_page>> to) {
    using page = boxed<store::bulk_page>;
    if (group.empty()) {
      to.deliver(page{store::bulk_page{}});
      return;
    }
    std::vector<reader_actor> of;
    for (const auto& b : group)
      of.push_back(partition_of(b.number));
    ask_and_join<page>(
      of,
      [&](std::size_t i) {
        return list_bulk_acts{group[i].number, false, 0, rows_max};
      },
      to,
      [group](const std::vector<page>& parts) {
        store::bulk_page told;
        told.acts.push_back(store::joined(group));
        for (const auto& p : parts)
          told.refusals.insert(told.refusals.end(), p->refusals.begin(), p->refusals.end());
        std::sort(told.refusals.begin(), told.refusals.end(),
                  [](const auto& a, const auto& b) { return a.task_number > b.task_number; });
        return page{std::move(told)};
      });
  }

  caf::result<schedule_page> on_schedules(list_schedules m) {
    if (!m.name.empty())
      return one<schedule_page>(partition_of(m.name), m);
    m.max = std::min(m.max, rows_max);
    return all<schedule_page>(m, [m](const std::vector<schedule_page>& of) {
      return schedule_page{boxes(store::joined(lists_of(of, &schedule_page::schedules), m.max))};
    });
  }

  caf::result<boxed<store::event_page>> on_events(list_events m) {
    using page = boxed<store::event_page>;
    m.max = std::min(m.max, rows_max);
    const auto told = store::events_told_by(m.after, partitions_.size());
    auto to = make_response_promise<page>();
    ask_and_join<page>(
      partitions_,
      [&](std::size_t i) {
        auto of_one = m;
        of_one.after = store::after_in(told, i);
        return of_one;
      },
      to, [told, max = m.max](const std::vector<page>& of) { return page{store::joined(unboxed(of), told, max)}; });
    return to;
  }

  std::vector<reader_actor> partitions_;
};

} // namespace

reader_actor spawn_partition_reader(caf::actor_system& sys, std::vector<reader_actor> partitions) {
  return sys.spawn<partition_reader>(std::move(partitions));
}

} // namespace steadfast::actors
