#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// A target of the fuzzer (libFuzzer) is a program with one function: try_input. docs/fuzzing.md tells how to run them.

namespace steadfast::fuzz {

/// The target: tries one input. What it does not expect, and any exception that leaves it, ends the process: a finding.
void try_input(std::string_view input);

/// Ends the process with the sentence unless it holds.
void expect(bool holds, std::string_view sentence);
/// The same with what it is about, which may be any bytes.
void expect(bool holds, std::string_view sentence, std::string_view about);

/// Parted at each `at`; n separators make n + 1 parts.
std::vector<std::string> parts_of(std::string_view text, char at);

/// Takes what comes before the first `at` off the front of `text`, and the separator with it; without one, all of it.
std::string_view take_to(std::string_view& text, char at);

/// Watches how much memory the process takes while it exists. One at a time; only in a build with AddressSanitizer,
/// else it sees nothing.
class memory_watch {
public:
  memory_watch();
  ~memory_watch();
  memory_watch(const memory_watch&) = delete;
  memory_watch& operator=(const memory_watch&) = delete;

  /// The most bytes that were in use at a time, beyond those at the beginning.
  std::size_t peak() const;
};

} // namespace steadfast::fuzz
