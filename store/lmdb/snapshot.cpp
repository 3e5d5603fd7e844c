#include "store/lmdb/snapshot.hpp"

#include "workflow/task/invariants.hpp"

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
                             + "; start the node with the file of that version, and it is stored anew"};
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
  if (id.empty() || id.size() > workflow::task_id_size_max)
    return std::nullopt;
  const auto bytes = txn_.get(in_.ids, id);
  if (!bytes)
    return std::nullopt;
  return decode_record<task_ref>(id, *bytes);
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
  const auto row = txn_.get(in_.tasks, key{number});
  return row ? std::optional{task_in(number, *row)} : std::nullopt;
}

snapshot::known_task snapshot::task_in(std::uint64_t number, std::string_view row) const {
  known_task found{decode_record<task_state>(key{number}, row), nullptr};
  const auto& t = found.state.task;
  if (t.number != number)
    throw damaged_record{"it has the number of another task"};
  found.definition = definition(t.workflow, t.version);
  if (!found.definition)
    throw damaged_definition{"its definition " + t.workflow + " version " + std::to_string(t.version) + " is missing"};
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

void snapshot::add_payload(task_state& s) const {
  if (s.payload_size == 0)
    return;
  const key k{s.task.number};
  const auto bytes = txn_.get(in_.payloads, k);
  if (!bytes)
    throw damaged_record{"its payload is missing"};
  s.task.payload = decode_record<payload_record>(k, *bytes).bytes;
  if (s.task.payload.size() != s.payload_size)
    throw damaged_record{"its payload has another size than recorded"};
}

void snapshot::add_large_results(task_state& s) const {
  for (const auto& large : s.large) {
    const key k{s.task.number, large.step};
    const auto bytes = txn_.get(in_.results, k);
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
  if (name.empty() || name.size() > key::size_max)
    return std::nullopt;
  const auto bytes = txn_.get(in_.leases, name);
  if (!bytes)
    return std::nullopt;
  return decode_record<lease_record>(name, *bytes);
}

} // namespace steadfast::store
