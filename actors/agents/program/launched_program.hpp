#pragma once

#include "actors/agents/agent_options.hpp"
#include "actors/agents/program/descriptor.hpp"
#include "actors/agents/program/launcher/protocol.hpp"
#include "workflow/time/time.hpp"

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace steadfast::actors {

/// Becomes readable after that time, by a clock that goes on while the process is stopped or the machine sleeps. If the
/// system has no timer to give, the descriptor is not open, and errno says why.
descriptor timer_after(workflow::span time);

/// A program that runs under a launcher. The launcher ends the program and all that it started when told to, at
/// complete-by, and when this process has ended in any way.
class launched_program {
public:
  /// Starts the launcher. `environment` is all that the program gets, as NAME=VALUE. If the launcher cannot be started,
  /// fault() says why.
  launched_program(const program_options& o, std::vector<std::string> environment, const descriptor& complete_by);
  /// Ends the program and waits until it has.
  ~launched_program();
  launched_program(const launched_program&) = delete;
  launched_program& operator=(const launched_program&) = delete;

  int fault() const { return fault_; } ///< errno; 0: it was started

  // Our ends of its standard input, output and error.
  descriptor input;
  descriptor output;
  descriptor errors;

  /// Becomes readable when the program has ended and nothing of it is left.
  int end() const { return report_.get(); }
  /// From any thread.
  void kill() const;
  /// Waits for the end. Empty: the launcher was killed, and the program with it.
  std::optional<launcher::report> wait();

private:
  descriptor report_;
  descriptor stop_;
  pid_t launcher_ = -1;
  int fault_ = 0;
};

} // namespace steadfast::actors
