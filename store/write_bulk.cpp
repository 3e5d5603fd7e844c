// Acts on many tasks. That a task took one is noted in the commit in which it took it, so it is met once, whatever
// happens between.

#include "store/write_batch.hpp"

#include "store/record.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>
#include <limits>

namespace steadfast::store {

workflow::bulk_act* write_batch::bulk_act_of(std::uint64_t number) {
  if (const auto known = bulk_acts_.find(number); known != bulk_acts_.end())
    return &known->second;
  const key k{number};
  const auto bytes = txn_.get(in_.bulk_acts, k);
  return bytes ? &bulk_acts_.emplace(number, decode_record<workflow::bulk_act>(k, *bytes)).first->second : nullptr;
}

std::optional<decision> write_batch::not_for_bulk(std::uint64_t number, std::uint64_t task) {
  const auto* const b = bulk_act_of(number);
  if (b == nullptr || !workflow::has_yet_to_meet(*b, task))
    return turned_down(verdict::absent, "bulk act " + std::to_string(number) + " is over, or has met the task before");
  return std::nullopt;
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
  const key begin{number};
  std::vector<std::string> refusals;
  {
    lmdb::cursor c{txn_, in_.bulk_refusals};
    for (bool more = c.seek(begin); more && c.key().starts_with(begin.view()); more = c.next())
      refusals.emplace_back(c.key());
  }
  for (const auto& k : refusals)
    txn_.erase(in_.bulk_refusals, k);
  txn_.erase(in_.bulk_acts, begin);
}

answer<start_bulk> write_batch::make(const start_bulk& w) {
  if (const auto wrong = workflow::problems(w.what); !wrong.empty())
    return turned_down(verdict::refused, wrong.front());
  const auto there = bulk_acts_there();
  const auto open = std::count_if(there.begin(), there.end(), workflow::is_open);
  if (open >= static_cast<std::ptrdiff_t>(settings_.options->bulk_open_max))
    return turned_down(verdict::refused, std::to_string(open)
                                           + " bulk acts are open, and bulk.open_max allows no more: wait for one to "
                                             "end, or stop one");
  std::uint64_t last = 0;
  if (lmdb::cursor c{txn_, in_.bulk_acts}; c.last())
    last = last_number(c.key());
  auto over = there.size() - static_cast<std::size_t>(open);
  for (const auto& b : there) // the newest one is never dropped, so a number is never given twice
    if (!workflow::is_open(b) && b.number != last
        && (over >= workflow::bulk_acts_kept || workflow::may_leave(b, settings_.options->bulk_keep_for, w.now))) {
      drop_bulk_act(b.number);
      --over;
    }
  auto& b = bulk_acts_[last + 1];
  b.number = last + 1;
  b.act = w.what.act;
  b.step = w.what.step;
  b.document = w.what.document;
  b.new_key = w.what.new_key;
  b.who = w.what.who;
  b.why = w.what.why;
  b.where = w.what.where;
  b.filter = w.what.filter;
  b.about = w.what.about;
  b.beyond = b.position = count_.last_task + 1;
  b.started_at = w.now;
  answer<start_bulk> o = applied();
  o.number = b.number;
  return o;
}

std::size_t write_batch::refusals_of(std::uint64_t bulk) const {
  const key begin{bulk};
  std::size_t kept = 0;
  lmdb::cursor c{txn_, in_.bulk_refusals};
  for (bool more = c.seek(begin); more && c.key().starts_with(begin.view()); more = c.next())
    ++kept;
  return kept;
}

answer<advance_bulk> write_batch::make(const advance_bulk& w) {
  auto* const b = bulk_act_of(w.number);
  if (b == nullptr)
    return turned_down(verdict::absent, "there is no bulk act with the number " + std::to_string(w.number));
  if (!w.refused.empty())
    for (auto kept = refusals_of(w.number); const auto& r : w.refused) {
      if (kept++ >= workflow::bulk_refusals_max)
        break;
      const key k{w.number, r.task_number};
      const workflow::bulk_refusal clipped{r.task_number, r.task_id, workflow::clipped(r.why, workflow::note_size_max)};
      txn_.put(in_.bulk_refusals, k, encode_record(k, clipped));
    }
  workflow::pass(*b, {w.position, w.is_last, w.refused.size(), w.skipped}, w.now);
  return applied();
}

answer<stop_bulk> write_batch::make(const stop_bulk& w) {
  auto* const b = bulk_act_of(w.number);
  if (b == nullptr)
    return turned_down(verdict::absent, "there is no bulk act with the number " + std::to_string(w.number));
  if (!workflow::is_open(*b))
    return turned_down(verdict::refused, "bulk act " + std::to_string(w.number) + " is over already");
  workflow::stop(*b, w.who, w.why, w.now);
  return applied();
}

} // namespace steadfast::store
