// What comes over the connection to a service: any bytes end the call in exactly one answer, whose result is bounded.
// The input is what the service sends before it hangs up.

#include "actors/agents/http/http_caller.hpp"

#include "tests/actors/agents/collected_answers.hpp"
#include "tests/fuzz/support/fuzz.hpp"
#include "tests/fuzz/support/listener.hpp"

using namespace steadfast;
using actors::report_kind;

namespace {

constexpr std::uint64_t result_size_max = 4096;
constexpr std::size_t why_max = 400;

/// An agent's caller and the service that it calls.
struct bench {
  fuzz::tcp_listener service;
  tests::collected_answers answers;
  actors::call_ticket last = 0;
  std::unique_ptr<actors::caller> caller;

  bench() {
    actors::http_options o;
    o.url = "http://127.0.0.1:" + std::to_string(service.port()) + "/charge";
    caller = actors::make_http_caller(o, result_size_max, answers.over());
  }

  actors::answer answer_to(std::string_view said) {
    service.say(said);
    caller->start(++last, tests::call_with("{}"));
    const auto a = answers.take(last);
    fuzz::expect(a.has_value(), "a call is over");
    return *a;
  }
};

void check(const actors::answer& a) {
  switch (a.kind) {
    case report_kind::succeeded:
      return fuzz::expect(a.result.size() <= result_size_max, "a result is not larger than it may be");
    case report_kind::failed_permanent:
    case report_kind::failed_transient:
      fuzz::expect(!a.why.empty() && a.why.size() <= why_max, "a failure says why, in short", a.why);
      return fuzz::expect(a.retry_after >= workflow::span{0} && a.retry_after <= std::chrono::hours{24},
                          "a wait is at most a day");
    default: fuzz::expect(false, "a call ends in no other way");
  }
}

} // namespace

void fuzz::try_input(std::string_view input) {
  static bench b;
  check(b.answer_to(input));
}
