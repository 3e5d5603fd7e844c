#include "actors/agent_options.hpp"

#include <unistd.h>

#include <algorithm>

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

bool has_line_end(const std::string& s) {
  return s.find_first_of("\r\n") != std::string::npos;
}

} // namespace

std::vector<std::string> problems(const http_options& o) {
  std::vector<std::string> found;
  if (!o.url.starts_with("http://") && !o.url.starts_with("https://"))
    found.emplace_back("url must begin with http:// or https://");
  if (o.method.empty() || !std::all_of(o.method.begin(), o.method.end(), [](char c) { return c >= 'A' && c <= 'Z'; }))
    found.emplace_back("method must be a word in capitals, such as POST");
  for (const auto& [name, value] : o.headers)
    if (name.empty() || has_line_end(name) || has_line_end(value))
      found.push_back("headers: `" + name + "` is empty or has a line end");
  check_classes("permanent", o.permanent, found);
  check_classes("transient", o.transient, found);
  if (o.connect_limit <= workflow::span{0})
    found.emplace_back("connect_limit must be above zero");
  if (!o.ca_file.empty() && access(o.ca_file.c_str(), R_OK) != 0)
    found.push_back("ca_file: " + o.ca_file + " cannot be read");
  return found;
}

std::vector<std::string> problems(const exec_options& o) {
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
  return found;
}

} // namespace steadfast::actors
