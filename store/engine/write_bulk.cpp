// Acts on many tasks. That a task took one is noted in the commit in which it took it, so it is met once, whatever
// happens between.

#include "store/engine/write_batch.hpp"
#include "store/lmdb/prefix_scan.hpp"
#include "store/records/record.hpp"
#include "store/verbs/tasks/decide_bulk.hpp"

namespace steadfast::store {

workflow::bulk_act* write_batch::bulk_act_of(std::uint64_t number) {
  if (const auto known = bulk_acts_.find(number); known != bulk_acts_.end())
    return &known->second;
  const key k{number};
  const auto bytes = txn_.get(in_.bulk_acts, k);
  return bytes ? &bulk_acts_.emplace(number, decode_record<workflow::bulk_act>(k, *bytes)).first->second : nullptr;
}

std::optional<decision> write_batch::not_for_bulk(std::uint64_t number, std::uint64_t task) {
  return store::not_for_bulk(number, bulk_act_of(number), task);
}

void write_batch::write_bulk_acts() {
  for (const auto& [number, b] : bulk_acts_) {
    const key k{number};
    const auto record = encode_record(k, b);
    if (txn_.get(in_.bulk_acts, k) != record)
      txn_.put(in_.bulk_acts, k, record);
  }
  bulk_acts_.clear();
}

/// All of them: their number is bounded. One whose record is damaged is none.
std::vector<workflow::bulk_act> write_batch::bulk_acts_there() {
  write_bulk_acts();
  std::vector<workflow::bulk_act> all;
  lmdb::cursor c{txn_, in_.bulk_acts};
  for (bool more = c.first(); more; more = c.next())
    if (auto b = readable<workflow::bulk_act>(c.key(), c.value()))
      all.push_back(*std::move(b));
  return all;
}

void write_batch::drop_bulk_act(std::uint64_t number) {
  const key of_act{number};
  for (const auto& k : keys_with(txn_, in_.bulk_refusals, of_act))
    txn_.erase(in_.bulk_refusals, k);
  txn_.erase(in_.bulk_acts, of_act);
}

std::size_t write_batch::refusals_of(std::uint64_t bulk) const {
  return keys_with(txn_, in_.bulk_refusals, key{bulk}).size();
}

answer<start_bulk> write_batch::make(const start_bulk& w) {
  known_bulk_acts known{bulk_acts_there(), 0, 0, count_.last_task};
  if (lmdb::cursor c{txn_, in_.bulk_acts}; c.last())
    known.last_number = last_number(c.key());
  known.next_number = workflow::next_number(settings_.options->partition, known.last_number);
  auto d = decide(w, known, {settings_.options->bulk_open_max, settings_.options->bulk_keep_for});
  if (w.is_question)
    return std::move(d.said);
  for (const auto number : d.leave)
    drop_bulk_act(number);
  if (d.put)
    bulk_acts_[d.put->number] = *std::move(d.put);
  return std::move(d.said);
}

answer<advance_bulk> write_batch::make(const advance_bulk& w) {
  auto* const b = bulk_act_of(w.number);
  auto d = decide(w, b != nullptr ? std::optional{*b} : std::nullopt, w.refused.empty() ? 0 : refusals_of(w.number));
  for (const auto& r : d.refusals) {
    const key k{w.number, r.task_number};
    txn_.put(in_.bulk_refusals, k, encode_record(k, r));
  }
  if (d.put)
    *b = *std::move(d.put);
  return std::move(d.said);
}

answer<stop_bulk> write_batch::make(const stop_bulk& w) {
  auto* const b = bulk_act_of(w.number);
  auto d = decide(w, b != nullptr ? std::optional{*b} : std::nullopt);
  if (d.put)
    *b = *std::move(d.put);
  return std::move(d.said);
}

} // namespace steadfast::store
