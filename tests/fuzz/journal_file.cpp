// The journal of a node that was killed, damaged in any way while the store was closed, next to a small real store.
// The store is refused with what to do, or has the acknowledged commits up to some point, and at least those before the
// first damage. Most journals are only read; the first ones, and one in 256, are those of a store that is opened, which
// takes a hundred times as long. The first byte of the input says what it is: `f` all of the file, `e` all that is
// behind its head, else a list of damages, each a kind and two 32-bit numbers.

#include "store/engine/lmdb_engine.hpp"
#include "store/journal/journal.hpp"
#include "store/records/frame.hpp"
#include "store/records/record.hpp"
#include "tests/fuzz/support/damage.hpp"
#include "tests/fuzz/support/fuzz.hpp"
#include "tests/fuzz/support/scratch.hpp"
#include "tests/fuzz/support/seen_store.hpp"
#include "tests/unit/store/support.hpp"

#include <algorithm>
#include <array>
#include <cstring>

using namespace steadfast;
using namespace steadfast::store::test;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t own_name = 0x1122'3344'5566'7788;
constexpr std::uint64_t other_name = own_name + 1;
constexpr std::size_t head_size = 4096;

/// What an entry looks like; its changes are of a kind that there is not.
std::string entry_like(std::uint64_t name, std::uint64_t state, std::uint64_t place, std::size_t size) {
  std::string frame(store::frame_head_size, '\0');
  const std::array<std::uint64_t, 3> label{name, state, place};
  frame.append(reinterpret_cast<const char*>(label.data()), sizeof label);
  frame.append(size, '\xff');
  store::seal(frame, 2, store::record_kind::journal_entry, {});
  return frame;
}

/// As many as there is room for, of another journal.
std::string payload_of_entries(std::size_t size) {
  std::string payload;
  for (std::uint64_t place = 0; payload.size() < size; ++place)
    payload += entry_like(other_name, 7, place, place % 100);
  return payload;
}

/// What node and clients do, a commit each. Nothing is read, so that nothing is saved in between.
class life {
public:
  static constexpr int commits = 9;

  void go_on(store::state_store& s, int i) {
    switch (i) {
      case 1: commit(s, store::submit_task{order("second", payload_of_entries(3000)), at(i)}); return;
      case 2: taken_ = commit(s, store::claim_tasks{"s1", 2, at(i)}).as<store::claim_result>().tasks; return;
      case 3: commit(s, success_of(taken_.at(0), 0, std::string(900, 'r'), i)); return;
      case 5: commit(s, store::acquire_lease{"supervisor", "n1", "a note", workflow::span{1000}, at(i)}); return;
      case 7: commit(s, success_of(taken_.at(1), 0, payload_of_entries(600), i)); return;
      default: commit(s, store::submit_task{order("task-" + std::to_string(i)), at(i)}); return;
    }
  }

private:
  store::outcome commit(store::state_store& s, const store::write& w) {
    auto o = s.commit({w}).at(0);
    fuzz::expect(o.result == store::write_status::applied, "the base store takes what is written", o.why);
    return o;
  }

  std::vector<workflow::task> taken_;
};

store::store_options options_in(const fs::path& folder, std::uint64_t name) {
  auto o = small_options(folder);
  set_reserve(o, 1 << 20);
  o.journal_max = 16 << 10;
  o.journal_name = name;
  return o;
}

/// Killed when so many of its commits were in the journal alone.
struct killed_store {
  explicit killed_store(int count) {
    const auto folder = fuzz::scratch_folder() / "killed";
    {
      store::lmdb_engine engine{options_in(folder, own_name)};
      engine.commit({store::register_definition{delivery()}});
      engine.share([] {});
      for (int i = 0; i < 3; ++i) // of which the journal has leavings
        engine.commit({store::submit_task{order("saved-" + std::to_string(i), payload_of_entries(1500)), at(0)}});
      engine.save();
      life l;
      for (int i = 0; i < count; ++i)
        l.go_on(engine, i);
    }
    data = fuzz::bytes_of(folder / "data.mdb");
    journal = fuzz::bytes_of(folder / "journal");
    const store::lmdb_engine opened{options_in(folder, other_name)};
    told = fuzz::all_of(opened);
    fs::remove_all(folder);
  }

  std::string data;
  std::string journal;
  fuzz::told told; ///< by who opens it
};

struct killed_journal {
  std::string data;
  std::string journal;
  std::uint64_t state = 0;       ///< of the data file, that the entries go on from
  std::vector<std::size_t> ends; ///< of none, one, ... of the entries
  std::vector<fuzz::told> told;  ///< with so many of them
  std::vector<std::string> entries;
};

std::vector<std::string> entries_of(std::string_view data, std::string_view journal, std::uint64_t state) {
  const auto folder = fuzz::scratch_folder() / "read";
  if (!fs::exists(folder))
    fuzz::lay_down(folder, data);
  fuzz::put_private(folder / "journal", journal);
  return store::journal::read(store::store_directory::look_at(folder), own_name, state);
}

killed_journal make_base() {
  killed_journal b;
  for (int count = 0; count < life::commits; ++count)
    b.told.push_back(killed_store{count}.told);
  killed_store whole{life::commits};
  b.told.push_back(std::move(whole.told));
  b.data = std::move(whole.data);
  b.journal = std::move(whole.journal);
  std::memcpy(&b.state, b.journal.data() + head_size + store::frame_head_size + sizeof b.state, sizeof b.state);
  b.ends = {head_size};
  while (b.ends.size() <= life::commits) {
    std::uint32_t body = 0;
    std::memcpy(&body, b.journal.data() + b.ends.back() + store::frame_head_size - sizeof body, sizeof body);
    b.ends.push_back(b.ends.back() + store::frame_head_size + body);
  }
  b.entries = entries_of(b.data, b.journal, b.state);
  fuzz::expect(b.entries.size() == life::commits, "a whole journal has every entry");
  return b;
}

const killed_journal& killed_node() {
  static const killed_journal b = make_base();
  return b;
}

std::size_t length_of(const fuzz::damage& d) {
  return 1 + d.b % 8192;
}

void inflict(std::string& bytes, const fuzz::damage& d) {
  if (bytes.empty())
    return;
  const auto at = d.a % bytes.size();
  const auto end_of_one = killed_node().ends[d.a % killed_node().ends.size()];
  switch (d.kind % 9) {
    case 0: fuzz::flip_bit(bytes, at, d.b); return;
    case 1: fuzz::overwrite(bytes, at, d.b_as_bytes().substr(0, 1)); return;
    case 2: fuzz::overwrite(bytes, at, d.b_as_bytes()); return;
    case 3: fuzz::overwrite(bytes, at, std::string(length_of(d), '\0')); return;
    case 4: fuzz::overwrite(bytes, at, bytes.substr(d.b % bytes.size(), 4096)); return;
    case 5: bytes.resize(at); return;
    case 6: bytes.append(length_of(d), static_cast<char>(d.a)); return;
    case 7: // behind an entry, where the next one is looked for
      if (end_of_one < bytes.size())
        fuzz::overwrite(bytes, end_of_one,
                        entry_like(d.b % 2 == 0 ? own_name : other_name, killed_node().state, d.b % 16, d.b % 500));
      return;
    default: fuzz::overwrite(bytes, at, entry_like(own_name, killed_node().state, d.b % 16, d.b % 500)); return;
  }
}

std::string journal_of(std::string_view input) {
  const auto kind = input.empty() ? '\0' : input.front();
  if (kind == 'f')
    return std::string{input.substr(1)};
  auto bytes = killed_node().journal;
  if (kind == 'e')
    fuzz::overwrite(bytes, head_size, input.substr(1));
  else
    for (const auto& d : fuzz::damages_in(input))
      inflict(bytes, d);
  return bytes;
}

/// Entries before the first byte that is another one.
std::size_t whole_entries(const std::string& journal) {
  const auto& before = killed_node().journal;
  const auto first = std::mismatch(before.begin(), before.end(), journal.begin(), journal.end()).first;
  const auto at = static_cast<std::size_t>(first - before.begin());
  return static_cast<std::size_t>(std::count_if(killed_node().ends.begin() + 1, killed_node().ends.end(),
                                                [&](std::size_t end) { return end <= at; }));
}

bool is_like_an_entry(const std::string& changes) {
  return changes.find_first_not_of('\xff') == std::string::npos;
}

void read_alone(const std::string& journal) {
  const auto& all = killed_node().entries;
  const auto found = entries_of(killed_node().data, journal, killed_node().state);
  const auto known = std::mismatch(found.begin(), found.end(), all.begin(), all.end()).first;
  fuzz::expect(known == found.end() || is_like_an_entry(*known), "an entry is one that was written");
  fuzz::expect(static_cast<std::size_t>(known - found.begin()) >= whole_entries(journal),
               "no entry before the damage is lost");
}

void read_and_work(const store::store_options& options, const std::string& journal) {
  store::lmdb_engine engine{options};
  const auto now = fuzz::all_of(engine);
  const auto& told = killed_node().told;
  const auto found = std::find(told.begin(), told.end(), now);
  fuzz::expect(found != told.end(), "what was acknowledged is there up to some commit, and nothing else");
  fuzz::expect(static_cast<std::size_t>(found - told.begin()) >= whole_entries(journal),
               "no entry before the damage is lost");
  fuzz::expect(engine.check().faults.empty(), "nothing is wrong with the store");
  engine.share([] {});
  const auto o = engine.commit({store::submit_task{order("new"), at(60)}}).at(0);
  fuzz::expect(o.as<store::submit_result>().created && engine.find("new").has_value(), "work goes on", o.why);
}

void open_store_with(const std::string& journal) {
  const auto options = options_in(fuzz::scratch_folder() / "store", other_name + 1);
  fuzz::lay_down(options.path, killed_node().data);
  fuzz::put_private(options.path / "journal", journal);
  read_and_work(options, journal);
}

} // namespace

void fuzz::try_input(std::string_view input) {
  constexpr std::uint64_t opened_first = 40;
  constexpr std::uint64_t opened_one_in = 256;
  static std::uint64_t tried = 0;
  const auto journal = journal_of(input);
  const bool is_opened = tried++ < opened_first || store::hash_of(input) % opened_one_in == 0;
  try {
    read_alone(journal);
    if (is_opened)
      open_store_with(journal);
  } catch (const store::store_error& e) {
    expect(std::string_view{e.what()}.find("journal") != std::string_view::npos, "a refusal names the journal",
           e.what());
    expect(journal != killed_node().journal, "a whole journal is not refused", e.what());
  }
}

/// Not counted as time of the first input.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  killed_node();
  return 0;
}
