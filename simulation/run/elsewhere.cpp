#include "simulation/run/elsewhere.hpp"

#include "store/engine/lmdb_store.hpp"
#include "store/records/record.hpp"
#include "store/upkeep/export_file.hpp"
#include "store/upkeep/restore.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

namespace steadfast::simulation {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t tasks_looked_at = 50;          ///< tasks
constexpr std::size_t tasks_taken_over = 4;          ///< likewise
constexpr std::uint64_t opened_last = 2'000'000'000; ///< seconds; than any store of the run was opened

class another_place {
public:
  another_place(const store::local_store& s, const workflow::partition& of, fs::path folder,
                const std::function<void(std::string)>& complain)
      : store_{s},
        partition_{of},
        folder_{std::move(folder)},
        complain_{complain} {
    fs::create_directories(folder_);
  }
  ~another_place() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  another_place(const another_place&) = delete;
  another_place& operator=(const another_place&) = delete;

  void restore_twice() {
    store_.copy(folder_ / "copy");
    const auto first = restored("first", 1);
    const auto second = restored("second", 2);
    expect(!is_done([&] { store::restore(folder_ / "copy", options_of_copy("first", 3), false); }),
           "a store was restored over another one (P26)");
    for (const auto& t : store_.list({}, std::nullopt, tasks_looked_at).tasks) {
      const auto there = first->find(t.id);
      const auto again = second->find(t.id);
      if (!there || !again || there->state != t.state || there->steps.size() != t.steps.size()) {
        expect(false, t.id + " is not in a copy as it is in the store (P26)");
        continue;
      }
      expect(workflow::has_ended(t) || (there->lock_epoch > t.lock_epoch && again->lock_epoch > there->lock_epoch),
             t.id + " has an epoch in a restored copy that another one gives too (P26)");
    }
    for (const auto* s : {first.get(), second.get()})
      for (const auto& fault : s->check().faults)
        expect(false, "a restored copy is broken: " + fault + " (P26)");
  }

  void take_over() {
    const auto other = store::open_lmdb_store(options("other", 4));
    for (const auto& t : store_.list({}, std::nullopt, tasks_taken_over).tasks)
      if (const auto x = store_.export_task(t.id))
        take_over(*x, *other);
    for (const auto& fault : other->check().faults)
      expect(false, "a store with imported tasks is broken: " + fault);
    expect(!is_done([&] { store::open_lmdb_store(options("other", 5)); }), "a store was opened twice (P19)");
    forget_leases(*other);
    act_on_many(*other);
    mend_a_file(*other);
  }

  /// A store without its data file is not made again, nor one whose reserve cannot take its journal.
  void lose_a_file() {
    fs::remove(folder_ / "second" / "data.mdb");
    expect(!is_done([&] { store::open_lmdb_store(options_of_copy("second", 6)); }),
           "a store without its data was opened (P1)");
    auto o = options("narrow", 7);
    o.journal_max = o.size_reserve;
    expect(!is_done([&] { store::open_lmdb_store(o); }), "a store was opened whose reserve is too small (P4)");
  }

  /// When there is no room new work is refused, and accepted work continues.
  void fill_up() {
    const auto tasks = store_.list({}, std::nullopt, 1).tasks;
    const auto x = tasks.empty() ? std::nullopt : store_.export_task(tasks.front().id);
    if (!x)
      return;
    auto o = options("full", 8);
    o.size_max = 3 << 20;
    const auto s = store::open_lmdb_store(o);
    outcome_of(*s, store::register_definition{x->definition});
    store::submit_task w{{}, x->task.submitted_at};
    w.what.workflow = x->task.workflow;
    auto document = nlohmann::json::parse(x->task.payload.view(), nullptr, false);
    if (!document.is_object())
      return;
    document["more"] = std::string(100'000, 'x');
    w.what.payload = workflow::blob{document.dump()};
    auto told = store::write_status::applied;
    const bool goes_on = is_done([&] {
      for (int i = 0; i < 60 && told == store::write_status::applied; ++i) {
        w.what.id = "filling-" + std::to_string(i);
        told = outcome_of(*s, w);
      }
    });
    if (told == store::write_status::refused)
      return; // a person has edited its payload
    expect(goes_on && told == store::write_status::full, "a full store does not refuse new work (P25)");
    const store::claim_tasks claim{"one", 10, w.now};
    const store::free_locks freed{"one", 1000, true, w.now};
    for (int i = 0; i < 20; ++i)
      expect(is_done([&] { outcome_of(*s, claim), outcome_of(*s, freed); }),
             "a full store does not record running work (P25)");
  }

private:
  store::store_options options(const std::string& name, std::uint64_t nth) const {
    store::store_options o;
    o.path = folder_ / name;
    o.size_max = 1 << 28;
    o.size_reserve = 1 << 20;
    o.journal_max = 64 << 10;
    o.journal_name = nth;
    o.epochs_from = store::epochs_at(opened_last + nth);
    return o;
  }

  store::store_options options_of_copy(const std::string& name, std::uint64_t nth) const {
    auto o = options(name, nth);
    o.partition = partition_;
    return o;
  }

  /// Where another restore was killed.
  std::unique_ptr<store::state_store> restored(const std::string& name, std::uint64_t nth) {
    fs::create_directories(folder_ / name / "restoring");
    fs::permissions(folder_ / name, fs::perms::owner_all);
    std::ofstream{folder_ / name / "restoring" / "data.mdb"} << "half of it";
    try {
      store::restore(folder_ / "copy", options_of_copy(name, nth), false);
    } catch (const store::store_error& e) {
      expect(false, std::string{"a copy cannot be restored: "} + e.what() + " (P26)");
    }
    return store::open_lmdb_store(options_of_copy(name, nth));
  }

  void take_over(const store::exported_task& x, store::state_store& other) {
    const auto file = folder_ / "task";
    fs::remove(file);
    store::write_export(file, x);
    expect(!is_done([&] { store::write_export(file, x); }), "the file of an exported task was written over (P4)");
    const store::import_task w{store::read_export(file), "grace", "because", x.task.submitted_at};
    auto wrong = w;
    wrong.what.task.steps.resize(wrong.what.task.steps.size() - 1);
    expect(outcome_of(other, wrong) == store::write_status::refused, x.task.id + " was imported, and cannot be (P24)");
    expect(outcome_of(other, w) == store::write_status::applied, x.task.id + " was exported, and cannot be imported");
    expect(outcome_of(other, w) == store::write_status::refused, x.task.id + " was imported twice (P2)");
    const auto there = other.find(x.task.id);
    if (!there)
      return expect(false, x.task.id + " was imported, and is not there (P1)");
    expect(workflow::has_ended(*there) || there->state == workflow::process_state::suspended,
           x.task.id + " goes on where it was imported (P8)");
    expect(there->payload == x.task.payload && there->generation == x.task.generation
             && std::equal(there->steps.begin(), there->steps.end(), x.task.steps.begin(), x.task.steps.end(),
                           [](const auto& a, const auto& b) { return a.result == b.result && a.attempt == b.attempt; }),
           x.task.id + " was imported as another (P4)");
    const auto said = other.alerts(false, tasks_looked_at);
    expect(std::any_of(said.begin(), said.end(), [&](const auto& a) { return a.task_number == there->number; }),
           x.task.id + " was imported, and nothing says by whom (P33)");
  }

  /// Names are forgotten; their epochs continue.
  void forget_leases(store::state_store& s) {
    const auto first = acquired(s, "a", 300).front();
    acquired(s, "b", 300);
    expect(acquired(s, "a", 1).front() > first, "a lease that was forgotten begins with its epochs anew (P18)");
  }

  /// And released; their epochs.
  static std::vector<std::uint64_t> acquired(store::state_store& s, const std::string& name, int count) {
    std::vector<store::write> acquire;
    for (int i = 0; i < count; ++i)
      acquire.emplace_back(store::acquire_lease{
        name + std::to_string(i), "grace", {}, workflow::span{1000}, workflow::instant{std::chrono::hours{1}}});
    std::vector<std::uint64_t> epochs;
    std::vector<store::write> release;
    for (const auto& o : s.commit(acquire)) {
      const auto epoch = o.as<store::lease_result>().epoch;
      release.emplace_back(store::release_lease{name + std::to_string(epochs.size()), "grace", epoch});
      epochs.push_back(epoch);
    }
    s.commit(release);
    return epochs;
  }

  void act_on_many(store::state_store& s) {
    store::start_bulk begun;
    begun.what.act = workflow::task_act::suspend;
    begun.what.who = "grace";
    begun.what.filter = store::encode(store::task_filter{});
    std::size_t open = 0;
    std::uint64_t number = 0;
    for (; open < 2 * store::store_options{}.bulk_open_max; ++open) {
      const auto o = s.commit_one(begun);
      if (o.result != store::write_status::applied)
        break;
      number = o.number;
    }
    expect(open == store::store_options{}.bulk_open_max, std::to_string(open) + " bulk acts are open (P28)");
    store::advance_bulk page{number, 1, false, {}, 0, {}};
    for (std::uint64_t i = 1; i <= workflow::bulk_refusals_max + 10; ++i)
      page.refused.push_back({i, "t" + std::to_string(i), "so it is"});
    outcome_of(s, page);
    expect(s.find_bulk_act(number).refusals.size() == workflow::bulk_refusals_max,
           "refusals of a bulk act are kept without a bound (P28)");
  }

  /// A workflow file that was changed without a new version is an incident, until the change is reverted.
  void mend_a_file(store::state_store& s) {
    const auto all = s.definitions({}, 1000);
    if (all.empty())
      return;
    auto changed = all.front();
    changed.deadline += workflow::span{1};
    const auto before = s.alerts(true, tasks_looked_at).size();
    const store::write again = store::register_definition{changed, "w.toml", {}};
    const auto said = s.commit(store::write_list{&again}).front().why;
    const auto now = s.alerts(true, tasks_looked_at).size();
    expect(now == before + 1, "a workflow file that was changed is not told of: " + changed.name + ", " + said + ", "
                                + std::to_string(before) + " and " + std::to_string(now) + " alerts (P17)");
    outcome_of(s, store::register_definition{all.front(), "w.toml", {}});
    expect(s.alerts(true, tasks_looked_at).size() == before, "a workflow file that was mended is told of (P17)");
  }

  static store::write_status outcome_of(store::state_store& s, const store::write& w) {
    return s.commit(store::write_list{&w}).front().result;
  }

  template <class Act>
  static bool is_done(const Act& act) {
    try {
      act();
      return true;
    } catch (const store::store_error&) {
      return false;
    }
  }

  void expect(bool holds, const std::string& sentence) {
    if (!holds)
      complain_(sentence);
  }

  const store::local_store& store_;
  const workflow::partition partition_;
  const fs::path folder_;
  const std::function<void(std::string)>& complain_;
};

} // namespace

void look_elsewhere(const store::local_store& s, const workflow::partition& of, const fs::path& folder,
                    const std::function<void(std::string)>& complain) {
  another_place p{s, of, folder, complain};
  p.restore_twice();
  p.lose_a_file();
  p.take_over();
  p.fill_up();
}

} // namespace steadfast::simulation
