// A change is its kind, its table (by the place in all_tables, counted from 1), the length of its key, the key, and, but for an
// erasure, the length of what follows: the value, or the patch that makes it of the value before.

#include "store/change_log.hpp"

#include "store/compact.hpp"
#include "store/patch.hpp"
#include "workflow/mutant.hpp"

#include <algorithm>

namespace steadfast::store {

namespace {

enum change_kind : std::uint8_t { put_whole = 1, put_patched = 2, erased = 3 };

/// Shorter values are told whole.
constexpr std::size_t patched_from = 64;

std::uint64_t place_of(const tables& in, lmdb::table t) {
  const auto found = std::find_if(all_tables.begin(), all_tables.end(),
                                  [&](const table_entry& e) { return (in.*e.table).dbi == t.dbi; });
  return static_cast<std::uint64_t>(found - all_tables.begin()) + 1;
}

lmdb::table table_at(const lmdb::transaction& txn, std::uint64_t place) {
  const auto t =
    place >= 1 && place <= all_tables.size() ? txn.open_table(all_tables.at(place - 1).name) : std::nullopt;
  if (!t)
    throw damaged_record{"a change names a table that there is not"};
  return *t;
}

} // namespace

void change_log::add(std::uint8_t what, lmdb::table t, std::string_view key) {
  compact_writer out{bytes_};
  out.put(what);
  out.put(place_of(in_, t));
  out.put(key.size());
  out.save_binary(key.data(), key.size());
}

void change_log::on_put(lmdb::table t, std::string_view key, std::string_view before, std::string_view value) {
  compact_writer out{bytes_};
  if (before.size() < patched_from) {
    add(put_whole, t, key);
    out.put(value.size());
    out.save_binary(value.data(), value.size());
    return;
  }
  add(put_patched, t, key);
  thread_local std::string patch;
  patch.clear();
  append_patch(patch, before, value);
  out.put(patch.size());
  out.save_binary(patch.data(), patch.size());
}

void change_log::on_erase(lmdb::table t, std::string_view key) {
  add(erased, t, key);
}

void make_changes(lmdb::transaction& txn, std::string_view changes) {
  compact_reader from{changes};
  while (from.left() > 0) {
    const auto kind = from.take();
    const auto t = table_at(txn, from.take());
    const auto key = from.take_view(from.take());
    if (kind == erased) {
      txn.erase(t, key);
    } else if (kind == put_whole) {
      txn.put(t, key, from.take_view(from.take()));
    } else if (kind == put_patched) {
      const auto before = txn.get(t, key);
      txn.put(t, key, patched(before.value_or(std::string_view{}), from.take_view(from.take())));
    } else {
      throw damaged_record{"a change is of an unknown kind"};
    }
  }
}

} // namespace steadfast::store
