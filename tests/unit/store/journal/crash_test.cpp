// The process is killed, or the disk fails, in the middle of commits. The faults are made by strace, which kills the
// process or lets a system call fail when it comes to the N-th one.

#include "tests/support/skip.hpp"
#include "tests/unit/store/support.hpp"
#include "tests/unit/store/support_process.hpp"

#include <catch2/catch.hpp>

#include <csignal>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

constexpr int batches = 4;

/// Says the id of each task after the commit that made it; and what became of the others.
int submit_and_say(const store_options& options, commits how, const say& speak) {
  lmdb_engine store{options};
  if (how == commits::shared)
    store.share([] {});
  for (int i = 0; i < batches; ++i) {
    if (i == 2)
      store.save();
    const auto first = "a" + std::to_string(i);
    const auto second = "b" + std::to_string(i);
    const auto o =
      store.commit({submit_task{order(first), at(0)}, submit_task{order(second, std::string(9000, 'x')), at(0)},
                    claim_tasks{"s1", 1, at(1)}});
    if (!o[0].as<submit_result>().created || !o[1].as<submit_result>().created
        || o[2].as<claim_result>().tasks.size() != 1)
      return 2;
    speak(first);
    speak(second);
  }
  return 0;
}

/// Opens what is left and looks for all that was said, in whole batches.
void check_after(opened_store& store, const std::vector<std::string>& said) {
  store.reopen();
  const auto report = store->check();
  CHECK(report.faults == std::vector<std::string>{});
  for (const auto& id : said)
    CHECK(store->find(id).has_value());
  CHECK(report.tasks % 2 == 0);
  CHECK(report.tasks >= said.size());
  CHECK(report.tasks <= said.size() + 2);
  CHECK(store->counts().tasks[workflow::process_state::processing] == report.tasks / 2);
}

bool strace_is_missing() {
  if (has_strace())
    return false;
  tests::skip("strace is not installed, or may not attach to a process here");
  return true;
}

} // namespace

TEST_CASE("row 63: killed at each N-th write or sync of commits, every acknowledged submission is there") {
  if (strace_is_missing())
    return;
  const auto how = GENERATE(commits::alone, commits::shared);
  for (const std::string call : {"pwrite64", "pwritev", "fdatasync"}) {
    int killed = 0;
    for (int n = 1;; ++n) {
      INFO(call << " number " << n);
      opened_store store;
      store.close();
      const auto options = store.options();
      const auto e = in_child_with_fault(call + ":signal=KILL:when=" + std::to_string(n),
                                         [&](const say& speak) { return submit_and_say(options, how, speak); });
      check_after(store, e.lines);
      if (e.signal == 0) {
        CHECK(e.code == 0);
        CHECK(e.lines.size() == 2 * batches);
        break;
      }
      CHECK(e.signal == SIGKILL);
      CHECK(e.lines.size() < 2 * batches);
      ++killed;
      REQUIRE(n < 200);
    }
    if (call != "pwritev")
      CHECK(killed >= batches);
  }
}

TEST_CASE(
  "row 61: when the disk fails at the N-th sync or write, nothing of it is acknowledged and nothing more is written") {
  if (strace_is_missing())
    return;
  const auto how = GENERATE(commits::alone, commits::shared);
  constexpr int refused = 5;
  constexpr int met_earlier = 4;
  for (const std::string call : {"fdatasync", "pwrite64", "pwritev"}) {
    int in_a_commit = 0;
    for (int n = 1;; ++n) {
      INFO(call << " number " << n);
      opened_store store{how}; // the journal is there
      store.close();
      const auto options = store.options();
      const auto e = in_child_with_fault(call + ":error=EIO:when=" + std::to_string(n), [&](const say& speak) {
        std::unique_ptr<lmdb_engine> engine;
        try {
          engine = std::make_unique<lmdb_engine>(options);
          if (how == commits::shared)
            engine->share([] {});
        } catch (const store_error&) {
          return int{met_earlier};
        }
        for (int i = 0; i < batches; ++i) {
          try {
            if (i == 2)
              engine->save();
            engine->commit({submit_task{order("a" + std::to_string(i)), at(0)}});
            speak("a" + std::to_string(i));
          } catch (const store_error& error) {
            if (!error.is_fatal())
              return 2;
            try { // the fault is over, but the process must not go on
              engine->commit({submit_task{order("later"), at(0)}});
              return 3;
            } catch (const store_error& again) {
              return again.is_fatal() ? int{refused} : 6;
            }
          }
        }
        return 0;
      });
      CHECK(e.signal == 0);
      CHECK((e.code == refused || e.code == met_earlier || e.code == 0));
      in_a_commit += e.code == refused ? 1 : 0;
      store.reopen();
      CHECK(store->check().faults.empty());
      for (const auto& id : e.lines)
        CHECK(store->find(id).has_value());
      CHECK_FALSE(store->find("later").has_value());
      if (e.code == 0) { // no call was the N-th any more
        CHECK(e.lines.size() == batches);
        break;
      }
      REQUIRE(n < 200);
    }
    if (call != "pwritev")
      CHECK(in_a_commit >= batches - 1);
  }
}

TEST_CASE(
  "row 61: a save that failed on its own is not forgotten: the next commit is refused, and those before are there") {
  if (strace_is_missing())
    return;
  bool has_failed = false;
  for (int n = 1; n < 10 && !has_failed; ++n) {
    INFO("fdatasync number " << n);
    opened_store store{commits::shared}; // the journal is there
    store.close();
    const auto options = store.options();
    enum { went_well = 40, met_earlier, is_refused };
    const auto e = in_child_with_fault("fdatasync:error=EIO:when=" + std::to_string(n), [&](const say& speak) {
      try {
        lmdb_engine engine{options};
        engine.share([] {});
        engine.commit({submit_task{order("before"), at(0)}});
        speak("before");
        engine.save(); // which tells nobody
        try {
          engine.commit({submit_task{order("after"), at(0)}});
          speak("after");
          return int{went_well};
        } catch (const store_error& error) {
          return error.is_fatal() ? int{is_refused} : 1;
        }
      } catch (const store_error&) {
        return int{met_earlier};
      }
    });
    store.reopen();
    for (const auto& id : e.lines)
      CHECK(store->find(id).has_value());
    if (e.code == met_earlier)
      continue;
    // The first that came so far met it while it saved.
    CHECK(e.code == is_refused);
    has_failed = true;
  }
  CHECK(has_failed);
}

TEST_CASE("row 60: when a write finds the disk full, new work is refused and the store goes on") {
  if (strace_is_missing())
    return;
  const auto how = GENERATE(commits::alone, commits::shared);
  // The first writes of a store with a journal are those of opening it: then it is refused, or goes on without.
  int in_a_commit = 0;
  for (int n = 1; n <= 8 && in_a_commit == 0; ++n) {
    INFO("write number " << n);
    opened_store store{how};
    store.submit("running");
    store->save();
    store.close();
    const auto options = store.options();
    const auto e =
      in_child_with_fault("pwrite64,pwritev:error=ENOSPC:when=" + std::to_string(n), [&](const say& speak) {
        lmdb_engine engine{options};
        try {
          if (how == commits::shared)
            engine.share([] {});
        } catch (const store_error&) { // each commit is saved by itself
        }
        const auto o = engine.commit({submit_task{order("new"), at(0)}, claim_tasks{"s1", 1, at(1)}});
        speak(std::string{to_string(o[0].result)});
        speak(std::to_string(o[1].as<claim_result>().tasks.size()));
        speak(std::string{to_string(engine.commit({submit_task{order("new"), at(0)}})[0].result)});
        return 0;
      });
    store.reopen();
    CHECK(store->check().faults.empty());
    if (e.code == 99) {
      REQUIRE(e.lines.size() == 1);
      INFO(e.lines[0]);
      const bool is_told = mentions(e.lines[0], "the disk of the store is full");
      CHECK((is_told || mentions(e.lines[0], "after a restart"))); // of a meta page LMDB cannot tell what is on disk
      CHECK(store->find("running")->locked_by.empty());
      continue;
    }
    CHECK(e.code == 0);
    CHECK(store->find("running")->locked_by == "s1");
    in_a_commit += e.lines == std::vector<std::string>{"full", "1", "applied"} ? 1 : 0;
  }
  CHECK(in_a_commit == 1);
}
