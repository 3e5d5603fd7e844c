#include "store/write_batch.hpp"

#include "workflow/mutant.hpp"

#include <utility>
#include <variant>

namespace steadfast::store {

write_batch::write_batch(lmdb::transaction& txn, const tables& in, const definition_cache& committed, counters count,
                         const settings& s)
    : txn_{txn},
      in_{in},
      settings_{s},
      cache_{&committed},
      see_{txn, in, cache_},
      count_before_{count},
      count_{count} {}

outcome write_batch::judge(const write& w) {
  try {
    return std::visit([this](const auto& x) { return make(x); }, w);
  } catch (const damaged_record& e) { // a verb reads what it needs before it writes anything
    return turned_down(verdict::refused, std::string{"a record it needs is damaged: "} + e.what());
  }
}

std::optional<snapshot::known_task> write_batch::load(std::uint64_t number, bool whole) {
  try {
    const auto row = settings_.held->row_of(number);
    auto found = row ? std::optional{see_.task_in(number, *row)} : see_.task(number);
    if (found && whole)
      see_.complete(*found);
    return found;
  } catch (const damaged_record& e) {
    settings_.damage->report(number, e.what());
    throw;
  }
}

std::shared_ptr<const standing> write_batch::stands(std::uint64_t number) {
  if (const auto changed = changed_.find(number);
      changed != changed_.end() && !workflow::mutant("batch_overlooks_itself"))
    return changed->second;
  if (auto known = settings_.known->find(number))
    return known;
  const auto read = load(number);
  return read ? std::make_shared<const standing>(standing_of(*read)) : nullptr;
}

void write_batch::put_row(const std::shared_ptr<const standing>& before, const workflow::task& t, standing now) {
  const key k{t.number};
  const auto row = encode_record(k, task_state_view{&t, now.revision, now.payload_size, &now.large});
  if (settings_.changes != nullptr) {
    const auto held = settings_.held->row_of(t.number);
    settings_.changes->on_task(t.number, held ? *held : txn_.get(in_.tasks, k).value_or(std::string_view{}), row);
  }
  const auto entry = std::make_shared<const standing>(std::move(now));
  settings_.held->hold(t.number, before, entry, row);
  changed_[t.number] = entry;
}

void write_batch::place_tasks() {
  txn_.tell(nullptr); // which is told of each task, as it changes
  settings_.held->place(txn_, in_);
  txn_.tell(settings_.changes);
}

void write_batch::finish() {
  move_ids();
  put_ended_counts();
  if (count_ == count_before_)
    return;
  txn_.put(in_.meta, counters_key, encode_record(counters_key, count_));
}

bool write_batch::has_room() const {
  if (!settings_.takes_new_work)
    return false;
  std::uint64_t pages = txn_.free_list_pages();
  for (const auto& t : all_tables)
    pages += txn_.pages(in_.*t.table);
  return pages < settings_.pages_max || workflow::mutant("no_reserve");
}

outcome applied() {
  outcome o;
  o.result = verdict::applied;
  return o;
}

outcome turned_down(verdict v, std::string why) {
  outcome o;
  o.result = v;
  o.why = std::move(why);
  return o;
}

} // namespace steadfast::store
