// Programs are run for real: /bin/sh is the program, its script an argument that the configuration gives.

#include "actors/agents/program/program_caller.hpp"
#include "tests/actors/agents/collected_answers.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

using namespace steadfast;
using namespace steadfast::actors;
using namespace std::chrono_literals;
using tests::call_with;
using tests::collected_answers;

namespace {

program_options script(const std::string& text) {
  program_options o;
  o.program = "/bin/sh";
  o.arguments = {"-c", text};
  o.allow_root = true;
  return o;
}

struct program_bench {
  explicit program_bench(program_options o) : caller{make_program_caller(std::move(o), 2, answers.over())} {}

  answer answer_to(call c) {
    caller->start(1, std::move(c));
    auto a = answers.wait(1);
    REQUIRE(a);
    return *a;
  }

  collected_answers answers;
  std::unique_ptr<actors::caller> caller;
};

answer result_of(const std::string& text, call c = call_with("{}")) {
  return program_bench{script(text)}.answer_to(std::move(c));
}

call with_time(workflow::span time) {
  auto c = call_with("{}");
  c.complete_by = c.began_at + time;
  return c;
}

bool is_alive(pid_t pid) {
  return kill(pid, 0) == 0;
}

/// The number that a program wrote into a file of the folder, once it is there.
pid_t written_number(const std::filesystem::path& file) {
  pid_t pid = 0;
  REQUIRE(tests::comes_true([&] {
    std::string line;
    std::ifstream in{file};
    if (!std::getline(in, line) || in.eof()) // not all of it is there
      return false;
    pid = std::stoi(line);
    return true;
  }));
  return pid;
}

pid_t parent_of(pid_t pid) {
  std::ifstream status{"/proc/" + std::to_string(pid) + "/status"};
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("PPid:"))
      return std::stoi(line.substr(5));
  return 0;
}

/// A script that starts a daemon as the books say, in a session of its own, its parent gone, deaf to requests to end;
/// it writes its number into the file. The script goes on when it is there.
std::string daemon(const std::filesystem::path& file) {
  const auto name = file.string();
  return "setsid sh -c 'trap \"\" TERM HUP INT; sh -c \"echo \\$\\$ > " + name
         + "; exec sleep 1000\" < /dev/null > /dev/null 2>&1 &';" + " until [ -s " + name + " ]; do sleep 0.01; done; ";
}

} // namespace

TEST_CASE("a program gets the input on standard input and its output is the result") {
  const std::string input(300'000, 'x'); // more than a pipe holds
  const auto a = result_of("cat", call_with(input));
  CHECK(a.kind == report_kind::succeeded);
  CHECK(a.result == input);
}

TEST_CASE("a program is told of the attempt by its environment, and of nothing else") {
  const auto a = result_of("env | sort | grep -v -e ^PWD= -e ^_= -e ^SHLVL= -e ^OLDPWD=");
  CHECK(
    a.result
    == "STEADFAST_ACTION=do\nSTEADFAST_ATTEMPT=2\nSTEADFAST_COMPLETE_BY=2026-01-01T12:00:30.000Z\nSTEADFAST_EPOCH=7\n"
       "STEADFAST_KEY=order-1/charge/1/do\nSTEADFAST_REVERSES=\nSTEADFAST_STEP=charge\nSTEADFAST_TASK=order-1\n"
       "STEADFAST_TIME_LEFT=30000\nSTEADFAST_TRY=1\n");
}

TEST_CASE("exit codes tell a passing fault from one for good, with what the program said") {
  const auto passing = result_of("echo busy >&2; exit 75");
  CHECK(passing.kind == report_kind::failed_transient);
  CHECK_THAT(passing.why, Catch::Contains("75") && Catch::Contains("busy"));
  const auto final = result_of("echo no such account >&2; exit 3");
  CHECK(final.kind == report_kind::failed_permanent);
  CHECK(final.maybe_done);
  CHECK_THAT(final.why, Catch::Contains("no such account"));
}

TEST_CASE("a probe's own exit code says that the step did not happen") {
  auto c = call_with("{}");
  c.action = workflow::attempt_action::probe;
  const auto denied = result_of("exit 66", c);
  CHECK(denied.kind == did_not_happen().kind);
}

TEST_CASE("a program that cannot be run fails for good, without a doubt") {
  auto o = script("");
  o.program = "/nowhere/program";
  const auto a = program_bench{o}.answer_to(call_with("{}"));
  CHECK(a.kind == report_kind::failed_permanent);
  CHECK_FALSE(a.maybe_done);
}

TEST_CASE("a program that writes too much is ended and fails for good") {
  auto o = script("while :; do echo xxxxxxxxxxxxxxxx; done");
  o.output_max = 1000;
  const auto a = program_bench{o}.answer_to(call_with("{}"));
  CHECK(a.kind == report_kind::failed_permanent);
  CHECK_THAT(a.why, Catch::Contains("output_max"));
}

TEST_CASE("a stopped call ends the program and what it started") {
  tests::temp_folder folder;
  const auto file = folder.path() / "started";
  program_bench b{script("sleep 1000 & echo $! > " + file.string() + "; wait")};
  b.caller->start(1, call_with("{}"));
  const auto started = written_number(file);
  CHECK_FALSE(b.answers.wait(1, 300ms));
  CHECK(is_alive(started));
  b.caller->stop(1);
  const auto a = b.answers.wait(1);
  REQUIRE(a);
  CHECK(a->kind == report_kind::stopped);
  CHECK_FALSE(is_alive(started));
}

TEST_CASE("what a program leaves behind does not hold up its answer, and is ended") {
  const auto a = result_of("sleep 1000 & echo $!");
  CHECK(a.kind == report_kind::succeeded);
  CHECK_FALSE(is_alive(std::stoi(a.result)));
}

TEST_CASE("P12: a program is ended at complete-by although nobody says so") {
  const auto begun = std::chrono::steady_clock::now();
  const auto a = program_bench{script("trap '' TERM HUP INT; sleep 1000 & sleep 1000")}.answer_to(with_time(300ms));
  CHECK(std::chrono::steady_clock::now() - begun >= 300ms);
  CHECK(a.kind == report_kind::failed_transient);
  CHECK(a.maybe_done);
  CHECK_THAT(a.why, Catch::Contains("complete-by"));
}

TEST_CASE("P12: a program whose time is over is not begun") {
  tests::temp_folder folder;
  const auto a = result_of("touch " + (folder.path() / "acted").string(), with_time(0ms));
  CHECK(a.kind == report_kind::failed_transient);
  CHECK_FALSE(a.maybe_done);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "acted"));
}

TEST_CASE("P12: what left the program's session and its parent is ended with the program, however the call ends") {
  tests::temp_folder folder;
  const auto file = folder.path() / "daemon";
  SECTION("the program ends") {
    const auto a = result_of(daemon(file));
    CHECK(a.kind == report_kind::succeeded);
    CHECK_FALSE(is_alive(written_number(file)));
  }
  SECTION("the call is stopped") {
    program_bench b{script(daemon(file) + "sleep 1000")};
    b.caller->start(1, call_with("{}"));
    const auto pid = written_number(file);
    CHECK(is_alive(pid));
    b.caller->stop(1);
    const auto a = b.answers.wait(1);
    REQUIRE(a);
    CHECK(a->kind == report_kind::stopped);
    CHECK_FALSE(is_alive(pid));
  }
  SECTION("complete-by passes") {
    program_bench{script(daemon(file) + "sleep 1000")}.answer_to(with_time(500ms));
    CHECK_FALSE(is_alive(written_number(file)));
  }
}

TEST_CASE("row 10: a program and what it started die with the process that runs it") {
  tests::temp_folder folder;
  const auto file = folder.path() / "daemon";
  const auto node = fork();
  if (node == 0) {
    program_bench b{script(daemon(file) + "echo $$ > " + (folder.path() / "program").string() + "; sleep 1000")};
    b.caller->start(1, call_with("{}"));
    for (;;)
      pause();
  }
  REQUIRE(node > 0);
  const auto started = written_number(file);
  const auto program = written_number(folder.path() / "program");
  CHECK(is_alive(program));
  CHECK(is_alive(started));
  kill(node, SIGKILL);
  waitpid(node, nullptr, 0);
  CHECK(tests::comes_true([&] { return !is_alive(program) && !is_alive(started); }));
  for (const auto left : {program, started})
    kill(left, SIGKILL);
}

TEST_CASE("P12: a launcher that is killed takes the program with it, and what that started") {
  tests::temp_folder folder;
  const auto file = folder.path() / "daemon";
  program_bench b{script(daemon(file) + "echo $PPID > " + (folder.path() / "keeper").string() + "; sleep 1000")};
  b.caller->start(1, call_with("{}"));
  const auto started = written_number(file);
  const auto keeper = written_number(folder.path() / "keeper");
  const auto guard = parent_of(keeper);
  REQUIRE(parent_of(guard) == getpid());
  kill(GENERATE(true, false) ? keeper : guard, SIGKILL);
  const auto a = b.answers.wait(1);
  REQUIRE(a);
  CHECK(a->kind == report_kind::failed_transient);
  CHECK(a->maybe_done);
  CHECK_FALSE(is_alive(started));
}

TEST_CASE("a directory that cannot be entered is named") {
  auto o = script("pwd");
  o.directory = "/nowhere";
  const auto a = program_bench{o}.answer_to(call_with("{}"));
  CHECK(a.kind == report_kind::failed_permanent);
  CHECK_FALSE(a.maybe_done);
  CHECK_THAT(a.why, Catch::Contains("directory") && Catch::Contains("/nowhere"));
}

TEST_CASE("a program cannot gain privileges, and has no descriptor but the three") {
  CHECK(result_of("grep NoNewPrivs /proc/self/status").result == "NoNewPrivs:\t1\n");
  constexpr int ours = 50; // handed on to programs, were it not closed
  REQUIRE(dup2(0, ours) == ours);
  CHECK(result_of("[ -e /proc/self/fd/50 ] && echo open || echo closed").result == "closed\n");
  close(ours);
}
