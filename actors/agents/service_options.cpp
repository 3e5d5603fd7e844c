#include "actors/agents/agent_options.hpp"
#include "actors/agents/url.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace steadfast::actors {

namespace {

bool is_status_class(const std::string& s) {
  return s.size() == 3 && s[0] >= '1' && s[0] <= '5'
         && std::all_of(s.begin() + 1, s.end(), [](char c) { return c == 'x' || (c >= '0' && c <= '9'); });
}

void check_classes(const char* field, const std::vector<std::string>& classes, std::vector<std::string>& found) {
  for (const auto& c : classes)
    if (!is_status_class(c))
      found.push_back(std::string{field} + ": `" + c + "` is neither a status (503) nor a class of them (5xx)");
}

// None of these sentences shows the URL: a wrong one may still contain a password.
void check_url(const std::string& url, std::vector<std::string>& found) {
  if (!url.starts_with("http://") && !url.starts_with("https://")) {
    found.emplace_back("url must begin with http:// or https://");
    return;
  }
  if (url.substr(url.find("://")).starts_with(":///")) {
    found.emplace_back("url has no host");
    return;
  }
  const auto read = read_url(url);
  if (!read.fault.empty())
    found.push_back("url cannot be read: " + read.fault + "; what is not allowed in it is written as %20 and the like");
  else if (read.has_user)
    found.emplace_back("url must not have a user or password in it; give them to the service in a header, such as "
                       "headers = { Authorization = { env = \"NAME\" } }");
  else if (read.has_fragment)
    found.emplace_back("url must not have a part behind #: no service gets to see it");
}

void check_proxy(const std::string& proxy, std::vector<std::string>& found) {
  if (proxy.empty())
    return;
  constexpr std::array schemes{"http://", "https://", "socks4://", "socks4a://", "socks5://", "socks5h://"};
  const bool has_scheme =
    std::any_of(schemes.begin(), schemes.end(), [&](const char* s) { return proxy.starts_with(s); });
  if (!has_scheme || !read_url(proxy).fault.empty())
    found.emplace_back("proxy cannot be read: write it as http://HOST:PORT, or with https or socks5");
}

/// RFC 9110, 5.6.2.
bool is_token(const std::string& s) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !s.empty() && std::all_of(s.begin(), s.end(), [&](unsigned char c) {
    return (c < 0x80 && std::isalnum(c) != 0) || marks.find(static_cast<char>(c)) != std::string_view::npos;
  });
}

std::string lower(std::string s) {
  std::transform(s.begin(), s.end(), s.begin(),
                 [](unsigned char c) { return static_cast<char>(c < 0x80 ? std::tolower(c) : c); });
  return s;
}

bool is_set_by_us(const std::string& name) {
  const auto small = lower(name);
  constexpr std::array ours{"idempotency-key",   "traceparent", "content-length",
                            "transfer-encoding", "connection",  "expect"};
  return small.starts_with("steadfast-") || std::find(ours.begin(), ours.end(), small) != ours.end();
}

} // namespace

std::string header_problem(const std::string& name, const std::string& value) {
  if (!is_token(name))
    return "headers: `" + name + "` is no name of a header: letters, digits and !#$%&'*+-.^_`|~ only";
  const auto where = "headers: " + name;
  if (is_set_by_us(name))
    return where + " is set by the node for each call";
  if (value.find_first_not_of(" \t") == std::string::npos)
    return where + " has no value";
  const auto is_control = [](unsigned char c) { return (c < ' ' && c != '\t') || c == 0x7F; };
  if (std::any_of(value.begin(), value.end(), is_control))
    return where + " has a line end or another control character in its value";
  return {};
}

std::string variable_problem(const std::string& name, const std::string& value) {
  if (name.empty() || name.find_first_of(std::string_view{"=\0", 2}) != std::string::npos)
    return "environment: `" + name + "` is no name of a variable";
  if (name.starts_with("STEADFAST_"))
    return "environment: " + name + " is set by the node for each call";
  if (value.find('\0') != std::string::npos)
    return "environment: " + name + " has a zero byte in its value";
  return {};
}

std::vector<std::string> problems(const http_options& o) {
  std::vector<std::string> found;
  check_url(o.url, found);
  if (o.method.empty() || !std::all_of(o.method.begin(), o.method.end(), [](char c) { return c >= 'A' && c <= 'Z'; }))
    found.emplace_back("method must be a word in capitals, such as POST");
  for (const auto& [name, value] : o.headers)
    if (auto wrong = header_problem(name, value); !wrong.empty())
      found.push_back(std::move(wrong));
  check_classes("permanent", o.permanent, found);
  check_classes("transient", o.transient, found);
  if (o.connect_limit <= workflow::span{0})
    found.emplace_back("connect_limit must be above zero");
  if (!o.ca_file.empty() && access(o.ca_file.c_str(), R_OK) != 0)
    found.push_back("ca_file: " + o.ca_file + " cannot be read");
  check_proxy(o.proxy, found);
  return found;
}

std::vector<std::string> problems(const program_options& o) {
  std::vector<std::string> found;
  if (o.program.empty() || o.program[0] != '/')
    found.emplace_back("program must be an absolute path");
  else if (access(o.program.c_str(), X_OK) != 0)
    found.push_back("program: " + o.program + " cannot be run");
  if (geteuid() == 0 && !o.allow_root)
    found.emplace_back(
      "allow_root: this process runs as root; start it as another user, or set allow_root if that is meant");
  if (o.output_max == 0)
    found.emplace_back("output_max must be above zero");
  for (const auto& [name, value] : o.environment)
    if (auto wrong = variable_problem(name, value); !wrong.empty())
      found.push_back(std::move(wrong));
  return found;
}

} // namespace steadfast::actors
