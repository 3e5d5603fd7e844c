#include "runtime/configuration/node_options.hpp"
#include "runtime/logging/log.hpp"
#include "runtime/logging/log_file.hpp"
#include "tests/support/processes/proc_files.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

using namespace steadfast;
using runtime::open_log_file;

TEST_CASE("a log file is made for its user alone, whatever the umask says, and appended to") {
  const tests::temp_folder folder;
  const auto path = folder.path() / "logs/node.log";
  const auto before = umask(0);
  const auto file = open_log_file(path);
  umask(before);
  CHECK(std::filesystem::status(path).permissions()
        == (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
  REQUIRE(write(file.get(), "one\n", 4) == 4);
  REQUIRE(write(open_log_file(path).get(), "two\n", 4) == 4);
  CHECK(tests::text_of(path) == "one\ntwo\n");
}

TEST_CASE("a log file that is a link, or no file, is refused") {
  const tests::temp_folder folder;
  folder.write("victim", "precious");
  const auto link = folder.path() / "link.log";
  std::filesystem::create_symlink(folder.path() / "victim", link);
  CHECK_THROWS_WITH(open_log_file(link), Catch::Contains("log.file") && Catch::Contains("symbolic link"));
  CHECK(tests::text_of(folder.path() / "victim") == "precious");

  const auto pipe = folder.path() / "pipe.log";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THROWS_WITH(open_log_file(pipe), Catch::Contains("cannot be opened"));
  CHECK_THROWS_WITH(open_log_file(folder.path()), Catch::Contains("directory"));
}

TEST_CASE("a log file that is another user's is refused") {
  if (geteuid() != 0) {
    tests::skip("only root can give a file away");
    return;
  }
  const tests::temp_folder folder;
  const auto planted = folder.path() / "planted.log";
  folder.write("planted.log", "");
  REQUIRE(chown(planted.c_str(), 1234, 1234) == 0);
  CHECK_THROWS_WITH(open_log_file(planted), Catch::Contains("belongs to user 1234"));
}

TEST_CASE("a line of the log steers no terminal, whatever somebody sent") {
  const tests::temp_folder folder;
  for (const bool as_json : {false, true}) {
    const auto path = folder.path() / (as_json ? "node.json" : "node.log");
    log_options o;
    o.file = path;
    o.level = "info";
    o.json = as_json;
    start_log(o);
    log_line("info", "by mallory\xE2\x80\xAE\x1B[2J \xC2\x9B"); // U+202E, ESC, U+009B
    log_options quiet;
    quiet.level = "warning";
    start_log(quiet); // which writes what is left
    const auto text = tests::text_of(path);
    CHECK_THAT(text, Catch::Contains("by mallory\\u202e") && Catch::Contains("\\u009b"));
    CHECK(text.find('\x1B') == std::string::npos);
  }
}
