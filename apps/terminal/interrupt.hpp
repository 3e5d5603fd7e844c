#pragma once

#include <csignal>
#include <optional>
#include <string>

namespace steadfast::apps {

/// While it lives, Ctrl-C does not end the program, only its current wait, and can be queried.
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

  /// While it lives, a second signal follows each Ctrl-C after a second, and so on: the first does not end a read that
  /// begins just after it. For reads that cannot be asked to look. REQUIRES: a guard, and no other use of alarm().
  class repeated {
  public:
    repeated();
    ~repeated();
    repeated(const repeated&) = delete;
    repeated& operator=(const repeated&) = delete;

  private:
    struct sigaction before_ {};
  };

private:
  struct sigaction before_ {};
};

} // namespace steadfast::apps
