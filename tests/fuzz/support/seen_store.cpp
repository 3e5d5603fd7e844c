#include "tests/fuzz/support/seen_store.hpp"

#include "store/records/record.hpp"
#include "tests/fuzz/support/fuzz.hpp"
#include "tests/fuzz/support/scratch.hpp"
#include "tests/unit/store/support.hpp"

#include <algorithm>
#include <fstream>

namespace steadfast::fuzz {

namespace fs = std::filesystem;
using namespace store::test;

namespace {

constexpr std::size_t entries_max = 10'000;
constexpr int tasks = 12;
constexpr int worked_on = 5;

std::string text_of(std::uint64_t n) {
  return std::to_string(n);
}

void add_tasks(told& to, const store::state_store& s) {
  for (const auto& t : s.list({}, {}, entries_max).tasks) {
    to["listed task " + text_of(t.number)] = store::encode(t);
    if (const auto whole = s.find(t.number))
      to["task " + text_of(t.number)] = store::encode(*whole);
    if (const auto named = s.find(t.id))
      to["task " + t.id] = store::encode(*named);
    if (auto exported = s.export_task(t.id)) {
      exported->late_replies.clear(); // told below; a damaged one is left out of the export
      to["exported task " + t.id] = store::encode(*exported);
    }
  }
  for (const auto& t : s.overdue(workflow::instant_max, {}, entries_max).tasks)
    to["due task " + text_of(t.number)] = store::encode(t);
}

void add_others(told& to, const store::state_store& s) {
  for (const auto& d : s.definitions({}, 1000))
    to["definition " + d.name + " " + text_of(d.version)] = store::encode(d);
  for (const auto& l : s.leases({workflow::never}))
    to["lease " + l.name] = store::encode(l);
  for (const auto& a : s.alerts(false, entries_max))
    to["alert " + text_of(a.number)] = store::encode(a);
  for (const auto& a : s.alerts(true, entries_max))
    to["open alert " + text_of(a.number)] = store::encode(a);
  for (const auto& n : s.notices("shop", 0, 0, entries_max))
    to["notice " + text_of(n.what.sequence) + " of " + text_of(n.task_number)] = store::encode(n);
  for (const auto& r : s.late_replies({}, entries_max))
    to["late reply to " + text_of(r.task_number) + " of " + text_of(r.what.attempt)] = store::encode(r);
}

store::submit_task submission(int i) {
  auto s = order("task-" + std::to_string(i), std::string(i % 8 == 0 ? 9000 : 60, static_cast<char>('a' + i)));
  s.reply_to = "shop";
  s.not_before = i % 5 == 4 ? at(1000 + i) : workflow::unset;
  return {s, at(i)};
}

/// One commit after the other; each of them changes something.
std::vector<std::vector<store::write>> first_writes() {
  std::vector<std::vector<store::write>> all{
    {store::register_definition{delivery()}, store::register_definition{delivery(2)}}};
  for (int i = 0; i < tasks; i += 4)
    all.push_back({submission(i), submission(i + 1), submission(i + 2), submission(i + 3)});
  all.push_back({store::acquire_lease{"supervisor", "n1", "a note", workflow::span{1000}, at(1)},
                 store::acquire_lease{"node/n1", "n1:7", "another", workflow::span{1000}, at(1)}});
  all.push_back({store::record_act{"ann", "drained node `one`", "maintenance", at(2)}});
  return all;
}

/// A task is taken and its first step succeeds; some with much to tell.
std::vector<store::write> work_on(const workflow::task& t, int i) {
  auto u = success_of(t, 0, std::string(i % 3 == 0 ? 5000 : 20, 'r'), i + 3);
  u.alerts = {{"waiting", "for too long", "drone", at(i)}};
  return {u, store::keep_late_reply{t.number,
                                    {"package", static_cast<std::uint32_t>(i), 1, "attempt_failed", "late", at(i)}}};
}

store::store_options options_of_base() {
  auto o = small_options(scratch_folder() / "base");
  set_reserve(o, 1 << 20);
  return o;
}

base_store make_base() {
  base_store b;
  const auto options = options_of_base();
  {
    store::lmdb_engine engine{options};
    const auto commit = [&](const std::vector<store::write>& batch) {
      for (const auto& o : engine.commit(batch))
        expect(o.result == store::write_status::applied, "the base store takes what is written", o.why);
      b.past.add(all_of(engine));
    };
    b.past.add(all_of(engine));
    for (const auto& batch : first_writes())
      commit(batch);
    for (int i = 0; i < worked_on; ++i) {
      const auto taken = engine.commit({store::claim_tasks{"s1", 1, at(30 + i)}}).at(0).as<store::claim_result>().tasks;
      b.past.add(all_of(engine));
      commit(work_on(taken.at(0), i));
    }
    commit({store::acknowledge_alert{2, "ann", at(50)}, store::acknowledge_notices{"shop", 1, 1}});
  }
  b.bytes = bytes_of(options.path / "data.mdb");
  b.closed = bytes_of(options.path / "closed");
  fs::remove_all(options.path);
  return b;
}

} // namespace

told all_of(const store::state_store& s) {
  told all;
  add_tasks(all, s);
  add_others(all, s);
  return all;
}

void history::add(told now) {
  for (const auto& [thing, bytes] : now)
    ever[thing].insert(bytes);
  states.push_back(std::move(now));
}

std::string history::never_told(const told& now) const {
  for (const auto& [thing, bytes] : now)
    if (const auto known = ever.find(thing); known == ever.end() || !known->second.contains(bytes))
      return thing;
  return {};
}

bool history::knows(const told& now) const {
  return std::find(states.begin(), states.end(), now) != states.end();
}

std::string history::changed_in(const told& now) const {
  for (const auto& [thing, bytes] : states.back())
    if (const auto found = now.find(thing); found == now.end() || found->second != bytes)
      return thing;
  return {};
}

const base_store& base() {
  static const base_store b = make_base();
  return b;
}

void put_private(const fs::path& path, std::string_view bytes) {
  std::ofstream file{path, std::ios::binary | std::ios::trunc};
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  expect(static_cast<bool>(file.flush()), "a file can be written");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
}

void lay_down(const fs::path& directory, std::string_view data, std::string_view closed) {
  fs::create_directory(directory);
  fs::permissions(directory, fs::perms::owner_all);
  for (const char* other : {"closed", "lock.mdb"})
    fs::remove(directory / other);
  put_private(directory / "data.mdb", data);
  if (!closed.empty())
    put_private(directory / "closed", closed);
}

} // namespace steadfast::fuzz
