// A store of several partitions, as it is on disk.

#include "store/engine/lmdb_store.hpp"
#include "store/joined/partition_files.hpp"
#include "tests/unit/store/support.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <fstream>
#include <string>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

store_options in_files(const temporary_directory& at) {
  store_options o;
  o.path = at.store();
  o.journal_name = fresh_journal_name();
  return o;
}

std::string why_not(const temporary_directory& at, std::uint32_t wanted = 0) {
  try {
    open_partitions(in_files(at), wanted);
    return {};
  } catch (const store_error& e) {
    return e.what();
  }
}

void write_text(const std::filesystem::path& to, const std::string& text) {
  std::ofstream{to} << text;
}

TEST_CASE("row 147: a store has as many partitions as were wanted, for as long as it is there") {
  const temporary_directory at;
  {
    const auto all = open_partitions(in_files(at), 3);
    REQUIRE(all.size() == 3);
    CHECK(all[2]->commit_one(register_definition{delivery()}).created);
    CHECK(all[2]->commit_one(submit_task{order("order-1"), test::at(1)}).number == 5);
    CHECK(all[2]->sizes().bytes_max == std::uint64_t{2730} << 20U);
  }
  CHECK(partitions_at(at.store()) == 3);
  {
    const auto all = open_partitions(in_files(at));
    REQUIRE(all.size() == 3);
    CHECK(all[2]->find(std::uint64_t{5}).value().id == "order-1");
  }
  CHECK(why_not(at, 3).empty());
  CHECK(why_not(at, 4).find("it has 3 partitions, for as long as it is there, and was to have 4") != std::string::npos);
  CHECK(why_not(at, 1).find("it has 3 partitions") != std::string::npos);
}

TEST_CASE("partition files: a store is whole unless more is wanted") {
  const temporary_directory at;
  CHECK(open_partitions(in_files(at)).size() == 1);
  CHECK(partitions_at(at.store()) == 1);
  CHECK(exists(at.store() / "data.mdb"));
  CHECK(why_not(at, 2).find("it has 1 partition, for as long as it is there") != std::string::npos);
}

TEST_CASE("partition files: a partition that is missing is missed") {
  const temporary_directory at;
  open_partitions(in_files(at), 3);
  remove_all(partition_folder(at.store(), 1));
  CHECK(why_not(at).find("its folder partition-1 has no data: 3 were made") != std::string::npos);
  CHECK_FALSE(exists(partition_folder(at.store(), 1)));
}

TEST_CASE("partition files: without the file that counts them, or with a damaged one, nothing is opened") {
  const temporary_directory at;
  open_partitions(in_files(at), 3);
  for (const auto* text : {"", "x", "1", "3x", "65", "-3", "3 being"}) {
    INFO(text);
    write_text(at.store() / "partitions", text);
    CHECK(why_not(at).find("its file `partitions` is damaged") != std::string::npos);
  }
  remove(at.store() / "partitions");
  CHECK(why_not(at).find("its file `partitions` is missing") != std::string::npos);
  CHECK(why_not(at, 3).find("its file `partitions` is missing") != std::string::npos);
  write_text(at.store() / "partitions", "3\n");
  CHECK(why_not(at).empty());
  write_text(at.store() / "data.mdb", "x");
  CHECK(why_not(at).find("both a file `partitions` and a file `data.mdb`") != std::string::npos);
}

TEST_CASE("partition files: a store whose process died while it was made is made by the next one") {
  const temporary_directory at;
  open_partitions(in_files(at), 3);
  write_text(at.store() / "partitions", "3 being made\n");
  remove_all(partition_folder(at.store(), 2));
  CHECK(open_partitions(in_files(at)).size() == 3);
  CHECK(exists(partition_folder(at.store(), 2) / "data.mdb"));
  CHECK(why_not(at, 3).empty());
}

TEST_CASE("partition files: a copy that was not finished is no store") {
  const temporary_directory at;
  open_partitions(in_files(at), 3);
  write_text(at.store() / "partitions", "3 being copied\n");
  CHECK(why_not(at).find("it is a copy that was not finished") != std::string::npos);
}

TEST_CASE("partition files: what is restored has all tasks and epochs above those before") {
  const temporary_directory at;
  const temporary_directory other;
  {
    const auto all = open_partitions(in_files(at), 2);
    for (const auto& p : all)
      REQUIRE(p->commit_one(register_definition{delivery()}).created);
    for (const auto* id : {"order-1", "order-2", "order-3"})
      REQUIRE(all[workflow::partition_of(id, 2)]->commit_one(submit_task{order(id), test::at(1)}).created);
  }
  auto to = in_files(other);
  to.epochs_from = 1000;
  const auto made = restore_all(at.store(), to, false);
  CHECK(made.report.faults.empty());
  CHECK(made.report.tasks == 3);
  const auto again = open_partitions(in_files(other));
  REQUIRE(again.size() == 2);
  for (const auto& p : again)
    CHECK(p->commit_one(acquire_lease{"x", "me", "", std::chrono::seconds{1}, test::at(1)}).epoch > 1000);
  CHECK_THROWS_AS(restore_all(at.store(), to, false), store_error);
}

TEST_CASE("partition files: the folder of partitions is no store by itself") {
  const temporary_directory at;
  open_partitions(in_files(at), 2);
  CHECK_THROWS_AS(open_lmdb_store(in_files(at)), store_error);
  auto one = in_files(at);
  one.path = partition_folder(at.store(), 0);
  CHECK_THROWS_AS(open_lmdb_store(one), store_error);
}

} // namespace
