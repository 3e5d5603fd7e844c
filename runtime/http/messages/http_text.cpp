#include "runtime/http/messages/http_text.hpp"

#include "api/error.hpp"
#include "client/exact_json.hpp"
#include "runtime/text/hex.hpp"
#include "workflow/text/split.hpp"

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/status.hpp>

#include <xxhash.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>
#include <stdexcept>

namespace steadfast::runtime {

namespace {

constexpr int fast = 1;                     ///< level of zlib: JSON becomes little smaller with more
constexpr int gzip_window = MAX_WBITS + 16; ///< zlib's way to ask for the format of gzip

constexpr const char* form_of_dates = "%a, %d %b %Y %H:%M:%S GMT"; ///< English: the program sets no language of dates

/// In a query a plus is a space.
std::optional<std::string> decoded(std::string_view text, bool is_query) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += is_query && text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const auto byte = i + 2 < text.size() ? bytes_of_hex(text.substr(i + 1, 2)) : std::nullopt;
    if (!byte || byte->size() != 1 || byte->front() == '\0')
      return std::nullopt;
    out += *byte;
    i += 2;
  }
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

} // namespace

std::string http_date(std::chrono::system_clock::time_point t) {
  const auto seconds = std::chrono::system_clock::to_time_t(t);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), form_of_dates, &utc)};
}

std::optional<std::string> http_target::find(std::string_view name) const {
  const auto found = std::find_if(query.rbegin(), query.rend(), [&](const auto& x) { return x.first == name; });
  return found == query.rend() ? std::nullopt : std::optional{found->second};
}

std::optional<http_target> parse_target(std::string_view target) {
  if (!target.starts_with('/'))
    return std::nullopt;
  http_target parsed;
  const auto question = std::min(target.find('?'), target.size());
  for (const auto part : workflow::split(target.substr(1, question - 1), '/')) {
    auto segment = decoded(part, false);
    if (!segment)
      return std::nullopt;
    parsed.segments.push_back(*std::move(segment));
  }
  if (question == target.size())
    return parsed;
  for (const auto part : workflow::split(target.substr(question + 1), '&')) {
    if (part.empty())
      continue;
    const auto equals = std::min(part.find('='), part.size());
    auto name = decoded(part.substr(0, equals), true);
    auto value = decoded(equals == part.size() ? std::string_view{} : part.substr(equals + 1), true);
    if (!name || !value)
      return std::nullopt;
    parsed.query.emplace_back(*std::move(name), *std::move(value));
  }
  return parsed;
}

std::optional<absolute_target> parse_absolute(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    const auto given = target.substr(0, scheme.size());
    if (!boost::beast::iequals({given.data(), given.size()}, {scheme.data(), scheme.size()}))
      continue;
    target.remove_prefix(scheme.size());
    const auto end = std::min(target.find_first_of("/?"), target.size());
    const auto rest = target.substr(end);
    return absolute_target{std::string{target.substr(0, end)}, (rest.starts_with('/') ? "" : "/") + std::string{rest}};
  }
  return std::nullopt;
}

std::string host_of(std::string_view text) {
  std::string host;
  if (text.starts_with('['))
    host = text.substr(0, std::min(text.find(']'), text.size() - 1) + 1);
  else
    host = text.substr(0, text.rfind(':'));
  std::transform(host.begin(), host.end(), host.begin(), [](unsigned char c) { return std::tolower(c); });
  return host;
}

std::string reason_of(unsigned status) {
  const auto reason = boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(status));
  return {reason.data(), reason.size()};
}

http_problem problem_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const api::error& e) {
    const auto with = [&](unsigned status, const char* code) {
      return http_problem{status, code, e.what(), e.parameter(), e.retry_after()};
    };
    switch (e.number()) {
      case api::error::invalid_params: return with(400, "invalid_parameter");
      case api::error::refused: return with(409, "refused");
      case api::error::busy: {
        auto p = with(503, "busy");
        p.retry_after = std::max(p.retry_after, std::chrono::milliseconds{1});
        return p;
      }
      case api::error::timed_out: return with(504, "outcome_unknown");
      case api::error::not_found: return with(404, "not_found");
      case api::error::fault: break;
    }
    return with(500, "fault");
  } catch (const nlohmann::json::exception& e) {
    return {400, "invalid_parameter", e.what()};
  } catch (const std::bad_alloc&) {
    return {503, "busy", "the node has no memory left for this", {}, busy_wait};
  } catch (const std::exception& e) {
    return {500, "fault", e.what()};
  }
}

nlohmann::json json_of(const http_problem& p) {
  nlohmann::json j{{"type", "about:blank"},
                   {"title", reason_of(p.status)},
                   {"status", p.status},
                   {"code", p.code},
                   {"detail", p.detail}};
  if (!p.field.empty())
    j["field"] = p.field;
  if (p.retry_after.count() > 0)
    j["retry_after_ms"] = p.retry_after.count();
  return j;
}

http_response response_of(const http_problem& p) {
  http_response r{p.status, "application/problem+json", exact_text(json_of(p))};
  if (p.retry_after.count() > 0) // in whole seconds
    r.headers.emplace_back("Retry-After",
                           std::to_string(std::chrono::ceil<std::chrono::seconds>(p.retry_after).count()));
  return r;
}

std::string last_words(const http_problem& p) {
  const auto r = response_of(p);
  auto text =
    "HTTP/1.1 " + std::to_string(r.status) + " " + reason_of(r.status) + "\r\nContent-Type: " + r.type + "\r\n";
  for (const auto& [name, value] : r.headers)
    text += name + ": " + value + "\r\n";
  return text + "Connection: close\r\nContent-Length: " + std::to_string(r.body.size()) + "\r\n\r\n" + r.body;
}

std::string entity_tag(std::string_view body) {
  const auto hash = XXH3_128bits(body.data(), body.size());
  const std::uint64_t halves[] = {hash.high64, hash.low64};
  return "W/\"" + hex_of({reinterpret_cast<const char*>(halves), sizeof halves}) + "\"";
}

bool names_tag(std::string_view header, std::string_view tag) {
  constexpr std::string_view weak = "W/";
  const auto opaque = [&](std::string_view t) { return t.starts_with(weak) ? t.substr(weak.size()) : t; };
  for (auto one : workflow::split(header, ',')) {
    one = trimmed(one);
    if (opaque(one) == opaque(tag) || one == "*")
      return true;
  }
  return false;
}

bool takes_gzip(std::string_view header) {
  for (auto one : workflow::split(header, ',')) {
    const auto parts = workflow::split(one, ';');
    const auto name = trimmed(parts.front());
    const bool is_refused = parts.size() > 1 && (trimmed(parts[1]) == "q=0" || trimmed(parts[1]).starts_with("q=0.0"));
    if ((name == "gzip" || name == "*") && !is_refused)
      return true;
  }
  return false;
}

std::string gzipped(std::string_view text) {
  z_stream z{};
  if (deflateInit2(&z, fast, Z_DEFLATED, gzip_window, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc{};
  std::string out(deflateBound(&z, text.size()), '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  const int done = deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  if (done != Z_STREAM_END)
    throw std::runtime_error{"zlib does not compress"};
  return out;
}

} // namespace steadfast::runtime
