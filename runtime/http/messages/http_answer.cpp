#include "runtime/http/messages/http_answer.hpp"

#include "client/exact_json.hpp"
#include "runtime/http/messages/http_text.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace steadfast::runtime {

namespace {

using boost::beast::http::field;
namespace http = boost::beast::http;

constexpr std::size_t gzip_from = 1024; ///< bytes

bool has_header(const http_response& r, std::string_view name) {
  return std::ranges::find(r.headers, name, &std::pair<std::string, std::string>::first) != r.headers.end();
}

void add_tag(const http_request& asked, http_response& r) {
  auto tag = entity_tag(r.body);
  const bool is_known = names_tag(asked.header(field::if_none_match), tag);
  r.headers.emplace_back("ETag", std::move(tag));
  if (!has_header(r, "Cache-Control"))
    r.headers.emplace_back("Cache-Control", "no-cache");
  if (!is_known)
    return;
  r.status = 304;
  r.body.clear();
}

} // namespace

http_response json_response(const nlohmann::json& body, unsigned status) {
  return {status, "application/json", exact_text(body)};
}

http_response preflight(const http_request& r) {
  http_response answer{204, ""};
  if (!r.header(field::access_control_request_method).empty()) {
    answer.headers.emplace_back("Access-Control-Allow-Methods", "GET, PUT, POST");
    answer.headers.emplace_back(
      "Access-Control-Allow-Headers",
      "authorization, content-type, idempotency-key, if-none-match, last-event-id, traceparent");
    answer.headers.emplace_back("Access-Control-Max-Age", "600");
  } else {
    answer.headers.emplace_back("Allow", "GET, PUT, POST, OPTIONS");
  }
  return answer;
}

void dress(const http_request& asked, bool is_known_origin, http_response& r) {
  r.headers.emplace_back("X-Content-Type-Options", "nosniff");
  if (!has_header(r, "Content-Security-Policy"))
    r.headers.emplace_back("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  if (asked.is_encrypted)
    r.headers.emplace_back("Strict-Transport-Security", "max-age=31536000");
  if (is_known_origin) {
    r.headers.emplace_back("Access-Control-Allow-Origin", std::string{asked.header(field::origin)});
    r.headers.emplace_back("Access-Control-Expose-Headers", "ETag, Location, Retry-After");
    r.headers.emplace_back("Vary", "Origin");
  }
  const bool may_be_packed = r.body.size() >= gzip_from && !has_header(r, "Content-Encoding");
  const std::pair<std::string, std::string> varies{"Vary", "Accept-Encoding"};
  if (may_be_packed && std::ranges::find(r.headers, varies) == r.headers.end())
    r.headers.push_back(varies);
  const auto verb = asked.message.method();
  if (r.status == 200 && !r.events && (verb == http::verb::get || verb == http::verb::head))
    add_tag(asked, r);
  if (may_be_packed && r.status != 304 && takes_gzip(asked.header(field::accept_encoding))) {
    r.body = gzipped(r.body);
    r.headers.emplace_back("Content-Encoding", "gzip");
  }
}

} // namespace steadfast::runtime
