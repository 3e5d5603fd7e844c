// What the ids of clients stand for, and their way from table `recent_ids` to table `ids`.

#include "store/engine/write_batch.hpp"

namespace steadfast::store {

namespace {

// So many for each id that comes: a generation has to be moved, and its rows dropped, before the next one is full. To
// move one may take a page of its own, so that is spread over half of the time.
constexpr std::size_t moved_for_each = 2;
constexpr std::size_t dropped_for_each = 4;

constexpr std::size_t read_for_each = 64; ///< rows of table `ids` that were there before this process

} // namespace

std::optional<task_ref> write_batch::ref_of(const std::string& id) const {
  const auto changed = ids_.ids.find(id);
  if (changed != ids_.ids.end())
    return changed->second.number != 0 ? see_.recent_ref(changed->second.number) : std::nullopt;
  const auto number = before_.recent.find(id);
  if (number)
    return see_.recent_ref(*number);
  const auto ref = settings_.moved->may_have(id) ? see_.ref_of(id) : std::nullopt;
  if (!ref)
    need(id);
  return ref;
}

void write_batch::put_id(const workflow::task& t, const std::array<std::uint64_t, 2>& digest) {
  const key k{t.number};
  txn_.append(in_.recent_ids, k, encode_record(k, recent_id{t.id, digest}));
  ids_.ids[t.id] = {t.number, digest};
  ++ids_.arrived;
}

void write_batch::erase_id(const workflow::task& t) {
  txn_.erase(in_.ids, t.id);
  txn_.erase(in_.recent_ids, key{t.number});
  ids_.ids[t.id] = {};
  ids_.gone.push_back(t.id);
}

void write_batch::move_ids() {
  if (ids_.arrived == 0)
    return;
  settings_.moved->read_on(txn_, in_, ids_.arrived * read_for_each);
  if (before_.recent.moved_until() == 0)
    return;
  auto left = before_.recent.left();
  if (left.empty())
    return drop_moved(ids_.arrived * dropped_for_each);
  for (auto more = ids_.arrived * moved_for_each; more > 0 && !left.empty(); --more, left.pop_first()) {
    const auto& [id, ref] = left.first();
    ids_.moved.push_back(&left.first());
    const bool is_gone = ref.number == 0 || (!ids_.gone.empty() && ids_.ids.count(id) != 0);
    if (!is_gone)
      move_id(id, ref);
  }
  ids_.left = std::move(left);
}

/// A row that is damaged is damaged there, too: the id is taken, and nobody knows by what.
void write_batch::move_id(const std::string& id, const recent_ref& ref) {
  settings_.moved->add(id);
  if (ref.digest)
    txn_.put(in_.ids, id, encode_record(id, task_ref{ref.number, *ref.digest}));
  else
    txn_.put(in_.ids, id, std::string{txn_.get(in_.recent_ids, key{ref.number}).value_or(std::string_view{})});
}

void write_batch::drop_moved(std::size_t max) {
  std::vector<std::uint64_t> numbers;
  {
    lmdb::cursor c{txn_, in_.recent_ids};
    for (bool more = c.first(); more && numbers.size() < max; more = c.next()) {
      if (last_number(c.key()) > before_.recent.moved_until())
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
