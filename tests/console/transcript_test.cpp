// What the console prints, letter by letter: a store as it was left, seen at a moment that stands still.
// STEADFAST_WRITE_GOLDEN=1 writes the transcripts that are missing.

#include "tests/support/processes/run_program.hpp"
#include "tests/support/processes/wall_clock.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

using namespace steadfast::tests;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

const fs::path golden = fs::path{STEADFAST_SOURCE_DIR} / "tests" / "golden";
constexpr const char* a_quarter_of_an_hour_later = "2023-11-14 22:28:30";

/// A copy of the golden store of a node that was killed, with the modes that a store has.
class store_as_left {
public:
  store_as_left() {
    fs::create_directory(path());
    fs::permissions(path(), fs::perms::owner_all);
    for (const char* file : {"data.mdb", "journal"}) {
      fs::copy_file(golden / "format-13" / "store" / file, path() / file);
      fs::permissions(path() / file, fs::perms::owner_read | fs::perms::owner_write);
    }
  }

  fs::path path() const { return folder_.path() / "store"; }

  program_end console(const std::vector<std::string>& lines, std::vector<std::string> environment = {}) const {
    std::vector<std::string> words{"console", "--store", path().string()};
    for (const auto& line : lines)
      words.insert(words.end(), {"-e", line});
    environment.push_back("TMPDIR=" + folder_.path().string());
    return run_program(STEADFAST_BINARY, words, "", environment);
  }

  /// How many files and folders there are besides the store.
  std::ptrdiff_t left_over() const {
    return std::distance(fs::directory_iterator{folder_.path()}, fs::directory_iterator{}) - 1;
  }

private:
  temp_folder folder_;
};

std::string transcript(const std::string& name, const std::string& now) {
  const auto path = golden / "console" / (name + ".txt");
  if (!fs::exists(path) && std::getenv("STEADFAST_WRITE_GOLDEN") != nullptr)
    std::ofstream{path} << now;
  std::ifstream file{path};
  REQUIRE(file);
  return {std::istreambuf_iterator<char>{file}, {}};
}

void check_transcript(const store_as_left& store, const std::string& name, const std::string& line) {
  INFO(line);
  const auto end = store.console({line}, wall_clock::stopped_at(a_quarter_of_an_hour_later));
  CHECK(end.code == 0);
  CHECK(end.err.empty());
  CHECK("> " + line + "\n" + end.out == transcript(name, "> " + line + "\n" + end.out));
}

} // namespace

TEST_CASE("the tables are as they are, letter by letter") {
  if (!wall_clock::works_with(STEADFAST_BINARY)) {
    skip("libfaketime is not installed, or does not work with this build");
    return;
  }
  const store_as_left store;
  check_transcript(store, "tasks", "tasks");
  check_transcript(store, "tasks-by-state", "tasks --where state=processing");
  check_transcript(store, "task", "task done");
  check_transcript(store, "explain", "explain delayed");
  check_transcript(store, "stuck", "stuck");
  check_transcript(store, "alerts", "alerts --all");
  check_transcript(store, "late", "late");
  check_transcript(store, "leases", "leases");
  check_transcript(store, "workflow", "workflow delivery");
  check_transcript(store, "undo-preview", "undo large --dry-run");
  check_transcript(store, "store-check", "store check");
}

TEST_CASE("a store whose node is down is looked at, and cannot be changed") {
  const store_as_left store;
  store.console({"tasks"}); // which brings what is in the journal to the data file
  const auto before = fs::last_write_time(store.path() / "data.mdb");
  const auto looked = store.console({"tasks --count", "store stat", "task done"});
  CHECK(looked.code == 0);
  CHECK_THAT(looked.out, Catch::Matchers::StartsWith("4\n") && Contains("delivery"));
  const std::pair<const char*, const char*> acts[] = {
    {"suspend waiting --why test", "the store was opened to be read only"},
    {"submit delivery --id another", "the store was opened to be read only"},
    {"ack 2", "the store was opened to be read only"},
    {"lease release supervisor", "nobody holds `supervisor`"},
    {"drain n1", "there is no living node `n1`"},
    {"circuit open package", "no living node has an agent `package`"},
  };
  for (const auto& [act, why] : acts) {
    INFO(act);
    const auto end = store.console({act});
    CHECK(end.code != 0);
    CHECK_THAT(end.err, Contains(why));
  }
  CHECK(fs::last_write_time(store.path() / "data.mdb") == before);
  CHECK(store.left_over() == 0);
}

TEST_CASE("a path at which there is no store is said to be none") {
  const store_as_left store;
  const auto end = run_program(STEADFAST_BINARY, {"console", "--store", store.path().string() + "-not", "-e", "tasks"});
  CHECK(end.code == 73);
  CHECK_THAT(end.err, Contains("there is no store at"));
}
