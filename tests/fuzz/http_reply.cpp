// The meaning of a service's reply: whatever it says, the answer is one of the few that an agent can act on, and is
// bounded. The input: a line with the status, a line with the value of Retry-After, one with that of
// Steadfast-Happened, the body.

#include "actors/agents/http/messages/http_reply.hpp"

#include "actors/agents/step_input.hpp"
#include "tests/fuzz/support/fuzz.hpp"

#include <charconv>

using namespace steadfast;
using actors::report_kind;

namespace {

constexpr workflow::instant now{workflow::span{1'700'000'000'000}};
constexpr std::size_t why_max = 400;

actors::http_reply reply_of(std::string_view input) {
  actors::http_reply r;
  const auto status = fuzz::take_to(input, '\n');
  std::from_chars(status.data(), status.data() + status.size(), r.status);
  r.retry_after = fuzz::take_to(input, '\n');
  r.happened = fuzz::take_to(input, '\n');
  r.body = input;
  return r;
}

void check(const actors::answer& a, const actors::http_reply& r, workflow::attempt_action action) {
  const bool is_success = r.status >= 200 && r.status < 300;
  const bool is_probe = action == workflow::attempt_action::probe;
  if (a.kind == report_kind::denied) {
    fuzz::expect(is_probe && (is_success || r.status == 404), "only a probe is denied, by 2xx or 404");
    fuzz::expect(r.happened == "no" || (r.happened.empty() && r.body.find("false") != std::string::npos),
                 "a denial has the word for it", r.happened);
    return;
  }
  if (is_probe && r.happened == "no")
    fuzz::expect(!is_success && r.status != 404, "a probe that is told no is denied");
  if (a.kind == report_kind::succeeded) {
    fuzz::expect(is_success, "2xx succeeded, and nothing else");
    fuzz::expect(a.result == r.body, "the body is the result");
    return;
  }
  fuzz::expect(!is_success || is_probe, "2xx succeeded");
  fuzz::expect(!a.why.empty() && a.why.size() <= why_max, "a failure says why, in short", a.why);
  fuzz::expect(a.retry_after >= workflow::span{0} && a.retry_after <= std::chrono::hours{24}, "a wait is at most a day",
               std::to_string(a.retry_after.count()));
  if (a.kind == report_kind::failed_transient)
    fuzz::expect(a.maybe_done == (r.status != 429), "only 429 says that nothing was done");
}

} // namespace

void fuzz::try_input(std::string_view input) {
  const auto r = reply_of(input);
  const actors::http_options o;
  for (const auto action : {workflow::attempt_action::perform, workflow::attempt_action::probe})
    check(actors::answer_of(r, o, action, now), r, action);
}
