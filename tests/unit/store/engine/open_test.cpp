// How a store is opened: who may, what is refused and with which words.

#include "tests/unit/store/support.hpp"

#include "store/engine/lmdb_store.hpp"
#include "tests/support/skip.hpp"

#include <catch2/catch.hpp>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <limits>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;
namespace fs = std::filesystem;

namespace {

mode_t mode_of(const fs::path& path) {
  struct stat s {};
  REQUIRE(stat(path.c_str(), &s) == 0);
  return s.st_mode & 0777;
}

} // namespace

TEST_CASE("a new store is a directory that only its owner can reach") {
  const auto before = umask(0);
  opened_store store;
  umask(before);
  store.submit("a");
  CHECK(mode_of(store.path()) == 0700);
  for (const char* name : {"data.mdb", "lock.mdb", "store.lock"})
    CHECK(mode_of(store.path() / name) == 0600);
  store.close();
  CHECK(mode_of(store.path() / "closed") == 0600);
}

TEST_CASE("what was stored is there when the store is opened again") {
  opened_store store;
  store.submit("a", "[1]");
  const auto t = store.take();
  store.reopen();
  CHECK(store->find("a") == t);
  CHECK(store.submit("b").number == 2);
}

TEST_CASE("row 67: a second process is refused and told who has the store") {
  opened_store store;
  const auto options = store.options();
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t child = fork();
  if (child == 0) {
    std::string said = "opened";
    try {
      open_lmdb_store(options);
    } catch (const store_error& e) {
      said = e.what();
    }
    _exit(::write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string said(1000, '\0');
  said.resize(static_cast<std::size_t>(std::max<ssize_t>(0, read(ends[0], said.data(), said.size()))));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  CHECK(said == "store at " + options.path.string() + " is in use by process " + std::to_string(getpid()));
}

TEST_CASE("row 67: a store that this process has open is refused to itself as well") {
  opened_store store;
  CHECK(mentions(refusal(store.options()), "is in use by process"));
}

TEST_CASE("row 67: a store on a network file system is refused, on a local one it is not") {
  CHECK(remote_file_system(0x6969) == "NFS");
  CHECK(remote_file_system(static_cast<std::int32_t>(0xFF534D42)) == "CIFS");
  CHECK(remote_file_system(0x01021997) == "9P");
  CHECK_FALSE(remote_file_system(0xEF53));     // ext4
  CHECK_FALSE(remote_file_system(0x58465342)); // xfs
  CHECK_FALSE(remote_file_system(0x9123683E)); // btrfs
  CHECK_FALSE(remote_file_system(0x01021994)); // tmpfs
}

TEST_CASE("a directory or a file that others can reach is refused") {
  opened_store store;
  store.close();
  chmod(store.path().c_str(), 0750);
  CHECK(mentions(refusal(store.options()), "can be reached by other users"));
  chmod(store.path().c_str(), 0700);
  chmod((store.path() / "data.mdb").c_str(), 0604);
  CHECK(mentions(refusal(store.options()), "can be reached by other users"));
  chmod((store.path() / "data.mdb").c_str(), 0600);
  CHECK(refusal(store.options()).empty());
}

TEST_CASE("a store of another user is refused") {
  if (geteuid() != 0) {
    tests::skip("only root can give a directory away");
    return;
  }
  opened_store store;
  store.close();
  REQUIRE(chown(store.path().c_str(), 4242, 0) == 0);
  CHECK(mentions(refusal(store.options()), "belongs to user 4242"));
}

TEST_CASE("symbolic links are not followed") {
  opened_store store;
  store.close();
  const auto link = store.path().parent_path() / "link";
  fs::create_directory_symlink(store.path(), link);
  CHECK(mentions(refusal(small_options(link)), "is a symbolic link"));

  fs::rename(store.path() / "data.mdb", store.path() / "elsewhere");
  fs::create_symlink("elsewhere", store.path() / "data.mdb");
  CHECK(mentions(refusal(store.options()), "is not a regular file"));
}

TEST_CASE("options that make no sense are refused with their names") {
  temporary_directory d;
  auto o = small_options(d.store());
  o.size_reserve = o.size_max;
  CHECK(mentions(refusal(o), "store.size_reserve"));
  o = small_options({});
  CHECK(mentions(refusal(o), "store.path"));
  o = small_options(d.store());
  o.size_max = 1000;
  set_reserve(o, 0);
  CHECK(mentions(refusal(o), "store.size_max"));
  o = small_options(d.store());
  o.payload_size_max = 0;
  o.result_size_max = 1ULL << 40;
  CHECK(problems(o).size() == 2);
  CHECK_FALSE(fs::exists(d.store()));
  CHECK(problems(store_options{}).empty());
}

TEST_CASE("a reserve that cannot take what the journal may hold is refused with the figures") {
  temporary_directory d;
  auto o = small_options(d.store());
  o.journal_max = 8 << 20;
  o.size_reserve = 16 << 20;
  CHECK(
    refusal(o)
    == "store.size_reserve, 16 MiB, cannot take what the journal may hold: 8 MiB by store.journal_max, up to 64 MiB in "
       "the data file. Raise the one or lower the other");
  CHECK_FALSE(fs::exists(d.store()));
  o.journal_max = 2 << 20;
  CHECK(refusal(o).empty());
  o.journal_max = (2 << 20) + 1;
  CHECK(mentions(refusal(o), "store.journal_max"));
  o.journal_max = std::numeric_limits<std::size_t>::max();
  CHECK(problems(o).size() == 1);
}

TEST_CASE("a store that may grow to more than a process can map opens, and its map grows as it is used") {
  temporary_directory d;
  auto o = small_options(d.store());
  o.size_max = 1ULL << 50U;
  lmdb_engine store{o};
  store.commit({register_definition{delivery()}});
  CHECK(store.sizes().bytes_mapped == 64 << 20);
  for (int i = 0; i < 80; ++i)
    REQUIRE(store.commit_one(submit_task{order("t" + std::to_string(i), std::string(1 << 20, 'x')), at(0)}).created);
  CHECK(store.sizes().bytes_mapped >= 128 << 20);
  CHECK(store.find("t79"));
}

TEST_CASE("a store can be looked at while a process has it, and cannot be written") {
  opened_store store;
  store.submit("a");
  auto options = store.options();
  options.read_only = true;
  // LMDB wants a file opened once per process, so the second view is a child's.
  const pid_t child = fork();
  if (child == 0) {
    int result = 1;
    try {
      auto view = open_lmdb_store(options);
      const auto outcomes = view->commit({submit_task{order("b"), at(0)}});
      if (view->find("a") && view->check().faults.empty() && outcomes.at(0).result == write_status::refused)
        result = 0;
    } catch (const store_error&) { // result says so
    }
    _exit(result);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(store.submit("b").created);
}

TEST_CASE("there is nothing to look at where there is no store") {
  temporary_directory d;
  auto o = small_options(d.store());
  o.read_only = true;
  CHECK(mentions(refusal(o), "there is no store at"));
  CHECK_FALSE(fs::exists(d.store()));
}

TEST_CASE("a store whose size limit was lowered below what it holds still opens") {
  opened_store store;
  store.submit("a", std::string(900'000, 'x'));
  auto o = store.options();
  o.size_max = 1 << 20;
  set_reserve(o, 0);
  store.reopen(o);
  CHECK(store->find("a").has_value());
  CHECK(store.submit("b", std::string(900'000, 'x')).result == write_status::full);
}

TEST_CASE("a file that is no store is refused") {
  temporary_directory d;
  fs::create_directory(d.store());
  chmod(d.store().c_str(), 0700);
  {
    std::ofstream file{d.store() / "data.mdb"};
    file << std::string(100'000, 'x');
  }
  chmod((d.store() / "data.mdb").c_str(), 0600);
  CHECK(mentions(refusal(small_options(d.store())), "is damaged"));
}
