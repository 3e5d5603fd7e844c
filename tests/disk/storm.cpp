#include "tests/disk/storm.hpp"

#include "simulation/lying_disk/lying_disk.hpp"
#include "store/upkeep/restore.hpp"
#include "tests/disk/book.hpp"
#include "tests/unit/store/support.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <iterator>
#include <random>
#include <stdexcept>

namespace steadfast::tests {

namespace {

namespace fs = std::filesystem;
using namespace store;
using namespace store::test;
using simulation::disk_lies;
using simulation::lying_disk;
using workflow::task;

[[noreturn]] void broken(const std::string& what) {
  throw std::runtime_error{what};
}

struct stored_copy {
  fs::path path;
  book what;
};

bool is_open(const task& t) {
  return !workflow::has_ended(t);
}

class storm {
public:
  storm(std::uint64_t seed, fs::path folder)
      : draw_{seed},
        single_faults_{~seed},
        folder_{std::move(folder)},
        disk_{folder_ / "disk", seed} {
    faults_.sync_permille = pick({0, 0, 0, 10, 80});
    faults_.write_permille = pick({0, 0, 0, 0, 10});
    faults_.short_permille = pick({0, 0, 0, 10, 80});
    is_full_now_and_then_ = below(4) == 0;
    is_shared_ = below(5) > 0;
    options_ = small_options(store_path());
    options_.size_max = 32 << 20;
    options_.size_reserve = 1 << 20;
    options_.recent_ids_max = 1 + below(8);
    options_.journal_max = std::size_t{4096} << below(5);
    settings_.map_initial = below(2) == 0 ? 256 << 10 : 32 << 20;
  }

  storm_report ride_out() {
    const auto lives = 2 + below(5);
    for (std::uint64_t i = 0; i < lives; ++i) {
      if (below(6) == 0 && !copies_.empty())
        go_back_to_a_copy();
      live();
    }
    disk_.set_faults(faults_ = {});
    is_full_now_and_then_ = false;
    open_in_peace(); // whatever was in doubt is known
    store_.reset();
    if (below(3) == 0)
      look_after_damage();
    return report_;
  }

private:
  std::uint64_t below(std::uint64_t bound) { return draw_() % bound; }
  std::uint32_t pick(std::initializer_list<std::uint32_t> all) { return std::data(all)[below(all.size())]; }
  fs::path store_path() const { return folder_ / "disk" / "place" / ("store-" + std::to_string(stores_)); }

  // ---- lives ----

  void live() {
    ++report_.lives;
    faults_.is_full = is_full_now_and_then_ && below(2) == 0;
    disk_.set_faults(faults_);
    if (below(2) == 0)
      disk_.stop_at(1 + below(below(2) == 0 ? 40 : 400));
    if (single_faults_() % 4 == 0)
      disk_.fail_sync(1 + single_faults_() % 30);
    if (!open() || !work())
      return end(false);
    end(below(3) == 0);
  }

  /// False: the process ended of it.
  bool open() {
    try {
      new_opening();
      store_ = std::make_unique<lmdb_engine>(options_, settings_);
      share();
      const auto outcomes = store_->commit({register_definition{delivery()}});
      if (outcomes[0].result != write_status::applied && !faults_.is_full)
        broken("the workflow was refused: " + outcomes[0].why);
    } catch (const store_error& e) {
      if (!may_fail())
        broken(std::string{"the store was refused: "} + e.what());
      return false;
    }
    return settle();
  }

  void new_opening() {
    options_.journal_name = fresh_journal_name();
    options_.epochs_from = epochs_at(1'700'000'000 + 1000 * ++openings_);
  }

  /// As the store's actor does: without a journal it goes on.
  void share() {
    if (!is_shared_)
      return;
    try {
      store_->share([] {});
    } catch (const store_error&) {
    }
  }

  void open_in_peace() {
    disk_.set_faults({});
    if (!open())
      broken("the store was not opened though nothing failed");
  }

  bool may_fail() const {
    return disk_.is_stopped() || disk_.failures() > 0 || faults_.is_full || faults_.short_permille > 0;
  }

  /// False: the process ended of it.
  bool work() {
    const auto steps = 1 + below(40);
    for (std::uint64_t i = 0; i < steps; ++i) {
      now_ += static_cast<std::int64_t>(below(3));
      if (is_full_now_and_then_ && below(8) == 0) {
        faults_.is_full = !faults_.is_full;
        disk_.set_faults(faults_);
      }
      if (!commit())
        return false;
      if (below(6) == 0 && !save())
        return false;
      if (below(12) == 0)
        look();
      if (below(25) == 0)
        copy();
    }
    return true;
  }

  void end(bool is_orderly) {
    faults_.is_full = false;
    report_.failed_calls += disk_.failures() > 0 ? 1 : 0;
    if (is_orderly) {
      save();
      store_.reset();
      if (disk_.is_stopped() || below(2) == 0)
        return start_again();
      return disk_.go_on();
    }
    disk_.stop();
    store_.reset();
    if (below(2) == 0)
      disk_.go_on();
    else
      start_again();
  }

  void start_again() {
    disk_.stop();
    disk_.start_again();
    ++report_.power_cuts;
  }

  // ---- commits ----

  book after(const std::vector<planned>& batch, bool no_room) const {
    auto b = book_;
    for (const auto& p : batch)
      p.effect(b, no_room);
    return b;
  }

  bool commit() {
    std::vector<planned> batch;
    for (auto n = 1 + below(5); n > 0; --n)
      planner_.plan(batch, book_, at(now_));
    write_list writes;
    for (const auto& p : batch)
      writes.push_back(&p.what);
    try {
      const auto outcomes = store_->commit(writes);
      expect_sound_disk();
      const bool no_room =
        std::any_of(outcomes.begin(), outcomes.end(), [](const auto& o) { return o.result == write_status::full; });
      report_.full += no_room ? 1 : 0;
      if (no_room && !faults_.is_full)
        broken("new work was refused though there is room");
      book_ = after(batch, no_room);
      for (std::size_t i = 0; i < batch.size(); ++i)
        note_epochs(batch[i].what, outcomes[i]);
      ++report_.commits;
      return true;
    } catch (const store_error& e) {
      if (e.is_fatal()) {
        in_doubt_ = {after(batch, false), after(batch, true)};
        expect_nothing_more();
        return false;
      }
      if (!faults_.is_full)
        broken(std::string{"a commit was refused though there is room: "} + e.what());
      return true;
    }
  }

  void expect_sound_disk() const {
    if (disk_.failures(store_path() / "data.mdb") > 0 || disk_.failures(store_path() / "journal") > 0)
      broken("a commit was acknowledged after a write or a sync had failed (P25): "
             + std::to_string(disk_.failures(store_path() / "data.mdb")) + " of the data file, "
             + std::to_string(disk_.failures(store_path() / "journal")) + " of the journal");
  }

  void expect_nothing_more() {
    try {
      store_->commit({submit_task{order("never"), at(now_)}});
    } catch (const store_error& e) {
      if (e.is_fatal())
        return;
    }
    broken("the store went on after a fatal error (P25)");
  }

  void note_epochs(const store::write& w, const outcome& o) {
    if (const auto* a = std::get_if<acquire_lease>(&w); a && o.result == write_status::applied)
      take_lease(a->name, o.as<lease_result>().epoch);
    if (!std::holds_alternative<claim_tasks>(w))
      return;
    for (const auto& t : o.as<claim_result>().tasks)
      highest_epoch_ = std::max(highest_epoch_, t.lock_epoch);
  }

  void take_lease(const std::string& name, std::uint64_t epoch) {
    auto& known = book_.lease_epochs[name];
    if (epoch <= known)
      broken("the lease " + name + " was given under epoch " + std::to_string(epoch) + " after " + std::to_string(known)
             + " (P18)");
    known = epoch;
    highest_epoch_ = std::max(highest_epoch_, epoch);
  }

  // ---- what is stored ----

  /// Just opened: what was acknowledged is there, and all or nothing of what was under way.
  bool settle() {
    try {
      auto found = difference(*store_, book_);
      for (const auto& other : std::exchange(in_doubt_, {}))
        if (!found.empty() && difference(*store_, other).empty()) {
          book_ = other;
          found.clear();
        }
      if (!found.empty())
        broken(found + " (P1, P23)");
      return true;
    } catch (const store_error& e) {
      broken(std::string{"the store cannot be read: "} + e.what());
    }
  }

  /// False: the process ended of it.
  bool save() {
    try {
      store_->save();
      return true;
    } catch (const store_error& e) {
      if (!e.is_fatal() || !may_fail())
        broken(std::string{"a save failed: "} + e.what());
      expect_nothing_more();
      return false;
    }
  }

  void look() {
    if (may_fail() || !save())
      return;
    if (const auto found = difference(*store_, book_); !found.empty())
      broken(found + ", while the store was open");
  }

  // ---- copies ----

  void copy() {
    if (!save())
      return; // the next commit tells
    const auto path = folder_ / "disk" / ("copy-" + std::to_string(copies_made_++));
    try {
      store_->copy(path);
      copies_.push_back({path, book_});
    } catch (const store_error&) {
      if (!may_fail())
        throw;
    }
  }

  /// The store is lost, and a copy takes its place, however often it did before.
  void go_back_to_a_copy() {
    const auto& from = copies_[below(copies_.size())];
    ++stores_;
    ++report_.restored;
    options_.path = store_path();
    disk_.set_faults(faults_);
    if (below(2) == 0)
      disk_.stop_at(1 + below(120));
    new_opening();
    try {
      restore(from.path, options_, false);
    } catch (const store_error& e) {
      if (!may_fail())
        broken(std::string{"a copy was not restored: "} + e.what());
      restore_again(from);
    }
    book_ = from.what;
    in_doubt_.clear();
    go_on_as_copy();
  }

  void restore_again(const stored_copy& from) {
    end(false);
    disk_.set_faults({});
    if (fs::exists(store_path() / "data.mdb"))
      return; // it is in its place, whole
    restore(from.path, options_, false);
  }

  /// Every task that has not ended, and every lease, goes on above all epochs that ever were.
  void go_on_as_copy() {
    disk_.set_faults({});
    disk_.go_on();
    new_opening();
    const lmdb_engine restored{options_, settings_};
    const auto before = highest_epoch_;
    for (auto& [id, t] : book_.tasks) {
      const auto stored = restored.find(id);
      if (!is_open(t) || !stored)
        continue;
      if (stored->lock_epoch <= before)
        broken(id + " goes on under epoch " + std::to_string(stored->lock_epoch) + " in a restored copy, where "
               + std::to_string(before) + " was given before (P26)");
      t.lock_epoch = stored->lock_epoch;
      ++t.revision;
      highest_epoch_ = std::max(highest_epoch_, t.lock_epoch);
    }
    book_.lease_epochs.clear();
    for (const auto& l : restored.leases({workflow::never})) {
      if (l.epoch <= before)
        broken("the lease " + l.name + " goes on under epoch " + std::to_string(l.epoch) + " in a restored copy, where "
               + std::to_string(before) + " was given before (P26)");
      book_.lease_epochs[l.name] = l.epoch;
      highest_epoch_ = std::max(highest_epoch_, l.epoch);
    }
  }

  // ---- damage ----

  /// In a child: reading a damaged file may end a process.
  void look_after_damage() {
    const auto damaged = store_path() / (below(3) == 0 ? "journal" : "data.mdb");
    if (!fs::exists(damaged))
      return;
    for (auto n = 1 + below(3); n > 0; --n)
      if (below(3) == 0)
        disk_.clear_page(damaged);
      else
        disk_.flip_bit(damaged);
    ++report_.damaged;
    const auto answer = ask_child([&] { return seen_of_damage(); });
    if (answer.starts_with("refused"))
      ++report_.refused;
    else if (answer.starts_with("set aside "))
      report_.set_aside += std::stoull(answer.substr(std::strlen("set aside ")));
    else
      broken(answer + " (P24)");
  }

  /// What is believed is what was acknowledged; what is not is told of.
  std::string seen_of_damage() {
    std::uint64_t aside = 0;
    try {
      lmdb_engine s{options_, settings_};
      const bool is_told = !s.check().faults.empty();
      for (const auto& [id, t] : book_.tasks) {
        const auto found = s.find(id);
        if (found && *found != t)
          return id + " is another one after damage, and is believed";
        if (!found && !is_told && !s.damage_of(id))
          return id + " is lost after damage, and nobody is told";
        aside += found ? 0 : 1;
      }
    } catch (const store_error& e) {
      return e.is_fatal() ? std::string{"a damaged store fails with: "} + e.what()
                          : std::string{"refused: "} + e.what();
    }
    return "set aside " + std::to_string(aside);
  }

  static std::string ask_child(const std::function<std::string()>& question) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0)
      broken("no pipe");
    const auto child = fork();
    if (child == 0) {
      const auto said = question();
      _exit(::write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size()) ? 0 : 1);
    }
    ::close(ends[1]);
    std::string answer;
    std::array<char, 512> part{};
    for (ssize_t n = 0; (n = ::read(ends[0], part.data(), part.size())) > 0;)
      answer.append(part.data(), static_cast<std::size_t>(n));
    ::close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
      return "a damaged store ends the process by signal " + std::to_string(WTERMSIG(status));
    return answer.empty() ? "a damaged store ends the process with " + std::to_string(WEXITSTATUS(status)) : answer;
  }

  std::mt19937_64 draw_;
  planner planner_{draw_};
  std::mt19937_64 single_faults_; ///< of a disk that is sound otherwise
  fs::path folder_;
  lying_disk disk_;
  disk_lies faults_;
  bool is_full_now_and_then_ = false;
  bool is_shared_ = false;
  store_options options_;
  engine_settings settings_;
  std::uint64_t stores_ = 0;
  std::unique_ptr<lmdb_engine> store_;
  std::uint64_t openings_ = 0;
  book book_;
  std::vector<book> in_doubt_; ///< any of these may be stored instead
  std::vector<stored_copy> copies_;
  std::uint64_t copies_made_ = 0;
  std::uint64_t highest_epoch_ = 0; ///< that was ever given
  std::int64_t now_ = 0;
  storm_report report_;
};

} // namespace

void add(storm_report& to, const storm_report& more) {
  to.commits += more.commits;
  to.lives += more.lives;
  to.power_cuts += more.power_cuts;
  to.failed_calls += more.failed_calls;
  to.full += more.full;
  to.restored += more.restored;
  to.damaged += more.damaged;
  to.refused += more.refused;
  to.set_aside += more.set_aside;
}

storm_report ride_out(std::uint64_t seed, const fs::path& folder) {
  return storm{seed, folder}.ride_out();
}

} // namespace steadfast::tests
