// Tasks, singly and in pages.

#include "store/reading.hpp"
#include "workflow/mutant.hpp"

#include <algorithm>
#include <deque>

namespace steadfast::store {

namespace {

/// Tasks looked at in one snapshot; a page may end early because of it, so that no snapshot lives long.
constexpr std::size_t looked_at_max = 20'000;
constexpr std::size_t counted_in_part_max = 2000;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool matches(const workflow::task& t, const task_filter& f) {
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
  return t.submitted_at < f.submitted_before && t.submitted_at > f.submitted_after;
}

bool is_by_state_only(const task_filter& f) {
  return f.workflow.empty() && f.locked_by.empty() && f.text.empty() && f.agent.empty()
         && f.submitted_before == workflow::never && f.submitted_after == workflow::unset;
}

/// Whether the counters of the store tell it.
bool is_counted(const task_filter& f) {
  return is_by_state_only(f) && f.states.size() <= 1;
}

/// Task numbers in falling order, from one or more index ranges.
class newest_first {
public:
  newest_first(const lmdb::transaction& txn, const tables& in, const task_filter& f, std::uint64_t before) {
    if (!f.locked_by.empty()) {
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

  std::deque<range> ranges_;
};

/// A part of a list that one snapshot gives.
struct stretch {
  std::vector<workflow::task> tasks;
  std::size_t matched = 0;
  std::optional<std::uint64_t> next;
};

} // namespace

std::optional<snapshot::known_task> lmdb_engine::believed(const snapshot& see, std::uint64_t number, bool whole) const {
  try {
    return whole ? see.whole_task(number) : see.task(number);
  } catch (const damaged_record& e) {
    damage_.report(number, e.what());
    return std::nullopt;
  }
}

std::optional<workflow::task> lmdb_engine::find(std::uint64_t number) const {
  return read([&](const lmdb::transaction&, const snapshot& see) -> std::optional<workflow::task> {
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
  const auto recent = recent_.find(id);
  return read([&](const lmdb::transaction&, const snapshot& see) -> std::optional<workflow::task> {
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
  const auto recent = recent_.find(id);
  return read([&](const lmdb::transaction& txn, const snapshot& see) -> std::optional<std::string> {
    try {
      const auto ref = ref_of(see, id, recent);
      if (!ref || workflow::mutant("damage_not_told"))
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
  const auto recent = recent_.find(id);
  return read([&](const lmdb::transaction& txn, const snapshot& see) -> std::optional<exported_task> {
    try {
      const auto ref = ref_of(see, id, recent);
      auto known = ref ? see.whole_task(ref->number) : std::nullopt;
      if (!known)
        return std::nullopt;
      exported_task x{*known->definition, std::move(known->state.task), ref->digest, {}};
      const key of_task{ref->number};
      lmdb::cursor c{txn, in_.late};
      for (bool more = c.seek(of_task); more && c.key().starts_with(of_task.view()); more = c.next())
        if (auto reply = readable<late_reply_record>(c.key(), c.value()))
          x.late_replies.push_back(std::move(reply->what));
      return x;
    } catch (const damaged_record&) { // check() names it
      return std::nullopt;
    }
  });
}

task_page lmdb_engine::list(const task_filter& filter, std::optional<std::uint64_t> before, std::size_t max) const {
  return read([&](const lmdb::transaction& txn, const snapshot& see) {
    task_page page;
    newest_first numbers{txn, in_, filter, before.value_or(~0ULL)};
    std::optional<std::uint64_t> last;
    for (std::size_t looked_at = 0;; ++looked_at) {
      const auto number = numbers.next();
      if (!number)
        return page;
      if (page.tasks.size() == max || looked_at == looked_at_max) {
        page.next = last.value_or(before.value_or(~0ULL));
        return page;
      }
      last = number;
      auto known = believed(see, *number);
      if (known && matches(known->state.task, filter))
        page.tasks.push_back(std::move(known->state.task));
    }
  });
}

std::size_t lmdb_engine::count(const task_filter& filter, std::size_t limit) const {
  std::size_t found = 0;
  std::optional<std::uint64_t> before;
  do {
    const auto part = count_part(filter, before);
    found += part.matched;
    before = part.next;
  } while (before && found < limit);
  return std::min(found, limit);
}

state_store::tally lmdb_engine::count_part(const task_filter& filter, std::optional<std::uint64_t> before) const {
  tally part;
  if (is_counted(filter)) {
    for (const auto& [state, tasks] : stats().tasks)
      if (filter.states.empty() || filter.states.front() == state)
        part.matched += tasks;
    return part;
  }
  return read([&](const lmdb::transaction& txn, const snapshot& see) {
    newest_first numbers{txn, in_, filter, before.value_or(~0ULL)};
    for (std::size_t looked_at = 0; const auto number = numbers.next(); ++looked_at) {
      if (looked_at == counted_in_part_max) {
        part.next = before;
        return part;
      }
      before = number;
      const auto known = believed(see, *number);
      part.matched += known && matches(known->state.task, filter) ? 1 : 0;
    }
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
    for (; more; more = c.next(), ++looked_at) {
      const auto due = key_reader{c.key()}.instant().value_or(workflow::never);
      if (due > now)
        return page;
      if (page.tasks.size() == max || looked_at == looked_at_max) {
        page.next = after;
        return page;
      }
      const auto number = last_number(c.key());
      after = {due, number};
      auto known = believed(see, number);
      if (known && known->place().due == due)
        page.tasks.push_back(std::move(known->state.task));
    }
    return page;
  });
}

} // namespace steadfast::store
