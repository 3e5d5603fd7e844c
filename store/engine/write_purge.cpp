// Ended tasks leave, with all that belongs to them.

#include "store/engine/leaving.hpp"
#include "store/engine/write_batch.hpp"
#include "store/lmdb/indexes.hpp"
#include "store/lmdb/prefix_scan.hpp"
#include "store/verbs/tasks/decide_purge.hpp"

#include "workflow/text/name.hpp"

#include <algorithm>
#include <tuple>

namespace steadfast::store {

namespace {

/// Those of that workflow after that place, in the order of their ends.
std::vector<ended_task> ended_after(const lmdb::transaction& txn, lmdb::table ended, std::string_view workflow,
                                    const ended_position& after, std::size_t max) {
  const key begin = owner_key(workflow);
  const key last = ended_key(workflow, after.ended_at, after.number);
  std::vector<ended_task> found;
  lmdb::cursor c{txn, ended};
  bool more = c.seek(last);
  if (more && c.key() == last.view())
    more = c.next();
  for (; more && found.size() < max && c.key().starts_with(begin.view()); more = c.next()) {
    key_reader k{c.key().substr(begin.view().size())};
    const auto ended_at = k.instant().value_or(workflow::unset);
    found.push_back({ended_at, k.number<std::uint64_t>().value_or(0)});
  }
  return found;
}

/// The order of their ends.
bool ended_before(const ended_task& a, const ended_task& b) {
  return std::tie(a.ended_at, a.number) < std::tie(b.ended_at, b.number);
}

} // namespace

answer<purge_ended> write_batch::make(const purge_ended& w) {
  if (!workflow::is_name(w.workflow)) // which has no tasks
    return decide(w, 0, {}, {});
  place_tasks();
  auto ended = ended_after(txn_, in_.ended, w.workflow, w.after, looked_at_max(w));
  const auto children = children_elsewhere(w);
  const auto middle = ended.insert(ended.end(), children.begin(), children.end());
  std::inplace_merge(ended.begin(), middle, ended.end(), ended_before);
  ended.resize(std::min(ended.size(), looked_at_max(w)));
  const auto is_child = [&](std::uint64_t number) {
    return std::any_of(children.begin(), children.end(), [&](const ended_task& t) { return t.number == number; });
  };
  return decide(w, ended_of(w.workflow).there, ended,
                [&](std::uint64_t number) { return is_child(number) ? 0 : purge(number); });
}

std::vector<ended_task> write_batch::children_elsewhere(const purge_ended& w) const {
  std::vector<ended_task> all;
  if (settings_.asked == nullptr)
    return all;
  if (const auto of = settings_.asked->children.find(w.workflow); of != settings_.asked->children.end())
    for (const auto& t : of->second)
      if (ended_before({w.after.ended_at, w.after.number}, t))
        all.push_back(t);
  return all;
}

/// Those of its family that are elsewhere may leave, as they did. They are needed if all others may, too, and count.
std::size_t write_batch::purge(std::uint64_t number) {
  const auto before = count_of(needed_);
  try {
    const auto known = load(number);
    if (!known || has_parent_here(known->state.task) || count_of(needed_) != before)
      return 0;
    const auto ids = needed_.ids.size();
    std::vector<std::uint64_t> family;
    if (!may_leave_with_children(*known, family)) {
      needed_.ids.resize(ids);
      return 0;
    }
    for (const auto n : family)
      if (const auto t = n == number && known->definition->index.empty() ? known : load(n, true)) // for its payload
        erase_all_of(*t);
    return family.size() + count_of(needed_) - before;
  } catch (const damaged_record&) { // reported by read(): it is set aside
    return 0;
  }
}

bool write_batch::has_parent_here(const workflow::task& t) const {
  if (t.parent.empty())
    return false;
  const auto there = ref_of(t.parent->id);
  return leaves_with_parent(*t.parent, there ? std::optional{there->number} : std::nullopt);
}

bool write_batch::may_leave_with_children(const snapshot::known_task& known, std::vector<std::uint64_t>& family) {
  const auto& t = known.state.task;
  if (!may_leave(t.state, kept_of(txn_, in_, t)))
    return false;
  family.push_back(t.number);
  if (!workflow::any_starts_child(*known.definition))
    return true;
  for (std::size_t i = 0; i < t.steps.size(); ++i) {
    if (!workflow::starts_child(known.definition->steps[i]) || t.steps[i].log.empty())
      continue;
    const auto step = static_cast<std::uint32_t>(i);
    const bool is_over_items = workflow::is_over_items(known.definition->steps[i]);
    const auto fan_out = is_over_items ? fan_out_of(t.number, step) : std::nullopt;
    const auto last = fan_out ? fan_out->next : 0;
    for (auto item = is_over_items ? 1U : 0U; item <= last; ++item) {
      const auto child = child_of_item(t, *known.definition, step, item, false);
      if (child && !may_leave_with_children(*child, family))
        return false;
    }
  }
  return true;
}

void write_batch::erase_all_of(const snapshot::known_task& known) {
  const auto& t = known.state.task;
  const key k{t.number};
  remove_from_indexes(txn_, in_, t.number, known.place());
  erase_from_index(t.number, workflow::indexed_values(*known.definition, t.payload.view()));
  txn_.erase(in_.tasks, k);
  erase_id(t);
  txn_.erase(in_.payloads, k);
  for (const auto& steps : keys_with(txn_, in_.task_steps, k))
    txn_.erase(in_.task_steps, steps);
  for (const auto& large : known.state.large)
    txn_.erase(in_.results, key{t.number, large.step});
  for (const auto& reply : keys_with(txn_, in_.late, k))
    txn_.erase(in_.late, reply);
  if (workflow::any_starts_child(*known.definition))
    for (const auto table : {in_.item_groups, in_.items})
      for (const auto& of_items : keys_with(txn_, table, k))
        txn_.erase(table, of_items);
  auto& count = ended_of(t.workflow);
  for (const auto& alert : keys_with(txn_, in_.task_alerts, k)) {
    incidents_.leave(last_number(alert), t.number, t.ended_at);
    txn_.erase(in_.alerts, key{last_number(alert)});
    txn_.erase(in_.task_alerts, alert);
    ++count.alerts_purged;
  }
  --count.there;
  ++count.purged;
  --tasks_in(t.state);
  count_move({t.number, t.workflow, t.state, {}});
  settings_.known->forget(t.number);
}

// ---- how many there are ----

ended_count& write_batch::ended_of(const std::string& workflow) {
  if (const auto changed = ended_.find(workflow); changed != ended_.end())
    return changed->second;
  const auto known = before_.ended.find(workflow);
  return ended_.emplace(workflow, known == before_.ended.end() ? ended_count{} : known->second).first->second;
}

void write_batch::count_ended(const std::string& workflow, const index_position& from, const index_position& to) {
  if (from.ended_at != workflow::unset)
    --ended_of(workflow).there;
  if (to.ended_at != workflow::unset)
    ++ended_of(workflow).there;
}

void write_batch::recount_ended() {
  for (const auto& [name, count] : before_.ended)
    ended_of(name).there = 0;
  for (auto& [name, count] : ended_)
    count.there = 0;
  lmdb::cursor c{txn_, in_.ended};
  for (bool more = c.first(); more; more = c.next())
    ++ended_of(std::string{workflow_of(c.key())}).there;
  if (settings_.asked != nullptr && settings_.asked->counts)
    for (const auto& [name, tasks] : settings_.asked->counts->workflows)
      ended_of(name).there += tasks;
}

void write_batch::put_ended_counts() {
  for (const auto& [name, count] : ended_) {
    const auto before = before_.ended.find(name);
    if (before == before_.ended.end() ? count != ended_count{} : count != before->second)
      txn_.put(in_.ended_counts, name, encode_record(name, count));
  }
}

} // namespace steadfast::store
