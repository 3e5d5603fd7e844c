// The changes that an entry of a journal tells of, and the patches in them: the input as it is, on a small real store,
// of which every record is read then; and as two values with a zero byte between them, of which the one is made of the
// other.

#include "store/journal/change_log.hpp"
#include "store/records/compact.hpp"
#include "store/records/frame.hpp"
#include "store/records/patch.hpp"
#include "store/upkeep/check.hpp"
#include "tests/fuzz/support/fuzz.hpp"
#include "tests/fuzz/support/open_base.hpp"

#include <algorithm>
#include <cstring>
#include <random>

using namespace steadfast;
using namespace steadfast::store;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);

namespace {

/// Made, looked at, and undone again.
void make(std::string_view changes) {
  auto& base = fuzz::opened_base();
  auto txn = lmdb::transaction::writing(base.env);
  change_maker maker{txn};
  maker.make(changes);
  maker.finish();
  definition_cache definitions;
  check_records(txn, base.in, {txn, base.in, definitions}); // whatever it finds, it ends
}

// ---- mutation: of the list of changes, or of what is inside the checksum of a record that one of them puts ----

enum kind : std::uint64_t { put_whole = 1, put_patched = 2, erased = 3, task_changed = 4 };

struct change {
  std::uint64_t what = 0;
  std::uint64_t place = 0; ///< of the table; or the number of a task
  std::string key;
  std::string value; ///< or patch
};

struct row {
  std::uint64_t place;
  std::string key;
  std::string value;
};

std::vector<row> read_rows() {
  constexpr std::size_t large = 2000;
  std::vector<row> all;
  const auto& base = fuzz::opened_base();
  const auto txn = lmdb::transaction::reading(base.env);
  for (std::size_t i = 0; i < all_tables.size(); ++i) {
    lmdb::cursor c{txn, base.in.*all_tables.at(i).table};
    for (bool more = c.first(); more; more = c.next())
      if (c.value().size() < large)
        all.push_back({i + 1, std::string{c.key()}, std::string{c.value()}});
  }
  return all;
}

const std::vector<row>& rows() {
  static const auto all = read_rows();
  return all;
}

/// As far as it is one.
std::vector<change> changes_in(std::string_view input) {
  std::vector<change> all;
  try {
    for (compact_reader from{input}; from.left() > 0;) {
      change c;
      c.what = from.take();
      c.place = from.take();
      if (c.what != task_changed)
        c.key = from.take_view(from.take());
      if (c.what != erased)
        c.value = from.take_view(from.take());
      all.push_back(std::move(c));
    }
  } catch (const damaged_record&) {
  }
  return all;
}

std::string bytes_of(const std::vector<change>& all) {
  std::string bytes;
  compact_writer to{bytes};
  const auto put = [&](const std::string& text) {
    to.put(text.size());
    bytes += text;
  };
  for (const auto& c : all) {
    to.put(c.what);
    to.put(c.place);
    if (c.what != task_changed)
      put(c.key);
    if (c.what != erased)
      put(c.value);
  }
  return bytes;
}

std::string mutated(std::string bytes) {
  constexpr std::size_t grow_max = 64;
  const auto size = bytes.size();
  bytes.resize(size + grow_max);
  bytes.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()), size, bytes.size()));
  return bytes;
}

/// Another record under the same key, which checks. What is no record is another value.
std::string mutated_record(const std::string& record, std::string_view key) {
  if (record.size() <= frame_head_size)
    return mutated(record);
  std::uint16_t format = 0;
  std::uint16_t of = 0;
  std::memcpy(&format, record.data() + sizeof(std::uint64_t), sizeof format);
  std::memcpy(&of, record.data() + sizeof(std::uint64_t) + sizeof format, sizeof of);
  auto frame = record.substr(0, frame_head_size) + mutated(record.substr(frame_head_size));
  seal(frame, format, static_cast<record_kind>(of), key);
  return frame;
}

/// Of a row that is there, or of one like it under the key of another.
change change_of_a_row(std::minstd_rand& chance) {
  const auto any = [&]() -> const row& { return rows()[chance() % rows().size()]; };
  const auto& old = any();
  const auto& under = chance() % 4 == 0 ? any() : old;
  const auto after = mutated_record(old.value, under.key);
  const bool is_task = all_tables.at(under.place - 1).table == &tables::tasks;
  change c{put_whole, under.place, under.key, after};
  switch (chance() % 4) {
    case 0: return c;
    case 1: c.what = erased; return c;
    case 2:
      c.what = put_patched;
      c.value.clear();
      append_patch(c.value, under.value, after);
      return c;
    default:
      if (!is_task)
        return c;
      c = {task_changed, last_number(under.key), {}, {}};
      append_patch(c.value, under.value, after);
      return c;
  }
}

void mutate(std::vector<change>& all, std::minstd_rand& chance) {
  const auto any = [&] { return chance() % all.size(); };
  switch (all.empty() ? 0 : chance() % 8) {
    case 0:
    case 1:
    case 2: all.push_back(change_of_a_row(chance)); return;
    case 3: all.erase(all.begin() + static_cast<std::ptrdiff_t>(any())); return;
    case 4: std::swap(all[any()], all[any()]); return;
    case 5: all[any()].place = 1 + chance() % (all_tables.size() + 1); return;
    case 6: {
      auto& c = all[any()];
      c.value = c.what == put_whole ? mutated_record(c.value, c.key) : mutated(c.value);
      return;
    }
    default: {
      auto& c = all[any()];
      c.key = mutated(c.key);
    }
  }
}

} // namespace

void fuzz::try_input(std::string_view input) {
  try {
    make(input);
  } catch (const damaged_record& e) {
    expect(e.what()[0] != '\0', "a refusal says why");
  } catch (const lmdb::error&) { // a key that no table takes
  }

  auto rest = input;
  const auto before = take_to(rest, '\0');
  std::string patch;
  append_patch(patch, before, rest);
  expect(patched(before, patch) == rest, "a patch makes the one of the other");
  try {
    const auto made = patched(before, rest);
    expect(made.size() <= input.size(), "what a patch makes is no larger than what it was given");
  } catch (const damaged_record&) {
  }
}

/// Called by libFuzzer.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t size_max,
                                               unsigned seed) {
  std::minstd_rand chance{seed};
  auto all = changes_in({reinterpret_cast<const char*>(data), size});
  if (chance() % 4 == 0)
    return LLVMFuzzerMutate(data, size, size_max);
  mutate(all, chance);
  const auto bytes = bytes_of(all);
  if (bytes.size() > size_max)
    return LLVMFuzzerMutate(data, size, size_max);
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}

/// Not counted as time of the first input.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  rows();
  return 0;
}
