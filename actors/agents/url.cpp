#include "actors/agents/url.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <utility>

namespace steadfast::actors {

namespace {

std::uint16_t port_of_scheme(std::string_view scheme) {
  return scheme == "http" ? 80 : scheme == "https" ? 443 : scheme.starts_with("socks") ? 1080 : 0;
}

bool is_blank_or_control(char c) {
  return static_cast<unsigned char>(c) <= ' ' || c == 0x7F;
}

int hex_digit(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

/// Nothing, if a percent stands without its two digits or means a zero byte.
std::optional<std::string> decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0 || (high == 0 && low == 0))
      return std::nullopt;
    plain += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return plain;
}

bool is_number_of_ip6(std::string_view text) {
  in6_addr ip;
  return inet_pton(AF_INET6, std::string{text}.c_str(), &ip) == 1;
}

/// With its zone, in which the percent is coded (RFC 6874) or not.
std::string read_ip6(std::string_view text, web_url& into) {
  const auto percent = text.find('%');
  if (!is_number_of_ip6(text.substr(0, percent)))
    return "what stands between [ and ] is no address of IPv6";
  into.host = text.substr(0, percent);
  if (percent == std::string_view::npos)
    return {};
  auto zone = text.substr(percent + 1);
  if (zone.starts_with("25"))
    zone.remove_prefix(2);
  if (zone.empty())
    return "the zone of its address is empty";
  into.host += '%' + std::string{zone};
  return {};
}

std::string read_port(std::string_view text, web_url& into) {
  if (text.empty()) // "http://host:/" is the scheme's own
    return {};
  into.has_port = true;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into.port);
  return error == std::errc{} && end == text.data() + text.size() && into.port != 0
           ? ""
           : "its port is no number from 1 to 65535";
}

std::string read_user(std::string_view text, web_url& into) {
  into.has_user = true;
  const auto colon = text.find(':');
  auto user = decoded(text.substr(0, colon));
  auto password = colon == std::string_view::npos ? std::string{} : decoded(text.substr(colon + 1));
  if (!user || !password)
    return "a % in its user or password is not followed by two digits";
  into.user = *std::move(user);
  into.password = *std::move(password);
  return {};
}

std::string read_host(std::string_view text, web_url& into) {
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos)
      return "a [ has no ]";
    if (auto fault = read_ip6(text.substr(1, end - 1), into); !fault.empty())
      return fault;
    text.remove_prefix(end + 1);
    if (!text.empty() && text.front() != ':')
      return "something stands behind the ]";
    return read_port(text.substr(std::min<std::size_t>(1, text.size())), into);
  }
  const auto colon = text.find(':');
  const auto host = decoded(text.substr(0, colon));
  if (!host || host->empty())
    return "it has no host";
  if (host->find_first_of(" \"#%/:<>?@[\\]^`{|}") != std::string::npos
      || std::any_of(host->begin(), host->end(), is_blank_or_control))
    return "its host has a character that no host has";
  into.host = *host;
  return colon == std::string_view::npos ? "" : read_port(text.substr(colon + 1), into);
}

std::string read_all(std::string_view text, web_url& into) {
  if (std::any_of(text.begin(), text.end(), is_blank_or_control))
    return "it has a space or a control character";
  const auto scheme = text.find("://");
  if (scheme == std::string_view::npos)
    return "it has no scheme";
  into.scheme = text.substr(0, scheme);
  into.port = port_of_scheme(into.scheme);
  text.remove_prefix(scheme + 3);
  if (const auto fragment = text.find('#'); fragment != std::string_view::npos) {
    into.has_fragment = true;
    text = text.substr(0, fragment);
  }
  const auto end = std::min(text.find_first_of("/?"), text.size());
  auto authority = text.substr(0, end);
  into.target = (end == text.size() || text[end] == '?' ? "/" : "") + std::string{text.substr(end)};
  if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
    if (auto fault = read_user(authority.substr(0, at), into); !fault.empty())
      return fault;
    authority.remove_prefix(at + 1);
  }
  return read_host(authority, into);
}

} // namespace

std::string web_url::host_and_port() const {
  const bool is_ip6 = host.find(':') != std::string::npos;
  const auto bare = host.substr(0, host.find('%')); // a zone means something on this host only
  return (is_ip6 ? '[' + bare + ']' : bare) + ':' + std::to_string(port);
}

std::string web_url::authority() const {
  auto text = host_and_port();
  if (port == port_of_scheme(scheme))
    text.resize(text.rfind(':'));
  return text;
}

web_url read_url(std::string_view text) {
  web_url read;
  read.fault = read_all(text, read);
  return read;
}

} // namespace steadfast::actors
