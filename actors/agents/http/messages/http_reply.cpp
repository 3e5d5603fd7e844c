#include "actors/agents/http/messages/http_reply.hpp"

#include "actors/agents/http/messages/http_date.hpp"
#include "actors/agents/masking.hpp"
#include "workflow/text/json_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>

namespace steadfast::actors {

namespace {

constexpr std::size_t quoted_body_max = 160;
constexpr std::size_t looked_at_max = 8192;

bool any_matches(const std::vector<std::string>& classes, long status) {
  return std::any_of(classes.begin(), classes.end(), [&](const std::string& c) { return matches(c, status); });
}

/// Seconds, or a date (RFC 9110, 10.2.3).
workflow::span wait_asked(const std::string& value, workflow::instant now) {
  long seconds = 0;
  constexpr std::chrono::seconds longest = std::chrono::hours{24};
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  const bool is_number = error != std::errc::invalid_argument && end == value.data() + value.size();
  if (is_number && error == std::errc::result_out_of_range)
    return value.front() == '-' ? workflow::span{0} : longest;
  if (is_number)
    return std::clamp(std::chrono::seconds{seconds}, std::chrono::seconds{0}, longest);
  const auto at = read_http_date(value);
  if (!at)
    return workflow::span{0};
  constexpr auto latest = std::chrono::floor<std::chrono::seconds>(workflow::instant_max).time_since_epoch();
  const auto wait = workflow::instant{std::min(*at, latest)} - now;
  return std::clamp<workflow::span>(wait, workflow::span{0}, longest);
}

/// The beginning of the body; secrets that it repeats are masked before it is cut.
std::string words(const http_reply& r, const http_options& o) {
  auto text = "HTTP " + std::to_string(r.status);
  const auto body = masked(r.body.substr(0, looked_at_max), o.secrets).substr(0, quoted_body_max);
  if (const auto end = body.find_last_not_of(" \t\r\n"); end != std::string::npos)
    text += ": " + body.substr(0, end + 1);
  return text;
}

/// Not, or not certainly, the service's own answer: a proxy gives it, and the service behind may still be working.
bool is_of_a_gateway(long status) {
  return status == 408 || status == 499 || (status >= 502 && status <= 504) || status > 511;
}

enum class word { yes, no, none, unknown };

/// The header says it, or else the body.
word word_in(const http_reply& r) {
  if (!r.happened.empty())
    return r.happened == "yes" ? word::yes : r.happened == "no" ? word::no : word::unknown;
  if (!workflow::is_json(r.body))
    return word::none;
  const auto body = nlohmann::json::parse(r.body, nullptr, false);
  const auto happened = body.is_object() ? body.find("happened") : body.end();
  if (happened == body.end() || !happened->is_boolean())
    return word::none;
  return happened->get<bool>() ? word::yes : word::no;
}

answer answer_to_probe(const http_reply& r, const http_options& o, bool is_success) {
  const auto said = word_in(r);
  if (said == word::no)
    return did_not_happen();
  if (said == word::unknown)
    return failed_for_now(words(r, o) + ": the header Steadfast-Happened is neither yes nor no");
  if (is_success)
    return succeeded(r.body);
  return failed_for_now(words(r, o)
                        + ": a probe is answered no by 404 only with the header Steadfast-Happened: no, or "
                          "{\"happened\": false} as its body; is the url right?");
}

} // namespace

answer answer_of(const broken_call& b, const http_options& o, std::uint64_t result_size_max) {
  using cause = broken_call::cause;
  const auto failed = [&](const std::string& words) {
    return failed_for_now(words + " (" + origin_of(o.url) + ")", b.sent > 0);
  };
  switch (b.why) {
    case cause::refused_address:
      return failed_for_good(
        "the address of " + origin_of(o.url)
        + " is link-local or another where clouds keep credentials; set allow_link_local if it is meant");
    case cause::large_body:
      return failed_for_good("the answer has more than " + std::to_string(result_size_max)
                               + " bytes (result_size_max); the service may have acted",
                             true);
    case cause::not_connected: return failed(b.words);
    case cause::no_http: return failed("the answer is not HTTP");
    case cause::large_headers:
      return failed("the answer has more than " + std::to_string(headers_max) + " bytes of headers");
    default: return failed("the connection was lost before an answer");
  }
}

bool matches(const std::string& status_class, long status) {
  const auto digits = std::to_string(status);
  if (status_class.size() != digits.size())
    return false;
  for (std::size_t i = 0; i < digits.size(); ++i)
    if (status_class[i] != 'x' && status_class[i] != digits[i])
      return false;
  return true;
}

answer answer_of(const http_reply& r, const http_options& o, workflow::attempt_action action, workflow::instant now,
                 bool may_end_later) {
  const bool is_success = r.status >= 200 && r.status < 300;
  if (action == workflow::attempt_action::probe && (is_success || r.status == 404))
    return answer_to_probe(r, o, is_success);
  if (r.status == 202 && may_end_later)
    return ends_later();
  if (is_success)
    return succeeded(r.body);
  const bool unsettled = is_of_a_gateway(r.status);
  if (!any_matches(o.transient, r.status) && any_matches(o.permanent, r.status)) {
    auto refused = failed_for_good(words(r, o), r.status < 400 || unsettled); // a redirect may come after it acted
    refused.unsettled = unsettled;
    return refused;
  }
  auto failed = failed_for_now(words(r, o), r.status != 429);
  failed.unsettled = unsettled;
  failed.retry_after = wait_asked(r.retry_after, now);
  return failed;
}

} // namespace steadfast::actors
