// Tasks, singly and in pages.

#include "store/engine/reading.hpp"
#include "workflow/on_call/finding.hpp"
#include "workflow/supervision/retention.hpp"

#include <algorithm>
#include <deque>

namespace steadfast::store {

namespace {

/// Tasks looked at in one snapshot, unless a longer page is asked for; a page may end early because of it, so that no
/// snapshot lives long and no question holds up another.
constexpr std::size_t looked_through_max = 2000;
constexpr std::size_t due_looked_at_max = 20'000;

/// As how many tasks of a few steps it counts: to read one takes as long as it has steps.
std::size_t weight_of(const workflow::task& t) {
  constexpr std::size_t few = 8;
  return 1 + t.steps.size() / few;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool has_ended_within(const workflow::task& t, const task_filter& f) {
  if (f.ended_before == workflow::never && f.ended_after == workflow::unset)
    return true;
  return t.ended_at != workflow::unset && t.ended_at < f.ended_before && t.ended_at > f.ended_after;
}

bool is_at_step(const workflow::task& t, const workflow::definition& d, const std::string& name) {
  const auto i = workflow::current_step(t, d);
  return i && d.steps[*i].name == name;
}

/// `cause`: the filter's, generalized. Whether the payload matches is told by its index.
bool matches(const workflow::task& t, const workflow::definition& d, const task_filter& f, const std::string& cause) {
  if (!f.states.empty() && std::find(f.states.begin(), f.states.end(), t.state) == f.states.end())
    return false;
  if (!f.workflow.empty() && t.workflow != f.workflow)
    return false;
  if (!f.locked_by.empty() && t.locked_by != f.locked_by)
    return false;
  if (!f.text.empty() && !contains(t.id, f.text) && !contains(t.cause, f.text))
    return false;
  if (!f.agent.empty() && !workflow::is_at_agent(t, f.agent))
    return false;
  if (!f.step.empty() && !is_at_step(t, d, f.step))
    return false;
  if (!cause.empty() && workflow::generalized(t.cause) != cause)
    return false;
  return t.submitted_at < f.submitted_before && t.submitted_at > f.submitted_after && has_ended_within(t, f);
}

bool is_by_state_only(const task_filter& f) {
  return f.workflow.empty() && f.locked_by.empty() && f.text.empty() && f.agent.empty() && f.step.empty()
         && f.cause.empty() && f.payload.empty() && f.submitted_before == workflow::never
         && f.submitted_after == workflow::unset && f.ended_before == workflow::never
         && f.ended_after == workflow::unset;
}

/// Whether the counters of the store tell it.
bool is_counted(const task_filter& f) {
  return is_by_state_only(f) && f.states.size() <= 1;
}

/// Numbers of tasks that may match, in falling order, from one or more index ranges.
class newest_first {
public:
  /// `also`: rows of tasks that are elsewhere.
  newest_first(const lmdb::transaction& txn, const tables& in, const task_filter& f, std::uint64_t before,
               const other_rows* also)
      : txn_{txn},
        in_{in},
        also_{also},
        payload_{f.payload} {
    if (!payload_.empty()) {
      add(txn, in.payload_index, std::string{payload_value_key(payload_.front()).view()}, before);
    } else if (!f.locked_by.empty()) {
      add(txn, in.locked, std::string{owner_key(f.locked_by).view()}, before);
    } else if (!f.states.empty()) {
      auto states = f.states;
      std::sort(states.begin(), states.end());
      states.erase(std::unique(states.begin(), states.end()), states.end());
      for (const auto s : states)
        add(txn, in.states, std::string(1, static_cast<char>(s)), before);
    } else {
      add(txn, in.tasks, {}, before);
    }
  }

  std::optional<std::uint64_t> next() {
    range* best = nullptr;
    for (auto& r : ranges_)
      if (r.number != 0 && (!best || r.number > best->number))
        best = &r;
    if (!best)
      return std::nullopt;
    const auto number = best->number;
    best->set(best->cursor.previous());
    return number;
  }

  /// Whether the payload of the task has all values that were asked for.
  bool has_payload(std::uint64_t number) const {
    return std::all_of(payload_.begin(), payload_.end(), [&](const workflow::payload_value& x) {
      const auto k = payload_index_key(x, number);
      return txn_.get(in_.payload_index, k) || also_->get(in_.payload_index, k);
    });
  }

private:
  struct range {
    range(const lmdb::transaction& txn, lmdb::table t, std::string p) : cursor{txn, t}, prefix{std::move(p)} {}

    void set(bool found) { number = found && cursor.key().starts_with(prefix) ? last_number(cursor.key()) : 0; }

    lmdb::cursor cursor;
    std::string prefix;
    std::uint64_t number = 0; ///< 0: at its end
  };

  void add(const lmdb::transaction& txn, lmdb::table t, std::string prefix, std::uint64_t before) {
    auto& r = ranges_.emplace_back(txn, t, std::move(prefix));
    r.set(r.cursor.seek_before(key{std::string_view{r.prefix}, before}));
  }

  const lmdb::transaction& txn_;
  const tables& in_;
  const other_rows* also_;
  const std::vector<workflow::payload_value>& payload_;
  std::deque<range> ranges_;
};

} // namespace

std::optional<snapshot::known_task> lmdb_engine::believed(const snapshot& see, std::uint64_t number, bool whole) const {
  try {
    return whole ? see.whole_task(number) : see.task(number);
  } catch (const damaged_record& e) {
    committed_.damage.report(number, e.what());
    return std::nullopt;
  }
}

std::optional<workflow::task> lmdb_engine::find(std::uint64_t number) const {
  return read_task(number, [&](const lmdb::transaction&, const snapshot& see) -> std::optional<workflow::task> {
    auto known = believed(see, number, true);
    return known ? std::optional{std::move(known->state.task)} : std::nullopt;
  });
}

/// One that was recent may have been moved since, never the other way round.
std::optional<task_ref> lmdb_engine::ref_of(const snapshot& see, const std::string& id,
                                            std::optional<std::uint64_t> recent) const {
  if (options_.read_only)
    recent = see.recent_number(id);
  if (auto ref = recent ? see.recent_ref(*recent) : std::nullopt)
    return ref;
  return see.ref_of(id);
}

std::optional<workflow::task> lmdb_engine::find(const std::string& id) const {
  const auto recent = committed_.recent.find(id);
  return read_task(id, [&](const lmdb::transaction&, const snapshot& see) -> std::optional<workflow::task> {
    std::optional<task_ref> ref;
    try {
      ref = ref_of(see, id, recent);
    } catch (const damaged_record&) { // check() names it; no task can be told from it
      return std::nullopt;
    }
    auto known = ref ? believed(see, ref->number, true) : std::nullopt;
    if (!known || known->state.task.id != id)
      return std::nullopt;
    return std::move(known->state.task);
  });
}

std::optional<std::string> lmdb_engine::damage_of(const std::string& id) const {
  const auto recent = committed_.recent.find(id);
  return read_task(id, [&](const lmdb::transaction& txn, const snapshot& see) -> std::optional<std::string> {
    try {
      const auto ref = ref_of(see, id, recent);
      if (!ref)
        return std::nullopt;
      const key k{ref->number};
      const auto aside = txn.get(in_.set_aside, k);
      if (aside)
        return decode_record<set_aside_record>(k, *aside).why;
      see.whole_task(ref->number);
      return std::nullopt;
    } catch (const damaged_record& e) {
      return e.what();
    }
  });
}

std::optional<exported_task> lmdb_engine::export_task(const std::string& id) const {
  const auto recent = committed_.recent.find(id);
  return read_task(id, [&](const lmdb::transaction& txn, const snapshot& see) -> std::optional<exported_task> {
    try {
      const auto ref = ref_of(see, id, recent);
      auto known = ref ? see.whole_task(ref->number) : std::nullopt;
      if (!known)
        return std::nullopt;
      exported_task x{*known->definition, std::move(known->state.task), ref->digest, {}};
      const key of_task{ref->number};
      lmdb::cursor c{txn, in_.late};
      const auto is_its = [&] { return c.key().starts_with(of_task.view()); };
      for (bool more = c.seek(of_task); more && is_its(); more = c.next())
        if (auto reply = readable<late_reply_record>(c.key(), c.value()))
          x.late_replies.push_back(std::move(reply->what));
      return x;
    } catch (const damaged_record&) { // check() names it
      return std::nullopt;
    }
  });
}

other_rows lmdb_engine::as_rows(const std::vector<rows_of_task>& all) const {
  other_rows rows;
  for (const auto& t : all)
    for (const auto& r : t.rows)
      rows.put(table_at(in_, r.table), r.key, r.value);
  return rows;
}

/// Absent: nothing elsewhere may match. The filter is asked again of each task.
std::optional<tasks_elsewhere::page>
lmdb_engine::page_elsewhere(const task_filter& filter, std::optional<std::uint64_t> before, std::size_t max) const {
  if (elsewhere_ == nullptr || !filter.locked_by.empty())
    return std::nullopt;
  tasks_elsewhere::question q;
  for (const auto s : filter.states)
    if (workflow::may_leave(s))
      q.states.push_back(s);
  if (q.states.empty() && !filter.states.empty())
    return std::nullopt;
  q.before = before.value_or(~0ULL);
  q.most = is_by_state_only(filter) ? std::min(max + 1, looked_through_max) : looked_through_max;
  q.of_tables = {place_of(&tables::tasks), place_of(&tables::task_steps)};
  if (!filter.payload.empty()) {
    q.payload = filter.payload.front();
    q.of_tables.push_back(place_of(&tables::payload_index));
  }
  return elsewhere_->newest(q);
}

/// Hands the tasks that match to use(known_task&&), newest first, until it says no, or there are none, or so many were
/// looked at; where to go on.
template <class Use>
std::optional<std::uint64_t> lmdb_engine::look_through(const lmdb::transaction& txn, const snapshot& see,
                                                       const task_filter& filter, std::optional<std::uint64_t> before,
                                                       std::size_t most, const tasks_elsewhere::page* also,
                                                       Use use) const {
  const auto cause = filter.cause.empty() ? std::string{} : workflow::generalized(filter.cause);
  const auto rows = as_rows(also != nullptr ? also->tasks : std::vector<rows_of_task>{});
  const snapshot see_also{txn, in_, committed_.definitions, &rows};
  newest_first numbers{txn, in_, filter, before.value_or(~0ULL), &rows};
  const auto down_to = also != nullptr ? also->down_to : 0;
  auto next_left = [&, at = std::size_t{0}]() mutable -> std::optional<std::uint64_t> {
    while (also != nullptr && at < also->tasks.size())
      if (const auto n = also->tasks[at++].number; !txn.get(in_.tasks, key{n})) // it has not come back
        return n;
    return std::nullopt;
  };
  auto here = numbers.next();
  auto there = next_left();
  auto last = before.value_or(~0ULL);
  std::size_t looked_at = 0;
  while (here || there) {
    const bool is_here = here && (!there || *here > *there);
    const auto number = is_here ? *here : *there;
    if (looked_at >= most || number < down_to)
      return number < down_to ? std::min(last, down_to) : last;
    auto known = numbers.has_payload(number) ? believed(is_here ? see : see_also, number) : std::nullopt;
    looked_at += known ? weight_of(known->state.task) : 1;
    if (known && matches(known->state.task, *known->definition, filter, cause) && !use(*std::move(known)))
      return last;
    last = number;
    if (is_here)
      here = numbers.next();
    else
      there = next_left();
  }
  return down_to != 0 ? std::optional{std::min(last, down_to)} : std::nullopt;
}

task_page lmdb_engine::list(const task_filter& filter, std::optional<std::uint64_t> before, std::size_t max) const {
  const auto none_leaves = elsewhere_ != nullptr ? elsewhere_->hold() : tasks_elsewhere::guard{};
  const auto left = page_elsewhere(filter, before, max);
  return read([&](const lmdb::transaction& txn, const snapshot& see) {
    task_page page;
    page.next = look_through(txn, see, filter, before, std::max(max, looked_through_max), left ? &*left : nullptr,
                             [&](snapshot::known_task&& known) {
                               if (page.tasks.size() == max)
                                 return false;
                               page.tasks.push_back(std::move(known.state.task));
                               return true;
                             });
    return page;
  });
}

state_store::tally lmdb_engine::count_part(const task_filter& filter, std::optional<std::uint64_t> before) const {
  tally part;
  if (is_counted(filter)) {
    for (const auto& [state, tasks] : counts().tasks)
      if (filter.states.empty() || filter.states.front() == state)
        part.matched += tasks;
    return part;
  }
  return visit_part(filter, before, [](workflow::task&&, const workflow::definition&) {});
}

state_store::tally lmdb_engine::visit_part(const task_filter& filter, std::optional<std::uint64_t> before,
                                           const task_visitor& use) const {
  const auto none_leaves = elsewhere_ != nullptr ? elsewhere_->hold() : tasks_elsewhere::guard{};
  const auto left = page_elsewhere(filter, before, looked_through_max);
  return read([&](const lmdb::transaction& txn, const snapshot& see) {
    tally part;
    part.next = look_through(txn, see, filter, before, looked_through_max, left ? &*left : nullptr,
                             [&](snapshot::known_task&& known) {
                               ++part.matched;
                               use(std::move(known.state.task), *known.definition);
                               return true;
                             });
    return part;
  });
}

state_store::due_page lmdb_engine::overdue(workflow::instant now,
                                           std::optional<std::pair<workflow::instant, std::uint64_t>> after,
                                           std::size_t max) const {
  return read([&](const lmdb::transaction& txn, const snapshot& see) {
    due_page page;
    std::size_t looked_at = 0;
    lmdb::cursor c{txn, in_.deadlines};
    bool more = after ? c.seek(key{after->first, after->second + 1}) : c.first();
    std::size_t read = 0;
    for (; more; more = c.next(), ++looked_at) {
      const auto due = key_reader{c.key()}.instant().value_or(workflow::never);
      if (due > now)
        return page;
      if (page.tasks.size() == max || looked_at == due_looked_at_max || read >= std::max(max, looked_through_max)) {
        page.next = after;
        return page;
      }
      const auto number = last_number(c.key());
      after = {due, number};
      auto known = believed(see, number);
      read += known ? weight_of(known->state.task) : 1;
      if (known && known->place().due == due)
        page.tasks.push_back(std::move(known->state.task));
    }
    return page;
  });
}

} // namespace steadfast::store
