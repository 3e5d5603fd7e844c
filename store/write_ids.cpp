// What the ids of clients stand for, and their way from table `recent_ids` to table `ids`.

#include "store/write_batch.hpp"
#include "workflow/mutant.hpp"

namespace steadfast::store {

namespace {

// So many for each id that comes: a generation has to be moved, and its rows dropped, before the next one is full. To move one
// may take a page of its own, so that is spread over half of the time.
constexpr std::size_t moved_for_each = 2;
constexpr std::size_t dropped_for_each = 4;

} // namespace

std::optional<task_ref> write_batch::ref_of(const std::string& id) const {
  const auto changed = ids_.ids.find(id);
  const auto number = changed != ids_.ids.end() ? changed->second : settings_.recent->find(id);
  return number ? see_.recent_ref(*number) : see_.ref_of(id);
}

void write_batch::put_id(const workflow::task& t, const std::array<std::uint64_t, 2>& digest) {
  const key k{t.number};
  txn_.append(in_.recent_ids, k, encode_record(k, recent_id{t.id, digest}));
  ids_.ids[t.id] = t.number;
  ++ids_.arrived;
}

void write_batch::erase_id(const workflow::task& t) {
  txn_.erase(in_.ids, t.id);
  txn_.erase(in_.recent_ids, key{t.number});
  ids_.ids[t.id] = std::nullopt;
}

void write_batch::move_ids() {
  if (settings_.recent->moved_until() == 0 || ids_.arrived == 0)
    return;
  const auto& moving = settings_.recent->moving();
  if (moving.empty())
    return drop_moved(ids_.arrived * dropped_for_each);
  const auto max = ids_.arrived * moved_for_each;
  for (auto at = moving.begin(); at != moving.end() && ids_.moved < max; ++at, ++ids_.moved)
    if (ids_.ids.count(at->first) == 0) // else it was purged in this batch
      move_id(at->first, at->second);
}

/// A row that is damaged is damaged there, too: the id is taken, and nobody knows by what.
void write_batch::move_id(const std::string& id, std::uint64_t number) {
  if (workflow::mutant("moved_id_lost"))
    return;
  const key k{number};
  const std::string row{txn_.get(in_.recent_ids, k).value_or(std::string_view{})};
  if (const auto recent = readable<recent_id>(k, row))
    txn_.put(in_.ids, id, encode_record(id, task_ref{number, recent->digest}));
  else
    txn_.put(in_.ids, id, row);
}

void write_batch::drop_moved(std::size_t max) {
  std::vector<std::uint64_t> numbers;
  {
    lmdb::cursor c{txn_, in_.recent_ids};
    for (bool more = c.first(); more && numbers.size() < max; more = c.next()) {
      if (last_number(c.key()) > settings_.recent->moved_until())
        break;
      numbers.push_back(last_number(c.key()));
    }
  }
  for (const auto number : numbers)
    txn_.erase(in_.recent_ids, key{number});
  ids_.has_dropped_all = numbers.size() < max;
}

/// A damaged state record does not tell; a scan does, if slowly.
std::string write_batch::id_of(std::uint64_t number) const {
  const key k{number};
  if (const auto row = txn_.get(in_.recent_ids, k))
    if (auto recent = readable<recent_id>(k, *row))
      return std::move(recent->id);
  lmdb::cursor c{txn_, in_.ids};
  for (bool more = c.first(); more; more = c.next())
    if (const auto ref = readable<task_ref>(c.key(), c.value()); ref && ref->number == number)
      return std::string{c.key()};
  return {};
}

} // namespace steadfast::store
