// Programs are run for real: /bin/sh is the program, its script an argument that the configuration gives.

#include "actors/exec_caller.hpp"
#include "tests/actors/collected_answers.hpp"

#include <catch2/catch.hpp>

#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>

using namespace steadfast;
using namespace steadfast::actors;
using namespace std::chrono_literals;
using tests::call_with;
using tests::collected_answers;

namespace {

exec_options script(const std::string& text) {
  exec_options o;
  o.program = "/bin/sh";
  o.arguments = {"-c", text};
  o.allow_root = true;
  return o;
}

struct program_bench {
  explicit program_bench(exec_options o) : caller{make_exec_caller(std::move(o), 2, answers.over())} {}

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
       "STEADFAST_TRY=1\n");
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
  program_bench b{script("sleep 1000 & echo $!; echo $$ >&2; wait")};
  b.caller->start(1, call_with("{}"));
  CHECK_FALSE(b.answers.wait(1, 300ms));
  b.caller->stop(1);
  const auto a = b.answers.wait(1);
  REQUIRE(a);
  CHECK(a->kind == report_kind::stopped);
}

TEST_CASE("what a program leaves behind does not hold up its answer, and is ended") {
  const auto a = result_of("sleep 1000 & echo $!");
  CHECK(a.kind == report_kind::succeeded);
  const pid_t left = std::stoi(a.result);
  for (int i = 0; i < 200 && kill(left, 0) == 0; ++i) // a zombie until its new parent takes it
    std::this_thread::sleep_for(10ms);
  CHECK(kill(left, 0) != 0);
}

TEST_CASE("a program cannot gain privileges, and has no descriptor but the three") {
  CHECK(result_of("grep NoNewPrivs /proc/self/status").result == "NoNewPrivs:\t1\n");
  constexpr int ours = 50; // handed on to programs, were it not closed
  REQUIRE(dup2(0, ours) == ours);
  CHECK(result_of("[ -e /proc/self/fd/50 ] && echo open || echo closed").result == "closed\n");
  close(ours);
}
