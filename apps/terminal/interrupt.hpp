#pragma once

#include <csignal>
#include <optional>
#include <string>

namespace steadfast::apps {

/// While it lives, Ctrl-C does not end the program but what it waits for, and can be asked for.
class interrupt_guard {
public:
  interrupt_guard();
  ~interrupt_guard();
  interrupt_guard(const interrupt_guard&) = delete;
  interrupt_guard& operator=(const interrupt_guard&) = delete;

  /// Whether Ctrl-C was pressed since the outermost guard began or `clear` was called.
  static bool interrupted();
  static void clear();

  /// A line that a person types. Nothing: Ctrl-C was pressed, or the input has ended.
  static std::optional<std::string> typed_line();

private:
  struct sigaction before_ {};
};

} // namespace steadfast::apps
