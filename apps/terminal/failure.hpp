#pragma once

#include "apps/terminal/exit_code.hpp"

#include <stdexcept>
#include <string>

namespace steadfast::apps {

/// Ends a command: the text, which names cause and remedy, goes to standard error, the code to the shell.
class failure : public std::runtime_error {
public:
  failure(exit_code code, const std::string& text) : std::runtime_error{text}, code_{code} {}
  exit_code code() const { return code_; }

private:
  exit_code code_;
};

} // namespace steadfast::apps
