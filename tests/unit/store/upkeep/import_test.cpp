// Tasks that go from one store to another.

#include "tests/support/file_limit.hpp"
#include "tests/unit/store/support.hpp"
#include "tests/unit/store/support_process.hpp"

#include "store/upkeep/export_file.hpp"

#include <catch2/catch.hpp>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

/// A store with a task `a` under way: its first step is done, with a large result, and its second is open.
workflow::task under_way(opened_store& store) {
  auto s = order("a", std::string(5000, 'p'));
  s.reply_to = "shop";
  store->commit({submit_task{s, at(0)}});
  const auto t = store.take();
  store.one(success_of(t, 0, std::string(3000, 'r')));
  store.one(keep_late_reply{t.number, {"drone", 1, 1, "report", "too late", at(2)}});
  return *store->find("a");
}

import_task import_of(const exported_task& x) {
  return {x, "ann", "moved", at(10)};
}

} // namespace

TEST_CASE("an imported task is what it was, under a number of its own, suspended and without a lock") {
  opened_store from;
  const auto before = under_way(from);
  opened_store to;
  to.submit("other");
  const auto o = to.one(import_of(*from->export_task("a")));
  CHECK(o.result == write_status::applied);
  CHECK(o.state == workflow::process_state::suspended);

  const auto after = *to->find("a");
  CHECK(after.number == 2);
  CHECK(after.locked_by.empty());
  CHECK(after.payload == before.payload);
  CHECK(after.steps == before.steps);
  REQUIRE_FALSE(after.acts.empty());
  CHECK(after.acts.back().who == "ann");
  CHECK(after.acts.back().what == "suspend");
  CHECK(after.acts.back().why == "imported: moved");
  CHECK(to->late_replies(after.number, 10).size() == 1);
  CHECK(to->notices("shop", 0, 0, 10).size() == 1); // that it is suspended; the others are in the other store
  const auto told = to->alerts(false, 10);
  REQUIRE(told.size() == 1);
  CHECK(told[0].what.text == "imported task `a`: moved");
  CHECK(told[0].acknowledged_by == "ann");
  CHECK(to->check().faults.empty());
}

TEST_CASE("an imported task goes on when it is resumed, also after a restart") {
  opened_store from;
  under_way(from);
  opened_store to;
  to.one(import_of(*from->export_task("a")));
  to.reopen();
  CHECK(to.one(claim_tasks{"s1", 10, at(20)}).tasks.empty());
  const auto t = *to->find("a");
  CHECK(to.one(update_by(t, delivery(), workflow::resumed{{"ann", ""}}, at(21))).result == write_status::applied);
  CHECK(to.one(claim_tasks{"s1", 10, at(22)}).tasks.size() == 1);
}

TEST_CASE("a task that has ended stays as it ended") {
  opened_store from;
  auto t = under_way(from);
  from.one(success_of(t, 1));
  opened_store to;
  CHECK(to.one(import_of(*from->export_task("a"))).state == workflow::process_state::processed);
  CHECK(to->find("a")->steps == from->find("a")->steps);
  CHECK(to->check().faults.empty());
}

TEST_CASE("an id is imported once, and submitting it again finds the imported task") {
  opened_store from;
  under_way(from);
  opened_store to;
  const auto x = *from->export_task("a");
  CHECK(to.one(import_of(x)).result == write_status::applied);
  CHECK(to.one(import_of(x)).result == write_status::refused);
  const auto again = to.one(submit_task{order("a", std::string(5000, 'p')), at(11)});
  CHECK(again.result == write_status::applied);
  CHECK_FALSE(again.created);
  CHECK(to.one(submit_task{order("a", "another"), at(11)}).result == write_status::refused);
}

TEST_CASE("what an export says is checked, and nothing of a refused one stays") {
  opened_store from;
  under_way(from);
  const auto good = *from->export_task("a");
  auto broken = good;
  SECTION("a task that breaks an invariant") {
    broken.task.steps.resize(broken.task.steps.size() - 1);
  }
  SECTION("another workflow") {
    broken.definition.name = "another";
  }
  SECTION("an id that no client could give") {
    broken.task.id = "";
  }
  SECTION("a result above the limit") {
    broken.task.steps.change(0).result = workflow::blob{std::string(2 << 20, 'r')};
  }
  SECTION("a definition that is none") {
    broken.definition.steps[0].agent = "";
  }
  opened_store to;
  CHECK(to.one(import_of(broken)).result == write_status::refused);
  CHECK(to->counts().last_number == 0);
  CHECK(to->definitions({}, 1000).size() == 1);
}

TEST_CASE("a definition of another content under the same version is refused") {
  opened_store from;
  under_way(from);
  auto x = *from->export_task("a");
  x.definition.alert_after += workflow::span{1};
  opened_store to;
  CHECK(to.one(import_of(x)).result == write_status::refused);
  CHECK_FALSE(to->find("a"));
}

TEST_CASE("row 60: of an export for which there is no room no half is left") {
  opened_store from;
  under_way(from);
  const auto x = *from->export_task("a");
  temporary_directory d;
  const auto file = d.path() / "a.task";
  const auto e = in_child([&](const say& speak) {
    const tests::file_limit limit{1000};
    try {
      write_export(file, x);
    } catch (const store_error& error) {
      speak(error.what());
    }
    return 0;
  });
  CHECK(e.code == 0);
  REQUIRE(e.lines.size() == 1);
  CHECK(mentions(e.lines[0], "File too large"));
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("P28: a file that is larger than any exported task is not read") {
  temporary_directory d;
  const auto file = d.path() / "large.task";
  std::ofstream{file} << "x";
  std::filesystem::resize_file(file, std::uintmax_t{1} << 40U); // it takes no room
  CHECK_THROWS_WITH(read_export(file), Catch::Contains("too large to be an exported task"));
}

TEST_CASE("an exported file is its owner's alone, is not written over, and is checked when it is read") {
  opened_store from;
  under_way(from);
  const auto x = *from->export_task("a");
  CHECK_FALSE(from->export_task("b"));
  temporary_directory d;
  const auto file = d.path() / "a.task";
  write_export(file, x);
  struct stat info {};
  REQUIRE(::stat(file.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  CHECK_THROWS_WITH(write_export(file, x), Catch::Contains("File exists"));
  const auto read = read_export(file);
  CHECK(read.task == x.task);
  CHECK(read.definition == x.definition);
  CHECK(read.digest == x.digest);
  CHECK(read.late_replies == x.late_replies);

  std::fstream bytes{file, std::ios::in | std::ios::out | std::ios::binary};
  bytes.seekp(100);
  bytes.put('#');
  bytes.close();
  CHECK_THROWS_WITH(read_export(file), Catch::Contains("no exported task"));
  CHECK_THROWS_WITH(read_export(d.path() / "nothing"), Catch::Contains("No such file"));
}
