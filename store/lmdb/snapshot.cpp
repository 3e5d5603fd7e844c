#include "store/lmdb/snapshot.hpp"

#include "workflow/supervision/lease_term.hpp"
#include "workflow/task/invariants.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace steadfast::store {

tables open_all_tables(const lmdb::transaction& txn, std::uint32_t format) {
  tables in;
  for (const auto& e : all_tables) {
    if (e.since > format)
      continue;
    const auto t = txn.open_table(e.name);
    if (!t)
      throw damaged_record{"the table " + std::string{e.name} + " is missing"};
    in.*e.table = *t;
  }
  return in;
}

// ---- damage_log ----

void damage_log::report(std::uint64_t number, const std::string& why) {
  const std::lock_guard lock{mutex_};
  if (known_.insert(number).second)
    untold_.push_back({number, why, workflow::unset});
}

void damage_log::forget(std::uint64_t number) {
  const std::lock_guard lock{mutex_};
  known_.erase(number);
}

std::vector<set_aside_damaged> damage_log::take() {
  const std::lock_guard lock{mutex_};
  return std::exchange(untold_, {});
}

// ---- snapshot ----

namespace {

/// Puts rows into the steps of a task, and adds up what is to be checked of them.
class step_reader {
public:
  explicit step_reader(task_state& s) : s_{s} {}

  void take(std::uint32_t first, std::string_view k, std::string_view row) {
    constexpr auto stretch = workflow::step_list::stretch_size;
    auto read = decode_record<task_steps>(k, row);
    const std::size_t count = s_.rows.steps;
    if (first >= count || first % stretch != 0 || read.steps.size() != std::min(stretch, count - first))
      throw damaged_record{"a row of its steps is none of its own"};
    check_ ^= check_of(row);
    s_.task.steps.put_stretch(first, std::move(read.steps));
    s_.large.insert(s_.large.end(), read.large.begin(), read.large.end());
  }

  void finish() {
    if (check_ != s_.rows.check)
      throw damaged_record{"its steps are not the ones that were stored with it"};
    s_.task.steps.settle();
  }

private:
  task_state& s_;
  std::uint64_t check_ = 0;
};

void sort_by_step(std::vector<large_result>& large) {
  std::sort(large.begin(), large.end(), [](const large_result& a, const large_result& b) { return a.step < b.step; });
}

/// Under a name that people gave, which may be longer than any that is stored.
bool may_be_stored(const std::string& name, std::size_t size_max) {
  return !name.empty() && name.size() <= size_max;
}

} // namespace

std::optional<std::string_view> snapshot::value_of(lmdb::table t, std::string_view key) const {
  const auto there = txn_.get(t, key);
  return there || also_ == nullptr ? there : also_->get(t, key);
}

definition_cache::entry snapshot::definition(const std::string& name, std::uint32_t version) const {
  if (auto known = cache_.find(name, version))
    return known;
  const key k = definition_key(name, version);
  const auto bytes = txn_.get(in_.definitions, k);
  if (!bytes)
    return nullptr;
  try {
    auto decoded = std::make_shared<workflow::definition>(decode_record<workflow::definition>(k, *bytes));
    decoded->graph.make_for(*decoded);
    const definition_cache::entry read = std::move(decoded);
    cache_.add(read);
    return read;
  } catch (const damaged_record& e) {
    throw damaged_definition{"workflow " + name + " version " + std::to_string(version) + ": " + e.what()
                             + "; start the node with the file of that version, and it is stored again"};
  }
}

std::optional<std::uint32_t> snapshot::newest_version(const std::string& name) const {
  const key end{std::string_view{name}, std::uint8_t{1}};
  const key prefix{std::string_view{name}, std::uint8_t{0}};
  lmdb::cursor c{txn_, in_.definitions};
  if (!c.seek_before(end) || !c.key().starts_with(prefix.view()))
    return std::nullopt;
  return key_reader{c.key().substr(prefix.view().size())}.number<std::uint32_t>();
}

std::optional<task_ref> snapshot::ref_of(const std::string& id) const {
  const auto bytes = may_be_stored(id, workflow::task_id_size_max) ? value_of(in_.ids, id) : std::nullopt;
  return bytes ? std::optional{decode_record<task_ref>(id, *bytes)} : std::nullopt;
}

std::optional<task_ref> snapshot::recent_ref(std::uint64_t number) const {
  const key k{number};
  const auto bytes = txn_.get(in_.recent_ids, k);
  if (!bytes)
    return std::nullopt;
  return task_ref{number, decode_record<recent_id>(k, *bytes).digest};
}

std::optional<std::uint64_t> snapshot::recent_number(const std::string& id) const {
  lmdb::cursor c{txn_, in_.recent_ids};
  for (bool more = c.first(); more; more = c.next())
    if (const auto recent = readable<recent_id>(c.key(), c.value()); recent && recent->id == id)
      return last_number(c.key());
  return std::nullopt;
}

std::optional<snapshot::known_task> snapshot::task(std::uint64_t number) const {
  const auto found = value_of(in_.tasks, key{number});
  return found ? std::optional{task_in(number, *found)} : std::nullopt;
}

snapshot::known_task snapshot::task_in(std::uint64_t number, std::string_view row, const held_steps* held) const {
  known_task found{decode_record<task_state>(key{number}, row), nullptr};
  const auto& t = found.state.task;
  if (t.number != number)
    throw damaged_record{"it has the number of another task"};
  found.definition = definition(t.workflow, t.version);
  if (!found.definition)
    throw damaged_definition{"its definition " + t.workflow + " version " + std::to_string(t.version) + " is missing"};
  if (found.state.rows.steps != 0)
    add_steps(found.state, *found.definition, held != nullptr ? *held : held_steps{});
  sort_by_step(found.state.large); // before format 8 they were stored in the order in which they came
  if (const auto broken = workflow::broken_invariants(t, *found.definition); !broken.empty())
    throw damaged_record{broken.front()};
  return found;
}

std::optional<snapshot::known_task> snapshot::whole_task(std::uint64_t number) const {
  auto found = task(number);
  if (found)
    complete(*found);
  return found;
}

void snapshot::complete(known_task& t) const {
  add_payload(t.state);
  add_large_results(t.state);
}

/// A stretch without a row is as it was at first.
void snapshot::add_steps(task_state& s, const workflow::definition& d, const held_steps& held) const {
  if (s.rows.steps != d.steps.size() || !s.task.steps.empty() || !s.large.empty())
    throw damaged_record{"its steps are not those of its workflow"};
  s.task.steps.resize(s.rows.steps);
  step_reader to{s};
  const key of_task{s.task.number};
  lmdb::cursor c{txn_, in_.task_steps};
  for (bool more = c.seek(of_task); more && c.key().starts_with(of_task.view()); more = c.next()) {
    const auto first = key_reader{c.key().substr(of_task.view().size())}.number<std::uint32_t>().value_or(1);
    if (!held.contains(first))
      to.take(first, c.key(), c.value());
  }
  if (also_ != nullptr)
    also_->each_with(in_.task_steps, of_task, [&](std::string_view k, std::string_view steps) {
      to.take(key_reader{k.substr(of_task.view().size())}.number<std::uint32_t>().value_or(1), k, steps);
    });
  for (const auto& [first, written] : held)
    to.take(first, key{s.task.number, first}, written.row);
  to.finish();
}

void snapshot::add_payload(task_state& s) const {
  if (s.payload_size == 0)
    return;
  const key k{s.task.number};
  const auto bytes = value_of(in_.payloads, k);
  if (!bytes)
    throw damaged_record{"its payload is missing"};
  s.task.payload = decode_record<payload_record>(k, *bytes).bytes;
  if (s.task.payload.size() != s.payload_size)
    throw damaged_record{"its payload has another size than recorded"};
}

void snapshot::add_large_results(task_state& s) const {
  for (const auto& large : s.large) {
    const key k{s.task.number, large.step};
    const auto bytes = value_of(in_.results, k);
    if (!bytes || large.step >= s.task.steps.size())
      throw damaged_record{"a result is missing"};
    auto result = decode_record<result_record>(k, *bytes).bytes;
    const bool is_same = hash_of(result.view()) == large.hash;
    if (result.size() != large.size || !is_same)
      throw damaged_record{"a result is not the one recorded"};
    s.task.steps.change(large.step).result = std::move(result);
  }
  s.task.steps.settle();
}

std::optional<lease_record> snapshot::lease_of(const std::string& name) const {
  const auto bytes = may_be_stored(name, key::size_max) ? txn_.get(in_.leases, name) : std::nullopt;
  return bytes ? std::optional{decode_record<lease_record>(name, *bytes)} : std::nullopt;
}

std::vector<lease> snapshot::leases(const workflow::clock_reading& clock) const {
  std::vector<lease> all;
  lmdb::cursor c{txn_, in_.leases};
  for (bool more = c.first(); more; more = c.next())
    if (auto x = readable<lease_record>(c.key(), c.value())) {
      x->what.expires_at = workflow::end_of(x->what.expires_at, x->ttl, clock);
      all.push_back(std::move(x->what));
    }
  return all;
}

} // namespace steadfast::store
