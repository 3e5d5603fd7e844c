#include "apps/command_line/pager.hpp"

#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/terminal.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <utility>

namespace steadfast::apps {
namespace {

constexpr int shell_found_nothing = 127;

bool is_off = false;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_installed(const std::string& program) {
  std::istringstream folders{variable("PATH")};
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + "/" + program).c_str(), X_OK) == 0)
      return true;
  return false;
}

/// What std::cout gets while it lives.
class caught_output {
public:
  caught_output() : before_{std::cout.rdbuf(caught_.rdbuf())} {}
  ~caught_output() { std::cout.rdbuf(before_); }
  caught_output(const caught_output&) = delete;
  caught_output& operator=(const caught_output&) = delete;

  std::string text() const { return caught_.str(); }

private:
  std::ostringstream caught_;
  std::streambuf* before_;
};

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// False: the pager cannot be started, and nothing was shown.
bool show(const std::string& text, const std::string& by) {
  const interrupt_guard guard; // Ctrl-C is for the pager
  std::cout.flush();
  if (variable("LESS").empty())
    setenv("LESS", "FRX", 1); // short texts are printed, colours shown, and the text stays
  auto* const pager = popen(by.c_str(), "w");
  if (pager == nullptr)
    return false;
  std::fwrite(text.data(), 1, text.size(), pager); // the reader may leave early; that is no error
  const int end = pclose(pager);
  interrupt_guard::clear();
  return !(WIFEXITED(end) && WEXITSTATUS(end) == shell_found_nothing);
}

} // namespace

std::string pager_command() {
  for (const char* name : {"STEADFAST_PAGER", "PAGER"})
    if (std::getenv(name) != nullptr) {
      const auto command = variable(name);
      return command == "cat" ? "" : command;
    }
  return is_installed("less") ? "less -FRX" : "";
}

command paged(bool as_json, command what) {
  if (as_json)
    return what;
  return [what = std::move(what)] {
    const auto to = standard_output();
    const auto by = to.is_terminal && !is_off ? pager_command() : "";
    if (by.empty())
      return what();
    std::string text;
    int code = 0;
    {
      const caught_output caught;
      code = what();
      text = caught.text();
    }
    if (lines_in(text) < to.height || !show(text, by))
      std::cout << text;
    return code;
  };
}

without_pager::without_pager() : before_{std::exchange(is_off, true)} {}

without_pager::~without_pager() {
  is_off = before_;
}

} // namespace steadfast::apps
