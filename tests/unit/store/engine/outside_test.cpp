// A store that is kept elsewhere: what is in its log is made, whatever becomes of the memory.

#include "store/journal/unsaved.hpp"
#include "tests/support/file_limit.hpp"
#include "tests/unit/store/support.hpp"
#include "tests/unit/store/support_process.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <optional>
#include <thread>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

/// Takes everything.
class kept_elsewhere final : public outside_log {
public:
  bool has_room = true;         ///< else each commit is saved at once
  std::vector<std::string> all; ///< that was ever added

  std::size_t size() const override { return entries_.size(); }
  bool has_room_for(std::size_t /*bytes*/) const override { return has_room; }
  void add(std::string_view entry) override {
    all.emplace_back(entry);
    entries_.emplace_back(entry);
  }
  void settle() override {}
  void begin(std::uint64_t /*state*/) override { entries_.clear(); }
  const std::vector<std::string>& entries() const override { return entries_; }
  bool go_on(lmdb::transaction&, const tables&, damaged_tasks&) override { return false; }
  damaged_tasks fill(lmdb::transaction& txn, const tables& /*in*/) override {
    make_entries(txn, all, "the test");
    return {};
  }

private:
  std::vector<std::string> entries_; ///< since begin()
};

std::vector<store::write> submissions(std::size_t count, const std::string& prefix) {
  std::vector<store::write> batch;
  for (std::size_t i = 0; i < count; ++i)
    batch.emplace_back(submit_task{order(prefix + std::to_string(i)), at(0)});
  return batch;
}

} // namespace

TEST_CASE("what is in a log elsewhere is made once and told as it is, though the memory must grow to be saved") {
  const bool is_shared = GENERATE(false, true);
  const auto batch_size = GENERATE(std::size_t{600}, std::size_t{700}, std::size_t{800}, std::size_t{1600});
  INFO((is_shared ? "shared, " : "alone, ") << batch_size);
  temporary_directory d;
  kept_elsewhere log;
  log.has_room = false;
  engine_settings settings;
  settings.map_initial = 256 << 10;
  settings.outside = &log;
  lmdb_engine store{small_options(d.store()), settings};
  if (is_shared)
    store.share([] {});
  store.commit({register_definition{delivery()}});
  for (std::size_t i = 1; i <= 3; ++i) {
    const auto outcomes = store.commit(submissions(batch_size, std::to_string(i) + "-"));
    CHECK(
      std::all_of(outcomes.begin(), outcomes.end(), [](const outcome& o) { return o.as<submit_result>().created; }));
    CHECK(log.all.size() == i + 1);
  }
  CHECK(store.counts().last_number == 3 * batch_size);
  CHECK(store.check().faults.empty());
}

TEST_CASE("row 60: what is in a log elsewhere is told as it is, though the memory cannot be saved, and it goes on") {
  const bool is_shared = GENERATE(false, true);
  temporary_directory d;
  kept_elsewhere log;
  log.has_room = false;
  const auto e = in_child([&](const say& speak) {
    engine_settings settings;
    settings.outside = &log;
    lmdb_engine store{small_options(d.store()), settings};
    if (is_shared)
      store.share([&] { std::thread{[&] { store.save(); }}.join(); });
    store.commit({register_definition{delivery()}, submit_task{order("a"), at(0)}});
    const auto added = [&] { return std::to_string(log.all.size()); };
    std::optional<tests::file_limit> limit{1000}; // less than there is
    const auto claimed = store.commit_one(claim_tasks{"s1", 1, at(1)});
    speak(std::to_string(claimed.tasks.size()) + " claimed, " + added());
    try {
      store.commit({submit_task{order("b"), at(0)}});
    } catch (const store_error& x) {
      speak(std::string{x.is_fatal() ? "fatal, " : "not fatal, "} + added());
    }
    std::thread{[&] {
      try {
        store.find("a");
      } catch (const std::exception&) {
        speak("cannot be read");
      }
    }}.join();
    limit.reset();
    std::thread{[&] { speak(store.find("a")->state == workflow::process_state::processing ? "read" : "lost"); }}.join();
    speak(store.commit_one(submit_task{order("b"), at(0)}).created ? "goes on, " + added() : "was there");
    return store.check().faults.empty() && store.counts().last_number == 2 ? 0 : 2;
  });
  CHECK(e.signal == 0);
  CHECK(e.code == 0);
  CHECK(e.lines == std::vector<std::string>{"1 claimed, 2", "not fatal, 2", "cannot be read", "read", "goes on, 3"});
}
